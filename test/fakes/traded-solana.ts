// A small Solana chain with one pool whose accounts are always those after the newest block, and an
// indexer that follows it through endpoints of the test's choice.

import assert from 'node:assert/strict';
import { setImmediate } from 'node:timers/promises';
import { CeiledProductPool } from '../../src/amm/ceiled-product/ceiled-product-kind.ts';
import { createSolanaAdapter } from '../../src/chains/solana/create-solana-adapter.ts';
import { SYSTEM_PROGRAM } from '../../src/chains/solana/data/solana-ids.ts';
import { Indexer } from '../../src/ingest/follow/indexer.ts';
import { type Verification, verifyChain } from '../../src/ingest/verify/verify-chain.ts';
import type { PoolId } from '../../src/model/ids.ts';
import { createSqliteStore } from '../../src/store/sqlite/create-sqlite-store.ts';
import type { MarketStore } from '../../src/store/store.ts';
import { createSqlitePlace } from '../conformance/store-place.ts';
import type { Cleanup } from '../start-service-process.ts';
import { ManualClock } from './manual-clock.ts';
import { MemorySolana } from './memory-solana.ts';
import type { MisbehavingRpc } from './misbehaving-rpc.ts';
import { buildCpmmSwap, POOL, QUOTE, setPool } from './solana-scene.ts';

export const TRADED_START = 100;
const WAIT_MAX_MS = 60_000;
const TERMS = {
  creatorFeePips: 0,
  creatorFeeOn: 'input',
  protocolSharePips: 120_000,
  fundSharePips: 40_000,
} as const;
const FEES = { zeroForOne: 2500, oneForZero: 2500 };

interface Reserves {
  readonly reserve0: bigint;
  readonly reserve1: bigint;
}

export class TradedSolana {
  readonly chain: MemorySolana;
  reserves: Reserves = { reserve0: 50_000_000n, reserve1: 70_000_000n };
  #swaps = 0;
  #branch = '';
  /** The reserves after each slot. */
  readonly #history = new Map<number, Reserves>();

  constructor(genesis?: string) {
    this.chain = new MemorySolana(genesis);
    setPool(this.chain, this.reserves.reserve0, this.reserves.reserve1);
    for (const slot of [TRADED_START - 1, TRADED_START]) this.chain.add(slot);
    this.chain.finalized = TRADED_START;
    this.#history.set(TRADED_START, this.reserves);
  }

