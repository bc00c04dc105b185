// The devnet as a process: its messages to its parent, and that no node is left when any process
// dies.

import assert from 'node:assert/strict';
import { type ChildProcess, fork, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdtemp, readFile, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { after, before } from '../test/root-hooks.ts';
import type { DevnetMessage } from './devnet-message.ts';
import { buildStatePath, findNodeProcesses } from './folder-lease.ts';

const MAIN = join(import.meta.dirname, 'main.ts');
let root: string;

before(async () => {
  root = await realpath(await mkdtemp(join(tmpdir(), 'mintwire-devnet-main-')));
});

after(() => rm(root, { recursive: true, force: true }));

function buildEnv(name: string): NodeJS.ProcessEnv {
  const dataDir = join(root, name);
  const settings = { DEVNET_TRADERS: 'off', DEVNET_HISTORY_HOURS: '0', DEVNET_PORT: '0' };
  return { ...process.env, ...settings, DEVNET_DIR: dataDir };
}

function startChild(name: string, extra: NodeJS.ProcessEnv = {}): ChildProcess {
  const env = { ...buildEnv(name), ...extra };
  return fork(MAIN, ['--child'], { env, stdio: ['ignore', 'inherit', 'inherit', 'ipc'] });
}

type Ready = Extract<DevnetMessage, { type: 'ready' }>;

function untilReady(child: ChildProcess): Promise<Ready> {
  return new Promise((resolve, reject) => {
    child.on('message', (message: DevnetMessage) => {
      if (message.type === 'ready') resolve(message);
      if (message.type === 'failed') reject(new Error(message.message));
    });
    child.once('exit', (code) => reject(new Error(`the devnet ended with ${code}`)));
  });
}

async function isAnswering(rpcUrl: string): Promise<boolean> {
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'eth_chainId', params: [] });
  const headers = { 'content-type': 'application/json' };
  const answer = await fetch(rpcUrl, { method: 'POST', headers, body }).catch(() => null);
  return answer !== null;
}

function findProcesses(name: string) {
  const found = findNodeProcesses(buildStatePath(join(root, name)));
  const node =
    found.find(({ command }) => !command.startsWith('/bin/sh')) ?? assert.fail('no node');
  return {
    all: found.map(({ pid }) => pid),
    guard: found.find(({ pid, groupId }) => pid === groupId)?.pid ?? assert.fail('no guard'),
    shells: found.filter(({ command }) => command.startsWith('/bin/sh')).map(({ pid }) => pid),
    node: node.pid,
    nodeUrl: `http://127.0.0.1:${/--port (\d+)/.exec(node.command)?.[1]}`,
  };
}

/** A generous limit: a leftover node must fail the test, not hang it. */
async function untilNoNode(name: string): Promise<void> {
  const left = () => findNodeProcesses(buildStatePath(join(root, name)));
  for (let n = 0; n < 1_200 && left().length > 0; n++) await sleep(50);
  assert.deepEqual(left(), []);
}

async function end(child: ChildProcess): Promise<void> {
  const exited = once(child, 'exit');
  child.disconnect();
  assert.deepEqual(await exited, [0, null]);
}

test('as a child it reports ready, and exits with code 0 when its parent disconnects', async () => {
  const child = startChild('shared');
  const ready = await untilReady(child);
  const deployment = JSON.parse(await readFile(ready.deploymentPath, 'utf8'));
  assert.equal(deployment.rpcUrl, ready.rpcUrl);
  assert.ok(await isAnswering(ready.rpcUrl));
  const exited = once(child, 'exit');
  child.disconnect();
  assert.deepEqual(await exited, [0, null]);
  assert.ok(!(await isAnswering(ready.rpcUrl)));
});

test('killed at once, it leaves no node behind and the chain saved', async () => {
  const child = startChild('shared');
  await untilReady(child);
  const { nodeUrl } = findProcesses('shared');
  child.kill('SIGKILL');
  await once(child, 'exit');
  await untilNoNode('shared');
  assert.ok(!(await isAnswering(nodeUrl)));
  assert.ok(existsSync(join(root, 'shared', 'state.json')));
  assert.ok(!existsSync(join(root, 'shared', 'state.json.running')));
});

