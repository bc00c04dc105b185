// EulerSwap: pools whose tokens are in vaults that lend, each of one account. v1's factory
// announces its pools and names those in use; v2's knows those that it deployed.
//
// What a swap pays depends on what the vaults have and allow, so the pool is asked. It refuses what
// is beyond its limits (`getLimits`). A trade calls the periphery, which takes the wallet's tokens,
// asks the pool, compares the minimum and wraps nothing.
//
// Both log the input without the fee. v2 logs the fee beside it; v1 does not, so that its trades
// are stored with an input that is a fee too small.

import type { Hex } from 'viem';
import { encodeFunctionData, parseAbi } from 'viem/utils';
import type { Address, PoolId } from '../../../../model/ids.ts';
import type { PoolDescription } from '../../../../model/pool.ts';
import type { RouterLine, VenueContracts } from '../../data/deployments/evm-deployment.ts';
import { evmAddress, toPoolContract, toPoolId } from '../../data/evm-ids.ts';
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
import { createCreationDecoder } from '../factory-pools.ts';
import type { RouterKind } from '../router-kind.ts';
import { TOO_LITTLE } from '../router-kind.ts';
import { buildUnpricedSwap, describeUnpriced, UNPRICED } from '../unpriced-pools.ts';
import type { VenueProtocol } from '../venue-protocol.ts';

const DEPLOYED_TOPIC = '0x5f7560a5797edc6f72421362defa094d690eb9f7ced3cc5a5c13383502e4fcc5';
const SWAP_TOPICS = {
  v1: '0x4813b0ad1586a6c47f088a07b488c1eadc58e7e7a9c3f1a71b3f33c5379133aa',
  v2: '0x8337ab1cd063c6a0121e4b67ad00ec5640783101bb89ad879ffb0fe28b503e95',
} as const;
export const GET_ASSETS_SELECTOR = '0x67e4ac2c';
export const GET_PARAMS_SELECTOR = '0x5e615a6b';
export const POOL_BY_ACCOUNT_SELECTOR = '0xff51c193';
export const DEPLOYED_POOLS_SELECTOR = '0x186d0601';
export const COMPUTE_QUOTE_SELECTOR = '0x8e0dc28d';
/** Of v1's parameters: the account that the pool works for. */
const ACCOUNT_WORD = 2;
const VERSIONS = { 'euler-swap': 'v1', 'euler-swap-v2': 'v2' } as const;

type EulerVenue = keyof typeof VERSIONS;

interface EulerFactory {
  readonly venue: EulerVenue;
  readonly factory: Address;
}

/** Both inputs, both outputs; v2 adds the fee of each. */
function createSwapDecoder(version: 'v1' | 'v2'): LogDecoder {
  const wordCount = version === 'v1' ? 6 : 8;
  return (log, out) => {
    const { address, topics, data } = log;
    if (topics.length !== 3 || !hasWords(data, wordCount)) return;
    const [in0 = 0n, in1 = 0n, out0 = 0n, out1 = 0n] = [0, 1, 2, 3].map((at) => uintAt(data, at));
    const [fee0 = 0n, fee1 = 0n] = version === 'v1' ? [] : [uintAt(data, 4), uintAt(data, 5)];
    const [paid0, paid1] = [in0 + fee0, in1 + fee1];
    const isZeroIn = paid0 > 0n;
    if (isZeroIn === paid1 > 0n || (isZeroIn ? out0 : out1) > 0n) return;
    const amounts = { paid: isZeroIn ? paid0 : paid1, received: isZeroIn ? out1 : out0 };
    out.push(buildUnpricedSwap(log, toPoolId(address), { isZeroIn, ...amounts }));
  };
}

type Context = Parameters<VenueProtocol['resolvePools']>[1];

