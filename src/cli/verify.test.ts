// What `verify` prints, and with which exit code it ends.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { judgeVerification } from './verify.ts';

const CLEAN = {
  ...{ block: 9, blockHash: '0x09', checked: { trade: 3 }, differenceCount: 0, differences: [] },
  ...{ archiveNotes: [], archiveProblems: [] },
};

test('no differences end well, and any difference does not', () => {
  const clean = judgeVerification('base', CLEAN);
  assert.equal(clean.exitCode, 0);
  assert.match(clean.text, /\n {2}trade +3\nno differences$/);
  const wrong = { ...CLEAN, differenceCount: 2, differences: ['token 0x1: missing'] };
  const judged = judgeVerification('base', wrong);
  assert.equal(judged.exitCode, 1);
  assert.match(judged.text, /\n2 differences, the first 1:\n {2}token 0x1: missing$/);
});

test('no differences from nodes that were read in place of an archive are no success', () => {
  const problem = 'no archive gave a block: all were read from the nodes';
  const { text, exitCode } = judgeVerification('base', { ...CLEAN, archiveProblems: [problem] });
  assert.equal(exitCode, 1);
  assert.match(text, /nodes\nno differences, but not as a second opinion of the archives$/);
});

test("what no source has is told, and is nobody's fault", () => {
  const note = 'archive portal: 2 transactions had no log, nor had a node';
  const { text, exitCode } = judgeVerification('solana', { ...CLEAN, archiveNotes: [note] });
  assert.equal(exitCode, 0);
  assert.match(text, /nor had a node\nno differences$/);
});
