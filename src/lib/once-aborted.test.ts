// A callback for an abort, once, and not after it was given up.

import assert from 'node:assert/strict';
import { getEventListeners } from 'node:events';
import { test } from 'node:test';
import { onceAborted } from './once-aborted.ts';

test('calls back once, at once if it is aborted already, and never without a signal', () => {
  let count = 0;
  const callBack = () => {
    count += 1;
  };
  const abort = new AbortController();
  onceAborted(undefined, callBack);
  onceAborted(abort.signal, callBack);
  assert.equal(count, 0);
  abort.abort();
  assert.equal(count, 1);
  onceAborted(abort.signal, callBack);
  assert.equal(count, 2);
});

test('what is given up leaves nothing on the signal', () => {
  const { signal } = new AbortController();
  const forget = onceAborted(signal, () => assert.fail('was given up'));
  assert.equal(getEventListeners(signal, 'abort').length, 1);
  forget();
  assert.equal(getEventListeners(signal, 'abort').length, 0);
});
