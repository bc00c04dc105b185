// What is followed and how fresh it is: the content of /chains and of the readiness check.

import type { OutputOf } from '../contract/operation.ts';
import type { getChains } from '../contract/operations/get-chains.ts';
import type { ChainSlug } from '../model/chain.ts';

export type ChainAnswer = OutputOf<typeof getChains>['chains'][number];

/** A chain as its indexer tells of it. */
export interface FollowedChainStatus {
  readonly slug: ChainSlug;
  readonly answer: ChainAnswer;
  /** Null when indexed up to its head, else what is missing, in words for an operator. */
  readonly notReady: string | null;
  /** While history is indexed: the block we are at, of how many; null otherwise. */
  readonly progress: {
    readonly block: number;
    readonly head: number;
    readonly share: number;
  } | null;
}

export interface ChainDirectory {
  list(): readonly FollowedChainStatus[];
}
