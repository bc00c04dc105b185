// The followed chains and how fresh they are: the content of /chains and of the readiness check.

import type { OutputOf } from '../contract/operation.ts';
import type { getChains } from '../contract/operations/get-chains.ts';
import type { ChainSlug } from '../model/chain.ts';
import type { ChainSourceState } from '../model/chain-source-state.ts';

export type ChainAnswer = OutputOf<typeof getChains>['chains'][number];

/** A chain's status from its indexer. */
export interface FollowedChainStatus {
  readonly slug: ChainSlug;
  readonly answer: Omit<ChainAnswer, 'native'>;
  /** Null if indexed up to its head, otherwise what is missing, for an operator. */
  readonly notReady: string | null;
  /** What its endpoints cannot do and how that is worked around, for an operator. */
  readonly limitations: readonly string[];
  /** The endpoints and what is read from them, as the process that indexes the chain sees it. */
  readonly source: ChainSourceState;
  /** During backfill: the current block and the target; null otherwise. */
  readonly progress: {
    readonly block: number;
    readonly head: number;
    readonly share: number;
  } | null;
}

export interface ChainDirectory {
  list(): readonly FollowedChainStatus[];
}
