// Counts calls that were not decoded, for operators: a venue has new instructions, or programs that
// are in no list exchange tokens.

import type { UndecodedCount } from '../../../model/undecoded-count.ts';
import type { UnknownCall } from '../venues/venue-trade.ts';
import { UNLISTED } from './decode-trades.ts';

/** Of venues, and as many of unlisted programs: anyone can call a program with any data. */
const KINDS_MAX = 200;

class RarestFirst {
  readonly #counts = new Map<string, UndecodedCount>();

  add(venue: string, discriminator: string): void {
    const key = `${venue} ${discriminator}`;
    const known = this.#counts.get(key);
    if (known === undefined && this.#counts.size >= KINDS_MAX) this.#dropRarest();
    this.#counts.set(key, { venue, discriminator, count: (known?.count ?? 0) + 1 });
  }

  list(): UndecodedCount[] {
    return [...this.#counts.values()];
  }

  #dropRarest(): void {
    const [rarest] = [...this.#counts].sort(([, a], [, b]) => a.count - b.count);
    if (rarest !== undefined) this.#counts.delete(rarest[0]);
  }
}

export class UndecodedCalls {
  readonly #ofVenues = new RarestFirst();
  readonly #unlisted = new RarestFirst();

  add({ venue, discriminator }: Pick<UnknownCall, 'venue' | 'discriminator'>): void {
    (venue === UNLISTED ? this.#unlisted : this.#ofVenues).add(venue, discriminator);
  }

  list(): UndecodedCount[] {
    return [...this.#ofVenues.list(), ...this.#unlisted.list()];
  }
}
