// Fluid's exchange: each pool logs its swaps, in the order of its two tokens. It counts if the
// factory has it under the number that it says it has. All tokens are in one contract.
//
// What a swap pays follows from reserves, debts and limits that grow with time, so Fluid's resolver
// is asked. It swaps in the pool for an address at which the pool reverts with the amount. A trade
// calls the pool itself, which takes the native coin only as such.

import type { Hex } from 'viem';
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
  uintWord,
} from '../../data/hex-data.ts';
import { readCoin } from '../native-coin.ts';
import type { RouterKind } from '../router-kind.ts';
import { buildUnpricedSwap, describeUnpriced, UNPRICED } from '../unpriced-pools.ts';
import type { VenueProtocol } from '../venue-protocol.ts';

const FLUID_VENUE = 'fluid';
export const SWAP_TOPIC = '0xdc004dbca4ef9c966218431ee5d9133d337ad018dd5b5c5493722803f75c64f7';
export const FLUID_CONSTANTS_SELECTOR = '0xb7791bf2';
export const FLUID_ADDRESS_SELECTOR = '0x12e366aa';
export const ESTIMATE_IN_SELECTOR = '0xbb39e3a1';
export const SWAP_IN_SELECTOR = '0x2668dfaa';
/** Words of a pool's constants. */
const [NUMBER, TOKEN0, TOKEN1] = [0, 9, 10] as const;

/** Whether the first token was sold, and both amounts. */
const decodeSwap: LogDecoder = (log, out) => {
  const { address, topics, data } = log;
  if (topics.length !== 1 || !hasWords(data, 4)) return;
  const isZeroIn = uintAt(data, 0) === 1n;
  const amounts = { paid: uintAt(data, 1), received: uintAt(data, 2) };
  out.push(buildUnpricedSwap(log, toPoolId(address), { isZeroIn, ...amounts }));
};

const resolvePools: VenueProtocol['resolvePools'] = async (pools, context) => {
  const { fluid } = context.deployment;
  if (fluid === undefined) return [];
  const constants = await context.callContracts(
    pools.map((pool) => ({ to: toPoolContract(pool), data: FLUID_CONSTANTS_SELECTOR })),
  );
  const claims = pools.flatMap((pool, index) => {
    const words = constants[index] ?? null;
    return words !== null && hasWordAt(words, TOKEN1) ? [{ pool, words }] : [];
  });
  const answers = await context.callContracts(
    claims.map(({ words }) => ({
      to: fluid.factory,
      data: encodeCallData(FLUID_ADDRESS_SELECTOR, uintWord(uintAt(words, NUMBER))),
    })),
  );
  return claims.flatMap(({ pool, words }, index): PoolDescription[] => {
    const answer = answers[index] ?? null;
    const own = toPoolContract(pool);
    if (answer === null || !hasWords(answer, 1) || decodeAddressAt(answer, 0) !== own) return [];
    const [token0, token1] = [TOKEN0, TOKEN1].map((word) => readCoin(decodeAddressAt(words, word)));
    if (token0 === undefined || token1 === undefined || token0 === token1) return [];
    // Its logs are its own, though another contract keeps its tokens.
    const place = { pool, venue: FLUID_VENUE, vault: own, feePips: 0 };
    return [describeUnpriced({ ...place, token0, token1 })];
  });
};

const listAsks: VenueProtocol['listAsks'] = ({ pool, zeroForOne }, { fluid: contracts }) => {
  if (contracts === undefined || pool.venue !== FLUID_VENUE) return [];
  const [to, words] = [contracts.resolver, [addressWord(pool.vault), uintWord(+zeroForOne)]];
  return [
    {
      isStable: null,
      encode: (amountIn) => {
        const amounts = [amountIn, 0n].map(uintWord);
        return { to, data: encodeCallData(ESTIMATE_IN_SELECTOR, ...words, ...amounts) };
      },
      // Zero if the pool reverted otherwise.
      decode: (answer) => (hasWords(answer, 1) && uintAt(answer, 0)) || null,
    },
  ];
};

