// Indexes one chain while this process holds its lease; otherwise waits for it.

import type { ChainLog } from '../chains/family.ts';
import type { Clock } from '../lib/clock.ts';
import { onceAborted } from '../lib/once-aborted.ts';
import type { Sleep } from '../lib/retry.ts';
import type { ChainSlug } from '../model/chain.ts';
import type { ChainLease, LeaseStore } from '../store/feed-store.ts';
import type { MarketStore, Store } from '../store/store.ts';
import type { ChainRunner } from './chain-runner.ts';
import { encodeSharedReport } from './shared-report.ts';

const RENEW_MS = 500;
/** How often the others look whether it is free. */
const LOOK_MS = 250;

interface LeasedRunnerOptions {
  readonly chain: ChainSlug;
  /** The name of this process among those on the store. */
  readonly node: string;
  /** How long a chain is without an indexer if its holder dies, at most. */
  readonly lifeMs: number;
  readonly store: Pick<Store, 'leases' | 'market'>;
  readonly createRunner: (market: MarketStore) => ChainRunner;
  readonly clock: Clock;
  readonly sleep: Sleep;
  readonly log: ChainLog;
}

export class LeasedRunner {
  readonly #options: LeasedRunnerOptions;
  readonly #abort = new AbortController();
  #runner: ChainRunner | null = null;
  #running: Promise<void> | null = null;

  constructor(options: LeasedRunnerOptions) {
    this.#options = options;
  }

  get chain(): ChainSlug {
    return this.#options.chain;
  }

  /** Null while another process indexes the chain. */
  get current(): ChainRunner | null {
    return this.#runner;
  }

  start(): void {
    const { leases } = this.#options.store;
    this.#running ??= leases === null ? this.#runAlone() : this.#runInTurns(leases);
  }

  async stop(): Promise<void> {
    this.#abort.abort();
    await this.#running;
  }

  async #runAlone(): Promise<void> {
    const { createRunner, store } = this.#options;
    this.#runner = createRunner(store.market);
    this.#runner.start();
    await this.#untilAborted();
    await this.#runner.stop();
  }

  async #runInTurns(leases: LeaseStore): Promise<void> {
    const { chain, createRunner, store, log } = this.#options;
    while (!this.#abort.signal.aborted) {
      const lease = await this.#take(leases);
      if (lease === null) {
        await this.#rest(LOOK_MS);
        continue;
      }
      log.info({ chain, lease: lease.token }, 'this process indexes the chain');
      const runner = createRunner(store.market.fence(lease));
      this.#runner = runner;
      runner.start();
      const isLost = await this.#hold(leases, lease, runner);
      if (isLost) log.warn({ chain, lease: lease.token }, 'another process indexes the chain now');
      await runner.stop();
      this.#runner = null;
      if (!isLost) await leases.release(lease).catch(() => undefined);
    }
  }

  /** A store that fails has been reported already; the next look tries again. */
  async #take(leases: LeaseStore): Promise<ChainLease | null> {
    const { chain, node, lifeMs } = this.#options;
    return await leases.take(chain, { holder: node, lifeMs }).catch(() => null);
  }

  /**
   * Renews the lease until this process stops, or another one has taken it: then true. While the
   * store fails nobody can take it, and nothing can be committed.
   */
  async #hold(leases: LeaseStore, lease: ChainLease, runner: ChainRunner): Promise<boolean> {
    const { clock, lifeMs } = this.#options;
    for (;;) {
      const report = encodeSharedReport(runner.report(), clock);
      const isHeld = await leases.renew(lease, { lifeMs, report }).catch(() => true);
      if (!isHeld) return true;
      await this.#rest(RENEW_MS);
      if (this.#abort.signal.aborted) return false;
    }
  }

  async #rest(ms: number): Promise<void> {
    await this.#options.sleep(ms, this.#abort.signal).catch(() => undefined);
  }

  #untilAborted(): Promise<void> {
    return new Promise((resolve) => onceAborted(this.#abort.signal, resolve));
  }
}
