// What a person reads before signing is never better than what may happen.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fc } from '../../../test/fast-check.ts';
import { address } from '../../../test/test-ids.ts';
import { findFamily } from '../../engines/chain-families.ts';
import { toUnits } from '../../lib/decimal.ts';
import { BUILT_IN_CHAINS, type BuiltInSlug } from '../../model/chain.ts';
import type { PricedTrade } from '../quote/priced-trade.ts';
import { roundUp, writeSummary } from './build-answer.ts';

test('fees are shown in eight digits, rounded up', () => {
  assert.equal(roundUp(1_234_567_891_234n, 18), '0.0000012345679');
  assert.equal(roundUp(1_234_567_800_000n, 18), '0.0000012345678');
  assert.equal(roundUp(1_500_000_000_000_000_001n, 18), '1.5000001');
  assert.equal(roundUp(999_999_999_999_999_999n, 18), '1');
  assert.equal(roundUp(12_345_678_900_000_000_000_000_000_001n, 18), '12345678901');
  assert.equal(roundUp(0n, 18), '0');
  assert.equal(roundUp(123n, 0), '123');
});

test('for any amount, the shown one is the next above it', () => {
  const parseRaw = (text: string, decimals: number) => {
    const [whole = '', fraction = ''] = text.split('.');
    return BigInt(whole + fraction.padEnd(decimals, '0'));
  };
  fc.assert(
    fc.property(fc.bigInt(1n, 10n ** 30n), fc.integer({ min: 0, max: 24 }), (amount, decimals) => {
      const shown = parseRaw(roundUp(amount, decimals), decimals);
      assert.ok(shown >= amount, `${toUnits(amount, decimals)}`);
      assert.ok((shown - amount) * 10_000_000n <= amount, `${toUnits(amount, decimals)}`);
    }),
  );
});

const TOKEN = address('0xc02aaa39b223fe8d0a0e5c4f27ead9083c756cc2');

/** The lines for a purchase or a sale of a token for coins. */
function summarise(slug: BuiltInSlug, side: 'buy' | 'sell'): string[] {
  const chain = BUILT_IN_CHAINS[slug];
  const { addresses, findTokenPage } = findFamily(slug);
  const coin = { token: addresses.native, isNative: true, symbol: 'ETH', decimals: 18 };
  const token = { token: TOKEN, isNative: false, symbol: 'T', decimals: 18 };
  const [tokenIn, tokenOut] = side === 'buy' ? [coin, token] : [token, coin];
  const trade = {
    ...{ tokenIn, tokenOut, amountInRaw: 1n, amountOutRaw: 1n, minAmountOutRaw: 1n },
    ...{ executionPrice: null, legs: [], taxIn: null, taxOut: null, warnings: [] },
    fees: [{ kind: 'transfer', bps: 200, amountRaw: 5n, token: TOKEN }],
    integratorFee: null,
    request: { chain: slug, side, fixed: 'input' },
  } as unknown as PricedTrade;
  const tokenPage = findTokenPage(chain, TOKEN);
  const facts = { chain, trade, wallet: TOKEN, addresses, tokenPage, end: 'a time', feesRaw: 0n };
  return writeSummary({ ...facts, purposes: [], missing: [] });
}

test("a link leads to the token's page if the chain has an explorer", () => {
  const line =
    'About the token: https://etherscan.io/token/0xC02aaA39b223FE8D0A0e5C4F27eAD9083C756Cc2';
  assert.ok(summarise('ethereum', 'buy').includes(line));
  assert.ok(summarise('ethereum', 'sell').includes(line));
  assert.ok(!summarise('devnet', 'buy').some((one) => one.includes('://')));
});

test('a fee that the token takes of transfers is told', () => {
  assert.ok(summarise('devnet', 'buy').includes('The token deducts 2 % of the transfer'));
});
