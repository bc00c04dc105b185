// A real node with its markets, indexed into a store, and a pool graph that follows the feed.

import { setTimeout as delay } from 'node:timers/promises';
import { startTestChain, type TestChain, type TestChainOptions } from '../devnet/test-chain.ts';
import {
  createEvmAdapter,
  type EvmAdapter,
  type EvmAdapterOptions,
} from '../src/chains/evm/create-evm-adapter.ts';
import { parseDevnetDeployment } from '../src/chains/evm/venues/parse-devnet-deployment.ts';
import { requireMarkets } from '../src/engines/chain-families.ts';
import type { CommittedEvent } from '../src/ingest/commit/commit-batch.ts';
import { Indexer } from '../src/ingest/follow/indexer.ts';
import {
  DEFAULT_INDEXER_OPTIONS,
  type IndexerOptions,
} from '../src/ingest/follow/indexer-options.ts';
import { systemClock } from '../src/lib/clock.ts';
import { sleep } from '../src/lib/retry.ts';
import { decodeBatch, encodeBatch } from '../src/live/encode-batch.ts';
import { LocalFeed } from '../src/live/local-feed.ts';
import type { MarketStore } from '../src/store/store.ts';
import { PoolGraphFollower } from '../src/trading/graph/pool-graph-follower.ts';
import { createSqlitePlace } from './conformance/store-place.ts';
import { type RpcRecorder, startRpcRecorder } from './rpc-recorder.ts';

/** An index of a node's chain in a store of its own. */
interface ChainIndexing {
  readonly indexer: Indexer;
  readonly adapter: EvmAdapter;
  readonly store: MarketStore;
  readonly follower: PoolGraphFollower;
  readonly events: readonly CommittedEvent[];
  /** Where every commit is published. */
  readonly feed: LocalFeed;
  /** Waits until the graph stands at the chain's newest block. */
  settle(): Promise<void>;
  stop(): Promise<void>;
}

export interface IndexedDevnet extends ChainIndexing {
  readonly chain: TestChain;
  /** Between all that reads the chain and its node. */
  readonly recorder: RpcRecorder;
}

const SETTLE_MAX_MS = 20_000;

async function untilAtHead(chain: TestChain, follower: PoolGraphFollower): Promise<void> {
  const deadlineMs = Date.now() + SETTLE_MAX_MS;
  for (;;) {
    const { hash } = await chain.rpc.call<{ hash: string }>(
      'eth_getBlockByNumber',
      'latest',
      false,
    );
    await follower.settled();
    if (follower.current?.checkpoint.blockHash === hash) return;
    if (Date.now() > deadlineMs) throw new Error(`the graph is not at ${hash}`);
    await delay(10);
  }
}

/** Follows a chain from a block on, by default from its beginning. */
export async function startIndexing(
  chain: TestChain,
  options: Partial<Pick<IndexerOptions, 'startBlock' | 'adoption' | 'backfill'>> & {
    readonly rpcUrl: string;
    readonly reading?: Partial<EvmAdapterOptions>;
  },
): Promise<ChainIndexing> {
  const { rpcUrl, reading, ...overrides } = options;
  const place = await createSqlitePlace();
  const store = await place.open();
  const { market } = store;
  const deployment = parseDevnetDeployment(chain.deployment);
  const adapter = createEvmAdapter({
    chain: 'devnet',
    endpoints: [rpcUrl],
    deployment,
    clock: systemClock,
    random: Math.random,
    knownPools: (pools) => market.readPools('devnet', pools),
    ...reading,
  });
  const log = { info: () => undefined, warn: () => undefined };
  const native = { coin: adapter.assets.coin, wrapped: deployment.wrapped };
  const timing = { sleep, random: Math.random, log };
  const follower = new PoolGraphFollower({
    ...{ chain: 'devnet', store: market, native, ...timing },
    rules: requireMarkets('devnet'),
    trusted: new Set([...adapter.assets.native, ...adapter.assets.stable]),
  });
  follower.start();
  const events: CommittedEvent[] = [];
  const feed = new LocalFeed({
    onError: (error) => {
      throw error;
    },
  });
  const indexer = new Indexer({
    ...DEFAULT_INDEXER_OPTIONS,
    ...timing,
    adapter,
    store: market,
    startBlock: chain.deployment.startBlock,
    pollIntervalMs: 15,
    headStallAfterMs: null,
    clock: systemClock,
    onCommitted: (event) => {
      events.push(event);
      follower.onBatch(event);
      feed.publish(decodeBatch(encodeBatch(event)));
    },
    ...overrides,
  });
  indexer.start();
  return {
    ...{ indexer, adapter, store: market, follower, events, feed },
    settle: () => untilAtHead(chain, follower),
    stop: async () => {
      await indexer.stop();
      await follower.stop();
      await adapter.close();
      await store.close();
      await place.remove();
    },
  };
}

/** Pools that no creation tells in full, and history, are read as quickly as the node answers. */
const QUICK_ADOPTION = { callsPerMinute: Number.POSITIVE_INFINITY, idleMs: 5 };
/** History is read once it is final. */
const LATE = { backfill: { ...QUICK_ADOPTION, tokensMax: 10 }, reading: { finalizedAgeMs: 100 } };

export interface IndexedDevnetOptions extends TestChainOptions {
  /** Methods that the node does not know. */
  readonly lacks?: readonly string[];
  /** Whether the index begins with the chain's last block, which has no event. */
  readonly isLate?: boolean;
}

async function mineEmpty(chain: TestChain): Promise<number> {
  await chain.mine(2);
  return chain.readHead();
}

/**
 * `prepare` changes the chain before it is indexed. While anvil mines a block, a call at the block
 * before may see the new one: a pool that is opened and read meanwhile would be read wrongly.
 */
export async function startIndexedDevnet(
  options: IndexedDevnetOptions = {},
  prepare: (chain: TestChain) => Promise<void> = async () => undefined,
): Promise<IndexedDevnet> {
  const chain = await startTestChain(options);
  try {
    await prepare(chain);
  } catch (error) {
    await chain.stop();
    throw error;
  }
  const recorder = await startRpcRecorder(chain.rpcUrl, options.lacks);
  const { deployment } = chain;
  const isBook = 'liquidityBook' in deployment;
  const hasAdopted = options.hasOthers || deployment.curve !== undefined || isBook;
  const indexing = await startIndexing(chain, {
    rpcUrl: recorder.url,
    ...(options.isLate ? { ...LATE, startBlock: await mineEmpty(chain) } : {}),
    ...(hasAdopted ? { adoption: QUICK_ADOPTION } : {}),
  });
  return {
    ...indexing,
    chain,
    recorder,
    stop: async () => {
      await indexing.stop();
      await recorder.stop();
      await chain.stop();
    },
  };
}
