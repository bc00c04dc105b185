// A swap as a transaction made it.

import type { Address, PoolId, TransactionId } from '../../../model/ids.ts';
import type { PoolChange } from '../../../model/pool.ts';
import type { CallPlace } from '../data/transaction-calls.ts';
import type { PoolCall } from './pool-call.ts';
import type { FoldSwap, ReservesBefore } from './solana-venue.ts';

/** A pool that is known by its trades alone. */
export interface UnpricedSighting {
  readonly venue: string;
  /** Of the exchange. */
  readonly program: Address;
  readonly tokens: readonly [Address, Address];
  /** Owns what the pool pays out. */
  readonly maker: Address;
  /** One of them must belong to the program: only it could have written there. */
  readonly accounts: readonly Address[];
}

/** Amounts are the pool's: what its vaults gained and lost. */
export interface VenueTrade extends CallPlace {
  readonly venue: string;
  readonly instruction: string;
  readonly txHash: TransactionId;
  readonly pool: PoolId;
  readonly user: Address;
  readonly vaultIn: Address;
  readonly vaultOut: Address;
  /** Null if no balance row names the vault's mint. */
  readonly mintIn: Address | null;
  readonly mintOut: Address | null;
  readonly amountIn: bigint;
  readonly amountOut: bigint;
  /** Where the amounts are from. */
  readonly source: 'event' | 'transfers' | 'balances';
  /** Whether an independent source agrees: transfers under the call, or balances of the vaults. */
  readonly isVerified: boolean;
  /** The pool after it, as far as the event has it. */
  readonly change: PoolChange | null;
  /** The same, where it depends on the pool's terms. */
  readonly fold: FoldSwap | null;
  /** The reserves before it, if the event has them. */
  readonly before: ReservesBefore | null;
  /**
   * What the vaults hold after the transaction; null if it has no such rows, or later trades in the
   * pool.
   */
  readonly heldAfter: { readonly in: bigint; readonly out: bigint } | null;
  /** For pools that no account describes. */
  readonly sighting?: UnpricedSighting;
}

/** Calls of a venue that were not decoded. */
export interface UnknownCall extends CallPlace {
  readonly venue: string;
  /** The first bytes of the call's data, in hex. */
  readonly discriminator: string;
}

export interface TransactionTrades {
  /** In the order of their execution. */
  readonly trades: readonly VenueTrade[];
  /** The same for calls that change pools without a swap. */
  readonly poolCalls: readonly PoolCall[];
  readonly unknown: readonly UnknownCall[];
}
