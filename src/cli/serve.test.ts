// What a start that failed says.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { describeStartProblem } from './serve.ts';

test('the words of a node cannot move the cursor', () => {
  const error = new Error('the node said \u001b[2J\u009b1A\rfine');
  assert.equal(
    describeStartProblem(error, null),
    'The start failed: the node said \\u{1b}[2J\\u{9b}1A\\u{d}fine',
  );
});
