// What `npm run coverage` says of recorded blocks of six chains.

import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { skipWithoutVenues as skip, VENUE_FIXTURES } from '../venue-fixtures.ts';
import { type JudgedSwap, measureCoverage } from './measure-coverage.ts';
import { readRecordings } from './read-recordings.ts';

/** A contract that logs swaps of a pair and moves no token. */
const LIAR = '0xfbd8e260cf7e41830b82aacbe1065277ad8a261b';

function count(swaps: readonly JudgedSwap[], kind: JudgedSwap['verdict']['kind']): number {
  return swaps.filter(({ verdict }) => verdict.kind === kind).length;
}

describe('coverage of recorded blocks', { skip }, () => {
  let judged: readonly JudgedSwap[] = [];
  before(() => {
    judged = measureCoverage(readRecordings(fileURLToPath(VENUE_FIXTURES)));
  });

  it('is at least 95 % on every chain', () => {
    for (const [chain, swaps] of Map.groupBy(judged, (swap) => swap.chain)) {
      const real = swaps.length - count(swaps, 'madeUp');
      const kept = count(swaps, 'stored') + count(swaps, 'asked');
      assert.ok(real > 0 && kept / real >= 0.95, `${chain}: ${kept} of ${real}`);
    }
  });

  it('has the swaps of Curve and Balancer on Ethereum', () => {
    const swaps = judged.filter(({ chain }) => chain === 'ethereum');
    const venues = new Set(swaps.map(({ verdict }) => 'venue' in verdict && verdict.venue));
    for (const venue of ['uniswap-v2', 'uniswap-v3', 'sushiswap-v2', 'curve', 'balancer-v2']) {
      assert.ok(venues.has(venue), venue);
    }
  });

  it('knows the pools of a chain by factory, tokens and code', () => {
    const venueOf = (pool: string) => {
      const found = judged.find(({ log }) => log.address === pool)?.verdict;
      return found && 'venue' in found ? found.venue : null;
    };
    assert.equal(venueOf('0xcdac0d6c6c59727a65f871236188350531885c43'), 'aerodrome-v2');
    assert.equal(venueOf('0x36696169c63e42cd08ce11f5deebbcebae652050'), 'pancakeswap-v3');
  });

  it('leaves out swaps that were made up', () => {
    const madeUp = judged.filter(({ verdict }) => verdict.kind === 'madeUp');
    const lies = madeUp.filter(({ log }) => log.address === LIAR);
    assert.deepEqual([lies.length, madeUp.length], [34, 34]);
    assert.ok(
      judged.every(({ log, verdict }) => log.address !== LIAR || verdict.kind === 'madeUp'),
    );
  });

  it('names what is missed', () => {
    for (const { verdict } of judged) {
      if (verdict.kind === 'missed') assert.match(verdict.reason, /^its /);
    }
  });
});
