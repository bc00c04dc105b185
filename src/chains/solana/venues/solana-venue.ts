// What is known of a venue on Solana: its programs, its swap instructions, where their accounts
// stand, what its events say, and how its accounts describe a pool.

import type { Address } from '../../../model/ids.ts';
import type { PoolChange, PoolDescription, PoolKindName, PoolTerms } from '../../../model/pool.ts';
import type { ProgramCall } from '../data/transaction-calls.ts';
import type { AccountReading, PoolAccounts } from '../tokens/pool-accounts.ts';
import type { VenueSwapEncoder } from './swap-order.ts';

/** A pool that a call swaps in. */
export interface SwapSite {
  readonly pool: Address;
  /** The accounts that hold the pool's two tokens, in any order. */
  readonly vaults: readonly [Address, Address];
  readonly user: Address;
  /**
   * For a pool that is itself the second vault, and is paid without a transfer of tokens, as in
   * lamports: the coin, and what it is paid with.
   */
  readonly ownVault?: {
    readonly mint: Address;
    readonly quoteMint: Address;
    /**
     * The account whose lamports are what was paid, for events that do not say how much of an
     * amount the curve itself got or gave.
     */
    readonly lamports?: Address;
  };
}

export interface SwapInstruction {
  readonly name: string;
  /** Null if the accounts are not as they should be. A call may swap in two pools. */
  findSites(call: ProgramCall): readonly SwapSite[] | null;
}

/** An instruction that creates a pool: where its accounts stand. */
interface CreationInstruction {
  readonly name: string;
  readonly pool: number;
  /** For a curve, whose account does not name its coin. */
  readonly mint?: number;
  /** The accounts that hold the pool's tokens, in its order; absent if it has none at first. */
  readonly vaults?: readonly [number, number];
  /** The pool's first state, if the call tells it. */
  readState?(call: ProgramCall): PoolChange | null;
}

/** An instruction that adds liquidity or takes it: reserves change by what the vaults do. */
interface DepositInstruction {
  readonly name: string;
  readonly pool: number;
  /** In the pool's order. */
  readonly vaults: readonly [number, number];
}

/** A curve whose coin got a pool of its own. */
interface CurveEnd {
  readonly curve: Address;
  /** The coin, if the curve's account does not name it. */
  readonly mint?: Address;
}

/** The reserves that priced a swap, and the fees that left them. */
export interface ReservesBefore {
  readonly reserveIn: bigint;
  readonly reserveOut: bigint;
  /** Of the input; the venue's owners get a part of it. */
  readonly tradeFee: bigint;
  readonly creatorFeeIn: bigint;
  readonly creatorFeeOut: bigint;
}

/** How and when a swap was made. */
interface SwapMoment {
  readonly isZeroIn: boolean;
  /** The block's time. */
  readonly nowSeconds: number;
}

/** The pool after a swap; null if the pool is of another kind. */
export type FoldSwap = (pool: PoolDescription, moment: SwapMoment) => PoolChange | null;

/** What a venue's event says of a swap, from the pool's side. */
export interface SwapReport {
  readonly amountIn: bigint;
  readonly amountOut: bigint;
  /** The pool that the event names; null if it names none. */
  readonly pool: Address | null;
  /** For a pool with one token account: its coin, and whether that went out. */
  readonly mint?: Address;
  readonly isBuy?: boolean;
  /** Fees that may be in the amount that was paid or received, or not. */
  readonly quoteFee?: bigint;
  /** The pool after it, as far as the event has it. */
  readonly change: PoolChange | null;
  /** The same, where it depends on the pool's terms. */
  readonly fold?: FoldSwap;
  /** For venues that tell the reserves before a swap instead. */
  readonly before?: ReservesBefore;
}

export interface SwapEvidence {
  readonly call: ProgramCall;
  /** What the call wrote to the log. */
  readonly logged: readonly Buffer[];
}

/** Where the accounts of pools have what they are found by. */
export interface PoolLayout {
  /** How a pool's account begins, in hex; null if only its length tells it apart. */
  readonly discriminator: string | null;
  /** Null where accounts of several lengths are in use. */
  readonly byteCount: number | null;
  /** The offsets of the two mints; null if another account names it. */
  readonly mints: readonly [number, number | null];
  /** The offsets of the accounts that hold the two tokens. */
  readonly vaults: readonly [number, number];
  /** The offsets of the mint of its shares, and of how many the pool counts. */
  readonly shares?: readonly [number, number];
}

/** What swaps use of a transaction. Accounts take 32 bytes each; the longest swap counts. */
export interface VenueLoad {
  readonly units: bigint;
  readonly unitsPerTick: bigint;
  /** Of the accounts of the pool, the instruction, the token that is received. */
  readonly bytes: number;
  /** Of the program's own accounts: listed once, however many swaps use them. */
  readonly sharedBytes: number;
  /** Whether what is received is a token, with an account that all swaps use. */
  readonly receivesTokens?: boolean;
  /** Whether `bytes` has the settings of the pool's fees. */
  readonly hasConfig?: boolean;
  /** Whether the venue's program can be told what to pay. */
  readonly fixesOutput?: boolean | 'oneForZero';
  /** Each bin or tick is at least so many 1/100 of a per cent from the next. */
  findStepBps?(pool: PoolTerms): number | null;
  /** Of accounts and checks that only purchases need. */
  readonly purchaseBytes?: number;
}

