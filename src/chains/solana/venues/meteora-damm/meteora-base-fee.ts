// The base fee of Meteora's DAMM v2 and bonding curves, as their accounts have it.

import { encodeSchedule, type FeeSchedule, findRateAt } from '../../../../amm/fee-schedule.ts';
import type { PoolClock, PoolOpening } from '../../../../amm/pool-moment.ts';
import type { UncheckedFlag } from '../../../../amm/unchecked-flag.ts';
import { minOf } from '../../../../lib/bigint-bounds.ts';

const MODES = { linear: 0, exponential: 1, limiter: 2, byPrice: 3, byPriceExponential: 4 } as const;
const BY_SLOT = 0;

export function readPoolClock(activationType: number): PoolClock {
  return activationType === BY_SLOT ? 'block' : 'seconds';
}

interface BaseFeeFields {
  readonly mode: number;
  readonly clock: PoolClock;
  /** When the pool was activated. */
  readonly start: bigint;
  readonly cliff: bigint;
  /** In schedules: of how many periods, how long each, how much less in each. */
  readonly periods: bigint;
  readonly frequency: bigint;
  readonly reduction: bigint;
  /** In other modes: for how long the fee depends on the size of a trade, or on the price. */
  readonly limitedFor: bigint;
  /** The dynamic fee, and the most that both may be. */
  readonly added: bigint;
  readonly rateMax: bigint;
}

interface ReadBaseFee {
  /** At the cliff if there is a schedule. */
  readonly feeRate: bigint;
  readonly schedule: string;
  /** From when on the fee is the same for all trades; null if it always was. */
  readonly opening: PoolOpening | null;
  readonly flags: readonly UncheckedFlag[];
}

export function readBaseFee(fields: BaseFeeFields): ReadBaseFee {
  const { mode, clock, start, cliff, periods, frequency, reduction, added, rateMax } = fields;
  const feeRate = minOf(cliff + added, rateMax);
  const plain = { feeRate, schedule: '', opening: null, flags: [] };
  if (mode > MODES.byPriceExponential) return { ...plain, flags: ['feeUnknown'] };
  if (periods === 0n || frequency === 0n || reduction === 0n) return plain;
  const isLinear = mode === MODES.linear || mode === MODES.byPrice;
  const schedule: FeeSchedule = {
    ...{ mode: isLinear ? 'linear' : 'exponential', clock, start, frequency, periods, reduction },
    ...{ cliff, added, rateMax },
  };
  if (mode === MODES.linear || mode === MODES.exponential) {
    return { ...plain, schedule: encodeSchedule(schedule) };
  }
  const from = Number(start + fields.limitedFor) + 1;
  const opening = { clock, from, flag: 'rateLimiter' } as const;
  if (mode === MODES.limiter) return { ...plain, opening };
  // Afterwards the fee is that of its last step, whatever the price.
  const end = Number(start + frequency * periods);
  return { ...plain, opening, feeRate: findRateAt(schedule, { seconds: end, block: end }) };
}
