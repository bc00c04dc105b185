// What the contracts say of Liquidity Book's pairs: who they are, and the state of their bins.

import { LIQUIDITY_BOOK_RULES } from '../../../../amm/bins/bin-rules.ts';
import {
  findPairFeePips,
  toHookFlags,
} from '../../../../amm/liquidity-book/liquidity-book-kind.ts';
import type { Address, PoolId } from '../../../../model/ids.ts';
import type { PoolDescription, StateOf } from '../../../../model/pool.ts';
import { toPoolContract, toPoolId } from '../../data/evm-ids.ts';
import {
  addressWord,
  decodeAddressAt,
  encodeCallData,
  hasWordAt,
  hasWords,
  uintAt,
  uintWord,
} from '../../data/hex-data.ts';
import type { ContractCall } from '../../rpc/multicall.ts';
import { listPairs } from '../list-pairs.ts';
import { describeUnpriced } from '../unpriced-pools.ts';
import type { VenueProtocol } from '../venue-protocol.ts';
import { type BookFactory, isComputed } from './book-contracts.ts';
import { decodeParameters, isSwapHooked } from './decode-book-logs.ts';
import {
  ALL_PAIRS_SELECTOR,
  GET_BIN_SELECTOR,
  NEXT_BIN_SELECTOR,
  OLD_PAIR_SELECTORS,
  PAIR_INFORMATION_SELECTOR,
  PAIR_SELECTORS,
  STATE_SELECTORS,
} from './pair-selectors.ts';

type Context = Parameters<VenueProtocol['resolvePools']>[1];

interface SaidPair {
  readonly pool: PoolId;
  readonly venue: string;
  readonly factory: Address;
  readonly token0: Address;
  readonly token1: Address;
  readonly binStep: number;
}

function describePair({ pool, venue, token0, token1, binStep }: SaidPair): PoolDescription {
  const place = { pool, venue, vault: toPoolContract(pool), token0, token1, feePips: 0 };
  if (!isComputed(venue)) return describeUnpriced(place);
  return { ...place, kind: 'liquidityBook', terms: { binStep } };
}

/** What pairs say of themselves, in the words of v2.0 or of later versions. */
async function askPairs(
  pools: readonly PoolId[],
  { callContracts }: Context,
  known: readonly BookFactory[],
  isOld: boolean,
): Promise<SaidPair[]> {
  const byFactory = new Map(
    known.filter(({ venue }) => isComputed(venue) !== isOld).map((one) => [one.factory, one]),
  );
  if (byFactory.size === 0) return [];
  const selectors = Object.values(isOld ? OLD_PAIR_SELECTORS : PAIR_SELECTORS);
  const answers = await callContracts(
    pools.flatMap((pool) => selectors.map((data) => ({ to: toPoolContract(pool), data }))),
  );
  return pools.flatMap((pool, index): SaidPair[] => {
    const own = answers.slice(index * selectors.length, (index + 1) * selectors.length);
    const words = own.flatMap((one) => (one !== null && hasWordAt(one, 0) ? [one] : []));
    const [named, tokenX, tokenY, step] = words;
    if (named === undefined || tokenX === undefined || tokenY === undefined) return [];
    const found = byFactory.get(decodeAddressAt(named, 0));
    if (found === undefined || step === undefined) return [];
    const [token0, token1] = [decodeAddressAt(tokenX, 0), decodeAddressAt(tokenY, 0)];
    return [{ ...found, pool, token0, token1, binStep: Number(uintAt(step, 0)) }];
  });
}

export const resolvePairs: VenueProtocol['resolvePools'] = async (pools, context) => {
  const { liquidityBook: known = [] } = context.deployment;
  const said = [
    ...(await askPairs(pools, context, known, false)),
    ...(await askPairs(pools, context, known, true)),
  ];
  const vouched = await context.callContracts(
    said.map(({ factory: to, token0, token1, binStep }) => {
      const words = [addressWord(token0), addressWord(token1), uintWord(binStep)];
      return { to, data: encodeCallData(PAIR_INFORMATION_SELECTOR, ...words) };
    }),
  );
  return said.flatMap((one, index) => {
    const answer = vouched[index] ?? null;
    if (answer === null || !hasWords(answer, 4)) return [];
    return toPoolId(decodeAddressAt(answer, 1)) === one.pool ? [describePair(one)] : [];
  });
};

