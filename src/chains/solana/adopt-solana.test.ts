// Pools that are traded all the time are adopted: their state is read at a slot that the index has
// not reached, joined with the trades after it, and equals the accounts from then on.

import assert from 'node:assert/strict';
import { afterEach, it } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import { createSqlitePlace } from '../../../test/conformance/store-place.ts';
import { ManualClock } from '../../../test/fakes/manual-clock.ts';
import { MemorySolana } from '../../../test/fakes/memory-solana.ts';
import { startMisbehavingRpc } from '../../../test/fakes/misbehaving-rpc.ts';
import { buildCpmmSwap, POOL, QUOTE, setPool } from '../../../test/fakes/solana-scene.ts';
import { CeiledProductPool } from '../../amm/ceiled-product/ceiled-product-pool.ts';
import { Indexer } from '../../ingest/follow/indexer.ts';
import type { MarketStore } from '../../store/store.ts';
import { createSolanaAdapter } from './create-solana-adapter.ts';
import { SYSTEM_PROGRAM } from './solana-ids.ts';

const START = 100;
const WAIT_MAX_MS = 20_000;
const TERMS = {
  creatorFeePips: 0,
  creatorFeeOn: 'input',
  protocolSharePips: 120_000,
  fundSharePips: 40_000,
} as const;
const FEES = { zeroForOne: 2500, oneForZero: 2500 };

const cleanups: (() => Promise<void> | void)[] = [];

afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});

/** A chain with one pool, whose accounts are always those after the newest block. */
class TradedChain {
  readonly chain = new MemorySolana();
  reserves = { reserve0: 50_000_000n, reserve1: 70_000_000n };
  #swaps = 0;
  /** The reserves after each slot. */
  readonly #history = new Map<number, { reserve0: bigint; reserve1: bigint }>();

  constructor() {
    setPool(this.chain, this.reserves.reserve0, this.reserves.reserve1);
    for (const slot of [START - 1, START]) this.chain.add(slot);
    this.chain.finalized = START;
    this.#history.set(START, this.reserves);
  }

  /** A block with a trade. */
  trade(branch = ''): void {
    this.#swaps += 1;
    const amountIn = 10_000n + BigInt(this.#swaps) * 7n;
    const pool = new CeiledProductPool({ ...this.reserves, fees: FEES, terms: TERMS });
    const { swap, after } = pool.swapAndMove(true, amountIn);
    const transactions = [buildCpmmSwap({ id: this.#swaps, amountIn, amountOut: swap.amountOut })];
    this.chain.add(this.chain.head + 1, { transactions, branch });
    const { reserve0, reserve1 } = after.toPlain();
    this.#set({ reserve0, reserve1 });
  }

  /** Replaces the blocks above a slot by one with another trade. */
  fork(slot: number): void {
    this.chain.cut(slot + 1);
    this.#set(this.#history.get(slot) ?? assert.fail());
    this.trade(`fork${this.#swaps}`);
  }

  #set(reserves: { reserve0: bigint; reserve1: bigint }): void {
    this.reserves = reserves;
    this.#history.set(this.chain.head, reserves);
    setPool(this.chain, reserves.reserve0, reserves.reserve1);
  }
}

async function openStore(): Promise<MarketStore> {
  const place = await createSqlitePlace();
  const store = await place.open();
  cleanups.push(async () => {
    await store.close();
    await place.remove();
  });
  return store.market;
}

async function startAdopting(scene: TradedChain, onRead: () => void) {
  const { chain } = scene;
  const node = await startMisbehavingRpc(chain.answer);
  cleanups.push(() => node.stop());
  node.misbehave(({ method }) => {
    if (method === 'getMultipleAccounts') onRead();
    return null;
  });
  const store = await openStore();
  const clock = new ManualClock();
  const sleep = async (ms: number, signal?: AbortSignal) => {
    clock.advance(ms);
    await setImmediate();
    signal?.throwIfAborted();
  };
  const adapter = createSolanaAdapter({
    ...{ chain: 'devnet', genesis: chain.genesis, endpoints: [node.url] },
    ...{ clock, random: () => 0.5, sleep, knownPools: (pools) => store.readPools('devnet', pools) },
    assets: {
      ...{ coin: SYSTEM_PROGRAM, coinUnit: { symbol: 'SOL', decimals: 9 } },
      ...{ native: new Set([QUOTE, SYSTEM_PROGRAM]), stable: new Set(), anchorPools: [] },
    },
  });
  const indexer = new Indexer({
    ...{ adapter, store, startBlock: START, pollIntervalMs: 400, clock, sleep },
    ...{ sizes: { blockCountMax: 7, eventCountMax: 50 }, backoff: { baseMs: 100, maxMs: 1000 } },
    ...{ failureCountMax: 5, stallAfterMs: 60_000, headStallAfterMs: null, random: () => 0.5 },
    ...{ adoption: { callsPerMinute: 1_000_000, idleMs: 1 }, onCommitted: () => undefined },
    log: { info: () => undefined, warn: () => undefined },
  });
  indexer.start();
  cleanups.push(async () => {
    await indexer.stop();
    await adapter.close();
  });
  const until = async (isDone: () => Promise<boolean>, what: string) => {
    const deadlineMs = Date.now() + WAIT_MAX_MS;
    while (!(await isDone())) {
      if (Date.now() > deadlineMs) {
        assert.fail(`${what}: ${JSON.stringify(indexer.adoption())}`);
      }
      await setImmediate();
    }
  };
  const readRow = async () => (await store.readPools('devnet', [POOL]))[0];
  /** Waits until the index is at the head and the pool complete, and compares the two. */
  const assertAdopted = async () => {
    await until(async () => {
      const checkpoint = await store.readCheckpoint('devnet');
      const head = chain.blocks.get(chain.head)?.blockhash;
      return checkpoint?.blockHash === head && (await readRow())?.complete === true;
    }, 'the pool was not adopted');
    assert.deepEqual((await readRow())?.state, { ...scene.reserves, flags: '', transferFees: '' });
  };
  return { assertAdopted };
}

it('a pool that trades in every block is adopted, and follows its trades', async () => {
  const scene = new TradedChain();
  for (let count = 0; count < 5; count += 1) scene.trade();
  let left = 12;
  // Each time accounts are read, the chain is ahead of the index, and the pool is another.
  const { assertAdopted } = await startAdopting(scene, () => {
    if (left > 0) scene.trade();
    left -= 1;
  });
  await assertAdopted();
  for (let count = 0; count < 3; count += 1) scene.trade();
  await assertAdopted();
});

it('a state of a branch that was left is not adopted', async () => {
  const scene = new TradedChain();
  for (let count = 0; count < 5; count += 1) scene.trade();
  let reads = 0;
  const { assertAdopted } = await startAdopting(scene, () => {
    reads += 1;
    if (reads > 8) return;
    scene.trade();
    if (reads % 3 === 0) scene.fork(scene.chain.head - 3);
  });
  await assertAdopted();
});
