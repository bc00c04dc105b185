// The indexer on Solana's adapter: whatever slots are skipped, blocks replaced and endpoints get
// wrong, the index equals a fresh one of the same branch.

import assert from 'node:assert/strict';
import { afterEach, it } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import { createSqlitePlace } from '../../../../test/conformance/store-place.ts';
import { createRandom } from '../../../../test/fakes/create-random.ts';
import { readIndex } from '../../../../test/fakes/indexed-chain.ts';
import { ManualClock } from '../../../../test/fakes/manual-clock.ts';
import { MemorySolana } from '../../../../test/fakes/memory-solana.ts';
import {
  type MisbehavingRpc,
  type Mischief,
  startMisbehavingRpc,
} from '../../../../test/fakes/misbehaving-rpc.ts';
import { buildCpmmSwap, QUOTE, setPool } from '../../../../test/fakes/solana-scene.ts';
import { Indexer } from '../../../ingest/follow/indexer.ts';
import type { MarketStore } from '../../../store/store.ts';
import { createSolanaAdapter } from '../create-solana-adapter.ts';
import { SYSTEM_PROGRAM } from '../data/solana-ids.ts';

const START = 100;

const cleanups: (() => Promise<void> | void)[] = [];

afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});

async function start(chain: MemorySolana): Promise<MisbehavingRpc> {
  const node = await startMisbehavingRpc(chain.answer);
  cleanups.push(() => node.stop());
  return node;
}

/** A chain that grows and forks at random, always in the same way for one seed. */
class RandomChain {
  readonly chain = new MemorySolana();
  readonly #random: () => number;
  #swaps = 0;
  #branch = 0;

  constructor(random: () => number) {
    this.#random = random;
    setPool(this.chain, 50_000_000n, 50_000_000n);
    for (const slot of [START - 1, START]) this.chain.add(slot);
    this.chain.finalized = START;
  }

  grow(blocks: number): void {
    for (let count = 0; count < blocks; count += 1) {
      const skipped = this.#random() < 0.3 ? Math.floor(this.#random() * 4) : 0;
      const swaps = Math.floor(this.#random() * 3);
      const transactions = Array.from({ length: swaps }, () => {
        this.#swaps += 1;
        const amountIn = 1 + Math.floor(this.#random() * 5000);
        const amounts = { amountIn: BigInt(amountIn), amountOut: BigInt(amountIn) * 3n };
        return buildCpmmSwap({ id: this.#swaps, ...amounts });
      });
      const slot = this.chain.head + 1 + skipped;
      this.chain.add(slot, { transactions, branch: `b${this.#branch}` });
    }
  }

  /** Replaces up to 32 slots above the final one. */
  fork(): void {
    const { head, finalized } = this.chain;
    const depth = 1 + Math.floor(this.#random() * Math.min(32, head - finalized));
    this.#branch += 1;
    this.chain.cut(head - depth + 1);
    while (this.chain.head <= head) this.grow(1);
  }

  finalize(): void {
    const slots = [...this.chain.blocks.keys()].sort((a, b) => a - b);
    this.chain.finalized = slots[Math.max(0, slots.length - 20)] ?? START;
  }
}

/** About every third answer is wrong in one of the ways that nodes are wrong. */
function createMischief(random: () => number): Mischief {
  return ({ method }) => {
    if (random() > 0.3) return null;
    const pick = Math.floor(random() * 6);
    if (pick === 0) return { do: 'reply', status: 429, text: '' };
    if (pick === 1) return { do: 'cut', after: 10 };
    if (method === 'getBlocks') {
      return { do: 'change', change: (slots) => (slots as number[]).slice(1) };
    }
    if (method !== 'getBlock') return null;
    const codes = [-32004, -32007, -32009, -32014, -32001, -32005];
    const code = codes[Math.floor(random() * codes.length)] ?? 0;
    return { do: 'error', code, message: 'not served' };
  };
}

function startIndexer(store: MarketStore, nodes: readonly MisbehavingRpc[], chain: MemorySolana) {
  const clock = new ManualClock();
  const sleep = async (ms: number, signal?: AbortSignal) => {
    clock.advance(ms);
    await setImmediate();
    signal?.throwIfAborted();
  };
  const adapter = createSolanaAdapter({
    ...{ chain: 'devnet', genesis: chain.genesis, endpoints: nodes.map(({ url }) => url) },
    ...{ clock, random: () => 0.5, sleep, knownPools: (pools) => store.readPools('devnet', pools) },
    assets: {
      ...{ coin: SYSTEM_PROGRAM, coinUnit: { symbol: 'SOL', decimals: 9 } },
      ...{ native: new Set([QUOTE, SYSTEM_PROGRAM]), stable: new Set(), anchorPools: [] },
    },
  });
  const warnings: string[] = [];
  const indexer = new Indexer({
    ...{ adapter, store, startBlock: START, pollIntervalMs: 400, clock, sleep },
    ...{ sizes: { blockCountMax: 7, eventCountMax: 50 }, backoff: { baseMs: 100, maxMs: 1000 } },
    ...{ failureCountMax: 5, stallAfterMs: 60_000, headStallAfterMs: null, random: () => 0.5 },
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
    const deadline = Date.now() + 60_000;
    for (;;) {
      const checkpoint = await store.readCheckpoint('devnet');
      const head = chain.blocks.get(chain.head)?.blockhash;
      const isFinal = (checkpoint?.finalizedBlock ?? 0) >= chain.finalized;
      if (checkpoint?.blockHash === head && isFinal) return;
      if (Date.now() > deadline) {
        throw new Error(`not at the head: ${JSON.stringify(checkpoint)} ${warnings.at(-1)}`);
      }
      await setImmediate();
    }
  };
  const stop = async () => {
    await indexer.stop();
    await adapter.close();
  };
  cleanups.push(stop);
  return { settle, stop };
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

/** When supplies were read depends on the run. */
async function readRows(store: MarketStore) {
  const { tokens, checkpoint, ...rows } = await readIndex(store);
  const counts = tokens.map(({ token, holders, tradeCount, balanceSumRaw, priceNative }) => ({
    ...{ token, holders, tradeCount, balanceSumRaw, priceNative },
  }));
  return { ...rows, counts, hash: checkpoint?.blockHash };
}

for (const seed of [1, 2, 3]) {
  it(`equals a fresh index after skips, forks and faults, seed ${seed}`, async () => {
    const random = createRandom(seed * 104_729);
    const scene = new RandomChain(random);
    const { chain } = scene;
    const [faulty, honest] = [await start(chain), await start(chain)];
    const store = await openStore();
    scene.grow(10);
    const running = startIndexer(store, [faulty, honest], chain);
    for (let round = 0; round < 8; round += 1) {
      faulty.misbehave(round % 2 === 0 ? createMischief(random) : null);
      if (round % 3 === 2) scene.fork();
      else scene.grow(1 + Math.floor(random() * 8));
      scene.finalize();
      await running.settle();
    }
    await running.stop();
    const fresh = await openStore();
    const again = startIndexer(fresh, [honest], chain);
    await again.settle();
    await again.stop();
    const rows = await readRows(store);
    assert.deepEqual(rows, await readRows(fresh));
    assert.ok(rows.trades.length > 10);
  });
}
