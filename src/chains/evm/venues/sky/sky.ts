// Sky's peg modules: a stablecoin against another one, at one price and a fee that their owner
// sets. What goes through the wrapper for USDS is a trade of the module for DAI, which logs it.
//
// Modules of several coins say themselves what they pay, and take a minimum. Those of a pair take
// none: no trade is built there (decision 0122).

import type { Hex } from 'viem';
import type { Address, PoolId } from '../../../../model/ids.ts';
import type { PoolDescription } from '../../../../model/pool.ts';
import {
  evmAddress,
  parseCoinPairPool,
  toCoinPairPool,
  toPoolContract,
  toPoolId,
} from '../../data/evm-ids.ts';
import type { LogDecoder } from '../../data/evm-log.ts';
import {
  addressWord,
  decodeAddressAt,
  encodeCallData,
  hasWords,
  toTopicAddress,
  uintAt,
  uintWord,
} from '../../data/hex-data.ts';
import { type RouterKind, TOO_LITTLE } from '../router-kind.ts';
import { buildUnpricedSwap, describeUnpriced, UNPRICED } from '../unpriced-pools.ts';
import type { VenueProtocol } from '../venue-protocol.ts';

const SKY_VENUE = 'sky-psm';
const SELL_TOPIC = '0xef75f5a47cc9a929968796ceb84f19e7541617b4577f2c228ea95200e1572081';
const BUY_TOPIC = '0x085d06ecf4c34b237767a31c0888e121d89546a77f186f1987c6b8715e1a8caa';
const SWAP_TOPIC = '0xdba43ee9916cb156cc32a5d3406e87341e568126a46815294073ba25c9400246';
export const PREVIEW_IN_SELECTOR = '0x00d8088a';
export const SWAP_IN_SELECTOR = '0x1a019e37';
/** What a module calls its coins. */
export const COIN_SELECTORS = {
  ...{ gem: '0x7bd2bea7', dai: '0xf4b9fa75', usdc: '0x3e413bee' },
  ...{ usds: '0x4cf282fb', susds: '0x58b8f19c' },
} as const;
/** The gem has 6 decimals, what it is pegged to has 18. */
const GEM_UNIT = 10n ** 12n;

/** A module and its coins, which its getters must confirm. */
interface PegModule {
  readonly contract: Address;
  readonly coins: readonly Address[];
  /** Of the coins, in their order. */
  readonly names: readonly (keyof typeof COIN_SELECTORS)[];
}

interface SkyContracts {
  /** Of a gem and what it is pegged to. */
  readonly pairs: readonly PegModule[];
  /** Of several coins, which its log names. */
  readonly baskets: readonly PegModule[];
}

/** The amount of the gem, and the fee in the other coin. */
function createPegDecoder({ pairs }: SkyContracts, isSale: boolean): LogDecoder {
  const contracts = new Set(pairs.map(({ contract }) => contract));
  return (log, out) => {
    const { address, topics, data } = log;
    if (!contracts.has(address) || topics.length !== 2 || !hasWords(data, 2)) return;
    const [gem, fee] = [uintAt(data, 0), uintAt(data, 1)];
    const other = isSale ? gem * GEM_UNIT - fee : gem * GEM_UNIT + fee;
    const amounts = isSale ? { paid: gem, received: other } : { paid: other, received: gem };
    out.push(buildUnpricedSwap(log, toPoolId(address), { isZeroIn: isSale, ...amounts }));
  };
}

