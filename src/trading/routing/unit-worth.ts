// The value of a unit of cost in units of a token, so that routes can be compared net of their
// network cost.

import type { NetworkFees } from '../../chains/chain-nodes.ts';
import type { TransactionCosts } from '../../chains/transaction-costs.ts';
import { BoundedMap } from '../../lib/bounded-map.ts';
import type { Clock } from '../../lib/clock.ts';
import type { Ratio } from '../../lib/decimal.ts';
import type { Address } from '../../model/ids.ts';
import type { PoolGraph } from '../graph/pool-graph.ts';
import { findBestRoute } from './route.ts';

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
