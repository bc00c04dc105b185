// What `npm run coverage` says of recorded blocks of six chains.

import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { skipWithoutVenues as skip, VENUE_FIXTURES } from '../venue-fixtures.ts';
import { isTrade, type JudgedSwap, measureCoverage } from './measure-coverage.ts';
import { readRecordings } from './read-recordings.ts';

/** A contract that logs swaps of a pair and moves no token. */
const LIAR = '0xfbd8e260cf7e41830b82aacbe1065277ad8a261b';

/** USDC becomes USDT through three pools, two of which sell and buy their own token. */
const BOOSTED = '0x87336d6f18bcf63ac43ed779bc23f72a3e01ddff8f731141dae7d80dd47d7b2b';
const USDC = 'a0b86991c6218b36c1d19d4a2e9eb0ce3606eb48';

function sumValues(swaps: readonly JudgedSwap[]): number {
  return swaps.reduce((sum, { value }) => sum + (value ?? 0), 0);
}

describe('coverage of recorded blocks', { skip }, () => {
  let judged: readonly JudgedSwap[] = [];
  before(() => {
    judged = measureCoverage(readRecordings(fileURLToPath(VENUE_FIXTURES)));
  });

  it('is at least 99 % on every chain, and 99.5 % by value', () => {
    for (const [chain, all] of Map.groupBy(judged, (swap) => swap.chain)) {
      const swaps = all.filter(isTrade);
      const kept = swaps.filter(({ verdict }) => verdict.kind !== 'missed');
      assert.ok(kept.length / swaps.length >= 0.99, `${chain}: ${kept.length} of ${swaps.length}`);
      const [part, whole] = [sumValues(kept), sumValues(swaps)];
      assert.ok(part >= 0.995 * whole, `${chain}: $${part} of $${whole}`);
    }
  });

  it('values swaps of a stable coin by it, and others by the price of the coin', () => {
    const swaps = judged.filter(({ chain, value }) => chain === 'ethereum' && value !== null);
    assert.ok(swaps.length > 150);
    const inUsdc = swaps.find(({ log }) => log.txHash === BOOSTED && log.topics[2]?.endsWith(USDC));
    assert.equal(inUsdc?.value, 191_104.909_509);
  });

  it('does not count the sale of a pool’s own shares as a trade', () => {
    const ofPool = judged.filter(({ log }) => log.txHash === BOOSTED);
    assert.deepEqual(
      ofPool.map(({ verdict }) => verdict.kind),
      ['shares', 'stored', 'shares'],
    );
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
