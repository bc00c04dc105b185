// Blocks that share a second keep their order: in candles, on pages and behind cursors, for readers
// that resume, and after a reorganisation in the middle of the second.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createSqlitePlace } from '../../../test/conformance/store-place.ts';
import { FakeChain } from '../../../test/fakes/fake-chain.ts';
import { readIndex, startIndexer } from '../../../test/fakes/indexed-chain.ts';
import { foldTrades } from '../../candles/derive-klines.ts';
import type { Address } from '../../model/ids.ts';
import type { CandleRecord, TradeRecord } from '../../model/market-record.ts';
import type { TradePosition } from '../../store/market-reads.ts';
import type { MarketStore } from '../../store/store.ts';

const BLOCKS_PER_SECOND = 5;
const CHAIN = 'devnet';

/** Five blocks of one second each, as a node that gives no milliseconds tells them. */
function extend(chain: FakeChain, count: number): void {
  for (let n = 0; n < count; n += 1) {
    const isNext = (chain.head.position + 1) % BLOCKS_PER_SECOND === 0;
    chain.extend(1, undefined, isNext ? 1000 : 0);
  }
}

async function withStore(work: (store: MarketStore) => Promise<void>): Promise<void> {
  const place = await createSqlitePlace();
  const store = await place.open();
  try {
    await work(store.market);
  } finally {
    await store.close();
    await place.remove();
  }
}

async function readAll<Row>(scan: AsyncIterable<readonly Row[]>): Promise<Row[]> {
  const rows: Row[] = [];
  for await (const page of scan) rows.push(...page);
  return rows;
}

/** In chain order. */
async function readByToken(store: MarketStore): Promise<Map<Address, TradeRecord[]>> {
  const trades = await readAll(store.scanTrades(CHAIN));
  trades.sort((a, b) => a.block - b.block || a.logIndex - b.logIndex);
  return Map.groupBy(trades, ({ token }) => token);
}

async function readPages(store: MarketStore, token: Address, order: 'newest' | 'oldest') {
  const found: TradeRecord[] = [];
  let after: TradePosition | null = null;
  do {
    const { trades, next }: { trades: readonly TradeRecord[]; next: TradePosition | null } =
      await store.readTradePage(CHAIN, {
        ...{ token, order, after, limit: 3, pool: null, side: null, wallet: null, minUsd: null },
        range: { fromMs: 0, toMs: Number.MAX_SAFE_INTEGER },
      });
    found.push(...trades);
    after = next;
  } while (after !== null);
  return found;
}

const toPlace = ({ block, logIndex }: TradeRecord) => `${block} ${logIndex}`;

async function assertOrdered(store: MarketStore): Promise<void> {
  const candles = await readAll(store.scanCandles(CHAIN));
  let shared = 0;
  for (const [token, trades] of await readByToken(store)) {
    const places = trades.map(toPlace);
    assert.deepEqual((await readPages(store, token, 'oldest')).map(toPlace), places);
    assert.deepEqual((await readPages(store, token, 'newest')).map(toPlace), places.toReversed());
    for (const interval of ['5s', '1m'] as const) {
      const isSame = (one: CandleRecord) =>
        one.token === token && one.pool === null && one.interval === interval;
      const stored = candles.filter(isSame).sort((a, b) => a.openTimeMs - b.openTimeMs);
      assert.deepEqual(stored, foldTrades({ token, pool: null, interval }, trades));
    }
    for (const [index, trade] of trades.entries()) {
      const before = trades[index - 1];
      if (before?.timestampMs === trade.timestampMs && before.block < trade.block) shared += 1;
      const wanted = { after: trade, sinceMs: trade.timestampMs, limit: 5 };
      const rest = await store.readTradesAfter(CHAIN, token, wanted);
      assert.deepEqual(rest.map(toPlace), places.slice(index + 1, index + 6), 'resumed');
    }
  }
  assert.ok(shared > 20, `${shared} trades share a second with one of an earlier block`);
}

test('trades of blocks of one second are in chain order, also after a reorganisation in it', () =>
  withStore(async (store) => {
    const chain = new FakeChain({ seed: 77, finalityDepth: 30, seenWhole: true });
    extend(chain, 40);
    const { settle, indexer, events } = startIndexer(chain, store);
    await settle();
    // One block a commit, then several at once.
    for (let n = 0; n < 12; n += 1) {
      extend(chain, n < 6 ? 1 : 3);
      await settle();
    }
    await assertOrdered(store);
    const told = events.flatMap(({ trades }) =>
      trades.map(({ block, logIndex }) => [block, logIndex]),
    );
    const sorted = told.toSorted(([a = 0, b = 0], [c = 0, d = 0]) => a - c || b - d);
    assert.deepEqual(told, sorted, 'as streams get them');
    const { position, timestampMs } = chain.head;
    assert.equal(chain.headerBelow(2).timestampMs, timestampMs, `in the second of ${position}`);
    chain.reorganise(2, 1);
    extend(chain, 12);
    await settle();
    await indexer.stop();
    await assertOrdered(store);
    await withStore(async (other) => {
      const fresh = startIndexer(chain, other);
      await fresh.settle();
      await fresh.indexer.stop();
      assert.deepEqual(await readIndex(store), await readIndex(other));
    });
  }));
