// What is kept of a token that a launchpad's curve sells.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { buildFakeAddress } from '../../../test/fakes/fake-market.ts';
import { buildSwapEvent, createPool, indexEvents } from '../../../test/fakes/index-events.ts';
import { poolId } from '../../../test/test-ids.ts';
import type { MarketEvent } from '../../model/block-events.ts';
import type { PoolChange, PoolDescription } from '../../model/pool.ts';

const COIN = buildFakeAddress('aaaa', 10);
const QUOTE = buildFakeAddress('aaaa', 20);
const CURVE = poolId(buildFakeAddress('dddd', 1));
const COINS = 793_100_000_000_000n;

const CREATED: MarketEvent = {
  ...createPool(CURVE, [COIN, QUOTE], {
    ...{ kind: 'pump', venue: 'pump', terms: { stage: 'curve', virtualQuote: 0n } },
  } as Partial<PoolDescription>),
  ...{ complete: false, isBirth: true },
} as MarketEvent;

function set(fields: object): PoolChange {
  return { poolKind: 'pump', set: fields } as PoolChange;
}

function change(fields: object): MarketEvent {
  return { kind: 'poolChanged', pool: CURVE, change: set(fields) };
}

async function readCoin(...blocks: readonly (readonly MarketEvent[])[]) {
  const { tokens, pools, trades } = await indexEvents(...blocks);
  const coin = tokens.find(({ token }) => token === COIN);
  const other = tokens.find(({ token }) => token === QUOTE);
  assert.equal(other?.launch, undefined);
  return { launch: coin?.launch, pool: pools[0], trades };
}

describe('a launch', () => {
  it('begins with the curve, whose birth is known although it is not complete', async () => {
    const { launch, pool } = await readCoin([CREATED]);
    assert.deepEqual(launch, { venue: 'pump', progressPct: null, graduatedAtMs: null });
    assert.ok(pool !== undefined && pool.createdAtMs > 0 && !pool.complete);
  });

  it('follows what the curve has sold, by swaps and by other events', async () => {
    const swap = buildSwapEvent(CURVE, [-5n, 7n], { change: set({ held0: COINS / 4n }) });
    const first = await readCoin([CREATED, change({ held0: COINS })]);
    assert.equal(first.launch?.progressPct, 0);
    const second = await readCoin([CREATED, change({ held0: COINS })], [swap]);
    assert.deepEqual(second.launch, { venue: 'pump', progressPct: 75, graduatedAtMs: null });
    assert.ok(second.trades.length > 0);
  });

  it('ends when a pool of its own opens, once', async () => {
    const ended = change({ isComplete: true, isMigrated: true });
    const { launch } = await readCoin([CREATED, ended]);
    assert.equal(launch?.progressPct, 100);
    assert.ok((launch?.graduatedAtMs ?? 0) > 0);
    const again = await readCoin([CREATED, ended], [change({ held0: 0n, isMigrated: true })]);
    assert.equal(again.launch?.graduatedAtMs, launch?.graduatedAtMs);
  });

  it('is none of a pool that is no curve', async () => {
    const amm = {
      ...createPool(CURVE, [COIN, QUOTE], {
        ...{ kind: 'pump', venue: 'pumpswap', terms: { stage: 'amm', virtualQuote: 0n } },
      } as Partial<PoolDescription>),
    };
    const { launch } = await readCoin([amm, change({ held0: 5n })]);
    assert.equal(launch, undefined);
  });
});
