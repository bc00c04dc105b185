// Brings up the devnet: a node, contracts on it, a past and traders; or continues an earlier one.

import { randomUUID } from 'node:crypto';
import { existsSync, statSync } from 'node:fs';
import { mkdir, realpath, rm } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Hex } from 'viem';
import { MAKER } from './accounts.ts';
import { type AnvilNode, SAVE_MAX_MS, startAnvil } from './anvil-node.ts';
import { deployScene } from './deploy.ts';
import { impersonateActors } from './deploy-contracts.ts';
import {
  type Deployment,
  readDeployment,
  toDeploymentPath,
  writeJsonAtomically,
} from './deployment.ts';
import { type FolderLease, takeFolder, toStatePath } from './folder-lease.ts';
import { writeHistory } from './history.ts';
import type { JsonRpc } from './json-rpc.ts';
import { createMarket } from './market.ts';
import { createRandom } from './random.ts';
import { startTraders } from './traders.ts';

export interface HistoryLength {
  readonly hours: number;
  /** Fewer under emulation, where a block costs sixty milliseconds and a trade four. */
  readonly blocksPerHour?: number;
  readonly actionsPerBlock?: number;
}

export interface DevnetOptions {
  /** Holds the chain between runs. */
  readonly dataDir: string;
  /** 0 or absent picks a free one. */
  readonly port?: number;
  readonly traders: 'on' | 'off';
  readonly history: HistoryLength;
  /** Decides the past: equal seeds give equal pasts. */
  readonly seed: string;
  /** How long the node may take to save its state when it ends. */
  readonly saveMaxMs?: number;
  readonly log: (line: string) => void;
  /** Called once there is a node, long before the start is through, with what ends it. */
  readonly onNode?: (stop: () => Promise<void>) => void;
}

export interface Devnet {
  readonly rpcUrl: string;
  readonly deployment: Deployment;
  readonly deploymentPath: string;
  readonly node: AnvilNode;
  /** Ends traders and node; the chain is saved and a later start continues it. */
  stop(): Promise<void>;
}

/** Traders finish what they are at; beyond this, ending the node ends it for them. */
const TRADERS_STOP_MAX_MS = 5_000;
/** What the deployment's own blocks take before the history begins. */
const DEPLOYMENT_SPAN_S = 120;
const STATE_BYTES_MAX = 600_000_000;
const BLOCK_INTERVAL_S = 1;
/** Without traders blocks come from transactions, and now and then an empty one shows life. */
const HEARTBEAT_MS = 2_000;

const NATIVE_PACE = { blocksPerHour: 20, actionsPerBlock: 5 };
const EMULATED_PACE = { blocksPerHour: 3, actionsPerBlock: 8 };

function toNowSeconds(): number {
  return Math.floor(Date.now() / 1_000);
}

async function writePast(options: DevnetOptions, node: AnvilNode, deployment: Deployment) {
  const { history, log } = options;
  const pace = { ...(node.emulated ? EMULATED_PACE : NATIVE_PACE), ...history };
  const blocks = Math.round(pace.hours * pace.blocksPerHour);
  if (blocks < 1) return;
  const makerNonce = await node.rpc.call<Hex>('eth_getTransactionCount', MAKER, 'latest');
  const head = await node.rpc.call<{ timestamp: Hex }>('eth_getBlockByNumber', 'latest', false);
  const fromTimestamp = Number(head.timestamp);
  const startedAt = Date.now();
  const { transactions } = await writeHistory(node.rpc, deployment, {
    blocks,
    actionsPerBlock: pace.actionsPerBlock,
    fromTimestamp,
    toTimestamp: fromTimestamp + Math.round(pace.hours * 3_600),
    makerNonce: Number(makerNonce),
    onProgress: (share) => log(`writing the past: ${Math.round(share * 100)} %`),
  });
  const elapsed = ((Date.now() - startedAt) / 1_000).toFixed(1);
  log(`the past is written: ${transactions} transactions in ${blocks} blocks, ${elapsed} s`);
}

async function startFresh(options: DevnetOptions, lease: FolderLease) {
  const { dataDir, seed, log } = options;
  await rm(toStatePath(dataDir), { force: true });
  await rm(toDeploymentPath(dataDir), { force: true });
  const span = Math.round(options.history.hours * 3_600) + DEPLOYMENT_SPAN_S;
  const genesisTimestamp = toNowSeconds() - span;
  const node = await startNode(options, lease, genesisTimestamp);
  try {
    log('node is up, deploying contracts');
    const scene = await deployScene(node.rpc, genesisTimestamp);
    const deployment = { ...scene, instance: randomUUID(), rpcUrl: node.rpc.url, seed };
    await writePast(options, node, deployment);
    return { node, deployment };
  } catch (error) {
    await node.stop();
    throw error;
  }
}

