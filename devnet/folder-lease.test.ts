// One devnet per folder: who waits, who is rejected, and who takes over from whom.

import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import {
  buildLeasePath,
  buildStatePath,
  FolderInUseError,
  findNodeProcesses,
  takeFolder,
} from './folder-lease.ts';
import { listProcesses, parseProcessLine } from './list-processes.ts';

function createScene(t: TestContext) {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'mintwire-lease-')));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  const lines: string[] = [];
  const log = (line: string) => void lines.push(line);
  const stateFile = buildStatePath(folder);
  return { folder, stateFile, lines, options: { stateFile, saveMaxMs: 20_000, log } };
}

function killAfter(t: TestContext, child: ChildProcess): ChildProcess {
  t.after(() => child.kill('SIGKILL'));
  return child;
}

/** A process with these arguments that waits. */
function startWaiting(t: TestContext, args: readonly string[]): ChildProcess {
  const command = ['-e', 'setInterval(() => undefined, 1000)', '--', ...args];
  return killAfter(t, spawn(process.execPath, command, { stdio: 'ignore' }));
}

/** Another process that holds the folder, like a devnet with a running node. */
async function startOwner(t: TestContext, stateFile: string): Promise<ChildProcess> {
  const module = JSON.stringify(join(import.meta.dirname, 'folder-lease.ts'));
  const options = JSON.stringify({ stateFile, saveMaxMs: 1_000 });
  const code = `
    const { takeFolder } = await import(${module});
    const lease = await takeFolder({ ...${options}, log: () => undefined });
    await lease.begin(1);
    process.stdin.once('data', () => lease.markStopping().then(() => process.stdout.write('s')));
    process.stdout.write('t');
    setInterval(() => undefined, 1_000);
  `;
  const args = ['--input-type=module', '-e', code];
  const child = killAfter(t, spawn(process.execPath, args, { stdio: ['pipe', 'pipe', 'inherit'] }));
  assert.ok(child.stdout);
  await once(child.stdout, 'data');
  return child;
}

/** Looks like a node on the folder. */
function startNode(t: TestContext, stateFile: string): ChildProcess {
  return startWaiting(t, ['anvil', '--dump-state', `${stateFile}.1.next`]);
}

async function kill(child: ChildProcess): Promise<void> {
  const exited = once(child, 'exit');
  child.kill('SIGKILL');
  await exited;
}

test('a folder that was closed properly is taken without a log line', async (t) => {
  const { options, lines } = createScene(t);
  const lease = await takeFolder(options);
  lease.release();
  const next = await takeFolder(options);
  next.release();
  assert.ok(next.isSaved);
  assert.deepEqual(lines, []);
});

test('a folder is identified by its whole path, so that no other node is ended', () => {
  const here = join(process.cwd(), 'data', 'devnet', 'state.json');
  assert.equal(buildStatePath(join('data', 'devnet')), here);
});

test('a running owner is named after a bounded wait', async (t) => {
  const { options, folder, stateFile } = createScene(t);
  const owner = await startOwner(t, stateFile);
  await assert.rejects(takeFolder(options), (error) => {
    assert.ok(error instanceof FolderInUseError);
    assert.ok(error.message.includes(`process ${owner.pid}`));
    assert.ok(error.message.includes(`DEVNET_DEPLOYMENT=${join(folder, 'deployment.json')}`));
    return true;
  });
  assert.equal(owner.exitCode, null, 'the owner lives on');
});

test('an owner that is stopping is waited for', async (t) => {
  const { options, lines, stateFile } = createScene(t);
  const owner = await startOwner(t, stateFile);
  owner.stdin?.write('stop\n');
  assert.ok(owner.stdout);
  await once(owner.stdout, 'data');
  const taking = takeFolder(options);
  while (lines.length === 0) await new Promise((resolve) => setTimeout(resolve, 10));
  assert.match(lines[0] ?? '', new RegExp(`process ${owner.pid}.*is stopping`));
  // As the node's guard does once the chain is saved.
  rmSync(buildLeasePath(stateFile));
  await kill(owner);
  const lease = await taking;
  lease.release();
  assert.ok(lease.isSaved);
});

test('the folder of a killed owner is taken over, with one log line', async (t) => {
  const { options, lines, stateFile } = createScene(t);
  const owner = await startOwner(t, stateFile);
  await kill(owner);
  const lease = await takeFolder(options);
  lease.release();
  assert.ok(!lease.isSaved);
  assert.equal(lines.length, 1);
  assert.match(lines[0] ?? '', new RegExp(`took over from a devnet \\(process ${owner.pid}\\)`));
  assert.match(lines[0] ?? '', /was not saved/);
  assert.ok(existsSync(buildLeasePath(stateFile)), 'it counts as not saved until a node has');
});

test('a node that outlived its owner is ended, with one log line', async (t) => {
  const { options, lines, stateFile } = createScene(t);
  const owner = await startOwner(t, stateFile);
  const node = startNode(t, stateFile);
  const ended = once(node, 'exit');
  await kill(owner);
  const lease = await takeFolder(options);
  lease.release();
  assert.deepEqual(await ended, [null, 'SIGKILL']);
  assert.equal(lines.length, 1);
  assert.match(lines[0] ?? '', new RegExp(`its node \\(process ${node.pid}\\) still ran`));
});

test('a process that only names the state file is left alone', async (t) => {
  const { options, stateFile } = createScene(t);
  const reader = startWaiting(t, ['reader', stateFile]);
  const lease = await takeFolder(options);
  lease.release();
  assert.equal(reader.exitCode, null);
  assert.equal(reader.signalCode, null);
  assert.deepEqual(findNodeProcesses(stateFile), []);
});

test('processes are listed with their groups, by the kernel or by ps', () => {
  const own = listProcesses().find(({ pid }) => pid === process.pid);
  assert.ok(own?.command.includes('folder-lease.test.ts'));
  assert.ok(own !== undefined && own.groupId > 0);
  assert.equal(own.parentPid, process.ppid);
  assert.deepEqual(parseProcessLine('  501   7   400 /bin/sh -c x y'), {
    pid: 501,
    parentPid: 7,
    groupId: 400,
    command: '/bin/sh -c x y',
  });
  assert.equal(parseProcessLine(''), null);
});
