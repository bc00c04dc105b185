// Encodes a trade with a given output as one call of the Universal Router.
//
// Each command is told what to pay and the most that it may take. The wallet pays a command exactly
// what it takes; what was sent of the native coin and not taken goes back. Between exchanges of
// different kinds the router buys a given amount of the token in between, and what the next one
// does not take of it goes to the wallet, too.
//
// V2 and V3 commands do not check what arrives, and a token may begin to deduct from transfers
// after the build. So pools pay the router, which forwards the output only if all of it is there.

import type { Hex } from 'viem';
import type { Address } from '../../../../model/ids.ts';
import { ZERO_ADDRESS } from '../../data/zero-address.ts';
import {
  deductFee,
  type EncodedCall,
  type ExactOutPlan,
  first,
  last,
  type SwapHop,
  type SwapPath,
} from '../swap-plan.ts';
import { splitSegments } from './encode-swap.ts';
import { type ExactOutSwap, ROUTER, RouterCommands, WHOLE_BALANCE } from './router-commands.ts';
import type { UniversalRouter } from './universal-router.ts';

/** The most that each swap path may take, in proportion to its input; never more than all do. */
function divideMaximum({ swapPaths, amountInMax }: ExactOutPlan): bigint[] {
  const whole = swapPaths.reduce((sum, { amountInRaw }) => sum + amountInRaw, 0n);
  return swapPaths.map(({ amountInRaw }) => (amountInRaw * amountInMax) / whole);
}

function readAsked(hops: readonly SwapHop[]): bigint {
  const { askedOutRaw } = last(hops);
  if (askedOutRaw === undefined) throw new Error('a hop that is asked for nothing');
  return askedOutRaw;
}

class ExactOutEncoder {
  readonly #plan: ExactOutPlan;
  readonly #wrapped: Address;
  readonly #commands: RouterCommands;
  readonly #maxima: readonly bigint[];
  /** Tokens between two exchanges, of which some may be left. */
  readonly #leftovers = new Set<Address>();

  constructor(plan: ExactOutPlan, router: UniversalRouter) {
    this.#plan = plan;
    this.#wrapped = router.wrapped;
    this.#commands = new RouterCommands(router.version);
    this.#maxima = divideMaximum(plan);
  }

  encode(): Hex {
    const { swapPaths, deadlineSeconds, permitInput } = this.#plan;
    if (permitInput !== undefined) this.#commands.permit(permitInput);
    this.#fund();
    for (const [index, swapPath] of swapPaths.entries()) {
      this.#addSwapPath(swapPath, this.#maxima[index] ?? 0n);
    }
    this.#collect();
    this.#refund();
    this.#sweepLeftovers();
    return this.#commands.encode(deadlineSeconds);
  }

  /** What swap paths that begin with a form of the native coin may take. */
  #sumMaxima(token: Address): bigint {
    return this.#plan.swapPaths.reduce((sum, { hops }, index) => {
      return sum + (first(hops).tokenIn === token ? (this.#maxima[index] ?? 0n) : 0n);
    }, 0n);
  }

  /** Converts as much of the input as may be needed to the form that the first pools take. */
  #fund(): void {
    const { tokenIn } = this.#plan;
    if (tokenIn === ZERO_ADDRESS) {
      const amount = this.#sumMaxima(this.#wrapped);
      if (amount > 0n) this.#commands.wrap(ROUTER, amount);
    } else if (tokenIn === this.#wrapped) {
      const amount = this.#sumMaxima(ZERO_ADDRESS);
      if (amount === 0n) return;
      this.#commands.pull(tokenIn, amount);
      this.#commands.unwrap(ROUTER, amount);
    }
  }

  #addSwapPath({ hops: all }: SwapPath, maximum: bigint): void {
    const { tokenIn } = this.#plan;
    const segments = splitSegments(all);
    let amountInMax = maximum;
    let payerIsUser = tokenIn !== ZERO_ADDRESS && first(all).tokenIn === tokenIn;
    for (const [index, hops] of segments.entries()) {
      const next = segments[index + 1];
      const amountOut = readAsked(hops);
      this.#addSegment({ hops, amountOut, amountInMax, payerIsUser, recipient: ROUTER });
      if (next === undefined) return;
      const [from, to] = [last(hops).tokenOut, first(next).tokenIn];
      if (from !== to) this.#exchangeCoin(from);
      this.#leftovers.add(to);
      amountInMax = amountOut;
      payerIsUser = false;
    }
  }

  #addSegment(swap: ExactOutSwap): void {
    const { kind } = first(swap.hops).pool;
    if (kind === 'v2') this.#commands.v2ExactOut(swap);
    else if (kind === 'v3') this.#commands.v3ExactOut(swap);
    else this.#commands.v4ExactOut(swap);
  }

  /** Converts the router's native coin to wrapped, or the reverse. */
  #exchangeCoin(from: Address): void {
    if (from === ZERO_ADDRESS) this.#commands.wrap(ROUTER, WHOLE_BALANCE);
    else this.#commands.unwrap(ROUTER, 0n);
  }

  /** Forwards the output if all that was asked for has arrived. */
  #collect(): void {
    const { swapPaths } = this.#plan;
    const asked = swapPaths.reduce((sum, { hops }) => sum + readAsked(hops), 0n);
    const amountOutMin = deductFee(asked, this.#plan.fee);
    const paid = new Set(swapPaths.map(({ hops }) => last(hops).tokenOut));
    this.#commands.forward(paid, { ...this.#plan, wrapped: this.#wrapped, amountOutMin });
  }

  /** Returns what was converted or sent and not taken. */
  #refund(): void {
    const { tokenIn, recipient, swapPaths } = this.#plan;
    const forms = new Set(swapPaths.map(({ hops }) => first(hops).tokenIn));
    if (tokenIn === this.#wrapped && forms.has(ZERO_ADDRESS)) {
      this.#commands.wrap(recipient, WHOLE_BALANCE);
    }
    if (tokenIn !== ZERO_ADDRESS) return;
    if (forms.has(this.#wrapped)) this.#commands.unwrap(ROUTER, 0n);
    this.#commands.sweep(ZERO_ADDRESS, recipient, 0n);
  }

  #sweepLeftovers(): void {
    const { recipient } = this.#plan;
    const left = this.#leftovers;
    if (left.delete(this.#wrapped)) this.#commands.unwrap(recipient, 0n);
    for (const token of left) this.#commands.sweep(token, recipient, 0n);
  }
}

/** The swap call; its input must be approved before, unless it is the native coin. */
export function encodeExactOut(plan: ExactOutPlan, router: UniversalRouter): EncodedCall {
  return {
    to: router.address,
    data: new ExactOutEncoder(plan, router).encode(),
    value: plan.tokenIn === ZERO_ADDRESS ? plan.amountInMax : 0n,
  };
}
