// What a kind of pool must bring along. A new one is a folder beside this file and a line in
// `pool-kinds.ts`.

import type { Ratio } from '../lib/decimal.ts';
import type { TickRecord } from '../model/market-record.ts';
import type { PoolChange, PoolKindName, PoolRecordOf, StateOf, TermsOf } from '../model/pool.ts';
import type { TickTable } from './concentrated/tick-table.ts';
import type { SwapPool } from './swap-pool.ts';

/** A pool's row while events are applied to it. */
export type PoolDraft<K extends PoolKindName> = {
  -readonly [Key in keyof PoolRecordOf<K>]: PoolRecordOf<K>[Key];
};

/** What a swap moved, from the pool's side: positive came in, negative went out. */
export interface SwappedAmounts {
  readonly amount0: bigint;
  readonly amount1: bigint;
}

/** The pool's own ticks, for kinds that have any. */
export interface PoolTicks {
  get(tick: number): Pick<TickRecord, 'liquidityGross' | 'liquidityNet'> | undefined;
  /** Adds to a tick; false where more would be taken from it than it has. */
  change(tick: number, by: { readonly gross: bigint; readonly net: bigint }): boolean;
  /** The ticks that hold anything, ascending. */
  readonly order: readonly number[];
}

/** What one event uses of a transaction's room, in the family's own unit (gas on EVM chains). */
export interface SwapCost {
  readonly hop: bigint;
  /** After another hop in the same contract, which settles once for both. */
  readonly hopInSameVault: bigint;
  readonly perTick: bigint;
}

export interface PoolKind<K extends PoolKindName = PoolKindName> {
  readonly name: K;
  /** Whether its liquidity is kept in ticks, rows of their own. */
  readonly hasTicks: boolean;
  /** Whether a swap counts what really arrived, so that taxed tokens can be sold. */
  readonly countsArrivals: boolean;
  /** Before any event. */
  readonly stateAtStart: StateOf<K>;
  /** The fields that every event tells anew, so that they are known of a pool met mid-life. */
  readonly toldFields: readonly (keyof StateOf<K>)[];
  /** Whether applying the change looks at ticks. */
  needsTicks(change: Extract<PoolChange, { poolKind: K }>): boolean;
  /** Gives the draft a new state. `swapped` is null unless the change belongs to a swap. */
  apply(
    draft: PoolDraft<K>,
    change: Extract<PoolChange, { poolKind: K }>,
    context: { readonly ticks: PoolTicks; readonly swapped: SwappedAmounts | null },
  ): void;
  /** Raw units of token 1 per raw unit of token 0; null while the pool has no price. */
  price(state: StateOf<K>): Ratio | null;
  /** What it holds; null where that is not known. */
  holdings(state: StateOf<K>): { readonly amount0: bigint; readonly amount1: bigint } | null;
  /** What it would pay of the other token before the price of `base` has fallen by two per cent. */
  payableRaw(pool: PoolRecordOf<K>, base: 'token0' | 'token1', ticks: PoolTicks): bigint;
  /** Ready to be swapped in; null where nothing can be. `previous` is what it was before. */
  createSwapPool(
    pool: PoolRecordOf<K>,
    ticks: readonly TickRecord[],
    previous: SwapPool | undefined,
  ): SwapPool | null;
  /** The pool that told `toPlain`, with its ticks. */
  revive(plain: object, ticks: TickTable | null): SwapPool;
  swapCost(terms: TermsOf<K>): SwapCost;
  /** As text for the store. */
  encodeTerms(terms: TermsOf<K>): string;
  decodeTerms(text: string): TermsOf<K>;
  encodeState(state: StateOf<K>): string;
  decodeState(text: string): StateOf<K>;
}
