// The value of gas in units of a token, so that routes can be compared net of gas.

import type { NetworkFees } from '../../chains/chain-nodes.ts';
import { BoundedMap } from '../../lib/bounded-map.ts';
import type { Clock } from '../../lib/clock.ts';
import type { Ratio } from '../../lib/decimal.ts';
import type { Address } from '../../model/ids.ts';
import type { PoolGraph } from '../graph/pool-graph.ts';
import { findBestRoute } from './route.ts';

/** Rates only choose among routes, so they may be a little old. */
const RATE_LIFE_MS = 15_000;
const RATES_MAX = 5_000;
/** About the gas of a swap, so that the rate is the one for such an amount. */
const GAS_SAMPLE = 200_000n;

/** For the route that pays most, whatever its gas. */
export const FREE_GAS: Ratio = { numerator: 0n, denominator: 1n };

interface Rate {
  readonly madeAtMs: number;
  /** Units of the token per wei; null if no route is known. */
  readonly perWei: Ratio | null;
}

export class GasWorth {
  readonly #clock: Clock;
  readonly #rates = new BoundedMap<Address, Rate>(RATES_MAX);

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Units of the output per unit of gas; null if that is not known. */
  priceGas(graph: PoolGraph, tokenOut: Address, fees: NetworkFees | null): Ratio | null {
    if (fees === null) return null;
    const { perUnit: feePerGas } = fees;
    if (feePerGas === 0n) return FREE_GAS;
    const perWei = this.#findRate(graph, graph.toAsset(tokenOut), feePerGas);
    if (perWei === null) return null;
    return { numerator: perWei.numerator * feePerGas, denominator: perWei.denominator };
  }

  #findRate(graph: PoolGraph, asset: Address, feePerGas: bigint): Ratio | null {
    const native = graph.nativeAsset;
    if (asset === native) return { numerator: 1n, denominator: 1n };
    const nowMs = this.#clock.monotonicMs();
    const known = this.#rates.get(asset);
    if (known !== undefined && nowMs - known.madeAtMs < RATE_LIFE_MS) return known.perWei;
    const amountIn = feePerGas * GAS_SAMPLE;
    const request = { tokenIn: native, tokenOut: asset, amountIn };
    const route =
      amountIn === 0n ? null : findBestRoute(graph, request, { isDivided: false, hopCountMax: 2 });
    const perWei = route && { numerator: route.amountOut, denominator: amountIn };
    this.#rates.delete(asset);
    this.#rates.set(asset, { madeAtMs: nowMs, perWei });
    return perWei;
  }
}
