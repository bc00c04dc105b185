// Lookups are bounded by the caller's tier, besides its budget.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ManualClock } from '../../../test/fakes/manual-clock.ts';
import { address } from '../../../test/test-ids.ts';
import type { Identity } from '../../contract/identity.ts';
import type { ClientCaller, LookupDesk } from '../../contract/look-up-token.ts';
import type { LookupOutcome } from '../../model/lookup-outcome.ts';
import type { Tier } from '../tiers.ts';
import { LookupLimits } from './lookup-limits.ts';

const REQUEST = { chain: 'base', token: address(`0x${'a'.repeat(40)}`), isKnown: false } as const;

/** A desk that charges for each lookup, as `TokenDemand` does, and what its callers have paid. */
function createScene(lookups: Readonly<Record<string, number>>) {
  const clock = new ManualClock();
  const scene = { outcome: 'found' as LookupOutcome, isShort: false, paid: 0 };
  const desk: LookupDesk = {
    find: async (_, caller) => {
      const cost = caller.charge();
      if (scene.outcome !== 'found') caller.refund(cost);
      return scene.outcome;
    },
    noteKnown: () => undefined,
  };
  const limits = new LookupLimits(desk, {
    ...{ clock, identitiesMax: 100 },
    tierOf: ({ kind }) =>
      ({ name: kind, depth: { lookups: lookups[kind] } }) as Pick<Tier, 'name' | 'depth'>,
  });
  const find = (kind: Identity['kind'], key: string) => {
    const caller: ClientCaller = {
      ...{ key, identity: { kind, key } as Identity },
      charge: () => {
        if (scene.isShort) throw new Error('the budget is used up');
        scene.paid += 10;
        return 10;
      },
      refund: (cost) => {
        scene.paid -= cost;
      },
    };
    return limits.find(REQUEST, caller);
  };
  return { scene, clock, find };
}

test('a caller has so many lookups a minute, half of them at once, and others have their own', async () => {
  const { scene, clock, find } = createScene({ anonymous: 4, key: 60 });
  for (const _ of [1, 2]) assert.equal(await find('anonymous', 'a'), 'found');
  const refused = { code: 'RATE_LIMITED', retryAfterSeconds: 15, message: /anonymous-lookups/ };
  await assert.rejects(async () => find('anonymous', 'a'), refused);
  assert.equal(scene.paid, 20);
  assert.equal(await find('anonymous', 'b'), 'found');
  for (const _ of [1, 2, 3]) assert.equal(await find('key', 'a'), 'found');
  clock.advance(15_000);
  assert.equal(await find('anonymous', 'a'), 'found');
});

test('a tier without lookups says so, and nothing is charged for a lookup', async () => {
  const { scene, find } = createScene({ session: 0 });
  const refused = { code: 'LOOKUPS_NOT_INCLUDED', status: 403, message: /tier session .* base/ };
  await assert.rejects(async () => find('session', 'a'), refused);
  assert.equal(scene.paid, 0);
});

test('a lookup that failed, or that the budget does not allow, is given back', async () => {
  const { scene, find } = createScene({ anonymous: 2 });
  scene.outcome = 'failed';
  for (const _ of [1, 2, 3]) assert.equal(await find('anonymous', 'a'), 'failed');
  scene.isShort = true;
  for (const _ of [1, 2, 3]) await assert.rejects(async () => find('anonymous', 'a'), /used up/);
  Object.assign(scene, { isShort: false, outcome: 'found' });
  assert.equal(await find('anonymous', 'a'), 'found');
  await assert.rejects(async () => find('anonymous', 'a'), { code: 'RATE_LIMITED' });
  assert.equal(scene.paid, 10);
});
