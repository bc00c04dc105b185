// What a kind of router must implement: the router of an exchange, which takes one path through
// pools of its own. The wallet has approved it, or sends the coin along.

import type { Hex } from 'viem';
import type { Address, PoolId } from '../../../model/ids.ts';
import type { IntegratorFee } from '../../chain-transactions.ts';
import type { OutputCall, TradeRouter } from '../../trade-router.ts';
import { ZERO_ADDRESS } from '../data/zero-address.ts';
import type { SwapHop, SwapPlan } from './swap-plan.ts';

/** Why routers revert most. */
export const TOO_LITTLE = 'the output is less than the minimum';

export interface EvmRouter extends TradeRouter {
  readonly address: Address;
  readonly wrapped: Address;
}

/** One path, with what the calls of all kinds of routers take. */
export interface PathEnds {
  readonly hops: readonly SwapHop[];
  /** What the wallet spends and receives; the zero address is the native coin. */
  readonly tokenIn: Address;
  readonly tokenOut: Address;
  readonly recipient: Hex;
  readonly deadline: bigint;
  readonly isNativeIn: boolean;
  readonly isNativeOut: boolean;
  /** Only for kinds that pay fees: the output is then held. */
  readonly fee?: IntegratorFee | undefined;
  /** Only for kinds that take permits: the call that hands one to the token. */
  readonly permitCall?: Hex | undefined;
}

/** For a given input. */
export interface PathPlan extends PathEnds {
  readonly amountIn: bigint;
  readonly amountOutMin: bigint;
  /** Whether a router that can holds the output first, and forwards it if the minimum is there. */
  readonly holdsOutput: boolean;
}

/** For a given output. */
export interface OutputPlan extends PathEnds {
  readonly amountOut: bigint;
  readonly amountInMax: bigint;
}

export function toPathEnds(
  hops: readonly SwapHop[],
  plan: Pick<
    SwapPlan,
    'recipient' | 'deadlineSeconds' | 'tokenIn' | 'tokenOut' | 'fee' | 'permitInput'
  >,
): PathEnds {
  const { tokenIn, tokenOut, fee, permitInput: permitCall } = plan;
  return {
    ...{ hops, tokenIn, tokenOut, fee, permitCall },
    recipient: plan.recipient as Hex,
    deadline: BigInt(plan.deadlineSeconds),
    isNativeIn: tokenIn === ZERO_ADDRESS,
    isNativeOut: tokenOut === ZERO_ADDRESS,
  };
}

export function listTokens(hops: readonly SwapHop[]): Hex[] {
  const [first] = hops;
  if (first === undefined) throw new Error('a path without hops');
  return [first.tokenIn, ...hops.map(({ tokenOut }) => tokenOut)] as Hex[];
}

/** What a router's calls depend on beside the path. */
export interface RouterPlace {
  readonly wrapped: Address;
  /** The factory of its first venue. */
  readonly factory: Address | null;
}

/** Who executed what we encode; what is built without a simulation depends on it. */
interface RouterProof {
  /** The exchange's own contract, or a stand-in of ours. */
  readonly executedBy: 'contract' | 'standIn';
  /** Where that contract is from, or what its wire format is from. */
  readonly source: string;
}

/** Contracts with the wire format of several routers. */
export const ROUTER_STAND_INS: RouterProof = {
  executedBy: 'standIn',
  source: 'test/contracts/routers.sol',
};

export interface RouterKind {
  /** Shown in `docs/venues.md`; tests execute a few trades of each kind. */
  readonly proof: RouterProof;
  /** It compares what arrived, not what a pool sent, so it can trade taxed tokens. */
  readonly canTax?: true;
  /** It can pay a part of the output to somebody else. */
  readonly paysFee?: true;
  /** Its contract may have `SelfPermit`, by which it hands a signed permit to the token. */
  readonly takesPermits?: true;
  /** It keeps a unit of the output, and pays one that it kept; one pool alone does not. */
  readonly keepsUnit?: true;
  /** What it is called with can still be executed after the deadline. */
  readonly hasNoDeadline?: true;
  /** It takes and pays the native coin only in the form that the pool has. */
  readonly cannotWrap?: true;
  encodeSwap(path: PathPlan, place: RouterPlace): Hex;
  /** Absent if no call of it is told what to pay. */
  readonly output?: {
    readonly call: Exclude<OutputCall, 'commands' | 'input'>;
    encode(path: OutputPlan): Hex;
  };
  /** The pool that is called itself in place of the router; null if the router is called. */
  findContract?(hops: readonly PoolEnds[], ends: TokenEnds): Address | null;
}

export interface TokenEnds {
  readonly tokenIn: Address;
  readonly tokenOut: Address;
}

/** A hop, with the pool's id. */
export interface PoolEnds extends TokenEnds {
  readonly pool: { readonly pool: PoolId };
}
