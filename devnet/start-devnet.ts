// Starts the devnet: a node, contracts, history and traders; or continues an earlier one.

import { randomUUID } from 'node:crypto';
import { existsSync, statSync } from 'node:fs';
import { mkdir, realpath, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Hex } from 'viem';
import { MAKER } from './accounts.ts';
import { type AnvilNode, findPort, SAVE_MAX_MS, startAnvil } from './anvil-node.ts';
import { ArchiveKeeper, BlockLostError, DEVNET_KEEPING, type Keeping } from './archive-keeper.ts';
import { BlockArchive } from './block-archive.ts';
import { type BlockClock, startBlockClock } from './block-clock.ts';
import { ChangeGate } from './change-gate.ts';
import { deployScene } from './deploy.ts';
import { impersonateActors } from './deploy-contracts.ts';
import {
  buildDeploymentPath,
  type Deployment,
  readDeployment,
  writeJsonAtomically,
} from './deployment.ts';
import { Ending } from './ending.ts';
import { buildLeasePath, buildStatePath, type FolderLease, takeFolder } from './folder-lease.ts';
import { writeHistory } from './history.ts';
import { createDevnetMarket } from './market.ts';
import { NodeLine } from './node-line.ts';
import { NodeMemory } from './node-memory.ts';
import { NodeRoller } from './node-roller.ts';
import { createSeededRandom } from './random.ts';
import { startRpcFront } from './rpc-front.ts';
import { startTraders } from './traders.ts';
import { trimStateFile } from './trim-state.ts';
import { writeTokenList } from './write-token-list.ts';

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
  /** With traders: the time between two blocks, and on average between two actions. */
  readonly pace?: { readonly blockMs: number; readonly actionMs: number };
}

export interface Devnet {
  readonly rpcUrl: string;
  readonly deployment: Deployment;
  readonly deploymentPath: string;
  /** The current node: it is replaced from time to time. */
  readonly node: AnvilNode;
  /** Resolves when the node has ended by itself. */
  readonly ended: Promise<void>;
  /** Stops traders and node; the chain is saved and a later start continues it. */
  stop(): Promise<void>;
}

/** The time span of the deployment's blocks before the history begins. */
const DEPLOYMENT_SPAN_S = 240;
/** The maximum length of a JavaScript string is near this; only older versions saved so much. */
const STATE_BYTES_MAX = 500_000_000;
/** A week of trading. */
const ARCHIVE_BYTES_MAX = 1_000_000_000;
const LIVE_PACE = { blockMs: 1_000, actionMs: 350 };
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
  readonly gate: ChangeGate;
  /** The connection of everything but the front. */
  readonly line: NodeLine;
}

function openArchive({ dataDir, keeping = DEVNET_KEEPING }: DevnetOptions): BlockArchive {
  return new BlockArchive(buildArchivePath(dataDir), keeping.chunkBlocks);
}

