// A swap plan → one call of the Universal Router.
//
// What is spent goes from the wallet, or from the wrapped coin that the router made of the sent
// one, straight to the first pool. Between pools of different kinds the router holds the tokens and
// passes on all that it has, for the amounts of a later block may differ from the priced ones.

import type { Hex } from 'viem';
import { type Address, ZERO_ADDRESS } from '../../../model/market-event.ts';
import {
  type PathSwap,
  ROUTER,
  RouterCommands,
  SETTLED_ALREADY,
  WHOLE_BALANCE,
} from './router-commands.ts';
import type { SwapHop, SwapLeg, SwapPlan, SwapRouter } from './swap-plan.ts';

export interface EncodedCall {
  readonly to: Address;
  readonly data: Hex;
  readonly value: bigint;
}

const BPS = 10_000n;

function toNet(gross: bigint, taxBps: number): bigint {
  return gross - (gross * BigInt(taxBps)) / BPS;
}

/** The least that must be sent for so much to arrive. */
function toLeastGross(net: bigint, taxBps: number): bigint {
  let gross = (net * BPS) / (BPS - BigInt(taxBps));
  while (gross > 0n && toNet(gross - 1n, taxBps) >= net) gross -= 1n;
  while (toNet(gross, taxBps) < net) gross += 1n;
  return gross;
}

/** Parts of the minimum that add up to it, none above what its leg is thought to bring. */
function toLegMinimums({ legs, amountOutMin, outputTaxBps }: SwapPlan): bigint[] {
  const nets = legs.map((leg) => toNet(leg.amountOutRaw, outputTaxBps));
  const total = nets.reduce((sum, net) => sum + net, 0n);
  const parts = nets.map((net) => (total === 0n ? 0n : (amountOutMin * net) / total));
  let rest = amountOutMin - parts.reduce((sum, part) => sum + part, 0n);
  return parts.map((part, index) => {
    const isLast = index === parts.length - 1;
    const room = (nets[index] ?? 0n) - part;
    const more = isLast || room > rest ? rest : room < 0n ? 0n : room;
    rest -= more;
    return part + more;
  });
}

/** Hops that one command can do: of one kind, each beginning with what the one before paid. */
function toSegments(hops: readonly SwapHop[]): SwapHop[][] {
  const segments: SwapHop[][] = [];
  for (const hop of hops) {
    const last = segments.at(-1)?.at(-1);
    if (last?.pool.kind === hop.pool.kind && last.tokenOut === hop.tokenIn)
      segments.at(-1)?.push(hop);
    else segments.push([hop]);
  }
  return segments;
}

function first(hops: readonly SwapHop[]): SwapHop {
  const hop = hops[0];
  if (hop === undefined) throw new Error('a leg without hops');
  return hop;
}

function last(hops: readonly SwapHop[]): SwapHop {
  const hop = hops.at(-1);
  if (hop === undefined) throw new Error('a leg without hops');
  return hop;
}

/** V2 pairs are paid straight by whoever comes before. */
function toPair({ pool }: SwapHop): Address | null {
  return pool.kind === 'v2' ? pool.pair : null;
}

/** Where a leg ends: who is paid, and how much it must be at least. */
interface LegEnd {
  readonly recipient: Address;
  readonly amountOutMin: bigint;
}

class SwapEncoder {
  readonly #plan: SwapPlan;
  readonly #wrapped: Address;
  readonly #commands: RouterCommands;
  /** Tokens of which the router may be left with some, where a pool could not take all. */
  readonly #leftovers = new Set<Address>();

  constructor(plan: SwapPlan, router: SwapRouter) {
    this.#plan = plan;
    this.#wrapped = router.wrapped;
    this.#commands = new RouterCommands(router.version);
  }

  encode(): Hex {
    const { legs, deadlineSeconds } = this.#plan;
    this.#fund();
    const ends = this.#toEnds();
    for (const [index, leg] of legs.entries()) this.#addLeg(leg, ends[index] as LegEnd);
    this.#collect();
    this.#sweepLeftovers();
    return this.#commands.encode(deadlineSeconds);
  }

  /** Makes the input what the first pools take, where it is not that already. */
  #fund(): void {
    const { tokenIn, legs } = this.#plan;
    const sumOf = (token: Address) =>
      legs.reduce(
        (sum, leg) => sum + (first(leg.hops).tokenIn === token ? leg.amountInRaw : 0n),
        0n,
      );
    if (tokenIn === ZERO_ADDRESS) {
      const amount = sumOf(this.#wrapped);
      if (amount > 0n) this.#commands.wrap(ROUTER, amount);
    } else if (tokenIn === this.#wrapped) {
      const amount = sumOf(ZERO_ADDRESS);
      if (amount === 0n) return;
      this.#commands.pull(tokenIn, amount);
      this.#commands.unwrap(ROUTER, amount);
    }
  }

