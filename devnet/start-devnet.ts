// Starts the devnet: a node, contracts, history and traders; or continues an earlier one.

import { randomUUID } from 'node:crypto';
import { existsSync, statSync } from 'node:fs';
import { mkdir, realpath, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Hex } from 'viem';
import { MAKER } from './accounts.ts';
import { type AnvilNode, SAVE_MAX_MS, startAnvil } from './anvil-node.ts';
import { ArchiveKeeper, BlockLostError, DEVNET_KEEPING, type Keeping } from './archive-keeper.ts';
import { BlockArchive } from './block-archive.ts';
import { type BlockClock, startBlockClock } from './block-clock.ts';
import { deployScene } from './deploy.ts';
import { impersonateActors } from './deploy-contracts.ts';
import {
  buildDeploymentPath,
  type Deployment,
  readDeployment,
  writeJsonAtomically,
} from './deployment.ts';
import { Ending } from './ending.ts';
import { buildStatePath, type FolderLease, takeFolder } from './folder-lease.ts';
import { writeHistory } from './history.ts';
import { createJsonRpc } from './json-rpc.ts';
import { createDevnetMarket } from './market.ts';
import { pruneState } from './prune-state.ts';
import { createSeededRandom } from './random.ts';
import { startRpcFront } from './rpc-front.ts';
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
  /** Determines the history: equal seeds give equal histories. */
  readonly seed: string;
  /** How long the node may take to save its state on exit. */
  readonly saveMaxMs?: number;
  readonly log: (line: string) => void;
  /**
   * Called once there is a node, long before the start is complete, with a function that stops it.
   */
  readonly onNode?: (stop: () => Promise<void>) => void;
  /** What of the chain is kept where; tests keep less. */
  readonly keeping?: Keeping;
}

export interface Devnet {
  readonly rpcUrl: string;
  readonly deployment: Deployment;
  readonly deploymentPath: string;
  readonly node: AnvilNode;
  /** Stops traders and node; the chain is saved and a later start continues it. */
  stop(): Promise<void>;
}

/** The time span of the deployment's blocks before the history begins. */
const DEPLOYMENT_SPAN_S = 120;
/** The maximum length of a JavaScript string is near this. */
const STATE_BYTES_MAX = 500_000_000;
const BLOCK_INTERVAL_MS = 1_000;
/** Without traders blocks come from transactions, plus an empty one at this interval. */
const HEARTBEAT_MS = 2_000;

const NATIVE_PACE = { blocksPerHour: 20, actionsPerBlock: 5 };
const EMULATED_PACE = { blocksPerHour: 3, actionsPerBlock: 8 };

function readNowSeconds(): number {
  return Math.floor(Date.now() / 1_000);
}

function buildArchivePath(dataDir: string): string {
  return join(dataDir, 'blocks.sqlite');
}

async function removeArchive(dataDir: string): Promise<void> {
  for (const end of ['', '-wal', '-shm']) {
    await rm(`${buildArchivePath(dataDir)}${end}`, { force: true });
  }
}

/** The folder that a devnet owns, and what it has to stop there. */
interface Place {
  readonly options: DevnetOptions;
  readonly lease: FolderLease;
  readonly ending: Ending;
}

/** A node whose old transactions are only in the archive. */
interface ArchivedNode {
  readonly node: AnvilNode;
  readonly archive: BlockArchive;
  readonly keeper: ArchiveKeeper;
}

function openArchive({ dataDir, keeping = DEVNET_KEEPING }: DevnetOptions): BlockArchive {
  return new BlockArchive(buildArchivePath(dataDir), keeping.chunkBlocks);
}

function archiveBlocks({ options, ending }: Place, node: AnvilNode): ArchivedNode {
  const archive = openArchive(options);
  ending.archive = archive;
  const keeper = new ArchiveKeeper(node.rpc, archive, options.keeping ?? DEVNET_KEEPING);
  return { node, archive, keeper };
}

async function writePast(
  options: DevnetOptions,
  { node, keeper }: ArchivedNode,
  deployment: Deployment,
) {
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
    onProgress(share) {
      log(`writing history: ${Math.round(share * 100)} %`);
      return keeper.keepUp();
    },
  });
  const elapsed = ((Date.now() - startedAt) / 1_000).toFixed(1);
  log(`history is written: ${transactions} transactions in ${blocks} blocks, ${elapsed} s`);
}

async function startNode({ options, lease, ending }: Place, genesisTimestamp: number) {
  const { dataDir, saveMaxMs = SAVE_MAX_MS, keeping = DEVNET_KEEPING } = options;
  if (ending.hasBegun) throw new Error('the devnet was asked to stop');
  await lease.begin();
  const node = await startAnvil({
    dataDir,
    stateFile: buildStatePath(dataDir),
    genesisTimestamp,
    saveMaxMs,
    transactionBlocksKept: keeping.transactionBlocks,
  });
  ending.node = node;
  options.log(`node: ${node.origin}`);
  options.onNode?.(() => ending.run());
  return node;
}

async function startFresh(place: Place) {
  const { dataDir, seed, history, log } = place.options;
  await rm(buildStatePath(dataDir), { force: true });
  await rm(buildDeploymentPath(dataDir), { force: true });
  await removeArchive(dataDir);
  const span = Math.round(history.hours * 3_600) + DEPLOYMENT_SPAN_S;
  const genesisTimestamp = readNowSeconds() - span;
  const node = await startNode(place, genesisTimestamp);
  log('node is up, deploying contracts');
  const scene = await deployScene(node.rpc, genesisTimestamp);
  const deployment = { ...scene, instance: randomUUID(), rpcUrl: node.rpc.url, seed };
  const archived = archiveBlocks(place, node);
  await writePast(place.options, archived, deployment);
  return { ...archived, deployment };
}

