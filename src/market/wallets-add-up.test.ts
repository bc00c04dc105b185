// Pins what is told of wallets: balances are the chain's, positions and top traders are what an
// independent fold over trades and balances gives, also after reorganisations.

import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { FAKE_ASSETS } from '../../test/fakes/fake-market.ts';
import {
  createMarketScene,
  FAKE_MARKET_CHAIN,
  type Json,
  type MarketScene,
} from '../../test/market-scene.ts';
import { PAGES_MAX, readPages } from '../../test/read-pages.ts';
import type { Address } from '../model/ids.ts';
import type { TokenRecord, TradeRecord } from '../model/market-record.ts';
import { TRADER_WINDOWS, type TraderWindow } from '../model/position.ts';
import type { MarketChain } from './market-parts.ts';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const NATIVE_RAW = 7n * 10n ** 18n;

interface LoggedTrade {
  readonly timestampMs: number;
  readonly volume: bigint;
  readonly realised: bigint;
  readonly isBuy: boolean;
}

/** Written anew from the documents: units of known and of unknown cost in one heap. */
class Heap {
  known = 0n;
  cost = 0n;
  unknown = 0n;
  isWhole = true;
  readonly log: LoggedTrade[] = [];

  remove(amount: bigint): { known: bigint; cost: bigint } {
    const all = this.known + this.unknown;
    const known = all === 0n ? 0n : (this.known * amount) / all;
    const cost =
      known === 0n ? 0n : known === this.known ? this.cost : (this.cost * known) / this.known;
    this.known -= known;
    this.cost -= cost;
    this.unknown -= amount - known;
    return { known, cost };
  }

  setBalance(balance: bigint): void {
    const surplus = balance - this.known - this.unknown;
    if (surplus < 0n) this.remove(-surplus);
    if (surplus <= 0n) return;
    this.unknown += surplus;
    this.isWhole = false;
  }

  trade({ side, amountRaw, valueUsd, timestampMs }: TradeRecord): void {
    // Six decimals, the rest cut off.
    const [whole = '0', fraction = ''] = (valueUsd ?? '0').split('.');
    const value = BigInt(whole + fraction.slice(0, 6).padEnd(6, '0'));
    const isBuy = side === 'buy';
    let realised = 0n;
    if (valueUsd === null) this.isWhole = false;
    if (isBuy && valueUsd === null) this.unknown += amountRaw;
    if (isBuy && valueUsd !== null) {
      this.known += amountRaw;
      this.cost += value;
    }
    if (!isBuy && amountRaw > 0n) {
      if (amountRaw > this.known + this.unknown) {
        this.unknown = amountRaw - this.known;
        this.isWhole = false;
      }
      const { known, cost } = this.remove(amountRaw);
      if (valueUsd !== null) realised = (value * known) / amountRaw - cost;
    }
    this.log.push({ timestampMs, volume: value, realised, isBuy });
  }

  sum(fromMs: number) {
    const within = this.log.filter(({ timestampMs }) => timestampMs >= fromMs);
    return {
      volume: within.reduce((sum, { volume }) => sum + volume, 0n),
      realised: within.reduce((sum, { realised }) => sum + realised, 0n),
      buys: within.filter(({ isBuy }) => isBuy).length,
      sells: within.filter(({ isBuy }) => !isBuy).length,
    };
  }
}

type Heaps = Map<
  string,
  { readonly token: Address; readonly wallet: Address; readonly heap: Heap }
>;

async function readTrades({ store }: MarketScene): Promise<TradeRecord[]> {
  const trades: TradeRecord[] = [];
  for await (const page of store.market.scanTrades('devnet')) trades.push(...page);
  return trades;
}

async function readTokens({ store }: MarketScene): Promise<Map<Address, TokenRecord>> {
  const tokens = new Map<Address, TokenRecord>();
  for await (const page of store.market.scanTokens('devnet')) {
    for (const row of page) tokens.set(row.token, row);
  }
  return tokens;
}

