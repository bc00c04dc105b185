// The health of a store: faults that callers met, and the results of probes.

import { StoreError, type StoreFault } from './store-error.ts';

/** Called when the state changes, not for each error. */
export interface OnStoreHealth {
  readonly onOutage?: ((error: StoreError) => void) | undefined;
  readonly onRecovered?: (() => void) | undefined;
}

export interface StoreHealthOptions extends OnStoreHealth {
  /**
   * Reads and writes the store; throws a `StoreError` if it does not work. `outage` is the current
   * fault: its recovery may need further checks.
   */
  readonly probe: (outage: StoreError | null) => Promise<void>;
  /** A very cheap check for times without an outage. */
  readonly glance?: () => void;
  /**
   * How long a fault is reported after it last occurred, even if probes succeed: updating a row in
   * place does not prove that there is room for more. Not for an unreachable server.
   */
  readonly holdMs?: number;
  /** The fault if a probe times out; null if another writer may be the cause. */
  readonly slowFault: StoreFault | null;
}

/** The probe interval during an outage, so that recovery is noticed without a request. */
const POLL_MS = 500;
/** `/ready` must respond within a second, even if the server hangs. */
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
    this.#timer ??= setInterval(() => this.#poll(), POLL_MS).unref();
  }

  /** Resolves when no probe is running. */
  async stop(): Promise<void> {
    if (this.#timer) clearInterval(this.#timer);
    await this.#probing?.catch(() => undefined);
  }

  get outage(): StoreError | null {
    return this.#outage;
  }

  /** Records an error that a caller met. */
  note(error: StoreError): void {
    if (!error.isOutage) return;
    const last = this.#outage;
    // Damage does not heal: it is reported until the store is reopened.
    if (last?.fault === 'damaged') return;
    this.#outage = error;
    this.#notedAtMs = performance.now();
    if (last?.fault !== error.fault) this.#options.onOutage?.(error);
  }

  /** Probes the store now; rejects with the fault. */
  async check(): Promise<void> {
    const before = this.#outage;
    if (before?.fault === 'damaged') throw before;
    if (await this.#probe()) this.#recover(before);
    if (this.#outage !== null) throw this.#outage;
  }

  #poll(): void {
    if (this.#outage !== null) {
      // The outage was already reported when it began.
      this.check().catch(() => undefined);
      return;
    }
    try {
      this.#options.glance?.();
    } catch (error) {
      if (error instanceof StoreError) this.note(error);
    }
  }

  /** False if it takes so long that the state is unknown. */
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
    // A fault recorded during the probe is newer than the probe.
    if (before === null || this.#outage !== before) return;
    const heldMs = before.fault === 'unreachable' ? 0 : (this.#options.holdMs ?? 0);
    if (performance.now() - this.#notedAtMs < heldMs) return;
    this.#outage = null;
    this.#options.onRecovered?.();
  }
}
