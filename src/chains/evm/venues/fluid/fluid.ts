// Fluid's exchange: each pool logs its swaps, in the order of its two tokens. It counts if the
// factory has it under the number that it says it has. All tokens are in one contract.

import type { Address } from '../../../../model/ids.ts';
import type { PoolDescription } from '../../../../model/pool.ts';
import { evmAddress, toPoolContract, toPoolId } from '../../data/evm-ids.ts';
import type { LogDecoder } from '../../data/evm-log.ts';
import {
  decodeAddressAt,
  encodeCallData,
  hasWordAt,
  hasWords,
  uintAt,
  uintWord,
} from '../../data/hex-data.ts';
import { readCoin } from '../native-coin.ts';
import { buildUnpricedSwap, describeUnpriced, UNPRICED } from '../unpriced-pools.ts';
import type { VenueProtocol } from '../venue-protocol.ts';

const FLUID_VENUE = 'fluid';
const SWAP_TOPIC = '0xdc004dbca4ef9c966218431ee5d9133d337ad018dd5b5c5493722803f75c64f7';
export const FLUID_CONSTANTS_SELECTOR = '0xb7791bf2';
export const FLUID_ADDRESS_SELECTOR = '0x12e366aa';
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

/** The same on every chain that has it; from Fluid's deployments. */
const CONTRACTS = {
  fluid: {
    factory: evmAddress('0x91716c4eda1fb55e84bf8b4c7085f84285c19085'),
    liquidity: evmAddress('0x52aa899454998be5b000ad077a46bbe360f4e497'),
  },
};

export const fluid: VenueProtocol = {
  ...UNPRICED,
  swapTopics: { [SWAP_TOPIC]: 'Fluid' },
  contracts: {
    ...{ ethereum: CONTRACTS, base: CONTRACTS, arbitrum: CONTRACTS },
    ...{ polygon: CONTRACTS, bsc: CONTRACTS },
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
    readonly fluid?: { readonly factory: Address; readonly liquidity: Address };
  }
}
