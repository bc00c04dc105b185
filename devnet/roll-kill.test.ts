// A devnet that is killed while one node replaces another: the whole chain is there afterwards.

import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Hex } from 'viem';
import { toHexQuantity } from './block-writer.ts';
import { type Deployment, readDeployment } from './deployment.ts';
import { buildLeasePath, buildStatePath, findNodeProcesses } from './folder-lease.ts';
import { createJsonRpc, type JsonRpc } from './json-rpc.ts';
import { type Devnet, type DevnetOptions, startDevnet } from './start-devnet.ts';

const OPTIONS = {
  traders: 'on',
  history: { hours: 0 },
  seed: 'kill',
  keeping: {
    ...{ archiveDepth: 4, transactionBlocks: 20, chunkBlocks: 4, stateBytes: 0 },
    rollBlocks: 20,
  },
} as const satisfies Partial<DevnetOptions>;

/** A generous limit: a devnet that never gets there must fail the test. */
const WAIT_MAX_MS = 180_000;

async function until<T>(find: () => T | undefined | Promise<T | undefined>): Promise<T> {
  const deadline = Date.now() + WAIT_MAX_MS;
  for (;;) {
    const found = await find();
    if (found !== undefined) return found;
    assert.ok(Date.now() < deadline, 'it did not get there');
    await sleep(2);
  }
}

/** Blocks come as fast as they can, so that nodes are replaced again and again. */
function startVictim(dataDir: string): ChildProcess {
  const module = JSON.stringify(join(import.meta.dirname, 'start-devnet.ts'));
  const pace = { blockMs: 20, actionMs: 50 };
  const options = JSON.stringify({ ...OPTIONS, dataDir, pace });
  const code = `
    const { startDevnet } = await import(${module});
    await startDevnet({ ...${options}, log: () => undefined });
  `;
  const args = ['--input-type=module', '-e', code];
  return spawn(process.execPath, args, { stdio: 'ignore' });
}

function readNodePort(stateFile: string): number | undefined {
  try {
    return JSON.parse(readFileSync(buildLeasePath(stateFile), 'utf8')).nodePort;
  } catch {
    return undefined;
  }
}

function countGuards(stateFile: string): number {
  return findNodeProcesses(stateFile).filter(({ pid, groupId }) => pid === groupId).length;
}

interface Block {
  readonly number: Hex;
  readonly hash: Hex;
  readonly parentHash: Hex;
}

function readBlock(rpc: JsonRpc, tag: string): Promise<Block> {
  return rpc.call<Block>('eth_getBlockByNumber', tag, false);
}

/** Every block links to the one before, and this one is among them. */
async function assertWhole(rpc: JsonRpc, seen: Block): Promise<void> {
  const head = await readBlock(rpc, 'latest');
  assert.ok(Number(head.number) >= Number(seen.number));
  const blocks = await rpc.batch<Block>(
    Array.from({ length: Number(head.number) + 1 }, (_, number) => ({
      method: 'eth_getBlockByNumber',
      params: [toHexQuantity(number), false],
    })),
  );
  for (const [number, block] of blocks.entries()) {
    if (number > 0) assert.equal(block.parentHash, blocks[number - 1]?.hash, `block ${number}`);
  }
  assert.equal(blocks[Number(seen.number)]?.hash, seen.hash);
}

const MOMENTS = {
  'while the next node starts': (stateFile: string, _portBefore: number) =>
    countGuards(stateFile) > 1 ? true : undefined,
  'just after the next node took over': (stateFile: string, portBefore: number) => {
    const port = readNodePort(stateFile);
    return port !== undefined && port !== portBefore ? true : undefined;
  },
};

for (const [moment, isReached] of Object.entries(MOMENTS)) {
  test(`killed ${moment}, it loses nothing`, async (t) => {
    const dataDir = realpathSync(mkdtempSync(join(tmpdir(), 'mintwire-roll-')));
    const stateFile = buildStatePath(dataDir);
    const victim = startVictim(dataDir);
    const exited = once(victim, 'exit');
    let next: Devnet | null = null;
    // In this order: nothing may still write into the folder when it is deleted.
    t.after(async () => {
      victim.kill('SIGKILL');
      await exited;
      await next?.stop();
      await until(() => (findNodeProcesses(stateFile).length === 0 ? true : undefined));
      rmSync(dataDir, { recursive: true, force: true });
    });
    const deployment: Deployment = await until(
      async () => (await readDeployment(dataDir)) ?? undefined,
    );
    const rpc = createJsonRpc(deployment.rpcUrl);
    t.after(() => rpc.close());
    const portBefore = await until(() => readNodePort(stateFile));
    await until(() => isReached(stateFile, portBefore));
    const seen = await readBlock(rpc, 'latest');
    victim.kill('SIGKILL');
    await exited;

    const lines: string[] = [];
    const log = (line: string) => void lines.push(line);
    next = await startDevnet({
      ...OPTIONS,
      dataDir,
      log,
      pace: { blockMs: 0, actionMs: 1e8 },
    });
    assert.doesNotMatch(lines.join('\n'), /goes back|new chain|new one/);
    assert.equal(next.deployment.instance, deployment.instance);
    const after = createJsonRpc(next.rpcUrl);
    t.after(() => after.close());
    await assertWhole(after, seen);
  });
}