/** A swap as the vaults and, where there is one, the event tell it. */
export interface FoldedTrade {
  readonly before: ReservesBefore | null;
  readonly amountIn: bigint;
  readonly amountOut: bigint;
  readonly source: string;
}

/** What pools of a kind become by what no event says. */
export interface KindFolds {
  readonly kind: PoolKindName;
  /** It changed in a way that no event tells, and is read again. */
  readonly stale: PoolChange & { readonly set: object };
  /** Whether a pool holds what is in its vaults; others keep fees there, too. */
  readonly holdsVaults?: true;
  /** Reserves that came or went; absent if positions do not change the price. */
  addReserves?(added: readonly [bigint, bigint]): PoolChange;
  /** The reserves as the vaults have them. */
  setReserves?(held: readonly [bigint, bigint], pool: PoolDescription): PoolChange | null;
  /** A swap whose event does not have the pool's state. */
  foldSwap?(trade: FoldedTrade, pool: PoolDescription, isZeroIn: boolean): PoolChange | null;
  /** A curve whose coin got a pool of its own. */
  readonly end?: PoolChange;
}

/** The load of all pools of a kind. */
export function describeLoad(kind: PoolKindName, load: VenueLoad) {
  return (pool: PoolTerms): VenueLoad | null => (pool.kind === kind ? load : null);
}

export interface SolanaVenue {
  readonly name: string;
  readonly programs: readonly Address[];
  /** How many bytes tell an instruction apart. */
  readonly discriminatorBytes: number;
  /** By discriminator, in hex. */
  readonly swaps: Readonly<Record<string, SwapInstruction>>;
  /** Those that create a pool. */
  readonly creations: Readonly<Record<string, CreationInstruction>>;
  /** Those that move the reserves without a swap, for kinds whose state is their reserves. */
  readonly deposits?: Readonly<Record<string, DepositInstruction>>;
  /**
   * Those after which a pool must be read again, by discriminator: where the pool stands among
   * their accounts.
   */
  readonly touches?: Readonly<Record<string, number>>;
  /** Other known instructions, by discriminator. */
  readonly others: Readonly<Record<string, string>>;
  /** For launchpads: the curves that a call ended. */
  readEnds?(call: ProgramCall): readonly CurveEnd[];
  /** One for each swap of the call, in order; none if it wrote no event. */
  readReports(evidence: SwapEvidence): readonly SwapReport[];
  /** Absent if pools cannot be found by their mints. */
  readonly layout?: PoolLayout;
  /** The pools that a coin has at addresses of its own, whether they exist or not. */
  listPoolsOf?(coin: Address, program: Address): readonly Address[];
  /** The accounts that are needed beside the pool's own. */
  listAccounts(pool: Address, bytes: Uint8Array, program: Address): Address[];
  /** Null if the accounts are not those of a pool, or some are missing. */
  readPool(query: PoolAccounts): AccountReading | null;
  /** Absent if swaps are not built. */
  readonly encoder?: VenueSwapEncoder;
  /** Owns the accounts that hold the tokens of all pools; absent if each pool owns its own. */
  readonly vaultAuthority?: Address;
  /** Null for kinds of pools that another venue describes. */
  findLoad?(pool: PoolTerms): VenueLoad | null;
  /** Of a kind of pools; each kind is described by one of its venues. */
  readonly folds?: KindFolds;
  /**
   * Whether it swaps tokens that deduct a fee from transfers, and whether such swaps were compared
   * with ours. Absent if it does not.
   */
  readonly takesTransferFees?: 'compared' | 'unchecked';
  /** What the numbers of its errors mean, for those that its logs may not name. */
  readonly errors?: Readonly<Record<number, string>>;
}

/** Where a swap instruction has its accounts. */
interface SitePlaces {
  readonly pool: number;
  readonly vaults: readonly [number, number];
  readonly user: number;
}

function findSite(call: ProgramCall, places: SitePlaces): SwapSite | null {
  const pool = call.account(places.pool);
  const first = call.account(places.vaults[0]);
  const second = call.account(places.vaults[1]);
  const user = call.account(places.user);
  if (pool === null || first === null || second === null || user === null) return null;
  return { pool, vaults: [first, second], user };
}

export function describeSwap(name: string, places: SitePlaces): SwapInstruction {
  return {
    name,
    findSites(call) {
      const site = findSite(call, places);
      return site === null ? null : [site];
    },
  };
}

/** A call that swaps in two pools. */
export function describeTwoSwaps(
  name: string,
  places: readonly [SitePlaces, SitePlaces],
): SwapInstruction {
  return {
    name,
    findSites(call) {
      const [first, second] = [findSite(call, places[0]), findSite(call, places[1])];
      return first === null || second === null ? null : [first, second];
    },
  };
}
