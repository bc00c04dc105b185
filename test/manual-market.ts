// The embedded chain with blocks that a test seals, and the service's own follower on it.

import assert from 'node:assert/strict';
import type { TestContext } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { createSeededRandom, type SeededRandom } from '../devnet/random.ts';
import { answerCall, RawJson } from '../devnet/solana/answer-call.ts';
import { ChainFault } from '../devnet/solana/chain-fault.ts';
import { findTokenAccount } from '../devnet/solana/instructions.ts';
import { openChain } from '../devnet/solana/open-chain.ts';
import { startRpcServer } from '../devnet/solana/rpc-server.ts';
import {
  buildScene,
  describeGenesis,
  type Scene,
  type SceneToken,
} from '../devnet/solana/scene.ts';
import { SimulatedMarket } from '../devnet/solana/simulated-market.ts';
import type { SolanaChain } from '../devnet/solana/solana-chain.ts';
import { readTokenBalance } from '../devnet/solana/token-balance.ts';
import { createSolanaAdapter } from '../src/chains/solana/create-solana-adapter.ts';
import {
  SYSTEM_PROGRAM,
  toSolanaAddress,
  toSolanaPool,
  WRAPPED_SOL,
} from '../src/chains/solana/data/solana-ids.ts';
import { openScratchStore } from '../src/engines/open-store.ts';
import { Indexer } from '../src/ingest/follow/indexer.ts';
import { DEFAULT_INDEXER_OPTIONS } from '../src/ingest/follow/indexer-options.ts';
import { type Verification, verifyChain } from '../src/ingest/verify/verify-chain.ts';
import { systemClock } from '../src/lib/clock.ts';
import { sleep as sleepUntil } from '../src/lib/retry.ts';
import type { MarketStore } from '../src/store/store.ts';
import { createSqlitePlace } from './conformance/store-place.ts';
import { type MisbehavingRpc, RpcFault, startMisbehavingRpc } from './fakes/misbehaving-rpc.ts';

const SEED = 'follow';
const START = 1_790_000_000;
const SETTLE_MAX_MS = 30_000;
export const SLUG = 'devnet-solana';

/** A market whose blocks are sealed by the test. */
export class ManualMarket {
  readonly chain: SolanaChain;
  readonly scene: Scene;
  readonly market: SimulatedMarket;
  readonly random: SeededRandom;
  #seconds = START + 1;

  constructor(seed = SEED) {
    this.chain = openChain({
      ...{ file: ':memory:', genesis: describeGenesis(seed), genesisSeconds: START },
    });
    this.scene = buildScene(this.chain, seed, START);
    this.random = createSeededRandom(seed);
    const { chain, scene, random } = this;
    this.market = new SimulatedMarket({ chain, scene, random, seed });
  }

