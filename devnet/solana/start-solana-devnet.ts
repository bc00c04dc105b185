// Starts the embedded Solana chain of a folder: continues what is there, or makes a new market.

import { randomUUID } from 'node:crypto';
import { mkdirSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { buildDeploymentPath, writeJsonAtomically } from '../deployment.ts';
import { FolderInUseError, tryLock } from '../folder-lease.ts';
import { createSeededRandom, type SeededRandom } from '../random.ts';
import { openChain } from './open-chain.ts';
import { startRpcServer } from './rpc-server.ts';
import { buildScene, describeGenesis, describeScene, type Scene } from './scene.ts';
import { SOL_SYMBOL, USDC } from './scene-tokens.ts';
import { SimulatedMarket } from './simulated-market.ts';
import type { SolanaChain } from './solana-chain.ts';

interface SolanaDevnetOptions {
  readonly dataDir: string;
  /** 0 picks a free one. */
  readonly port: number;
  /** `off`: only you trade. */
  readonly traders: 'on' | 'off';
  readonly seed: string;
  readonly historyHours: number;
  readonly log: (line: string) => void;
}

/** What other programs read of the chain. */
export interface SolanaDeployment {
  /** Changes if the chain does not continue the one that was in the folder before. */
  readonly instance: string;
  readonly rpcUrl: string;
  readonly startBlock: number;
  readonly genesisHash: string;
  readonly tokens: readonly {
    readonly symbol: string;
    readonly mint: string;
    readonly decimals: number;
    readonly program: string;
  }[];
  readonly pools: readonly { readonly pool: string; readonly pair: string }[];
  /** Priced as dollars. */
  readonly stable: readonly string[];
  /** The pools that price SOL in dollars, best first. */
  readonly anchorPools: readonly string[];
  /** Funded accounts whose keys are public (`createTestAccount`). */
  readonly accounts: readonly string[];
}

export interface SolanaDevnet {
  readonly deployment: SolanaDeployment;
  readonly deploymentPath: string;
  /** Rejects if the chain can make no more blocks. */
  readonly ended: Promise<void>;
  stop(): Promise<void>;
}

const SLOT_MS = 400;
/** A loop that falls behind leaves at least this for the clients. */
const PAUSE_MIN_MS = 50;
const ACTIONS_PER_BLOCK = 0.9;
const SKIP_CHANCE = 0.04;
const HISTORY_BLOCKS_PER_HOUR = 8;
const HISTORY_ACTIONS_PER_BLOCK = 3;
const READY_FACT = 'ready';
const INSTANCE_FACT = 'instance';
/** A larger one is replaced by a new chain at the next start. */
const LEDGER_BYTES_MAX = 1_000_000_000;
const FIRST_SLOT = 1;
/** A history that is being written is finished first. */
const OWNER_STOPS_MS = 15_000;
const LOCK_POLL_MS = 50;

function readNowSeconds(): number {
  return Math.floor(Date.now() / 1000);
}

function removeLedger(file: string): void {
  for (const end of ['', '-wal', '-shm']) rmSync(`${file}${end}`, { force: true });
}

interface OpenMarket {
  readonly chain: SolanaChain;
  readonly market: SimulatedMarket;
  readonly scene: Scene;
  readonly random: SeededRandom;
}

function openMarket(chain: SolanaChain, scene: Scene, seed: string): OpenMarket {
  const random = createSeededRandom(`${seed} solana ${chain.head.height}`);
  return { chain, scene, random, market: new SimulatedMarket({ chain, scene, random, seed }) };
}

/** Blocks at even times up to now, and one coin that has left its curve. */
async function writeHistory(
  { chain, market }: OpenMarket,
  { historyHours, log }: SolanaDevnetOptions,
): Promise<void> {
  const from = chain.head.seconds;
  const seal = (share: number) => {
    const to = readNowSeconds();
    chain.seal({ seconds: Math.floor(from + (to - from) * share) });
  };
  const coin = market.launch();
  seal(0);
  market.finishCurve(coin);
  seal(0);
  market.migrate(coin);
  seal(0);
  const count = Math.round(historyHours * HISTORY_BLOCKS_PER_HOUR);
  for (let index = 1; index <= count; index += 1) {
    for (let action = 0; action < HISTORY_ACTIONS_PER_BLOCK; action += 1) market.act();
    seal(index / count);
    if (index % 50 !== 0) continue;
    log(`writing history: ${Math.round((100 * index) / count)} %`);
    await sleep(0);
  }
}

async function startNew(file: string, options: SolanaDevnetOptions): Promise<OpenMarket> {
  const { seed, historyHours, log } = options;
  removeLedger(file);
  const genesisSeconds = readNowSeconds() - Math.round(historyHours * 3600) - 1;
  const chain = openChain({ file, genesis: describeGenesis(seed), genesisSeconds });
  log('making tokens and pools');
  const scene = buildScene(chain, seed, genesisSeconds);
  const opened = openMarket(chain, scene, seed);
  await writeHistory(opened, options);
  chain.ledger.writeFact(INSTANCE_FACT, randomUUID());
  chain.ledger.writeFact(READY_FACT, seed);
  return opened;
}

/** Null if there is no whole chain of this seed. */
function resume(file: string, { seed, log }: SolanaDevnetOptions): OpenMarket | null {
  const bytes = statSync(file, { throwIfNoEntry: false })?.size ?? 0;
  if (bytes === 0) return null;
  if (bytes > LEDGER_BYTES_MAX) {
    log(`the saved chain has grown to ${Math.round(bytes / 1e6)} MB: starting a new one`);
    return null;
  }
  const genesisSeconds = readNowSeconds();
  const chain = openChain({ file, genesis: describeGenesis(seed), genesisSeconds });
  if (chain.ledger.readFact(READY_FACT) === seed) {
    return openMarket(chain, describeScene(seed), seed);
  }
  chain.ledger.close();
  return null;
}

/** Seals a block about every 400 ms until it is stopped. */
function startLife(
  { chain, market, random }: OpenMarket,
  { traders }: SolanaDevnetOptions,
): { readonly ended: Promise<void>; stop(): Promise<void> } {
  const controller = new AbortController();
  const live = async () => {
    while (!controller.signal.aborted) {
      const startedAt = performance.now();
      // The next block has fewer trades while the machine is busy: this loop waits for itself.
      const count = random.below(2) + (random.chance(2 * ACTIONS_PER_BLOCK - 1) ? 1 : 0);
      for (let action = 0; traders === 'on' && action < count; action += 1) market.act();
      chain.seal({ seconds: readNowSeconds(), skipped: random.chance(SKIP_CHANCE) ? 1 : 0 });
      const pauseMs = Math.max(PAUSE_MIN_MS, SLOT_MS - (performance.now() - startedAt));
      await sleep(pauseMs, undefined, { signal: controller.signal }).catch(() => undefined);
    }
  };
  const ended = live();
  return {
    ended,
    stop() {
      controller.abort();
      return ended;
    },
  };
}

export function describeDeployment(
  { chain, scene }: Pick<OpenMarket, 'chain' | 'scene'>,
  rpcUrl: string,
): SolanaDeployment {
  const { tokens, pools, wallets } = scene;
  const anchors = pools.filter(
    ({ base, quote }) => base.symbol === SOL_SYMBOL && quote.symbol === USDC,
  );
  return {
    instance: chain.ledger.readFact(INSTANCE_FACT) ?? '',
    ...{ rpcUrl, startBlock: FIRST_SLOT, genesisHash: chain.genesisHash },
    tokens: tokens.map(({ symbol, mint, decimals, program }) => ({
      ...{ symbol, mint, decimals, program },
    })),
    pools: pools.map(({ pool, base, quote }) => ({ pool, pair: `${base.symbol}/${quote.symbol}` })),
    stable: tokens.filter(({ symbol }) => symbol === USDC).map(({ mint }) => mint),
    anchorPools: anchors.map(({ pool }) => pool),
    accounts: wallets.testers.map(({ address }) => address),
  };
}

/** Waits for an owner that is stopping: one that was left by a killed service notices it soon. */
async function takeLock(dataDir: string) {
  const deadline = Date.now() + OWNER_STOPS_MS;
  for (;;) {
    const lock = tryLock(join(dataDir, 'owner.lock'));
    if (lock !== null) return lock;
    if (Date.now() > deadline) {
      throw new FolderInUseError(
        `another devnet is running on ${dataDir}: stop it, or follow it by ` +
          `DEVNET_SOLANA_DEPLOYMENT=${buildDeploymentPath(dataDir)}`,
      );
    }
    await sleep(LOCK_POLL_MS);
  }
}

export async function startSolanaDevnet(options: SolanaDevnetOptions): Promise<SolanaDevnet> {
  const { dataDir, port, log } = options;
  mkdirSync(dataDir, { recursive: true });
  const lock = await takeLock(dataDir);
  try {
    const file = join(dataDir, 'chain.sqlite');
    const startedAt = performance.now();
    const opened = resume(file, options) ?? (await startNew(file, options));
    const server = await startRpcServer(opened.chain, port);
    const deployment = describeDeployment(opened, server.url);
    const deploymentPath = buildDeploymentPath(dataDir);
    await writeJsonAtomically(deploymentPath, deployment);
    const life = startLife(opened, options);
    log(`the chain is up after ${((performance.now() - startedAt) / 1000).toFixed(1)} s`);
    return {
      ...{ deployment, deploymentPath, ended: life.ended },
      async stop() {
        await life.stop();
        if (!lock.isOpen) return;
        await server.close();
        opened.chain.ledger.close();
        lock.close();
      },
    };
  } catch (error) {
    lock.close();
    throw error;
  }
}
