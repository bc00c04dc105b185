// Average cost, by hand; and that windows are exact sums of what they hold.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { fc } from '../../test/fast-check.ts';
import { address } from '../../test/test-ids.ts';
import { type PositionRecord, TRADER_WINDOWS } from '../model/position.ts';
import { createPosition, foldTrade, settlePosition, toUsdE6 } from './position-fold.ts';
import { computeVolumeStep, findStepMax, findWindowStart, sumFigures } from './position-periods.ts';

const KEY = { token: address(`0x${'11'.repeat(20)}`), wallet: address(`0x${'22'.repeat(20)}`) };
const START_MS = 1_700_000_000_000;
const EMPTY = createPosition(KEY, START_MS);

type Side = 'buy' | 'sell';

function trade(side: Side, amountRaw: bigint, valueUsd: string | null, timestampMs = START_MS) {
  return { side, amountRaw, valueUsd, timestampMs };
}

function summarise(position: PositionRecord) {
  const { boughtRaw, costUsdE6, otherRaw, isCostKnown } = position;
  const { realisedUsdE6 } = sumFigures(position, 0);
  return [boughtRaw, costUsdE6, otherRaw, realisedUsdE6, isCostKnown];
}

describe('average cost', () => {
  it('of two buys is what a sale costs', () => {
    let position = foldTrade(EMPTY, trade('buy', 10n, '1'));
    position = foldTrade(position, trade('buy', 30n, '9'));
    position = foldTrade(position, trade('sell', 20n, '8'));
    // 40 units for 10 USD; 20 of them, for 5 USD, brought 8.
    assert.deepEqual(summarise(position), [20n, 5_000_000n, 0n, 3_000_000n, true]);
  });

  it('leaves with what was sent away, and a later buy has its own', () => {
    let position = foldTrade(EMPTY, trade('buy', 10n, '1'));
    position = settlePosition(position, 0n);
    position = foldTrade(position, trade('buy', 10n, '3'));
    assert.deepEqual(summarise(position), [10n, 3_000_000n, 0n, 0n, true]);
  });

  it('is unknown of what came without a trade, which takes its part of a sale', () => {
    let position = foldTrade(EMPTY, trade('buy', 10n, '1'));
    position = settlePosition(position, 40n);
    position = foldTrade(position, trade('sell', 20n, '8'));
    // A quarter of the sale is of bought units: 5 of them, which cost 0.5 and brought 2.
    assert.deepEqual(summarise(position), [5n, 500_000n, 15n, 1_500_000n, false]);
  });

  it('is unknown of what was sold and never seen', () => {
    let position = foldTrade(EMPTY, trade('buy', 10n, '1'));
    position = foldTrade(position, trade('sell', 40n, '8'));
    assert.deepEqual(summarise(position), [0n, 0n, 0n, 1_000_000n, false]);
  });

  it('is unknown of trades without a value', () => {
    const bought = foldTrade(EMPTY, trade('buy', 10n, null));
    assert.deepEqual(summarise(bought), [0n, 0n, 10n, 0n, false]);
    const sold = foldTrade(foldTrade(EMPTY, trade('buy', 10n, '1')), trade('sell', 5n, null));
    assert.deepEqual(summarise(sold), [5n, 500_000n, 0n, 0n, false]);
  });

  it('leaves nothing behind when everything is sold, whatever was rounded', () => {
    let position = foldTrade(EMPTY, trade('buy', 3n, '1'));
    for (let count = 0; count < 3; count += 1) {
      position = foldTrade(position, trade('sell', 1n, '0.4'));
    }
    assert.deepEqual(summarise(position), [0n, 0n, 0n, 200_000n, true]);
  });

  it('counts whole millionths of a USD', () => {
    assert.equal(toUsdE6('0.0000019'), 1n);
    assert.equal(toUsdE6('12.5'), 12_500_000n);
    assert.equal(toUsdE6('0.0000001'), 0n);
  });
});

describe('windows', () => {
  const event = fc.record({
    stepMs: fc.oneof(fc.integer({ min: 0, max: 7_200_000 }), fc.integer({ min: 0, max: 9e8 })),
    side: fc.constantFrom<Side>('buy', 'sell'),
    cents: fc.integer({ min: 0, max: 100_000 }),
  });

  it('are the sums of the trades since they begin, at the last trade and later', () => {
    const property = fc.property(
      fc.array(event, { minLength: 1, maxLength: 80 }),
      fc.integer({ min: 0, max: 4_000_000_000 }),
      (events, laterMs) => {
        let position = EMPTY;
        let timestampMs = START_MS;
        const log = events.map(({ stepMs, side, cents }) => {
          timestampMs += stepMs;
          const before = sumFigures(position, 0).realisedUsdE6;
          const valueUsd = (cents / 100).toString();
          position = foldTrade(position, trade(side, 7n, valueUsd, timestampMs));
          const realised = sumFigures(position, 0).realisedUsdE6 - before;
          return { timestampMs, side, volume: BigInt(cents) * 10_000n, realised };
        });
        assert.ok(position.periods.length <= 25 + 31);
        for (const endMs of [timestampMs, timestampMs + laterMs]) {
          for (const window of TRADER_WINDOWS) {
            const fromMs = findWindowStart(window, endMs);
            const within = log.filter((one) => one.timestampMs >= fromMs);
            assert.deepEqual(sumFigures(position, fromMs), {
              volumeUsdE6: within.reduce((sum, { volume }) => sum + volume, 0n),
              realisedUsdE6: within.reduce((sum, { realised }) => sum + realised, 0n),
              buys: within.filter(({ side }) => side === 'buy').length,
              sells: within.filter(({ side }) => side === 'sell').length,
            });
          }
        }
      },
    );
    fc.assert(property, { seed: 18, numRuns: 200 });
  });
});

describe('volume steps', () => {
  it('ascend, and bound the volumes in them', () => {
    const volume = fc.oneof(
      fc.bigInt({ min: 0n, max: 40n }),
      fc.bigInt({ min: 0n, max: 1n << 200n }),
    );
    const property = fc.property(volume, (value) => {
      const step = computeVolumeStep(value);
      const max = findStepMax(step);
      assert.ok(value <= max);
      assert.equal(computeVolumeStep(max), step);
      assert.equal(computeVolumeStep(max + 1n), step + 1);
    });
    fc.assert(property, { seed: 18, numRuns: 500 });
  });
});
