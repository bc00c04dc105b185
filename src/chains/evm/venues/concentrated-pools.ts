// What the logs and contracts of V3 and V4 have in common.

import type { Address } from '../../../model/ids.ts';
import type { PoolChange, PoolDescription, StateOf } from '../../../model/pool.ts';
import type { PoolStateQuery, PoolStateReading } from '../../adapter.ts';
import { int24At, intAt, uintAt } from '../data/hex-data.ts';
import type { CallContracts } from '../rpc/multicall.ts';

/** Forks append words but keep the first two. */
const TWO_WORDS_LENGTH = 2 + 2 * 64;

export function hasTwoWords(answer: string | null): answer is string {
  return answer !== null && answer.length >= TWO_WORDS_LENGTH;
}

/** A tick that is not initialised. */
const EMPTY = { liquidityGross: 0n, liquidityNet: 0n };

/** The price and tick of a new pool, from this word on. */
export function decodeInitialized(data: string, word: number): PoolChange {
  return {
    poolKind: 'concentrated',
    type: 'initialized',
    sqrtPriceX96: uintAt(data, word),
    tick: int24At(data, word + 1),
  };
}

/** The pool after a swap, in the words after the two amounts. */
export function decodeSwapped(data: string, feePips: number | null): PoolChange {
  return {
    poolKind: 'concentrated',
    type: 'swapped',
    sqrtPriceX96: uintAt(data, 2),
    liquidity: uintAt(data, 3),
    tick: int24At(data, 4),
    feePips,
  };
}

export function decodeTick(answer: string) {
  return { liquidityGross: uintAt(answer, 0), liquidityNet: intAt(answer, 1) };
}

/** How a pool is asked. */
interface PoolQuestions {
  readonly to: Address;
  readonly slot0: string;
  readonly liquidity: string;
  readonly encodeTick: (tick: number) => string;
}

type Answer = string | null;

/** Null for a pool that does not respond. */
export async function readConcentratedStates(
  queries: readonly PoolStateQuery[],
  callContracts: CallContracts,
  protocol: {
    readonly ask: (pool: PoolDescription) => PoolQuestions;
    readonly decodeState: (
      slot0: Answer,
      liquidity: Answer,
    ) => Partial<StateOf<'concentrated'>> | null;
  },
): Promise<(PoolStateReading | null)[]> {
  const answers = await callContracts(
    queries.flatMap(({ description, ticks }) => {
      const { to, slot0, liquidity, encodeTick } = protocol.ask(description);
      return [slot0, liquidity, ...ticks.map(encodeTick)].map((data) => ({ to, data }));
    }),
  );
  let start = 0;
  return queries.map(({ description, ticks }) => {
    const [slot0 = null, liquidity = null] = answers.slice(start, start + 2);
    const told = answers.slice(start + 2, start + 2 + ticks.length);
    start += 2 + ticks.length;
    const state = protocol.decodeState(slot0, liquidity);
    if (state === null) return null;
    return {
      pool: description.pool,
      state,
      ticks: ticks.map((tick, index) => {
        const answer = told[index] ?? null;
        const { liquidityGross, liquidityNet } = hasTwoWords(answer) ? decodeTick(answer) : EMPTY;
        return { tick, liquidityGross, liquidityNet };
      }),
    };
  });
}
