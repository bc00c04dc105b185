// Pins which pools and venues a token has, as pools come, change and go.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { address, poolId } from '../../../test/test-ids.ts';
import type { PoolFigures, TokenFigures } from '../../store/market-reads.ts';
import { ChainColumns } from './chain-columns.ts';

const [A, B, C] = ['0xaa', '0xbb', '0xcc'].map(address) as [
  ReturnType<typeof address>,
  ReturnType<typeof address>,
  ReturnType<typeof address>,
];

function makePool(pool: string, of: Partial<PoolFigures>): PoolFigures {
  return {
    ...{ pool: poolId(pool), venue: 'v2', token0: A, token1: B },
    ...{ createdAtMs: 1, liquidityUsdE18: null, ...of },
  };
}

test('a token has the pools and venues of its present pools', () => {
  const columns = new ChainColumns({ native: new Set(), stable: new Set() });
  const { tokens, pools } = columns;
  const listOf = (token: typeof A) =>
    [...pools.listOf(tokens.place(token))].map((at) => pools.ids.at(at)).sort();
  const venuesOf = (token: typeof A) =>
    ['v2', 'v3'].filter(
      (venue) => columns.markTokensAt(columns.findVenue(venue))[tokens.place(token)] === 1,
    );
  columns.putPools([makePool('0x01', {}), makePool('0x02', { venue: 'v3' })]);
  columns.putPools([makePool('0x03', { token1: C })]);
  columns.putPools([makePool('0x01', { liquidityUsdE18: 5n })]);
  assert.deepEqual(listOf(A), ['0x01', '0x02', '0x03']);
  assert.deepEqual(listOf(B), ['0x01', '0x02']);
  const both = ['v2', 'v3'];
  assert.deepEqual([venuesOf(A), venuesOf(B), venuesOf(C)], [both, both, ['v2']]);
  // A reorganisation gave the id to another pair, at another venue.
  columns.putPools([makePool('0x01', { token0: B, token1: C, venue: 'v3' })]);
  assert.deepEqual(
    [listOf(A), listOf(B)],
    [
      ['0x02', '0x03'],
      ['0x01', '0x02'],
    ],
  );
  assert.deepEqual(listOf(C), ['0x01', '0x03']);
  assert.deepEqual([venuesOf(A), venuesOf(B), venuesOf(C)], [both, ['v3'], both]);
  for (const pool of ['0x02', '0x01', '0x01', '0x04']) columns.removePool(poolId(pool));
  assert.deepEqual([listOf(A), listOf(B), listOf(C)], [['0x03'], [], ['0x03']]);
  assert.deepEqual([venuesOf(A), venuesOf(B), venuesOf(C)], [['v2'], [], ['v2']]);
});

test('a chain may have hundreds of venues: anybody can deploy one', () => {
  const columns = new ChainColumns({ native: new Set(), stable: new Set() });
  const { tokens } = columns;
  const numbers = Array.from({ length: 300 }, (_, index) => index);
  const tokenOf = (index: number) => address(`0x${(4096 + index).toString(16)}`);
  columns.putPools(
    numbers.map((index) =>
      makePool(`0x${(9000 + index).toString(16)}`, {
        ...{ venue: `venue-${index}`, token0: A, token1: tokenOf(index) },
      }),
    ),
  );
  for (const index of [0, 31, 32, 255, 256, 299]) {
    const marks = columns.markTokensAt(columns.findVenue(`venue-${index}`));
    const marked = numbers.filter((one) => marks[tokens.place(tokenOf(one))] === 1);
    assert.deepEqual(marked, [index]);
    assert.equal(marks[tokens.place(A)], 1);
  }
  assert.equal(columns.markTokensAt(columns.findVenue('none')).includes(1), false);
});

test('since when a token is indexed is known of those that came later', () => {
  const columns = new ChainColumns({ native: new Set(), stable: new Set() });
  const tokenOf = (index: number) => address(`0x${(4096 + index).toString(16)}`);
  const makeToken = (index: number): TokenFigures => ({
    ...{ token: tokenOf(index), decimals: 18, firstSeenAtMs: 1, supplyRaw: null, priceUsd: null },
    ...{ lastTradeAtMs: null, liquidityUsdE18: null, pairedUsdE18: null },
  });
  const put = (indexes: readonly number[], startMs: number) =>
    columns.putTokens(indexes.map(makeToken), {
      ...{ isVerified: () => false, findStart: () => startMs },
    });
  const startOf = (index: number) =>
    columns.tokens.startMs[columns.tokens.place(tokenOf(index))] ?? Number.NaN;
  put([0, 1], Number.NaN);
  assert.equal(columns.tokens.startMs.length, 0, 'most chains need no column');
  put([1], 5);
  // More than the first capacity.
  put(
    Array.from({ length: 3000 }, (_, index) => 2 + index),
    Number.NaN,
  );
  put([3000], 7);
  assert.deepEqual([0, 1, 2, 2999, 3000].map(startOf), [NaN, 5, NaN, NaN, 7]);
  put([1], Number.NaN);
  assert.deepEqual([0, 1, 3000, 3001].map(startOf), [NaN, NaN, 7, NaN]);
});
