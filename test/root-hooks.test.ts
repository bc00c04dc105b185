// A run in which no test of a file matches still cleans up what the file's hooks started.

import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { promisify } from 'node:util';

const run = promisify(execFile);
const HOOKS = new URL('root-hooks.ts', import.meta.url).href;

function buildSource(hooks: string): string {
  return `
    import { test } from 'node:test';
    import { after, before } from '${hooks}';
    let isStarted = false;
    before(async () => {
      for (let turn = 0; turn < 100; turn++) await new Promise(setImmediate);
      isStarted = true;
    });
    after(() => console.log(isStarted ? 'stopped what was started' : 'nothing to stop yet'));
    test('never asked for', () => undefined);
  `;
}

async function runNone(hooks: string): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'mintwire-hooks-'));
  try {
    const file = join(folder, 'sample.test.mjs');
    await writeFile(file, buildSource(hooks));
    const args = ['--test', '--test-name-pattern=nothing has this name', file];
    // The inner runner must not think that it is part of this one.
    const { NODE_TEST_CONTEXT: _, ...env } = process.env;
    return (await run(process.execPath, args, { env })).stdout;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

test('`after` waits for `before` even where no test matches', async () => {
  assert.match(await runNone(HOOKS), /stopped what was started/);
});

test('the hooks of node:test do not, or root-hooks.ts is no longer needed', async () => {
  assert.match(await runNone('node:test'), /nothing to stop yet/);
});
