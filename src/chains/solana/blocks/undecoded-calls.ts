// Counts calls of venues that were not decoded, for operators: a venue has new instructions.

import type { UndecodedCount } from '../../../model/undecoded-count.ts';
import type { UnknownCall } from '../venues/venue-trade.ts';

/** Anyone can call a program with any data. */
const KINDS_MAX = 200;

export class UndecodedCalls {
  readonly #counts = new Map<string, number>();

  add({ venue, discriminator }: Pick<UnknownCall, 'venue' | 'discriminator'>): void {
    const named = `${venue} ${discriminator}`;
    const isNew = !this.#counts.has(named);
    const key = isNew && this.#counts.size >= KINDS_MAX ? `${venue} others` : named;
    this.#counts.set(key, (this.#counts.get(key) ?? 0) + 1);
  }

  list(): UndecodedCount[] {
    return [...this.#counts].map(([key, count]) => {
      const [venue = '', discriminator = ''] = key.split(' ');
      return { venue, discriminator, count };
    });
  }
}
