// The whole state of two coins of a stable pool: the balances of all coins, their rates, the
// amplification and the fees.

import { joinFlags, type UncheckedFlag } from '../../../../amm/unchecked-flag.ts';
import type { Address } from '../../../../model/ids.ts';
import type { PoolDescription, StateOf } from '../../../../model/pool.ts';
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
  ADMIN_FEE_SELECTOR,
  AMP_SELECTOR,
  ASSET_TYPES_SELECTOR,
  BALANCES_SELECTOR,
  FUTURE_AMP_SELECTOR,
  IS_KILLED_SELECTOR,
  OFFPEG_SELECTOR,
  PLAIN_AMP_SELECTOR,
  RATES_SELECTOR,
  STORED_RATES_SELECTOR,
} from './curve-selectors.ts';
import { PANCAKE_STABLE_VENUE } from './pancake-stable.ts';

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

type StableState = StateOf<'stableSwap'>;

/** How the pools of one venue are asked for their state, and what they say. */
interface StableReader {
  readonly listCalls: (
    pool: { readonly contract: Address; readonly coinCount: number },
    deployment: EvmDeployment,
  ) => ContractCall[] | null;
  /** From the answers to the calls; null if the contract is no such pool. */
  readonly decode: (
    answers: readonly (string | null)[],
  ) => Omit<StableState, 'index0' | 'index1'> | null;
}

/** The same function for each coin. */
function listCoinCalls(to: Address, selector: string, coinCount: number): ContractCall[] {
  return Array.from({ length: coinCount }, (_, coin) => ({
    ...{ to, data: encodeCallData(selector, uintWord(coin)) },
  }));
}

const isKnown = <T>(values: readonly (T | null | undefined)[]): values is T[] =>
  values.every((value) => value != null);

/** StableSwap NG, where the deployment has a factory of such pools. */
const NG: StableReader = {
  listCalls: ({ contract: to, coinCount }, { curveStable: factory }) =>
    factory === undefined
      ? null
      : [
          { to, data: STORED_RATES_SELECTOR },
          { to: factory, data: encodeCallData(ASSET_TYPES_SELECTOR, addressWord(to)) },
          ...[AMP_SELECTOR, FUTURE_AMP_SELECTOR, FEE_SELECTOR, OFFPEG_SELECTOR].map((data) => ({
            ...{ to, data },
          })),
          ...listCoinCalls(to, BALANCES_SELECTOR, coinCount),
        ],
  decode([rates, types, ...answers]) {
    const words = answers.map(decodeWord);
    if (!isKnown(words)) return null;
    const [ampPrecise, ampAfter, fee, offpegMultiplier, ...balances] = words;
    const rateList = decodeList(rates, balances.length);
    const typeList = decodeList(types, balances.length);
    if (rateList === null || typeList === null || offpegMultiplier === undefined) return null;
    const flags: UncheckedFlag[] = [
      ...(typeList.every((type) => type === 0n) ? [] : (['movingRates'] as const)),
      ...(ampPrecise === ampAfter ? [] : (['ramping'] as const)),
    ];
    return {
      ...{ balances: balances.join(' '), rates: rateList.join(' '), oldAdminFee: '' },
      ...{ ampPrecise: ampPrecise ?? null, fee: fee ?? null, offpegMultiplier },
      flags: joinFlags(flags),
    };
  },
};

/** PancakeSwap's pools, whose rates are those of their coins' decimals. */
const PANCAKE: StableReader = {
  listCalls: ({ contract: to, coinCount }) => [
    ...[PLAIN_AMP_SELECTOR, FUTURE_AMP_SELECTOR, FEE_SELECTOR, ADMIN_FEE_SELECTOR].map((data) => ({
      ...{ to, data },
    })),
    { to, data: IS_KILLED_SELECTOR },
    ...listCoinCalls(to, BALANCES_SELECTOR, coinCount),
    ...listCoinCalls(to, RATES_SELECTOR, coinCount),
  ],
  decode(answers) {
    const words = answers.map(decodeWord);
    if (!isKnown(words)) return null;
    const [amp, ampAfter, fee, adminFee, isKilled, ...coins] = words;
    const count = coins.length / 2;
    if (adminFee === undefined) return null;
    const flags: UncheckedFlag[] = [
      ...(isKilled === 0n ? [] : (['closed'] as const)),
      ...(amp === ampAfter ? [] : (['ramping'] as const)),
    ];
    return {
      ...{ balances: coins.slice(0, count).join(' '), rates: coins.slice(count).join(' ') },
      ...{ ampPrecise: amp ?? null, fee: fee ?? null, offpegMultiplier: 0n },
      ...{ flags: joinFlags(flags), oldAdminFee: String(adminFee) },
    };
  },
};

interface StableQuery {
  readonly calls: readonly ContractCall[];
  readonly decode: (answers: readonly (string | null)[]) => StableState | null;
}

/** Null for a pool of another kind, or of a venue that the chain does not have. */
function toQuery(
  { kind, terms, pool, venue }: PoolDescription,
  deployment: EvmDeployment,
): StableQuery | null {
  const pair = parseCoinPairPool(pool);
  if (kind !== 'stableSwap' || pair === null) return null;
  const reader = venue === PANCAKE_STABLE_VENUE ? PANCAKE : NG;
  const { contract, lower: index0, upper: index1 } = pair;
  const calls = reader.listCalls({ contract, coinCount: terms.coinCount }, deployment);
  if (calls === null) return null;
  const decode = (answers: readonly (string | null)[]) => {
    const state = reader.decode(answers);
    return state === null ? null : { index0, index1, ...state };
  };
  return { calls, decode };
}

export const readStableStates: VenueProtocol['readPoolStates'] = async (queries, context) => {
  const asked = queries.map(({ description }) => toQuery(description, context.deployment));
  const answers = await context.callContracts(asked.flatMap((one) => one?.calls ?? []));
  let end = 0;
  return queries.map(({ description: { pool } }, index) => {
    const one = asked[index] ?? null;
    if (one === null) return null;
    end += one.calls.length;
    const state = one.decode(answers.slice(end - one.calls.length, end));
    return state === null ? null : { pool, state, ticks: [] };
  });
};

export const readStablePage: VenueProtocol['readPoolPage'] = async (query, context) => {
  const asked = toQuery(query.description, context.deployment);
  if (asked === null) return null;
  const state = asked.decode(await context.callContracts(asked.calls));
  if (state === null) return null;
  const feePips = Number(((state.fee ?? 0n) + FEE_PER_PIP - 1n) / FEE_PER_PIP);
  return { state, feePips, ticks: [], covered: null, isLast: true };
};
