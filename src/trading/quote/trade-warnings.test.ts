// Each warning appears exactly when its condition holds.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { address } from '../../../test/test-ids.ts';
import type { Checkpoint, TokenRecord } from '../../model/market-record.ts';
import type { HookClass } from '../../model/pool-hook.ts';
import { WARNING_CODES } from './priced-trade.ts';
import { findWarnings, type WarningFacts } from './trade-warnings.ts';

const NOW_MS = 1_790_000_000_000;
const DAY_MS = 86_400_000;
const E18 = 10n ** 18n;

const TOKEN: TokenRecord = {
  token: address(`0x${'11'.repeat(20)}`),
  symbol: 'T',
  name: 'T',
  decimals: 18,
  firstSeenBlock: 1,
  firstSeenAtMs: NOW_MS - 2 * DAY_MS,
  balanceSumRaw: 5n,
  holders: 1,
  balancesBroken: false,
  supplyRaw: 5n,
  supplyBlock: 1,
  supplyBalanceSumRaw: 5n,
  priceNative: null,
  priceUsd: null,
  lastTradeAtMs: null,
  tradeCount: 0,
  liquidityUsdE18: 50_000n * E18,
  pairedPool: null,
  pairedUsdE18: null,
};

const SAFE = { buyTaxBps: 0, sellTaxBps: 0, sellable: true, checkedAtMs: NOW_MS - 1000 };
const FEES = { perUnit: 2n, perUnitMax: 3n, data: { kind: 'none' } as const };
const CHECKPOINT = { timestampMs: NOW_MS - 5000 } as Checkpoint;

const QUIET: WarningFacts = {
  trade: {
    request: {
      chain: 'base',
      mint: TOKEN.token,
      side: 'buy',
      quoteMint: address(`0x${'00'.repeat(20)}`),
      fixed: 'input',
      amountRaw: 1n,
      slippageBps: 50,
      priority: 'medium',
    },
    slippageBps: 50,
    priceImpactBps: 299,
    networkFees: FEES,
  },
  route: { amountIn: 1n, amountOut: 1n, swapPaths: [], legs: [], cost: 0n, exact: true },
  isInputGiven: false,
  isPriceUnbounded: false,
  hasNoDeadline: false,
  openFlags: '',
  token: TOKEN,
  isTrusted: false,
  lookalike: null,
  powers: null,
  safety: SAFE,
  unitName: 'gas',
  isMeasured: true,
  isDoubted: false,
  isFeeCertain: true,
  checkpoint: CHECKPOINT,
  isBehind: false,
  isEverMoving: true,
  isLoaded: true,
  nowMs: NOW_MS,
};

function listCodes(facts: Partial<WarningFacts>): string[] {
  return findWarnings({ ...QUIET, ...facts }).map(({ code }) => code);
}

function withTrade(trade: Partial<WarningFacts['trade']>): Partial<WarningFacts> {
  return { trade: { ...QUIET.trade, ...trade } };
}

function withPool(inexact: 'ticks' | 'unchecked'): Partial<WarningFacts> {
  const flags = 'limitOrders feeScheduler';
  const openFlags = inexact === 'unchecked' ? flags : '';
  const hops = [{ pool: { inexact, unchecked: flags } }] as never;
  const swapPaths = [{ takes: 'input' as const, amountIn: 1n, amountOut: 1n, hops }];
  return { route: { ...QUIET.route, swapPaths }, openFlags };
}

function withHooks(...classes: readonly HookClass[]): Partial<WarningFacts> {
  const hops = classes.map((name) => ({ pool: { inexact: null, hook: { class: name } } })) as never;
  const swapPaths = [{ takes: 'input' as const, amountIn: 1n, amountOut: 1n, hops }];
  return { route: { ...QUIET.route, swapPaths } };
}

/** A token in between: what is bought of it, and what is spent. */
function withReserve(amountOut: bigint, amountIn: bigint): Partial<WarningFacts> {
  const pool = { inexact: null };
  const hops = [
    { pool, amountOut },
    { pool, amountIn },
  ] as never;
  const swapPaths = [{ takes: 'input' as const, amountIn: 1n, amountOut: 1n, hops }];
  return { route: { ...QUIET.route, swapPaths } };
}

