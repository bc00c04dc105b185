// The families that are built in, and what else must agree with them.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { BUILT_IN_CHAINS, FOLLOWED_FAMILIES } from '../model/chain.ts';
import { FAMILIES, findFamily, requireMarkets } from './chain-families.ts';

test('the families that can be followed are those with markets', () => {
  const followed = Object.values(FAMILIES).filter(({ markets }) => markets !== null);
  assert.deepEqual(new Set(followed.map(({ name }) => name)), FOLLOWED_FAMILIES);
});

test('every chain has the family that its entry names, and only followed ones have markets', () => {
  for (const { slug, family } of Object.values(BUILT_IN_CHAINS)) {
    assert.equal(findFamily(slug).name, family);
    if (FOLLOWED_FAMILIES.has(family)) assert.ok(requireMarkets(slug));
    else assert.throws(() => requireMarkets(slug), /cannot be followed/);
  }
});
