// Keeps `process.nextTick` fast: docs/decisions/tuning.md, 0084.

import { createHook } from 'node:async_hooks';

/** The object that Node makes for each `nextTick`. */
let kept: object | null = null;

/** Without this option a hook counts promises, too: from then on each one costs a third more. */
function canIgnorePromises(): boolean {
  try {
    createHook({ trackPromises: 'unknown' as unknown as boolean });
    return false;
  } catch {
    return true;
  }
}

/**
 * Keeps one tick of this thread for ever. V8 records the shape of ticks where Node makes them, and
 * forgets it in a full collection that finds no tick. After that each tick takes three calls into
 * V8's runtime, as long as the process lives. Returns the tick; null if Node is too old.
 */
export function keepTickShape(): object | null {
  if (kept !== null || !canIgnorePromises()) return kept;
  const hook = createHook({
    init: (_id, type, _trigger, resource) => {
      if (type === 'TickObject') kept = resource;
    },
    trackPromises: false,
  });
  hook.enable();
  process.nextTick(() => undefined);
  hook.disable();
  return kept;
}
