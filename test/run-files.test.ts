// A test file that hangs fails by its name, and nothing that it started goes on.

import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { findTree, killTree, readProcesses } from './process-tree.ts';

const HUNG: Readonly<Record<string, string>> = {
  'never-settles': `test('never settles', () => new Promise((done) => setTimeout(done, 1e9)));`,
  loops: `test('loops', () => { for (;;); });`,
  'does-not-end': `test('passes', () => undefined); setInterval(() => undefined, 1000);`,
};

/** Runs files as `npm test` does, with limits of a moment; whatever the machine, they hang. */
async function runHung(folder: string, names: readonly string[]): Promise<string> {
  const files = names.map((name) => join(folder, `${name}.test.mjs`));
  const code =
    `import { runFiles } from ${JSON.stringify(new URL('run-files.ts', import.meta.url).href)};` +
    `const counts = await runFiles(${JSON.stringify(files)}, { testMs: 1e9, fileMs: 1500 });` +
    `console.log('failed', counts.failed);`;
  const { NODE_TEST_CONTEXT: _, ...env } = process.env;
  const script = join(folder, 'run.mjs');
  await writeFile(script, code);
  const child = spawn(process.execPath, [script], { env, stdio: ['ignore', 'pipe', 'pipe'] });
  let text = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (part) => (text += part));
  await once(child, 'close');
  return text;
}

test('behavior: every way to hang ends the file and fails it by name', async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'mintwire-run-files-'));
  t.after(() => rm(folder, { recursive: true, force: true }));
  for (const [name, code] of Object.entries(HUNG)) {
    await writeFile(
      join(folder, `${name}.test.mjs`),
      `import { test } from 'node:test';\n${code}\n`,
    );
  }
  const names = Object.keys(HUNG);
  const text = await runHung(folder, names);
  for (const name of names) {
    const file = join(folder, `${name}.test.mjs`);
    assert.ok(text.includes(`NO END: ${file}`), text);
    assert.ok(text.includes(`✖ ${file}`), text);
  }
  assert.match(text, /failed 3/);
});

const PARENT = `
  const { spawn } = require('node:child_process');
  const child = spawn(process.execPath, ['-e', 'setInterval(() => 0, 1000)'], { detached: true });
  child.on('spawn', () => console.log('up'));
  setInterval(() => 0, 1000);`;

test('behavior: a tree is ended from its root to its last child', {
  timeout: 60_000,
}, async (t) => {
  const parent = spawn(process.execPath, ['-e', PARENT], { stdio: ['ignore', 'pipe', 'ignore'] });
  t.after(() => parent.kill('SIGKILL'));
  await once(parent.stdout, 'data');
  const tree = findTree(parent.pid ?? 0);
  assert.equal(tree.length, 2);
  assert.equal(tree[1]?.parentPid, parent.pid);
  assert.deepEqual(findTree(2 ** 30), []);
  await killTree(parent.pid ?? 0, 1);
  const isLeft = () => {
    const running = new Map(readProcesses().map(({ pid, command }) => [pid, command]));
    // A process that has ended and waits for its parent to notice has no command.
    return tree.some(({ pid, command }) => running.get(pid) === command);
  };
  while (isLeft()) await sleep(10);
});