  /** A block with a trade, after some skipped slots. */
  trade({ skipped = 0 } = {}): void {
    this.#swaps += 1;
    const amountIn = 10_000n + BigInt(this.#swaps) * 7n;
    const pool = new CeiledProductPool({ ...this.reserves, fees: FEES, terms: TERMS });
    const { swap, after } = pool.swapAndMove(true, amountIn);
    const transactions = [buildCpmmSwap({ id: this.#swaps, amountIn, amountOut: swap.amountOut })];
    this.chain.add(this.chain.head + 1 + skipped, { transactions, branch: this.#branch });
    const { reserve0, reserve1 } = after.toPlain();
    this.#set({ reserve0, reserve1 });
  }

  /** Replaces the blocks above a slot by one with another trade. */
  fork(slot: number): void {
    this.chain.cut(slot + 1);
    const kept = Math.max(...[...this.#history.keys()].filter((one) => one <= slot));
    this.#set(this.#history.get(kept) ?? assert.fail());
    this.#branch = `fork${this.#swaps}`;
    this.trade();
  }

  #set(reserves: Reserves): void {
    this.reserves = reserves;
    this.#history.set(this.chain.head, reserves);
    setPool(this.chain, reserves.reserve0, reserves.reserve1);
  }
}

export interface FollowedSolana {
  readonly store: MarketStore;
  readonly indexer: Indexer;
  until(isDone: () => Promise<boolean>, what: string): Promise<void>;
  isAtHead(): Promise<boolean>;
  /** Waits until the index is at the head and the pool complete, and compares the two. */
  assertAdopted(): Promise<void>;
  /** Stops, and recomputes everything from what the nodes say. */
  verify(): Promise<Verification>;
  assertVerified(): Promise<void>;
}

async function openStore(t: Cleanup): Promise<MarketStore> {
  const place = await createSqlitePlace();
  const store = await place.open();
  t.after(async () => {
    await store.close();
    await place.remove();
  });
  return store.market;
}

type AdapterOptions = Parameters<typeof createSolanaAdapter>[0];

function createAdapter(
  nodes: readonly MisbehavingRpc[],
  options: Pick<AdapterOptions, 'genesis' | 'clock' | 'sleep' | 'knownPools'>,
) {
  return createSolanaAdapter({
    ...{ chain: 'devnet', endpoints: nodes.map(({ url }) => url), random: () => 0.5, ...options },
    assets: {
      ...{ coin: SYSTEM_PROGRAM, coinUnit: { symbol: 'SOL', decimals: 9 } },
      ...{ native: new Set([QUOTE, SYSTEM_PROGRAM]), stable: new Set(), anchorPools: [] },
    },
  });
}

function startIndexer(store: MarketStore, nodes: readonly MisbehavingRpc[], genesis: string) {
  const clock = new ManualClock();
  const sleep = async (ms: number, signal?: AbortSignal) => {
    clock.advance(ms);
    await setImmediate();
    signal?.throwIfAborted();
  };
  const warnings: string[] = [];
  const warn = (fields: object, message: string) => {
    const cause = 'err' in fields && fields.err instanceof Error ? fields.err.message : '';
    warnings.push(`${message} ${cause}`);
  };
  const knownPools = (pools: readonly PoolId[]) => store.readPools('devnet', pools);
  const adapter = createAdapter(nodes, { genesis, clock, sleep, knownPools });
  // Pools are resolved from the chain.
  const fresh = { genesis, clock, sleep, knownPools: async () => [] };
  const indexer = new Indexer({
    ...{ adapter, store, startBlock: TRADED_START, pollIntervalMs: 400, clock, sleep },
    ...{ sizes: { blockCountMax: 7, eventCountMax: 50 }, backoff: { baseMs: 100, maxMs: 1000 } },
    ...{ failureCountMax: 5, stallAfterMs: 60_000, headStallAfterMs: null, random: () => 0.5 },
    ...{ adoption: { callsPerMinute: 1_000_000, idleMs: 1 }, onCommitted: () => undefined },
    log: { info: () => undefined, warn },
  });
  return { adapter, indexer, warnings, openVerifier: () => createAdapter(nodes, fresh) };
}

/** Endpoints are preferred in their order. */
export async function followSolana(
  t: Cleanup,
  scene: TradedSolana,
  nodes: readonly MisbehavingRpc[],
): Promise<FollowedSolana> {
  const { chain } = scene;
  const store = await openStore(t);
  const { adapter, indexer, warnings, openVerifier } = startIndexer(store, nodes, chain.genesis);
  t.after(() => adapter.close());
  t.after(() => indexer.stop());
  indexer.start();
  const until = async (isDone: () => Promise<boolean>, what: string) => {
    const deadlineMs = Date.now() + WAIT_MAX_MS;
    while (!(await isDone())) {
      if (Date.now() > deadlineMs) {
        assert.fail(`${what}: ${JSON.stringify(indexer.adoption())} ${warnings.at(-1)}`);
      }
      await setImmediate();
    }
  };
  const isAtHead = async () => {
    const checkpoint = await store.readCheckpoint('devnet');
    const isFinal = (checkpoint?.finalizedBlock ?? 0) >= chain.finalized;
    return isFinal && checkpoint?.blockHash === chain.blocks.get(chain.head)?.blockhash;
  };
  const readRow = async () => (await store.readPools('devnet', [POOL]))[0];
  const verify = async () => {
    await indexer.stop();
    const verifier = openVerifier();
    t.after(() => verifier.close());
    return await verifyChain({
      ...{ adapter: verifier, store, attemptCountMax: 3 },
      ...{ openScratchStore: () => createSqliteStore({ file: ':memory:' }) },
      ...{ sizes: { blockCountMax: 11, eventCountMax: 100 } },
      signal: new AbortController().signal,
    });
  };
  return {
    ...{ store, indexer, until, isAtHead, verify },
    assertAdopted: async () => {
      const isDone = async () => (await isAtHead()) && (await readRow())?.complete === true;
      await until(isDone, 'the pool was not adopted');
      assert.deepEqual((await readRow())?.state, {
        ...scene.reserves,
        flags: '',
        transferFees: '',
        opens: '',
      });
    },
    assertVerified: async () => {
      const { differences, checked } = await verify();
      assert.deepEqual(differences, []);
      assert.equal(checked['pool of contract'], 1);
      assert.ok((checked['trade'] ?? 0) > 0);
    },
  };
}
