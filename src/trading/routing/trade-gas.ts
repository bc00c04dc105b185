// What a trade will use of a transaction, by model, in the family's own unit.

import type { SwapCost } from '../../amm/pool-kind.ts';
import type { TransactionCosts } from '../../chains/transaction-costs.ts';
import type { Address } from '../../model/ids.ts';
import type { RouteCost } from './route-single.ts';
import type { StrandSource } from './route-strands.ts';

/** What the gas of a swap depends on. */
interface SwapLoad {
  readonly cost: SwapCost;
  /** The contract that holds the pool's tokens. */
  readonly vault: Address;
}

/** What the gas of a strand depends on. */
interface StrandLoad {
  readonly takes: StrandSource;
  readonly hops: readonly (SwapLoad & { readonly ticksCrossed: number })[];
}

/** Of a swap by itself; tokens of the input have to be pulled. */
export function computePoolGas(
  { pull }: TransactionCosts,
  { cost }: SwapLoad,
  at: { readonly ticksCrossed: number; readonly isFirst: boolean },
): bigint {
  return cost.hop + cost.perTick * BigInt(at.ticksCrossed) + (at.isFirst ? pull : 0n);
}

/** Adds up the gas of consecutive strands. */
export class GasMeter {
  readonly #pull: bigint;
  #gas: bigint;

  constructor(
    { base, pull, unwrap }: TransactionCosts,
    ends: { readonly isNativeIn: boolean; readonly isNativeOut: boolean },
  ) {
    this.#pull = ends.isNativeIn ? 0n : pull;
    this.#gas = base + (ends.isNativeOut ? unwrap : 0n);
  }

  get gas(): bigint {
    return this.#gas;
  }

  addStrand(takes: StrandSource, hops: StrandLoad['hops']): void {
    if (takes === 'input') this.#gas += this.#pull;
    this.#gas += computeHopsGas(hops);
    for (const { cost, ticksCrossed } of hops) this.#gas += cost.perTick * BigInt(ticksCrossed);
  }
}

function computeHopsGas(hops: readonly SwapLoad[]): bigint {
  return hops.reduce((sum, { cost, vault }, index) => {
    return sum + (hops[index - 1]?.vault === vault ? cost.hopInSameVault : cost.hop);
  }, 0n);
}

/**
 * A cost function for the router, in units of the output: `outPerGas` is the value of one unit of
 * gas.
 */
export function createGasCost(outPerGas: {
  readonly numerator: bigint;
  readonly denominator: bigint;
}): RouteCost {
  const { numerator, denominator } = outPerGas;
  return (path) => {
    const gas = computeHopsGas(path.map(({ pool }) => pool));
    return (gas * numerator) / denominator;
  };
}

export function computeGas(
  costs: TransactionCosts,
  strands: readonly StrandLoad[],
  ends: { readonly isNativeIn: boolean; readonly isNativeOut: boolean },
): bigint {
  const meter = new GasMeter(costs, ends);
  for (const { takes, hops } of strands) meter.addStrand(takes, hops);
  return meter.gas;
}
