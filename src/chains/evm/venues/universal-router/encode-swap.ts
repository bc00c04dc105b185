// Encodes a swap plan as one call of the Universal Router.
//
// The input goes directly to the first pool, from the wallet or from the wrapped coin if the native
// coin was sent. Between swap paths, and between pools of different kinds, the router holds the
// tokens. The swap path that takes the rest of an asset takes the whole balance, because the
// amounts of a later block may differ from the priced ones.

import type { Hex } from 'viem';
import type { Address } from '../../../../model/ids.ts';
import { ZERO_ADDRESS } from '../../data/zero-address.ts';
import {
  type EncodedCall,
  first,
  last,
  type SwapHop,
  type SwapPath,
  type SwapPlan,
} from '../swap-plan.ts';
import {
  type PathSwap,
  ROUTER,
  RouterCommands,
  SETTLED_ALREADY,
  WHOLE_BALANCE,
} from './router-commands.ts';
import type { UniversalRouter } from './universal-router.ts';

const BPS = 10_000n;

function deductTax(gross: bigint, taxBps: number): bigint {
  return gross - (gross * BigInt(taxBps)) / BPS;
}

/** The minimum to send so that the net amount arrives. */
function computeLeastGross(net: bigint, taxBps: number): bigint {
  let gross = (net * BPS) / (BPS - BigInt(taxBps));
  while (gross > 0n && deductTax(gross - 1n, taxBps) >= net) gross -= 1n;
  while (deductTax(gross, taxBps) < net) gross += 1n;
  return gross;
}

/**
 * How much of a price change a swap path may absorb: its own part and, for the one that takes the
 * rest of an asset, also that of the swap paths with fixed amounts.
 */
function computeBurdens(paying: readonly SwapPath[], taxBps: number): bigint[] {
  const nets = paying.map(({ amountOutRaw }) => deductTax(amountOutRaw, taxBps));
  return paying.map((swapPath, index) => {
    const own = nets[index] ?? 0n;
    if (swapPath.takes !== 'rest') return own;
    const token = first(swapPath.hops).tokenIn;
    return paying.reduce((sum, { takes, hops }, k) => {
      const isPart = takes === 'part' && first(hops).tokenIn === token;
      return sum + (isPart ? (nets[k] ?? 0n) : 0n);
    }, own);
  });
}

/**
 * Minimums that add up to the total: the expected output of each swap path minus its part of the
 * allowed loss. If all together bring less than the minimum, each must bring more in proportion.
 */
function computeMinimums(
  paying: readonly SwapPath[],
  { amountOutMin, outputTaxBps }: SwapPlan,
): bigint[] {
  const nets = paying.map(({ amountOutRaw }) => deductTax(amountOutRaw, outputTaxBps));
  const burdens = computeBurdens(paying, outputTaxBps);
  const burden = burdens.reduce((sum, one) => sum + one, 0n);
  const whole = nets.reduce((sum, net) => sum + net, 0n);
  const allowed = whole - amountOutMin;
  if (whole === 0n) return nets.map((_, index) => (index === 0 ? amountOutMin : 0n));
  if (allowed <= 0n) return nets.map((net) => (net * amountOutMin + whole - 1n) / whole);
  return nets.map((net, index) => {
    const lost = (allowed * (burdens[index] ?? 0n)) / burden;
    return lost < net ? net - lost : 0n;
  });
}

/** Groups hops that one command can do: of one kind, each spending what the previous one paid. */
export function splitSegments(hops: readonly SwapHop[]): SwapHop[][] {
  const segments: SwapHop[][] = [];
  for (const hop of hops) {
    const last = segments.at(-1)?.at(-1);
    if (last?.pool.kind === hop.pool.kind && last.tokenOut === hop.tokenIn)
      segments.at(-1)?.push(hop);
    else segments.push([hop]);
  }
  return segments;
}