/** Replays the chain's own blocks. */
async function foldAll(scene: MarketScene): Promise<Heaps> {
  const { chain } = scene;
  const byBlock = Map.groupBy(await readTrades(scene), ({ block }) => block);
  const heaps: Heaps = new Map();
  let balances: ReadonlyMap<string, bigint> = new Map();
  for (const { header } of chain.blocks(0, chain.head.position)) {
    const later = chain.worldAt(header.hash).balances;
    const trades = byBlock.get(header.position) ?? [];
    const touched = new Set<string>();
    for (const trade of trades) {
      const { token, wallet } = trade;
      const key = token + wallet;
      let entry = heaps.get(key);
      if (entry === undefined) {
        entry = { token, wallet, heap: new Heap() };
        heaps.set(key, entry);
      }
      if (!touched.has(key) && token !== FAKE_ASSETS.coin) {
        entry.heap.setBalance(balances.get(key) ?? 0n);
      }
      if (token === FAKE_ASSETS.coin) entry.heap.isWhole = false;
      touched.add(key);
      entry.heap.trade(trade);
    }
    for (const key of touched) {
      const entry = heaps.get(key)!;
      if (entry.token !== FAKE_ASSETS.coin) entry.heap.setBalance(later.get(key) ?? 0n);
    }
    balances = later;
  }
  for (const [key, { token, heap }] of heaps) {
    if (token !== FAKE_ASSETS.coin) heap.setBalance(balances.get(key) ?? 0n);
  }
  return heaps;
}

function toUsd(value: bigint): string {
  const digits = (value < 0n ? -value : value).toString().padStart(7, '0');
  const text = `${digits.slice(0, -6)}.${digits.slice(-6)}`.replace(/\.?0+$/, '');
  return value < 0n ? `-${text}` : text;
}

function buildFields(heap: Heap, fromMs: number, isComplete: boolean) {
  const { volume, realised, buys, sells } = heap.sum(fromMs);
  return {
    costBasisUsd: toUsd(heap.cost),
    realisedUsd: toUsd(realised),
    volumeUsd: toUsd(volume),
    buys,
    sells,
    firstTradeAt: heap.log[0]!.timestampMs,
    lastTradeAt: heap.log.at(-1)!.timestampMs,
    complete: heap.isWhole && isComplete,
  };
}

const FIELDS = [
  ...['costBasisUsd', 'realisedUsd', 'volumeUsd', 'buys', 'sells'],
  ...['firstTradeAt', 'lastTradeAt', 'complete'],
];

function pickFields(answer: Json) {
  return Object.fromEntries(FIELDS.map((field) => [field, answer[field]]));
}

function isComplete({ balancesBroken, supplyRaw, balanceSumRaw }: TokenRecord): boolean {
  return !balancesBroken && supplyRaw === balanceSumRaw;
}

async function readAll(
  scene: MarketScene,
  id: 'getWalletPositions' | 'getWalletBalances' | 'getWalletTrades',
  input: { readonly wallet: string; readonly limit: number; readonly mint?: string },
) {
  const rows: Record<typeof id, string> = {
    getWalletPositions: 'positions',
    getWalletBalances: 'balances',
    getWalletTrades: 'trades',
  };
  return await readPages(PAGES_MAX, async (cursor: string | null) => {
    const whole = { chain: 'devnet', ...input, ...(cursor === null ? {} : { cursor }) };
    const { json } = await scene.ask(id, whole);
    return { rows: json[rows[id]] as Json[], next: json.nextCursor };
  });
}

