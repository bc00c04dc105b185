// Why a token that trades has no route.

import assert from 'node:assert/strict';
import { it } from 'node:test';
import { address, poolId } from '../../../test/test-ids.ts';
import type { PoolId } from '../../model/ids.ts';
import type { PoolRecord } from '../../model/pool.ts';
import { findUntraded } from './find-untraded.ts';

const MINT = address('mint');
const QUOTE = address('quote');

function buildPool(venue: string, flags: string): PoolRecord {
  return {
    ...{ pool: poolId(venue), kind: 'ceiledProduct', venue, token0: MINT, token1: QUOTE },
    ...{
      complete: flags !== '',
      lastSwapAtMs: 1,
      terms: {},
      state: { reserve0: 1n, reserve1: 1n, flags },
    },
  } as unknown as PoolRecord;
}

const noted: PoolId[] = [];

function find(...pools: readonly PoolRecord[]) {
  const store = { readPoolsOfTokens: async () => [...pools] };
  return findUntraded(store, {
    ...{ chain: 'solana', mint: MINT, quoteMint: QUOTE, trusted: new Set([QUOTE]) },
    native: new Set([QUOTE]),
    tradedVenues: new Set(['built']),
    noteIncomplete: (incomplete) => noted.push(...incomplete),
  });
}

it('is a venue where nothing is built', async () => {
  assert.deepEqual(await find(buildPool('other', '')), { token: MINT, venues: ['other'] });
});

it('is a feature that keeps a pool from being quoted, by its name', async () => {
  const pools = [buildPool('built', 'transferFee'), buildPool('built', 'timedFee transferHook')];
  const { flags } = (await find(...pools)) as { flags: string };
  assert.match(flags, /transferFee/);
  assert.match(flags, /transferHook/);
});

it('is that only the contract of a pool computes what it pays, with the reason', async () => {
  const state = { last0: 5n, last1: 7n };
  const pool = { ...buildPool('built', ''), kind: 'tradesOnly', terms: null, state };
  const { flags } = (await find({ ...pool, complete: false } as PoolRecord)) as { flags: string };
  assert.match(flags, /only the contract .* \(notComputed\)/);
});

it('is nothing that is known if all pools can be quoted', async () => {
  assert.equal(await find(buildPool('built', ''), buildPool('built', 'timedFee')), null);
});

it('may be that the pools are not known in full yet: they are then asked for', async () => {
  noted.length = 0;
  await find(buildPool('built', ''), buildPool('built', 'timedFee'));
  assert.deepEqual(new Set(noted), new Set([poolId('built')]));
});

/** Pools by their two tokens, on a venue; all have traded. */
function findIn(...pools: readonly (readonly [string, string, string])[]) {
  const rows = pools.map(([one, two, venue], index) => ({
    ...buildPool(venue, ''),
    ...{ pool: poolId(`${index}`), token0: address(one), token1: address(two) },
  })) as PoolRecord[];
  const native = new Set([QUOTE, address('wrapped')]);
  const store: Parameters<typeof findUntraded>[0] = {
    readPoolsOfTokens: async (_, tokens, against) =>
      rows.filter(({ token0, token1 }) =>
        [[token0, token1] as const, [token1, token0] as const].some(
          ([own, other]) => tokens.includes(own) && (against?.includes(other) ?? true),
        ),
      ),
  };
  return findUntraded(store, {
    ...{ chain: 'ethereum', mint: MINT, quoteMint: QUOTE, native },
    trusted: new Set([...native, address('usdc')]),
    tradedVenues: new Set(['built']),
    noteIncomplete: () => undefined,
  });
}

it('is a venue of a token on the way, where nothing is built', async () => {
  const middle = { token: address('middle'), venues: ['other'] };
  assert.deepEqual(
    await findIn(['mint', 'middle', 'built'], ['middle', 'wrapped', 'other']),
    middle,
  );
  assert.deepEqual(
    await findIn(
      ['mint', 'middle', 'built'],
      ['usdc', 'middle', 'other'],
      [...(['usdc', 'quote', 'built'] as const)],
    ),
    middle,
  );
  assert.deepEqual(
    await findIn(
      ['mint', 'middle', 'built'],
      ['middle', 'last', 'built'],
      [...(['last', 'quote', 'other'] as const)],
    ),
    { token: address('last'), venues: ['other'] },
  );
});

it('is no venue that leads elsewhere', async () => {
  const first = ['mint', 'middle', 'built'] as const;
  assert.equal(await findIn(first, ['middle', 'stray', 'other']), null);
  assert.equal(await findIn(first, ['middle', 'usdc', 'other']), null);
  assert.equal(await findIn(first), null);
});
