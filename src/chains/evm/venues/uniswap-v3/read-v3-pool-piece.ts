// A V3 pool's whole state, piece by piece. The protocol's fee comes out of the pool's own and
// changes no swap, so it is not read.

import type { Address } from '../../../../model/ids.ts';
import { readTickPiece, type TickSource } from '../../adopt/read-tick-piece.ts';
import { toPoolContract } from '../../evm-ids.ts';
import { encodeCallData, hasWords, int24At, intWord, uintAt } from '../../hex-data.ts';
import { decodeTick, hasTwoWords } from '../concentrated-pools.ts';
import type { CallContracts, VenueProtocol } from '../venue-protocol.ts';
import {
  LIQUIDITY_SELECTOR,
  SLOT0_SELECTOR,
  TICK_BITMAP_SELECTOR,
  TICKS_SELECTOR,
} from './pool-selectors.ts';

function createTickSource(pool: Address, callContracts: CallContracts): TickSource {
  return {
    async readWords(words) {
      const answers = await callContracts(
        words.map((word) => ({
          to: pool,
          data: encodeCallData(TICK_BITMAP_SELECTOR, intWord(word)),
        })),
      );
      return answers.map((answer) =>
        answer === null || !hasWords(answer, 1) ? null : uintAt(answer, 0),
      );
    },
    async readTicks(ticks) {
      const answers = await callContracts(
        ticks.map((tick) => ({ to: pool, data: encodeCallData(TICKS_SELECTOR, intWord(tick)) })),
      );
      return answers.map((answer) => (hasTwoWords(answer) ? decodeTick(answer) : null));
    },
  };
}

/** Null if a pool would not answer like this. */
export function decodeV3State(slot0: string | null, liquidity: string | null) {
  if (!hasTwoWords(slot0) || liquidity === null || !hasWords(liquidity, 1)) return null;
  return {
    sqrtPriceX96: uintAt(slot0, 0),
    liquidity: uintAt(liquidity, 0),
    tick: int24At(slot0, 1),
  };
}

export const readPoolPiece: VenueProtocol['readPoolPiece'] = async (query, context) => {
  const { description, covered, wordCountMax } = query;
  if (description.kind !== 'concentrated') return null;
  const pool = toPoolContract(description.pool);
  const { callContracts } = context;
  const [slot0 = null, liquidity = null] = await callContracts([
    { to: pool, data: SLOT0_SELECTOR },
    { to: pool, data: LIQUIDITY_SELECTOR },
  ]);
  const state = decodeV3State(slot0, liquidity);
  if (state === null) return null;
  const { tick } = state;
  const { tickSpacing } = description.terms;
  const source = createTickSource(pool, callContracts);
  const piece = await readTickPiece(source, { tick, tickSpacing, covered, wordCountMax });
  if (piece === null) return null;
  return { ...piece, state, feePips: null };
};