test('as a program it prints its address and ends cleanly on SIGTERM', async () => {
  const env = buildEnv('shared');
  const child = spawn(process.execPath, [MAIN], { env, stdio: ['ignore', 'pipe', 'inherit'] });
  let output = '';
  child.stdout.setEncoding('utf8');
  for await (const chunk of child.stdout) {
    output += chunk;
    if (output.includes('no-metadata')) child.kill('SIGTERM');
  }
  const code = child.exitCode ?? (await once(child, 'exit'))[0];
  assert.equal(code, 0);
  assert.match(output, /RPC URL +http:\/\/127\.0\.0\.1:\d+/);
  assert.match(output, /Chain id +1337/);
  assert.match(output, /0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266 +0x[0-9a-f]{64}/);
  assert.match(output, /universalRouter/);
});

test('stopped before it is ready, it exits with code 0 and starts from scratch next time', async () => {
  const child = startChild('early');
  await once(child, 'message');
  assert.ok(findProcesses('early').all.length > 0);
  child.kill('SIGTERM');
  assert.deepEqual(await once(child, 'exit'), [0, null]);
  // Immediately: the parent may be the last process of a container.
  assert.deepEqual(findNodeProcesses(buildStatePath(join(root, 'early'))), []);
  const next = startChild('early');
  await untilReady(next);
  await end(next);
});

test('a child whose parent was gone before it had loaded ends by itself', async () => {
  const env = buildEnv('unheard');
  const child = spawn(process.execPath, [MAIN, '--child'], { env, stdio: 'ignore' });
  assert.deepEqual(await once(child, 'exit'), [0, null]);
  await untilNoNode('unheard');
});

test('a node that does not end is killed, though its devnet was killed before it', async () => {
  const child = startChild('stuck', { DEVNET_SAVE_MAX_MS: '1000' });
  await untilReady(child);
  // A stopped process reacts to no signal but SIGKILL.
  process.kill(findProcesses('stuck').node, 'SIGSTOP');
  child.kill('SIGKILL');
  await once(child, 'exit');
  await untilNoNode('stuck');
});

test('a node whose guard was killed ends with it, and the devnet says so', async () => {
  const child = startChild('shared');
  await untilReady(child);
  const failed = new Promise((resolve) => child.on('message', resolve));
  const exited = once(child, 'exit');
  process.kill(findProcesses('shared').guard, 'SIGKILL');
  assert.match(JSON.stringify(await failed), /ended unexpectedly/);
  assert.deepEqual(await exited, [1, null]);
  await untilNoNode('shared');
});

test('a start takes over from a devnet that was killed with all that watched its node', async () => {
  const killed = startChild('shared');
  await untilReady(killed);
  const { node, nodeUrl, shells } = findProcesses('shared');
  killed.kill('SIGSTOP');
  for (const pid of shells) process.kill(pid, 'SIGKILL');
  killed.kill('SIGKILL');
  await once(killed, 'exit');
  assert.ok(await isAnswering(nodeUrl), 'the node is an orphan');
  const next = startChild('shared');
  const lines: string[] = [];
  next.on('message', (message: DevnetMessage) => {
    if (message.type === 'progress') lines.push(message.line);
  });
  await untilReady(next);
  assert.match(lines[0] ?? '', new RegExp(`took over .*process ${killed.pid}.*${node}`));
  assert.ok(!findProcesses('shared').all.includes(node));
  await end(next);
});

test('a devnet on the folder of another is refused with its process and ends', async () => {
  const first = startChild('shared');
  await untilReady(first);
  const second = startChild('shared');
  const exited = once(second, 'exit');
  const failed = new Promise<DevnetMessage>((resolve) => second.on('message', resolve));
  const message = await failed;
  assert.ok(message.type === 'failed');
  assert.equal(message.reason, 'folder in use');
  assert.match(message.message, new RegExp(`process ${first.pid}`));
  assert.deepEqual(await exited, [1, null]);
  await end(first);
});

test('bad settings are refused by name', async () => {
  const env = { ...buildEnv('bad'), DEVNET_TRADERS: 'maybe' };
  const child = spawn(process.execPath, [MAIN], { env, stdio: ['ignore', 'ignore', 'pipe'] });
  let output = '';
  for await (const chunk of child.stderr.setEncoding('utf8')) output += chunk;
  assert.match(output, /DEVNET_TRADERS must be on or off, not maybe/);
});
