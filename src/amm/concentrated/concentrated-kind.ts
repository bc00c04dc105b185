// Concentrated-liquidity pools (Uniswap V3 and V4) as rows: a price, liquidity around it, ticks.

import type { Address } from '../../model/ids.ts';
import type { TickRecord } from '../../model/market-record.ts';
import { computeDepthTicks } from '../depth-ticks.ts';
import type { PoolDraft, PoolKind, PoolTicks, SwappedAmounts } from '../pool-kind.ts';
import { decodeFields, encodeFields, toBigint, toNumber } from '../state-text.ts';
import type { DirectionFees, SwapPool } from '../swap-pool.ts';
import { TickList } from '../tick-list.ts';
import { hasFlag, isQuotable, joinFlags, type UncheckedFlag } from '../unchecked-flag.ts';
import { assembleState } from './assemble-state.ts';
import { ConcentratedPool, type PlainRange } from './concentrated-pool.ts';
import type { TickBounds } from './concentrated-terms.ts';
import { walkDown, walkUp } from './payable-in-band.ts';
import { addPosition, addSwap, type PositionChange } from './position-amounts.ts';
import { TICK_MAX, TICK_MIN } from './sqrt-price-at-tick.ts';

const PIPS = 1_000_000;
/** Of the protocol's own part of a fee (Uniswap V4). */
const DIRECTION_BITS = 12;
const DIRECTION_MASK = 0xfff;

/** `p + l − ⌊p·l/1e6⌋`: the pool's fee is taken from what the protocol's fee leaves. */
export function addProtocolFee(lpFeePips: number, protocolPips: number): number {
  return protocolPips + lpFeePips - Math.floor((protocolPips * lpFeePips) / PIPS);
}

/** `protocolFee` has 12 bits per direction, the lower ones for a swap of token 0. */
export function computeDirectionFees(lpFeePips: number, protocolFee: number): DirectionFees {
  return {
    zeroForOne: addProtocolFee(lpFeePips, protocolFee & DIRECTION_MASK),
    oneForZero: addProtocolFee(lpFeePips, (protocolFee >> DIRECTION_BITS) & DIRECTION_MASK),
  };
}

/** Where a pool's tokens are: in its own contract (V3), or in one that holds all pools (V4). */
type PoolCustody =
  | {
      readonly kind: 'own';
      /** Who made it, if its factory makes several pools of a pair (Algebra Integral). */
      readonly deployer?: Address;
    }
  | {
      readonly kind: 'singleton';
      /** The contract that is called around swaps; null if there is none. */
      readonly hooks: Address | null;
    };

interface ConcentratedPoolTerms {
  /** Of the tick bitmap: the spacing of positions, or 1 if the bitmap has every tick. */
  readonly tickSpacing: number;
  readonly custody: PoolCustody;
  /** Whether swaps stop at initialised ticks alone, not at ends of words (Algebra Integral). */
  readonly stopsAtTicksOnly?: true;
}

export interface ConcentratedPoolState {
  /** Null before the first event. */
  readonly sqrtPriceX96: bigint | null;
  readonly liquidity: bigint | null;
  readonly tick: number | null;
  /** V4: 12 bits per direction; 0 elsewhere. */
  readonly protocolFee: number;
  /** What the positions hold at the pool's price, without fees; null if not all are known. */
  readonly amount0: bigint | null;
  readonly amount1: bigint | null;
  /** In pips, if swaps of token 1 pay another fee than the pool's `feePips` (Algebra 1.9). */
  readonly feeOneForZero?: number;
  /** See `UncheckedFlag`. */
  readonly flags?: string;
}

/**
 * What the fee of another block depends on.
 *
 * - `stored`: on nothing, until a log tells another.
 * - `timed`: on the block's time.
 * - `perSwap`: on what a plugin says in each swap, whose logs tell it afterwards.
 */
export type FeeRule = 'stored' | 'timed' | 'perSwap';

