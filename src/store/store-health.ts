// Whether a store is in order: what its callers met, and what a look at it shows.

import { StoreError, type StoreFault } from './store-error.ts';

/** Told when the state changes, not of each error. */
export interface OnStoreHealth {
  readonly onOutage?: ((error: StoreError) => void) | undefined;
  readonly onRecovered?: (() => void) | undefined;
}

export interface StoreHealthOptions extends OnStoreHealth {
  /**
   * Looks at the store and writes to it; throws a `StoreError` where it is out of order. `outage`
   * is what was noted before: there may be more to look at to see that it is over.
   */
  readonly probe: (outage: StoreError | null) => Promise<void>;
  /** A look that costs next to nothing, while there is no outage. */
  readonly glance?: () => void;
  /**
   * For how long after it was last met a fault is told though probes succeed: a row that is written
   * in place says nothing about room for more. Not for a server that was unreachable.
   */
  readonly holdMs?: number;
  /** What a probe means that gets no answer in time; null where another writer may hold it up. */
  readonly slowFault: StoreFault | null;
}

/** How often an outage is looked at, so that it ends without anybody asking. */
const LOOK_MS = 500;
/** `/ready` must tell within a second, also of a server that hangs. */
const PATIENCE_MS = 800;

export class StoreHealth {
  readonly #options: StoreHealthOptions;
  #outage: StoreError | null = null;
  #notedAtMs = 0;
  #probing: Promise<void> | null = null;
  #timer: NodeJS.Timeout | null = null;

  constructor(options: StoreHealthOptions) {
    this.#options = options;
  }

  start(): void {
    this.#timer ??= setInterval(() => this.#look(), LOOK_MS).unref();
  }

  /** Resolves when nothing looks at the store any more. */
  async stop(): Promise<void> {
    if (this.#timer) clearInterval(this.#timer);
    await this.#probing?.catch(() => undefined);
  }

  get outage(): StoreError | null {
    return this.#outage;
  }

  /** Takes note of an error that somebody met. */
  note(error: StoreError): void {
    if (!error.isOutage) return;
    const last = this.#outage;
    // Pages do not mend: a damage is told until the store is opened anew, whatever else happens.
    if (last?.fault === 'damaged') return;
    this.#outage = error;
    this.#notedAtMs = performance.now();
    if (last?.fault !== error.fault) this.#options.onOutage?.(error);
  }

  /** Resolves when the store is in order, which is looked at now; rejects with what it is not. */
  async check(): Promise<void> {
    const before = this.#outage;
    if (before?.fault === 'damaged') throw before;
    if (await this.#probe()) this.#recover(before);
    if (this.#outage !== null) throw this.#outage;
  }

  #look(): void {
    if (this.#outage !== null) {
      // The outage itself was told when it began.
      this.check().catch(() => undefined);
      return;
    }
    try {
      this.#options.glance?.();
    } catch (error) {
      if (error instanceof StoreError) this.note(error);
    }
  }

  /** False when it takes so long that nothing is known. */
  async #probe(): Promise<boolean> {
    this.#probing ??= this.#options.probe(this.#outage).finally(() => {
      this.#probing = null;
    });
    const { slowFault } = this.#options;
    const late = Promise.withResolvers<false>();
    const timer = setTimeout(() => late.resolve(false), PATIENCE_MS);
    const done = this.#probing.then(() => true as const);
    try {
      const isDone = await Promise.race([done, late.promise]);
      if (!isDone && slowFault !== null) {
        this.note(new StoreError(slowFault, `no answer within ${PATIENCE_MS} ms`));
      }
      return isDone;
    } catch (error) {
      if (!(error instanceof StoreError)) throw error;
      if (error.fault === 'rejected') throw error;
      this.note(error);
      return false;
    } finally {
      clearTimeout(timer);
      done.catch(() => undefined);
    }
  }

  #recover(before: StoreError | null): void {
    // What was noted while the probe ran is newer than the probe.
    if (before === null || this.#outage !== before) return;
    const heldMs = before.fault === 'unreachable' ? 0 : (this.#options.holdMs ?? 0);
    if (performance.now() - this.#notedAtMs < heldMs) return;
    this.#outage = null;
    this.#options.onRecovered?.();
  }
}
