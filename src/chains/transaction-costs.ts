// What a transaction of swaps costs, and how much fits into one, in a family's own unit (gas on EVM
// chains). Plain data: it crosses to the threads that search routes.

import type { PoolId } from '../model/ids.ts';

/**
 * Lists of accounts on the chain that make transactions shorter, as Solana's lookup tables do: an
 * account of a list takes a byte, and the list is named once.
 */
export interface ListedAccounts {
  /** What each account of a list saves. */
  readonly savedBytes: number;
  /** What naming a list takes. */
  readonly listBytes: number;
  /** The accounts of lists that a swap in a pool names, in whatever direction. */
  readonly byPool: ReadonlyMap<PoolId, readonly ListedAccount[]>;
}

interface ListedAccount {
  readonly list: number;
  readonly place: number;
}

export interface TransactionCosts {
  /** What a unit is called in texts for users. */
  readonly unitName: string;
  /** The transaction itself and the router's own work. */
  readonly base: bigint;
  /** To take a part of the input from the wallet, unless it is the native coin. */
  readonly pull: bigint;
  /** To turn the wrapped coin into the native one at the end. */
  readonly unwrap: bigint;
  /**
   * If the output is given: more for each swap, and once more to forward it. If it is not, once if
   * the router holds the output and forwards it. 0 if absent.
   */
  readonly fixedOutput?: bigint;
  /** To pay a part of the output to somebody else; 0 if absent. */
  readonly fee?: bigint;
  /** What that adds to a transaction's length; 0 if absent. */
  readonly feeBytes?: number;
  /** About what a whole trade uses. */
  readonly usual: bigint;
  /** The maximum that one transaction may use, by the model. */
  readonly unitsMax: bigint;
  readonly bytesMax: number;
  /** What more a transaction takes that spends the native coin; 0 if absent. */
  readonly nativeInBytes?: number;
  /** Those of the operator, if there are any. */
  readonly listed?: ListedAccounts;
  /** Replaces `bytesMax` while the price of bytes is unknown: few enough for it not to matter. */
  readonly fewBytesMax: number;
  /**
   * Whether every swap is told what to spend: nothing passes on what the one before really paid.
   * False if absent.
   */
  readonly fixesInputs?: boolean;
  /** Whether the chain charges for a transaction's length, too, as rollups do. */
  readonly hasDataFees: boolean;
}

/** What one swap uses of a transaction. */
export interface SwapCost {
  readonly hop: bigint;
  /** After another hop in the same contract, which settles both at once. */
  readonly hopInSameVault: bigint;
  readonly perTick: bigint;
}

/** What a hop adds to a transaction's length. */
export interface HopBytes {
  /** Hops in a row with the same command share one. */
  readonly command: string;
  /** With a command of its own. */
  readonly first: number;
  /** After a hop of the same command. */
  readonly next: number;
  /** A swap from token 0 takes so much less; 0 if absent. */
  readonly fromZeroLess?: number;
  /** What of it is for the token that is received, which is listed only once; 0 if absent. */
  readonly received?: number;
  /** What hops with the same `sharer` list only once; nothing if absent. */
  readonly shared?: { readonly sharer: string; readonly bytes: number };
  /**
   * Whether the command can be told what to pay instead of what it gets; false if absent. Some can
   * in one direction only.
   */
  readonly fixesOutput?: boolean | 'oneForZero';
  /**
   * Whether a router compares what the pool sends, so that it must hold the output to compare what
   * arrives; false if absent.
   */
  readonly needsHolding?: true;
  /** Told what to pay, it pays exactly that, also in pools that pay for what arrives. */
  readonly paysAsked?: boolean;
}