  seal(skipped = 0): void {
    this.#seconds += 1;
    this.chain.seal({ seconds: this.#seconds, skipped });
  }

  grow(blockCount: number): void {
    for (let count = 0; count < blockCount; count += 1) {
      for (let action = 0; action < 3; action += 1) this.market.act();
      this.seal(count % 5 === 0 ? 2 : 0);
    }
  }

  /** A coin from its launch to a pool of its own. */
  graduate(): string {
    const coin = this.market.launch();
    this.seal();
    this.market.finishCurve(coin);
    this.seal();
    this.market.migrate(coin);
    this.seal();
    return coin.mint;
  }

  fork(depth: number): void {
    this.#seconds += 1;
    this.chain.fork(depth, { seconds: this.#seconds, drops: (place) => place % 7 === 0 });
  }

  balanceOf(owner: string, token: SceneToken): bigint {
    const account = this.chain.read(findTokenAccount(owner, token));
    return (account && readTokenBalance(account)?.amount) ?? 0n;
  }
}

/** A node of the chain whose answers a test can meddle with. */
export async function startMarketNode(
  t: TestContext,
  { chain }: ManualMarket,
): Promise<MisbehavingRpc> {
  const node = await startMisbehavingRpc((method, params) => {
    try {
      const answer = answerCall(chain, method, params);
      return answer instanceof RawJson ? JSON.parse(answer.text) : answer;
    } catch (error) {
      if (!(error instanceof ChainFault)) throw error;
      throw new RpcFault(error.code, error.message);
    }
  });
  t.after(() => node.stop());
  return node;
}

interface IndexingOptions {
  readonly store: MarketStore;
  readonly rpcUrls: readonly string[];
  /** 1 by default. */
  readonly startBlock?: number;
  /** Whether pools that are older than the index are adopted; false by default. */
  readonly isAdopting?: boolean;
}

export async function startIndexing(market: ManualMarket, options: IndexingOptions) {
  const { store, rpcUrls: endpoints, startBlock = 1, isAdopting = false } = options;
  const { chain, scene } = market;
  const [sol, usdc] = scene.tokens;
  const anchor = scene.pools.find(({ base, quote }) => base === sol && quote === usdc);
  const timing = { clock: systemClock, random: Math.random, sleep: sleepUntil };
  const adapter = createSolanaAdapter({
    ...{ chain: SLUG, genesis: chain.genesisHash, endpoints, ...timing },
    knownPools: (pools) => store.readPools(SLUG, pools),
    assets: {
      ...{ coin: SYSTEM_PROGRAM, coinUnit: { symbol: 'SOL', decimals: 9 } },
      native: new Set([SYSTEM_PROGRAM, WRAPPED_SOL]),
      stable: new Set([toSolanaAddress(usdc?.mint ?? '')]),
      anchorPools: [toSolanaPool(toSolanaAddress(anchor?.pool ?? ''))],
    },
  });
  const warnings: string[] = [];
  const indexer = new Indexer({
    ...{ ...DEFAULT_INDEXER_OPTIONS, ...timing, adapter, store },
    ...{ startBlock, pollIntervalMs: 20, headStallAfterMs: null },
    backfill: { callsPerMinute: Number.POSITIVE_INFINITY, tokensMax: 100, idleMs: 5 },
    ...(isAdopting ? { adoption: { callsPerMinute: Number.POSITIVE_INFINITY, idleMs: 5 } } : {}),
    log: {
      info: () => undefined,
      warn: (fields, message) => {
        const cause = 'err' in fields && fields.err instanceof Error ? fields.err.message : '';
        warnings.push(`${message} ${cause}`);
      },
    },
    onCommitted: () => undefined,
  });
  indexer.start();
  const settle = async () => {
    const deadline = Date.now() + SETTLE_MAX_MS;
    while ((await store.readCheckpoint(SLUG))?.blockHash !== chain.head.hash) {
      if (Date.now() > deadline) throw new Error(`not at the head: ${warnings.join('; ')}`);
      await sleep(20);
    }
  };
  const stop = async () => {
    await indexer.stop();
    await adapter.close();
  };
  return { adapter, indexer, settle, stop };
}

export async function collect<T>(pages: AsyncIterable<readonly T[]>): Promise<T[]> {
  const rows: T[] = [];
  for await (const page of pages) rows.push(...page);
  return rows;
}

/** By a node of its own, unless others are given. */
export async function followMarket(
  t: TestContext,
  market: ManualMarket,
  given: Partial<Omit<IndexingOptions, 'store'>> = {},
) {
  const server = await startRpcServer(market.chain, 0);
  t.after(() => server.close());
  const place = await createSqlitePlace();
  const store = await place.open();
  t.after(async () => {
    await store.close();
    await place.remove();
  });
  const options = { store: store.market, rpcUrls: [server.url], ...given };
  const indexing = await startIndexing(market, options);
  t.after(() => indexing.stop());
  await indexing.settle();
  return { store, indexing };
}

export async function verifyMarket(
  store: { readonly market: MarketStore },
  { adapter }: Awaited<ReturnType<typeof startIndexing>>,
): Promise<Verification> {
  return await verifyChain({
    ...{ adapter, store: store.market, openScratchStore },
    ...{ sizes: DEFAULT_INDEXER_OPTIONS.sizes, attemptCountMax: 1 },
    signal: new AbortController().signal,
  });
}

export async function assertNoDifferences(...of: Parameters<typeof verifyMarket>): Promise<void> {
  const verification = await verifyMarket(...of);
  assert.deepEqual(verification.differences, []);
  for (const what of ['trade', 'supply', 'balance of contract', 'pool of contract']) {
    assert.ok((verification.checked[what] ?? 0) > 0, what);
  }
}
