// How V2-like pairs differ from those of Uniswap: the log of their creation, their kind, and what
// their factory is asked.

import type { SolidlyTerms } from '../../../../amm/solidly-pair/solidly-pair-pool.ts';
import type { V2LayoutName } from '../../../../model/chain-contracts.ts';
import type { Address } from '../../../../model/ids.ts';
import type { PoolChange } from '../../../../model/pool.ts';
import type { EvmDeployment } from '../../data/deployments/evm-deployment.ts';
import type { EvmLog } from '../../data/evm-log.ts';
import { uintAt, uintWord } from '../../data/hex-data.ts';
import type { PoolDetails } from '../factory-pools.ts';
import type { VenueFactory } from '../venue-table.ts';
import {
  GET_PAIR_BY_STABLE_SELECTOR,
  GET_PAIR_SELECTOR,
  GET_POOL_BY_STABLE_SELECTOR,
  STABLE_SELECTOR,
} from './pair-selectors.ts';

export const PAIR_CREATED_TOPIC =
  '0x0d3648bd0f6ba80134a33ba9275ac585d9d315f0ad8355cddefde31afa28d0e9';
/** Of Solidly and its other forks: the flag is not indexed. */
const SOLIDLY_FORK_TOPIC = '0xc4805696c66d7cf352fc1d6bb633ad5ee82f6cb577c453024b6e0eb8306c6fc9';
const SOLIDLY_CREATED_TOPIC = '0x2128d88d14c80cb081c1252a5acff7a264671bf199ce226b53788fb26065005e';

/** Uniswap V2, one of its forks, or a protocol with similar pairs. */
export interface V2Fork extends VenueFactory {
  /** Absent for that of Uniswap. */
  readonly layout?: V2LayoutName;
  /** 0 if each pair has fees of its own. */
  readonly feePips: number;
  /** Whether no contract of the fork has confirmed its fee, so that its quotes are not exact. */
  readonly isFeeUnchecked?: true;
  /** A `Router02` of that fork. */
  readonly router: Address | null;
}

interface V2Layout {
  readonly name: V2LayoutName;
  readonly creation: {
    readonly topic: string;
    readonly topicCount: number;
    readonly wordCount: number;
    /** Which word is the pair's address. */
    readonly poolWord: number;
    readonly listChanges: (log: EvmLog) => readonly PoolChange[];
  };
  readonly toDetails: (fork: V2Fork) => PoolDetails;
  /** Asked of a pair; each answer is one word. */
  readonly detailSelectors: readonly string[];
  /** Asks the factory for the pair of two tokens, and of a word of `keys` if there are any. */
  readonly lookupSelector: string;
  readonly keys: readonly string[];
}

const UNISWAP: V2Layout = {
  name: 'uniswap',
  creation: {
    ...{ topic: PAIR_CREATED_TOPIC, topicCount: 3, wordCount: 2, poolWord: 0 },
    listChanges: () => [],
  },
  toDetails: ({ feePips, isFeeUnchecked }) => ({
    ...{ kind: 'constantProduct', feePips },
    terms: isFeeUnchecked ? { isFeeUnchecked } : null,
  }),
  detailSelectors: [],
  lookupSelector: GET_PAIR_SELECTOR,
  keys: [],
};

/** Of Aerodrome and Velodrome V2: the whole fee goes to a contract of its own. */
const SOLIDLY_TERMS: SolidlyTerms = {
  ...{ rounding: 'fee', loop: 'checked', reserveBits: 256 },
  ...{ feeLeavesPips: 1_000_000, stableFeeLeavesPips: 1_000_000 },
};

/** Half of a stable pair's fee goes to the owner at once. */
const CAMELOT_TERMS: SolidlyTerms = {
  ...{ rounding: 'router', loop: 'settled', reserveBits: 112 },
  ...{ feeLeavesPips: 0, stableFeeLeavesPips: 500_000 },
};

function setStable(isStable: boolean): PoolChange[] {
  return [{ poolKind: 'solidlyPair', set: { isStable } }];
}

const SOLIDLY: V2Layout = {
  name: 'solidly',
  creation: {
    ...{ topic: SOLIDLY_CREATED_TOPIC, topicCount: 4, wordCount: 2, poolWord: 0 },
    listChanges: ({ topics }) => setStable(Number(topics[3]) === 1),
  },
  toDetails: ({ feePips }) => ({ kind: 'solidlyPair', feePips, terms: SOLIDLY_TERMS }),
  detailSelectors: [STABLE_SELECTOR],
  lookupSelector: GET_POOL_BY_STABLE_SELECTOR,
  keys: [uintWord(0), uintWord(1)],
};

const LAYOUTS: Readonly<Record<V2LayoutName, V2Layout>> = {
  uniswap: UNISWAP,
  solidly: SOLIDLY,
  // Each of these forks has a getter of its own for the fee, so their pairs are not quoted.
  solidlyFork: {
    ...SOLIDLY,
    name: 'solidlyFork',
    creation: {
      ...{ topic: SOLIDLY_FORK_TOPIC, topicCount: 3, wordCount: 3, poolWord: 1 },
      listChanges: ({ data }) => setStable(uintAt(data, 0) === 1n),
    },
    lookupSelector: GET_PAIR_BY_STABLE_SELECTOR,
  },
  camelot: {
    ...UNISWAP,
    name: 'camelot',
    toDetails: ({ feePips }) => ({ kind: 'solidlyPair', feePips, terms: CAMELOT_TERMS }),
  },
};

export function findV2Layout({ layout = 'uniswap' }: Pick<V2Fork, 'layout'>): V2Layout {
  return LAYOUTS[layout];
}

/** The fork of a pair by its venue. */
export function findV2Fork({ v2 }: EvmDeployment, venue: string): V2Fork | null {
  return v2.find((fork) => fork.venue === venue) ?? null;
}

declare module '../../data/deployments/evm-deployment.ts' {
  interface VenueContracts {
    readonly v2: readonly V2Fork[];
  }
}