async function assertPositions(scene: MarketScene): Promise<number> {
  const heaps = [...(await foldAll(scene)).values()];
  const tokens = await readTokens(scene);
  const world = scene.chain.worldAt(scene.chain.head.hash);
  let complete = 0;
  for (const [wallet, own] of Map.groupBy(heaps, (one) => one.wallet)) {
    for (const limit of [3, 100]) {
      const positions = await readAll(scene, 'getWalletPositions', { wallet, limit });
      const byMint = new Map(positions.map((one) => [one.mint.toLowerCase(), one]));
      assert.equal(byMint.size, positions.length, 'each token once');
      assert.equal(positions.length, own.length);
      for (const { token, heap } of own) {
        const answer = byMint.get(token);
        const row = tokens.get(token)!;
        const expected = buildFields(heap, 0, isComplete(row));
        assert.deepEqual(pickFields(answer), expected, `${wallet} ${token}`);
        const isCoin = token === FAKE_ASSETS.coin;
        const held = isCoin ? NATIVE_RAW : (world.balances.get(token + wallet) ?? 0n);
        assert.equal(answer.amountRaw, held.toString());
        if (answer.complete) complete += 1;
      }
    }
  }
  return complete;
}

function findStart(window: TraderWindow, headMs: number): number {
  const day = Math.floor(headMs / DAY_MS) * DAY_MS;
  const hour = Math.floor(headMs / HOUR_MS) * HOUR_MS;
  return { '24h': hour - DAY_MS, '7d': day - 7 * DAY_MS, '30d': day - 30 * DAY_MS, all: 0 }[window];
}

async function assertTraders(scene: MarketScene): Promise<number> {
  const heaps = [...(await foldAll(scene)).values()];
  const tokens = await readTokens(scene);
  const { timestampMs } = (await scene.store.market.readCheckpoint('devnet'))!;
  let compared = 0;
  for (const [token, own] of Map.groupBy(heaps, (one) => one.token)) {
    for (const window of TRADER_WINDOWS) {
      const fromMs = findStart(window, timestampMs);
      for (const sort of ['realised', 'volume'] as const) {
        const expected = own
          .map(({ wallet, heap }) => ({ wallet, heap, sums: heap.sum(fromMs) }))
          .filter(({ sums }) => sums.buys + sums.sells > 0)
          .sort((a, b) => {
            if (a.sums[sort] !== b.sums[sort]) return a.sums[sort] > b.sums[sort] ? -1 : 1;
            return a.wallet < b.wallet ? -1 : 1;
          })
          .slice(0, 4);
        const input = { chain: 'devnet', mint: token, window, sort, limit: 4 };
        const { json } = await scene.ask('getTraders', input);
        assert.equal(json.comparedFromUsd, null);
        assert.deepEqual(
          json.traders.map((trader: Json) => [trader.wallet.toLowerCase(), pickFields(trader)]),
          expected.map(({ wallet, heap }) => {
            return [wallet, buildFields(heap, fromMs, isComplete(tokens.get(token)!))];
          }),
          `${token} ${window} ${sort}`,
        );
        if (window !== 'all') compared += json.traders.length;
      }
    }
  }
  return compared;
}

async function assertBalances(scene: MarketScene): Promise<Set<string>> {
  const sources = new Set<string>();
  const world = scene.chain.worldAt(scene.chain.head.hash);
  const wallets = new Set([...world.balances.keys()].map((key) => key.slice(42)));
  for (const wallet of wallets) {
    const expected = [...world.balances]
      .filter(([key, amount]) => key.slice(42) === wallet && amount > 0n)
      .map(([key, amount]) => [key.slice(0, 42), amount.toString()]);
    for (const limit of [2, 100]) {
      const rows = await readAll(scene, 'getWalletBalances', { wallet, limit });
      assert.deepEqual(
        rows.map(({ mint, amountRaw }) => [mint.toLowerCase(), amountRaw]).sort(),
        expected.sort(),
      );
      for (const { source } of rows) sources.add(source);
    }
    const { json } = await scene.ask('getWalletBalances', { chain: 'devnet', wallet });
    assert.equal(json.native.amountRaw, NATIVE_RAW.toString());
    assert.equal(json.coverage.node, 'answered');
  }
  return sources;
}

