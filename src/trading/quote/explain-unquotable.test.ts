// Why a token that trades has no route.

import assert from 'node:assert/strict';
import { beforeEach, it } from 'node:test';
import { address, poolId } from '../../../test/test-ids.ts';
import type { Address, PoolId } from '../../model/ids.ts';
import type { PoolRecord } from '../../model/pool.ts';
import type { PoolWait } from './awaited-pools.ts';
import { explainUnquotable } from './explain-unquotable.ts';

const MINT = address('mint');
const QUOTE = address('quote');

function buildPool(venue: string, flags: string): PoolRecord {
  return {
    ...{ pool: poolId(venue), kind: 'ceiledProduct', venue, token0: MINT, token1: QUOTE },
    ...{
      complete: true,
      lastSwapAtMs: 1,
      terms: {},
      state: { reserve0: 1n, reserve1: 1n, flags },
    },
  } as unknown as PoolRecord;
}

const asked: PoolId[] = [];
let wait: PoolWait = 'pending';

function awaitPools(pools: readonly PoolId[]): PoolWait {
  asked.push(...pools);
  return wait;
}

beforeEach(() => {
  asked.length = 0;
  wait = 'pending';
});

/** On a venue with a router, not known in full. */
function buildUnread(venue = 'built', lastSwapAtMs: number | null = 1): PoolRecord {
  return { ...buildPool(venue, ''), complete: false, lastSwapAtMs };
}

function find(...pools: readonly PoolRecord[]) {
  const store = { readPoolsOfTokens: async () => [...pools] };
  return explainUnquotable(store, {
    ...{ chain: 'solana', mint: MINT, quoteMint: QUOTE, trusted: new Set([QUOTE]) },
    native: new Set([QUOTE]),
    tradedVenues: new Set(['built', 'built too']),
    awaitPools,
    moment: { seconds: 1000, block: 10 },
    findHook: () => null,
  });
}