/** A V2 pair is paid directly by the hop before it. */
function findPair({ pool }: SwapHop): Address | null {
  return pool.kind === 'v2' ? pool.pair : null;
}

/** The end of a swap path: the recipient and the minimum. */
interface PathEnd {
  readonly recipient: Address;
  readonly amountOutMin: bigint;
}

const HELD: PathEnd = { recipient: ROUTER, amountOutMin: 0n };

class SwapEncoder {
  readonly #plan: SwapPlan;
  readonly #wrapped: Address;
  readonly #commands: RouterCommands;
  /** The swap paths that pay the output. */
  readonly #paying: readonly SwapPath[];
  /** Tokens that may be left in the router if a pool could not take everything. */
  readonly #leftovers = new Set<Address>();
  /** The forms of the native coin that the router may hold. */
  readonly #coins = new Set<Address>();

  constructor(plan: SwapPlan, router: UniversalRouter) {
    this.#plan = plan;
    this.#wrapped = router.wrapped;
    this.#commands = new RouterCommands(router.version);
    const isOutput = (token: Address) =>
      token === plan.tokenOut || (this.#isCoin(token) && this.#isCoin(plan.tokenOut));
    this.#paying = plan.swapPaths.filter(({ hops }) => isOutput(last(hops).tokenOut));
  }

  encode(): Hex {
    const { swapPaths, deadlineSeconds, permitInput } = this.#plan;
    if (permitInput !== undefined) this.#commands.permit(permitInput);
    this.#fund();
    const ends = this.#planEnds();
    for (const swapPath of swapPaths) this.#addSwapPath(swapPath, ends.get(swapPath) ?? HELD);
    this.#collect();
    this.#sweepLeftovers();
    return this.#commands.encode(deadlineSeconds);
  }

  #isCoin(token: Address): boolean {
    return token === ZERO_ADDRESS || token === this.#wrapped;
  }

