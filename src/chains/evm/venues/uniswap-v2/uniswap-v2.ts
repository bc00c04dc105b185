// Uniswap V2 and its forks: decoding of logs, and reads from contracts.

import type { PoolDescription } from '../../../../model/pool.ts';
import { toPoolContract, toPoolId } from '../../evm-ids.ts';
import { addressWord, decodeAddressAt, encodeCallData, hasWords, uintAt } from '../../hex-data.ts';
import type { VenueProtocol } from '../venue-protocol.ts';
import { createUniswapV2Decoders } from './decode-uniswap-v2.ts';

export const FACTORY_SELECTOR = '0xc45a0155';
export const TOKEN0_SELECTOR = '0x0dfe1681';
export const TOKEN1_SELECTOR = '0xd21220a7';
export const GET_PAIR_SELECTOR = '0xe6a43905';
export const GET_RESERVES_SELECTOR = '0x0902f1ac';

const resolvePools: VenueProtocol['resolvePools'] = async (pools, context) => {
  const forks = new Map(context.deployment.v2.map((fork) => [fork.factory, fork]));
  const said = await context.callContracts(
    pools.flatMap((pool) =>
      [FACTORY_SELECTOR, TOKEN0_SELECTOR, TOKEN1_SELECTOR].map((data) => ({
        to: toPoolContract(pool),
        data,
      })),
    ),
  );
  const claims = pools.flatMap((pool, index) => {
    const answers = said.slice(index * 3, index * 3 + 3);
    if (answers.some((answer) => answer === null || !hasWords(answer, 1))) return [];
    const [factory, token0, token1] = answers.map((answer) => decodeAddressAt(answer ?? '', 0));
    const fork = factory === undefined ? undefined : forks.get(factory);
    if (fork === undefined || token0 === undefined || token1 === undefined) return [];
    return [{ pool, fork, token0, token1 }];
  });
  const vouched = await context.callContracts(
    claims.map(({ fork, token0, token1 }) => ({
      to: fork.factory,
      data: encodeCallData(GET_PAIR_SELECTOR, addressWord(token0), addressWord(token1)),
    })),
  );
  return claims.flatMap(({ pool, fork, token0, token1 }, index): PoolDescription[] => {
    const answer = vouched[index] ?? null;
    if (answer === null || !hasWords(answer, 1) || toPoolId(decodeAddressAt(answer, 0)) !== pool) {
      return [];
    }
    const { venue, feePips } = fork;
    const kind = 'constantProduct';
    const vault = toPoolContract(pool);
    return [{ pool, kind, venue, token0, token1, feePips, vault, terms: null }];
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
  resolvePools,
  readPoolStates,
  readPoolPiece,
};
