// Which pools are called, how often, and which of their answers are believed.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { buildFakeAddress } from '../../../test/fakes/fake-market.ts';
import { ManualClock } from '../../../test/fakes/manual-clock.ts';
import { poolId } from '../../../test/test-ids.ts';
import type { TradeRouter } from '../../chains/trade-router.ts';
import type { PoolId } from '../../model/ids.ts';
import type { CandleRecord } from '../../model/market-record.ts';
import type { PoolRecord } from '../../model/pool.ts';
import { type OnChainAnswer, OnChainQuotes, type OnChainTrade } from './on-chain-quotes.ts';

type Options = ConstructorParameters<typeof OnChainQuotes>[0];
type QuotePools = Options['quotePools'];

const TOKEN = buildFakeAddress('aa', 1);
const USDC = buildFakeAddress('bb', 1);
const WRAPPED = buildFakeAddress('bb', 2);
const COIN = buildFakeAddress('bb', 3);
const HEAD_MS = 1_700_000_000_000;
const DAY_MS = 86_400_000;
const VAULT: TradeRouter = {
  ...{ name: 'vault', venues: new Set(['balancer-v2']), canDivide: false, canTax: false },
  ...{ outputCall: 'exactPath', isProven: true },
};
const TRADE: OnChainTrade = {
  ...{
    caller: 'one',
    tokenIn: TOKEN,
    tokenOut: USDC,
    ends: [TOKEN, USDC],
    amountIn: 10n ** 9n,
    amountOutMax: 10n ** 30n,
  },
  ...{ router: undefined, block: 7, headMs: HEAD_MS },
};

interface StoredPool {
  readonly number: number;
  readonly volumeUsd: string;
  /** How long ago it had that. */
  readonly ageMs?: number;
}

const HONEST: StoredPool = { number: 1, volumeUsd: '50000' };

function toId(number: number) {
  return poolId(buildFakeAddress('dd', number));
}

function buildRow(number: number): PoolRecord {
  return {
    ...{ pool: toId(number), token0: TOKEN, token1: USDC, vault: buildFakeAddress('dd', number) },
    ...{ kind: 'tradesOnly', terms: null, state: { last0: 1n, last1: 1n }, venue: 'balancer-v2' },
    ...{ feePips: 0, complete: true, createdBlock: number, createdAtMs: 0 },
    ...{ lastSwapAtMs: HEAD_MS - number, liquidityUsdE18: null },
  };
}

/** Pools that pay what a function says. */
function pay(compute: (amount: bigint, pool: PoolId) => bigint | null): QuotePools {
  return async ({ swaps, amounts }) =>
    swaps.map(({ pool: { pool } }) => {
      return { amountsOut: amounts.map((amount) => compute(amount, pool)), isStable: null };
    });
}

/** A pool that pays a part of the input, whatever it is. */
const payHalf = pay((amount) => amount / 2n);

function createScene(
  stored: readonly StoredPool[],
  quotePools: QuotePools = payHalf,
  hasCoin = false,
  router = VAULT,
) {
  const clock = new ManualClock();
  const asked: string[][] = [];
  const warnings: string[] = [];
  const reads = { count: 0, limit: 0, kind: '', failures: 0 };
  const quotes = new OnChainQuotes({
    ...{ chain: 'devnet', assets: { native: new Set(), stable: new Set([USDC]) }, clock },
    native: { coin: COIN, wrapped: WRAPPED },
    store: {
      readPoolsOfPair: async (_chain, pair, { kind, limit }) => {
        if (reads.failures > 0) {
          reads.failures -= 1;
          throw new Error('the store failed');
        }
        if (kind === 'concentrated') return [];
        if (pair.includes(COIN)) return hasCoin ? [{ ...buildRow(50), token1: COIN }] : [];
        Object.assign(reads, { count: reads.count + 1, limit, kind });
        return stored.map(({ number }) => buildRow(number)).slice(0, limit);
      },
      readCandleRanges: async (_chain, ranges) =>
        ranges.flatMap(({ token, pool, interval, fromMs, toMs }) => {
          const one = stored.find(({ number }) => toId(number) === pool) ?? HONEST;
          const openTimeMs = HEAD_MS - (one.ageMs ?? DAY_MS);
          if (openTimeMs < fromMs || openTimeMs >= toMs) return [];
          const quoteVolumeUsd = one.volumeUsd;
          return [{ token, pool, interval, openTimeMs, quoteVolumeUsd } as CandleRecord];
        }),
    },
    quotePools: async (query, signal) => {
      asked.push(query.swaps.map(({ pool: { pool } }) => pool));
      return quotePools(query, signal);
    },
    listRouters: () => [router],
    rules: {
      findHook: () => null,
      findSwapCost: () => ({ units: 1n }) as never,
      findHopBytes: () => ({ command: 'vault' }) as never,
    },
    log: { warn: (_: object, message: string) => void warnings.push(message) } as never,
  });
  const find = (more: Partial<OnChainTrade> = {}) => quotes.find({ ...TRADE, ...more });
  return { quotes, clock, asked, warnings, reads, find };
}

