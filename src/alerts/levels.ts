// When a figure that moves fires an alert: on the edge, when it passes a bound, and again only
// after it has gone back by a margin. What is remembered between two figures is small, and a
// function of the figures alone: whoever sees the same ones decides the same.

import { compareTexts, decimalToText, pow10, textToDecimal } from '../lib/decimal.ts';
import type { AlertCondition, AlertState } from '../model/alert.ts';

/** The remembered part of an alert's state. */
type Memory = Pick<AlertState, 'isArmed' | 'mark'>;

interface LevelStep extends Memory {
  /** What the figure has passed; null if it fires nothing. */
  readonly passed: string | null;
}

export interface Level {
  /** Before the first figure (null), or with the one that the alert begins at: it fires nothing. */
  start(figure: string | null): Memory;
  next(memory: Memory, figure: string): LevelStep;
  /** Between these, both left out, a figure changes nothing. */
  findCalm(memory: Memory): Calm;
}

export type Calm = readonly [above: number, below: number];

export const NEVER_CALM: Calm = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
/** Numbers are rounded, figures are not. */
const MARGIN = 1e-9;

function between(above: number, below: number): Calm {
  return [above * (1 + MARGIN), below * (1 - MARGIN)];
}

const BEFORE_FIRST: Memory = { isArmed: false, mark: null };

/** `text` by so many per cent more, exact. */
function raise(text: string, pct: number): string {
  const { digits, scale } = textToDecimal(text);
  const factor = 10_000n + BigInt(Math.round(pct * 100));
  return decimalToText({ digits: digits * (factor < 0n ? 0n : factor), scale: scale + 4 });
}

/** One bound; `compare` is positive for a figure beyond it. */
function createBound(
  bound: string,
  compare: { isOver(figure: string): boolean; isBack(figure: string): boolean },
  findCalm: Level['findCalm'] = () => NEVER_CALM,
): Level {
  return {
    findCalm,
    start: (figure) =>
      figure === null ? BEFORE_FIRST : { isArmed: !compare.isOver(figure), mark: null },
    next: ({ isArmed }, figure) => {
      if (!isArmed) return { isArmed: compare.isBack(figure), mark: null, passed: null };
      const isOver = compare.isOver(figure);
      return { isArmed: !isOver, mark: null, passed: isOver ? bound : null };
    },
  };
}

function createTextBound(when: 'above' | 'below', at: string, rearmPct: number): Level {
  const sign = when === 'above' ? 1 : -1;
  const back = raise(at, -sign * rearmPct);
  const [bound, far] = [Number(at), Number(back)];
  const compare = {
    isOver: (figure: string) => sign * compareTexts(figure, at) > 0,
    isBack: (figure: string) => sign * compareTexts(figure, back) <= 0,
  };
  // An armed one waits on the near side of its bound, another beyond the way back.
  return createBound(at, compare, ({ isArmed }) =>
    isArmed === sign > 0
      ? between(0, isArmed ? bound : far)
      : between(isArmed ? bound : far, Number.POSITIVE_INFINITY),
  );
}

/** Of percentages the margin is in points. */
function createNumberBound(when: 'above' | 'below', at: number, rearmPct: number): Level {
  const sign = when === 'above' ? 1 : -1;
  return createBound(String(at), {
    isOver: (figure) => sign * (Number(figure) - at) > 0,
    isBack: (figure) => sign * (Number(figure) - at) <= -rearmPct,
  });
}

/** In either direction. Within the margin after it fired, it does not fire again. */
function createCrossing(at: string, rearmPct: number): Level {
  const [low, high] = [raise(at, -rearmPct), raise(at, rearmPct)];
  const findSide = (figure: string): 'above' | 'below' | null => {
    const side = compareTexts(figure, at);
    return side === 0 ? null : side > 0 ? 'above' : 'below';
  };
  const isFar = (figure: string) =>
    compareTexts(figure, low) <= 0 || compareTexts(figure, high) >= 0;
  const start = (figure: string | null): Memory => {
    const mark = figure === null ? null : findSide(figure);
    return { isArmed: mark !== null, mark };
  };
  const [bound, near, far] = [Number(at), Number(low), Number(high)];
  return {
    start,
    findCalm: ({ isArmed, mark }) => {
      if (mark === null) return NEVER_CALM;
      if (!isArmed) return between(near, far);
      return mark === 'above' ? between(bound, Number.POSITIVE_INFINITY) : between(0, bound);
    },
    next: ({ isArmed, mark }, figure) => {
      const side = findSide(figure);
      if (mark === null) return { ...start(figure), passed: null };
      const hasCrossed = side !== null && side !== mark && (isArmed || isFar(figure));
      if (hasCrossed) return { isArmed: isFar(figure), mark: side, passed: at };
      return { isArmed: isArmed || (side === mark && isFar(figure)), mark, passed: null };
    },
  };
}

/** A rise by less leaves the mark where it is: otherwise every small one would be stored. */
const RISE_PCT = 1;

/** Below the highest figure by a part; from there on it is counted anew. */
function createDrop(pct: number): Level {
  return {
    start: (figure) => ({ isArmed: figure !== null, mark: figure }),
    findCalm: ({ mark }) =>
      mark === null ? NEVER_CALM : between(Number(raise(mark, -pct)), Number(mark)),
    next: ({ mark }, figure) => {
      if (mark === null) return { isArmed: true, mark: figure, passed: null };
      if (mark !== '0' && compareTexts(figure, raise(mark, -pct)) <= 0) {
        return { isArmed: true, mark: figure, passed: mark };
      }
      const isHigher = compareTexts(figure, raise(mark, RISE_PCT)) > 0;
      return { isArmed: true, mark: isHigher ? figure : mark, passed: null };
    },
  };
}

/** Trades that are worth less than a bound. */
export function findCalmTrade(valueUsd: string): Calm {
  return between(Number.NEGATIVE_INFINITY, Number(valueUsd));
}

/** Null for conditions about single events. */
export function createLevel(condition: AlertCondition, rearmPct: number): Level | null {
  switch (condition.kind) {
    case 'priceUsd':
      return condition.when === 'crosses'
        ? createCrossing(condition.at, rearmPct)
        : createTextBound(condition.when, condition.at, rearmPct);
    case 'liquidityUsd':
      return condition.when === 'drop'
        ? createDrop(condition.pct)
        : createTextBound('below', condition.at, rearmPct);
    case 'changePct':
      return createNumberBound(condition.when, condition.pct, rearmPct);
    case 'volumeUsd':
      return createTextBound('above', condition.at, rearmPct);
    case 'holdersTop10Pct':
      return createNumberBound('above', condition.at, rearmPct);
    default:
      return null;
  }
}

/** From one price to another in per cent, cut to six decimals; null from nothing. */
export function computeChangePct(from: string, to: string): string | null {
  const [a, b] = [textToDecimal(from), textToDecimal(to)];
  const scale = Math.max(a.scale, b.scale);
  const [before, after] = [a.digits * pow10(scale - a.scale), b.digits * pow10(scale - b.scale)];
  if (before === 0n) return null;
  return String(Number(((after - before) * 100_000_000n) / before) / 1_000_000);
}
