// Many blocks on the devnet, as fast as they come: what its node needs must not grow with them.

import assert from 'node:assert/strict';
import { existsSync, readFileSync, realpathSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { buildStatePath, findNodeProcesses } from '../../devnet/folder-lease.ts';
import { createJsonRpc, type JsonRpc } from '../../devnet/json-rpc.ts';
import { startDevnet } from '../../devnet/start-devnet.ts';
import { assertVerified, stopService } from '../indexed-service.ts';
import { type Cleanup, createTempFolder, startServiceProcess } from '../start-service-process.ts';

export interface DevnetBlocksOptions {
  readonly blocks: number;
  /** A row for each thousand blocks, and lines of the devnet itself. */
  readonly log: (line: string) => void;
}

const ROW_BLOCKS = 1_000;
/** As many trades in a block as at the usual pace. */
const PACE = { blockMs: 10, actionMs: 5 };
const SAMPLE_MS = 500;
const MB = 1e6;
/** A generous limit: a stuck service must fail the drill, not hang it. */
const READY_MAX_MS = 900_000;

/** Resident memory of a process, or 0 if it has just ended. Linux only. */
function readMemory(pid: number): number {
  try {
    return (
      Number(/VmRSS:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) * 1024
    );
  } catch {
    return 0;
  }
}

/** Of all nodes on the folder: there are two while one replaces the other. */
function readNodeMemory(stateFile: string): { readonly bytes: number; readonly count: number } {
  const nodes = findNodeProcesses(stateFile).filter(
    ({ command }) => !command.startsWith('/bin/sh'),
  );
  return {
    bytes: nodes.reduce((sum, { pid }) => sum + readMemory(pid), 0),
    count: nodes.length,
  };
}

function readSize(...files: string[]): number {
  return files.reduce((sum, file) => sum + (existsSync(file) ? statSync(file).size : 0), 0);
}

const format = (bytes: number) => (bytes / MB).toFixed(1).padStart(8);

/** Prints a row for each thousand blocks until there are enough. */
async function watchGrowth(
  rpc: JsonRpc,
  dataDir: string,
  { blocks, log }: DevnetBlocksOptions,
): Promise<void> {
  const stateFile = buildStatePath(dataDir);
  const archive = join(dataDir, 'blocks.sqlite');
  const first = Number(await rpc.call('eth_blockNumber'));
  log('  blocks  node MB  most MB  state MB  archive MB  devnet MB  waiting');
  let most = 0;
  for (let next = 0; ; ) {
    const done = Number(await rpc.call('eth_blockNumber')) - first;
    const { bytes, count } = readNodeMemory(stateFile);
    most = Math.max(most, bytes);
    if (done >= next || done >= blocks) {
      const { pending } = await rpc.call<{ pending: string }>('txpool_status');
      const sizes = [readSize(stateFile), readSize(archive, `${archive}-wal`)];
      const own = process.memoryUsage().rss;
      const figures = [bytes, most, ...sizes, own].map(format).join('  ');
      log(
        `${String(done).padStart(8)} ${figures}  ${Number(pending)}${count > 1 ? '  two nodes' : ''}`,
      );
      next += ROW_BLOCKS;
      most = 0;
    }
    if (done >= blocks) return;
    await sleep(SAMPLE_MS);
  }
}

/** A fresh index of the long chain, and the operator's own comparison. Returns what it printed. */
async function verifyAll(t: Cleanup, deploymentPath: string): Promise<string> {
  const env = {
    DEVNET: 'on',
    DEVNET_DEPLOYMENT: deploymentPath,
    DATA_DIR: join(createTempFolder(t), 'data'),
  };
  const service = await startServiceProcess(t, { env });
  const deadline = Date.now() + READY_MAX_MS;
  while ((await fetch(`${service.origin}/v1/ready`)).status !== 200) {
    assert.ok(Date.now() < deadline, `the service is not ready:\n${service.output().slice(-4000)}`);
    await sleep(SAMPLE_MS);
  }
  const verified = await assertVerified(env);
  await stopService(service);
  return verified;
}

export async function drillDevnetBlocks(t: Cleanup, options: DevnetBlocksOptions): Promise<void> {
  const { log } = options;
  const dataDir = realpathSync(createTempFolder(t));
  const devnet = await startDevnet({
    dataDir,
    traders: 'on',
    history: { hours: 1 },
    seed: 'blocks',
    log: (line) => log(`devnet: ${line}`),
    pace: PACE,
  });
  t.after(() => devnet.stop());
  const rpc = createJsonRpc(devnet.rpcUrl);
  t.after(() => rpc.close());
  await watchGrowth(rpc, dataDir, options);
  await rpc.call('evm_setIntervalMining', 1);
  log(await verifyAll(t, devnet.deploymentPath));
  await devnet.stop();
  log(`saved on exit: ${format(readSize(buildStatePath(dataDir))).trim()} MB`);
}
