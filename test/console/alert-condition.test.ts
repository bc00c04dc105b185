// The conditions of the alert form are those of the API.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Compile } from 'typebox/compile';
import {
  buildWhen,
  CONDITIONS,
  type ConditionName,
  describeFired,
  describeWhen,
} from '../../console/src/pages/webhooks/alert-condition.ts';
import { alertWhenSchema } from '../../src/contract/schemas/alert-schemas.ts';

const WALLET = '0x00000000000000000000000000000000000000aa';
const check = Compile(alertWhenSchema);

test('each condition of the form is one that the API takes, and is read back as it was entered', () => {
  const shown = (Object.keys(CONDITIONS) as ConditionName[]).map((name) => {
    const value = CONDITIONS[name].value === 'address' ? WALLET : '12.5';
    const when = buildWhen({ name, value, window: '6h' });
    assert.ok(check.Check(when), name);
    return describeWhen(when);
  });
  assert.deepEqual(shown, [
    'the price rises above $12.50',
    'the price falls below $12.50',
    'the price crosses $12.50',
    'the price rises by 12.50% within 6h',
    'the price falls by 12.50% within 6h',
    'the volume is more than $12.50 within 6h',
    'the liquidity falls below $12.50',
    'the liquidity drops by 12.50%',
    'one trade is more than $12.50',
    'one buy is more than $12.50',
    'one sell is more than $12.50',
    'this wallet trades 0x0000…00aa',
    'the ten largest hold more than 12.50%',
    'a new pool has more than $12.50',
  ]);
});

test('what fired is in per cent for changes and in USD for all else', () => {
  assert.equal(describeFired({ changePct: { window: '1h', below: -5 } }, '-7.5'), '-7.50%');
  assert.equal(describeFired({ liquidityUsd: { dropPct: 20 } }, '800'), '$800.00');
  assert.equal(describeFired({ priceUsd: { above: '1' } }, '1.02'), '$1.020');
});
