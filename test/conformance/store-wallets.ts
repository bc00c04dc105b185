// Conformance: what a wallet holds and trades, page by page, and a token's largest traders.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Address } from '../../src/model/ids.ts';
import type { PositionRecord } from '../../src/model/position.ts';
import { createPosition, foldTrade } from '../../src/positions/position-fold.ts';
import { computeVolumeStep, sumFigures } from '../../src/positions/position-periods.ts';
import type { TradePosition, TradeQuery } from '../../src/store/market-reads.ts';
import type { Store } from '../../src/store/store.ts';
import { fc } from '../fast-check.ts';
import { readPages } from '../read-pages.ts';
import { type CreatePlace, useStore } from './store-place.ts';
import { positionRecord, uniqueBy } from './store-records.ts';
import { buildTrade, toAddress, write } from './store-samples.ts';

const WALLET = toAddress(9001);
const OTHER = toAddress(9002);
const PAGES_MAX = 60;

export function describeWallets(createPlace: CreatePlace): void {
  describe('wallets', () => {
    const scene = useStore(createPlace);
    itKeepsPositions(() => scene.store);
    itPagesBalances(() => scene.store);
    itPagesPositions(() => scene.store);
    itPagesTrades(() => scene.store);
    itFindsLargest(() => scene.store);
  });
}

function itKeepsPositions(getStore: () => Store): void {
  it('returns positions exactly as they were put', async () => {
    const { market } = getStore();
    const rows = uniqueBy(positionRecord, (row) => `${row.token} ${row.wallet}`);
    const property = fc.asyncProperty(rows, async (positions) => {
      await write(getStore(), (transaction) => transaction.putPositions(positions));
      for (const position of positions) {
        assert.deepEqual(await market.readPositions('devnet', [position]), [position]);
      }
    });
    await fc.assert(property, { numRuns: 12, seed: 18 });
  });

  it('adds a position that is not stored, and refuses one that is', async () => {
    const position = buildPosition(toAddress(31_000), toAddress(31_001), '7');
    const add = () => write(getStore(), (transaction) => transaction.addPositions([position]));
    await add();
    assert.deepEqual(await getStore().market.readPositions('devnet', [position]), [position]);
    await assert.rejects(add());
  });
}

function buildPosition(token: Address, wallet: Address, valueUsd: string): PositionRecord {
  const trade = { ...buildTrade({ block: 1 }), side: 'buy', valueUsd } as const;
  return foldTrade(createPosition({ token, wallet }, trade.timestampMs), trade);
}

function itPagesBalances(getStore: () => Store): void {
  it('pages what an owner holds: each token once, although others come and go', async () => {
    const { market } = getStore();
    const tokens = Array.from({ length: 23 }, (_, index) => toAddress(20_000 + index));
    const late = toAddress(30_000);
    await write(getStore(), async (transaction) => {
      await transaction.putBalances(
        [WALLET, OTHER].flatMap((owner) =>
          tokens.map((token) => ({ token, owner, amountRaw: BigInt(token) })),
        ),
      );
    });
    for (const limit of [1, 7, 23, 50]) {
      let isFirst = true;
      const rows = await readPages(PAGES_MAX, async (after: Address | null) => {
        const page = await market.readBalancesOfOwner('devnet', WALLET, { after, limit });
        // The first one read goes away, and a new one comes.
        if (isFirst) {
          isFirst = false;
          const gone = { ...page[0]!, amountRaw: 0n };
          const added = { token: late, owner: WALLET, amountRaw: 1n };
          await write(getStore(), (transaction) => transaction.putBalances([gone, added]));
        }
        return { rows: page, next: page.length < limit ? null : (page.at(-1)?.token ?? null) };
      });
      const kept = rows.filter(({ token }) => token !== late);
      assert.deepEqual(new Set(kept.map(({ token }) => token)), new Set(tokens));
      assert.equal(new Set(rows.map(({ token }) => token)).size, rows.length);
      assert.ok(kept.every(({ token, amountRaw, owner }) => BigInt(token) === amountRaw && owner));
      await write(getStore(), (transaction) =>
        transaction.putBalances([{ ...rows[0]! }, { token: late, owner: WALLET, amountRaw: 0n }]),
      );
    }
    assert.deepEqual(
      await market.readBalancesOfOwner('base', WALLET, { after: null, limit: 5 }),
      [],
    );
  });
}

function itPagesPositions(getStore: () => Store): void {
  it('pages the positions of a wallet', async () => {
    const { market } = getStore();
    const wallet = toAddress(9100);
    const tokens = Array.from({ length: 11 }, (_, index) => toAddress(21_000 + index));
    const positions = tokens.map((token) => buildPosition(token, wallet, '5'));
    const foreign = buildPosition(tokens[0]!, OTHER, '5');
    await write(getStore(), (transaction) => transaction.putPositions([...positions, foreign]));
    for (const limit of [1, 4, 11, 12]) {
      const rows = await readPages(PAGES_MAX, async (after: Address | null) => {
        const page = await market.readPositionsOfWallet('devnet', wallet, { after, limit });
        return { rows: page, next: page.length < limit ? null : (page.at(-1)?.token ?? null) };
      });
      rows.sort((a, b) => (a.token < b.token ? -1 : 1));
      assert.deepEqual(rows, positions);
    }
  });
}