type ConcentratedChange =
  | { readonly type: 'initialized'; readonly sqrtPriceX96: bigint; readonly tick: number }
  | {
      readonly type: 'swapped';
      readonly sqrtPriceX96: bigint;
      readonly liquidity: bigint;
      readonly tick: number;
      /** The fee taken, if the event has it (V4), otherwise null. */
      readonly feePips: number | null;
    }
  | ({ readonly type: 'position' } & PositionChange)
  | { readonly type: 'protocolFee'; readonly protocolFee: number }
  /** The stored fee; what it depends on stays as it was. */
  | { readonly type: 'fees'; readonly fees: DirectionFees }
  | { readonly type: 'feeRule'; readonly rule: FeeRule }
  /** Its logs do not tell its fee: the contract must be asked. */
  | { readonly type: 'unread' };

declare module '../../model/pool.ts' {
  interface PoolShapes {
    concentrated: {
      readonly terms: ConcentratedPoolTerms;
      readonly state: ConcentratedPoolState;
      readonly change: ConcentratedChange;
    };
  }
}

type ConcentratedDraft = PoolDraft<'concentrated'>;

/**
 * The pool's own part of the fee that a swap paid. V4 reports the sum `p + l − ⌊p·l/1e6⌋`, where
 * `p` is the protocol's part in this direction.
 */
export function computeLpFee(feePips: number, protocolPips: number): number {
  if (protocolPips === 0 || feePips < protocolPips) return feePips;
  const about = Math.floor(((feePips - protocolPips) * PIPS) / (PIPS - protocolPips));
  for (let lp = Math.max(about - 2, 0); lp <= about + 2; lp += 1) {
    if (addProtocolFee(lp, protocolPips) === feePips) return lp;
  }
  return about;
}

function initialize(
  draft: ConcentratedDraft,
  change: { sqrtPriceX96: bigint; tick: number },
): void {
  const { state, complete } = draft;
  draft.state = {
    ...state,
    sqrtPriceX96: change.sqrtPriceX96,
    tick: change.tick,
    liquidity: state.liquidity ?? 0n,
    amount0: complete ? (state.amount0 ?? 0n) : state.amount0,
    amount1: complete ? (state.amount1 ?? 0n) : state.amount1,
  };
}

function swap(
  draft: ConcentratedDraft,
  change: Extract<ConcentratedChange, { type: 'swapped' }>,
  swapped: SwappedAmounts,
): void {
  const { sqrtPriceX96, liquidity, tick, feePips } = change;
  const { state } = draft;
  const ownPips = swapped.amount1 > 0n ? (state.feeOneForZero ?? draft.feePips) : draft.feePips;
  const amounts = addSwap(state, swapped, feePips ?? ownPips);
  draft.state = { ...state, ...amounts, sqrtPriceX96, liquidity, tick };
  if (feePips === null) return;
  const protocolPips = swapped.amount0 > 0n ? state.protocolFee & 0xfff : state.protocolFee >> 12;
  // Two different pool fees may give the same sum, so the known fee stays unless it contradicts.
  if (addProtocolFee(draft.feePips, protocolPips) !== feePips) {
    draft.feePips = computeLpFee(feePips, protocolPips);
  }
}

function changePosition(draft: ConcentratedDraft, change: PositionChange, ticks: PoolTicks): void {
  const { tickLower, tickUpper, liquidityDelta: delta } = change;
  if (delta === 0n) return;
  // In an incomplete pool, positions that were never seen may be removed.
  if (draft.complete) {
    const isLower = ticks.change(tickLower, { gross: delta, net: delta });
    const isUpper = ticks.change(tickUpper, { gross: delta, net: -delta });
    // More was removed than was ever added: the known ticks are wrong.
    if (!isLower || !isUpper) draft.complete = false;
    const amounts = draft.complete
      ? addPosition(draft.state, draft.state, change)
      : { amount0: null, amount1: null };
    draft.state = { ...draft.state, ...amounts };
  }
  const { tick, liquidity } = draft.state;
  if (tick === null || liquidity === null || tick < tickLower || tick >= tickUpper) return;
  const after = liquidity + delta;
  draft.state = { ...draft.state, liquidity: after < 0n ? 0n : after };
}

function setFees(draft: ConcentratedDraft, { zeroForOne, oneForZero }: DirectionFees): void {
  const { feeOneForZero: _fee, ...state } = draft.state;
  draft.feePips = zeroForOne;
  draft.state = {
    ...state,
    ...(zeroForOne === oneForZero ? {} : { feeOneForZero: oneForZero }),
  };
}

