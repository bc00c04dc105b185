// Pins that flags of V8 are found however they are written.

import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { test } from 'node:test';

function isGiven(name: string, flags: readonly string[], options = ''): boolean {
  const script = 'console.log((await import(process.argv[1])).isFlagGiven(process.argv[2]))';
  const module = new URL('./given-flags.ts', import.meta.url).href;
  const args = [...flags, '--input-type=module', '--eval', script, module, name];
  const env = { NODE_OPTIONS: options };
  return spawnSync(process.execPath, args, { encoding: 'utf8', env }).stdout === 'true\n';
}

test('a flag is found by its name, with underscores, switched off, or in NODE_OPTIONS', () => {
  const name = 'max-semi-space-size';
  assert.equal(isGiven(name, []), false);
  assert.equal(isGiven(name, ['--max-semi-space-size=4']), true);
  assert.equal(isGiven(name, ['--max_semi_space_size=4']), true);
  assert.equal(isGiven(name, [], '--max-semi-space-size=4'), true);
  assert.equal(isGiven('parallel-scavenge', ['--no-parallel-scavenge']), true);
  assert.equal(isGiven('parallel-scavenge', ['--noparallel-scavenge']), true);
  assert.equal(isGiven('parallel', ['--no-parallel-scavenge']), false);
});
