// Escape sequences and C1 control characters do not reach a terminal.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { toTerminalLine, toTerminalText } from './terminal-text.ts';

test('control and format characters are shown by their numbers', () => {
  assert.equal(
    toTerminalLine('a\u001b[2Jb\u009b2Jc\u202ed\ne'),
    String.raw`a\u{1b}[2Jb\u{9b}2Jc\u{202e}d\u{a}e`,
  );
  assert.equal(toTerminalLine('plain ünïcode 名 🙂'), 'plain ünïcode 名 🙂');
});

test('a text keeps its lines', () => {
  assert.equal(
    toTerminalText('one\n\u009btwo\r'),
    String.raw`one
\u{9b}two\u{d}`,
  );
});
