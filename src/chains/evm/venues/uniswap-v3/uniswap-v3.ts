// Uniswap V3 and pools like its own: decoding of logs, and reads from contracts.

import type { PoolDescription } from '../../../../model/pool.ts';
import { toPoolContract } from '../../data/evm-ids.ts';
import { addressWord, encodeCallData, intWord } from '../../data/hex-data.ts';
import { readConcentratedStates } from '../concentrated-pools.ts';
import { confirmPools } from '../factory-pools.ts';
import type { VenueProtocol } from '../venue-protocol.ts';
import { createUniswapV3Decoders, describeUniswapV3Logs } from './decode-uniswap-v3.ts';
import { findPools } from './find-v3-pools.ts';
import { LIQUIDITY_SELECTOR, TICKS_SELECTOR } from './pool-selectors.ts';
import { decodeV3State, readPoolPage } from './read-v3-pool-page.ts';
import { findLayoutOfVenue, findV3Layout, toRangeDetails } from './v3-layouts.ts';

/** Pools are asked the same for most layouts; what no factory has confirmed is asked the rest. */
const resolvePools: VenueProtocol['resolvePools'] = async (pools, context) => {
  const { deployment, callContracts } = context;
  const groups = Map.groupBy(deployment.v3, (fork) => findV3Layout(fork).detailSelectors.join());
  const found: PoolDescription[] = [];
  for (const forks of groups.values()) {
    const known = new Set(found.map(({ pool }) => pool));
    const left = pools.filter((pool) => !known.has(pool));
    const [first] = forks;
    if (left.length === 0 || first === undefined) break;
    const confirmed = await confirmPools(left, callContracts, {
      forks,
      selectors: findV3Layout(first).detailSelectors,
      readDetails: (fork, answers) => {
        const details = findV3Layout(fork).decodeDetails(answers);
        return details && toRangeDetails(details);
      },
      encodeLookup: (pool) => {
        if (pool.kind !== 'concentrated') throw new Error(`${pool.pool} has no ticks`);
        const { token0, token1, feePips, terms, venue } = pool;
        const { lookupSelector, encodeKey } = findLayoutOfVenue(deployment, venue);
        const key = encodeKey({ feePips, tickSpacing: terms.tickSpacing });
        return encodeCallData(lookupSelector, addressWord(token0), addressWord(token1), ...key);
      },
    });
    found.push(...confirmed);
  }
  return found;
};

const readPoolStates: VenueProtocol['readPoolStates'] = (queries, context) =>
  readConcentratedStates(queries, context.callContracts, {
    ask: ({ pool, venue }) => ({
      to: toPoolContract(pool),
      slot0: findLayoutOfVenue(context.deployment, venue).slot0Selector,
      liquidity: LIQUIDITY_SELECTOR,
      encodeTick: (tick) => encodeCallData(TICKS_SELECTOR, intWord(tick)),
    }),
    decodeState: decodeV3State,
  });

export const uniswapV3: VenueProtocol = {
  listVenues: (deployment) => deployment.v3.map((fork) => fork.venue),
  forks: 'ranges',
  createDecoders: createUniswapV3Decoders,
  describeLogs: describeUniswapV3Logs,
  resolvePools,
  findPools,
  listCreationFilters: () => [],
  readPoolStates,
  readPoolPage,
};
