// The whole state of two coins of a StableSwap NG pool: the balances of all coins, their rates, the
// amplification and the fee.

import { joinFlags, type UncheckedFlag } from '../../../../amm/unchecked-flag.ts';
import type { PoolId } from '../../../../model/ids.ts';
import type { PoolDescription } from '../../../../model/pool.ts';
import type { EvmDeployment } from '../../data/deployments/evm-deployment.ts';
import { parseCoinPairPool } from '../../data/evm-ids.ts';
import {
  addressWord,
  encodeCallData,
  hasWordAt,
  hasWords,
  uintAt,
  uintWord,
} from '../../data/hex-data.ts';
import type { ContractCall } from '../../rpc/multicall.ts';
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

/** Null for a pool of another kind, or where the deployment has no factory of such pools. */
function listCalls(
  { kind, terms, pool }: PoolDescription,
  { curveStable: factory }: EvmDeployment,
): ContractCall[] | null {
  const pair = parseCoinPairPool(pool);
  if (kind !== 'stableSwap' || pair === null || factory === undefined) return null;
  const { contract: to } = pair;
  const coins = Array.from({ length: terms.coinCount }, (_, index) => index);
  return [
    { to, data: STORED_RATES_SELECTOR },
    { to: factory, data: encodeCallData(ASSET_TYPES_SELECTOR, addressWord(to)) },
    ...[AMP_SELECTOR, FUTURE_AMP_SELECTOR, FEE_SELECTOR, OFFPEG_SELECTOR].map((data) => ({
      ...{ to, data },
    })),
    ...coins.map((coin) => ({ to, data: encodeCallData(BALANCES_SELECTOR, uintWord(coin)) })),
  ];
}

/** From the answers to the calls, one after the other; null if the contract is no such pool. */
function toState(pool: PoolId, answers: readonly (string | null)[]) {
  const pair = parseCoinPairPool(pool);
  const [rates, types, amp, futureAmp, fee, offpeg, ...held] = answers;
  const rateList = decodeList(rates, held.length);
  const typeList = decodeList(types, held.length);
  const balances = held.map(decodeWord);
  const [ampPrecise, ampAfter, ownFee, offpegMultiplier] = [amp, futureAmp, fee, offpeg].map(
    decodeWord,
  );
  if (pair === null || rateList === null || typeList === null || balances.includes(null)) {
    return null;
  }
  if (ampPrecise == null || ampAfter == null || ownFee == null || offpegMultiplier == null) {
    return null;
  }
  const flags: UncheckedFlag[] = [
    ...(typeList.every((type) => type === 0n) ? [] : (['movingRates'] as const)),
    ...(ampPrecise === ampAfter ? [] : (['ramping'] as const)),
  ];
  return {
    ...{ index0: pair.lower, index1: pair.upper },
    ...{ balances: balances.join(' '), rates: rateList.join(' ') },
    ...{ ampPrecise, fee: ownFee, offpegMultiplier, flags: joinFlags(flags) },
  };
}

export const readStableStates: VenueProtocol['readPoolStates'] = async (queries, context) => {
  const asked = queries.map(({ description }) => listCalls(description, context.deployment) ?? []);
  const answers = await context.callContracts(asked.flat());
  let end = 0;
  return queries.map(({ description: { pool } }, index) => {
    const count = asked[index]?.length ?? 0;
    end += count;
    const state = count === 0 ? null : toState(pool, answers.slice(end - count, end));
    return state === null ? null : { pool, state, ticks: [] };
  });
};

export const readStablePage: VenueProtocol['readPoolPage'] = async (query, context) => {
  const { description } = query;
  const calls = listCalls(description, context.deployment);
  if (calls === null) return null;
  const state = toState(description.pool, await context.callContracts(calls));
  if (state === null) return null;
  const feePips = Number((state.fee + FEE_PER_PIP - 1n) / FEE_PER_PIP);
  return { state, feePips, ticks: [], covered: null, isLast: true };
};
