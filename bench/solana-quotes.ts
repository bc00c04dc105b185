// Quotes on one recorded pool of each of Solana's kinds, and on a pair of Liquidity Book, which has
// the maths of one of them, against a quote on one V3 pool.

import assert from 'node:assert/strict';
import { LIQUIDITY_BOOK_RULES } from '../src/amm/bins/bin-rules.ts';
import { BinsPool } from '../src/amm/bins/bins-pool.ts';
import { LaunchCurvePool } from '../src/amm/launch-curve/launch-curve-kind.ts';
import { kindOf } from '../src/amm/pool-kinds.ts';
import { PumpPool } from '../src/amm/pump/pump-kind.ts';
import type { SwapPool } from '../src/amm/swap-pool.ts';
import { TickList } from '../src/amm/tick-list.ts';
import {
  createRecordedSwapPool,
  isZeroForOne,
  readPoolAt,
  readRecordedPool,
} from '../test/solana-pools.ts';
import type { GOALS } from './goals.ts';
import { median, spread } from './measure.ts';
import type { Row } from './row.ts';
import { CROSSING_COUNT_MAX, createV3Scene, measureSyncUs } from './v3-pool.ts';

interface QuoteScene {
  readonly goal: keyof typeof GOALS;
  readonly name: string;
  /** A pool that has just moved, as after each trade. */
  readonly createPool: () => SwapPool;
  readonly swaps: readonly { readonly zeroForOne: boolean; readonly amountIn: bigint }[];
}

const AMOUNTS_MAX = 10;

function openRecorded(goal: QuoteScene['goal'], folder: string): QuoteScene {
  const recorded = readRecordedPool(folder);
  const kind = kindOf(readPoolAt(recorded));
  const pool = createRecordedSwapPool(recorded) ?? assert.fail(`${folder} is not quoted`);
  const swaps = recorded.cases
    .map((one) => ({ zeroForOne: isZeroForOne(recorded, one), amountIn: BigInt(one.amount) }))
    .filter(({ zeroForOne, amountIn }) => {
      const { isFilled, ticksCrossed } = pool.swapIn(zeroForOne, amountIn);
      return isFilled && ticksCrossed <= CROSSING_COUNT_MAX;
    });
  const plain = pool.toPlain();
  return {
    ...{ goal, name: folder },
    createPool: () => kind.revive(plain, pool.ticks),
    // Of all sizes that were recorded.
    swaps: swaps
      .toSorted((a, b) => (a.amountIn < b.amountIn ? -1 : 1))
      .filter((_, index) => index % Math.ceil(swaps.length / AMOUNTS_MAX) === 0),
  };
}

function openCurve(goal: QuoteScene['goal']): QuoteScene {
  const fees = { lpBps: 0, protocolBps: 95, creatorBps: 30 };
  const reserves = { reserve0: 1_073_000_000_000_000n, reserve1: 30_000_000_000n };
  const held = { held0: 793_100_000_000_000n, held1: 0n };
  const amounts = Array.from(
    { length: AMOUNTS_MAX },
    (_, index) => 10n ** 7n * 2n ** BigInt(index),
  );
  return {
    ...{ goal, name: 'a curve of pump' },
    createPool: () => new PumpPool({ stage: 'curve', ...reserves, ...held, ...fees }),
    swaps: amounts.map((amountIn) => ({ zeroForOne: false, amountIn })),
  };
}

const BOOK_ID = 2 ** 23;
const BIN_AMOUNT = 10n ** 20n;
const SIDE_BINS = 60;

