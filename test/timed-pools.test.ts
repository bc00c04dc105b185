// Pools whose terms change with time, read once from their accounts and evaluated in later blocks:
// every swap pays what the venue's own program paid in a block of that time.
//
// The rows of schedules, of dynamic fees and of DLMM's decay were made by executing Meteora's
// programs on the recorded pools with the terms below (sha256 of DAMM v2 e9ae9f96…, DBC a0eacdaa…,
// DLMM 942f609d…). Those of the other venues are in the recordings.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { PoolDraft } from '../src/amm/pool-kind.ts';
import { findFlagsAt, kindOf } from '../src/amm/pool-kinds.ts';
import type { PoolClock, PoolMoment } from '../src/amm/pool-moment.ts';
import { segmentsKind } from '../src/amm/segments/segments-kind.ts';
import { findPoolFee } from '../src/market/pool-answers.ts';
import { PoolGraph } from '../src/trading/graph/pool-graph.ts';
import { createGraphPool, type GraphPool } from '../src/trading/graph/pool-graph-pool.ts';
import { PLAIN_RULES } from './fakes/trade-costs.ts';
import { skipWithoutSolana as skip } from './solana-fixtures.ts';
import {
  type BytePatch,
  buildPoolRecord,
  isZeroForOne,
  ofPool,
  patchPool,
  type RecordedPool,
  readPoolAt,
  readRecordedPool,
  withDiscriminator,
} from './solana-pools.ts';
import { address } from './test-ids.ts';
import { listDynamicPatches, listTimedPatches, type TimedTerms, u32, u64 } from './timed-terms.ts';

const START = { seconds: 1_779_990_000, block: 399_990_000 };
const AMOUNT = 1_000_003n;

/** The graph of one pool, as read at its start: null while it cannot be traded. */
function openGraph(recorded: RecordedPool) {
  const reading = readPoolAt(recorded, START.seconds);
  const row = buildPoolRecord(reading);
  const ticks = reading.ticks.map((tick) => ({ ...tick, pool: row.pool }));
  const graph = new PoolGraph({ native: { coin: address('coin'), wrapped: null } });
  graph.set(createGraphPool(row, ticks, PLAIN_RULES) ?? assert.fail('it is not quoted'));
  const at = (moment: PoolMoment): GraphPool | null => {
    graph.moveTo(moment);
    return graph.get(row.pool) ?? null;
  };
  return { row, at };
}

/** After so many units of the clock: what a purchase and a sale get, and the fee in pips. */
type Row = readonly [after: number, bought: bigint, sold: bigint, feePips: number];

const SCHEDULES: readonly {
  readonly folder: string;
  readonly mode: 'linear' | 'exponential';
  readonly soldAmount: bigint;
  readonly rows: readonly Row[];
}[] = [
  {
    ...{ folder: 'meteora-dbc-fee-in-quote', mode: 'linear', soldAmount: 1_000_000_007n },
    rows: [
      [0, 12357733956n, 20229n, 500_000],
      [59, 12357733956n, 20229n, 500_000],
      [60, 12478837707n, 20427n, 495_100],
      [3000, 18412903401n, 30141n, 255_000],
      [5999, 24346860499n, 39856n, 14_900],
      [6000, 24467960791n, 40054n, 10_000],
      [86_400, 24467960791n, 40054n, 10_000],
    ],
  },
  {
    ...{ folder: 'meteora-dbc-fee-in-quote', mode: 'exponential', soldAmount: 1_000_000_007n },
    rows: [
      [59, 12357733956n, 20229n, 500_000],
      [60, 12833498490n, 21008n, 480_750],
      [3000, 22979784067n, 37618n, 70_216],
      [5999, 24461658634n, 40044n, 10_256],
      [6000, 24471420799n, 40060n, 9861],
      [86_400, 24471420799n, 40060n, 9861],
    ],
  },
  {
    ...{ folder: 'meteora-damm-v2-sol-usdc', mode: 'linear', soldAmount: AMOUNT },
    rows: [
      [59, 2854866n, 87570n, 500_000],
      [60, 2882844n, 88428n, 495_100],
      [3000, 4253752n, 130479n, 255_000],
      [5999, 5624653n, 172530n, 14_900],
      [6000, 5652630n, 173388n, 10_000],
      [86_400, 5652630n, 173388n, 10_000],
    ],
  },
  {
    ...{ folder: 'meteora-damm-v2-sol-usdc', mode: 'exponential', soldAmount: AMOUNT },
    rows: [
      [59, 2854866n, 87570n, 500_000],
      [60, 2964778n, 90941n, 480_750],
      [3000, 5308820n, 162842n, 70_216],
      [5999, 5651174n, 173343n, 10_256],
      [6000, 5653430n, 173413n, 9861],
      [86_400, 5653430n, 173413n, 9861],
    ],
  },
];

