// Uniswap V2 and its forks: decoding of logs, and reads from contracts.

import type { PoolDescription } from '../../../../model/pool.ts';
import { toPoolContract, toPoolId } from '../../evm-ids.ts';
import { addressWord, decodeAddressAt, encodeCallData, hasWords, uintAt } from '../../hex-data.ts';
import { ZERO_ADDRESS } from '../../zero-address.ts';
import { confirmPools } from '../factory-pools.ts';
import { listPairs } from '../list-pairs.ts';
import type { VenueProtocol } from '../venue-protocol.ts';
import { createUniswapV2Decoders, describeUniswapV2Logs } from './decode-uniswap-v2.ts';

export const GET_PAIR_SELECTOR = '0xe6a43905';
export const GET_RESERVES_SELECTOR = '0x0902f1ac';

const resolvePools: VenueProtocol['resolvePools'] = (pools, { deployment, callContracts }) =>
  confirmPools(pools, callContracts, {
    forks: deployment.v2,
    selectors: [],
    readDetails: ({ feePips }) => ({ kind: 'constantProduct', feePips, terms: null }),
    encodeLookup: ({ token0, token1 }) =>
      encodeCallData(GET_PAIR_SELECTOR, addressWord(token0), addressWord(token1)),
  });

const findPools: VenueProtocol['findPools'] = async (search, { deployment, callContracts }) => {
  const asked = listPairs(search).flatMap((pair) => deployment.v2.map((fork) => ({ pair, fork })));
  const answers = await callContracts(
    asked.map(({ pair: { token0, token1 }, fork }) => ({
      to: fork.factory,
      data: encodeCallData(GET_PAIR_SELECTOR, addressWord(token0), addressWord(token1)),
    })),
  );
  return asked.flatMap(({ pair, fork }, index): PoolDescription[] => {
    const answer = answers[index] ?? null;
    if (answer === null || !hasWords(answer, 1)) return [];
    const vault = decodeAddressAt(answer, 0);
    if (vault === ZERO_ADDRESS) return [];
    const { venue, feePips } = fork;
    const pool = toPoolId(vault);
    return [{ pool, kind: 'constantProduct', venue, ...pair, feePips, vault, terms: null }];
  });
};

const readPoolStates: VenueProtocol['readPoolStates'] = async (queries, context) => {
  const answers = await context.callContracts(
    queries.map(({ description }) => ({
      to: toPoolContract(description.pool),
      data: GET_RESERVES_SELECTOR,
    })),
  );
  return queries.map(({ description }, index) => {
    const answer = answers[index] ?? null;
    if (answer === null || !hasWords(answer, 3)) return null;
    return {
      pool: description.pool,
      state: { reserve0: uintAt(answer, 0), reserve1: uintAt(answer, 1) },
      ticks: [],
    };
  });
};

const readPoolPiece: VenueProtocol['readPoolPiece'] = async ({ description }, context) => {
  const [reading] = await readPoolStates([{ description, ticks: [] }], context);
  if (!reading) return null;
  return { state: reading.state, feePips: null, ticks: [], covered: null, isLast: true };
};

export const uniswapV2: VenueProtocol = {
  listVenues: (deployment) => deployment.v2.map((fork) => fork.venue),
  createDecoders: createUniswapV2Decoders,
  describeLogs: describeUniswapV2Logs,
  resolvePools,
  findPools,
  listCreationFilters: () => [],
  readPoolStates,
  readPoolPiece,
};
