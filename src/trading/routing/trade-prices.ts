// The prices of a route: before the trade, as executed, and the price impact.

import type { NetworkFees } from '../../chains/chain-nodes.ts';
import type { TransactionCosts } from '../../chains/transaction-costs.ts';
import { BoundedMap } from '../../lib/bounded-map.ts';
import type { Clock } from '../../lib/clock.ts';
import { pow10, type Ratio, ratioToText } from '../../lib/decimal.ts';
import type { Address } from '../../model/ids.ts';
import type { TradeSide } from '../../model/market-record.ts';
import type { PoolGraph } from '../graph/pool-graph.ts';
import { type BestRoute, findBestRoute } from './route.ts';

// The value of a unit of cost in units of a token, so that routes can be compared net of their
// network cost.

/** Rates only choose among routes, so they may be a little old. */
const RATE_LIFE_MS = 15_000;
const RATES_MAX = 5_000;

/** For the route that pays most, whatever it costs. */
export const FREE_UNITS: Ratio = { numerator: 0n, denominator: 1n };

interface Rate {
  readonly madeAtMs: number;
  /** Units of the token per raw unit of the native coin; null if no route is known. */
  readonly perNative: Ratio | null;
}

export class UnitWorth {
  readonly #costs: Pick<TransactionCosts, 'usual'>;
  readonly #clock: Clock;
  readonly #rates = new BoundedMap<Address, Rate>(RATES_MAX);

  constructor(costs: Pick<TransactionCosts, 'usual'>, clock: Clock) {
    this.#costs = costs;
    this.#clock = clock;
  }

  /** Units of the output per unit of cost; null if that is not known. */
  priceUnit(graph: PoolGraph, tokenOut: Address, fees: NetworkFees | null): Ratio | null {
    if (fees === null) return null;
    const { perUnit } = fees;
    if (perUnit === 0n) return FREE_UNITS;
    const units = fees.flat?.unitsPerPrice ?? 1n;
    const perNative = this.#findRate(graph, graph.toAsset(tokenOut), { perUnit, units });
    if (perNative === null) return null;
    return { numerator: perNative.numerator * perUnit, denominator: perNative.denominator * units };
  }

  #findRate(
    graph: PoolGraph,
    asset: Address,
    { perUnit, units }: { readonly perUnit: bigint; readonly units: bigint },
  ): Ratio | null {
    const native = graph.nativeAsset;
    if (asset === native) return { numerator: 1n, denominator: 1n };
    const nowMs = this.#clock.monotonicMs();
    const known = this.#rates.get(asset);
    if (known !== undefined && nowMs - known.madeAtMs < RATE_LIFE_MS) return known.perNative;
    // The rate for an amount like the cost of a trade.
    const amountIn = (perUnit * this.#costs.usual) / units;
    const request = { tokenIn: native, tokenOut: asset, amountIn };
    const route =
      amountIn === 0n ? null : findBestRoute(graph, request, { isDivided: false, hopCountMax: 2 });
    const perNative = route && { numerator: route.amountOut, denominator: amountIn };
    this.#rates.delete(asset);
    this.#rates.set(asset, { madeAtMs: nowMs, perNative });
    return perNative;
  }
}

const PIPS = 1_000_000n;
/** Sums have this many fractional bits. */
const FRACTION_BITS = 192n;

/** What a route would pay without moving any price, with fractional bits. */
interface StillOut {
  readonly withFees: bigint;
  readonly withoutFees: bigint;
}

/** Of one leg. */
function computeStillLeg({ amountIn, hops }: BestRoute['legs'][number]): StillOut {
  let numerator = 1n;
  let denominator = 1n;
  let keptNumerator = 1n;
  let keptDenominator = 1n;
  for (const hop of hops) {
    const { pool, zeroForOne } = hop;
    const mid = pool.curve.midPrice(zeroForOne);
    numerator *= mid.numerator;
    denominator *= mid.denominator;
    keptNumerator *= PIPS - BigInt(pool.curve.feePips(zeroForOne));
    keptDenominator *= PIPS;
    const parts = pool.curve.splitTransfers?.(zeroForOne, hop);
    if (parts === undefined || hop.amountIn === 0n || hop.amountOut === 0n) continue;
    keptNumerator *= (hop.amountIn - parts.inRaw) * hop.amountOut;
    keptDenominator *= hop.amountIn * (hop.amountOut + parts.outRaw);
  }
  const whole = (amountIn * numerator) << FRACTION_BITS;
  return {
    withFees: (whole * keptNumerator) / (denominator * keptDenominator),
    withoutFees: whole / denominator,
  };
}

/** A quote asks several times, and a route may have a hundred legs. */
const STILL_OUTS = new WeakMap<BestRoute, StillOut>();

function computeStillOut(route: BestRoute): StillOut {
  const known = STILL_OUTS.get(route);
  if (known !== undefined) return known;
  const sum = { withFees: 0n, withoutFees: 0n };
  for (const leg of route.legs) {
    const still = computeStillLeg(leg);
    sum.withFees += still.withFees;
    sum.withoutFees += still.withoutFees;
  }
  STILL_OUTS.set(route, sum);
  return sum;
}

/** In whole basis points, rounded. Rounding of dust counts like any other loss. */
export function computePriceImpactBps(route: BestRoute): number {
  const { withFees: still } = computeStillOut(route);
  const lost = still - (route.amountOut << FRACTION_BITS);
  if (lost <= 0n || still === 0n) return 0;
  return Number((lost * 20_000n + still) / (2n * still));
}

interface PriceUnits {
  readonly side: TradeSide;
  readonly decimalsIn: number | null;
  readonly decimalsOut: number | null;
}

/** Quote asset per token; null if either has no decimals. */
function computePrice(amounts: { readonly in: bigint; readonly out: bigint }, units: PriceUnits) {
  const { side, decimalsIn, decimalsOut } = units;
  if (decimalsIn === null || decimalsOut === null) return null;
  const valueIn = amounts.in * pow10(decimalsOut);
  const valueOut = amounts.out * pow10(decimalsIn);
  const [numerator, denominator] = side === 'buy' ? [valueIn, valueOut] : [valueOut, valueIn];
  return denominator === 0n ? null : ratioToText({ numerator, denominator });
}

export function computeSpotPrice(route: BestRoute, units: PriceUnits): string | null {
  const { withoutFees: out } = computeStillOut(route);
  return computePrice({ in: route.amountIn << FRACTION_BITS, out }, units);
}

export function computeExecutionPrice(
  amounts: { readonly in: bigint; readonly out: bigint },
  units: PriceUnits,
): string | null {
  return computePrice(amounts, units);
}
