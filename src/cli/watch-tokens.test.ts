// The watch command: what it stores and shows, and what it refuses by the name of a setting.

import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { BARE_ENV } from '../../test/bare-env.ts';

const TOKEN = '0x4200000000000000000000000000000000000006';
const OTHER = '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913';
const WATCH = { RPC_BASE: 'http://127.0.0.1:1', SCOPE_BASE: 'watch' };

function createRun(t: TestContext) {
  const folder = mkdtempSync(join(tmpdir(), 'mintwire-watch-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  return (env: Readonly<Record<string, string>>, ...typed: readonly string[]) => {
    const args = ['src/cli/main.ts', ...typed];
    const options = { env: { ...BARE_ENV, DATA_DIR: folder, ...env }, encoding: 'utf8' } as const;
    const { status, stdout, stderr } = spawnSync(process.execPath, args, options);
    return { status, stdout, stderr };
  };
}

test('adds, lists and removes tokens; those of the configuration stay there', (t) => {
  const run = createRun(t);
  const env = { ...WATCH, WATCH_BASE: TOKEN };
  const base = ['--chain', 'base'];
  const added = run(env, 'watch', 'add', ...base, OTHER.toLowerCase());
  assert.equal(added.stdout, `${OTHER} on base is now watched.\n`, added.stderr);
  assert.match(run(env, 'watch', 'add', ...base, OTHER).stdout, /is already watched/);
  assert.match(run(env, 'watch', 'add', ...base, TOKEN).stdout, /is already watched/);
  const { stdout } = run(env, 'watch', 'list', ...base);
  assert.equal(stdout, `${TOKEN} (WATCH_BASE)\n${OTHER}\n`);
  const configured = run(env, 'watch', 'remove', ...base, TOKEN);
  assert.match(configured.stderr, /is in WATCH_BASE: remove it there/);
  assert.equal(configured.status, 1);
  assert.match(run(env, 'watch', 'remove', ...base, OTHER).stdout, /is now not watched/);
  const bare = run(WATCH, 'watch', 'list', ...base);
  assert.equal(bare.stdout, 'No token of base is watched.\n');
});

for (const [name, env, typed, says] of [
  ['no chain', WATCH, ['add', TOKEN], /--chain is missing/],
  ['an unknown chain', WATCH, ['add', '--chain', 'moon', TOKEN], /no chain "moon"/],
  ['a malformed address', WATCH, ['add', '--chain', 'base', '0x12'], /"0x12" is not an address/],
  ['no token', WATCH, ['add', '--chain', 'base'], /<token> is missing/],
  [
    'a chain that is not followed',
    {},
    ['add', '--chain', 'base', TOKEN],
    /base is not followed: set RPC_BASE and SCOPE_BASE=watch/,
  ],
  [
    'a chain with another scope',
    { RPC_BASE: 'http://127.0.0.1:1' },
    ['list', '--chain', 'base'],
    /SCOPE_BASE is all: set it to watch/,
  ],
] as const) {
  test(`refuses ${name}`, (t) => {
    const { status, stdout, stderr } = createRun(t)(env, 'watch', ...typed);
    assert.match(stderr, says);
    assert.deepEqual([status, stdout], [2, '']);
  });
}

test('forgets a chain, and says when there is nothing', (t) => {
  const { status, stdout } = createRun(t)({}, 'forget', '--chain', 'base');
  assert.deepEqual([status, stdout], [0, 'Nothing of base is indexed.\n']);
});