function setTerms(folder: string, terms: TimedTerms): RecordedPool {
  const recorded = readRecordedPool(folder);
  return patchPool(recorded, listTimedPatches(recorded, terms));
}

describe('a fee that falls by a schedule', { skip }, () => {
  for (const { folder, mode, soldAmount, rows } of SCHEDULES) {
    for (const clock of ['seconds', 'block'] as const) {
      it(`of ${folder}, ${mode} by ${clock}, is that of the block, and exact`, () => {
        const start = START[clock];
        const { row, at } = openGraph(setTerms(folder, { mode, clock, start, frequency: 60 }));
        for (const [after, bought, sold, feePips] of rows) {
          const moment = { ...START, [clock]: start + after };
          const pool = at(moment) ?? assert.fail();
          assert.deepEqual(
            [
              pool.curve.swapIn(false, AMOUNT).amountOut,
              pool.curve.swapIn(true, soldAmount).amountOut,
              pool.curve.feePips(true),
              pool.feePips,
              pool.inexact,
              findPoolFee(row, moment),
            ],
            [bought, sold, feePips, feePips, null, feePips],
            `after ${after}`,
          );
        }
      });
    }
  }

  it('is found again after a restart, and on another thread', () => {
    const recorded = setTerms('meteora-dbc-fee-in-quote', {
      ...{ mode: 'exponential', clock: 'seconds', start: START.seconds, frequency: 60 },
    });
    const { row } = openGraph(recorded);
    const kind = kindOf(row);
    const state = kind.decodeState(kind.encodeState(row.state));
    assert.deepEqual(state, row.state);
    const stored = kind.createSwapPool({ ...row, state } as typeof row, [], undefined);
    const moved = stored?.at?.({ ...START, seconds: START.seconds + 3000 }) ?? assert.fail();
    const sent = kind.revive(structuredClone(moved.toPlain()), null);
    assert.equal(sent.swapIn(false, AMOUNT).amountOut, 22979784067n);
    const later = sent.at?.({ ...START, seconds: START.seconds + 6000 });
    assert.equal(later?.swapIn(false, AMOUNT).amountOut, 24471420799n);
  });
});

describe('the dynamic fee of a bonding curve', { skip }, () => {
  const open = (volatility: number) =>
    openGraph(
      patchPool(readRecordedPool('meteora-dbc-fee-in-quote'), listDynamicPatches(volatility)),
    );

  it('is added to the base fee', () => {
    for (const [volatility, bought, sold] of [
      [0, 24467960791n, 40054n],
      [800_000, 24316758421n, 39806n],
      [14_460_000, 247157749n, 404n],
    ] as const) {
      const { curve, inexact } = open(volatility).at(START) ?? assert.fail();
      const [purchase, sale] = [curve.swapIn(false, AMOUNT), curve.swapIn(true, 1_000_000_007n)];
      assert.deepEqual([purchase.amountOut, sale.amountOut, inexact], [bought, sold, null]);
    }
  });

  it('is not known after a swap, which moves it', () => {
    const { row } = open(800_000);
    const draft = { ...row } as PoolDraft<'segments'>;
    const swapped = { amount0: -1n, amount1: 1n };
    const change = { poolKind: 'segments', set: { sqrtPriceX64: 1n << 60n } } as const;
    segmentsKind.apply(draft, change, { ticks: null as never, swapped });
    assert.deepEqual([draft.complete, draft.state.feeRate], [false, null]);
  });
});

const ORACLE = withDiscriminator('8bc283b38cb3e5f4');
const LATE = 600;