function archiveBlocks({ options, ending }: Place, node: AnvilNode): ArchivedNode {
  const archive = openArchive(options);
  ending.archive = archive;
  const gate = new ChangeGate();
  const line = new NodeLine(node.rpc.url, gate);
  ending.lines = [line];
  const keeper = new ArchiveKeeper(line, archive, options.keeping ?? DEVNET_KEEPING);
  return { node, archive, keeper, gate, line };
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

async function launchNode({ options }: Place, at: { genesisTimestamp: number; port: number }) {
  const { dataDir, saveMaxMs = SAVE_MAX_MS, keeping = DEVNET_KEEPING } = options;
  const stateFile = buildStatePath(dataDir);
  return startAnvil({
    ...{ dataDir, stateFile, leaseFile: buildLeasePath(stateFile), saveMaxMs, ...at },
    transactionBlocksKept: keeping.transactionBlocks,
  });
}

async function pickPort(): Promise<number> {
  const port = await findPort(0);
  if (port === null) throw new Error('no free port');
  return port;
}

async function startNode(place: Place, genesisTimestamp: number) {
  const { options, lease, ending } = place;
  if (ending.hasBegun) throw new Error('the devnet was asked to stop');
  const port = await pickPort();
  await lease.begin(port);
  const node = await launchNode(place, { genesisTimestamp, port });
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
  const scene = await deployScene(node.rpc, genesisTimestamp, { hasOthers: true });
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
  await trimStateFile(buildStatePath(options.dataDir), {
    ...{ archivedCount, depth, bytesMin: stateBytes },
  });
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
    archived.line.close();
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
  const sizes = [
    { bytes: statSync(stateFile).size, max: STATE_BYTES_MAX },
    {
      bytes: statSync(buildArchivePath(dataDir), { throwIfNoEntry: false })?.size ?? 0,
      max: ARCHIVE_BYTES_MAX,
    },
  ];
  const grown = sizes.find(({ bytes, max }) => bytes > max);
  if (grown !== undefined) {
    log(`the saved chain has grown to ${Math.round(grown.bytes / 1e6)} MB: starting a new one`);
    return null;
  }
  // Versions without it also saved several blocks 0.
  if (found.genesisTimestamp === undefined) {
    log('the saved chain is from an earlier version: starting a new one');
    return null;
  }
  return found;
}

interface LivingParts extends ArchivedNode {
  readonly deployment: Deployment;
  readonly roller: NodeRoller;
}

/** Starts making blocks and trading. */
async function bringToLife({ options, ending }: Place, parts: LivingParts): Promise<BlockClock> {
  const { line: rpc, keeper, deployment, roller } = parts;
  await rpc.call('anvil_setTime', readNowSeconds());
  const hasTraders = options.traders === 'on';
  const pace = options.pace ?? LIVE_PACE;
  if (!hasTraders) await rpc.call('evm_setAutomine', true);
  const head = await rpc.call<Hex>('eth_blockNumber');
  const clock = startBlockClock({
    rpc,
    intervalMs: hasTraders ? pace.blockMs : HEARTBEAT_MS,
    beforeBlock: createArchiving(keeper, options.log),
    afterBlock: () => roller.afterBlocks(),
  });
  const random = createSeededRandom(`${deployment.seed} live ${Number(head)}`);
  const market = createDevnetMarket(deployment);
  const { untilBlock } = clock;
  const traders = hasTraders
    ? startTraders({
        ...{ rpc, market, random, untilBlock, log: options.log },
        pauseMeanMs: pace.actionMs,
      })
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

/** Of the connections, the front has one of its own: its clients must not delay blocks. */
function createRoller(
  place: Place,
  { deployment, node, archive, gate, line }: ArchivedNode & { readonly deployment: Deployment },
  { memory, frontLine }: { readonly memory: NodeMemory; readonly frontLine: NodeLine },
): Promise<NodeRoller> {
  const { options, lease, ending } = place;
  const { genesisTimestamp } = deployment;
  const shared = { gate, lease, memory, archive, lines: [line, frontLine] };
  return NodeRoller.create(
    {
      ...shared,
      keeping: options.keeping ?? DEVNET_KEEPING,
      stateFile: buildStatePath(options.dataDir),
      isAutomatic: options.traders === 'off',
      startNode: async () => launchNode(place, { genesisTimestamp, port: await pickPort() }),
      onNode(next) {
        ending.node = next;
      },
      log: options.log,
    },
    node,
  );
}

async function startOnFolder(place: Place): Promise<Devnet> {
  const { options, ending } = place;
  const front = await startRpcFront(options.port ?? 0);
  ending.front = front;
  const found = await findChain(options);
  const resumed = found === null ? null : await resume(place, found);
  const { deployment: opened, ...archived } = resumed ?? (await startFresh(place));
  const deployment = { ...opened, rpcUrl: front.url };
  const { archive, keeper, gate, line } = archived;
  const memory = new NodeMemory();
  const frontLine = new NodeLine(line.url, gate);
  ending.lines = [line, frontLine];
  const parts = { ...archived, deployment };
  const roller = await createRoller(place, parts, { memory, frontLine });
  ending.roller = roller;
  const clock = await bringToLife(place, { ...parts, roller });
  front.open({ rpc: frontLine, gate, archive, keeper, clock, memory, roller });
  await writeTokenList(options.dataDir, deployment);
  // Only now: a chain with incomplete history has no deployment and is replaced by a new one.
  await writeJsonAtomically(buildDeploymentPath(options.dataDir), deployment);
  return {
    rpcUrl: deployment.rpcUrl,
    deployment,
    deploymentPath: buildDeploymentPath(options.dataDir),
    get node() {
      return roller.node;
    },
    ended: roller.ended,
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