/** The pairs in an answer to `ALL_PAIRS_SELECTOR`. */
function listFound(answer: string | null | undefined): PoolId[] {
  if (answer == null || !hasWordAt(answer, 1)) return [];
  const count = Number(uintAt(answer, 1));
  if (!hasWords(answer, 2 + 4 * count)) return [];
  return Array.from({ length: count }, (_, index) =>
    toPoolId(decodeAddressAt(answer, 3 + 4 * index)),
  );
}

export const findPairs: VenueProtocol['findPools'] = async (search, context) => {
  const { liquidityBook: known = [] } = context.deployment;
  const factories = known.filter(({ venue }) => isComputed(venue));
  const answers = await context.callContracts(
    listPairs(search).flatMap(({ token0, token1 }) =>
      factories.map(({ factory: to }) => {
        const words = [addressWord(token0), addressWord(token1)];
        return { to, data: encodeCallData(ALL_PAIRS_SELECTOR, ...words) };
      }),
    ),
  );
  const said = await askPairs(answers.flatMap(listFound), context, factories, false);
  return said.map(describePair);
};

type BookDescription = Extract<PoolDescription, { kind: 'liquidityBook' }>;
type Answers = readonly (string | null | undefined)[];

const STATE_CALLS = Object.values(STATE_SELECTORS);

function listStateCalls({ pool }: PoolDescription): ContractCall[] {
  return STATE_CALLS.map((data) => ({ to: toPoolContract(pool), data }));
}

function toBinCall({ pool }: PoolDescription, id: number): ContractCall {
  return { to: toPoolContract(pool), data: encodeCallData(GET_BIN_SELECTOR, uintWord(id)) };
}

/** Everything but what the active bin holds; null if a pair would not answer like this. */
function readState({ terms, venue }: BookDescription, answers: Answers) {
  const [active, fixed, moving, reserves, hooks] = answers;
  if (active == null || !hasWords(active, 1) || fixed == null || !hasWords(fixed, 7)) return null;
  if (moving == null || !hasWords(moving, 4)) return null;
  if (reserves == null || !hasWords(reserves, 2)) return null;
  const isHooking = venue === 'lfj-v2-2';
  if (isHooking && (hooks == null || !hasWords(hooks, 1))) return null;
  const activeId = Number(uintAt(active, 0));
  return {
    ...{ activeId, priceX128: LIQUIDITY_BOOK_RULES.toPrice(activeId, terms.binStep) },
    ...{ held0: uintAt(reserves, 0), held1: uintAt(reserves, 1) },
    ...decodeParameters(fixed),
    ...{ volatility: Number(uintAt(moving, 0)), volatilityReference: Number(uintAt(moving, 1)) },
    ...{ indexReference: Number(uintAt(moving, 2)), updatedAt: Number(uintAt(moving, 3)) },
    flags: toHookFlags(isHooking && isSwapHooked(uintAt(hooks ?? '0x0', 0))),
  };
}

function readBin(answer: string | null | undefined) {
  if (answer == null || !hasWords(answer, 2)) return null;
  return { x: uintAt(answer, 0), y: uintAt(answer, 1) };
}

type BookState = Omit<StateOf<'liquidityBook'>, never>;

