// One folder, one service: the second is told who has it, and a killed one leaves nothing locked.

import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { BARE_ENV } from '../../test/bare-env.ts';
import { StartError } from '../errors/start-error.ts';
import { lockDataFolder } from './lock-data-folder.ts';

function createFolder(t: { after(work: () => void): void }): string {
  const folder = mkdtempSync(join(tmpdir(), 'mintwire-lock-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

test('a folder in use is refused, with its owner, and free once that was killed', async (t) => {
  const folder = createFolder(t);
  const module = JSON.stringify(join(import.meta.dirname, 'lock-data-folder.ts'));
  const code = `const { lockDataFolder } = await import(${module});
    lockDataFolder(${JSON.stringify(folder)}); console.log('locked'); setInterval(() => {}, 1000);`;
  const owner = spawn(process.execPath, ['--input-type=module', '-e', code]);
  t.after(() => owner.kill('SIGKILL'));
  await once(owner.stdout, 'data');
  assert.throws(
    () => lockDataFolder(folder),
    (error) => error instanceof StartError && error.message.includes(`(process ${owner.pid})`),
  );
  const second = spawnSync(process.execPath, ['src/cli/main.ts', 'serve'], {
    ...{ env: { ...BARE_ENV, DATA_DIR: folder, PORT: '0' }, encoding: 'utf8', timeout: 60_000 },
  });
  assert.equal(second.status, 1);
  assert.match(second.stderr, new RegExp(`^mintwire: Another service \\(process ${owner.pid}\\)`));
  owner.kill('SIGKILL');
  await once(owner, 'exit');
  lockDataFolder(folder).close();
});

test('a file in its place is called a file', (t) => {
  const file = join(createFolder(t), 'data');
  writeFileSync(file, '');
  assert.throws(() => lockDataFolder(file), /DATA_DIR must be a folder, but .* is a file/);
});