/** Those that the factory vouches for: v1 by the account, v2 by the pool itself. */
async function findOwn(
  pools: readonly PoolId[],
  { venue, factory }: EulerFactory,
  { callContracts }: Context,
): Promise<ReadonlySet<PoolId>> {
  const isFirst = VERSIONS[venue] === 'v1';
  const params = isFirst
    ? await callContracts(
        pools.map((pool) => ({ to: toPoolContract(pool), data: GET_PARAMS_SELECTOR })),
      )
    : [];
  const answers = await callContracts(
    pools.map((pool, index) => {
      const own = params[index] ?? '0x';
      const [selector, key] = isFirst
        ? [POOL_BY_ACCOUNT_SELECTOR, hasWordAt(own, ACCOUNT_WORD) ? uintAt(own, ACCOUNT_WORD) : 0n]
        : [DEPLOYED_POOLS_SELECTOR, BigInt(toPoolContract(pool))];
      return { to: factory, data: encodeCallData(selector, uintWord(key)) };
    }),
  );
  const isOwn = (pool: PoolId, answer: string | null | undefined) => {
    if (answer == null || !hasWords(answer, 1)) return false;
    return isFirst ? toPoolId(decodeAddressAt(answer, 0)) === pool : uintAt(answer, 0) === 1n;
  };
  return new Set(pools.filter((pool, index) => isOwn(pool, answers[index])));
}

const resolvePools: VenueProtocol['resolvePools'] = async (pools, context) => {
  const { eulerSwap: factories = [] } = context.deployment;
  if (factories.length === 0) return [];
  const assets = await context.callContracts(
    pools.map((pool) => ({ to: toPoolContract(pool), data: GET_ASSETS_SELECTOR })),
  );
  const tokens = new Map(
    pools.flatMap((pool, index) => {
      const answer = assets[index] ?? null;
      if (answer === null || !hasWords(answer, 2)) return [];
      return [[pool, [decodeAddressAt(answer, 0), decodeAddressAt(answer, 1)] as const] as const];
    }),
  );
  const found: PoolDescription[] = [];
  for (const one of factories) {
    for (const pool of await findOwn([...tokens.keys()], one, context)) {
      const [token0, token1] = tokens.get(pool) ?? [];
      if (token0 === undefined || token1 === undefined || token0 === token1) continue;
      const place = { pool, venue: one.venue, vault: toPoolContract(pool), feePips: 0 };
      found.push(describeUnpriced({ ...place, token0, token1 }));
    }
  }
  return found;
};

const listAsks: VenueProtocol['listAsks'] = ({ pool, zeroForOne }) => {
  if (!(pool.venue in VERSIONS)) return [];
  const ends = zeroForOne ? [pool.token0, pool.token1] : [pool.token1, pool.token0];
  return [
    {
      isStable: null,
      encode: (amountIn) => {
        const words = [...ends.map(addressWord), uintWord(amountIn), uintWord(1)];
        return { to: pool.vault, data: encodeCallData(COMPUTE_QUOTE_SELECTOR, ...words) };
      },
      decode: (answer) => (hasWords(answer, 1) && uintAt(answer, 0)) || null,
    },
  ];
};

const PERIPHERY_ABI = parseAbi([
  'function swapExactIn(address pool, address tokenIn, address tokenOut, uint256 amountIn, address receiver, uint256 amountOutMin, uint256 deadline)',
]);

const EULER_ROUTER: RouterKind = {
  proof: { executedBy: 'standIn', source: 'test/contracts/euler-swap.sol' },
  cannotWrap: true,
  encodeSwap({ hops: [hop, ...others], amountIn, amountOutMin, recipient, deadline }) {
    if (hop?.pool.kind !== 'eulerSwap' || others.length > 0) throw new Error('not one EulerSwap');
    const ends = [hop.pool.contract, hop.tokenIn, hop.tokenOut] as [Hex, Hex, Hex];
    const args = [...ends, amountIn, recipient, amountOutMin, deadline] as const;
    return encodeFunctionData({ abi: PERIPHERY_ABI, args });
  },
};

type Deployed = readonly [factory: string, periphery: string];

function build(v1: Deployed, v2: Deployed): Partial<VenueContracts> {
  const all = Object.entries({ 'euler-swap': v1, 'euler-swap-v2': v2 });
  return {
    eulerSwap: all.map(([venue, [factory]]): EulerFactory => {
      return { venue: venue as EulerVenue, factory: evmAddress(factory) };
    }),
    routers: all.map(([name, [, periphery]]): RouterLine => {
      return { name, kind: 'eulerSwap', address: evmAddress(periphery), venues: [name] };
    }),
  };
}