describe('a pool that cannot be traded yet', { skip }, () => {
  const assertOpens = (recorded: RecordedPool, flag: string, clock: PoolClock = 'seconds') => {
    const { row, at } = openGraph(recorded);
    const seen = [LATE - 1, LATE].map((after) => {
      const moment = { ...START, [clock]: START[clock] + after };
      return [at(moment) !== null, findFlagsAt(row, moment)];
    });
    assert.deepEqual(seen, [
      [false, flag],
      [true, ''],
    ]);
  };
  const patch = (folder: string, ...patches: readonly BytePatch[]) =>
    patchPool(readRecordedPool(folder), patches);
  const opens = (offset: number): BytePatch => {
    return { account: ofPool, offset, bytes: u64(START.seconds + LATE) };
  };
  const set = (offset: number, value: number) => ({ account: ofPool, offset, bytes: [value] });

  it('opens at its time', () => {
    assertOpens(patch('meteora-damm-v2-sol-usdc', opens(472), set(480, 1)), 'closed');
    assertOpens(patch('raydium-cpmm-sol-usdc', opens(373)), 'closed');
    assertOpens(patch('raydium-v4-made-up', opens(224)), 'closed');
    assertOpens(patch('raydium-clmm-local', opens(1080)), 'closed');
    const enabled = { ...opens(40), account: ORACLE };
    assertOpens(patch('whirlpool-adaptive-sol-usdc', enabled), 'closed');
    assertOpens(patch('meteora-dlmm-lia-sol', opens(816), set(75, 2), set(86, 1)), 'closed');
  });

  it('may count in slots', () => {
    const bySlot = { ...opens(472), bytes: u64(START.block + LATE) };
    assertOpens(patch('meteora-damm-v2-sol-usdc', bySlot, set(480, 0)), 'closed', 'block');
  });

  it('is quoted when its fee stops to depend on the size of a trade', () => {
    const terms = { mode: 'limiter', clock: 'seconds', start: START.seconds } as const;
    for (const folder of ['meteora-dbc-fee-in-quote', 'meteora-damm-v2-sol-usdc']) {
      assertOpens(setTerms(folder, { ...terms, frequency: LATE - 1 }), 'rateLimiter');
    }
  });
});

describe('a fee that decays with time', { skip }, () => {
  for (const folder of ['meteora-dlmm-lia-sol', 'whirlpool-adaptive-sol-usdc']) {
    it(`of ${folder} is that of the block, in every recorded outcome, and exact`, () => {
      const recorded = readRecordedPool(folder);
      const { row, at } = openGraph(recorded);
      let count = 0;
      for (const quote of recorded.cases) {
        if (quote.error !== undefined || quote.unixTimestamp === undefined) continue;
        const moment = { seconds: Number(quote.unixTimestamp), block: START.block };
        const { curve, inexact, feePips } = at(moment) ?? assert.fail();
        const zeroForOne = isZeroForOne(recorded, quote);
        const amount = BigInt(quote.amount);
        const swap =
          quote.mode === 'exactOut'
            ? curve.swapOut(zeroForOne, amount)
            : curve.swapIn(zeroForOne, amount);
        assert.deepEqual(
          [swap.amountIn, swap.amountOut, inexact],
          [BigInt(quote.amountIn ?? quote.amount), BigInt(quote.amountOut ?? 0), null],
        );
        assert.equal(feePips, findPoolFee(row, moment));
        count += 1;
      }
      assert.ok(count > 50, `${count} outcomes`);
    });
  }

  it('of DLMM falls when its filter and its decay are over', () => {
    const volatility = [...u32(120_000), ...u32(60_000), ...u32(-244 >>> 0)];
    const { row, at } = openGraph(
      patchPool(readRecordedPool('meteora-dlmm-lia-sol'), [
        { account: ofPool, offset: 40, bytes: volatility },
        { account: ofPool, offset: 56, bytes: u64(START.seconds) },
      ]),
    );
    for (const [after, sold, bought, feePips] of [
      [0, 39744n, 19596292756n, 100_000],
      [299, 39744n, 19596292756n, 100_000],
      [300, 40044n, 19596292756n, 93_200],
      [1199, 40044n, 19596292756n, 93_200],
      [1200, 41952n, 20633764459n, 50_000],
      [5000, 41952n, 20633764459n, 50_000],
    ] as const) {
      const moment = { ...START, seconds: START.seconds + after };
      const { curve, inexact } = at(moment) ?? assert.fail();
      const [sale, purchase] = [curve.swapIn(true, 500_000_000n), curve.swapIn(false, 2_000_000n)];
      assert.deepEqual(
        [sale.amountOut, purchase.amountOut, findPoolFee(row, moment), inexact],
        [sold, bought, feePips, null],
        `after ${after}`,
      );
    }
  });
});
