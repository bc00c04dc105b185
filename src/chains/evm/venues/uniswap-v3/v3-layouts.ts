// How V3-like pools differ from those of Uniswap: the log of their creation, their getters, and
// where their fee comes from. `Initialize`, `Mint`, `Burn` and `Swap` are the same, or differ by
// what their topics tell.

import type { FeeRule } from '../../../../amm/concentrated/concentrated-kind.ts';
import type { V3LayoutName } from '../../../../model/chain-contracts.ts';
import type { Address } from '../../../../model/ids.ts';
import type { PoolChange } from '../../../../model/pool.ts';
import type { EvmDeployment } from '../../data/deployments/evm-deployment.ts';
import type { EvmLog } from '../../data/evm-log.ts';
import {
  int24At,
  intWord,
  toInt24,
  toTopicAddress,
  uintAt,
  uintWord,
} from '../../data/hex-data.ts';
import type { PoolDetails } from '../factory-pools.ts';
import type { VenueFactory } from '../venue-table.ts';
import {
  FEE_SELECTOR,
  GET_POOL_BY_SPACING_SELECTOR,
  GET_POOL_SELECTOR,
  GLOBAL_STATE_SELECTOR,
  POOL_BY_PAIR_SELECTOR,
  POOL_STATE_SELECTOR,
  SLOT0_SELECTOR,
  SWAP_FEE_UNITS_SELECTOR,
  TICK_BITMAP_SELECTOR,
  TICK_DISTANCE_SELECTOR,
  TICK_SPACING_SELECTOR,
  TICK_TABLE_SELECTOR,
} from './pool-selectors.ts';

const POOL_CREATED_TOPIC = '0x783cca1c0412dd0d695e784568c96da2e9c22ff989357a2e8b1d9b2b4e6b7118';
const SLIPSTREAM_CREATED_TOPIC =
  '0xab0d57f0df537bb25e80245ef7748fa62353808c54d6e528a9dd20887aed9ac2';
const ALGEBRA_CREATED_TOPIC = '0x91ccaa7a278130b65168c3a0c8d3bcae84cf5e43704342bd3ec0b59e59c036db';
export const CUSTOM_CREATED_TOPIC =
  '0x8a5f030f5fc13b04a1e4ef7c47177e3d76b0e80e1d9be9843db37caa5b7b9b8f';
const FEE_TOPIC = '0x598b9f043c813aa6be3426ca60d1c65d17256312890be5118dab55b0775ebe2a';
const DIRECTION_FEES_TOPIC = '0x8a89de70856bccec096661388f305b9a75f5f65cb0d8a0e1e803c39dabedb57f';

const PIPS = 1_000_000;
/** The fee of an Algebra pool before its first swap. */
const ALGEBRA_FEE_PIPS = 100;

/** The fees that the factories of Uniswap, PancakeSwap and Sushi allow, on all chains together. */
export const FEE_TIERS = [100, 200, 300, 400, 500, 2500, 3000, 10_000] as const;

/** The spacings that the factories of Slipstream allow, on all chains together. */
const SLIPSTREAM_SPACINGS = [1, 10, 50, 100, 200, 2000] as const;

/** Uniswap V3, one of its forks, or a protocol with the same pools. */
export interface V3Fork extends VenueFactory {
  /** Absent for that of Uniswap. */
  readonly layout?: V3LayoutName;
  /** A `QuoterV2` of that fork; of Algebra its `Quoter`, which tells the fee of the next swap. */
  readonly quoter: Address | null;
  /** The fees that its pools may have, in pips; absent for the usual ones. */
  readonly feeTiers?: readonly number[];
}

/** What tells a pool from the others of its pair. */
interface RangeDetails {
  readonly feePips: number;
  readonly tickSpacing: number;
  readonly stopsAtTicksOnly?: true;
  /** Who made it, if it is not the pair's only pool of that factory. */
  readonly deployer?: Address;
}

/**
 * - `fixed`: set at creation.
 * - `stated`: the pool's state has it, in this word; its owner may change it.
 * - `asked`: `fee()` gives that of the next block.
 * - `logged`: the first swap of a block logs its fee, and the pool's state has it; for one or both
 *   directions in each of these words.
 * - `plugged`: as `logged`, but only if the pool calls a plugin before swaps, which another word of
 *   the state tells; otherwise the stored fee stays.
 */
type FeeSource =
  | { readonly kind: 'fixed' }
  | { readonly kind: 'stated'; readonly word: number }
  | { readonly kind: 'asked' }
  | { readonly kind: 'logged'; readonly topic: string; readonly words: readonly number[] }
  | {
      readonly kind: 'plugged';
      readonly topic: string;
      readonly words: readonly number[];
      readonly configWord: number;
    };

