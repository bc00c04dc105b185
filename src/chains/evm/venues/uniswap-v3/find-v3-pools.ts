// Asks the factories of V3-like venues for the pools of a token. Those of Algebra Integral make
// further ones for contracts that they trust: only logs name these, and the factory confirms them.

import type { Address } from '../../../../model/ids.ts';
import type { PoolDescription } from '../../../../model/pool.ts';
import type { EvmDeployment } from '../../data/deployments/evm-deployment.ts';
import { toPoolId } from '../../data/evm-ids.ts';
import { addressWord, decodeAddressAt, encodeCallData, hasWords } from '../../data/hex-data.ts';
import { ZERO_ADDRESS } from '../../data/zero-address.ts';
import { listPairs } from '../list-pairs.ts';
import type { CreationFilter, PoolSearch, VenueProtocol } from '../venue-protocol.ts';
import { CUSTOM_POOL_SELECTOR } from './pool-selectors.ts';
import { CUSTOM_CREATED_TOPIC, findV3Layout, toRangeDetails } from './v3-layouts.ts';

/** How many announced pools are looked at. */
const ANNOUNCED_MAX = 100;

type FindContext = Parameters<VenueProtocol['findPools']>[1];

async function findCustomPools(
  { token, quotes, announced }: PoolSearch,
  { deployment, callContracts }: FindContext,
): Promise<PoolDescription[]> {
  const claims = announced.flatMap((pool) => {
    if (pool.kind !== 'concentrated' || pool.terms.custody.kind !== 'own') return [];
    const { deployer } = pool.terms.custody;
    const { token0, token1, venue } = pool;
    const other = token0 === token ? token1 : token0;
    const to = deployment.v3.find((fork) => fork.venue === venue)?.factory;
    if (deployer === undefined || to === undefined || !quotes.includes(other)) return [];
    const data = encodeCallData(
      CUSTOM_POOL_SELECTOR,
      ...[deployer, token0, token1].map(addressWord),
    );
    return [{ pool, call: { to, data } }];
  });
  const asked = claims.slice(-ANNOUNCED_MAX);
  const answers = await callContracts(asked.map(({ call }) => call));
  return asked.flatMap(({ pool }, index) => {
    const answer = answers[index] ?? null;
    const isOwn = answer !== null && hasWords(answer, 1);
    return isOwn && decodeAddressAt(answer, 0) === pool.vault ? [pool] : [];
  });
}

export function listCreationFilters(
  token: Address,
  { v3 }: EvmDeployment,
): readonly CreationFilter[] {
  const address = v3.flatMap(({ layout, factory }) =>
    layout === 'algebraIntegral' ? [factory] : [],
  );
  if (address.length === 0) return [];
  const topic = `0x${addressWord(token)}`;
  return [
    { address, topics: [CUSTOM_CREATED_TOPIC, null, topic] },
    { address, topics: [CUSTOM_CREATED_TOPIC, null, null, topic] },
  ];
}

export const findPools: VenueProtocol['findPools'] = async (search, context) => {
  const custom = await findCustomPools(search, context);
  return [...(await findStandardPools(search, context)), ...custom];
};

const findStandardPools: VenueProtocol['findPools'] = async (search, context) => {
  const { deployment, callContracts } = context;
  const asked = listPairs(search).flatMap((pair) =>
    deployment.v3.flatMap((fork) => {
      if (fork.isSearched === false) return [];
      const layout = findV3Layout(fork);
      return layout.listKeys(fork).map((key) => ({ pair, fork, layout, key }));
    }),
  );
  const answers = await callContracts(
    asked.map(({ pair: { token0, token1 }, fork, layout, key }) => ({
      to: fork.factory,
      data: encodeCallData(
        layout.lookupSelector,
        ...[addressWord(token0), addressWord(token1), ...layout.encodeKey(key)],
      ),
    })),
  );
  const found = asked.flatMap(({ pair, fork, layout }, index) => {
    const answer = answers[index] ?? null;
    if (answer === null || !hasWords(answer, 1)) return [];
    const vault = decodeAddressAt(answer, 0);
    if (vault === ZERO_ADDRESS) return [];
    return [{ layout, place: { ...pair, pool: toPoolId(vault), venue: fork.venue, vault } }];
  });
  const said = await callContracts(
    found.flatMap(({ layout, place: { vault: to } }) =>
      layout.detailSelectors.map((data) => ({ to, data })),
    ),
  );
  let at = 0;
  return found.flatMap(({ layout, place }): PoolDescription[] => {
    const { length } = layout.detailSelectors;
    const own = said.slice(at, at + length);
    at += length;
    const words = own.flatMap((word) => (word !== null && hasWords(word, 1) ? [word] : []));
    if (words.length < length) return [];
    const details = layout.decodeDetails(words);
    return details === null ? [] : [{ ...place, ...toRangeDetails(details) }];
  });
};
