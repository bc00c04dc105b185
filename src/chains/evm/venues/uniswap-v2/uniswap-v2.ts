// Uniswap V2 and pairs like its own: decoding of logs, and reads from contracts.

import type { PoolDescription } from '../../../../model/pool.ts';
import { toPoolContract, toPoolId } from '../../data/evm-ids.ts';
import {
  addressWord,
  decodeAddressAt,
  encodeCallData,
  hasWords,
  uintAt,
} from '../../data/hex-data.ts';
import { ZERO_ADDRESS } from '../../data/zero-address.ts';
import { confirmPools } from '../factory-pools.ts';
import { listPairs } from '../list-pairs.ts';
import type { VenueProtocol } from '../venue-protocol.ts';
import { createUniswapV2Decoders, describeUniswapV2Logs } from './decode-uniswap-v2.ts';
import { GET_RESERVES_SELECTOR } from './pair-selectors.ts';
import { decodeCamelotReserves, readPoolPage } from './read-pair-page.ts';
import { findV2Fork, findV2Layout } from './v2-layouts.ts';

/** Pairs are asked the same for most layouts; what no factory has confirmed is asked the rest. */
const resolvePools: VenueProtocol['resolvePools'] = async (pools, context) => {
  const { deployment, callContracts } = context;
  const groups = Map.groupBy(deployment.v2, (fork) => findV2Layout(fork).detailSelectors.join());
  const found: PoolDescription[] = [];
  for (const forks of groups.values()) {
    const known = new Set(found.map(({ pool }) => pool));
    const left = pools.filter((pool) => !known.has(pool));
    const [first] = forks;
    if (left.length === 0 || first === undefined) break;
    const { detailSelectors } = findV2Layout(first);
    const confirmed = await confirmPools(left, callContracts, {
      forks,
      selectors: detailSelectors,
      readDetails: (fork) => findV2Layout(fork).toDetails(fork),
      encodeLookup: ({ token0, token1, venue }, answers) => {
        const { lookupSelector } = findV2Layout(findV2Fork(deployment, venue) ?? {});
        const key = answers.map((answer) => answer.slice(2));
        return encodeCallData(lookupSelector, addressWord(token0), addressWord(token1), ...key);
      },
    });
    found.push(...confirmed);
  }
  return found;
};

const findPools: VenueProtocol['findPools'] = async (search, { deployment, callContracts }) => {
  const asked = listPairs(search).flatMap((pair) =>
    deployment.v2.flatMap((fork) => {
      if (fork.isSearched === false) return [];
      const { lookupSelector, keys } = findV2Layout(fork);
      const call = encodeCallData(
        lookupSelector,
        ...[addressWord(pair.token0), addressWord(pair.token1)],
      );
      const calls = keys.length === 0 ? [call] : keys.map((key) => `${call}${key}`);
      return calls.map((data) => ({ pair, fork, data }));
    }),
  );
  const answers = await callContracts(asked.map(({ fork, data }) => ({ to: fork.factory, data })));
  return asked.flatMap(({ pair, fork }, index): PoolDescription[] => {
    const answer = answers[index] ?? null;
    if (answer === null || !hasWords(answer, 1)) return [];
    const vault = decodeAddressAt(answer, 0);
    if (vault === ZERO_ADDRESS) return [];
    const place = { pool: toPoolId(vault), venue: fork.venue, ...pair, vault };
    return [{ ...place, ...findV2Layout(fork).toDetails(fork) }];
  });
};

const readPoolStates: VenueProtocol['readPoolStates'] = async (queries, context) => {
  const answers = await context.callContracts(
    queries.map(({ description }) => ({
      to: toPoolContract(description.pool),
      data: GET_RESERVES_SELECTOR,
    })),
  );
  return queries.map(({ description: { pool, venue } }, index) => {
    const answer = answers[index] ?? null;
    const { name } = findV2Layout(findV2Fork(context.deployment, venue) ?? {});
    if (name === 'camelot') {
      const state = decodeCamelotReserves(answer);
      return state && { pool, state, ticks: [] };
    }
    if (answer === null || !hasWords(answer, 3)) return null;
    const state = { reserve0: uintAt(answer, 0), reserve1: uintAt(answer, 1) };
    return { pool, state, ticks: [] };
  });
};

export const uniswapV2: VenueProtocol = {
  listVenues: (deployment) => deployment.v2.map((fork) => fork.venue),
  forks: 'pairs',
  createDecoders: createUniswapV2Decoders,
  describeLogs: describeUniswapV2Logs,
  resolvePools,
  findPools,
  listCreationFilters: () => [],
  readPoolStates,
  readPoolPage,
};
