// What was paid and received, from the changes of a wallet and the trades of its transaction.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { buildFakeAddress } from '../../../test/fakes/fake-market.ts';
import type { Address } from '../../model/ids.ts';
import { pickExchanged } from './create-get-trade-status.ts';

const [COIN, WRAPPED, USD, TOKEN, OTHER] = [1, 2, 3, 4, 5].map((index) =>
  buildFakeAddress('abcd', index),
) as [Address, Address, Address, Address, Address];

const toAsset = (token: Address) => (token === COIN ? WRAPPED : token);

const buy = (token: Address, quoteToken: Address) => ({ side: 'buy', token, quoteToken }) as const;
const sell = (token: Address, quoteToken: Address) =>
  ({ side: 'sell', token, quoteToken }) as const;

type Row = readonly [Address, bigint];

function pick(changes: readonly Row[], trades: Parameters<typeof pickExchanged>[1]) {
  const rows = changes.map(([token, deltaRaw]) => ({ token, deltaRaw }));
  const { paid, received } = pickExchanged(rows, trades, toAsset);
  return [paid, received].map((one) => one && [one.token, one.deltaRaw]);
}

test('the native coin stands for its wrapped token, in both directions', () => {
  const bought: Row[] = [
    [TOKEN, 70n],
    [COIN, -5n],
  ];
  assert.deepEqual(pick(bought, [buy(TOKEN, WRAPPED)]), [
    [COIN, -5n],
    [TOKEN, 70n],
  ]);
  const sold: Row[] = [
    [TOKEN, -70n],
    [COIN, 5n],
  ];
  assert.deepEqual(pick(sold, [sell(TOKEN, WRAPPED)]), [
    [TOKEN, -70n],
    [COIN, 5n],
  ]);
});

test('a rest of the asset between two hops is not what was received', () => {
  const trades = [sell(TOKEN, WRAPPED), buy(OTHER, WRAPPED)];
  const changes: Row[] = [
    [TOKEN, -9n],
    [OTHER, 8n],
    [COIN, 1n],
  ];
  assert.deepEqual(pick(changes, trades), [
    [TOKEN, -9n],
    [OTHER, 8n],
  ]);
});

test('a round trip receives what it paid with', () => {
  const trades = [buy(TOKEN, USD), sell(TOKEN, WRAPPED), sell(WRAPPED, USD)];
  assert.deepEqual(pick([[USD, 3n]], trades), [null, [USD, 3n]]);
});

test('tokens that the trades are not about do not count', () => {
  const changes: Row[] = [
    [TOKEN, 70n],
    [COIN, -5n],
    [OTHER, 10n ** 30n],
    [USD, -1n],
  ];
  assert.deepEqual(pick(changes, [buy(TOKEN, WRAPPED)]), [
    [COIN, -5n],
    [TOKEN, 70n],
  ]);
  assert.deepEqual(pick(changes, []), [null, null]);
});

test('what the changes do not tell is null', () => {
  assert.deepEqual(pick([[TOKEN, 70n]], [buy(TOKEN, WRAPPED)]), [null, [TOKEN, 70n]]);
  const two: Row[] = [
    [TOKEN, 70n],
    [OTHER, 8n],
    [COIN, -5n],
  ];
  const trades = [buy(TOKEN, WRAPPED), buy(OTHER, WRAPPED)];
  assert.deepEqual(pick(two, trades), [[COIN, -5n], null]);
});
