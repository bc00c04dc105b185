// Background work of access: stores uses, polls watched credentials, evicts expired entries.

import type { Clock } from '../lib/clock.ts';
import type { AccessStore } from '../store/access-store.ts';
import type { CredentialWatch } from './credential-watch.ts';
import type { Keys } from './keys.ts';
import type { OperationUsage } from './operation-usage.ts';
import type { Sessions } from './sessions.ts';
import type { UsageCounter } from './usage-counter.ts';

/** Twice within the second in which a revocation in another process must take effect. */
const TICK_MS = 450;
/** A commit of the embedded store blocks the event loop for as long as the disk takes. */
const FLUSH_EVERY_TICKS = 20;
const SWEEP_EVERY_TICKS = 140;

interface UpkeepParts {
  readonly store: AccessStore;
  readonly usage: UsageCounter;
  readonly operationUsage: OperationUsage;
  readonly sessions: Sessions;
  readonly keys: Keys;
  readonly watch: CredentialWatch;
  readonly clock: Clock;
  readonly log: { warn(fields: object, message: string): void };
}

export class Upkeep {
  readonly #parts: UpkeepParts;
  #timer: NodeJS.Timeout | null = null;
  #running: Promise<void> = Promise.resolve();
  #ticks = 0;
  #failing = false;

  constructor(parts: UpkeepParts) {
    this.#parts = parts;
  }

  start(): void {
    this.#timer ??= setTimeout(() => this.#tick(), TICK_MS);
    this.#timer.unref();
  }

  /** Resolves when everything is stored. */
  async stop(): Promise<void> {
    if (this.#timer) clearTimeout(this.#timer);
    this.#timer = null;
    await this.#running;
    await this.#attempt(() => this.#flush());
  }

  #tick(): void {
    this.#ticks += 1;
    this.#running = this.#attempt(() => this.#work()).then(() => {
      if (this.#timer) this.#timer = setTimeout(() => this.#tick(), TICK_MS).unref();
    });
  }

  async #work(): Promise<void> {
    const { store, sessions, keys, watch, clock } = this.#parts;
    keys.purge();
    sessions.purge();
    if (this.#ticks % FLUSH_EVERY_TICKS === 0) await this.#flush();
    await watch.look((session, nowMs) => sessions.isLive(session, nowMs));
    if (this.#ticks % SWEEP_EVERY_TICKS === 0) await store.sweep(clock.nowMs());
  }

  async #flush(): Promise<void> {
    const { usage, operationUsage, sessions } = this.#parts;
    await Promise.all([usage.flush(), operationUsage.flush(), sessions.flush()]);
  }

  async #attempt(work: () => Promise<void>): Promise<void> {
    try {
      await work();
      this.#failing = false;
    } catch (error) {
      // Logged once per outage: it recovers by itself, and no counts are lost.
      if (!this.#failing)
        this.#parts.log.warn({ err: error }, 'the access store cannot be reached');
      this.#failing = true;
    }
  }
}
