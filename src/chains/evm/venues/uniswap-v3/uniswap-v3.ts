// Uniswap V3 and its forks: decoding of logs, and reads from contracts.

import { toPoolContract } from '../../evm-ids.ts';
import { addressWord, encodeCallData, int24At, intWord, uintAt, uintWord } from '../../hex-data.ts';
import { readConcentratedStates } from '../concentrated-pools.ts';
import { confirmPools } from '../factory-pools.ts';
import type { VenueProtocol } from '../venue-protocol.ts';
import { createUniswapV3Decoders, describeUniswapV3Logs } from './decode-uniswap-v3.ts';
import { findPools } from './find-v3-pools.ts';
import {
  GET_POOL_SELECTOR,
  LIQUIDITY_SELECTOR,
  SLOT0_SELECTOR,
  TICK_SPACING_SELECTOR,
  TICKS_SELECTOR,
} from './pool-selectors.ts';
import { decodeV3State, readPoolPiece } from './read-v3-pool-piece.ts';

export const FEE_SELECTOR = '0xddca3f43';

const resolvePools: VenueProtocol['resolvePools'] = (pools, { deployment, callContracts }) =>
  confirmPools(pools, callContracts, {
    forks: deployment.v3,
    selectors: [FEE_SELECTOR, TICK_SPACING_SELECTOR],
    readDetails: (_, [fee = '', spacing = '']) => {
      const feePips = Number(uintAt(fee, 0));
      if (feePips >= 1_000_000) return null;
      const custody = { kind: 'own' as const };
      const terms = { tickSpacing: int24At(spacing, 0), custody };
      return { kind: 'concentrated', feePips, terms };
    },
    encodeLookup: ({ token0, token1, feePips }) =>
      encodeCallData(
        GET_POOL_SELECTOR,
        addressWord(token0),
        addressWord(token1),
        uintWord(feePips),
      ),
  });

const readPoolStates: VenueProtocol['readPoolStates'] = (queries, { callContracts }) =>
  readConcentratedStates(queries, callContracts, {
    ask: ({ pool }) => ({
      to: toPoolContract(pool),
      slot0: SLOT0_SELECTOR,
      liquidity: LIQUIDITY_SELECTOR,
      encodeTick: (tick) => encodeCallData(TICKS_SELECTOR, intWord(tick)),
    }),
    decodeState: decodeV3State,
  });

export const uniswapV3: VenueProtocol = {
  listVenues: (deployment) => deployment.v3.map((fork) => fork.venue),
  createDecoders: createUniswapV3Decoders,
  describeLogs: describeUniswapV3Logs,
  resolvePools,
  findPools,
  listCreationFilters: () => [],
  readPoolStates,
  readPoolPiece,
};
