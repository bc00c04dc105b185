// A test file that hangs fails by name, and everything it started is ended.

import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { globSync, readFileSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { listProcesses } from '../devnet/list-processes.ts';
import { findTree, killTree } from './process-tree.ts';

const HUNG: Readonly<Record<string, string>> = {
  'never-settles': `test('never settles', () => new Promise((done) => setTimeout(done, 1e9)));`,
  loops: `test('loops', () => { for (;;); });`,
  'does-not-end': `test('passes', () => undefined); setInterval(() => undefined, 1000);`,
};

interface RunOptions {
  readonly files: readonly string[];
  readonly fileMs: number;
  /** Where a file may write which processes it has. */
  readonly pidsFile?: string;
}

/** Runs files as `npm test` does; `ended` has all that was printed. */
async function startRun(folder: string, { files, fileMs, pidsFile = '' }: RunOptions) {
  // As `npm test` lists them.
  const paths = files.map((file) => relative(process.cwd(), file));
  const code =
    `import { reportSkipped, runFiles } from ${JSON.stringify(new URL('run-files.ts', import.meta.url).href)};` +
    `const counts = await runFiles(${JSON.stringify(paths)}, { testMs: 1e9, fileMs: ${fileMs}, lookMs: 100 });` +
    `console.log('failed', counts.failed);` +
    `for (const mustRunAll of [false, true]) console.log('fail', reportSkipped(counts.skipped, { mustRunAll }));`;
  const { NODE_TEST_CONTEXT: _, ...rest } = process.env;
  const env = { ...rest, PIDS_FILE: pidsFile };
  const script = join(folder, 'run.mjs');
  await writeFile(script, code);
  const child = spawn(process.execPath, [script], { env, stdio: ['ignore', 'pipe', 'pipe'] });
  let text = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (part) => (text += part));
  return { child, ended: once(child, 'close').then(() => text) };
}

test('every way to hang ends the file and fails it by name', async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'mintwire-run-files-'));
  t.after(() => rm(folder, { recursive: true, force: true }));
  for (const [name, code] of Object.entries(HUNG)) {
    await writeFile(
      join(folder, `${name}.test.mjs`),
      `import { test } from 'node:test';\n${code}\n`,
    );
  }
  const names = Object.keys(HUNG);
  const files = names.map((name) => join(folder, `${name}.test.mjs`));
  // A limit of a moment: whatever the machine, these files hang.
  const text = await (await startRun(folder, { files, fileMs: 1500 })).ended;
  for (const file of files) {
    assert.ok(text.includes(`NO END: ${file}`), text);
    assert.ok(text.includes(`✖ ${file}`), text);
  }
  assert.match(text, /failed 3/);
});

const SKIPS = `
  import { describe, test } from 'node:test';
  test('runs', () => undefined);
  test('has no reason', { skip: true });
  test('needs a machine', (t) => t.skip('NOT RUN: no such compiler'));
  describe('a suite', { skip: 'fixtures are absent' }, () => test('of it', () => undefined));`;

test('skipped tests and suites are named, and fail where all must run and nothing excuses them', async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'mintwire-run-files-'));
  t.after(() => rm(folder, { recursive: true, force: true }));
  const file = join(folder, 'skips.test.mjs');
  await writeFile(file, SKIPS);
  const text = await (await startRun(folder, { files: [file], fileMs: 1e9 })).ended;
  const lines = text.split('\n').filter((line) => /^(failed|SKIPPED|fail) ?/.test(line));
  const name = (mark: string, what: string) => `${mark}: ${relative(process.cwd(), file)}: ${what}`;
  const [plain, fatal] = ['SKIPPED', 'SKIPPED, WHICH FAILS HERE'];
  assert.deepEqual(lines, [
    'failed 0',
    name(plain, 'has no reason'),
    name(plain, 'needs a machine (NOT RUN: no such compiler)'),
    name(plain, 'a suite (fixtures are absent)'),
    'fail 0',
    name(fatal, 'has no reason'),
    name(plain, 'needs a machine (NOT RUN: no such compiler)'),
    name(fatal, 'a suite (fixtures are absent)'),
    'fail 2',
  ]);
});

/** Passes, and leaves a process behind that has its output. */
const LEAVES = `
  import { spawn } from 'node:child_process';
  import { relative } from 'node:path';
  import { test } from 'node:test';
  test('passes', () => {
    const file = relative(process.cwd(), process.argv[1]);
    const env = { MINTWIRE_TEST_RPC_NOTES: '', ...process.env, MINTWIRE_TEST_FILE: file };
    spawn(process.execPath, ['-e', 'setInterval(() => 0, 1000)'], { env, stdio: 'inherit' }).unref();
  });`;

test('a process that outlives its file is ended and named, and the file fails', {
  skip: process.platform !== 'linux' && 'only Linux tells the environment of a process',
  timeout: 60_000,
}, async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'mintwire-run-files-'));
  t.after(() => rm(folder, { recursive: true, force: true }));
  const file = join(folder, 'leaves.test.mjs');
  await writeFile(file, LEAVES);
  const text = await (await startRun(folder, { files: [file], fileMs: 1e9 })).ended;
  assert.match(text, /LEFT BEHIND: .*leaves\.test\.mjs left .*setInterval.* running/);
  assert.match(text, /failed 1/);
});

const PARENT = `
  const { spawn } = require('node:child_process');
  const child = spawn(process.execPath, ['-e', 'setInterval(() => 0, 1000)'], { detached: true });
  child.on('spawn', () => console.log('up'));
  setInterval(() => 0, 1000);`;

test('a tree is ended from its root to its last child', {
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
    const running = new Map(listProcesses().map(({ pid, command }) => [pid, command]));
    // A process that has ended and waits for its parent to notice has no command.
    return tree.some(({ pid, command }) => running.get(pid) === command);
  };
  while (isLeft()) await sleep(10);
});

/** Starts another process and hangs with it. */
const WITH_CHILD = `
  import { spawn } from 'node:child_process';
  import { writeFileSync } from 'node:fs';
  import { test } from 'node:test';
  test('hangs with a child', async () => {
    const child = spawn(process.execPath, ['-e', 'setInterval(() => 0, 1000)'], { detached: true });
    writeFileSync(process.env.PIDS_FILE + process.pid, String(child.pid));
    await new Promise((done) => setTimeout(done, 1e9));
  });`;

test('a stopped run also ends its files and what they started', {
  timeout: 120_000,
}, async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'mintwire-run-files-'));
  t.after(() => rm(folder, { recursive: true, force: true }));
  const files = ['first', 'second', 'third'].map((name) => join(folder, `${name}.test.mjs`));
  for (const file of files) await writeFile(file, WITH_CHILD);
  const pidsFile = join(folder, 'pids-');
  const { child, ended } = await startRun(folder, { files, fileMs: 1e9, pidsFile });
  t.after(() => killTree(child.pid ?? 0, 1));
  /** The processes that files have started so far. */
  const readPids = () =>
    globSync(`${pidsFile}*`).flatMap((file) => Number(readFileSync(file, 'utf8')) || []);
  while (readPids().length === 0) await sleep(10);
  child.kill('SIGTERM');
  assert.match(
    await ended,
    /0 of 3 files; running: \S*first.test.mjs \(\d+ s\)[\s\S]*ended by SIGTERM/,
  );
  assert.notEqual(child.exitCode, 0);
  const pids = readPids();
  const isLeft = () =>
    listProcesses().some(
      ({ pid, command }) =>
        (pids.includes(pid) && command !== '') || files.some((file) => command.includes(file)),
    );
  while (isLeft()) await sleep(10);
});
