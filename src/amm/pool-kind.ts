// What a pool kind must implement. A new kind is a folder beside this file and a line in
// `pool-kinds.ts`.

import type { Ratio } from '../lib/decimal.ts';
import type { PoolId } from '../model/ids.ts';
import type { TickRange, TickRecord } from '../model/market-record.ts';
import type {
  PoolChange,
  PoolKindName,
  PoolRecord,
  PoolRecordOf,
  StateOf,
  TermsOf,
} from '../model/pool.ts';
import type { PoolOpening } from './pool-moment.ts';
import type { SwapPool } from './swap-pool.ts';
import type { TickList } from './tick-list.ts';
import type { PoolTransferFees } from './transfer-fee.ts';

/** A pool's row while events are applied to it. */
export type PoolDraft<K extends PoolKindName> = {
  -readonly [Key in keyof PoolRecordOf<K>]: PoolRecordOf<K>[Key];
};

/** The amounts of a swap, from the pool's side: positive came in, negative went out. */
export interface SwappedAmounts {
  readonly amount0: bigint;
  readonly amount1: bigint;
}

/** The pool's ticks, for kinds that have any. */
export interface PoolTicks {
  get(tick: number): Pick<TickRecord, 'liquidityGross' | 'liquidityNet'> | undefined;
  /** Adds to a tick; false if more would be removed than it has. */
  change(tick: number, by: { readonly gross: bigint; readonly net: bigint }): boolean;
  /** The ticks with liquidity, ascending. */
  readonly order: readonly number[];
}

/** Whether a launch has sold all it had; `unknown` before its state is known. */
export type LaunchStage = 'unknown' | 'open' | 'graduated';

/** For kinds that store whether all is sold; null while unknown. */
export function toLaunchStage(isComplete: boolean | null): LaunchStage {
  if (isComplete === null) return 'unknown';
  return isComplete ? 'graduated' : 'open';
}

/** How far a launchpad's curve is. */
interface CurveProgress {
  /** How much of it is sold, in per cent; null if unknown. */
  readonly progressPct: number | null;
  /** Whether its coin has got a pool of its own. */
  readonly isGraduated: boolean;
}

/** Liquidity between two ticks. */
interface TickPosition {
  readonly tickLower: number;
  readonly tickUpper: number;
  readonly liquidityDelta: bigint;
}

/** What a change of a pool may depend on beside the pool. */
interface ApplyContext {
  readonly ticks: PoolTicks;
  /** The time of the block; absent where none is known. */
  readonly nowSeconds?: number;
  /** Null unless the change belongs to a swap. */
  readonly swapped: SwappedAmounts | null;
  /** Another row, as the events before this one left it; absent where rows are read alone. */
  findRow?(pool: PoolId): PoolRecord | undefined;
}

export interface PoolKind<K extends PoolKindName = PoolKindName> {
  readonly name: K;
  /** Another kind whose changes it takes as its own, because their pools emit the same log. */
  readonly sharesChangesOf?: PoolKindName;
  /** Whether its liquidity is stored as ticks, in separate rows. */
  readonly hasTicks: boolean;
  /**
   * Whether the log alone tells how deep the pool is. Otherwise its depth depends on when it was
   * read, and judges no trade.
   */
  readonly hasDepthByLog: boolean;
  /** Whether a swap uses the amount that really arrived, so that taxed tokens can be sold. */
  readonly countsArrivals: boolean;
  /** Before any event. */
  readonly stateAtStart: StateOf<K>;
  /**
   * The fields that every event sets, so that they are also known for a pool discovered after its
   * creation.
   */
  readonly eventFields: readonly (keyof StateOf<K>)[];
  /**
   * Features of the pool that our maths was never compared with, as names separated by spaces
   * (`UncheckedFlag`); empty or absent if there are none.
   */
  findFlags?(state: StateOf<K>, terms: TermsOf<K>): string;
  /** Whether its fee may change without a log; it does not if absent. */
  hasSilentFee?(terms: TermsOf<K>, flags: string): boolean;
  /** For kinds whose state has the fee: in pips; null if neither a log nor a contract told it. */
  findFeePips?(state: StateOf<K>): number | null;
  /** From when on the pool can be traded; null or absent if it could from the start. */
  findOpening?(state: StateOf<K>): PoolOpening | null;
  /**
   * What names the pool that this row shares with others: a swap in one of them changes the rest.
   * Null or absent if the row is the whole pool.
   */
  findShared?(pool: Pick<PoolRecordOf<K>, 'vault' | 'terms'>): string | null;
  /** What the pool's tokens deduct from transfers, where the kind's swaps include that. */
  findTransferFees?(state: StateOf<K>): PoolTransferFees | null;
  /** For pools that sell a new token until they have none left; null for other pools. */
  findLaunch?(pool: Pick<PoolRecordOf<K>, 'terms' | 'state'>): LaunchStage | null;
  /** For kinds with launchpads' curves, whose coin is token 0: how far it is; null for no curve. */
  findProgress?(pool: Pick<PoolRecordOf<K>, 'terms' | 'state'>): CurveProgress | null;
  /** Whether applying the change needs the ticks. */
  needsTicks(change: Extract<PoolChange, { poolKind: K }>): boolean;
  /** Gives the draft a new state. */
  apply(
    draft: PoolDraft<K>,
    change: Extract<PoolChange, { poolKind: K }>,
    context: ApplyContext,
  ): void;
  /**
   * Builds the whole state from the contract's fields and all ticks; null if they are incomplete or
   * contradict each other.
   */
  assembleState(
    fields: Readonly<Partial<StateOf<K>>>,
    ticks: readonly Omit<TickRecord, 'pool'>[],
  ): StateOf<K> | null;
  /**
   * For kinds whose events do not repeat the state: whether the state that was read explains the
   * last event of the `stored` one.
   */
  explains?(read: Pick<PoolDraft<K>, 'terms' | 'state'>, stored: StateOf<K>): boolean;
  /**
   * For kinds with ticks: those that the price passes before it has moved by ten per cent in either
   * direction; null while the pool has no price.
   */
  findDepthTicks?(pool: Pick<PoolRecordOf<K>, 'terms' | 'state'>): TickRange | null;
  /** For kinds with ticks: whether a pool begins with this change. */
  isBirth?(change: Extract<PoolChange, { poolKind: K }>): boolean;
  /** What a change adds to the ticks, or takes away if negative; null if nothing. */
  findPosition?(change: Extract<PoolChange, { poolKind: K }>): TickPosition | null;
  /** Raw units of token 1 per raw unit of token 0; null while the pool has no price. */
  price(state: StateOf<K>): Ratio | null;
  /** What it holds; null if unknown. */
  holdings(state: StateOf<K>): { readonly amount0: bigint; readonly amount1: bigint } | null;
  /** What it would pay of the other token before the price of `base` has fallen by two per cent. */
  payableRaw(pool: PoolRecordOf<K>, base: 'token0' | 'token1', ticks: PoolTicks): bigint;
  /** Ready for swaps; null if no swap is possible. `previous` is the pool before this change. */
  createSwapPool(
    pool: PoolRecordOf<K>,
    ticks: readonly TickRecord[],
    previous: SwapPool | undefined,
  ): SwapPool | null;
  /** Restores the pool from `toPlain`, with its ticks. */
  revive(plain: object, ticks: TickList | null): SwapPool;
  /** As text for the store. */
  encodeTerms(terms: TermsOf<K>): string;
  decodeTerms(text: string): TermsOf<K>;
  encodeState(state: StateOf<K>): string;
  decodeState(text: string): StateOf<K>;
}
