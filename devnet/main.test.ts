// The devnet as a process: what it tells its parent, and that no node is left when anybody dies.

import assert from 'node:assert/strict';
import { type ChildProcess, fork, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import type { DevnetMessage } from './main.ts';

const MAIN = join(import.meta.dirname, 'main.ts');
let root: string;

before(async () => {
  root = await mkdtemp(join(tmpdir(), 'mintwire-devnet-main-'));
});

after(() => rm(root, { recursive: true, force: true }));

function toEnv(name: string): NodeJS.ProcessEnv {
  const dataDir = join(root, name);
  const settings = { DEVNET_TRADERS: 'off', DEVNET_HISTORY_HOURS: '0', DEVNET_PORT: '0' };
  return { ...process.env, ...settings, DEVNET_DIR: dataDir };
}

function startChild(name: string): ChildProcess {
  return fork(MAIN, { env: toEnv(name), stdio: ['ignore', 'inherit', 'inherit', 'ipc'] });
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

function readGuardPid(name: string): number {
  return JSON.parse(readFileSync(join(root, name, 'state.json.running'), 'utf8')).guardPid;
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

async function untilGone(pid: number): Promise<void> {
  for (let n = 0; n < 400 && isAlive(pid); n++) await sleep(50);
  assert.ok(!isAlive(pid), `process ${pid} is still there`);
}

test('as a child it reports ready, and ends with exit code 0 when its parent lets go', async () => {
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
  const ready = await untilReady(child);
  const guardPid = readGuardPid('shared');
  child.kill('SIGKILL');
  await once(child, 'exit');
  await untilGone(guardPid);
  assert.ok(!(await isAnswering(ready.rpcUrl)));
  assert.ok(existsSync(join(root, 'shared', 'state.json')));
  assert.ok(!existsSync(join(root, 'shared', 'state.json.running')));
});

test('alone it prints how to reach it and ends cleanly on SIGTERM', async () => {
  const env = toEnv('shared');
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

test('told to end before it is ready, it ends with exit code 0 and starts anew next time', async () => {
  const child = startChild('early');
  await once(child, 'message');
  const guardPid = readGuardPid('early');
  child.kill('SIGTERM');
  assert.deepEqual(await once(child, 'exit'), [0, null]);
  await untilGone(guardPid);
  const next = startChild('early');
  await untilReady(next);
  const exited = once(next, 'exit');
  next.disconnect();
  assert.deepEqual(await exited, [0, null]);
});

test('bad settings are refused by name', async () => {
  const env = { ...toEnv('bad'), DEVNET_TRADERS: 'maybe' };
  const child = spawn(process.execPath, [MAIN], { env, stdio: ['ignore', 'ignore', 'pipe'] });
  let output = '';
  for await (const chunk of child.stderr.setEncoding('utf8')) output += chunk;
  assert.match(output, /DEVNET_TRADERS must be on or off, not maybe/);
});
