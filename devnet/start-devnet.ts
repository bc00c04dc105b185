// Brings up the devnet: a node, contracts on it, a past and traders; or continues an earlier one.

import { randomUUID } from 'node:crypto';
import { existsSync, statSync } from 'node:fs';
import { mkdir, rm } from 'node:fs/promises';
import type { Hex } from 'viem';
import { MAKER } from './accounts.ts';
import { type AnvilNode, startAnvil } from './anvil-node.ts';
import { deployScene } from './deploy.ts';
import { impersonateActors } from './deploy-contracts.ts';
import {
  type Deployment,
  readDeployment,
  toDeploymentPath,
  writeJsonAtomically,
} from './deployment.ts';
import { clearLease, toStatePath, waitForFolder, writeLease } from './folder-lease.ts';
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
  readonly log: (line: string) => void;
}

export interface Devnet {
  readonly rpcUrl: string;
  readonly deployment: Deployment;
  readonly deploymentPath: string;
  readonly node: AnvilNode;
  /** Ends traders and node; the chain is saved and a later start continues it. */
  stop(): Promise<void>;
}

const PREDECESSOR_TIMEOUT_MS = 60_000;
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

async function startFresh(options: DevnetOptions, stateFile: string) {
  const { dataDir, port = 0, seed, log } = options;
  await rm(stateFile, { force: true });
  await rm(toDeploymentPath(dataDir), { force: true });
  const span = Math.round(options.history.hours * 3_600) + DEPLOYMENT_SPAN_S;
  const genesisTimestamp = toNowSeconds() - span;
  const node = await startAnvil({ dataDir, stateFile, port, genesisTimestamp });
  try {
    await writeLease(stateFile, node.guardPid);
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

async function resume(options: DevnetOptions, stateFile: string, found: Deployment) {
  const { dataDir, port = 0 } = options;
  const genesisTimestamp = toNowSeconds();
  const node = await startAnvil({ dataDir, stateFile, port, genesisTimestamp });
  await writeLease(stateFile, node.guardPid);
  await impersonateActors(node.rpc);
  return { node, deployment: { ...found, rpcUrl: node.rpc.url } };
}

/** After hours of trading an emulated node takes longer to load a chain than to make a new one. */
function isLoadable(stateFile: string, log: (line: string) => void): boolean {
  if (!existsSync(stateFile)) return false;
  const { size } = statSync(stateFile);
  if (size <= STATE_BYTES_MAX) return true;
  log(`the saved chain has grown to ${Math.round(size / 1e6)} MB: beginning a new one`);
  return false;
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

export async function startDevnet(options: DevnetOptions): Promise<Devnet> {
  const { dataDir, log } = options;
  await mkdir(dataDir, { recursive: true });
  const stateFile = toStatePath(dataDir);
  const isSaved = await waitForFolder(stateFile, PREDECESSOR_TIMEOUT_MS);
  await clearLease(stateFile);
  const found = isLoadable(stateFile, log) ? await readDeployment(dataDir) : null;
  if (!isSaved && found !== null) {
    log('the last run ended without saving: the chain goes back to an earlier state');
  }
  const { node, deployment } =
    found === null
      ? await startFresh(options, stateFile)
      : await resume(options, stateFile, isSaved ? found : { ...found, instance: randomUUID() });
  const endLife = await bringToLife(options, node.rpc, deployment);
  await writeJsonAtomically(toDeploymentPath(dataDir), deployment);
  return {
    rpcUrl: deployment.rpcUrl,
    deployment,
    deploymentPath: toDeploymentPath(dataDir),
    node,
    async stop() {
      await endLife();
      await node.stop();
    },
  };
}
