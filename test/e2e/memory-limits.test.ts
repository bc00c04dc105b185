// Pins that the service re-executes itself with its settings of memory: once, with the same pid.

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { startServiceProcess } from '../start-service-process.ts';

const isLinux = process.platform === 'linux';

// A machine that runs the tests may have settings of its own.
for (const name of Object.keys(process.env)) {
  if (name.startsWith('MALLOC_')) delete process.env[name];
}

function readList(pid: number | undefined, name: 'cmdline' | 'environ'): string[] {
  return readFileSync(`/proc/${pid}/${name}`, 'utf8').split('\0');
}

test('the service has its settings of memory, and its pid', { skip: !isLinux }, async (t) => {
  const { child, origin, exited } = await startServiceProcess(t);
  const typed = readList(child.pid, 'cmdline');
  assert.equal(typed.filter((one) => one === '--max-semi-space-size=8').length, 1);
  assert.equal(typed.filter((one) => one === '--no-maglev-osr').length, 1);
  assert.equal(typed.filter((one) => one === 'serve').length, 1);
  const set = readList(child.pid, 'environ');
  assert.ok(set.includes('MALLOC_ARENA_MAX=2') && set.includes('MALLOC_MMAP_THRESHOLD_=262144'));
  assert.equal((await fetch(`${origin}/v1/health`)).status, 200);
  child.kill('SIGTERM');
  assert.equal(await exited, 0);
});

test('a second run does not re-execute itself', { skip: !isLinux }, async (t) => {
  // The C library may have removed its variables.
  const { child, origin } = await startServiceProcess(t, { env: { MINTWIRE_MEMORY_SET: '1' } });
  assert.doesNotMatch(readList(child.pid, 'cmdline').join(' '), /semi-space/);
  assert.equal((await fetch(`${origin}/v1/health`)).status, 200);
});

test("an operator's settings of memory stay", { skip: !isLinux }, async (t) => {
  const env = { MALLOC_ARENA_MAX: '3' };
  const { child } = await startServiceProcess(t, { env });
  const set = readList(child.pid, 'environ').filter((one) => one.startsWith('MALLOC_'));
  assert.deepEqual(set, ['MALLOC_ARENA_MAX=3']);
  assert.doesNotMatch(readList(child.pid, 'cmdline').join(' '), /semi-space/);
});

test('a flag that was given is not given twice', { skip: !isLinux }, async (t) => {
  const env = { NODE_OPTIONS: '--max-semi-space-size=24' };
  const { child } = await startServiceProcess(t, { env });
  const typed = readList(child.pid, 'cmdline').join(' ');
  assert.doesNotMatch(typed, /semi-space/);
  assert.ok(readList(child.pid, 'environ').includes('MALLOC_ARENA_MAX=2'));
});
