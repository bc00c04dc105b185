// Fees that no log tells are asked of the contract that sets them.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { address, poolId } from '../../../../test/test-ids.ts';
import type { PoolFeeQuery } from '../../chain-nodes.ts';
import { addressWord, uintWord } from '../data/hex-data.ts';
import { EVM_DEPLOYMENTS } from '../venues/deployments.ts';
import { readPoolFees } from './read-pool-fees.ts';

const DEPLOYMENT = EVM_DEPLOYMENTS.base ?? assert.fail();
const POOL = address(`0x${'9'.repeat(40)}`);
const findVenue = (forks: typeof DEPLOYMENT.v2 | typeof DEPLOYMENT.v3, layout: string) =>
  forks.find((fork) => fork.layout === layout) ?? assert.fail(`no ${layout}`);
const PAIRS = findVenue(DEPLOYMENT.v2, 'solidly');
const SLIPSTREAM = findVenue(DEPLOYMENT.v3, 'slipstream');

const ask = (more: Partial<PoolFeeQuery>): PoolFeeQuery => ({
  ...{ pool: poolId(POOL), kind: 'solidlyPair', venue: PAIRS.venue, isStable: false },
  ...{ token0: address(`0x${'1'.repeat(40)}`), token1: address(`0x${'2'.repeat(40)}`), ...more },
});

async function read(
  queries: readonly PoolFeeQuery[],
  answer: string | null | ((data: string) => string),
  deployment = DEPLOYMENT,
) {
  const asked: string[] = [];
  const callContracts = async (calls: readonly { to: string; data: string }[]) =>
    calls.map(({ to, data }) => {
      asked.push(`${to} ${data}`);
      return typeof answer === 'function' ? answer(data) : answer;
    });
  const fees = await readPoolFees(queries, { deployment, callContracts });
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

test("of Algebra's pools their quoter runs a swap in each direction, which tells the fee", async () => {
  for (const [chain, venue, quoter] of [
    ['polygon', 'quickswap-v3', '0xa15f0d7377b2a0c0c10db057f641bed21028fc89'],
    ['arbitrum', 'camelot-v3', '0x0fc73040b26e9bc8514fa028d998e73a254fa76e'],
  ] as const) {
    const deployment = EVM_DEPLOYMENTS[chain] ?? assert.fail();
    const query = ask({ kind: 'concentrated', venue, isStable: null });
    const [one, two] = [query.token0, query.token1].map(addressWord);
    const rest = `${uintWord(1000)}${uintWord(0)}`;
    const calls = [`0x2d9ebd1d${one}${two}${rest}`, `0x2d9ebd1d${two}${one}${rest}`];
    const answer = (data: string) =>
      `0x${uintWord(997)}${uintWord(data === calls[0] ? 2690 : 900)}`;
    const { fees, asked } = await read([query, query], answer, deployment);
    const found = { zeroForOne: 2690, oneForZero: 900 };
    assert.deepEqual(fees, [found, found]);
    assert.deepEqual(
      asked.slice(0, 2),
      calls.map((data) => `${quoter} ${data}`),
    );
    // One direction alone tells nothing.
    const half = await read(
      [query],
      (data) => (data === calls[0] ? answer(data) : '0x'),
      deployment,
    );
    assert.deepEqual(half.fees, [null]);
  }
});

test("of Algebra Integral's pools the fee that their plugin tells is asked", async () => {
  const query = ask({ kind: 'concentrated', venue: 'quickswap-v4', isStable: null });
  const { fees, asked } = await read([query], `0x${uintWord(2690)}`);
  assert.deepEqual(
    [asked, fees],
    [[`${POOL} 0xddca3f43`], [{ zeroForOne: 2690, oneForZero: 2690 }]],
  );
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