  /**
   * One leg pays the wallet itself. Several pay the router, which passes all on once it is enough;
   * a token that takes a part of each transfer is not sent twice, so that each leg must be enough.
   */
  #toEnds(): LegEnd[] {
    const { legs, tokenOut, outputTaxBps, recipient } = this.#plan;
    const minimums = toLegMinimums(this.#plan);
    return legs.map((leg, index) => {
      const hop = last(leg.hops);
      const paysDirectly = hop.tokenOut === tokenOut && (legs.length === 1 || outputTaxBps > 0);
      if (!paysDirectly) return { recipient: ROUTER, amountOutMin: 0n };
      const net = minimums[index] ?? 0n;
      // V2's router compares what arrived, the others what the pool sent.
      const isNet = hop.pool.kind === 'v2';
      return { recipient, amountOutMin: isNet ? net : toLeastGross(net, outputTaxBps) };
    });
  }

  #addLeg(leg: SwapLeg, end: LegEnd): void {
    const segments = toSegments(leg.hops);
    const { tokenIn } = this.#plan;
    let amountIn = leg.amountInRaw;
    let payerIsUser = tokenIn !== ZERO_ADDRESS && first(leg.hops).tokenIn === tokenIn;
    for (const [index, hops] of segments.entries()) {
      const next = segments[index + 1];
      const goesOn = next !== undefined && last(hops).tokenOut === first(next).tokenIn;
      const pair = goesOn ? toPair(first(next)) : null;
      const { recipient, amountOutMin } =
        next === undefined ? end : { recipient: pair ?? ROUTER, amountOutMin: 0n };
      this.#addSegment({ hops, amountIn, amountOutMin, recipient, payerIsUser });
      if (next !== undefined && !goesOn) this.#exchangeCoin(last(hops).tokenOut);
      amountIn = pair !== null ? SETTLED_ALREADY : WHOLE_BALANCE;
      payerIsUser = false;
    }
  }

  #addSegment(swap: PathSwap): void {
    const { kind } = first(swap.hops).pool;
    if (kind === 'v2') this.#commands.v2Swap(swap);
    else if (kind === 'v3') this.#commands.v3Swap(swap);
    else this.#commands.v4Swap(swap);
    if (kind === 'v2' || (kind === 'v4' && swap.amountIn === WHOLE_BALANCE)) return;
    // Where liquidity ends a swap stops early: what the router was to pay with stays with it. V4
    // refuses that for all but the first hop, and where it was paid before.
    const held = kind === 'v3' ? swap.hops : swap.hops.slice(0, 1);
    for (const [index, { tokenIn }] of held.entries()) {
      if (index > 0 || !swap.payerIsUser) this.#leftovers.add(tokenIn);
    }
  }

  /** The router's native coin → wrapped, or the other way round. */
  #exchangeCoin(from: Address): void {
    if (from === ZERO_ADDRESS) this.#commands.wrap(ROUTER, WHOLE_BALANCE);
    else this.#commands.unwrap(ROUTER, 0n);
  }

  /** Passes on what legs paid the router, if it is enough. */
  #collect(): void {
    const { legs, tokenOut, amountOutMin, recipient, outputTaxBps } = this.#plan;
    const paid = new Set(legs.map((leg) => last(leg.hops).tokenOut));
    if (paid.size === 1 && paid.has(tokenOut) && (legs.length === 1 || outputTaxBps > 0)) return;
    if (tokenOut === ZERO_ADDRESS && !paid.has(ZERO_ADDRESS)) {
      this.#commands.unwrap(recipient, amountOutMin);
      return;
    }
    if (tokenOut === ZERO_ADDRESS && paid.has(this.#wrapped)) this.#commands.unwrap(ROUTER, 0n);
    if (tokenOut === this.#wrapped && paid.has(ZERO_ADDRESS)) {
      this.#commands.wrap(ROUTER, WHOLE_BALANCE);
    }
    this.#commands.sweep(tokenOut, recipient, amountOutMin);
  }

  #sweepLeftovers(): void {
    const { recipient } = this.#plan;
    const left = this.#leftovers;
    if (left.delete(this.#wrapped)) {
      const hasNative = left.has(ZERO_ADDRESS);
      this.#commands.unwrap(hasNative ? ROUTER : recipient, 0n);
    }
    for (const token of left) this.#commands.sweep(token, recipient, 0n);
  }
}

/** The call that swaps; what it spends must be approved before, unless it is the native coin. */
export function encodeSwap(plan: SwapPlan, router: SwapRouter): EncodedCall {
  const amountIn = plan.legs.reduce((sum, leg) => sum + leg.amountInRaw, 0n);
  return {
    to: router.address,
    data: new SwapEncoder(plan, router).encode(),
    value: plan.tokenIn === ZERO_ADDRESS ? amountIn : 0n,
  };
}