/** Coin in, coin out and receiver in the topics; sender and both amounts in the data. */
function createBasketDecoder({ baskets }: SkyContracts): LogDecoder {
  const coinsOf = new Map(baskets.map(({ contract, coins }) => [contract, coins]));
  return (log, out) => {
    const { address, topics, data } = log;
    const coins = coinsOf.get(address);
    if (coins === undefined || topics.length !== 4 || !hasWords(data, 4)) return;
    const [sold = -1, bought = -1] = [topics[1], topics[2]].map((topic) => {
      const coin = toTopicAddress(topic);
      return coin === null ? -1 : coins.indexOf(coin);
    });
    if (sold < 0 || bought < 0 || sold === bought) return;
    const pair = { lower: Math.min(sold, bought), upper: Math.max(sold, bought) };
    const pool = toCoinPairPool({ contract: address, ...pair, isUnderlying: false });
    const amounts = { paid: uintAt(data, 1), received: uintAt(data, 2) };
    out.push(buildUnpricedSwap(log, pool, { isZeroIn: sold < bought, ...amounts }));
  };
}

interface ModulePair {
  readonly pool: PoolId;
  readonly module: PegModule;
  readonly places: readonly [number, number];
}

function findPair(pool: PoolId, { pairs, baskets }: SkyContracts): ModulePair | null {
  const own = pairs.find(({ contract }) => contract === toPoolContract(pool));
  if (own !== undefined) return { pool, module: own, places: [0, 1] };
  const named = parseCoinPairPool(pool);
  const basket = baskets.find(({ contract }) => contract === named?.contract);
  if (named === null || basket === undefined || named.isUnderlying) return null;
  return { pool, module: basket, places: [named.lower, named.upper] };
}

const resolvePools: VenueProtocol['resolvePools'] = async (pools, context) => {
  const { sky } = context.deployment;
  if (sky === undefined) return [];
  const found = pools.flatMap((pool) => findPair(pool, sky) ?? []);
  const answers = await context.callContracts(
    found.flatMap(({ module: { contract, names }, places }) =>
      places.map((place) => ({ to: contract, data: COIN_SELECTORS[names[place] ?? 'gem'] })),
    ),
  );
  return found.flatMap(({ pool, module, places }, index): PoolDescription[] => {
    const [token0, token1] = places.map((place) => module.coins[place]);
    if (token0 === undefined || token1 === undefined) return [];
    const said = answers.slice(index * 2, index * 2 + 2);
    const isConfirmed = [token0, token1].every((coin, place) => {
      const answer = said[place] ?? null;
      return answer !== null && hasWords(answer, 1) && decodeAddressAt(answer, 0) === coin;
    });
    const place = { pool, venue: SKY_VENUE, vault: module.contract, feePips: 0 };
    return isConfirmed ? [describeUnpriced({ ...place, token0, token1 })] : [];
  });
};

function createDecoders(sky: SkyContracts): Map<string, LogDecoder> {
  const decoders: [string, LogDecoder][] = [];
  if (sky.pairs.length > 0) {
    decoders.push([SELL_TOPIC, createPegDecoder(sky, true)]);
    decoders.push([BUY_TOPIC, createPegDecoder(sky, false)]);
  }
  if (sky.baskets.length > 0) decoders.push([SWAP_TOPIC, createBasketDecoder(sky)]);
  return new Map(decoders);
}

const listAsks: VenueProtocol['listAsks'] = ({ pool, zeroForOne }, { sky: modules }) => {
  const pair = modules === undefined ? null : findPair(pool.pool, modules);
  if (modules === undefined || pair === null || !modules.baskets.includes(pair.module)) return [];
  const to = pair.module.contract;
  const ends = zeroForOne ? [pool.token0, pool.token1] : [pool.token1, pool.token0];
  const words = ends.map(addressWord);
  return [
    {
      isStable: null,
      encode: (amountIn) => {
        return { to, data: encodeCallData(PREVIEW_IN_SELECTOR, ...words, uintWord(amountIn)) };
      },
      decode: (answer) => (hasWords(answer, 1) && uintAt(answer, 0)) || null,
    },
  ];
};