function requireRoute(answer: OnChainAnswer) {
  return answer.kind === 'found' ? answer.route : assert.fail(answer.kind);
}

describe('the pools that are called', () => {
  it('are those with the most volume, and none without', async () => {
    const idle = [2, 3, 4, 5, 6].map((number) => ({ number, volumeUsd: '999' }));
    const more = [7, 8, 9, 10].map((number) => ({ number, volumeUsd: `${number}000.5` }));
    const { find, asked } = createScene([...idle, ...more, HONEST]);
    await find();
    assert.deepEqual(asked, [[1, 10, 9, 8].map(toId)]);
  });

  it('had that volume lately', async () => {
    const { find, asked } = createScene([{ ...HONEST, ageMs: 8 * DAY_MS }]);
    assert.deepEqual(await find(), { kind: 'none' });
    assert.deepEqual(asked, []);
  });

  it('are read with a limit, of their kind only', async () => {
    const { find, reads } = createScene([HONEST]);
    await find();
    assert.deepEqual(reads, { count: 1, limit: 100, kind: 'tradesOnly', failures: 0 });
  });

  it('hold the native coin or the wrapped one, for either', async () => {
    const asked: (readonly [PoolId, boolean])[] = [];
    const quotePools: QuotePools = async (query, signal) => {
      asked.push(...query.swaps.map(({ pool, zeroForOne }) => [pool.pool, zeroForOne] as const));
      return payHalf(query, signal);
    };
    const { find } = createScene([], quotePools, true);
    const bought = requireRoute(await find({ tokenIn: WRAPPED, tokenOut: TOKEN }));
    const sold = requireRoute(await find({ tokenIn: TOKEN, tokenOut: WRAPPED }));
    assert.deepEqual(asked, [
      [toId(50), false],
      [toId(50), true],
    ]);
    assert.deepEqual([bought.pool.token1, sold.zeroForOne], [COIN, true]);
    assert.equal((await find()).kind, 'none');
  });

  it('have the coin in the form that is traded, if nothing on the way wraps it', async () => {
    const { find } = createScene([], payHalf, true, { ...VAULT, cannotWrap: true });
    const trade = { tokenIn: WRAPPED, tokenOut: TOKEN };
    assert.equal((await find({ ...trade, ends: [WRAPPED, TOKEN] })).kind, 'none');
    assert.equal((await find({ ...trade, ends: [COIN, TOKEN] })).kind, 'found');
  });

  it('are reached by the router that is asked for', async () => {
    const { find } = createScene([HONEST]);
    assert.equal((await find({ router: 'vault' })).kind, 'found');
    assert.equal((await find({ router: 'universal' })).kind, 'none');
  });

  it('are left out after failures of several wallets, not of one', async () => {
    const { quotes, clock, find } = createScene([HONEST]);
    const fail = (number: number) =>
      quotes.refuse({ pools: [toId(1)], wallet: buildFakeAddress('cc', number) });
    for (const wallet of [1, 1, 1, 1, 2]) fail(wallet);
    assert.equal((await find()).kind, 'found');
    fail(3);
    assert.equal((await find()).kind, 'none');
    clock.advance(600_000);
    assert.equal((await find()).kind, 'found');
  });
});

