// PancakeSwap's stable pools: contracts like Curve's older ones, with a log that Curve's crypto
// pools have, too. What tells them apart is the factory that knows the pool.

import type { Address } from '../../../../model/ids.ts';
import type { PoolDescription } from '../../../../model/pool.ts';
import type { EvmDeployment } from '../../data/deployments/evm-deployment.ts';
import { type CoinPair, toCoinPairPool } from '../../data/evm-ids.ts';
import {
  addressWord,
  decodeAddressAt,
  encodeCallData,
  hasWordAt,
  hasWords,
  uintWord,
} from '../../data/hex-data.ts';
import type { CallContracts } from '../../rpc/multicall.ts';
import { readCoin } from '../native-coin.ts';
import { describeUnpriced } from '../unpriced-pools.ts';

export const PANCAKE_STABLE_VENUE = 'pancakeswap-stable';
export const COIN_SELECTOR = '0xc6610657';
export const PAIR_INFO_SELECTOR = '0x400f7a1e';
export const TRIPLE_INFO_SELECTOR = '0x923093cb';
/** No pool has more. */
const COINS_MAX = 3;

interface PancakeContext {
  readonly deployment: EvmDeployment;
  readonly callContracts: CallContracts;
}

/** The pool's own coins, until it has no more. */
async function readOwnCoins(
  contracts: readonly Address[],
  callContracts: CallContracts,
): Promise<Address[][]> {
  const answers = await callContracts(
    contracts.flatMap((to) =>
      Array.from({ length: COINS_MAX }, (_, index) => ({
        ...{ to, data: encodeCallData(COIN_SELECTOR, uintWord(index)) },
      })),
    ),
  );
  return contracts.map((_, index) => {
    const own = answers.slice(index * COINS_MAX, (index + 1) * COINS_MAX);
    const end = own.findIndex((answer) => answer === null || !hasWords(answer, 1));
    const coins = end < 0 ? own : own.slice(0, end);
    return coins.map((answer) => decodeAddressAt(answer ?? '', 0));
  });
}

/** The rows whose pool one of the factories has for its coins. */
export async function resolvePancakeStable(
  pairs: readonly CoinPair[],
  { deployment, callContracts }: PancakeContext,
): Promise<PoolDescription[]> {
  const { pancakeStable: factories = [] } = deployment;
  const asked = pairs.filter(({ isUnderlying }) => !isUnderlying);
  if (factories.length === 0 || asked.length === 0) return [];
  const contracts = asked.map(({ contract }) => contract);
  const coinsOf = await readOwnCoins(contracts, callContracts);
  const claims = asked.flatMap((pair, index) => {
    const coins = coinsOf[index] ?? [];
    return coins.length >= 2 ? [{ pair, coins }] : [];
  });
  const answers = await callContracts(
    claims.flatMap(({ coins }) => {
      const selector = coins.length === 2 ? PAIR_INFO_SELECTOR : TRIPLE_INFO_SELECTOR;
      const data = encodeCallData(selector, ...coins.slice(0, 2).map(addressWord));
      return factories.map((to) => ({ to, data }));
    }),
  );
  return claims.flatMap(({ pair, coins }, index): PoolDescription[] => {
    const { contract: vault, lower, upper } = pair;
    const own = answers.slice(index * factories.length, (index + 1) * factories.length);
    const isKnown = own.some(
      (answer) => answer !== null && hasWordAt(answer, 0) && decodeAddressAt(answer, 0) === vault,
    );
    const [token0, token1] = [coins[lower], coins[upper]];
    if (!isKnown || token0 === undefined || token1 === undefined) return [];
    const place = { pool: toCoinPairPool(pair), venue: PANCAKE_STABLE_VENUE, vault, feePips: 0 };
    return [describeUnpriced({ ...place, token0: readCoin(token0), token1: readCoin(token1) })];
  });
}

declare module '../../data/deployments/evm-deployment.ts' {
  interface VenueContracts {
    /** The factories; absent if there are none. */
    readonly pancakeStable?: readonly Address[];
  }
}
