// Pairs of Liquidity Book (LFJ, Trader Joe) as rows: the active bin, all bins as ticks, the fee's
// parameters and its volatility.
//
// A bin's row has X + Y as its gross and X − Y as its net, as DLMM's have. Logs tell what each bin
// gains and loses; the volatility's references, which no log tells, follow from the block's time.

import type { PoolRecordOf } from '../../model/pool.ts';
import { findBaseRate, findFeeRate, renewVolatility } from '../bins/bin-fee.ts';
import { LIQUIDITY_BOOK_RULES as RULES } from '../bins/bin-rules.ts';
import { BinsPool, type PlainBins } from '../bins/bins-pool.ts';
import { sumPayable } from '../bins/sum-payable.ts';
import { computeDepthTicks } from '../depth-ticks.ts';
import type { PoolDraft, PoolKind, PoolTicks } from '../pool-kind.ts';
import { createRecordParts } from '../record-parts.ts';
import { reuseTickList } from '../set-ticks.ts';
import type { TickList } from '../tick-list.ts';
import { isQuotable, joinFlags } from '../unchecked-flag.ts';

interface PairTerms {
  /** In 1/10,000. */
  readonly binStep: number;
}

/** What the factory may set anew. */
interface PairParameters {
  readonly baseFactor: number;
  readonly filterSeconds: number;
  readonly decaySeconds: number;
  readonly reduction: number;
  readonly control: number;
  /** Of the fee, in 1/10,000. */
  readonly protocolShare: number;
  readonly volatilityMax: number;
}

type Unknown<Row> = { readonly [Key in keyof Row]: Row[Key] | null };

/** Null before it is known. */
interface PairState extends Unknown<PairParameters> {
  readonly activeId: number | null;
  /** Of the active bin. */
  readonly priceX128: bigint | null;
  readonly activeX: bigint | null;
  readonly activeY: bigint | null;
  /** What all bins hold. */
  readonly held0: bigint | null;
  readonly held1: bigint | null;
  readonly volatility: number | null;
  readonly volatilityReference: number | null;
  readonly indexReference: number | null;
  readonly updatedAt: number | null;
  /** See `UncheckedFlag`. */
  readonly flags: string;
}

/** What a bin gains, or loses if negative. */
export interface BinMove {
  readonly id: number;
  readonly x: bigint;
  readonly y: bigint;
}

type PairChange =
  /** The bins of a swap in their order, and the volatility in the last one. */
  | { readonly type: 'swapped'; readonly bins: readonly BinMove[]; readonly volatility: number }
  | { readonly type: 'moved'; readonly bins: readonly BinMove[] }
  /** A deposit paid a fee for changing the active bin's composition: the volatility is renewed. */
  | { readonly type: 'composed'; readonly id: number }
  /** The factory has made the references decay. */
  | { readonly type: 'decayed' }
  | { readonly type: 'parameters'; readonly set: PairParameters }
  | { readonly type: 'hooks'; readonly isCalled: boolean };

declare module '../../model/pool.ts' {
  interface PoolShapes {
    liquidityBook: {
      readonly terms: PairTerms;
      readonly state: PairState;
      readonly change: PairChange;
    };
  }
}

type PairRecord = PoolRecordOf<'liquidityBook'>;
type PairDraft = PoolDraft<'liquidityBook'>;

const SHARE_SCALE = 10_000;
const RATE_PER_PIP = RULES.rates.scale / 1_000_000n;

const parts = createRecordParts<'liquidityBook'>({
  terms: { binStep: 'number' },
  state: {
    ...{ activeId: 'number', priceX128: 'bigint', activeX: 'bigint', activeY: 'bigint' },
    ...{ held0: 'bigint', held1: 'bigint', volatility: 'number', volatilityReference: 'number' },
    ...{ indexReference: 'number', updatedAt: 'number', baseFactor: 'number' },
    ...{ filterSeconds: 'number', decaySeconds: 'number', reduction: 'number' },
    ...{ control: 'number', protocolShare: 'number', volatilityMax: 'number', flags: 'text' },
  },
});

/** `basePower` is DLMM's alone. */
function toFeeTerms(binStep: number, parameters: PairParameters) {
  return { binStep, basePower: 0, ...parameters };
}

/** What a swap pays in a bin of this volatility, in pips. */
export function findPairFeePips(
  { binStep }: PairTerms,
  parameters: PairParameters,
  volatility: number,
): number {
  const terms = toFeeTerms(binStep, parameters);
  const units = RULES.rates;
  const rate = findFeeRate(terms, volatility, { units, baseRate: findBaseRate(terms, units) });
  return Number((rate + RATE_PER_PIP - 1n) / RATE_PER_PIP);
}

/** Hooks that are called in swaps may change what they pay, or refuse them. */
export function toHookFlags(isCalled: boolean): string {
  return joinFlags(isCalled ? ['swapHook'] : []);
}

/** Null where a part of the state is unknown. */
function toWhole(state: PairState) {
  const { priceX128: _price, held0: _held0, held1: _held1, flags: _flags, ...rest } = state;
  if (Object.values(rest).includes(null)) return null;
  return rest as { readonly [Key in keyof typeof rest]: NonNullable<(typeof rest)[Key]> };
}

/** What the bin holds by its tick: X and Y have their sum and their difference there. */
function readBin(ticks: PoolTicks, id: number): { activeX: bigint; activeY: bigint } {
  const { liquidityGross = 0n, liquidityNet = 0n } = ticks.get(id) ?? {};
  return {
    activeX: (liquidityGross + liquidityNet) / 2n,
    activeY: (liquidityGross - liquidityNet) / 2n,
  };
}