const RULE_FLAGS: Readonly<Record<FeeRule, readonly UncheckedFlag[]>> = {
  stored: [],
  timed: ['timedFee'],
  perSwap: ['pluginFee'],
};

export function toFeeFlags(rule: FeeRule): string {
  return joinFlags(RULE_FLAGS[rule]);
}

function markUnread(draft: ConcentratedDraft): void {
  draft.complete = false;
  draft.state = { ...draft.state, flags: joinFlags(['feeUnknown']) };
}

/** A pool whose fee is not known at all stays so until it is read. */
function setFeeRule(draft: ConcentratedDraft, rule: FeeRule): void {
  const { flags = '' } = draft.state;
  if (hasFlag(flags, 'feeUnknown')) return;
  // What its plugin chose has taken the place of the stored fee, which counts from now on.
  if (rule === 'stored' && hasFlag(flags, 'pluginFee')) markUnread(draft);
  else draft.state = { ...draft.state, flags: toFeeFlags(rule) };
}

/**
 * Ticks change rarely: while they are equal, the old table is reused with its cached steps, which
 * hold for one spacing of the bitmap.
 */
function buildTickList(
  ticks: readonly TickRecord[],
  bitmapSpacing: number | null,
  previous: SwapPool | undefined,
): TickList {
  const table = new TickList(ticks);
  const known = previous instanceof ConcentratedPool ? previous.terms : null;
  return known?.bitmapSpacing === bitmapSpacing && known.ticks.equals(table) ? known.ticks : table;
}

/**
 * Liquidity changes only at multiples of the spacing, so up to the next one on either side it is
 * that of the last event, regardless of the pool's ticks.
 */
function findCertainRange(tick: number, tickSpacing: number): TickBounds {
  const lower = Math.floor(tick / tickSpacing) * tickSpacing;
  return {
    lower: Math.max(lower, TICK_MIN),
    upper: Math.min(lower + tickSpacing, TICK_MAX),
  };
}

/** Only V4 has a protocol fee beside the pool's, and no pool of it has a fee for each direction. */
function findFees(
  feePips: number,
  { protocolFee, feeOneForZero }: ConcentratedPoolState,
): DirectionFees {
  if (feeOneForZero !== undefined) return { zeroForOne: feePips, oneForZero: feeOneForZero };
  return computeDirectionFees(feePips, protocolFee);
}

/** In stored states; the fields after the first six are written if the pool has any of them. */
const STATE_FIELDS = 6;
const STATE_FIELDS_MORE = 8;

/** In stored terms. */
const CUSTODY_DIGITS = { own: 0, singleton: 1 } as const;
/** The fourth field, if there is one. */
const TICKS_ONLY = '1';

