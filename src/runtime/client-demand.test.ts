// Requested pools are reported at intervals, however often they are requested.

import assert from 'node:assert/strict';
import { it } from 'node:test';
import { ManualClock } from '../../test/fakes/manual-clock.ts';
import { poolId } from '../../test/test-ids.ts';
import { ClientDemand } from './client-demand.ts';

it('a pool is reported once in half a minute, on each chain separately', () => {
  const clock = new ManualClock();
  const reported: string[] = [];
  const demand = new ClientDemand(clock, (chain, pools) => reported.push(`${chain} ${pools}`));
  demand.ask('base', ['a', 'b'].map(poolId));
  demand.ask('base', ['a'].map(poolId));
  demand.ask('base', ['b', 'c'].map(poolId));
  demand.ask('ethereum', ['a'].map(poolId));
  demand.ask('base', []);
  assert.deepEqual(reported, ['base a,b', 'base c', 'ethereum a']);
  clock.advance(29_999);
  demand.ask('base', ['a'].map(poolId));
  assert.equal(reported.length, 3);
  clock.advance(1);
  demand.ask('base', ['a', 'c'].map(poolId));
  assert.deepEqual(reported.at(-1), 'base a,c');
});
