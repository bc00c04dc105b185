// Pins that pieces of work which take their turns do not run in one turn.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { nextTurn } from './next-turn.ts';

/** Counts turns of the event loop until it is ended. */
function countTurns(): { readonly turn: number; end(): void } {
  let turn = 0;
  let hasEnded = false;
  const count = () => {
    turn += 1;
    if (!hasEnded) setImmediate(count);
  };
  setImmediate(count);
  return {
    get turn() {
      return turn;
    },
    end() {
      hasEnded = true;
    },
  };
}

test('each piece of work has a turn of its own, in order', async () => {
  const turns = countTurns();
  const taken: { piece: string; turn: number }[] = [];
  const work = async (piece: string) => {
    await nextTurn();
    taken.push({ piece, turn: turns.turn });
    await nextTurn();
    taken.push({ piece, turn: turns.turn });
  };
  await Promise.all(['a', 'b', 'c'].map(work));
  turns.end();
  assert.deepEqual(
    taken.map(({ piece }) => piece),
    ['a', 'b', 'c', 'a', 'b', 'c'],
  );
  assert.equal(new Set(taken.map(({ turn }) => turn)).size, taken.length);
});

test('it begins again after a pause', async () => {
  await nextTurn();
  await new Promise((resolve) => setTimeout(resolve, 5));
  await nextTurn();
});
