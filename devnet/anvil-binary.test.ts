// Which node is run, and that a fetched one is the one that the lockfile pins.

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { EMULATED_PACKAGE, resolveAnvil } from './anvil-binary.ts';

test('ANVIL_PATH wins over everything else', async () => {
  const anvil = await resolveAnvil({ ...process.env, ANVIL_PATH: process.execPath });
  assert.deepEqual(anvil, { command: process.execPath, args: [], emulated: false });
});

test('an ANVIL_PATH that cannot be run is refused by name', async () => {
  await assert.rejects(
    resolveAnvil({ ANVIL_PATH: '/nowhere/anvil' }),
    /ANVIL_PATH=\/nowhere\/anvil/,
  );
});

test('the fetched package is the one that the lockfile pins', () => {
  const root = join(import.meta.dirname, '..');
  const lock = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8'));
  const pinned = lock.packages[`node_modules/${EMULATED_PACKAGE.name}`];
  assert.equal(pinned.version, EMULATED_PACKAGE.version);
  assert.equal(pinned.integrity, EMULATED_PACKAGE.integrity);
});
