// The whole state of two coins of a StableSwap NG pool: the balances of all coins, their rates, the
// amplification and the fee.

import { joinFlags, type UncheckedFlag } from '../../../../amm/unchecked-flag.ts';
import { parseCoinPairPool } from '../../evm-ids.ts';
import {
  addressWord,
  encodeCallData,
  hasWordAt,
  hasWords,
  uintAt,
  uintWord,
} from '../../hex-data.ts';
import { FEE_SELECTOR } from '../uniswap-v3/pool-selectors.ts';
import type { VenueProtocol } from '../venue-protocol.ts';
import {
  AMP_SELECTOR,
  ASSET_TYPES_SELECTOR,
  BALANCES_SELECTOR,
  FUTURE_AMP_SELECTOR,
  OFFPEG_SELECTOR,
  STORED_RATES_SELECTOR,
} from './curve-selectors.ts';

/** Fees are in 1e-10. */
const FEE_PER_PIP = 10n ** 4n;

/** The items of a list, if it has this many; null if the answer is no such list. */
function decodeList(answer: string | null | undefined, count: number): bigint[] | null {
  if (answer == null || !hasWordAt(answer, 1 + count)) return null;
  if (uintAt(answer, 0) !== 32n || uintAt(answer, 1) !== BigInt(count)) return null;
  return Array.from({ length: count }, (_, index) => uintAt(answer, 2 + index));
}

function decodeWord(answer: string | null | undefined): bigint | null {
  return answer != null && hasWords(answer, 1) ? uintAt(answer, 0) : null;
}

export const readStablePiece: VenueProtocol['readPoolPiece'] = async (query, context) => {
  const { description } = query;
  const { curveStable: factory } = context.deployment;
  const pair = parseCoinPairPool(description.pool);
  if (description.kind !== 'stableSwap' || pair === null || factory === undefined) return null;
  const { contract: to, lower: index0, upper: index1 } = pair;
  const { coinCount } = description.terms;
  const coins = Array.from({ length: coinCount }, (_, index) => index);
  const [rates, types, amp, futureAmp, fee, offpeg, ...held] = await context.callContracts([
    { to, data: STORED_RATES_SELECTOR },
    { to: factory, data: encodeCallData(ASSET_TYPES_SELECTOR, addressWord(to)) },
    ...[AMP_SELECTOR, FUTURE_AMP_SELECTOR, FEE_SELECTOR, OFFPEG_SELECTOR].map((data) => ({
      ...{ to, data },
    })),
    ...coins.map((coin) => ({ to, data: encodeCallData(BALANCES_SELECTOR, uintWord(coin)) })),
  ]);
  const rateList = decodeList(rates, coinCount);
  const typeList = decodeList(types, coinCount);
  const balances = held.map(decodeWord);
  const [ampPrecise, ampAfter, ownFee, offpegMultiplier] = [amp, futureAmp, fee, offpeg].map(
    decodeWord,
  );
  if (rateList === null || typeList === null || balances.includes(null)) return null;
  if (ampPrecise == null || ampAfter == null || ownFee == null || offpegMultiplier == null) {
    return null;
  }
  const flags: UncheckedFlag[] = [
    ...(typeList.every((type) => type === 0n) ? [] : (['movingRates'] as const)),
    ...(ampPrecise === ampAfter ? [] : (['ramping'] as const)),
  ];
  const state = {
    ...{ index0, index1, balances: balances.join(' '), rates: rateList.join(' ') },
    ...{ ampPrecise, fee: ownFee, offpegMultiplier, flags: joinFlags(flags) },
  };
  const feePips = Number((ownFee + FEE_PER_PIP - 1n) / FEE_PER_PIP);
  return { state, feePips, ticks: [], covered: null, isLast: true };
};