it('is a venue where nothing is built', async () => {
  const found = { token: MINT, kind: 'venues', venues: ['other'] };
  assert.deepEqual(await find(buildPool('other', '')), found);
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

it('is that the pools lead elsewhere, if all of them can be quoted', async () => {
  const found = { token: MINT, kind: 'noRoute', venues: ['built', 'built too'] };
  const pools = [buildPool('built', ''), buildPool('built too', 'timedFee')];
  assert.deepEqual(await find(...pools), found);
});

it('is nothing that is known of a token without pools', async () => {
  assert.equal(await find(), null);
  const unused = { ...buildPool('built', ''), lastSwapAtMs: null };
  assert.equal((await find(unused))?.kind, 'noRoute');
});

it('may be that the pools are not known in full yet: they are then asked for', async () => {
  const pending = { token: MINT, kind: 'pending' };
  assert.deepEqual(await find(buildUnread()), pending);
  assert.deepEqual(asked, [poolId('built')]);
  // Before anything that would keep other pools from being quoted.
  assert.deepEqual(await find(buildPool('other', ''), buildUnread()), pending);
  assert.deepEqual(await find(buildPool('built', 'transferFee'), buildUnread()), pending);
  // One that was opened just now may be the first to be traded in.
  assert.deepEqual(await find(buildUnread('built', null)), pending);
});

it('asks for few pools, those that were traded last', async () => {
  const pools = Array.from({ length: 40 }, (_, index) => ({
    ...buildUnread('built', index),
    pool: poolId(`${index}`),
  }));
  await find(...pools);
  assert.deepEqual(
    asked,
    Array.from({ length: 16 }, (_, index) => poolId(`${39 - index}`)),
  );
});

it('is no pool that is never quoted, however much is known of it', async () => {
  assert.equal((await find(buildUnread('other')))?.kind, 'venues');
  const state = { last0: 5n, last1: 7n };
  const pool = { ...buildUnread(), kind: 'tradesOnly', terms: null, state } as PoolRecord;
  assert.equal((await find(pool))?.kind, 'flags');
  assert.deepEqual(asked, []);
});

it('names what could not be read, and why', async () => {
  const reasons = { failed: /^on built, .*could be read .*\(unread\)/, off: /does not read/ };
  for (const [why, text] of Object.entries(reasons)) {
    wait = why as PoolWait;
    const { flags } = (await find(buildUnread())) as { flags: string };
    assert.match(flags, text);
    assert.equal((await find(buildPool('other', ''), buildUnread()))?.kind, 'venues');
    assert.equal((await find(buildUnread('built', null)))?.kind, 'noRoute');
  }
});

/** After a venue: not known in full. */
const UNREAD = ' unread';

/** A pool by its two tokens, on a venue; all have traded. */
type NamedPool = readonly [string, string, string];

const findIn = (...pools: readonly NamedPool[]) => findBetween(MINT, QUOTE, pools);

function findBetween(mint: Address, quoteMint: Address, pools: readonly NamedPool[]) {
  const rows = pools.map(([one, two, venue], index) => ({
    ...buildPool(venue.replace(UNREAD, ''), ''),
    complete: !venue.endsWith(UNREAD),
    ...{ pool: poolId(`${index}`), token0: address(one), token1: address(two) },
  })) as PoolRecord[];
  const native = new Set([QUOTE, address('wrapped')]);
  const store: Parameters<typeof explainUnquotable>[0] = {
    readPoolsOfTokens: async (_, tokens, against) =>
      rows.filter(({ token0, token1 }) =>
        [[token0, token1] as const, [token1, token0] as const].some(
          ([own, other]) => tokens.includes(own) && (against?.includes(other) ?? true),
        ),
      ),
  };
  return explainUnquotable(store, {
    ...{ chain: 'ethereum', mint, quoteMint, native },
    trusted: new Set([...native, address('usdc')]),
    tradedVenues: new Set(['built']),
    awaitPools,
    moment: { seconds: 1000, block: 10 },
    findHook: () => null,
  });
}

it('is a venue of a token on the way, where nothing is built', async () => {
  const middle = { token: address('middle'), kind: 'venues', venues: ['other'] };
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
    { token: address('last'), kind: 'venues', venues: ['other'] },
  );
});

it('is a pool on the way that is being read, before a venue where nothing is built', async () => {
  const middle = address('middle');
  const first = ['mint', 'middle', 'built'] as const;
  const open = ['middle', 'wrapped', 'other'] as const;
  const unread = ['middle', 'quote', `built${UNREAD}`] as const;
  assert.deepEqual(await findIn(first, open, unread), { token: middle, kind: 'pending' });
});

it('is no venue that leads elsewhere', async () => {
  const first = ['mint', 'middle', 'built'] as const;
  const noRoute = { token: MINT, kind: 'noRoute', venues: ['built'] };
  assert.deepEqual(await findIn(first, ['middle', 'stray', 'other']), noRoute);
  assert.deepEqual(await findIn(first, ['middle', 'usdc', 'other']), noRoute);
  assert.deepEqual(await findIn(first), noRoute);
});

it('is a pool on the way that is being read, or cannot be', async () => {
  const way = [
    ['mint', 'middle', 'built'],
    ['middle', 'wrapped', `built${UNREAD}`],
  ] as const;
  const token = address('middle');
  assert.deepEqual(await findIn(...way), { token, kind: 'pending' });
  assert.deepEqual(asked, [poolId('1')]);
  wait = 'failed';
  const found = await findIn(...way);
  assert.deepEqual([found?.token, found?.kind], [token, 'flags']);
});

it('is a pool of the wrapped coin that is being read, between the coin and an asset', async () => {
  const usdc = address('usdc');
  const pool = ['usdc', 'wrapped', `built${UNREAD}`] as const;
  assert.deepEqual(await findBetween(usdc, QUOTE, [pool]), { token: usdc, kind: 'pending' });
  assert.deepEqual(await findBetween(QUOTE, usdc, [pool]), { token: QUOTE, kind: 'pending' });
  assert.deepEqual(asked, [poolId('0'), poolId('0')]);
  // Of two assets that have many pools others would take too long to read.
  assert.equal(await findBetween(usdc, QUOTE, [['usdc', 'wrapped', 'built']]), null);
});
