// Curve: pools of two to eight coins, whose swaps name coins by their indices. Each two coins are a
// row of their own. Swaps of StableSwap NG pools are computed, except for metapools, and so are
// those of PancakeSwap's stable pools; the others are called for quotes. Any contract may emit
// these logs, so a factory or registry must know the pool; it tells the coins.

import type { Address, PoolId } from '../../../../model/ids.ts';
import type { PoolDescription } from '../../../../model/pool.ts';
import type { EvmDeployment } from '../../data/deployments/evm-deployment.ts';
import {
  type CoinPair,
  listCoinPairs,
  parseCoinPairPool,
  toCoinPairPool,
} from '../../data/evm-ids.ts';
import type { LogDecoder } from '../../data/evm-log.ts';
import {
  addressWord,
  decodeAddressAt,
  encodeCallData,
  hasWordAt,
  hasWords,
  uintAt,
  uintWord,
} from '../../data/hex-data.ts';
import { ZERO_ADDRESS } from '../../data/zero-address.ts';
import type { CallContracts } from '../../rpc/multicall.ts';
import { COIN_AS_TOKEN, readCoin } from '../native-coin.ts';
import { buildUnpricedSwap, describeUnpriced, UNPRICED } from '../unpriced-pools.ts';
import type { PoolCosts, PoolRows, PoolSearch, VenueProtocol } from '../venue-protocol.ts';
import { CURVE_CONTRACTS, readDevnetCurve } from './curve-contracts.ts';
import {
  FIND_POOL_SELECTOR,
  GET_COINS_SELECTOR,
  GET_UNDERLYING_COINS_SELECTOR,
  IS_META_SELECTOR,
} from './curve-selectors.ts';
import { CURVE_ROUTER } from './encode-curve-swap.ts';
import {
  findPancakeStable,
  PANCAKE_STABLE_ROUTER,
  PANCAKE_STABLE_VENUE,
  PANCAKE_TOPICS,
  resolvePancakeStable,
} from './pancake-stable.ts';
import { listCurveAsks } from './quote-curve-pools.ts';
import { readStablePage, readStableStates } from './read-stable-pool.ts';

const CURVE_VENUE = 'curve';
const VENUES: ReadonlySet<string> = new Set([CURVE_VENUE, PANCAKE_STABLE_VENUE]);

/** Stable pools; both kinds of older crypto pools; new crypto pools, which add fee and price. */
const EXCHANGE_TOPIC = '0x8b3e96f2b889fa771c53c981b40daf005f63f637f1869f707052d15a3dd97140';
const CRYPTO_EXCHANGE_TOPIC = '0xb2e76ae99761dc136e598d4a629bb347eccb9532a5f8bbd72e18467c3c34cc98';
const NEW_EXCHANGE_TOPIC = '0x143f1f8e861fbdeddd5b46e844b7d3ac7b86a122f36e8c463859ee6811b1f29c';
/** Of a metapool, through its base pool's coins. */
const UNDERLYING_TOPIC = '0xd013ca23e77a65003c2c659c5442c00c805371b7fc1ebd4c206c41d1536bd90b';

/** Of StableSwap NG pools: they change balances, amplification or fee. */
const STABLE_TOPICS: ReadonlyMap<string, number> = new Map([
  ['0x189c623b666b1b45b83d7178f39b8c087cb09774317ca2f53c2d3c3726f222a2', 2], // AddLiquidity
  ['0x347ad828e58cbe534d8f6b67985d791360756b18f0d95fd9f197a66cc46480ea', 2], // RemoveLiquidity
  ['0x6f48129db1f37ccb9cc5dd7e119cb32750cabdf75b48375d730d26ce3659bbe1', 2], // …One
  ['0x3631c28b1f9dd213e0319fb167b554d76b6c283a41143eb400a0d1adb1af1755', 2], // …Imbalance
  ['0xa2b71ec6df949300b59aab36b55e189697b750119dd349fcfa8c0f779e83c254', 1], // RampA
  ['0x46e22fb3709ad289f62ce63d469248536dbc78d82b84a3d7e74ad606dc201938', 1], // StopRampA
  ['0x750d10a7f37466ce785ee6bcb604aac543358db42afbcc332a3c12a49c80bf6d', 1], // ApplyNewFee
]);

const COINS_MAX = 8n;

