// Fees of transfers in what is told of a token, and how long they are certain.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { address, poolId } from '../../../test/test-ids.ts';
import type { RouteHop } from '../routing/route-swaps.ts';
import { addTransferFee, areFeesCertain } from './priced-trade.ts';

const [TOKEN, OTHER] = [address('token'), address('other')];
const FEES = { fee0: null, fee1: { bps: 200, maxRaw: 10n }, untilBlock: 1000 };

function hopIn(transferFees?: typeof FEES): RouteHop {
  return { pool: transferFees === undefined ? {} : { transferFees } } as unknown as RouteHop;
}

test('fees are certain if no transaction of the quote can be executed after they may change', () => {
  assert.equal(areFeesCertain([hopIn(FEES), hopIn()], 699), true);
  assert.equal(areFeesCertain([hopIn(FEES)], 700), false);
  assert.equal(areFeesCertain([hopIn()], 10 ** 9), true);
});

test('what a token deducts is told with what was measured', () => {
  const pools = new Map([
    ['plain', { token0: TOKEN, token1: OTHER }],
    ['levied', { token0: OTHER, token1: TOKEN, transferFees: FEES }],
  ]);
  const graph = { get: (id: string) => pools.get(id) } as never;
  const safety = { buyTaxBps: 0, sellTaxBps: null, sellable: true, checkedAtMs: 5 };
  const of = (id: string) => ({ pools: [poolId(id)], isToken: (one: string) => one === TOKEN });
  assert.deepEqual(addTransferFee(safety, graph, of('levied')), { ...safety, buyTaxBps: 200 });
  assert.deepEqual(addTransferFee(safety, graph, of('plain')), safety);
  assert.equal(addTransferFee(null, graph, of('levied')), null);
  const ofOther = { pools: [poolId('levied')], isToken: (one: string) => one === OTHER };
  assert.deepEqual(addTransferFee(safety, graph, ofOther), safety);
});
