// Counts the open streams of each caller and in total.

import type { Identity } from '../../contract/identity.ts';
import { AppError } from '../../errors/app-error.ts';

export interface StreamSlotsOptions {
  /** The maximum number of concurrent streams of a caller. */
  readonly limitOf: (identity: Identity) => number;
  readonly totalMax: number;
  /** Counts those of all processes, if several share the limits. */
  readonly shared?: SharedSlots | undefined;
}

interface SharedSlots {
  /** False if the owner has as many as it may. */
  take(owner: string, limit: number): Promise<boolean>;
  release(owner: string): void;
}

/** The owner whose streams count together: those of a wallet's keys and sessions. */
function findOwner(identity: Identity): string {
  if (identity.kind === 'anonymous') return `address ${identity.key}`;
  return `wallet ${identity.kind === 'key' ? identity.walletId : identity.wallet.id}`;
}

/** Long enough to detect a lost connection. */
const RETRY_AFTER_SECONDS = 5;

function buildTooManyError(limit: number): AppError {
  const retryAfterSeconds = RETRY_AFTER_SECONDS;
  return new AppError('TOO_MANY_STREAMS', { limit }, { retryAfterSeconds });
}

export class StreamSlots {
  readonly #options: StreamSlotsOptions;
  readonly #taken = new Map<string, number>();
  #total = 0;

  constructor(options: StreamSlotsOptions) {
    this.#options = options;
  }

  get total(): number {
    return this.#total;
  }

  /** The returned function releases the slot; calling it again is a no-op. */
  async take(identity: Identity): Promise<() => void> {
    const { limitOf, shared } = this.#options;
    const limit = limitOf(identity);
    const owner = findOwner(identity);
    const release = this.#takeHere(owner, limit);
    if (shared === undefined) return release;
    if (!(await shared.take(owner, limit))) {
      release();
      throw buildTooManyError(limit);
    }
    let isTaken = true;
    return () => {
      if (isTaken) shared.release(owner);
      isTaken = false;
      release();
    };
  }

  #takeHere(key: string, limit: number): () => void {
    const taken = this.#taken.get(key) ?? 0;
    const retryAfterSeconds = RETRY_AFTER_SECONDS;
    if (taken >= limit) throw buildTooManyError(limit);
    if (this.#total >= this.#options.totalMax) {
      throw new AppError('OVERLOADED', {}, { retryAfterSeconds });
    }
    this.#taken.set(key, taken + 1);
    this.#total += 1;
    let isTaken = true;
    return () => {
      if (!isTaken) return;
      isTaken = false;
      this.#total -= 1;
      const left = (this.#taken.get(key) ?? 1) - 1;
      if (left > 0) this.#taken.set(key, left);
      else this.#taken.delete(key);
    };
  }
}
