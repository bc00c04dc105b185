// A V3-like pool's whole state, page by page. The protocol's fee comes out of the pool's own and
// changes no swap, so it is not read.

import { toFeeFlags } from '../../../../amm/concentrated/concentrated-kind.ts';
import type { Address } from '../../../../model/ids.ts';
import type { StateOf } from '../../../../model/pool.ts';
import { toPoolContract } from '../../data/evm-ids.ts';
import {
  encodeCallData,
  hasWordAt,
  hasWords,
  int24At,
  intWord,
  uintAt,
} from '../../data/hex-data.ts';
import type { CallContracts } from '../../rpc/multicall.ts';
import { decodeTick, hasTwoWords } from '../concentrated-pools.ts';
import { readTickPage, type TickSource } from '../read-tick-page.ts';
import type { VenueProtocol } from '../venue-protocol.ts';
import { FEE_SELECTOR, LIQUIDITY_SELECTOR, TICKS_SELECTOR } from './pool-selectors.ts';
import { findLayoutOfVenue, toFeeRule, type V3Layout } from './v3-layouts.ts';

function createTickSource(
  pool: Address,
  bitmapSelector: string,
  callContracts: CallContracts,
): TickSource {
  return {
    async readWords(words) {
      const answers = await callContracts(
        words.map((word) => ({
          to: pool,
          data: encodeCallData(bitmapSelector, intWord(word)),
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

interface ReadFees {
  /** Null if the pool's logs have told it. */
  readonly feePips: number | null;
  readonly state: Pick<StateOf<'concentrated'>, 'feeOneForZero' | 'flags'>;
}

/** Null if a pool would not answer like this. */
function findFees(
  source: V3Layout['fee'],
  slot0: string | null,
  asked: string | null,
): ReadFees | null {
  if (source.kind === 'fixed') return { feePips: null, state: {} };
  if (source.kind === 'stated') {
    const isThere = slot0 !== null && hasWordAt(slot0, source.word);
    return isThere ? { feePips: Number(uintAt(slot0, source.word)), state: {} } : null;
  }
  const flags = toFeeFlags('timed');
  if (source.kind === 'asked') {
    if (asked === null || !hasWords(asked, 1)) return null;
    return { feePips: Number(uintAt(asked, 0)), state: { flags } };
  }
  const [down = 0, up = down] = source.words;
  if (slot0 === null || !hasWordAt(slot0, up)) return null;
  const [feePips, feeOneForZero] = [Number(uintAt(slot0, down)), Number(uintAt(slot0, up))];
  if (source.kind === 'plugged') {
    if (!hasWordAt(slot0, source.configWord)) return null;
    return { feePips, state: { flags: toFeeFlags(toFeeRule(uintAt(slot0, source.configWord))) } };
  }
  return { feePips, state: { flags, ...(feeOneForZero === feePips ? {} : { feeOneForZero }) } };
}

export const readPoolPage: VenueProtocol['readPoolPage'] = async (query, context) => {
  const { description, covered, wordCountMax } = query;
  if (description.kind !== 'concentrated') return null;
  const pool = toPoolContract(description.pool);
  const { callContracts, deployment } = context;
  const layout = findLayoutOfVenue(deployment, description.venue);
  const [slot0 = null, liquidity = null, fee = null] = await callContracts([
    { to: pool, data: layout.slot0Selector },
    { to: pool, data: LIQUIDITY_SELECTOR },
    ...(layout.fee.kind === 'asked' ? [{ to: pool, data: FEE_SELECTOR }] : []),
  ]);
  const state = decodeV3State(slot0, liquidity);
  const fees = findFees(layout.fee, slot0, fee);
  if (state === null || fees === null) return null;
  const { tick } = state;
  const { tickSpacing } = description.terms;
  const source = createTickSource(pool, layout.bitmapSelector, callContracts);
  const page = await readTickPage(source, { tick, tickSpacing, covered, wordCountMax });
  if (page === null) return null;
  return { ...page, state: { ...state, ...fees.state }, feePips: fees.feePips };
};