async function assertTrades(scene: MarketScene): Promise<void> {
  const trades = await readTrades(scene);
  const toId = (trade: TradeRecord) => `${trade.txHash}:${trade.index} ${trade.token}`;
  for (const [wallet, own] of Map.groupBy(trades, (trade) => trade.wallet)) {
    for (const limit of [7, 100]) {
      const rows = await readAll(scene, 'getWalletTrades', { wallet, limit });
      assert.deepEqual(
        rows.map((row) => `${row.txHash}:${row.index} ${row.token.mint.toLowerCase()}`).sort(),
        own.map(toId).sort(),
      );
    }
    const mint = own[0]!.token;
    const rows = await readAll(scene, 'getWalletTrades', { wallet, mint, limit: 9 });
    assert.equal(rows.length, own.filter(({ token }) => token === mint).length);
  }
}

for (const engine of ['sqlite', 'postgres'] as const) {
  describe(`wallets on ${engine}`, () => {
    const cleanups: (() => unknown)[] = [];
    let scene: MarketScene;
    before(async () => {
      const t = { after: (work: () => unknown) => cleanups.unshift(work) };
      const node: MarketChain = {
        ...FAKE_MARKET_CHAIN,
        readHoldings: async ({ owner, tokens, block }) => {
          const { balances } = scene.chain.worldAt(block.hash);
          const amountsRaw = tokens.map((token) => balances.get(token + owner) ?? 0n);
          return { nativeRaw: NATIVE_RAW, amountsRaw };
        },
      };
      // Five hours from block to block, so that the longest window does not hold everything.
      const options = { seed: 18, finalityDepth: 20, blocks: 40, eventCountMax: 16 };
      const blockMs = 5 * HOUR_MS;
      scene = await createMarketScene(t as never, { engine, ...options, blockMs, node });
    });
    after(async () => {
      for (const cleanup of cleanups) await cleanup();
    });

    test('balances are those of the chain, from the index or from its node', async () => {
      assert.deepEqual([...(await assertBalances(scene))].sort(), ['index', 'node']);
    });

    test('trades of a wallet are all of its trades, each once', () => assertTrades(scene));

    test('positions and top traders are what a fold over trades and transfers gives', async () => {
      assert.ok((await assertPositions(scene)) > 0, 'some are complete');
      assert.ok((await assertTraders(scene)) > 10);
    });

    test('the same later, and after reorganisations', async () => {
      scene.chain.extend(110);
      await scene.settle();
      for (const depth of [1, 4, 12]) {
        assert.equal(scene.chain.reorganise(depth, depth + 1), depth);
        await scene.settle();
        await assertPositions(scene);
        await assertTraders(scene);
        await assertBalances(scene);
        await assertTrades(scene);
      }
    });

    test('pages of positions and trades neither skip nor repeat while data arrive', async () => {
      const [first] = await readTrades(scene);
      const { wallet } = first!;
      const list = async (id: 'getWalletPositions' | 'getWalletTrades') => {
        const before = await readAll(scene, id, { wallet, limit: 100 });
        const paged = await readPages(PAGES_MAX, async (cursor: string | null) => {
          const input = { chain: 'devnet', wallet, limit: 2 };
          const { json } = await scene.ask(id, {
            ...input,
            ...(cursor === null ? {} : { cursor }),
          });
          if (scene.chain.head.position < 400) {
            scene.chain.extend(1);
            await scene.settle();
          }
          return { rows: (json.positions ?? json.trades) as Json[], next: json.nextCursor };
        });
        const ids = paged.map((row) => row.mint ?? `${row.id} ${row.token.mint}`);
        assert.equal(new Set(ids).size, ids.length, 'none twice');
        const known = before.map((row) => row.mint ?? `${row.id} ${row.token.mint}`);
        assert.ok(
          known.every((one) => ids.includes(one)),
          'none skipped',
        );
      };
      await list('getWalletPositions');
      await list('getWalletTrades');
    });
  });
}
