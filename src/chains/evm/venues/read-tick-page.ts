// Reads the ticks of a concentrated pool from its contract: words of the tick bitmap from the
// pool's price outwards, then the initialised ticks in them.

import { TICK_MAX, TICK_MIN } from '../../../amm/concentrated/sqrt-price-at-tick.ts';
import type { PoolPage, TickSpan } from '../../adapter.ts';

interface TickReading {
  readonly liquidityGross: bigint;
  readonly liquidityNet: bigint;
}

/** How to read one kind of contract; null if it does not respond. */
export interface TickSource {
  readWords(words: readonly number[]): Promise<readonly (bigint | null)[]>;
  readTicks(ticks: readonly number[]): Promise<readonly (TickReading | null)[]>;
}

interface TickQuery {
  /** The pool's tick at the block. */
  readonly tick: number;
  readonly tickSpacing: number;
  readonly covered: TickSpan | null;
  readonly wordCountMax: number;
}

const WORD_BITS = 8;
const WORD_SIZE = 1 << WORD_BITS;
/** A word may have 256 ticks, so a page has at least one word. */
const TICK_COUNT_MAX = WORD_SIZE;

interface WordSpan {
  readonly first: number;
  readonly last: number;
}

/** Every word that can have ticks: those beyond the lowest and the highest price have none. */
function listAllWords(tickSpacing: number): WordSpan {
  return {
    first: Math.ceil(TICK_MIN / tickSpacing) >> WORD_BITS,
    last: Math.floor(TICK_MAX / tickSpacing) >> WORD_BITS,
  };
}

function toWordSpan(covered: TickSpan, tickSpacing: number): WordSpan {
  return {
    first: covered.lower / tickSpacing / WORD_SIZE,
    last: ((covered.upper / tickSpacing + 1) >> WORD_BITS) - 1,
  };
}

function toTickSpan({ first, last }: WordSpan, tickSpacing: number): TickSpan {
  return {
    lower: first * WORD_SIZE * tickSpacing,
    upper: (last * WORD_SIZE + WORD_SIZE - 1) * tickSpacing,
  };
}

/** The next words around a span, in turn below and above it, so that any first few touch it. */
function listNextWords(span: WordSpan | null, query: TickQuery): number[] {
  const all = listAllWords(query.tickSpacing);
  const here = Math.floor(query.tick / query.tickSpacing) >> WORD_BITS;
  let [below, above] = span === null ? [here, here + 1] : [span.first - 1, span.last + 1];
  const words: number[] = [];
  while (words.length < query.wordCountMax && (below >= all.first || above <= all.last)) {
    if (below >= all.first) {
      words.push(below);
      below -= 1;
    }
    if (above <= all.last && words.length < query.wordCountMax) {
      words.push(above);
      above += 1;
    }
  }
  return words;
}

function listTicks(word: number, bits: bigint, tickSpacing: number): number[] {
  const ticks: number[] = [];
  for (let bit = 0; bit < WORD_SIZE; bit += 1) {
    if (((bits >> BigInt(bit)) & 1n) === 1n) ticks.push((word * WORD_SIZE + bit) * tickSpacing);
  }
  return ticks;
}

/** Null if the contract did not answer every call. */
export async function readTickPage(
  source: TickSource,
  query: TickQuery,
): Promise<Pick<PoolPage, 'ticks' | 'covered' | 'isLast'> | null> {
  const { tickSpacing, covered } = query;
  if (tickSpacing <= 0) return null;
  const before = covered === null ? null : toWordSpan(covered, tickSpacing);
  const words = listNextWords(before, query);
  const bitmaps = await source.readWords(words);
  const wanted: number[] = [];
  const taken: number[] = [];
  for (const [index, word] of words.entries()) {
    const bits = bitmaps[index] ?? null;
    if (bits === null) return null;
    const ticks = listTicks(word, bits, tickSpacing);
    if (taken.length > 0 && wanted.length + ticks.length > TICK_COUNT_MAX) break;
    wanted.push(...ticks);
    taken.push(word);
  }
  const liquidity = await source.readTicks(wanted);
  const ticks = wanted.flatMap((tick, index) => {
    const found = liquidity[index] ?? null;
    return found === null || found.liquidityGross === 0n ? [] : [{ tick, ...found }];
  });
  if (ticks.length < wanted.length) return null;
  const span = {
    first: Math.min(before?.first ?? Number.POSITIVE_INFINITY, ...taken),
    last: Math.max(before?.last ?? Number.NEGATIVE_INFINITY, ...taken),
  };
  const all = listAllWords(tickSpacing);
  return {
    ticks,
    covered: toTickSpan(span, tickSpacing),
    isLast: span.first <= all.first && span.last >= all.last,
  };
}
