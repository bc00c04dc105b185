// Keeps a reserve of each token in between, on chains where every swap is told what to spend.
//
// Nothing there passes on what a swap really paid. If the next one spent all that is expected, one
// unit less would make the trade fail. So the accepted slippage is spread over the hops: a swap may
// pay that much less than expected, and the next one spends only what must arrive. What is left of
// the token in between stays in the wallet, and the route is worth that much less.

import { NODE_IN, NODE_OUT } from './route-field.ts';
import type { RouteLeg } from './route-parts.ts';
import { type PoolSwap, type RouteHop, swapWhole } from './route-swaps.ts';

const BPS = 10_000n;

/** What swaps so far have paid of an asset and is not spent: as planned, and at the least. */
interface HeldAsset {
  planned: bigint;
  sure: bigint;
}

/** Of the longest path. */
function countHops(swaps: readonly PoolSwap[]): number {
  const depths = new Map<number, number>([[NODE_IN, 0]]);
  for (const { edge } of swaps) {
    const depth = (depths.get(edge.from) ?? 0) + 1;
    depths.set(edge.to, Math.max(depth, depths.get(edge.to) ?? 0));
  }
  return depths.get(NODE_OUT) ?? 0;
}

/**
 * The same swaps, in execution order, with `slippageBps` spread over their hops. Null if a pool
 * pays nothing for what is left.
 */
export function keepReserve(swaps: readonly PoolSwap[], slippageBps: number): PoolSwap[] | null {
  const hopCount = countHops(swaps);
  if (hopCount <= 1 || slippageBps === 0) return [...swaps];
  const keptBps = BPS - BigInt(Math.floor(slippageBps / hopCount));
  const held = new Map<number, HeldAsset>();
  const reserved: PoolSwap[] = [];
  for (const { edge, hop } of swaps) {
    const source = held.get(edge.from);
    const amountIn =
      source === undefined ? hop.amountIn : (hop.amountIn * source.sure) / source.planned;
    const next = swapWhole(edge, amountIn);
    if (next === null) return null;
    if (source !== undefined) {
      source.planned -= hop.amountIn;
      source.sure -= amountIn;
    }
    const paid = held.get(edge.to) ?? { planned: 0n, sure: 0n };
    paid.planned += hop.amountOut;
    paid.sure += (next.amountOut * keptBps) / BPS;
    held.set(edge.to, paid);
    reserved.push({ edge, hop: next });
  }
  return reserved;
}

/** How a swap is shown: each leg has its share of it, and the shares add up. */
class SharedHop {
  readonly #whole: RouteHop;
  readonly #reserved: RouteHop;
  #shown = { whole: 0n, in: 0n, out: 0n, fee: 0n };

  constructor(whole: RouteHop, reserved: RouteHop) {
    this.#whole = whole;
    this.#reserved = reserved;
  }

  take(part: RouteHop): RouteHop {
    const { amountIn, amountOut, feeAmount } = this.#reserved;
    if (part.amountIn === this.#whole.amountIn) return this.#reserved;
    const before = this.#shown;
    const whole = before.whole + part.amountIn;
    const scale = (amount: bigint) => (amount * whole) / this.#whole.amountIn;
    const shown = { whole, in: scale(amountIn), out: scale(amountOut), fee: scale(feeAmount) };
    this.#shown = shown;
    return {
      ...part,
      amountIn: shown.in - before.in,
      amountOut: shown.out - before.out,
      feeAmount: shown.fee - before.fee,
    };
  }
}

/** The legs of the swaps without a reserve, with what their hops spend and pay with it. */
export function reserveLegs(
  legs: readonly RouteLeg[],
  swaps: { readonly whole: readonly PoolSwap[]; readonly reserved: readonly PoolSwap[] },
): RouteLeg[] {
  const shared = new Map(
    swaps.whole.map(({ hop }, index) => {
      const reserved = swaps.reserved[index]?.hop ?? hop;
      return [hop.pool, new SharedHop(hop, reserved)] as const;
    }),
  );
  return legs.map(({ amountIn, hops: parts }) => {
    const hops = parts.map((part) => shared.get(part.pool)?.take(part) ?? part);
    return { amountIn, amountOut: hops.at(-1)?.amountOut ?? 0n, hops };
  });
}
