// Choices from a seed, so that a run can be repeated.

import { createRandom } from '../fakes/create-random.ts';

export class Dice {
  readonly #random: () => number;

  constructor(seed: number) {
    this.#random = createRandom(seed);
  }

  /** An integer from 0 up to, but not including, the bound. */
  below(bound: number): number {
    return Math.floor(this.#random() * bound);
  }

  chance(share: number): boolean {
    return this.#random() < share;
  }

  pick<T>(items: readonly T[]): T {
    const item = items[this.below(items.length)];
    if (item === undefined) throw new Error('nothing to pick from');
    return item;
  }

  /** One of the items, or undefined if there are none. */
  pickAny<T>(items: readonly T[]): T | undefined {
    return items[this.below(items.length)];
  }

  /** A weighted choice. */
  weigh<T>(entries: readonly (readonly [weight: number, item: T])[]): T {
    const total = entries.reduce((sum, [weight]) => sum + weight, 0);
    let left = this.#random() * total;
    for (const [weight, item] of entries) {
      left -= weight;
      if (left < 0) return item;
    }
    return this.pick(entries.map(([, item]) => item));
  }
}
