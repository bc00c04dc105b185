// Whether an archive may be asked now: one that fails, limits or has no more is paused, and one
// that lied is ended until the restart.

import type { Clock } from '../../lib/clock.ts';
import { type Backoff, computeBackoffMs, type Random } from '../../lib/retry.ts';
import type { Log } from '../rpc/rpc-client.ts';
import type { ArchiveError } from './archive-error.ts';

const FAILED_BACKOFF: Backoff = { baseMs: 1000, maxMs: 300_000 };
/** An archive is hours behind the head at most. */
const DRY_BACKOFF: Backoff = { baseMs: 30_000, maxMs: 900_000 };
const REFUSED_BACKOFF: Backoff = { baseMs: 600_000, maxMs: 3_600_000 };

interface ArchiveUseParts {
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
}

export class ArchiveUse {
  readonly #name: string;
  readonly #parts: ArchiveUseParts;
  #availableAtMs = Number.NEGATIVE_INFINITY;
  #failures = 0;
  #reason: string | null = null;
  #isEnded = false;
  /** Whether it failed, and does not only lack the blocks. */
  #isFaulty = false;

  constructor(name: string, parts: ArchiveUseParts) {
    this.#name = name;
    this.#parts = parts;
  }

  get isAvailable(): boolean {
    return !this.#isEnded && this.#parts.clock.monotonicMs() >= this.#availableAtMs;
  }

  noteRead(): void {
    this.#failures = 0;
    this.#reason = null;
  }

  noteFault(error: ArchiveError): void {
    const { clock, random, log } = this.#parts;
    const { kind } = error;
    this.#reason = error.message;
    if (kind === 'wrong') {
      this.#isEnded = true;
      log.warn({ archive: this.#name, reason: error.message }, 'archive sent false data');
      return;
    }
    this.#failures += 1;
    this.#isFaulty = kind !== 'dry';
    const backoff = { failed: FAILED_BACKOFF, dry: DRY_BACKOFF, refused: REFUSED_BACKOFF }[kind];
    const waitMs = Math.max(
      computeBackoffMs(this.#failures, backoff, random),
      error.retryAfterMs ?? 0,
    );
    this.#availableAtMs = clock.monotonicMs() + waitMs;
    if (this.#failures === 1 && kind !== 'dry') {
      log.warn({ archive: this.#name, reason: error.message, waitMs }, 'archive paused');
    }
  }

  /** What `/ready` says: an archive that lied stays named until the restart. */
  listLimitations(): string[] {
    const name = `archive ${this.#name}`;
    if (this.#isEnded) return [`${name} sent false data and is no longer used: ${this.#reason}`];
    const isPaused = this.#isFaulty && !this.isAvailable;
    return isPaused ? [`${name} is paused: ${this.#reason}`] : [];
  }
}
