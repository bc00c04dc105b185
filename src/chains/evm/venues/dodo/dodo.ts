// DODO V2: each pool logs its swaps with both tokens. A pool counts if one of DODO's factories
// lists it for its tokens.

import type { Address } from '../../../../model/ids.ts';
import type { PoolDescription } from '../../../../model/pool.ts';
import { evmAddress, toPoolContract, toPoolId } from '../../data/evm-ids.ts';
import type { LogDecoder } from '../../data/evm-log.ts';
import {
  addressWord,
  decodeAddressAt,
  encodeCallData,
  hasWordAt,
  hasWords,
  uintAt,
} from '../../data/hex-data.ts';
import { buildUnpricedSwap, describeUnpriced, UNPRICED } from '../unpriced-pools.ts';
import type { VenueProtocol } from '../venue-protocol.ts';

const DODO_VENUE = 'dodo-v2';
const SWAP_TOPIC = '0xc2c0245e056d5fb095f04cd6373bc770802ebd1e6c918eb78fdef843cdb37b0f';
export const BASE_TOKEN_SELECTOR = '0x4a248d2a';
export const QUOTE_TOKEN_SELECTOR = '0xd4b97046';
export const LIST_POOLS_SELECTOR = '0x57a281dc';

/** The token of the lower address is first. */
const decodeSwap: LogDecoder = (log, out) => {
  const { address, topics, data } = log;
  if (topics.length !== 1 || !hasWords(data, 6)) return;
  const [tokenIn, tokenOut] = [decodeAddressAt(data, 0), decodeAddressAt(data, 1)];
  if (tokenIn === tokenOut) return;
  const amounts = { paid: uintAt(data, 2), received: uintAt(data, 3) };
  const isZeroIn = tokenIn < tokenOut;
  out.push(buildUnpricedSwap(log, toPoolId(address), { isZeroIn, ...amounts }));
};

/** Whether a list of addresses has this one. */
function hasAddress(answer: string | null | undefined, wanted: string): boolean {
  if (answer == null || !hasWordAt(answer, 1)) return false;
  const end = 2 + Number(uintAt(answer, 1));
  for (let at = 2; at < end && hasWordAt(answer, at); at += 1) {
    if (decodeAddressAt(answer, at) === wanted) return true;
  }
  return false;
}

const resolvePools: VenueProtocol['resolvePools'] = async (pools, context) => {
  const { deployment, callContracts } = context;
  const { dodo: factories = [] } = deployment;
  const said = await callContracts(
    pools.flatMap((pool) =>
      [BASE_TOKEN_SELECTOR, QUOTE_TOKEN_SELECTOR].map((data) => ({
        ...{ to: toPoolContract(pool), data },
      })),
    ),
  );
  const claims = pools.flatMap((pool, index) => {
    const [base = null, quote = null] = said.slice(index * 2, index * 2 + 2);
    if (base === null || quote === null || !hasWords(base, 1) || !hasWords(quote, 1)) return [];
    return [{ pool, base: decodeAddressAt(base, 0), quote: decodeAddressAt(quote, 0) }];
  });
  const lists = await callContracts(
    claims.flatMap(({ base, quote }) => {
      const data = encodeCallData(LIST_POOLS_SELECTOR, addressWord(base), addressWord(quote));
      return factories.map((to) => ({ to, data }));
    }),
  );
  return claims.flatMap(({ pool, base, quote }, index): PoolDescription[] => {
    const own = lists.slice(index * factories.length, (index + 1) * factories.length);
    const vault = toPoolContract(pool);
    if (base === quote || !own.some((list) => hasAddress(list, vault))) return [];
    const [token0, token1] = base < quote ? [base, quote] : [quote, base];
    return [describeUnpriced({ pool, venue: DODO_VENUE, vault, token0, token1, feePips: 0 })];
  });
};

/** Its factories, from DefiLlama's adapters. */
const FACTORIES: Readonly<Record<string, readonly string[]>> = {
  ethereum: [
    '0x72d220ce168c4f361dd4dee5d826a01ad8598f6c',
    '0x6fddb76c93299d985f4d3fc7ac468f9a168577a4',
    '0x5336ede8f971339f6c0e304c66ba16f1296a2fbe',
    '0xb5dc5e183c2acf02ab879a8569ab4edaf147d537',
    '0x6b4fa0bc61eddc928e0df9c7f01e407bfcd3e5ef',
    '0x710409d2121b7c8ea4acadd6803fde2d85df6473',
  ],
  base: [
    '0x0226fce8c969604c3a0ad19c37d1fafac73e13c2',
    '0x200d866edf41070de251ef92715a6ea825a5eb80',
    '0xc0f9553df63de5a97fe64422c8578d0657c360f7',
  ],
  arbitrum: [
    '0xda4c4411c55b0785e501332354a036c04833b72b',
    '0xc8fe2440744dcd733246a4db14093664defd5a53',
    '0xddb13e6dd168e1a68dc2285cb212078ae10394a9',
    '0xa6cf3d163358af376ec5e8b7cc5e102a05fde63d',
    '0x46e55a974c5995675b025f7f607c3278b36f0c29',
  ],
  optimism: [
    '0x2b800dc6270726f7e2266ce8cd5a3f8436fe0b40',
    '0x1f83858cd6d0ae7a08ab1fd977c06dabece6d711',
    '0xdb9c53f2ced34875685b607c97a61a65da2f30a8',
  ],
  polygon: [
    '0x79887f65f83bdf15bcc8736b5e5bcdb48fb8fe13',
    '0x43c49f8dd240e1545f147211ec9f917376ac1e87',
    '0xd24153244066f0afa9415563bfc7ba248bfb7a51',
    '0x95e887adf9eaa22cc1c6e3cb7f07adc95b4b25a8',
  ],
  bsc: [
    '0x790b4a80fb1094589a3c0efc8740aa9b0c1733fb',
    '0xf50bdc9e90b7a1c138cb7935071b85c417c4cb8e',
    '0x0fb9815938ad069bf90e14fe6c596c514bede767',
    '0xd9cac3d964327e47399aebd8e1e6dcc4c251daae',
    '0x7737fd30535c69545deeea54ab8dd590ccaebd3c',
    '0x9b64c81ba54ea51e1f6b7fefb3cff8aa6f1e2a09',
    '0xafe0a75dffb395eaabd0a7e1bbbd0b11f8609eef',
    '0x78d43a889f42a344fe98c3fb9455791dc8178d55',
  ],
};

export const dodo: VenueProtocol = {
  swapTopics: { [SWAP_TOPIC]: 'DODO V2' },
  contracts: Object.fromEntries(
    Object.entries(FACTORIES).map(([chain, list]) => [chain, { dodo: list.map(evmAddress) }]),
  ),
  ...UNPRICED,
  listVenues: ({ dodo: factories }) => (factories === undefined ? [] : [DODO_VENUE]),
  createDecoders: ({ dodo: factories }) =>
    new Map(factories === undefined ? [] : [[SWAP_TOPIC, decodeSwap]]),
  describeLogs: ({ dodo: factories }) =>
    factories === undefined ? null : { creations: [], poolTopics: [SWAP_TOPIC], singleton: null },
  resolvePools,
};

declare module '../../data/deployments/evm-deployment.ts' {
  interface VenueContracts {
    /** Factories, which list the pools of two tokens; absent if there are none. */
    readonly dodo?: readonly Address[];
  }
}