/** The node saves every block; archived ones need not be loaded again. */
async function relieveState(options: DevnetOptions): Promise<void> {
  const { archiveDepth, chunkBlocks, stateBytes } = options.keeping ?? DEVNET_KEEPING;
  const archive = openArchive(options);
  const archivedCount = archive.blockCount;
  archive.close();
  const depth = archiveDepth + chunkBlocks;
  await pruneState(buildStatePath(options.dataDir), { archivedCount, depth, bytesMin: stateBytes });
}

/** Null if the archive lacks blocks that the node has dropped. */
async function resume(place: Place, found: Deployment) {
  const { options, lease, ending } = place;
  const deployment = lease.isSaved ? found : { ...found, instance: randomUUID() };
  // Before the new lease begins: if we are killed here, this must not look like the previous
  // instance.
  await writeJsonAtomically(buildDeploymentPath(options.dataDir), deployment);
  await relieveState(options);
  const node = await startNode(place, found.genesisTimestamp);
  await impersonateActors(node.rpc);
  const archived = archiveBlocks(place, node);
  try {
    // A chain that went back to an earlier state lacks some archived blocks.
    await archived.keeper.follow();
    await archived.keeper.keepUp();
    return { ...archived, deployment };
  } catch (error) {
    if (!(error instanceof BlockLostError) || ending.hasBegun) throw error;
    options.log(`${error.message}: starting a new chain`);
    ending.archive = null;
    archived.archive.close();
    await node.stop();
    return null;
  }
}

/** The chain to continue; null if there is none, or none that a node can load. */
async function findChain(options: DevnetOptions): Promise<Deployment | null> {
  const { dataDir, log } = options;
  const stateFile = buildStatePath(dataDir);
  const found = existsSync(stateFile) ? await readDeployment(dataDir) : null;
  if (found === null) return null;
  const { size } = statSync(stateFile);
  // After hours of trading an emulated node takes longer to load a chain than to create a new one.
  if (size > STATE_BYTES_MAX) {
    log(`the saved chain has grown to ${Math.round(size / 1e6)} MB: starting a new one`);
    return null;
  }
  // Versions without it also saved several blocks 0.
  if (found.genesisTimestamp === undefined) {
    log('the saved chain is from an earlier version: starting a new one');
    return null;
  }
  return found;
}

/** Starts making blocks and trading. */
async function bringToLife(
  { options, ending }: Place,
  { node: { rpc }, keeper }: ArchivedNode,
  deployment: Deployment,
): Promise<BlockClock> {
  await rpc.call('anvil_setTime', readNowSeconds());
  const hasTraders = options.traders === 'on';
  if (!hasTraders) await rpc.call('evm_setAutomine', true);
  const head = await rpc.call<Hex>('eth_blockNumber');
  const clock = startBlockClock({
    rpc,
    intervalMs: hasTraders ? BLOCK_INTERVAL_MS : HEARTBEAT_MS,
    beforeBlock: createArchiving(keeper, options.log),
  });
  const random = createSeededRandom(`${deployment.seed} live ${Number(head)}`);
  const market = createDevnetMarket(deployment);
  const { untilBlock } = clock;
  const traders = hasTraders
    ? startTraders({ rpc, market, random, log: options.log, untilBlock })
    : null;
  ending.endLife = async () => {
    await Promise.all([traders?.stop(), clock.stop()]);
  };
  return clock;
}

/** A failure to archive is logged once and does not delay blocks. */
function createArchiving(keeper: ArchiveKeeper, log: (line: string) => void) {
  let hasFailed = false;
  return async () => {
    try {
      await keeper.keepUp();
    } catch (error) {
      if (!hasFailed) log(`old blocks could not be archived: ${String(error)}`);
      hasFailed = true;
    }
  };
}

async function startOnFolder(place: Place): Promise<Devnet> {
  const { options, ending } = place;
  const front = await startRpcFront(options.port ?? 0);
  ending.front = front;
  const found = await findChain(options);
  const resumed = found === null ? null : await resume(place, found);
  const { deployment: opened, ...archived } = resumed ?? (await startFresh(place));
  const deployment = { ...opened, rpcUrl: front.url };
  const clock = await bringToLife(place, archived, deployment);
  const { node, archive, keeper } = archived;
  const rpc = createJsonRpc(node.rpc.url);
  ending.frontRpc = rpc;
  front.open({ rpc, archive, keeper, clock });
  // Only now: a chain with incomplete history has no deployment and is replaced by a new one.
  await writeJsonAtomically(buildDeploymentPath(options.dataDir), deployment);
  return {
    rpcUrl: deployment.rpcUrl,
    deployment,
    deploymentPath: buildDeploymentPath(options.dataDir),
    node,
    stop: () => ending.run(),
  };
}

export async function startDevnet(options: DevnetOptions): Promise<Devnet> {
  await mkdir(options.dataDir, { recursive: true });
  // Leftover nodes are found by the folder in their command lines, so its path must be canonical.
  const dataDir = await realpath(options.dataDir);
  const { saveMaxMs = SAVE_MAX_MS, log } = options;
  const lease = await takeFolder({ stateFile: buildStatePath(dataDir), saveMaxMs, log });
  const ending = new Ending(lease);
  try {
    return await startOnFolder({ options: { ...options, dataDir }, lease, ending });
  } catch (error) {
    await ending.run();
    throw error;
  }
}
