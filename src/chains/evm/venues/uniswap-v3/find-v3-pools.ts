// Asks the factories of Uniswap V3 and its forks for the pools of a token.

import type { PoolDescription } from '../../../../model/pool.ts';
import { toPoolContract, toPoolId } from '../../evm-ids.ts';
import {
  addressWord,
  decodeAddressAt,
  encodeCallData,
  hasWords,
  int24At,
  uintWord,
} from '../../hex-data.ts';
import { ZERO_ADDRESS } from '../../zero-address.ts';
import { listPairs } from '../list-pairs.ts';
import type { VenueProtocol } from '../venue-protocol.ts';
import { GET_POOL_SELECTOR, TICK_SPACING_SELECTOR } from './pool-selectors.ts';

/** The fees that the factories of Uniswap, PancakeSwap and Sushi allow, on all chains together. */
const FEE_TIERS = [100, 200, 300, 400, 500, 2500, 3000, 10_000] as const;

export const findPools: VenueProtocol['findPools'] = async (search, context) => {
  const { deployment, callContracts } = context;
  const asked = listPairs(search).flatMap((pair) =>
    deployment.v3.flatMap((fork) => FEE_TIERS.map((feePips) => ({ pair, fork, feePips }))),
  );
  const answers = await callContracts(
    asked.map(({ pair: { token0, token1 }, fork, feePips }) => ({
      to: fork.factory,
      data: encodeCallData(
        GET_POOL_SELECTOR,
        addressWord(token0),
        addressWord(token1),
        uintWord(feePips),
      ),
    })),
  );
  const found = asked.flatMap(({ pair, fork, feePips }, index) => {
    const answer = answers[index] ?? null;
    if (answer === null || !hasWords(answer, 1)) return [];
    const vault = decodeAddressAt(answer, 0);
    if (vault === ZERO_ADDRESS) return [];
    return [{ ...pair, pool: toPoolId(vault), venue: fork.venue, feePips, vault }];
  });
  const spacings = await callContracts(
    found.map(({ pool }) => ({ to: toPoolContract(pool), data: TICK_SPACING_SELECTOR })),
  );
  return found.flatMap((pool, index): PoolDescription[] => {
    const spacing = spacings[index] ?? null;
    if (spacing === null || !hasWords(spacing, 1)) return [];
    const terms = { tickSpacing: int24At(spacing, 0), custody: { kind: 'own' } } as const;
    return [{ ...pool, kind: 'concentrated', terms }];
  });
};