/** The log that announces a pool. */
export interface V3Creation {
  readonly topic: string;
  readonly topicCount: number;
  /** Which topics are the tokens. */
  readonly tokensAt: readonly [number, number];
  readonly wordCount: number;
  readonly poolWord: number;
  readonly readDetails: (log: EvmLog) => RangeDetails;
  readonly changes: readonly PoolChange[];
}

export interface V3Layout {
  readonly creations: readonly V3Creation[];
  /** Its first two words are price and tick. */
  readonly slot0Selector: string;
  readonly bitmapSelector: string;
  /** Asked of a pool; each answer is one word. */
  readonly detailSelectors: readonly string[];
  /** Null if no pool can be like this. */
  readonly decodeDetails: (answers: readonly string[]) => RangeDetails | null;
  /** Asks the factory for the pool of two tokens and of the words of `encodeKey`. */
  readonly lookupSelector: string;
  readonly encodeKey: (details: RangeDetails) => readonly string[];
  /** What pools of a pair may be; a spacing of 0 or a fee of 0 is not known without asking. */
  readonly listKeys: (fork: Pick<V3Fork, 'feeTiers'>) => readonly RangeDetails[];
  readonly fee: FeeSource;
}

function decodeFeeAndSpacing([fee = '', spacing = '']: readonly string[]): RangeDetails | null {
  const feePips = Number(uintAt(fee, 0));
  return feePips < PIPS ? { feePips, tickSpacing: int24At(spacing, 0) } : null;
}

const UNISWAP_CREATION: V3Creation = {
  ...{ topic: POOL_CREATED_TOPIC, topicCount: 4, tokensAt: [1, 2], wordCount: 2, poolWord: 1 },
  readDetails: ({ topics, data }) => ({
    feePips: Number(topics[3]),
    tickSpacing: int24At(data, 0),
  }),
  changes: [],
};

const UNISWAP: V3Layout = {
  creations: [UNISWAP_CREATION],
  slot0Selector: SLOT0_SELECTOR,
  bitmapSelector: TICK_BITMAP_SELECTOR,
  detailSelectors: [FEE_SELECTOR, TICK_SPACING_SELECTOR],
  decodeDetails: decodeFeeAndSpacing,
  lookupSelector: GET_POOL_SELECTOR,
  encodeKey: ({ feePips }) => [uintWord(feePips)],
  listKeys: ({ feeTiers = FEE_TIERS }) => feeTiers.map((feePips) => ({ feePips, tickSpacing: 0 })),
  fee: { kind: 'fixed' },
};

/** Logs before the creation tell more of the pool, or none does: it is read. */
const UNREAD: readonly PoolChange[] = [{ poolKind: 'concentrated', type: 'unread' }];

/** `Initialize` precedes the creation, and no log tells the fee. */
const SLIPSTREAM: V3Layout = {
  ...UNISWAP,
  creations: [
    {
      ...{ topic: SLIPSTREAM_CREATED_TOPIC, topicCount: 4, tokensAt: [1, 2] },
      ...{ wordCount: 1, poolWord: 0, changes: UNREAD },
      readDetails: ({ topics }) => ({ feePips: 0, tickSpacing: toInt24(topics[3] ?? '') }),
    },
  ],
  lookupSelector: GET_POOL_BY_SPACING_SELECTOR,
  encodeKey: ({ tickSpacing }) => [intWord(tickSpacing)],
  listKeys: () => SLIPSTREAM_SPACINGS.map((tickSpacing) => ({ feePips: 0, tickSpacing })),
  fee: { kind: 'asked' },
};

const ALGEBRA_CREATION: Omit<V3Creation, 'readDetails' | 'changes'> = {
  ...{ topic: ALGEBRA_CREATED_TOPIC, topicCount: 3, tokensAt: [1, 2], wordCount: 1, poolWord: 0 },
};

function createAlgebra(tickSpacing: number, topic: string, words: readonly number[]): V3Layout {
  const details = { feePips: ALGEBRA_FEE_PIPS, tickSpacing };
  const fees = { zeroForOne: ALGEBRA_FEE_PIPS, oneForZero: ALGEBRA_FEE_PIPS };
  return {
    creations: [
      {
        ...ALGEBRA_CREATION,
        readDetails: () => details,
        changes: [
          { poolKind: 'concentrated', type: 'fees', fees },
          { poolKind: 'concentrated', type: 'feeRule', rule: 'timed' },
        ],
      },
    ],
    slot0Selector: GLOBAL_STATE_SELECTOR,
    bitmapSelector: TICK_TABLE_SELECTOR,
    detailSelectors: [],
    decodeDetails: () => details,
    lookupSelector: POOL_BY_PAIR_SELECTOR,
    encodeKey: () => [],
    listKeys: () => [details],
    fee: { kind: 'logged', topic, words },
  };
}

/** The bitmap has every tick, but swaps go from one initialised tick to the next. */
const INTEGRAL_DETAILS: RangeDetails = { feePips: 0, tickSpacing: 1, stopsAtTicksOnly: true };