const CASES: readonly (readonly [string, Partial<WarningFacts>, readonly string[]])[] = [
  ['nothing is wrong', {}, []],
  ['the price moves by 3 %', withTrade({ priceImpactBps: 300 }), ['PRICE_IMPACT_HIGH']],
  ['5 % of slippage', withTrade({ slippageBps: 500 }), []],
  ['more than 5 % of slippage', withTrade({ slippageBps: 501 }), ['SLIPPAGE_HIGH']],
  ['10,000 USD', { token: { ...TOKEN, liquidityUsdE18: 10_000n * E18 } }, []],
  [
    'less than 10,000 USD',
    { token: { ...TOKEN, liquidityUsdE18: 10_000n * E18 - 1n } },
    ['THIN_LIQUIDITY'],
  ],
  [
    'only a shallow pool against another token',
    { token: { ...TOKEN, liquidityUsdE18: 0n, pairedUsdE18: 9n * E18 } },
    ['THIN_LIQUIDITY'],
  ],
  ['liquidity that nobody knows', { token: { ...TOKEN, liquidityUsdE18: null } }, []],
  ['a shallow stable asset', { token: { ...TOKEN, liquidityUsdE18: 1n }, isTrusted: true }, []],
  ['the native coin', { token: null }, []],
  [
    'less than a day old',
    { token: { ...TOKEN, firstSeenAtMs: CHECKPOINT.timestampMs - DAY_MS + 1 } },
    ['FRESH_TOKEN'],
  ],
  ['a day old', { token: { ...TOKEN, firstSeenAtMs: CHECKPOINT.timestampMs - DAY_MS } }, []],
  [
    'first seen today, but its past is not known',
    { token: { ...TOKEN, firstSeenAtMs: NOW_MS, supplyBalanceSumRaw: 4n } },
    [],
  ],
  ['indexing is behind', { isBehind: true }, ['STALE_HEAD']],
  [
    'the newest block is old',
    { checkpoint: { ...CHECKPOINT, timestampMs: NOW_MS - 120_001 } },
    ['STALE_HEAD'],
  ],
  [
    'a chain that may rest',
    { checkpoint: { ...CHECKPOINT, timestampMs: NOW_MS - 900_000 }, isEverMoving: false },
    [],
  ],
  ['not looked at', { safety: null }, ['SAFETY_UNKNOWN']],
  ['a pool on the way not looked at', { isMeasured: false }, ['SAFETY_UNKNOWN']],
  [
    'looked at more than half an hour ago',
    { safety: { ...SAFE, checkedAtMs: NOW_MS - 1_800_001 } },
    ['SAFETY_UNKNOWN'],
  ],
  ['looked at half an hour ago', { safety: { ...SAFE, checkedAtMs: NOW_MS - 1_800_000 } }, []],
  ['something spoke against the last look', { isDoubted: true }, ['SAFETY_STALE']],
  ['a sale that burns gas', { safety: { ...SAFE, sellUnits: 900_000 } }, ['SELL_GAS_HIGH']],
  ['a tax on buying', { safety: { ...SAFE, buyTaxBps: 1 } }, ['TAXED_TOKEN']],
  ['a loss of next to nothing', { safety: { ...SAFE, buyTaxBps: 0.01, sellTaxBps: 0.01 } }, []],
  ['a tax on selling', { safety: { ...SAFE, sellTaxBps: 700 } }, ['TAXED_TOKEN']],
  ['a trap', { safety: { ...SAFE, sellable: false, sellTaxBps: null } }, ['UNSELLABLE']],
  [
    'not even bought',
    { safety: { ...SAFE, buyTaxBps: null, sellTaxBps: null, sellable: null } },
    ['UNSELLABLE'],
  ],
  ['a hook', withHooks('before'), ['HOOKED_POOL']],
  ['a hook after the last swap', withHooks('after'), []],
  ['a hook before another swap', withHooks('after', 'liquidity'), ['HOOKED_POOL']],
  ['unknown ticks', withPool('ticks'), ['TICKS_UNKNOWN']],
  ['pools that were not read in time', { isLoaded: false }, ['POOLS_UNREAD']],
  ['features that nobody checked', withPool('unchecked'), ['UNCHECKED_POOL']],
  ['a fee of transfers that may change', { isFeeCertain: false }, ['UNCHECKED_POOL']],
  ['no fees', withTrade({ networkFees: null }), ['NETWORK_COST_UNKNOWN']],
  ['a token in between of which some is left', withReserve(5n, 4n), ['LEFTOVER_TOKENS']],
  ['a token in between of which nothing is left', withReserve(5n, 5n), []],
  ['a pool whose price nothing else shows', { isPriceUnbounded: true }, ['PRICE_UNBOUNDED']],
  ['a router that is told what to spend', { isInputGiven: true }, ['INPUT_SPENT_WHOLE']],
  ['a token that looks like another', { lookalike: ['LOOKALIKE', ''] }, ['LOOKALIKE']],
  ['a router without deadlines', { hasNoDeadline: true }, ['NO_DEADLINE']],
  [
    'others have power over the token',
    { powers: { canMint: true, canFreeze: true, canTake: true } },
    ['MINT_AUTHORITY', 'FREEZE_AUTHORITY', 'PERMANENT_DELEGATE'],
  ],
  [
    'others have power over what everybody uses as money',
    { powers: { canMint: true, canFreeze: true, canTake: false }, isTrusted: true },
    [],
  ],
];

for (const [name, facts, codes] of CASES) {
  test(`${name}`, () => assert.deepEqual(listCodes(facts), codes));
}

test("the warning about a sale's cost has its figure, in the unit of the chain", () => {
  for (const unitName of ['gas', 'compute units']) {
    const safety = { ...SAFE, sellUnits: 1_234_567 };
    const [warning] = findWarnings({ ...QUIET, safety, unitName });
    const message = `A sale uses 1,234,567 ${unitName} in the token contract.`;
    assert.equal(warning?.message, message);
  }
});

test('every code is tried here', () => {
  const tried = new Set(CASES.flatMap(([, , codes]) => codes));
  assert.deepEqual([...tried].sort(), [...WARNING_CODES].sort());
});

test('the warning about a pool names the features that were never checked', () => {
  const [warning] = findWarnings({ ...QUIET, ...withPool('unchecked') });
  assert.match(
    warning?.message ?? '',
    /: its bins have limit orders \(limitOrders\), .* not read \(feeScheduler\)\.$/,
  );
});
