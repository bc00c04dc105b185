// What a swap will use of gas, by model: what the router's transactions were seen to use.

import type { PoolId } from '../../model/market-event.ts';
import type { RouteCost } from '../routing/route-single.ts';
import type { TradeHop, TradeLeg } from './priced-trade.ts';

const POOL_ID_LENGTH = 66;

type Kind = 'v2' | 'v3' | 'v4';

/** No transaction may use more on chains that follow EIP-7825. */
export const TRANSACTION_GAS_MAX = 1n << 24n;

/** The transaction itself and the router's own work. */
const BASE = 45_000n;
const HOP: Readonly<Record<Kind, bigint>> = { v2: 58_000n, v3: 70_000n, v4: 60_000n };
/** A V4 hop after another settles nothing in between. */
const NEXT_V4_HOP = 36_000n;
/** The same in a pool in which the same transaction has swapped before. */
const HOP_AGAIN: Readonly<Record<Kind, bigint>> = { v2: 28_000n, v3: 38_000n, v4: 48_000n };
const NEXT_V4_HOP_AGAIN = 20_000n;
const TICK = 26_000n;
/** Tokens are pulled from the wallet through Permit2, leg by leg. */
const PULL = 10_000n;
const UNWRAP = 10_000n;

export function toPoolKind(pool: {
  readonly pool: PoolId;
  readonly tickSpacing: number | null;
}): Kind {
  if (pool.tickSpacing === null) return 'v2';
  return pool.pool.length === POOL_ID_LENGTH ? 'v4' : 'v3';
}

interface GasHop {
  readonly kind: Kind;
  readonly pool: PoolId;
}

/** Adds up what legs use, one after the other. */
export class GasMeter {
  readonly #used = new Set<PoolId>();
  readonly #pull: bigint;
  #gas: bigint;

  constructor(ends: { readonly isNativeIn: boolean; readonly isNativeOut: boolean }) {
    this.#pull = ends.isNativeIn ? 0n : PULL;
    this.#gas = BASE + (ends.isNativeOut ? UNWRAP : 0n);
  }

  get gas(): bigint {
    return this.#gas;
  }

  addLeg(hops: readonly GasHop[]): void {
    this.#gas += this.#pull;
    for (const [index, { kind, pool }] of hops.entries()) {
      const isNextV4 = kind === 'v4' && hops[index - 1]?.kind === 'v4';
      if (this.#used.has(pool)) this.#gas += isNextV4 ? NEXT_V4_HOP_AGAIN : HOP_AGAIN[kind];
      else this.#gas += isNextV4 ? NEXT_V4_HOP : HOP[kind];
      this.#used.add(pool);
    }
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

function toPoolId({ pool }: TradeHop): PoolId {
  return pool.kind === 'v2' ? pool.pair : pool.kind === 'v3' ? pool.pool : pool.id;
}

export function toGas(
  legs: readonly TradeLeg[],
  ends: { readonly isNativeIn: boolean; readonly isNativeOut: boolean },
): bigint {
  const meter = new GasMeter(ends);
  for (const { hops } of legs) {
    meter.addLeg(hops.map((hop) => ({ kind: hop.pool.kind, pool: toPoolId(hop) })));
    meter.addTicks(hops.reduce((sum, { ticksCrossed }) => sum + ticksCrossed, 0));
  }
  return meter.gas;
}
