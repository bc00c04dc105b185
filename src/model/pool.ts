// What a pool is: the fields of all pools, and those of each kind.

import type { Address, PoolId } from './ids.ts';

/**
 * The pool kinds by name. A kind adds its entry from its own folder under `amm/`: `terms`, fixed at
 * creation; `state`, changed by events; and `change`, the content of one event. States are
 * immutable: an event creates a new one.
 */
// biome-ignore lint/suspicious/noEmptyInterface: kinds add themselves by declaration merging.
export interface PoolShapes {}

export type PoolKindName = keyof PoolShapes;
export type TermsOf<K extends PoolKindName> = PoolShapes[K]['terms'];
export type StateOf<K extends PoolKindName> = PoolShapes[K]['state'];

export interface PoolDescriptionOf<K extends PoolKindName> {
  readonly pool: PoolId;
  readonly kind: K;
  readonly venue: string;
  readonly token0: Address;
  readonly token1: Address;
  /** Fee in 1e-6; for a dynamic-fee pool the last fee seen. */
  readonly feePips: number;
  /** The contract that holds the pool's tokens: the pool itself, or the V4 PoolManager. */
  readonly vault: Address;
  readonly terms: TermsOf<K>;
}

export interface PoolRecordOf<K extends PoolKindName> extends PoolDescriptionOf<K> {
  /** The block of its creation, or where it was first seen if that is older than the index. */
  readonly createdBlock: number;
  /** 0 if its creation was not seen. */
  readonly createdAtMs: number;
  /** False if the pool was discovered after its creation, so that not all its ticks are known. */
  readonly complete: boolean;
  /** After the last event. */
  readonly state: StateOf<K>;
  readonly lastSwapAtMs: number | null;
  /** What it holds, in 1e-18 USD, as of its last event; null if unknown. */
  readonly liquidityUsdE18: bigint | null;
}

export type PoolDescription = { [K in PoolKindName]: PoolDescriptionOf<K> }[PoolKindName];
export type PoolRecord = { [K in PoolKindName]: PoolRecordOf<K> }[PoolKindName];

/** A kind with its terms. */
export type PoolTerms = {
  [K in PoolKindName]: { readonly kind: K; readonly terms: TermsOf<K> };
}[PoolKindName];

/** A change of a pool of the same kind by an event. */
export type PoolChange = {
  [K in PoolKindName]: { readonly poolKind: K } & PoolShapes[K]['change'];
}[PoolKindName];
