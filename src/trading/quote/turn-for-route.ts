// Turns of the event loop for the pieces of work on a long route.

import { nextTurn } from '../../lib/next-turn.ts';

/** Each piece of work on a route with more legs takes a good part of a millisecond. */
const LEGS_PER_TURN_MAX = 20;

/** Waits for a turn of its own if the route is long, so that requests in between need not wait. */
export async function turnForRoute({ legs }: { readonly legs: readonly unknown[] }): Promise<void> {
  if (legs.length > LEGS_PER_TURN_MAX) await nextTurn();
}
