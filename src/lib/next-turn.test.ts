// Pins that pieces of work which take their turns do not run in one turn.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { nextTurn } from './next-turn.ts';

/** Work that was not given a turn in so many gets none. */
const TURNS_MAX = 10_000;

/** Counts turns of the event loop until it is ended; `tooMany` rejects after the last one. */
function countTurns() {
  const tooMany = Promise.withResolvers<never>();
  const count = () => {
    counted.turn += 1;
    if (counted.turn > TURNS_MAX) tooMany.reject(new Error('a piece of work has no turn'));
    else if (!counted.hasEnded) setImmediate(count);
  };
  const counted = { turn: 0, hasEnded: false, tooMany: tooMany.promise };
  setImmediate(count);
  return counted;
}

/** Three pieces of work of two turns each: which piece had which turn, in order. */
async function takeTurns(): Promise<{ piece: string; turn: number }[]> {
  const turns = countTurns();
  const taken: { piece: string; turn: number }[] = [];
  const work = async (piece: string) => {
    await nextTurn();
    taken.push({ piece, turn: turns.turn });
    await nextTurn();
    taken.push({ piece, turn: turns.turn });
  };
  await Promise.race([Promise.all(['a', 'b', 'c'].map(work)), turns.tooMany]);
  turns.hasEnded = true;
  return taken;
}

function assertOwnTurns(taken: readonly { piece: string; turn: number }[]): void {
  assert.deepEqual(
    taken.map(({ piece }) => piece),
    ['a', 'b', 'c', 'a', 'b', 'c'],
  );
  assert.equal(new Set(taken.map(({ turn }) => turn)).size, taken.length);
}

test('each piece of work has a turn of its own, in order', async () => {
  assertOwnTurns(await takeTurns());
});

test('it begins again after a pause, with a turn for each piece as before', async () => {
  await takeTurns();
  await new Promise((resolve) => setTimeout(resolve, 5));
  assertOwnTurns(await takeTurns());
});
