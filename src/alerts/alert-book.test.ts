// Which trades fire an alert: decided here by hand, since `verify` uses the same code as the index.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { address } from '../../test/test-ids.ts';
import type { AlertRecord, AlertRule } from '../model/alert.ts';
import type { TradeRecord } from '../model/market-record.ts';
import { AlertBook } from './alert-book.ts';
import { TOP_LOADED, TopHolders } from './top-holders.ts';

const TOKEN = address(`0x${'1'.repeat(40)}`);
const RULE: AlertRule = {
  condition: { kind: 'trade', valueUsd: '100', side: 'buy' },
  ...{ minLiquidityUsd: null, rearmPct: 1, cooldownMs: 0, once: false },
};
const E18 = 10n ** 18n;

interface Step {
  readonly atS: number;
  readonly valueUsd?: string;
  readonly side?: 'buy' | 'sell';
  readonly outlier?: boolean;
  readonly liquidityUsd?: bigint;
}

/** The times, in seconds, of the trades that fire. */
function listFirings(rule: Partial<AlertRule>, steps: readonly Step[]): number[] {
  const book = new AlertBook();
  const record = { id: 'al_1', owner: 'w', webhook: null, token: TOKEN, createdAtMs: 0 } as const;
  const whole = { ...record, rule: { ...RULE, ...rule }, endedAtMs: null, change: 1 };
  book.begin(whole as unknown as AlertRecord, 1, {
    priceUsd: '1',
    liquidityUsd: '1000',
    holdersTop10Pct: null,
  });
  return steps.flatMap((step, index) => {
    const { atS, valueUsd = '150', side = 'buy', outlier = false, liquidityUsd = 1000n } = step;
    const trade = { token: TOKEN, pool: '0x2', valueUsd, priceUsd: '1', side, outlier, index: 0 };
    book.decide({
      ...{ block: index + 2, timestampMs: atS * 1000, pools: [], balances: [] },
      trades: [{ ...trade, timestampMs: atS * 1000 } as unknown as TradeRecord],
      findLiquidity: () => liquidityUsd * E18,
      findBalanceSum: () => null,
    });
    return book.takeFired().map(() => atS);
  });
}

test('a trade above the value and of the side fires, an outlier never', () => {
  const steps: Step[] = [
    { atS: 1, valueUsd: '100' },
    { atS: 2, valueUsd: '100.01' },
    { atS: 3, side: 'sell' },
    { atS: 4, outlier: true },
    { atS: 5 },
  ];
  assert.deepEqual(listFirings({}, steps), [2, 5]);
});

test('within the cool-down nothing fires, from its end on again', () => {
  const steps = [{ atS: 1 }, { atS: 60 }, { atS: 61 }, { atS: 62 }];
  assert.deepEqual(listFirings({ cooldownMs: 60_000 }, steps), [1, 61]);
});

test('the share of the ten largest holders fires when it passes its bound', () => {
  const book = new AlertBook();
  const condition = { kind: 'holdersTop10Pct', at: 50 } as const;
  const record = { id: 'al_1', owner: 'w', webhook: null, token: TOKEN, createdAtMs: 0 } as const;
  const whole = { ...record, rule: { ...RULE, condition }, endedAtMs: null, change: 1 };
  const start = { priceUsd: null, liquidityUsd: null, holdersTop10Pct: '45.45' };
  book.begin(whole as unknown as AlertRecord, 1, start);
  const owner = (index: number) => address(`0x${String(index).padStart(40, '0')}`);
  const own = (index: number, amountRaw: bigint) => ({
    ...{ token: TOKEN, owner: owner(index), amountRaw },
  });
  assert.ok(book.lacksTop(TOKEN));
  // Of 22 with one each the ten largest have 45 %.
  const amounts = new Map(Array.from({ length: 22 }, (_, index) => [index, 1n]));
  book.setTop(
    TOKEN,
    Array.from(amounts, ([index, amountRaw]) => own(index, amountRaw)),
  );
  const decide = (block: number, changes: readonly (readonly [number, bigint])[]) => {
    for (const [index, amountRaw] of changes) amounts.set(index, amountRaw);
    book.decide({
      ...{ block, timestampMs: block * 1000, trades: [], pools: [], findLiquidity: () => null },
      balances: changes.map(([index, amountRaw]) => own(index, amountRaw)),
      findBalanceSum: () => [...amounts.values()].reduce((sum, one) => sum + one),
    });
    return book.takeFired().map(({ firing }) => [firing.figure, firing.bound]);
  };
  assert.deepEqual(decide(2, [[30, 1n]]), []);
  // 18 of 31.
  assert.deepEqual(decide(3, [[30, 9n]]), [['58.064516', '50']]);
  assert.deepEqual(decide(4, [[30, 10n]]), []);
  const back = Array.from({ length: 22 }, (_, index) => [index, 2n] as const);
  assert.deepEqual(decide(5, [...back, [30, 0n]]), []);
  // 58 of 84.
  assert.deepEqual(decide(6, [[31, 40n]]), [['69.047619', '50']]);
  // What moves while nobody watches is not noted, so it is asked for again.
  book.end('al_1', 6);
  book.begin({ ...whole, id: 'al_2' } as unknown as AlertRecord, 7, start);
  assert.ok(book.lacksTop(TOKEN));
});

test('after most of the largest holders have left, the others are asked for again', () => {
  const owner = (index: number) => address(`0x${String(index).padStart(40, '0')}`);
  const top = new TopHolders(
    Array.from({ length: TOP_LOADED }, (_, index) => ({
      ...{ token: TOKEN, owner: owner(index), amountRaw: BigInt(1000 - index) },
    })),
  );
  for (let index = 0; index < TOP_LOADED - 10; index += 1) top.set(owner(index), 0n);
  // 801 to 810.
  assert.equal(top.sum(), 8055n);
  top.set(owner(TOP_LOADED - 1), 1n);
  assert.equal(top.sum(), null);
});

test('an alert for once fires once', () => {
  assert.deepEqual(listFirings({ once: true }, [{ atS: 1 }, { atS: 2 }]), [1]);
});

test('below the floor of liquidity nothing fires', () => {
  const steps = [
    { atS: 1, liquidityUsd: 499n },
    { atS: 2, liquidityUsd: 500n },
  ];
  assert.deepEqual(listFirings({ minLiquidityUsd: '500' }, steps), [2]);
});