const BASKET_ROUTER: RouterKind = {
  proof: { executedBy: 'standIn', source: 'test/contracts/called-pools.sol' },
  hasNoDeadline: true,
  cannotWrap: true,
  encodeSwap({ hops, amountIn, amountOutMin, recipient }) {
    const [hop, ...others] = hops;
    if (hop?.pool.kind !== 'skyBasket' || others.length > 0) throw new Error('not one peg module');
    const ends = [hop.tokenIn, hop.tokenOut].map(addressWord);
    // No referral.
    const words = [amountIn, amountOutMin, BigInt(recipient), 0n].map(uintWord);
    return encodeCallData(SWAP_IN_SELECTOR, ...ends, ...words) as Hex;
  },
  findContract: ([hop]) => {
    return hop === undefined ? null : (parseCoinPairPool(hop.pool.pool)?.contract ?? null);
  },
};

const findTraded: VenueProtocol['findTraded'] = ({ venue, pool }) =>
  venue === SKY_VENUE && parseCoinPairPool(pool) !== null
    ? { toRouterPool: () => ({ kind: 'skyBasket' }), probe: null, holder: null }
    : null;

const [USDC, DAI] = [
  evmAddress('0xa0b86991c6218b36c1d19d4a2e9eb0ce3606eb48'),
  evmAddress('0x6b175474e89094c44da98b954eedeac495271d0f'),
];

export const sky: VenueProtocol = {
  ...UNPRICED,
  swapTopics: {
    ...{ [SELL_TOPIC]: 'Sky PSM sale', [BUY_TOPIC]: 'Sky PSM purchase', [SWAP_TOPIC]: 'Sky PSM3' },
  },
  contracts: {
    ethereum: {
      sky: {
        pairs: [
          {
            contract: evmAddress('0xf6e72db5454dd049d0788e411b06cfaf16853042'),
            ...{ coins: [USDC, DAI], names: ['gem', 'dai'] },
          },
        ],
        baskets: [],
      },
    },
    base: {
      sky: {
        pairs: [],
        baskets: [
          {
            contract: evmAddress('0x1601843c5e9bc251a3272907010afa41fa18347e'),
            coins: [
              evmAddress('0x833589fcd6edb6e08f4c7c32d4f71b54bda02913'),
              evmAddress('0x820c137fa70c8691f0e44dc420a5e53c168921dc'),
              evmAddress('0x5875eee11cf8398102fdad704c9e96607675467a'),
            ],
            names: ['usdc', 'usds', 'susds'],
          },
        ],
      },
    },
  },
  readDevnet(file) {
    const part = file.findPart('sky');
    if (part === null) return {};
    const names = ['usdc', 'usds', 'susds'] as const;
    const coins = names.map((name) => part.find(name));
    return { sky: { pairs: [], baskets: [{ contract: part.find('basket'), coins, names }] } };
  },
  listRouters: ({ sky: modules }) => {
    const [first] = modules?.baskets ?? [];
    if (first === undefined) return [];
    const [name, address] = [SKY_VENUE, first.contract];
    return [{ name, kind: 'skyBasket', address, venues: [SKY_VENUE] }];
  },
  listOnChainVenues: ({ sky: modules }) => {
    return (modules?.baskets ?? []).length === 0 ? [] : [SKY_VENUE];
  },
  listAsks,
  findTraded,
  routerKinds: { skyBasket: BASKET_ROUTER },
  reverts: { 'PSM3/amountOut-too-low': TOO_LITTLE },
  listVenues: (deployment) => (deployment.sky === undefined ? [] : [SKY_VENUE]),
  createDecoders: (deployment) =>
    deployment.sky === undefined ? new Map() : createDecoders(deployment.sky),
  describeLogs: (deployment) =>
    deployment.sky === undefined
      ? null
      : {
          ...{ creations: [], singleton: null },
          poolTopics: [...createDecoders(deployment.sky).keys()],
        },
  resolvePools,
};

declare module '../../data/deployments/evm-deployment.ts' {
  interface VenueContracts {
    /** Absent if there are none. */
    readonly sky?: SkyContracts;
  }

  interface RouterKindNames {
    /** Sky's modules of several coins, each called itself. */
    readonly skyBasket: true;
  }
}

declare module '../swap-plan.ts' {
  interface RouterPools {
    readonly skyBasket: object;
  }
}
