// Pins that the load client finds the end of an answer without keeping its bytes.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createAnswerCounter } from './load-client.ts';

const ANSWER = 'HTTP/1.1 200 OK\r\nContent-Length: 5\r\nX-Other: 1\r\n\r\nhello';

test('answers are counted wherever their bytes are split', () => {
  for (let at = 1; at < ANSWER.length; at += 1) {
    const isComplete = createAnswerCounter(200);
    // One buffer for all reads, as the client has.
    const buffer = Buffer.alloc(ANSWER.length);
    const read = (text: string) => isComplete(buffer.subarray(0, buffer.write(text, 'latin1')));
    for (let round = 0; round < 2; round += 1) {
      assert.equal(read(ANSWER.slice(0, at)), false);
      assert.equal(read(ANSWER.slice(at)), true);
    }
  }
});

test('an answer that is not as expected is an error', () => {
  const take = (text: string) => createAnswerCounter(200)(Buffer.from(text));
  assert.throws(() => take(ANSWER.replace('200 OK', '503 No')), /answer is HTTP\/1\.1 503 No/);
  assert.throws(() => take(ANSWER.replace('Content-Length: 5', 'X: 5')), /no content-length/);
  assert.throws(() => take(`${ANSWER}!`), /more bytes than the answer has/);
});
