// A chain whose index begins late, and a full index of it to compare with.

import type { TestContext } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import type { IndexerOptions } from '../src/ingest/follow/indexer-options.ts';
import type { BackfillRecord } from '../src/model/backfill.ts';
import type { Address } from '../src/model/ids.ts';
import type { MarketStore } from '../src/store/store.ts';
import { createSqlitePlace, type StorePlace } from './conformance/store-place.ts';
import { FakeChain } from './fakes/fake-chain.ts';
import type { Faults } from './fakes/fake-faults.ts';
import { FAKE_TOKENS } from './fakes/fake-market.ts';
import { type IndexedChain, readIndex, startIndexer } from './fakes/indexed-chain.ts';

export interface BackfillScene {
  readonly chain: FakeChain;
  readonly startBlock: number;
  /** Its history is filled in. */
  readonly token: Address;
  readonly store: MarketStore;
  readonly place: StorePlace;
  /** Starts an indexer that begins late; the one before must have been stopped. */
  start(options?: Partial<IndexerOptions> & { readonly faults?: Faults }): IndexedChain;
  readJobs(): Promise<BackfillRecord[]>;
  /** Waits until every job of these tokens has ended and the index is at the head. */
  settle(indexed: IndexedChain, tokens?: readonly Address[]): Promise<void>;
  /** Every row of an index of the whole chain. */
  readFull(): Promise<Awaited<ReturnType<typeof readIndex>>>;
}

export interface SceneOptions {
  readonly seed: number;
  readonly blocks: number;
  /** Positions from one block to the next. */
  readonly spacing: number;
  readonly tokenCount?: number;
  /** How many pools after the anchor are between the native coin and the stable asset. */
  readonly coinPoolCount?: number;
  /** Which part of the blocks is older than the index, in per cent. */
  readonly olderPct?: number;
  readonly place?: StorePlace;
}

/** A generous limit: a backfill that hangs must fail, not hang the suite. */
const DEADLINE_MS = 300_000;

export function isEnded({ status }: BackfillRecord): boolean {
  return status === 'done' || status === 'failed';
}

/** The same for the same options, also after it was extended block by block. */
export function createLongChain(options: SceneOptions): FakeChain {
  const { seed, blocks, spacing } = options;
  const chain = new FakeChain({
    ...{ seed, finalityDepth: 12, clock: 'steady', seenWhole: true },
    market: {
      ...{ tokenCount: options.tokenCount ?? 1, poolCountMax: 6 },
      ...{ rankedOnly: true, positionCountMax: 25, coinPoolCount: options.coinPoolCount ?? 0 },
    },
  });
  for (let count = 1; count < blocks; count += 1) {
    chain.skipTo(chain.head.position + spacing);
    chain.extend(1);
  }
  return chain;
}

export async function createBackfillScene(
  t: TestContext,
  options: SceneOptions,
): Promise<BackfillScene> {
  const { blocks, olderPct = 90 } = options;
  const chain = createLongChain(options);
  const startBlock = chain.headerBelow(Math.floor((blocks * (100 - olderPct)) / 100)).position;
  const place = options.place ?? (await createSqlitePlace());
  const opened = await place.open();
  const indexers: IndexedChain[] = [];
  t.after(async () => {
    for (const { indexer } of indexers) await indexer.stop();
    await opened.close();
    await place.remove();
  });
  const store = opened.market;
  const token = FAKE_TOKENS[0]!;
  const readJobs = () => store.readBackfills('devnet', [token]);
  return {
    ...{ chain, startBlock, token, store, place, readJobs },
    start(more = {}) {
      const indexed = startIndexer(chain, store, {
        startBlock,
        adoption: { callsPerMinute: Number.POSITIVE_INFINITY },
        backfill: { callsPerMinute: Number.POSITIVE_INFINITY, tokensMax: 10 },
        ...more,
      });
      indexers.push(indexed);
      return indexed;
    },
    async settle(indexed, tokens = [token]) {
      const deadline = Date.now() + DEADLINE_MS;
      for (let turn = 1; ; turn += 1) {
        const jobs = await store.readBackfills('devnet', tokens);
        const begun = new Set(jobs.map((job) => job.token));
        const isWhole = tokens.every((one) => begun.has(one));
        if (isWhole && jobs.every(isEnded)) return await indexed.settle();
        // Some steps wait for blocks to become final.
        if (turn % 50 === 0) chain.extend(1);
        if (Date.now() > deadline) {
          const told = jobs.map(({ token: of, kind, status, nextBlock }) =>
            [of, kind, status, nextBlock].join(' '),
          );
          const warnings = indexed.warnings.slice(-3).join('; ');
          throw new Error(`not filled in: ${told.join(', ')}; ${warnings}`);
        }
        await setImmediate();
      }
    },
    async readFull() {
      const full = await createSqlitePlace();
      const whole = await full.open();
      const indexed = startIndexer(chain, whole.market);
      try {
        await indexed.settle();
        return await readIndex(whole.market);
      } finally {
        await indexed.indexer.stop();
        await whole.close();
        await full.remove();
      }
    },
  };
}
