// What a swap will use of gas, by model: what the router's transactions were seen to use.

import type { PoolId } from '../../model/market-event.ts';
import type { RouteCost } from '../routing/route-single.ts';
import type { StrandSource } from '../routing/route-strands.ts';
import type { TradeStrand } from './priced-trade.ts';

const POOL_ID_LENGTH = 66;

type Kind = 'v2' | 'v3' | 'v4';

/** No transaction may use more on chains that follow EIP-7825. */
export const TRANSACTION_GAS_MAX = 1n << 24n;

/** The transaction itself and the router's own work. */
const BASE = 45_000n;
const HOP: Readonly<Record<Kind, bigint>> = { v2: 58_000n, v3: 70_000n, v4: 60_000n };
/** A V4 hop after another settles nothing in between. */
const NEXT_V4_HOP = 36_000n;
const TICK = 26_000n;
/** Tokens are pulled from the wallet through Permit2, strand by strand. */
const PULL = 10_000n;
const UNWRAP = 10_000n;

export function toPoolKind(pool: {
  readonly pool: PoolId;
  readonly tickSpacing: number | null;
}): Kind {
  if (pool.tickSpacing === null) return 'v2';
  return pool.pool.length === POOL_ID_LENGTH ? 'v4' : 'v3';
}

/** Of a swap by itself; tokens of the input have to be pulled. */
export function toPoolGas(kind: Kind, ticksCrossed: number, isFirst: boolean): bigint {
  return HOP[kind] + TICK * BigInt(ticksCrossed) + (isFirst ? PULL : 0n);
}

/** Adds up what strands use, one after the other. */
export class GasMeter {
  readonly #pull: bigint;
  #gas: bigint;

  constructor(ends: { readonly isNativeIn: boolean; readonly isNativeOut: boolean }) {
    this.#pull = ends.isNativeIn ? 0n : PULL;
    this.#gas = BASE + (ends.isNativeOut ? UNWRAP : 0n);
  }

  get gas(): bigint {
    return this.#gas;
  }

  addStrand(takes: StrandSource, kinds: readonly Kind[]): void {
    if (takes === 'input') this.#gas += this.#pull;
    this.#gas += toHopsGas(kinds);
  }

  addTicks(count: number): void {
    this.#gas += TICK * BigInt(count);
  }
}

function toHopsGas(kinds: readonly Kind[]): bigint {
  return kinds.reduce((sum, kind, index) => {
    const isNextV4 = kind === 'v4' && kinds[index - 1] === 'v4';
    return sum + (isNextV4 ? NEXT_V4_HOP : HOP[kind]);
  }, 0n);
}

/** For the router, in units of the output: `outPerGas` is what one unit of gas is worth there. */
export function createGasCost(outPerGas: {
  readonly numerator: bigint;
  readonly denominator: bigint;
}): RouteCost {
  const { numerator, denominator } = outPerGas;
  return (path) => {
    const gas = toHopsGas(path.map(({ pool }) => toPoolKind(pool)));
    return (gas * numerator) / denominator;
  };
}

export function toGas(
  strands: readonly TradeStrand[],
  ends: { readonly isNativeIn: boolean; readonly isNativeOut: boolean },
): bigint {
  const meter = new GasMeter(ends);
  for (const { takes, hops } of strands) {
    meter.addStrand(
      takes,
      hops.map(({ pool }) => pool.kind),
    );
    meter.addTicks(hops.reduce((sum, { ticksCrossed }) => sum + ticksCrossed, 0));
  }
  return meter.gas;
}