/** With amounts that cross one to ten bins. */
function openBook(goal: QuoteScene['goal']): QuoteScene {
  const rows = Array.from({ length: 2 * SIDE_BINS + 1 }, (_, index) => {
    const at = index - SIDE_BINS;
    return { tick: BOOK_ID + at, liquidityNet: BIN_AMOUNT * BigInt(Math.sign(at)) };
  });
  const state = {
    ...{ activeId: BOOK_ID, activeX: BIN_AMOUNT, activeY: BIN_AMOUNT, indexReference: BOOK_ID },
    ...{ volatility: 20_000, volatilityReference: 10_000, updatedAt: 1000 },
  };
  const terms = {
    ...{ binStep: 25, baseFactor: 5000, basePower: 0, filterSeconds: 30, decaySeconds: 600 },
    ...{ reduction: 5000, control: 40_000, volatilityMax: 350_000, protocolShare: 1000 },
    ...{ rules: LIQUIDITY_BOOK_RULES, nowSeconds: 1010, ticks: new TickList(rows) },
  };
  return {
    ...{ goal, name: 'a pair of Liquidity Book' },
    createPool: () => new BinsPool(state, terms),
    swaps: Array.from({ length: AMOUNTS_MAX }, (_, index) => {
      return { zeroForOne: true, amountIn: (BIN_AMOUNT * BigInt(2 * index + 3)) / 2n };
    }),
  };
}

function openLaunch(goal: QuoteScene['goal']): QuoteScene {
  const reserves = { reserve0: 1_073_025_605_596_382n, reserve1: 30_000_852_951n };
  const held = { held0: 793_100_000_000_000n, held1: 0n };
  const amounts = Array.from({ length: AMOUNTS_MAX }, (_, at) => 10n ** 7n * 2n ** BigInt(at));
  return {
    ...{ goal, name: 'a curve of LaunchLab' },
    createPool: () => new LaunchCurvePool({ ...reserves, ...held, feePips: 13_000 }),
    swaps: amounts.map((amountIn) => ({ zeroForOne: false, amountIn })),
  };
}

function listScenes(): QuoteScene[] {
  return [
    openCurve('solanaPumpQuote'),
    openLaunch('solanaLaunchQuote'),
    openRecorded('solanaCeiledQuote', 'raydium-cpmm-sol-usdc'),
    openRecorded('solanaClmmQuote', 'raydium-clmm-local'),
    openRecorded('solanaOrcaQuote', 'whirlpool-sol-usdc'),
    openRecorded('solanaBinsQuote', 'meteora-dlmm-lia-sol'),
    openBook('bookQuote'),
    openRecorded('solanaRangeQuote', 'meteora-damm-v2-sol-usdc'),
    openRecorded('solanaSegmentsQuote', 'meteora-dbc-fee-in-quote'),
  ];
}

/** The mean over all amounts, in microseconds. */
function measureMean(
  { createPool, swaps }: Pick<QuoteScene, 'createPool' | 'swaps'>,
  forMs: number,
): number {
  const times = swaps.map(({ zeroForOne, amountIn }) =>
    measureSyncUs(() => createPool().swapIn(zeroForOne, amountIn), forMs),
  );
  return times.reduce((sum, us) => sum + us, 0) / times.length;
}

export function benchSolanaQuotes(quick: boolean): Row[] {
  const v3 = createV3Scene();
  const peer = {
    createPool: v3.createPool,
    swaps: v3.amounts.map((amountIn) => ({ zeroForOne: true, amountIn })),
  };
  const forMs = quick ? 10 : 30;
  return listScenes().map((scene) => {
    const [ours, theirs]: [number[], number[]] = [[], []];
    for (let round = 0; round < (quick ? 4 : 7); round += 1) {
      const [us, peerUs] = [measureMean(scene, forMs), measureMean(peer, forMs)];
      // The first round warms up.
      if (round === 0) continue;
      ours.push(us);
      theirs.push(peerUs);
    }
    const ratios = theirs.map((us, index) => us / (ours[index] ?? Number.NaN));
    return {
      goal: scene.goal,
      ours: `${median(ours).toFixed(1)} µs`,
      peer: `V3 ${median(theirs).toFixed(1)} µs`,
      ratio: median(ratios),
      spread: spread(ratios),
      note: `${scene.name}, ${scene.swaps.length} amounts, up to as many crossings, on a pool that has just moved; V3 over 1 to ${CROSSING_COUNT_MAX} crossings`,
    };
  });
}