/** Two tokens of one swap share its block and log. */
function itPagesTrades(getStore: () => Store): void {
  it('pages the trades of a wallet: each once, both of a swap, and those of one token', async () => {
    const wallet = toAddress(9200);
    const tokens = [toAddress(22_001), toAddress(22_002), toAddress(22_003)];
    const trades = Array.from({ length: 60 }, (_, index) =>
      tokens.slice(0, 1 + (index % 3)).map((token) =>
        buildTrade({
          ...{ token, block: 500 + Math.floor(index / 4), logIndex: index % 4 },
          timestampMs: 1000 * Math.floor(index / 9),
          wallet: index % 5 === 0 ? OTHER : wallet,
        }),
      ),
    ).flat();
    await write(getStore(), (transaction) => transaction.insertTrades(trades));
    const own = trades.filter((trade) => trade.wallet === wallet);
    for (const token of [null, ...tokens]) {
      for (const limit of [1, 3, 7, 200]) {
        const query: Omit<TradeQuery, 'after'> = {
          ...{ token, wallet, pool: null, side: null, minUsd: null, order: 'newest', limit },
          range: { fromMs: 1000, toMs: 6000 },
        };
        const rows = await readPages(200, async (after: TradePosition | null) => {
          const page = await getStore().market.readTradePage('devnet', { ...query, after });
          return { rows: page.trades, next: page.next };
        });
        const expected = own.filter(
          (trade) =>
            (token === null || trade.token === token) &&
            trade.timestampMs >= 1000 &&
            trade.timestampMs < 6000,
        );
        const toKey = (trade: (typeof trades)[number]) =>
          `${trade.block} ${trade.logIndex} ${trade.token}`;
        assert.equal(new Set(rows.map(toKey)).size, rows.length, 'each once');
        assert.deepEqual(new Set(rows.map(toKey)), new Set(expected.map(toKey)));
        const blocks = rows.map(({ block }) => block);
        assert.deepEqual(
          blocks,
          blocks.toSorted((a, b) => b - a),
        );
      }
    }
  });
}

function itFindsLargest(getStore: () => Store): void {
  it('finds the positions of a token with the highest volumes first', async () => {
    const token = toAddress(23_000);
    const positions = Array.from({ length: 40 }, (_, index) =>
      buildPosition(token, toAddress(24_000 + index), `${(index * 7919) % 40}.5`),
    );
    const elsewhere = buildPosition(toAddress(23_001), toAddress(24_000), '1000');
    await write(getStore(), (transaction) => transaction.putPositions([...positions, elsewhere]));
    const { market } = getStore();
    const read = (query: { stepMax: number | null; limit: number; fromMs?: number }) =>
      market.readLargestPositions('devnet', token, { fromMs: 0, ...query });
    const { positions: found, lastStep } = await read({ stepMax: null, limit: 15 });
    const toStep = (position: PositionRecord) =>
      computeVolumeStep(sumFigures(position, 0).volumeUsdE6);
    assert.deepEqual(
      found.map(toStep),
      positions
        .map(toStep)
        .sort((a, b) => b - a)
        .slice(0, 15),
    );
    assert.ok(found.every((row) => row.token === token));
    assert.equal(lastStep, toStep(found.at(-1)!));
    const rest = await read({ stepMax: lastStep, limit: 41 });
    assert.equal(rest.lastStep, null, 'all were read');
    assert.deepEqual(
      rest.positions.map(toStep),
      positions
        .map(toStep)
        .filter((step) => step <= lastStep!)
        .sort((a, b) => b - a),
    );
  });

  it('leaves out what did not trade since a time, and says where it stopped all the same', async () => {
    const token = toAddress(25_000);
    const positions = Array.from({ length: 12 }, (_, index) => ({
      ...buildPosition(token, toAddress(26_000 + index), `${2 ** index}`),
      lastTradeAtMs: 2_000_000_000_000 + (index % 3),
    }));
    await write(getStore(), (transaction) => transaction.putPositions(positions));
    const found = await getStore().market.readLargestPositions('devnet', token, {
      ...{ stepMax: null, limit: 6, fromMs: 2_000_000_000_001 },
    });
    assert.deepEqual(
      found.positions.map(({ wallet }) => wallet),
      [11, 10, 8, 7].map((index) => toAddress(26_000 + index)),
    );
    assert.equal(found.lastStep, computeVolumeStep(BigInt(2 ** 6) * 10n ** 6n));
  });
}