export const eulerSwap: VenueProtocol = {
  ...UNPRICED,
  swapTopics: { [SWAP_TOPICS.v1]: 'EulerSwap', [SWAP_TOPICS.v2]: 'EulerSwap v2' },
  // euler-xyz/euler-interfaces (addresses), each in a public integration, too.
  contracts: {
    ethereum: build(
      ['0xb013be1d0d380c13b58e889f412895970a2cf228', '0x208ff5eb543814789321daa1b5eb551881d16b06'],
      ['0xd05213331221fab8a3c387f2affbb605bb04df5f', '0xd3a349ee0a21ea0a7e9513ac236ae614b5fd513e'],
    ),
    base: build(
      ['0xf0cfe22d23699ff1b2cfe6b8f706a6db63911262', '0x18e5f5c1ff5e905b32ce860576031ae90e1d1336'],
      ['0x6c5f4c239ced289447737eab8eea64523bd9c05e', '0xa564dae65ea7b1ce049abacfc4cb1a32c93e127c'],
    ),
    arbitrum: build(
      ['0x7949be8b154d7b5ce6e75cbfc646aef3a25970e2', '0x804485f5b6c293f8d63f697e9662cd4a8765858a'],
      ['0x138ab9b33741b25bb7bcda466175c8b2e2b96dc4', '0x223c1a20a6992a0f1e7066ed924619c3156dda15'],
    ),
    bsc: build(
      ['0x3e378e5e339df5e0da32964f9eec2cdb90d28cc7', '0xa8826bb29f875db4c4b482463961776390774525'],
      ['0xa1f83e3d1819c912122a1582b4b6d3d2a1e83bb7', '0x4258a34923cccfa29948881cf6aa8fdad6338485'],
    ),
  },
  listVenues: ({ eulerSwap: factories = [] }) => factories.map(({ venue }) => venue),
  listOnChainVenues: ({ eulerSwap: factories = [] }) => factories.map(({ venue }) => venue),
  listAsks,
  findTraded: ({ venue, vault }) =>
    venue in VERSIONS
      ? {
          toRouterPool: () => ({ kind: 'eulerSwap', contract: vault }),
          ...{ probe: null, holder: null },
        }
      : null,
  routerKinds: { eulerSwap: EULER_ROUTER },
  reverts: {
    'AmountOutLessThanMin()': TOO_LITTLE,
    'DeadlineExpired()': 'the deadline has passed',
    'SwapLimitExceeded()': "the trade is beyond what the pool's vaults have or allow",
    'OperatorNotInstalled()': 'the pool is no longer in use',
    'SwapRejected()': 'the pool refuses the trade',
    'Expired()': 'the pool has expired',
  },
  createDecoders({ eulerSwap: factories = [] }) {
    if (factories.length === 0) return new Map();
    const decodeCreation = createCreationDecoder(
      factories.filter(({ venue }) => VERSIONS[venue] === 'v1'),
      {
        ...{ topicCount: 4, wordCount: 1, poolWord: 0 },
        readDetails: () => ({ kind: 'tradesOnly', terms: null, feePips: 0 }),
      },
    );
    return new Map([
      [DEPLOYED_TOPIC, decodeCreation],
      [SWAP_TOPICS.v1, createSwapDecoder('v1')],
      [SWAP_TOPICS.v2, createSwapDecoder('v2')],
    ]);
  },
  describeLogs({ eulerSwap: factories = [] }) {
    if (factories.length === 0) return null;
    const contracts = factories.map(({ factory }) => factory);
    const creations = [{ contracts, topic: DEPLOYED_TOPIC, tokensAt: [1, 2] }];
    return { creations, poolTopics: Object.values(SWAP_TOPICS), singleton: null };
  },
  resolvePools,
};

declare module '../swap-plan.ts' {
  interface RouterPools {
    readonly eulerSwap: { readonly contract: Address };
  }
}

declare module '../../data/deployments/evm-deployment.ts' {
  interface VenueContracts {
    /** Absent if there are none. */
    readonly eulerSwap?: readonly EulerFactory[];
  }

  interface RouterKindNames {
    /** EulerSwap's periphery: one pool. */
    readonly eulerSwap: true;
  }
}
