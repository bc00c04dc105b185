// What a trade will use of a transaction, by model, in the family's own unit.

import type { SwapCost, TransactionCosts } from '../../chains/transaction-costs.ts';
import type { Address } from '../../model/ids.ts';
import type { PathSource } from './route-paths.ts';
import type { RouteCost } from './route-single.ts';

/** What the cost of a swap depends on. */
interface SwapLoad {
  readonly cost: SwapCost;
  /** The contract that holds the pool's tokens. */
  readonly vault: Address;
}

/** What the cost of a swap path depends on. */
interface PathLoad {
  readonly takes: PathSource;
  readonly hops: readonly (SwapLoad & { readonly ticksCrossed: number })[];
}

/** Of a swap by itself; tokens of the input have to be pulled. */
export function computePoolCost(
  { pull }: TransactionCosts,
  { cost }: SwapLoad,
  at: { readonly ticksCrossed: number; readonly isFirst: boolean },
): bigint {
  return cost.hop + cost.perTick * BigInt(at.ticksCrossed) + (at.isFirst ? pull : 0n);
}

/** Adds up the cost of consecutive swap paths. */
export class CostMeter {
  readonly #pull: bigint;
  #units: bigint;

  constructor(
    { base, pull, unwrap }: TransactionCosts,
    ends: { readonly isNativeIn: boolean; readonly isNativeOut: boolean },
  ) {
    this.#pull = ends.isNativeIn ? 0n : pull;
    this.#units = base + (ends.isNativeOut ? unwrap : 0n);
  }

  get units(): bigint {
    return this.#units;
  }

  addSwapPath(takes: PathSource, hops: PathLoad['hops']): void {
    if (takes === 'input') this.#units += this.#pull;
    this.#units += computeHopsCost(hops);
    for (const { cost, ticksCrossed } of hops) this.#units += cost.perTick * BigInt(ticksCrossed);
  }
}

function computeHopsCost(hops: readonly SwapLoad[]): bigint {
  return hops.reduce((sum, { cost, vault }, index) => {
    return sum + (hops[index - 1]?.vault === vault ? cost.hopInSameVault : cost.hop);
  }, 0n);
}

/**
 * A cost function for the router, in units of the output: `outPerUnit` is the value of one unit of
 * cost.
 */
export function createUnitCost(outPerUnit: {
  readonly numerator: bigint;
  readonly denominator: bigint;
}): RouteCost {
  const { numerator, denominator } = outPerUnit;
  return (path) => {
    const units = computeHopsCost(path.map(({ pool }) => pool));
    return (units * numerator) / denominator;
  };
}

export function computeTradeCost(
  costs: TransactionCosts,
  swapPaths: readonly PathLoad[],
  ends: {
    readonly isNativeIn: boolean;
    readonly isNativeOut: boolean;
    readonly isOutputFixed?: boolean;
    /** Whether the router holds the output of a given input first. */
    readonly holdsOutput?: boolean;
  },
): bigint {
  const meter = new CostMeter(costs, ends);
  for (const { takes, hops } of swapPaths) meter.addSwapPath(takes, hops);
  const { fixedOutput = 0n } = costs;
  if (!ends.isOutputFixed) return meter.units + (ends.holdsOutput ? fixedOutput : 0n);
  const swapCount = swapPaths.reduce((sum, { hops }) => sum + hops.length, 0);
  return meter.units + fixedOutput * BigInt(swapCount + 1);
}
