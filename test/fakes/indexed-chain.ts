// An indexer on a fake chain, and everything it stored, for comparing indexes.

import { setImmediate } from 'node:timers/promises';
import type { CommittedEvent } from '../../src/ingest/commit/commit-batch.ts';
import { Indexer } from '../../src/ingest/follow/indexer.ts';
import type { IndexerOptions } from '../../src/ingest/follow/indexer-options.ts';
import type { ChainSlug } from '../../src/model/chain.ts';
import type { TokenRecord } from '../../src/model/market-record.ts';
import type { MarketStore } from '../../src/store/store.ts';
import { FakeAdapter, type FakeChain } from './fake-chain.ts';
import type { Faults } from './fake-faults.ts';
import { ManualClock } from './manual-clock.ts';

export interface IndexedChain {
  readonly indexer: Indexer;
  readonly adapter: FakeAdapter;
  readonly clock: ManualClock;
  readonly events: CommittedEvent[];
  readonly warnings: string[];
  /** Waits until the index is at the chain's head. */
  settle(waitMaxMs?: number): Promise<void>;
}

/** Sleeps take no time, so the indexer polls as fast as it can. */
export function startIndexer(
  chain: FakeChain,
  store: MarketStore,
  options: Partial<IndexerOptions> & {
    readonly faults?: Faults;
    /** `devnet` by default. */
    readonly slug?: ChainSlug;
  } = {},
): IndexedChain {
  const { faults, slug = 'devnet', ...overrides } = options;
  const adapter = new FakeAdapter(chain, faults);
  adapter.chain = slug;
  adapter.startBlock = overrides.startBlock ?? 0;
  const clock = new ManualClock();
  const events: CommittedEvent[] = [];
  const warnings: string[] = [];
  const indexer = new Indexer({
    adapter,
    store,
    startBlock: 0,
    pollIntervalMs: 1000,
    sizes: { blockCountMax: 7, eventCountMax: 50 },
    backoff: { baseMs: 100, maxMs: 1000 },
    failureCountMax: 5,
    stallAfterMs: 60_000,
    headStallAfterMs: null,
    clock,
    sleep: async (ms, signal) => {
      clock.advance(ms);
      await setImmediate();
      signal?.throwIfAborted();
    },
    random: () => 0.5,
    log: {
      info: () => undefined,
      warn: (fields, message) => {
        const cause = 'err' in fields && fields.err instanceof Error ? fields.err.message : '';
        warnings.push(`${message} ${cause}`.trim());
      },
    },
    onCommitted: (event) => events.push(event),
    ...overrides,
  });
  indexer.start();
  const settle = async (waitMaxMs = 20_000): Promise<void> => {
    const deadline = Date.now() + waitMaxMs;
    for (;;) {
      const checkpoint = await store.readCheckpoint(slug);
      const isThere = checkpoint?.blockHash === chain.head.hash;
      if (isThere && checkpoint.finalizedBlock >= chain.finalized && (await isAsked(store, slug)))
        return;
      if (Date.now() > deadline) {
        await indexer.stop();
        throw new Error(`not at the head: ${JSON.stringify(indexer.status())} ${warnings.at(-1)}`);
      }
      await setImmediate();
    }
  };
  return { indexer, adapter, clock, events, warnings, settle };
}

/** Whether every supply is known as of the stored balances. */
async function isAsked(store: MarketStore, slug: ChainSlug): Promise<boolean> {
  for await (const rows of store.scanTokens(slug)) {
    for (const row of rows) {
      if (row.token.replace(/^0x0*/, '') === '') continue;
      if (row.supplyBlock === null || row.supplyBalanceSumRaw !== row.balanceSumRaw) return false;
    }
  }
  return true;
}

async function collect<T>(scan: AsyncIterable<readonly T[]>): Promise<T[]> {
  const all: T[] = [];
  for await (const rows of scan) all.push(...rows);
  return all;
}

/** A scan's order is stable within one store, but may differ between stores. */
async function collectBy<T>(
  scan: AsyncIterable<readonly T[]>,
  toKey: (row: T) => string,
): Promise<T[]> {
  const all = (await collect(scan)).map((row) => ({ row, key: toKey(row) }));
  return all.sort((a, b) => (a.key < b.key ? -1 : 1)).map(({ row }) => row);
}

function toSortable(number: number): string {
  return number.toString().padStart(9, '0');
}

/** When a supply was read depends on batch boundaries; its value does not. */
function withoutSupplyBlock(row: TokenRecord): TokenRecord {
  return { ...row, supplyBlock: null };
}

/** Every row of the index; two indexes of one branch are equal. */
export async function readIndex(store: MarketStore) {
  const checkpoint = await store.readCheckpoint('devnet');
  return {
    checkpoint: checkpoint && { ...checkpoint, version: 0, startAtMs: 0 },
    tokens: (await collectBy(store.scanTokens('devnet'), (row) => row.token)).map(
      withoutSupplyBlock,
    ),
    pools: await collectBy(store.scanPools('devnet'), (row) => row.pool),
    ticks: await collectBy(store.scanTicks('devnet'), (row) => `${row.pool} ${row.tick}`),
    balances: await collectBy(store.scanBalances('devnet'), (row) => `${row.token} ${row.owner}`),
    positions: await collectBy(
      store.scanPositions('devnet'),
      (row) => `${row.token} ${row.wallet}`,
    ),
    trades: await collectBy(
      store.scanTrades('devnet'),
      ({ block, logIndex, token }) => `${toSortable(block)} ${toSortable(logIndex)} ${token}`,
    ),
    candles: await collectBy(
      store.scanCandles('devnet'),
      (row) => `${row.token} ${row.pool} ${row.interval} ${row.openTimeMs}`,
    ),
  };
}
