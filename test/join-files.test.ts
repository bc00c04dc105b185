// Files that share a process are those that neither change it nor need another.

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { joinFiles } from './join-files.ts';
import { createTempFolder } from './start-service-process.ts';

const SMALL = ['src/lib/base58.test.ts', 'src/lib/base62.test.ts'];
const ALONE = ['test/e2e/serve.test.ts', 'src/lib/given-flags.test.ts'];

test('small files of a room are one, and every file runs once', (t) => {
  const folder = createTempFolder(t);
  const [serve, flags, joined, ...more] = joinFiles([...ALONE, ...SMALL], folder);
  assert.deepEqual([serve, flags, more], [...ALONE, []]);
  const imports = readFileSync(joined ?? '', 'utf8')
    .trimEnd()
    .split('\n');
  assert.equal(imports.length, SMALL.length);
  for (const [at, file] of SMALL.entries()) assert.ok(imports[at]?.includes(`/${file}'`), file);
});

test('many files of a room are several, so that one that hangs is soon found', (t) => {
  const folder = createTempFolder(t);
  const many = Array.from({ length: 25 }, (_, at) => SMALL[at % SMALL.length] ?? '');
  const paths = joinFiles(many, folder);
  const counts = paths.map((path) => readFileSync(path, 'utf8').trimEnd().split('\n').length);
  assert.deepEqual(counts, [10, 10, 5]);
});
