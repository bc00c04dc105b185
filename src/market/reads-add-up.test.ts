// Pins that the reads agree with each other: trades fold to klines, holders add up to the supply.

import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { foldAsClient, round18, toFixed, toText } from '../../test/client-fold.ts';
import { FAKE_ASSETS } from '../../test/fakes/fake-market.ts';
import { createMarketScene, type Json, type MarketScene } from '../../test/market-scene.ts';
import { PAGES_MAX, readPages } from '../../test/read-pages.ts';
import { KLINE_INTERVALS } from '../model/market-record.ts';

const CLIENT_FIELDS = [
  'openTime',
  'open',
  'high',
  'low',
  'close',
  'volume',
  'quoteVolume',
  'trades',
  'buys',
  'sells',
] as const;

async function listTokens({ store }: MarketScene): Promise<string[]> {
  const tokens: string[] = [];
  for await (const page of store.market.scanListings('devnet')) {
    tokens.push(...page.map(({ token }) => token));
  }
  return tokens;
}

async function readAllTrades({ ask }: MarketScene, mint: string): Promise<Json[]> {
  const trades = await readPages(PAGES_MAX, async (cursor: string | null) => {
    const input = { chain: 'devnet', mint, limit: 97, ...(cursor === null ? {} : { cursor }) };
    const { json } = await ask('getTrades', input);
    return { rows: json.trades as Json[], next: json.nextCursor };
  });
  // Each once, in the order of the chain, regardless of its clock.
  assert.equal(new Set(trades.map(({ id }) => id)).size, trades.length);
  const blocks = trades.map(({ block }) => block);
  assert.deepEqual(
    blocks,
    blocks.toSorted((a, b) => b - a),
  );
  return trades.reverse();
}

async function assertFolds(
  scene: MarketScene,
  series: { readonly mint: string; readonly trades: readonly Json[]; readonly pool?: string },
): Promise<void> {
  const { mint, trades, pool } = series;
  for (const interval of KLINE_INTERVALS) {
    for (const currency of ['usd', 'native'] as const) {
      const { json } = await scene.ask('getKlines', {
        ...{ chain: 'devnet', mint, interval, currency, limit: 5000, outliers: 'include' },
        ...(pool === undefined ? {} : { pool }),
      });
      const answered = json.klines.map((kline: Json) =>
        Object.fromEntries(CLIENT_FIELDS.map((field) => [field, kline[field]])),
      );
      const folded = foldAsClient(trades as never, interval, currency);
      assert.deepEqual(answered, folded, `${mint} ${interval} ${currency} ${pool}`);
    }
  }
}

/** As if the quote token were the native coin. */
function priceInQuote(trade: Json): Json {
  const { amountRaw, amount, quote } = trade;
  const isPriced = amountRaw !== '0' && quote.amountRaw !== '0' && amount !== null;
  if (!isPriced || quote.amount === null) return { ...trade, priceNative: null, valueNative: null };
  const price = (toFixed(quote.amount) * toFixed('1')) / toFixed(amount);
  return { ...trade, priceNative: toText(round18(price)), valueNative: quote.amount };
}

for (const engine of ['sqlite', 'postgres'] as const) {
  describe(`on ${engine}`, () => {
    const cleanups: (() => unknown)[] = [];
    let scene: MarketScene;
    before(async () => {
      const t = { after: (work: () => unknown) => cleanups.unshift(work) };
      const uneven = { clock: 'wild', gaps: true } as const;
      const options = { seed: 41, finalityDepth: 20, blocks: 260, eventCountMax: 16, ...uneven };
      scene = await createMarketScene(t as never, { engine, ...options });
      assert.ok(scene.chain.stepsBack > 0 && scene.chain.skipped > 0);
    });
    after(async () => {
      for (const cleanup of cleanups) await cleanup();
    });

    test('a client that folds trades gets the klines, to the digit', async () => {
      let folded = 0;
      for (const mint of await listTokens(scene)) {
        const trades = await readAllTrades(scene, mint);
        if (trades.length === 0) continue;
        folded += trades.length;
        await assertFolds(scene, { mint, trades });
        const [pool] = new Set(trades.map((trade) => trade.pool));
        const ofPool = trades.filter((trade) => trade.pool === pool);
        await assertFolds(scene, { mint, trades: ofPool, pool });
      }
      assert.ok(folded > 500, `${folded} trades are too few to prove anything`);
    });

    test('klines in the quote token are those of its amounts', async () => {
      const folded = { quote: 0, stable: 0, native: 0 };
      for (const mint of await listTokens(scene)) {
        const trades = await readAllTrades(scene, mint);
        for (const [pool, ofPool] of Map.groupBy(trades, (trade): string => trade.pool)) {
          const { mint: quote } = ofPool[0].quote;
          const has = (assets: ReadonlySet<string>, token: string) =>
            assets.has(token.toLowerCase());
          const rank = has(FAKE_ASSETS.stable, quote) ? 'stable' : 'native';
          const isOfTokens = !has(FAKE_ASSETS.stable, quote) && !has(FAKE_ASSETS.native, quote);
          folded[isOfTokens ? 'quote' : rank] += ofPool.length;
          for (const interval of ['1s', '4h'] as const) {
            const asked = { chain: 'devnet', mint, pool, interval, currency: 'quote', limit: 5000 };
            const { json } = await scene.ask('getKlines', { ...asked, outliers: 'include' });
            const answered = json.klines.map((kline: Json) =>
              Object.fromEntries(CLIENT_FIELDS.map((field) => [field, kline[field]])),
            );
            const expected = foldAsClient(ofPool.map(priceInQuote), interval, 'native');
            assert.deepEqual(answered, expected, `${mint} ${interval} ${pool}`);
            assert.equal(json.currency, 'quote');
          }
        }
      }
      assert.ok(Math.min(...Object.values(folded)) > 20, JSON.stringify(folded));
      const [mint] = await listTokens(scene);
      const alone = { chain: 'devnet', mint, interval: '1m', currency: 'quote' };
      await assert.rejects(scene.ask('getKlines', alone), /pool/);
    });

    test('complete holders add up to the supply', async () => {
      let complete = 0;
      for (const mint of await listTokens(scene)) {
        let last: Json = null;
        const rows = await readPages(PAGES_MAX, async (cursor: string | null) => {
          const input = { chain: 'devnet', mint, limit: 2, ...(cursor === null ? {} : { cursor }) };
          last = (await scene.ask('getHolders', input)).json;
          return { rows: last.holders as Json[], next: last.nextCursor };
        });
        const owners = new Map(rows.map(({ owner, amountRaw }) => [owner, BigInt(amountRaw)]));
        if (last.total === null) continue;
        assert.equal(owners.size, last.total);
        if (!last.coverage.holdersComplete) continue;
        complete += 1;
        const sum = [...owners.values()].reduce((total, amount) => total + amount, 0n);
        assert.equal(sum.toString(), last.totalSupplyRaw);
      }
      assert.ok(complete > 0);
    });
  });
}