describe('an answer', () => {
  it('that pays more than is possible is not believed, and the next best counts', async () => {
    const lying: StoredPool = { number: 2, volumeUsd: '90000' };
    const { find } = createScene(
      [HONEST, lying],
      pay((amount, pool) => (pool === toId(2) ? amount * 9n : amount)),
    );
    const route = requireRoute(await find({ amountOutMax: (TRADE.amountIn * 105n) / 100n }));
    assert.deepEqual([route.pool.pool, route.amountOut], [toId(1), TRADE.amountIn]);
    assert.equal(requireRoute(await find()).pool.pool, toId(2));
  });

  it('shows its price by a part that pays enough units', async () => {
    // Pays nine tenths for the whole amount, and everything for the smaller ones, in few units.
    const whole = 10n ** 9n;
    const { find } = createScene(
      [HONEST],
      pay((amount) => (amount === whole ? (whole * 9n) / 100_000n : amount / 10_000n)),
    );
    const { pool, zeroForOne, amountOut } = requireRoute(await find({ amountIn: 10n ** 9n }));
    const { numerator, denominator } = pool.curve.midPrice(zeroForOne);
    const still = (10n ** 9n * numerator) / denominator;
    assert.ok(numerator >= 1000n, `${numerator}`);
    assert.ok(still > 99_000n && still < 101_000n, `${still}`);
    assert.equal(amountOut, 90_000n);
  });

  it('of so few units that it has no price is left out', async () => {
    const { find } = createScene(
      [HONEST],
      pay(() => 3n),
    );
    assert.deepEqual(await find(), { kind: 'none' });
  });
});

describe('calls', () => {
  it('are limited for each caller, and for all', async () => {
    const { find, clock, asked } = createScene([HONEST]);
    const callMany = async (caller: string) => {
      const kinds: string[] = [];
      for (let n = 0; n < 5; n += 1) kinds.push((await find({ caller })).kind);
      return kinds.filter((kind) => kind === 'found').length;
    };
    assert.deepEqual([await callMany('one'), await callMany('two')], [4, 4]);
    assert.deepEqual([await callMany('three'), asked.length], [0, 8]);
    assert.deepEqual(await find(), { kind: 'busy' });
    clock.advance(250);
    assert.equal((await find({ caller: 'three' })).kind, 'found');
    assert.equal((await find({ caller: 'three' })).kind, 'busy');
  });

  it('of a pair read its pools once in a while, in either direction', async () => {
    const stored: StoredPool[] = [];
    const { find, clock, reads } = createScene(stored);
    const { tokenIn, tokenOut } = TRADE;
    assert.deepEqual(await find(), { kind: 'none' });
    assert.deepEqual(await find({ tokenIn: tokenOut, tokenOut: tokenIn }), { kind: 'none' });
    assert.equal(reads.count, 1);
    stored.push(HONEST);
    clock.advance(4999);
    assert.deepEqual(await find(), { kind: 'none' });
    clock.advance(1);
    assert.equal((await find()).kind, 'found');
    assert.equal(reads.count, 2);
  });

  it('read the pools again if the store failed', async () => {
    const { find, reads } = createScene([HONEST]);
    reads.failures = 1;
    await assert.rejects(find(), /the store failed/);
    assert.equal((await find()).kind, 'found');
  });

  it('that are not made do not count', async () => {
    const { find } = createScene([]);
    for (let n = 0; n < 50; n += 1) assert.deepEqual(await find(), { kind: 'none' });
  });

  it('that fail are told from those that bring nothing, and logged', async () => {
    const broken = createScene([HONEST], async () => {
      throw new Error('no node');
    });
    assert.deepEqual(await broken.find(), { kind: 'failed' });
    assert.equal(broken.warnings.length, 1);
    const refusing = createScene(
      [HONEST],
      pay(() => null),
    );
    assert.deepEqual(await refusing.find(), { kind: 'none' });
    assert.equal(refusing.warnings.length, 0);
  });
});
