// Which trades fire an alert: decided here by hand, since `verify` uses the same code as the index.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { address } from '../../test/test-ids.ts';
import type { AlertRecord, AlertRule } from '../model/alert.ts';
import type { TradeRecord } from '../model/market-record.ts';
import { AlertBook } from './alert-book.ts';

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
  book.begin(whole as unknown as AlertRecord, 1, { priceUsd: '1', liquidityUsd: '1000' });
  return steps.flatMap((step, index) => {
    const { atS, valueUsd = '150', side = 'buy', outlier = false, liquidityUsd = 1000n } = step;
    const trade = { token: TOKEN, pool: '0x2', valueUsd, priceUsd: '1', side, outlier, index: 0 };
    book.decide({
      ...{ block: index + 2, timestampMs: atS * 1000, pools: [] },
      trades: [{ ...trade, timestampMs: atS * 1000 } as unknown as TradeRecord],
      findLiquidity: () => liquidityUsd * E18,
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