/** False if a bin would lose more than it has: the known bins are wrong. */
function moveBins(draft: PairDraft, bins: readonly BinMove[], ticks: PoolTicks): boolean {
  let { held0, held1 } = draft.state;
  let isRight = true;
  for (const { id, x, y } of bins) {
    if (!ticks.change(id, { gross: x + y, net: x - y })) isRight = false;
    held0 = held0 === null ? null : held0 + x;
    held1 = held1 === null ? null : held1 + y;
    const { activeX, activeY } = readBin(ticks, id);
    if (activeX < 0n || activeY < 0n) isRight = false;
  }
  const { activeId } = draft.state;
  const active = activeId === null ? {} : readBin(ticks, activeId);
  draft.state = { ...draft.state, held0, held1, ...active };
  return isRight;
}

/** What the volatility was at the start of a swap or deposit in this block. */
function renew(state: PairState, binStep: number, nowSeconds: number) {
  const whole = toWhole(state);
  if (whole === null) return {};
  const { activeId } = whole;
  const { volatilityReference, indexReference, updatedAt } = renewVolatility(
    toFeeTerms(binStep, whole),
    whole,
    { activeId, nowSeconds },
  );
  return { volatilityReference, indexReference, updatedAt };
}

/** As the contract would count it in the active bin. */
function addComposed({ indexReference, volatilityReference }: PairState, id: number): number {
  return (volatilityReference ?? 0) + Math.abs(id - (indexReference ?? 0)) * SHARE_SCALE;
}

function applySwap(
  draft: PairDraft,
  change: Extract<PairChange, { type: 'swapped' }>,
  { ticks, nowSeconds }: { readonly ticks: PoolTicks; readonly nowSeconds: number },
): boolean {
  const { terms, state } = draft;
  const { volatility, bins } = change;
  const activeId = bins.at(-1)?.id ?? state.activeId;
  const priceX128 = activeId === null ? null : RULES.toPrice(activeId, terms.binStep);
  const renewed = draft.complete ? renew(state, terms.binStep, nowSeconds) : {};
  draft.state = { ...state, ...renewed, activeId, priceX128, volatility };
  const whole = toWhole(draft.state);
  if (whole !== null) draft.feePips = findPairFeePips(terms, whole, volatility);
  return !draft.complete || moveBins(draft, bins, ticks);
}

function createPool({ state, terms }: PairRecord, ticks: TickList): BinsPool | null {
  const whole = toWhole(state);
  if (whole === null) return null;
  const { activeId, activeX, activeY, ...rest } = whole;
  const { volatility, volatilityReference, indexReference, updatedAt, ...parameters } = rest;
  return new BinsPool(
    { activeId, activeX, activeY, volatility, volatilityReference, indexReference, updatedAt },
    { ...toFeeTerms(terms.binStep, parameters), rules: RULES, nowSeconds: updatedAt, ticks },
  );
}

export const liquidityBookKind: PoolKind<'liquidityBook'> = {
  ...parts,
  name: 'liquidityBook',
  hasTicks: true,
  hasDepthByLog: false,
  countsArrivals: true,
  eventFields: ['activeId', 'priceX128'],
  findFlags: ({ flags }) => flags,
  needsTicks: ({ type }) => type === 'swapped' || type === 'moved',
  apply(draft, change, { ticks, nowSeconds }) {
    const { state, terms } = draft;
    // Without the block's time the references are unknown, and the pool is read again.
    let isRight = nowSeconds !== undefined || !draft.complete;
    const time = nowSeconds ?? state.updatedAt ?? 0;
    switch (change.type) {
      case 'swapped':
        isRight = applySwap(draft, change, { ticks, nowSeconds: time }) && isRight;
        break;
      case 'moved':
        // In an incomplete pool, what was never seen may be withdrawn.
        isRight = !draft.complete || moveBins(draft, change.bins, ticks);
        break;
      case 'composed': {
        draft.state = { ...state, ...renew(state, terms.binStep, time) };
        if (!draft.complete) break;
        const volatility = Math.min(addComposed(draft.state, change.id), state.volatilityMax ?? 0);
        draft.state = { ...draft.state, volatility };
        break;
      }
      case 'decayed': {
        const { activeId: indexReference, volatility, reduction } = state;
        const kept = Math.floor(((volatility ?? 0) * (reduction ?? 0)) / SHARE_SCALE);
        draft.state = { ...state, indexReference, volatilityReference: kept };
        isRight = true;
        break;
      }
      case 'parameters':
        draft.state = { ...state, ...change.set };
        isRight = true;
        break;
      case 'hooks':
        draft.state = { ...state, flags: toHookFlags(change.isCalled) };
        isRight = true;
    }
    if (!isRight) draft.complete = false;
  },
  findDepthTicks: ({ state, terms }) =>
    computeDepthTicks(state.activeId, 1 + terms.binStep / SHARE_SCALE),
  price({ priceX128 }) {
    return priceX128 ? { numerator: priceX128, denominator: 1n << RULES.fractionBits } : null;
  },
  holdings({ held0, held1 }) {
    return held0 === null || held1 === null ? null : { amount0: held0, amount1: held1 };
  },
  payableRaw: ({ state, terms, complete }, base, ticks) =>
    complete ? sumPayable({ ...state, binStep: terms.binStep }, base, ticks) : 0n,
  createSwapPool(record, ticks, previous) {
    if (!record.complete || !isQuotable(record.state.flags)) return null;
    return createPool(record, reuseTickList(ticks, previous));
  },
  revive(plain, ticks) {
    if (ticks === null) throw new Error('a pair of bins has no bins');
    const { state, ...terms } = plain as PlainBins;
    return new BinsPool(state, { ...terms, rules: RULES, ticks });
  },
};
