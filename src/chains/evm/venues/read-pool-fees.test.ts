// Fees that no log tells are asked of the contract that sets them.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { address, poolId } from '../../../../test/test-ids.ts';
import type { PoolFeeQuery } from '../../chain-nodes.ts';
import { EVM_DEPLOYMENTS } from '../deployments.ts';
import { addressWord, uintWord } from '../hex-data.ts';
import { readPoolFees } from './read-pool-fees.ts';

const DEPLOYMENT = EVM_DEPLOYMENTS.base ?? assert.fail();
const POOL = address(`0x${'9'.repeat(40)}`);
const findVenue = (forks: typeof DEPLOYMENT.v2 | typeof DEPLOYMENT.v3, layout: string) =>
  forks.find((fork) => fork.layout === layout) ?? assert.fail(`no ${layout}`);
const PAIRS = findVenue(DEPLOYMENT.v2, 'solidly');
const SLIPSTREAM = findVenue(DEPLOYMENT.v3, 'slipstream');

const ask = (more: Partial<PoolFeeQuery>): PoolFeeQuery => ({
  ...{ pool: poolId(POOL), kind: 'solidlyPair', venue: PAIRS.venue, isStable: false, ...more },
});

async function read(queries: readonly PoolFeeQuery[], answer: string | null) {
  const asked: string[] = [];
  const callContracts = async (calls: readonly { to: string; data: string }[]) =>
    calls.map(({ to, data }) => {
      asked.push(`${to} ${data}`);
      return answer;
    });
  const fees = await readPoolFees(queries, { deployment: DEPLOYMENT, callContracts });
  return { fees, asked };
}

test('of pairs their factory is asked, in basis points; of Slipstream the pool, in pips', async () => {
  const pool = { kind: 'concentrated', venue: SLIPSTREAM.venue, isStable: null } as const;
  const queries = [ask({}), ask({ isStable: true }), ask(pool)];
  const { fees, asked } = await read(queries, `0x${uintWord(30)}`);
  const getFee = (isStable: number) =>
    `${PAIRS.factory} 0xcc56b2c5${addressWord(POOL)}${uintWord(isStable)}`;
  assert.deepEqual(asked, [getFee(0), getFee(1), `${POOL} 0xddca3f43`]);
  const both = (fee: number) => ({ zeroForOne: fee, oneForZero: fee });
  assert.deepEqual(fees, [both(3000), both(3000), both(30)]);
});

test('other pools are not asked', async () => {
  const fixed = DEPLOYMENT.v3.find(({ layout = 'uniswap' }) => layout === 'uniswap');
  const others = [
    ask({ kind: 'constantProduct', venue: 'uniswap-v2', isStable: null }),
    ask({ kind: 'concentrated', venue: fixed?.venue ?? assert.fail(), isStable: null }),
    ask({ venue: 'nobody' }),
    ask({ isStable: null }),
  ];
  const { fees, asked } = await read(others, `0x${uintWord(30)}`);
  assert.deepEqual([fees, asked], [[null, null, null, null], []]);
});

test('a contract that does not answer, or with no fee, tells nothing', async () => {
  for (const answer of [null, '0x', `0x${uintWord(10_000)}`, `0x${uintWord(2n ** 255n)}`]) {
    assert.deepEqual((await read([ask({})], answer)).fees, [null]);
  }
});