export const readPairStates: VenueProtocol['readPoolStates'] = async (queries, context) => {
  const asked = queries.flatMap(({ description, ticks }) =>
    description.kind === 'liquidityBook' ? [{ description, ticks }] : [],
  );
  const told = await context.callContracts(
    asked.flatMap(({ description }) => listStateCalls(description)),
  );
  const states = asked.map(({ description }, index) => {
    const from = index * STATE_CALLS.length;
    return readState(description, told.slice(from, from + STATE_CALLS.length));
  });
  const bins = await context.callContracts(
    asked.flatMap(({ description, ticks }, index) =>
      [states[index]?.activeId ?? 0, ...ticks].map((id) => toBinCall(description, id)),
    ),
  );
  let at = 0;
  const readings = new Map(
    asked.map(({ description: { pool }, ticks }, index) => {
      const [active, ...others] = bins.slice(at, at + 1 + ticks.length).map(readBin);
      at += 1 + ticks.length;
      const state = states[index] ?? null;
      if (state === null || active == null) return [pool, null];
      const whole: BookState = { ...state, activeX: active.x, activeY: active.y };
      return [pool, { pool, state: whole, ticks: ticks.map((id, i) => toTick(id, others[i])) }];
    }),
  );
  return queries.map(({ description: { pool } }) => readings.get(pool) ?? null);
};

function toTick(tick: number, bin: { readonly x: bigint; readonly y: bigint } | null | undefined) {
  const { x, y } = bin ?? { x: 0n, y: 0n };
  return { tick, liquidityGross: x + y, liquidityNet: x - y };
}

const ID_MAX = 2 ** 24 - 1;

/** The next bin that has shares; null if there is none. Pairs answer either end of all ids. */
function readNext(answer: string | null | undefined): number | null | undefined {
  if (answer == null || !hasWords(answer, 1)) return undefined;
  const id = Number(uintAt(answer, 0));
  return id === 0 || id === ID_MAX ? null : id;
}

/** The bins of a page: from the next ones with shares outwards, whichever of them have any. */
export const readPairPage: VenueProtocol['readPoolPage'] = async (query, context) => {
  const { description, covered, wordCountMax } = query;
  if (description.kind !== 'liquidityBook') return null;
  const { callContracts } = context;
  const toNextCall = (isDown: boolean, id: number): ContractCall => ({
    to: toPoolContract(description.pool),
    data: encodeCallData(NEXT_BIN_SELECTOR, uintWord(isDown ? 1 : 0), uintWord(id)),
  });
  const told = await callContracts([
    ...listStateCalls(description),
    ...(covered === null
      ? []
      : [toNextCall(true, covered.lower), toNextCall(false, covered.upper)]),
  ]);
  const state = readState(description, told);
  if (state === null) return null;
  const { activeId } = state;
  const [below, above] =
    covered === null
      ? [activeId, activeId + 1]
      : [readNext(told[STATE_CALLS.length]), readNext(told[STATE_CALLS.length + 1])];
  if (below === undefined || above === undefined) return null;
  const half = Math.max(1, Math.floor(wordCountMax / 2));
  const lower = below === null ? 0 : Math.max(0, below - half + 1);
  const upper = above === null ? ID_MAX : Math.min(ID_MAX, above + half - 1);
  const list = (from: number, to: number) =>
    Array.from({ length: to - from + 1 }, (_, index) => from + index);
  const ids = [
    ...(below === null ? [] : list(lower, below)),
    ...(above === null ? [] : list(above, upper)),
  ];
  const answers = await callContracts([
    toNextCall(true, lower),
    toNextCall(false, upper),
    ...[activeId, ...ids].map((id) => toBinCall(description, id)),
  ]);
  const [rest, more] = [readNext(answers[0]), readNext(answers[1])];
  const [active, ...bins] = answers.slice(2).map(readBin);
  if (active == null || bins.includes(null) || rest === undefined || more === undefined)
    return null;
  const isLast = rest === null && more === null;
  return {
    state: { ...state, activeX: active.x, activeY: active.y },
    feePips: findPairFeePips(description.terms, state, state.volatility),
    ticks: ids.map((id, i) => toTick(id, bins[i])).filter((tick) => tick.liquidityGross > 0n),
    covered: isLast ? { lower: 0, upper: ID_MAX } : { lower, upper },
    isLast,
  };
};
