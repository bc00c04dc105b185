// A pool that somebody begins to wait for is reported at once, although it was shown before.

import assert from 'node:assert/strict';
import { it } from 'node:test';
import { ManualClock } from '../../test/fakes/manual-clock.ts';
import { poolId } from '../../test/test-ids.ts';
import { PoolDemands } from './client-demand.ts';

it('a pool is reported as shown, and again as awaited', () => {
  const clock = new ManualClock();
  const reported: string[] = [];
  const demands = new PoolDemands(clock, (chain, pools, demand) =>
    reported.push(`${chain} ${pools} ${demand}`),
  );
  demands.ask('base', ['a', 'b'].map(poolId), 'shown');
  demands.ask('base', ['a'].map(poolId), 'awaited');
  demands.ask('base', ['a'].map(poolId), 'shown');
  demands.ask('base', ['a'].map(poolId), 'awaited');
  assert.deepEqual(reported, ['base a,b shown', 'base a awaited']);
  clock.advance(30_000);
  demands.ask('base', ['a'].map(poolId), 'awaited');
  assert.deepEqual(reported.at(-1), 'base a awaited');
});