function createExchangeDecoder(wordCount: number, isUnderlying: boolean): LogDecoder {
  return (log, out) => {
    const { address, topics, data } = log;
    if (topics.length !== 2 || !hasWords(data, wordCount)) return;
    const [sold, bought] = [uintAt(data, 0), uintAt(data, 2)];
    if (sold >= COINS_MAX || bought >= COINS_MAX || sold === bought) return;
    const isLowerIn = sold < bought;
    const [lower, upper] = isLowerIn ? [sold, bought] : [bought, sold];
    const coins = { lower: Number(lower), upper: Number(upper), isUnderlying };
    const amounts = { isZeroIn: isLowerIn, paid: uintAt(data, 1), received: uintAt(data, 3) };
    out.push(buildUnpricedSwap(log, toCoinPairPool({ contract: address, ...coins }), amounts));
  };
}

/** All rows of the pool change with its first one (`pools/shared-rows.ts`). */
function createUnreadDecoder(topicCount: number): LogDecoder {
  return ({ address, topics }, out) => {
    if (topics.length !== topicCount) return;
    const coins = { lower: 0, upper: 1, isUnderlying: false };
    const change = { poolKind: 'stableSwap', unread: true } as const;
    out.push({
      kind: 'poolChanged',
      pool: toCoinPairPool({ contract: address, ...coins }),
      change,
    });
  };
}

const listUnread = (topics: ReadonlyMap<string, number>) =>
  Array.from(topics, ([topic, count]) => [topic, createUnreadDecoder(count)] as const);

const DECODERS: ReadonlyMap<string, LogDecoder> = new Map([
  ...listUnread(STABLE_TOPICS),
  [EXCHANGE_TOPIC, createExchangeDecoder(4, false)],
  [CRYPTO_EXCHANGE_TOPIC, createExchangeDecoder(4, false)],
  [NEW_EXCHANGE_TOPIC, createExchangeDecoder(6, false)],
  [UNDERLYING_TOPIC, createExchangeDecoder(4, true)],
]);

/** Empty for a chain without such pools. */
function createDecoders({ curve: registries, pancakeStable }: EvmDeployment) {
  if (registries === undefined) return new Map<string, LogDecoder>();
  return new Map([...DECODERS, ...(pancakeStable === undefined ? [] : listUnread(PANCAKE_TOPICS))]);
}

/** Some registries answer with a list, others with an array of a fixed length. */
function decodeCoins(answer: string | null): Address[] {
  if (answer === null || !hasWordAt(answer, 1)) return [];
  const isList = uintAt(answer, 0) === 32n;
  const coins: Address[] = [];
  for (let at = isList ? 2 : 0; hasWordAt(answer, at); at += 1) {
    const coin = decodeAddressAt(answer, at);
    if (coin === ZERO_ADDRESS) break;
    coins.push(readCoin(coin));
  }
  return coins;
}

interface KnownCoins {
  readonly coins: readonly Address[];
  /** Whether swaps between them can be computed. */
  readonly isStable: boolean;
}

/** The coins of pools, each by the first registry that knows it. */
async function readCoins(
  asked: readonly { readonly contract: Address; readonly selector: string }[],
  { curve: registries = [], curveStable }: EvmDeployment,
  callContracts: CallContracts,
): Promise<KnownCoins[]> {
  const width = registries.length + 1;
  const answers = await callContracts(
    asked.flatMap(({ contract, selector }) => [
      ...registries.map((to) => ({ to, data: encodeCallData(selector, addressWord(contract)) })),
      // A metapool changes with its base pool, whose swaps it does not log.
      {
        to: curveStable ?? ZERO_ADDRESS,
        data: encodeCallData(IS_META_SELECTOR, addressWord(contract)),
      },
    ]),
  );
  return asked.map(({ selector }, index) => {
    const own = answers.slice(index * width, (index + 1) * width);
    const isMeta = own.pop() ?? null;
    const lists = own.map(decodeCoins);
    const ofStable = lists.find((_, at) => registries[at] === curveStable) ?? [];
    const isPlain = isMeta !== null && hasWords(isMeta, 1) && uintAt(isMeta, 0) === 0n;
    return {
      coins: lists.find((coins) => coins.length >= 2) ?? [],
      isStable: selector === GET_COINS_SELECTOR && ofStable.length >= 2 && isPlain,
    };
  });
}

