// Top traders from the largest positions are those of all, or it is said what was left out.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createRandom } from '../../test/fakes/create-random.ts';
import { buildFakeAddress } from '../../test/fakes/fake-market.ts';
import type { PositionRecord } from '../model/position.ts';
import { createPosition, foldTrade } from '../positions/position-fold.ts';
import { computeVolumeStep, sumFigures } from '../positions/position-periods.ts';
import type { LargestQuery } from '../store/market-reads.ts';
import { pickTraders } from './create-get-traders.ts';

const TOKEN = buildFakeAddress('aaaa', 10);
const NOW_MS = 1_700_000_000_000;
const DAY_MS = 86_400_000;

/** Each buys and sells once. */
function makePosition(
  number: number,
  traded: { readonly cost: number; readonly brought: number; readonly timestampMs: number },
): PositionRecord {
  const { timestampMs } = traded;
  const key = { token: TOKEN, wallet: buildFakeAddress('cccc', number) };
  const buy = { side: 'buy', valueUsd: traded.cost.toFixed(2) } as const;
  const sell = { side: 'sell', valueUsd: traded.brought.toFixed(2) } as const;
  const position = createPosition(key, timestampMs);
  const bought = foldTrade(position, { ...buy, amountRaw: 10n, timestampMs });
  return foldTrade(bought, { ...sell, amountRaw: 10n, timestampMs });
}

/** A few large ones and many small ones, as in real markets. */
function makePositions(count: number, seed: number): PositionRecord[] {
  const random = createRandom(seed);
  return Array.from({ length: count }, (_, number) => {
    const cost = 100_000 / (1 + number) ** 0.9 + random();
    const brought = cost * (0.2 + 2 * random());
    const timestampMs = NOW_MS - Math.floor(random() * 60) * DAY_MS;
    return makePosition(number, { cost, brought, timestampMs });
  });
}

function createReader(positions: readonly PositionRecord[]) {
  const toStep = (one: PositionRecord) => computeVolumeStep(sumFigures(one, 0).volumeUsdE6);
  const sorted = positions.toSorted((a, b) => toStep(b) - toStep(a));
  const counts: number[] = [];
  const read = async ({ stepMax, limit, fromMs }: LargestQuery) => {
    counts.push(limit);
    const page = sorted.filter((one) => stepMax === null || toStep(one) <= stepMax).slice(0, limit);
    const last = page.length < limit ? undefined : page.at(-1);
    return {
      positions: page.filter(({ lastTradeAtMs }) => lastTradeAtMs >= fromMs),
      lastStep: last === undefined ? null : toStep(last),
    };
  };
  return { read, counts };
}

type Key = 'volumeUsdE6' | 'realisedUsdE6';

function pickPlainly(
  positions: readonly PositionRecord[],
  query: { readonly key: Key; readonly fromMs: number; readonly limit: number },
): string[] {
  return positions
    .map(({ wallet, ...rest }) => ({ wallet, figures: sumFigures(rest, query.fromMs) }))
    .filter(({ figures }) => figures.buys > 0)
    .sort((a, b) => {
      const difference = b.figures[query.key] - a.figures[query.key];
      return difference === 0n ? (a.wallet < b.wallet ? -1 : 1) : difference > 0n ? 1 : -1;
    })
    .slice(0, query.limit)
    .map(({ wallet }) => wallet);
}

describe('top traders', () => {
  const positions = makePositions(20_000, 18);

  for (const key of ['volumeUsdE6', 'realisedUsdE6'] as const) {
    for (const fromMs of [0, NOW_MS - 30 * DAY_MS, NOW_MS - 7 * DAY_MS]) {
      it(`are those of all 20,000 by ${key} since ${fromMs}, from a few thousand`, async () => {
        const { read, counts } = createReader(positions);
        const query = { key, fromMs, limit: 50 };
        const { traders, unreadMaxE6 } = await pickTraders(read, query);
        assert.equal(unreadMaxE6, null);
        assert.deepEqual(
          traders.map(({ position }) => position.wallet),
          pickPlainly(positions, query),
        );
        assert.ok(counts.reduce((sum, count) => sum + count) <= 5000);
      });
    }
  }

  it('of a small token are all compared', async () => {
    const few = positions.slice(-300);
    const query = { key: 'realisedUsdE6', fromMs: 0, limit: 400 } as const;
    const { traders, unreadMaxE6 } = await pickTraders(createReader(few).read, query);
    assert.deepEqual([traders.length, unreadMaxE6], [300, null]);
  });

  it('say what was not compared, if those that were read do not decide', async () => {
    const alike = Array.from({ length: 6000 }, (_, number) =>
      makePosition(number, { cost: 10, brought: 9, timestampMs: NOW_MS }),
    );
    const query = { key: 'realisedUsdE6', fromMs: 0, limit: 10 } as const;
    const { traders, unreadMaxE6 } = await pickTraders(createReader(alike).read, query);
    assert.equal(traders.length, 10);
    assert.ok(unreadMaxE6 !== null && unreadMaxE6 >= 19_000_000n);
  });
});
