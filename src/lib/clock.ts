// Time, injected wherever it is needed so that tests decide what time it is.

export interface Clock {
  /** Unix milliseconds: what a person's clock shows; may jump. */
  nowMs(): number;
  /** Milliseconds from an arbitrary start that never go back: for measuring and limiting. */
  monotonicMs(): number;
}

export const systemClock: Clock = {
  nowMs: () => Date.now(),
  monotonicMs: () => performance.now(),
};
