// Pools whose reserves are not to be believed, or not known, set no price where others trade.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { buildFakeAddress, COIN, FAKE_ASSETS } from '../../../test/fakes/fake-market.ts';
import { buildSwapEvent, createPool, indexEvents } from '../../../test/fakes/index-events.ts';
import { setReserves } from '../../../test/fakes/pool-events.ts';
import { poolId } from '../../../test/test-ids.ts';
import type { MarketEvent } from '../../model/block-events.ts';
import type { PoolDescription } from '../../model/pool.ts';

const E18 = 10n ** 18n;
const WETH = [...FAKE_ASSETS.native].find((asset) => asset !== COIN)!;
const TOKEN = buildFakeAddress('aaaa', 10);
const CHECKED = poolId(buildFakeAddress('dddd', 1));
const OTHER = poolId(buildFakeAddress('dddd', 2));

const FORK: Partial<PoolDescription> = { venue: 'unchecked-fork' };
const UNPRICED: Partial<PoolDescription> = { venue: 'balancer-v2', kind: 'tradesOnly' };

const swap = (pool: typeof OTHER, price: bigint) => buildSwapEvent(pool, [-E18, price * E18]);

async function readOutliers(...blocks: readonly (readonly MarketEvent[])[]) {
  const { trades, tokens } = await indexEvents(...blocks);
  const price = tokens.find(({ token }) => token === TOKEN)?.priceNative;
  return { outliers: trades.map(({ outlier }) => outlier), price };
}

describe('a pool of an unchecked fork', () => {
  it('has no depth, whatever it says of its reserves', async () => {
    const read = await readOutliers(
      [createPool(CHECKED, [TOKEN, WETH]), setReserves(CHECKED, 100n * E18, 100n * E18)],
      [createPool(OTHER, [TOKEN, WETH], FORK), setReserves(OTHER, E18, 2n ** 111n)],
      [swap(CHECKED, 1n), swap(OTHER, 900n)],
    );
    assert.deepEqual(read, { outliers: [false, true], price: '1' });
  });

  it('sets the price of a token that trades nowhere else', async () => {
    const made = [createPool(OTHER, [TOKEN, WETH], FORK), createPool(CHECKED, [TOKEN, WETH])];
    const read = await readOutliers(made, [swap(OTHER, 3n)], [swap(OTHER, 4n)]);
    assert.deepEqual(read, { outliers: [false, false], price: '4' });
  });
});

describe('a pool of which only trades are known', () => {
  it('sets no price where another has reserves', async () => {
    const made = [
      createPool(CHECKED, [TOKEN, WETH]),
      setReserves(CHECKED, 100n * E18, 100n * E18),
      createPool(OTHER, [TOKEN, WETH], UNPRICED),
    ];
    const read = await readOutliers(made, [swap(CHECKED, 1n)], [swap(OTHER, 900n)]);
    assert.deepEqual(read, { outliers: [false, true], price: '1' });
  });

  it('sets the price of a token that has only such pools', async () => {
    const made = [CHECKED, OTHER].map((pool) => createPool(pool, [TOKEN, WETH], UNPRICED));
    const read = await readOutliers(made, [swap(CHECKED, 1n)], [swap(OTHER, 2n)]);
    assert.deepEqual(read, { outliers: [false, false], price: '2' });
  });
});

describe('a pool whose log does not tell what it holds', () => {
  const terms = { poolWord: OTHER, tokens: `${TOKEN} ${WETH}`, hasShortcuts: true };
  const half = { weight0: E18 / 2n, weight1: E18 / 2n, decimals0: 18, decimals1: 18 };
  const whole = { ...half, tokenCount: 2, swapFee: 0n };
  const readAs = (balance: bigint): MarketEvent => ({
    ...{ kind: 'poolChanged', pool: OTHER },
    change: {
      poolKind: 'weighted',
      set: { ...whole, balance0: balance, balance1: balance },
    },
  });

  // When a pool is read depends on when the index began, and on who asked for it.
  it('judges no trade and is judged by none, whether it was read or not', async () => {
    const made = [
      createPool(CHECKED, [TOKEN, WETH]),
      setReserves(CHECKED, 100n * E18, 100n * E18),
      createPool(OTHER, [TOKEN, WETH], { venue: 'balancer-v2', kind: 'weighted', terms }),
    ];
    const swaps = [swap(CHECKED, 1n), swap(OTHER, 2n)];
    const unread = await readOutliers(made, swaps);
    const deep = await readOutliers([...made, readAs(10n ** 6n * E18)], swaps);
    const shallow = await readOutliers([...made, readAs(E18 / 10n)], swaps);
    assert.deepEqual(unread, { outliers: [false, false], price: '2' });
    assert.deepEqual(deep, unread);
    assert.deepEqual(shallow, unread);
  });
});