/** Empty if the pool does not have such coins. */
function describePair(pair: CoinPair, { coins, isStable }: KnownCoins): PoolDescription[] {
  const { contract: vault, lower, upper } = pair;
  const [token0, token1] = [coins[lower], coins[upper]];
  if (token0 === undefined || token1 === undefined || token0 === token1) return [];
  const pool = toCoinPairPool(pair);
  const place = { pool, venue: CURVE_VENUE, vault, token0, token1, feePips: 0 };
  if (!isStable) return [describeUnpriced(place)];
  return [{ ...place, kind: 'stableSwap', terms: { coinCount: coins.length } }];
}

interface CurveContext {
  readonly deployment: EvmDeployment;
  readonly callContracts: CallContracts;
}

async function resolvePools(
  pools: readonly PoolId[],
  context: CurveContext,
): Promise<PoolDescription[]> {
  const pairs = pools.flatMap((pool) => {
    const pair = parseCoinPairPool(pool);
    return pair ?? [];
  });
  const known = await readCoins(
    pairs.map(({ contract, isUnderlying }) => ({
      contract,
      selector: isUnderlying ? GET_UNDERLYING_COINS_SELECTOR : GET_COINS_SELECTOR,
    })),
    context.deployment,
    context.callContracts,
  );
  const found = pairs.flatMap((pair, index) =>
    describePair(pair, known[index] ?? { coins: [], isStable: false }),
  );
  const left = pairs.filter((_, index) => (known[index]?.coins ?? []).length === 0);
  return [...found, ...(await resolvePancakeStable(left, context))];
}

/** Pools of two coins that each registry is asked for; few have more that anybody trades in. */
const FOUND_MAX = 4;

interface FoundContract {
  readonly contract: Address;
  readonly quote: Address;
}

/** One after the other: most registries have none. */
async function findContracts(
  { token, quotes }: PoolSearch,
  { deployment, callContracts }: CurveContext,
): Promise<FoundContract[]> {
  const toWord = (asset: Address) => addressWord(asset === ZERO_ADDRESS ? COIN_AS_TOKEN : asset);
  const found = new Map<string, FoundContract>();
  let asked = quotes
    .filter((quote) => quote !== token)
    .flatMap((quote) => (deployment.curve ?? []).map((registry) => ({ registry, quote })));
  for (let at = 0; at < FOUND_MAX && asked.length > 0; at += 1) {
    const answers = await callContracts(
      asked.map(({ registry, quote }) => ({
        to: registry,
        data: encodeCallData(FIND_POOL_SELECTOR, toWord(token), toWord(quote), uintWord(at)),
      })),
    );
    asked = asked.filter(({ quote }, index) => {
      const answer = answers[index] ?? null;
      if (answer === null || !hasWords(answer, 1)) return false;
      const contract = decodeAddressAt(answer, 0);
      if (contract === ZERO_ADDRESS) return false;
      found.set(`${contract} ${quote}`, { contract, quote });
      return true;
    });
  }
  return [...found.values()];
}

/** A metapool is found by the coins of its base pool, too. */
const findPools: VenueProtocol['findPools'] = async (search, context) => {
  const { deployment, callContracts } = context;
  let found = await findContracts(search, context);
  const pools: PoolDescription[] = [];
  for (const isUnderlying of [false, true]) {
    const selector = isUnderlying ? GET_UNDERLYING_COINS_SELECTOR : GET_COINS_SELECTOR;
    const asked = found.map(({ contract }) => ({ contract, selector }));
    const known = await readCoins(asked, deployment, callContracts);
    found = found.filter(({ contract, quote }, index) => {
      const own = known[index] ?? { coins: [], isStable: false };
      const [lower = -1, upper = -1] = [search.token, quote]
        .map((coin) => own.coins.indexOf(coin))
        .sort((a, b) => a - b);
      if (lower < 0) return true;
      pools.push(...describePair({ contract, lower, upper, isUnderlying }, own));
      return false;
    });
  }
  return [...pools, ...(await findPancakeStable(search, context))];
};

const COSTS: PoolCosts = {
  // Curve's loops, and the transfers to and from its router.
  swap: { hop: 190_000n, hopInSameVault: 190_000n, perTick: 0n },
  // Curve's router takes as much for one pool as for five.
  bytes: { command: 'curve', first: 1_420, next: 0 },
};

/** In `RoundTripProbe.sol`: swaps by the pool's own coins, with the indices of both. */
const PROBES = { curve: 7, pancakeStable: 9 } as const;