  /** Converts the input to the form that the first pools take. */
  #fund(): void {
    const { tokenIn, swapPaths } = this.#plan;
    const sumOf = (token: Address) =>
      swapPaths.reduce((sum, { takes, hops, amountInRaw }) => {
        return sum + (takes === 'input' && first(hops).tokenIn === token ? amountInRaw : 0n);
      }, 0n);
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
   * A taxed token is never sent twice. Of one that nobody vouches for, V3 and V4 would not notice
   * that less arrives than the pool has sent, so the router holds it and compares its balance.
   */
  get #paysDirectly(): boolean {
    const { outputTaxBps, holdsOutput, fee } = this.#plan;
    if (fee !== undefined) return false;
    if (outputTaxBps > 0) return true;
    const isCompared = this.#paying.every(({ hops }) => last(hops).pool.kind === 'v2');
    return this.#paying.length === 1 && (isCompared || holdsOutput !== true);
  }

  /**
   * A single swap path pays the wallet itself, unless the output is held. Several pay the router,
   * which forwards everything if it is enough; if they must pay the wallet directly, each has its
   * own minimum.
   */
  #planEnds(): ReadonlyMap<SwapPath, PathEnd> {
    const { tokenOut, outputTaxBps, recipient } = this.#plan;
    const minimums = computeMinimums(this.#paying, this.#plan);
    return new Map(
      this.#paying.map((swapPath, index) => {
        const hop = last(swapPath.hops);
        if (hop.tokenOut !== tokenOut || !this.#paysDirectly) return [swapPath, HELD];
        const net = minimums[index] ?? 0n;
        // V2's router compares what arrived, the others what the pool sent.
        const isNet = hop.pool.kind === 'v2';
        const amountOutMin = isNet ? net : computeLeastGross(net, outputTaxBps);
        return [swapPath, { recipient, amountOutMin }];
      }),
    );
  }

  #addSwapPath({ takes, amountInRaw, hops: all }: SwapPath, end: PathEnd): void {
    const segments = splitSegments(all);
    const { tokenIn } = this.#plan;
    let amountIn = takes === 'rest' ? WHOLE_BALANCE : amountInRaw;
    if (takes !== 'input') this.#provideCoin(first(all).tokenIn, amountIn);
    let payerIsUser =
      takes === 'input' && tokenIn !== ZERO_ADDRESS && first(all).tokenIn === tokenIn;
    for (const [index, hops] of segments.entries()) {
      const next = segments[index + 1];
      const goesOn = next !== undefined && last(hops).tokenOut === first(next).tokenIn;
      const pair = goesOn ? findPair(first(next)) : null;
      const { recipient, amountOutMin } =
        next === undefined ? end : { recipient: pair ?? ROUTER, amountOutMin: 0n };
      this.#addSegment({ hops, amountIn, amountOutMin, recipient, payerIsUser });
      if (next !== undefined && !goesOn) this.#exchangeCoin(last(hops).tokenOut);
      amountIn = pair !== null ? SETTLED_ALREADY : WHOLE_BALANCE;
      payerIsUser = false;
    }
    this.#noteCoin(last(all).tokenOut);
  }

  #noteCoin(token: Address): void {
    if (this.#isCoin(token)) this.#coins.add(token);
  }

  /**
   * Converts the router's native coin to the form that a swap path takes. Everything is unwrapped
   * before a part is wrapped, because the amounts of each form may differ from the priced ones.
   */
  #provideCoin(token: Address, amount: bigint): void {
    const other = token === ZERO_ADDRESS ? this.#wrapped : ZERO_ADDRESS;
    if (!this.#isCoin(token) || !this.#coins.has(other)) return;
    if (token === ZERO_ADDRESS || (amount !== WHOLE_BALANCE && this.#coins.has(token))) {
      this.#commands.unwrap(ROUTER, 0n);
      this.#coins.delete(this.#wrapped);
      this.#coins.add(ZERO_ADDRESS);
    }
    if (token === this.#wrapped) this.#commands.wrap(ROUTER, amount);
  }

  #addSegment(swap: PathSwap): void {
    const { kind } = first(swap.hops).pool;
    if (kind === 'v2') this.#commands.v2Swap(swap);
    else if (kind === 'v3') this.#commands.v3Swap(swap);
    else this.#commands.v4Swap(swap);
    if (kind === 'v2' || (kind === 'v4' && swap.amountIn === WHOLE_BALANCE)) return;
    // Where liquidity ends a swap stops early, and the unspent input stays in the router. V4
    // reverts instead for all but the first hop, and if it was paid before.
    const held = kind === 'v3' ? swap.hops : swap.hops.slice(0, 1);
    for (const [index, { tokenIn }] of held.entries()) {
      if (index > 0 || !swap.payerIsUser) this.#leftovers.add(tokenIn);
    }
  }

  /** Converts the router's native coin to wrapped, or the reverse. */
  #exchangeCoin(from: Address): void {
    if (from === ZERO_ADDRESS) this.#commands.wrap(ROUTER, WHOLE_BALANCE);
    else this.#commands.unwrap(ROUTER, 0n);
  }

  /** Forwards what swap paths paid to the router, if it is enough. */
  #collect(): void {
    const paid = new Set(this.#paying.map(({ hops }) => last(hops).tokenOut));
    if (paid.size === 1 && paid.has(this.#plan.tokenOut) && this.#paysDirectly) return;
    this.#commands.forward(paid, { ...this.#plan, wrapped: this.#wrapped });
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

/** The swap call; its input must be approved before, unless it is the native coin. */
export function encodeSwap(plan: SwapPlan, router: UniversalRouter): EncodedCall {
  const amountIn = plan.swapPaths.reduce(
    (sum, { takes, amountInRaw }) => sum + (takes === 'input' ? amountInRaw : 0n),
    0n,
  );
  return {
    to: router.address,
    data: new SwapEncoder(plan, router).encode(),
    value: plan.tokenIn === ZERO_ADDRESS ? amountIn : 0n,
  };
}
