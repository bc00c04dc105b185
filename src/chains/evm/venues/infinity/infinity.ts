// PancakeSwap Infinity: two managers, of pools with ranges and of pools with bins, that hold their
// pools by id. A pool's id is the hash of its key, which the manager tells.

import { keccak256 } from 'viem/utils';
import type { Address } from '../../../../model/ids.ts';
import type { PoolDescription } from '../../../../model/pool.ts';
import type { EvmDeployment } from '../../data/deployments/evm-deployment.ts';
import { evmAddress } from '../../data/evm-ids.ts';
import type { LogDecoder } from '../../data/evm-log.ts';
import {
  decodeAddressAt,
  encodeCallData,
  hasWords,
  intAt,
  toTopicPool,
  uintAt,
} from '../../data/hex-data.ts';
import { buildUnpricedSwap, describeUnpriced, UNPRICED } from '../unpriced-pools.ts';
import type { VenueProtocol } from '../venue-protocol.ts';

export const POOL_KEY_SELECTOR = '0x0e2d484a';
const KEY_WORDS = 6;
const FEE_WORD = 4;
/** In place of a fee: the pool's hook sets it for each swap. */
const DYNAMIC_FEE = 0x80_0000;

interface InfinityKind {
  readonly manager: 'ranges' | 'bins';
  readonly venue: string;
  /** Of its swaps. */
  readonly name: string;
  readonly topic: string;
  /** Both amounts, then the state afterwards. */
  readonly wordCount: number;
}

/** Amounts are from the swapper's side. A hook may let a swap take from both sides. */
function createSwapDecoder(manager: string, wordCount: number): LogDecoder {
  return (log, out) => {
    const { address, topics, data } = log;
    const pool = toTopicPool(topics[1]);
    if (address !== manager || pool === undefined) return;
    if (topics.length !== 3 || !hasWords(data, wordCount)) return;
    const [amount0, amount1] = [-intAt(data, 0), -intAt(data, 1)];
    if (amount0 > 0n === amount1 > 0n) return;
    const isZeroIn = amount0 > 0n;
    const [paid, received] = isZeroIn ? [amount0, -amount1] : [amount1, -amount0];
    out.push(buildUnpricedSwap(log, pool, { isZeroIn, paid, received }));
  };
}

function createInfinity({ manager, venue, name, topic, wordCount }: InfinityKind): VenueProtocol {
  const findManager = ({ infinity }: EvmDeployment) => infinity?.[manager] ?? null;
  return {
    ...UNPRICED,
    contracts: { base: CONTRACTS, bsc: CONTRACTS },
    swapTopics: { [topic]: name },
    listVaults: ({ infinity }) => (infinity === undefined ? [] : [infinity.vault]),
    listVenues: (deployment) => (findManager(deployment) === null ? [] : [venue]),
    createDecoders: (deployment) => {
      const address = findManager(deployment);
      return new Map(address === null ? [] : [[topic, createSwapDecoder(address, wordCount)]]);
    },
    describeLogs: (deployment) => {
      const singleton = findManager(deployment);
      return singleton === null ? null : { creations: [], poolTopics: [topic], singleton };
    },
    async resolvePools(pools, { deployment, callContracts }) {
      const address = findManager(deployment);
      const { infinity } = deployment;
      if (address === null || infinity === undefined) return [];
      const { vault } = infinity;
      const answers = await callContracts(
        pools.map((pool) => ({
          to: address,
          data: encodeCallData(POOL_KEY_SELECTOR, pool.slice(2)),
        })),
      );
      return pools.flatMap((pool, index): PoolDescription[] => {
        const key = answers[index] ?? null;
        if (key === null || !hasWords(key, KEY_WORDS)) return [];
        if (keccak256(key as `0x${string}`) !== pool) return [];
        const fee = Number(uintAt(key, FEE_WORD));
        const feePips = fee === DYNAMIC_FEE ? 0 : fee;
        const [token0, token1] = [decodeAddressAt(key, 0), decodeAddressAt(key, 1)];
        return [describeUnpriced({ pool, venue, vault, token0, token1, feePips })];
      });
    },
  };
}

/** The same on each chain that has them. */
const CONTRACTS = {
  infinity: {
    vault: evmAddress('0x238a358808379702088667322f80ac48bad5e6c4'),
    ranges: evmAddress('0xa0ffb9c1ce1fe56963b0321b32e7a0302114058b'),
    bins: evmAddress('0xc697d2898e0d09264376196696c51d7abbbaa4a9'),
  },
};

export const infinityRanges = createInfinity({
  ...{ manager: 'ranges', venue: 'pancakeswap-infinity', wordCount: 7, name: 'Pancake Infinity' },
  topic: '0x04206ad2b7c0f463bff3dd4f33c5735b0f2957a351e4f79763a4fa9e775dd237',
});

export const infinityBins = createInfinity({
  ...{ manager: 'bins', venue: 'pancakeswap-infinity-bins', wordCount: 5, name: 'Infinity bins' },
  topic: '0x3e8aae37f890eb1f9d63dd4d2062f3f0be757848a0f0760e4f3e53dad556e861',
});

declare module '../../data/deployments/evm-deployment.ts' {
  interface VenueContracts {
    /** PancakeSwap's: who holds the tokens, and who keeps the pools; absent if there is none. */
    readonly infinity?: {
      readonly vault: Address;
      readonly ranges: Address;
      readonly bins: Address;
    };
  }
}