export const concentratedKind: PoolKind<'concentrated'> = {
  name: 'concentrated',
  hasTicks: true,
  hasDepthByLog: true,
  countsArrivals: false,
  stateAtStart: {
    ...{ sqrtPriceX96: null, liquidity: null, tick: null },
    ...{ protocolFee: 0, amount0: null, amount1: null },
  },
  eventFields: ['sqrtPriceX96', 'liquidity', 'tick'],
  findFlags: ({ flags = '' }) => flags,
  hasSilentFee: (_, flags) => hasFlag(flags, 'timedFee') || hasFlag(flags, 'unannouncedFee'),
  isBirth: ({ type }) => type === 'initialized',
  findPosition: (change) => (change.type === 'position' ? change : null),
  needsTicks: ({ type }) => type === 'position',
  apply(draft, change, { ticks, swapped }) {
    switch (change.type) {
      case 'initialized':
        return initialize(draft, change);
      case 'swapped':
        if (swapped === null) throw new Error('a swap event has no amounts');
        return swap(draft, change, swapped);
      case 'position':
        return changePosition(draft, change, ticks);
      case 'protocolFee':
        draft.state = { ...draft.state, protocolFee: change.protocolFee };
        return;
      case 'fees':
        return setFees(draft, change.fees);
      case 'feeRule':
        return setFeeRule(draft, change.rule);
      case 'unread':
        return markUnread(draft);
    }
  },
  assembleState({ sqrtPriceX96, liquidity, tick, protocolFee = 0, ...rest }, ticks) {
    if (sqrtPriceX96 == null || liquidity == null || tick == null) return null;
    return assembleState({ ...rest, sqrtPriceX96, liquidity, tick, protocolFee }, ticks);
  },
  findDepthTicks: ({ state }) => computeDepthTicks(state.tick, 1.0001),
  price({ sqrtPriceX96 }) {
    if (!sqrtPriceX96) return null;
    return { numerator: sqrtPriceX96 * sqrtPriceX96, denominator: 1n << 192n };
  },
  holdings({ amount0, amount1 }) {
    return amount0 === null || amount1 === null ? null : { amount0, amount1 };
  },
  payableRaw({ state, complete }, base, ticks) {
    const { sqrtPriceX96, tick, liquidity } = state;
    if (!sqrtPriceX96 || tick === null) return 0n;
    const known = complete ? ticks : null;
    const walk = { ticks: known, sqrtPriceX96, tick, liquidity: liquidity ?? 0n };
    return base === 'token0' ? walkDown(walk) : walkUp(walk);
  },
  createSwapPool({ state, complete, feePips, terms }, ticks, previous) {
    const { sqrtPriceX96, tick, liquidity, flags = '' } = state;
    if (!sqrtPriceX96 || tick === null || !isQuotable(flags)) return null;
    // Steps that a table remembers end where its pool's range does, so a partial one is not reused.
    const { tickSpacing, stopsAtTicksOnly = false } = terms;
    const bitmapSpacing = stopsAtTicksOnly ? null : tickSpacing;
    const table = complete ? buildTickList(ticks, bitmapSpacing, previous) : new TickList([]);
    // No liquidity now and none further on: nothing can be traded here.
    if (!liquidity && table.size === 0) return null;
    return new ConcentratedPool(
      { sqrtPriceX96, liquidity: liquidity ?? 0n, tick },
      {
        ...{ bitmapSpacing, fees: findFees(feePips, state), ticks: table },
        ...(complete ? {} : { bounds: findCertainRange(tick, tickSpacing) }),
      },
    );
  },
  revive(plain, ticks) {
    if (ticks === null) throw new Error('a concentrated pool has no ticks');
    const { state, ...terms } = plain as PlainRange;
    return new ConcentratedPool(state, { ...terms, ticks });
  },
  encodeTerms({ tickSpacing, custody, stopsAtTicksOnly }) {
    const party = custody.kind === 'singleton' ? custody.hooks : (custody.deployer ?? null);
    const stops = stopsAtTicksOnly ? [TICKS_ONLY] : [];
    return encodeFields([tickSpacing, CUSTODY_DIGITS[custody.kind], party, ...stops]);
  },
  decodeTerms(text) {
    const [tickSpacing, digit, party = null, stops] = decodeFields(text, 3, 4);
    const isSingleton = Number(digit) === CUSTODY_DIGITS.singleton;
    const own = { kind: 'own', ...(party === null ? {} : { deployer: party as Address }) } as const;
    return {
      tickSpacing: Number(tickSpacing),
      custody: isSingleton ? { kind: 'singleton', hooks: party as Address | null } : own,
      ...(stops === TICKS_ONLY ? { stopsAtTicksOnly: true } : {}),
    };
  },
  encodeState({ sqrtPriceX96, liquidity, tick, protocolFee, amount0, amount1, ...rest }) {
    const { feeOneForZero = null, flags = '' } = rest;
    const more = feeOneForZero === null && flags === '' ? [] : [feeOneForZero, flags];
    return encodeFields([sqrtPriceX96, liquidity, tick, protocolFee, amount0, amount1, ...more]);
  },
  decodeState(text) {
    const [sqrtPriceX96, liquidity, tick, protocolFee, amount0, amount1, feeOneForZero, flags] =
      decodeFields(text, STATE_FIELDS, STATE_FIELDS_MORE);
    return {
      sqrtPriceX96: toBigint(sqrtPriceX96),
      liquidity: toBigint(liquidity),
      tick: toNumber(tick),
      protocolFee: Number(protocolFee),
      amount0: toBigint(amount0),
      amount1: toBigint(amount1),
      ...(feeOneForZero == null ? {} : { feeOneForZero: Number(feeOneForZero) }),
      ...(flags == null ? {} : { flags }),
    };
  },
};
