// `before` and `after` for the top of a test file, where those of node:test leave things running.
//
// With --test-name-pattern and no matching test in the file, node:test starts a `before` hook at
// the top of the file, does not wait for it and runs `after` at once: what `before` starts is never
// stopped, and the run never ends. Here `after` waits for `before`. Hooks inside a suite are not
// affected: they do not run if none of its tests matches.

import { after as afterTests, before as beforeTests } from 'node:test';

type Hook = () => unknown;

const started: Promise<unknown>[] = [];

export function before(hook: Hook): void {
  beforeTests(() => {
    const run = Promise.resolve().then(hook);
    started.push(run);
    return run;
  });
}

export function after(hook: Hook): void {
  afterTests(async () => {
    // A failure of `before` is reported separately.
    await Promise.allSettled(started);
    await hook();
  });
}

/** Runs before the tests of a file; what it leaves to be done afterwards is, the last first. */
export function setUp(hook: (t: { after(work: Hook): void }) => unknown): void {
  const cleanups: Hook[] = [];
  before(() => hook({ after: (work) => cleanups.unshift(work) }));
  after(async () => {
    for (const cleanup of cleanups) await cleanup();
  });
}
