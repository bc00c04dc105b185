// A small seeded random number generator, so that a market can be replayed.

import { createHash } from 'node:crypto';

export interface SeededRandom {
  /** At least 0, below 1. */
  next(): number;
  /** A whole number from 0 to `limit` - 1. */
  below(limit: number): number;
  pick<T>(items: readonly T[]): T;
  chance(probability: number): boolean;
  /** Normally distributed with mean 0 and deviation 1. */
  normal(): number;
}

/** Equal seeds give equal sequences on every machine (the sfc32 generator). */
export function createSeededRandom(seed: string): SeededRandom {
  const state = new Uint32Array(4);
  const digest = createHash('sha256').update(seed).digest();
  for (let word = 0; word < 4; word++) state[word] = digest.readUInt32LE(word * 4);

  function next(): number {
    const [a = 0, b = 0, c = 0, d = 0] = state;
    const sum = (((a + b) | 0) + d) | 0;
    state[3] = d + 1;
    state[0] = b ^ (b >>> 9);
    state[1] = (c + (c << 3)) | 0;
    state[2] = ((((c << 21) | (c >>> 11)) + sum) | 0) >>> 0;
    return (sum >>> 0) / 4_294_967_296;
  }

  function below(limit: number): number {
    return Math.floor(next() * limit);
  }

  return {
    next,
    below,
    pick<T>(items: readonly T[]) {
      const item = items[below(items.length)];
      if (item === undefined) throw new Error('nothing to pick from');
      return item;
    },
    chance: (probability) => next() < probability,
    // The sum of twelve uniform values: no logarithm or cosine, whose last digits depend on the
    // platform.
    normal() {
      let sum = -6;
      for (let n = 0; n < 12; n++) sum += next();
      return sum;
    },
  };
}
