// Turns of the event loop for pieces of work that take milliseconds. Node runs all that was set as
// immediate in one turn: with one piece in each, requests that have arrived come in between.

const waiting: (() => void)[] = [];
let isSet = false;

function runNext(): void {
  waiting.shift()?.();
  isSet = waiting.length > 0;
  if (isSet) setImmediate(runNext);
}

/** Resolves in a turn in which no other caller of this goes on. They go on in order. */
export function nextTurn(): Promise<void> {
  return new Promise((resolve) => {
    waiting.push(resolve);
    if (!isSet) setImmediate(runNext);
    isSet = true;
  });
}