/** A factory makes one pool of a pair, and others for contracts that it trusts: "custom" pools. */
const ALGEBRA_INTEGRAL: V3Layout = {
  creations: [
    { ...ALGEBRA_CREATION, readDetails: () => INTEGRAL_DETAILS, changes: UNREAD },
    {
      ...{ topic: CUSTOM_CREATED_TOPIC, topicCount: 4, tokensAt: [2, 3] },
      ...{ wordCount: 1, poolWord: 0, changes: UNREAD },
      readDetails: ({ topics }) => {
        const deployer = toTopicAddress(topics[1]);
        return deployer === null ? INTEGRAL_DETAILS : { ...INTEGRAL_DETAILS, deployer };
      },
    },
  ],
  slot0Selector: GLOBAL_STATE_SELECTOR,
  bitmapSelector: TICK_TABLE_SELECTOR,
  detailSelectors: [],
  decodeDetails: () => INTEGRAL_DETAILS,
  lookupSelector: POOL_BY_PAIR_SELECTOR,
  encodeKey: () => [],
  listKeys: () => [INTEGRAL_DETAILS],
  fee: { kind: 'plugged', topic: FEE_TOPIC, words: [2], configWord: 3 },
};

/** Pools are named by their spacing, and have no getter for the fee alone. */
const SOLIDLY_V3: V3Layout = {
  ...UNISWAP,
  detailSelectors: [TICK_SPACING_SELECTOR],
  decodeDetails: ([spacing = '']) => ({ feePips: 0, tickSpacing: int24At(spacing, 0) }),
  lookupSelector: GET_POOL_BY_SPACING_SELECTOR,
  encodeKey: ({ tickSpacing }) => [intWord(tickSpacing)],
  listKeys: () => SLIPSTREAM_SPACINGS.map((tickSpacing) => ({ feePips: 0, tickSpacing })),
  fee: { kind: 'stated', word: 2 },
};

/** Kyber Elastic's units of a fee are of 100,000. */
const PIPS_PER_FEE_UNIT = 10;

/** Fees stay in its pools as liquidity, which is not computed: they are never read as a whole. */
const KYBER_ELASTIC: V3Layout = {
  ...UNISWAP,
  creations: [
    {
      ...UNISWAP_CREATION,
      readDetails: ({ topics, data }) => ({
        feePips: Number(topics[3]) * PIPS_PER_FEE_UNIT,
        tickSpacing: int24At(data, 0),
      }),
    },
  ],
  decodeDetails: ([fee = '', spacing = '']) => {
    const feePips = Number(uintAt(fee, 0)) * PIPS_PER_FEE_UNIT;
    return feePips < PIPS ? { feePips, tickSpacing: int24At(spacing, 0) } : null;
  },
  encodeKey: ({ feePips }) => [uintWord(feePips / PIPS_PER_FEE_UNIT)],
  slot0Selector: POOL_STATE_SELECTOR,
  detailSelectors: [SWAP_FEE_UNITS_SELECTOR, TICK_DISTANCE_SELECTOR],
};

const LAYOUTS: Readonly<Record<V3LayoutName, V3Layout>> = {
  solidlyV3: SOLIDLY_V3,
  kyberElastic: KYBER_ELASTIC,
  uniswap: UNISWAP,
  slipstream: SLIPSTREAM,
  algebra: createAlgebra(60, FEE_TOPIC, [2]),
  // Positions are spaced by 60 at first, but the bitmap has every tick.
  algebraDirectional: createAlgebra(1, DIRECTION_FEES_TOPIC, [2, 3]),
  algebraIntegral: ALGEBRA_INTEGRAL,
};

/** In the configuration of an Integral pool: it calls its plugin before each swap. */
const BEFORE_SWAP = 1n;

export function toFeeRule(pluginConfig: bigint): FeeRule {
  return (pluginConfig & BEFORE_SWAP) === 0n ? 'stored' : 'timed';
}

export function findV3Layout({ layout = 'uniswap' }: Pick<V3Fork, 'layout'>): V3Layout {
  return LAYOUTS[layout];
}

/** That of a pool by its venue. */
export function findLayoutOfVenue({ v3 }: EvmDeployment, venue: string): V3Layout {
  return findV3Layout(v3.find((fork) => fork.venue === venue) ?? {});
}

export function toRangeDetails(details: RangeDetails): PoolDetails {
  const { feePips, tickSpacing, stopsAtTicksOnly, deployer } = details;
  const custody = { kind: 'own', ...(deployer === undefined ? {} : { deployer }) } as const;
  const stops = stopsAtTicksOnly ? { stopsAtTicksOnly } : {};
  return { kind: 'concentrated', feePips, terms: { tickSpacing, custody, ...stops } };
}

declare module '../../data/deployments/evm-deployment.ts' {
  interface VenueContracts {
    readonly v3: readonly V3Fork[];
  }
}