async function startNode(options: DevnetOptions, lease: FolderLease, genesisTimestamp: number) {
  const { dataDir, port = 0, saveMaxMs = SAVE_MAX_MS } = options;
  await lease.begin();
  const stateFile = toStatePath(dataDir);
  const node = await startAnvil({ dataDir, stateFile, port, genesisTimestamp, saveMaxMs });
  options.log(`node: ${node.origin}`);
  options.onNode?.(async () => {
    await lease.markStopping();
    await node.stop();
  });
  return node;
}

async function resume(options: DevnetOptions, lease: FolderLease, found: Deployment) {
  const known = lease.isSaved ? found : { ...found, instance: randomUUID() };
  // Before the lease begins anew: whoever is killed here must not pass for the instance before.
  await writeJsonAtomically(toDeploymentPath(options.dataDir), known);
  const node = await startNode(options, lease, found.genesisTimestamp);
  try {
    await impersonateActors(node.rpc);
    return { node, deployment: { ...known, rpcUrl: node.rpc.url } };
  } catch (error) {
    await node.stop();
    throw error;
  }
}

/** The chain to go on with; null when there is none, or none that a node can load. */
async function findChain(options: DevnetOptions): Promise<Deployment | null> {
  const { dataDir, log } = options;
  const stateFile = toStatePath(dataDir);
  const found = existsSync(stateFile) ? await readDeployment(dataDir) : null;
  if (found === null) return null;
  const { size } = statSync(stateFile);
  // After hours of trading an emulated node takes longer to load a chain than to make a new one.
  if (size > STATE_BYTES_MAX) {
    log(`the saved chain has grown to ${Math.round(size / 1e6)} MB: beginning a new one`);
    return null;
  }
  // Versions that did not record it also saved several blocks 0.
  if (found.genesisTimestamp === undefined) {
    log('the saved chain is of an earlier version: beginning a new one');
    return null;
  }
  return found;
}

/** What makes blocks from now on; the returned function ends it. */
async function bringToLife(
  options: DevnetOptions,
  rpc: JsonRpc,
  deployment: Deployment,
): Promise<() => Promise<void>> {
  await rpc.call('anvil_setTime', toNowSeconds());
  if (options.traders === 'off') {
    await rpc.call('evm_setAutomine', true);
    // A beat that fails means that the node has ended, which is noticed elsewhere.
    const beat = () => void rpc.call('evm_mine').catch(() => undefined);
    const timer = setInterval(beat, HEARTBEAT_MS);
    return async () => clearInterval(timer);
  }
  await rpc.call('evm_setIntervalMining', BLOCK_INTERVAL_S);
  const head = await rpc.call<Hex>('eth_blockNumber');
  const random = createRandom(`${deployment.seed} live ${Number(head)}`);
  const market = createMarket(deployment);
  const traders = startTraders({ rpc, market, random, log: options.log });
  return () => traders.stop();
}

async function startOnFolder(options: DevnetOptions, lease: FolderLease): Promise<Devnet> {
  const { dataDir } = options;
  const found = await findChain(options);
  const { node, deployment } =
    found === null ? await startFresh(options, lease) : await resume(options, lease, found);
  const endLife = await bringToLife(options, node.rpc, deployment);
  // Only now: a chain whose past is cut short has no deployment and is begun anew.
  await writeJsonAtomically(toDeploymentPath(dataDir), deployment);
  return {
    rpcUrl: deployment.rpcUrl,
    deployment,
    deploymentPath: toDeploymentPath(dataDir),
    node,
    async stop() {
      await lease.markStopping();
      await Promise.race([endLife(), sleep(TRADERS_STOP_MAX_MS, undefined, { ref: false })]);
      await node.stop();
      lease.release();
    },
  };
}

export async function startDevnet(options: DevnetOptions): Promise<Devnet> {
  await mkdir(options.dataDir, { recursive: true });
  // Leftover nodes are found by the folder in their command lines: one folder, one spelling.
  const dataDir = await realpath(options.dataDir);
  const { saveMaxMs = SAVE_MAX_MS, log } = options;
  const lease = await takeFolder({ stateFile: toStatePath(dataDir), saveMaxMs, log });
  try {
    return await startOnFolder({ ...options, dataDir }, lease);
  } catch (error) {
    lease.release();
    throw error;
  }
}