const FLUID_ROUTER: RouterKind = {
  proof: { executedBy: 'standIn', source: 'test/contracts/called-pools.sol' },
  hasNoDeadline: true,
  cannotWrap: true,
  encodeSwap({ hops, amountIn, amountOutMin, recipient }) {
    const [hop, ...others] = hops;
    if (hop?.pool.kind !== 'fluid' || others.length > 0) throw new Error('not one pool of Fluid');
    const words = [+hop.pool.isZeroIn, amountIn, amountOutMin, BigInt(recipient)].map(uintWord);
    return encodeCallData(SWAP_IN_SELECTOR, ...words) as Hex;
  },
  findContract: ([hop]) => (hop === undefined ? null : toPoolContract(hop.pool.pool)),
};

const findTraded: VenueProtocol['findTraded'] = ({ venue }) =>
  venue === FLUID_VENUE
    ? { toRouterPool: (isZeroIn) => ({ kind: 'fluid', isZeroIn }), probe: null, holder: null }
    : null;

/** The same on every chain that has it; from Fluid's deployments. */
const CONTRACTS = {
  fluid: {
    factory: evmAddress('0x91716c4eda1fb55e84bf8b4c7085f84285c19085'),
    liquidity: evmAddress('0x52aa899454998be5b000ad077a46bbe360f4e497'),
    resolver: evmAddress('0x05bd8269a20c472b148246de20e6852091bf16ff'),
  },
};

export const fluid: VenueProtocol = {
  ...UNPRICED,
  swapTopics: { [SWAP_TOPIC]: 'Fluid' },
  contracts: {
    ...{ ethereum: CONTRACTS, base: CONTRACTS, arbitrum: CONTRACTS },
    ...{ polygon: CONTRACTS, bsc: CONTRACTS },
  },
  readDevnet(file) {
    const part = file.findPart('fluid');
    if (part === null) return {};
    const [factory, liquidity] = [part.find('factory'), part.find('liquidity')];
    return { fluid: { factory, liquidity, resolver: part.find('resolver') } };
  },
  // Each pool is called itself.
  listRouters: ({ fluid: contracts }) =>
    contracts === undefined
      ? []
      : [{ name: FLUID_VENUE, kind: 'fluid', address: contracts.factory, venues: [FLUID_VENUE] }],
  listOnChainVenues: ({ fluid: contracts }) => (contracts === undefined ? [] : [FLUID_VENUE]),
  listAsks,
  findTraded,
  routerKinds: { fluid: FLUID_ROUTER },
  reverts: {
    'FluidDexError(uint256)':
      'the pool pays less than the minimum, has reached a limit or is paused',
  },
  listVenues: (deployment) => (deployment.fluid === undefined ? [] : [FLUID_VENUE]),
  listVaults: (deployment) => (deployment.fluid === undefined ? [] : [deployment.fluid.liquidity]),
  createDecoders: (deployment) =>
    new Map(deployment.fluid === undefined ? [] : [[SWAP_TOPIC, decodeSwap]]),
  describeLogs: (deployment) =>
    deployment.fluid === undefined
      ? null
      : { creations: [], poolTopics: [SWAP_TOPIC], singleton: null },
  resolvePools,
};

declare module '../../data/deployments/evm-deployment.ts' {
  interface VenueContracts {
    /** Absent if there is none. */
    readonly fluid?: {
      readonly factory: Address;
      readonly liquidity: Address;
      /** Says what swaps would pay. */
      readonly resolver: Address;
    };
  }

  interface RouterKindNames {
    /** Pools of Fluid, each called itself. */
    readonly fluid: true;
  }
}

declare module '../swap-plan.ts' {
  interface RouterPools {
    readonly fluid: { readonly isZeroIn: boolean };
  }
}
