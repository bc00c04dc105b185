// Asks the factories of V3-like venues for the pools of a token.

import type { PoolDescription } from '../../../../model/pool.ts';
import { toPoolId } from '../../data/evm-ids.ts';
import { addressWord, decodeAddressAt, encodeCallData, hasWords } from '../../data/hex-data.ts';
import { ZERO_ADDRESS } from '../../data/zero-address.ts';
import { listPairs } from '../list-pairs.ts';
import type { VenueProtocol } from '../venue-protocol.ts';
import { findV3Layout, toRangeDetails } from './v3-layouts.ts';

export const findPools: VenueProtocol['findPools'] = async (search, context) => {
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