/** Without a formula of ours, too: such pools say themselves what they pay. */
const findTraded: VenueProtocol['findTraded'] = ({ kind, terms, pool, token0, venue }) => {
  // Other exchanges' pools of several coins have ids of this form, too.
  if (!VENUES.has(venue)) return null;
  const isComputed = kind === 'stableSwap';
  const pair = isComputed || kind === 'tradesOnly' ? parseCoinPairPool(pool) : null;
  if (pair === null) return null;
  const { contract, lower, upper, isUnderlying } = pair;
  const isPancake = venue === PANCAKE_STABLE_VENUE;
  // Those that hold the native coin.
  if (isPancake && !isComputed) return null;
  return {
    toRouterPool: (isZeroIn, saidStable) => {
      const isStable = isComputed || saidStable;
      if (isStable === null) return null;
      const [indexIn, indexOut] = isZeroIn ? [lower, upper] : [upper, lower];
      if (isPancake && isComputed) {
        return { kind: 'pancakeStable', contract, indexIn, indexOut, coinCount: terms.coinCount };
      }
      return { kind: 'curve', contract, indexIn, indexOut, isUnderlying, isStable };
    },
    probe: isComputed
      ? {
          kind: PROBES[isPancake ? 'pancakeStable' : 'curve'],
          ...{ pool: contract, fee: lower, tickSpacing: upper, hooks: token0 },
        }
      : null,
    holder: null,
  };
};

const ROWS: PoolRows = {
  kind: 'stableSwap',
  parse: parseCoinPairPool,
  list: (pool) => {
    const coinCount = pool.kind === 'stableSwap' ? pool.terms.coinCount : 0;
    return coinCount <= 2 ? [] : listCoinPairs(pool.vault, coinCount);
  },
  toChange: ({ pool, amount0, amount1 }) => {
    const coins = parseCoinPairPool(pool);
    if (coins === null) return null;
    const { lower, upper } = coins;
    const amounts =
      amount0 > 0n
        ? { soldIndex: lower, boughtIndex: upper, amountIn: amount0, amountOut: -amount1 }
        : { soldIndex: upper, boughtIndex: lower, amountIn: amount1, amountOut: -amount0 };
    return { poolKind: 'stableSwap', ...amounts };
  },
};

export const curve: VenueProtocol = {
  ...UNPRICED,
  contracts: CURVE_CONTRACTS,
  readDevnet: readDevnetCurve,
  swapTopics: {
    [EXCHANGE_TOPIC]: 'Curve stable',
    [UNDERLYING_TOPIC]: 'Curve underlying',
    [CRYPTO_EXCHANGE_TOPIC]: 'Curve crypto',
    [NEW_EXCHANGE_TOPIC]: 'Curve crypto NG',
  },
  listOnChainVenues: () => [CURVE_VENUE],
  listAsks: (swap) => (VENUES.has(swap.pool.venue) ? listCurveAsks(swap) : []),
  findCosts: (pool) => (pool.kind === 'stableSwap' ? COSTS : (UNPRICED.findCosts?.(pool) ?? null)),
  findTraded,
  routerKinds: { curve: CURVE_ROUTER, pancakeStable: PANCAKE_STABLE_ROUTER },
  rows: ROWS,
  findPools,
  listVenues: ({ curve: registries, pancakeStable }) => [
    ...(registries === undefined ? [] : [CURVE_VENUE]),
    ...(pancakeStable === undefined ? [] : [PANCAKE_STABLE_VENUE]),
  ],
  createDecoders,
  describeLogs: (deployment) => {
    const poolTopics = [...createDecoders(deployment).keys()];
    return poolTopics.length === 0 ? null : { creations: [], poolTopics, singleton: null };
  },
  resolvePools,
  readPoolStates: readStableStates,
  readPoolPage: readStablePage,
};

declare module '../swap-plan.ts' {
  interface RouterPools {
    readonly curve: {
      readonly contract: Address;
      readonly indexIn: number;
      readonly indexOut: number;
      /** Whether the indices are those of a metapool's underlying coins. */
      readonly isUnderlying: boolean;
      /** Whether it counts its coins as stable pools do. */
      readonly isStable: boolean;
    };
  }
}

declare module '../../data/deployments/evm-deployment.ts' {
  interface VenueContracts {
    /** Factories and registries, which know the coins of pools; absent if none. */
    readonly curve?: readonly Address[];
    /** The one of them that makes StableSwap NG pools. */
    readonly curveStable?: Address;
  }

  interface RouterKindNames {
    /** Curve's router for paths; a single pool is called itself. */
    readonly curve: true;
  }
}
