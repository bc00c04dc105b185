// One swap to be encoded for its venue's program.

import type { Address } from '../../../model/ids.ts';
import type { AccountBytes } from '../data/account-bytes.ts';
import { encodeU64, type ProgramInstruction } from '../data/program-instruction.ts';

export interface SwapOrder {
  /** The program that owns the pool. */
  readonly program: Address;
  readonly pool: Address;
  /** The pool's account. */
  readonly data: AccountBytes;
  readonly user: Address;
  readonly mintIn: Address;
  readonly mintOut: Address;
  readonly tokenProgramIn: Address;
  readonly tokenProgramOut: Address;
  /** The user's token accounts; not used by a curve for what it is paid with. */
  readonly accountIn: Address;
  readonly accountOut: Address;
  /** Which amount is exact: what is spent, or what is received. */
  readonly fixed: 'input' | 'output';
  /** If the output is exact: if the pool would take more, the swap fails. */
  readonly amountIn: bigint;
  /** If the input is exact: if the pool would pay less, the swap fails. */
  readonly amountOut: bigint;
  /** An account that `listAccounts` named; null if the chain has none there. */
  open(address: Address): AccountBytes | null;
}

export interface VenueSwapEncoder {
  /** Accounts that must be read, beside the pool's own. */
  listAccounts?(program: Address): readonly Address[];
  /** Whether it takes and pays lamports, not wrapped SOL. */
  readonly usesLamports?: boolean;
  /** Whether it may pay less than the exact output, and succeed. */
  readonly mayPayLess?: boolean;
  /** Whether no test executes its swaps of an exact output on the embedded chain. */
  readonly isOutputUnproven?: boolean;
  /** Throws a `RangeError` if the accounts are not those of a pool of the venue. */
  encode(order: SwapOrder): ProgramInstruction;
}

/** For instructions that are told what to spend: they would spend the maximum. */
export function encodeGivenInput({ program, fixed, amountIn, amountOut }: SwapOrder): Buffer {
  if (fixed !== 'input') throw new Error(`a swap of ${program} cannot be told what to pay`);
  return encodeU64(amountIn, amountOut);
}

/** For programs with one instruction for both: the exact amount, then the limit of the other. */
export function encodeExactFirst({ fixed, amountIn, amountOut }: SwapOrder): Buffer {
  return fixed === 'input' ? encodeU64(amountIn, amountOut) : encodeU64(amountOut, amountIn);
}

/** Both sides of a swap in the pool's order. */
export function orderSides(order: SwapOrder, isFirstIn: boolean) {
  const sideIn = { account: order.accountIn, program: order.tokenProgramIn, mint: order.mintIn };
  const sideOut = {
    ...{ account: order.accountOut, program: order.tokenProgramOut, mint: order.mintOut },
  };
  return isFirstIn ? ([sideIn, sideOut] as const) : ([sideOut, sideIn] as const);
}

/** The vaults in the direction of the swap. */
export function orderVaults(
  order: SwapOrder,
  places: { mint0: number; vault0: number; vault1: number },
) {
  const { data, mintIn } = order;
  const vaults = [data.key(places.vault0), data.key(places.vault1)] as const;
  const isZeroIn = data.key(places.mint0) === mintIn;
  return {
    isZeroIn,
    vaultIn: isZeroIn ? vaults[0] : vaults[1],
    vaultOut: isZeroIn ? vaults[1] : vaults[0],
  };
}
