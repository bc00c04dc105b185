// The open streams of each owner, over all processes. While the ledger is down each process has an
// equal share of an owner's limit, at least one.

import { BoundedMap } from '../../lib/bounded-map.ts';
import { startPolling } from '../../lib/start-polling.ts';
import type { LimitLedger } from './limit-ledger.ts';
import type { NodeCensus } from './node-census.ts';

interface SharedStreamsOptions {
  readonly ledger: LimitLedger;
  readonly census: Pick<NodeCensus, 'list' | 'count'>;
}

/** How soon ended streams are reported. */
const REPORT_MS = 100;
/** Everything is reported again: the ledger forgets processes that are silent. */
const REPEAT_MS = 30_000;
const OWNERS_MAX = 500;
/**
 * Of owners whose streams ended while the ledger is down. It counts those of others until they open
 * one here again, or forgets them.
 */
const CHANGED_MAX = 10_000;

export class SharedStreams {
  readonly #options: SharedStreamsOptions;
  readonly #counts = new Map<string, number>();
  readonly #changed = new BoundedMap<string, true>(CHANGED_MAX);
  #term = 0;
  #repeatedAtMs = performance.now();
  readonly #stopReporting: () => Promise<void>;

  constructor(options: SharedStreamsOptions) {
    this.#options = options;
    const report = () => this.#report();
    this.#stopReporting = startPolling(report, { everyMs: REPORT_MS, onError: () => undefined });
  }

  /** Counts one more, or returns false if the owner has as many as it may. */
  async take(owner: string, limit: number): Promise<boolean> {
    const { ledger, census } = this.#options;
    const count = this.#add(owner, 1);
    const isWithinShare = count <= Math.max(1, Math.floor(limit / census.count()));
    const isAllowed = ledger.isUp
      ? await ledger
          .takeStream({ owner, count, limit, nodes: census.list() })
          .catch(() => isWithinShare)
      : isWithinShare;
    if (!isAllowed) this.release(owner);
    return isAllowed;
  }

  release(owner: string): void {
    this.#add(owner, -1);
    this.#changed.set(owner, true);
  }

  stop(): Promise<void> {
    return this.#stopReporting();
  }

  #add(owner: string, change: number): number {
    const count = (this.#counts.get(owner) ?? 0) + change;
    if (count > 0) this.#counts.set(owner, count);
    else this.#counts.delete(owner);
    return count;
  }

  async #report(): Promise<void> {
    const { ledger } = this.#options;
    if (!ledger.isUp) return;
    const { term } = ledger;
    const nowMs = performance.now();
    const isAll = term !== this.#term || nowMs - this.#repeatedAtMs > REPEAT_MS;
    const open = isAll ? this.#counts.keys() : [];
    const owners = [...new Set([...open, ...this.#changed.keys()])];
    for (let start = 0; start < owners.length; start += OWNERS_MAX) {
      const part = owners.slice(start, start + OWNERS_MAX);
      for (const owner of part) this.#changed.delete(owner);
      const counts = new Map(part.map((one) => [one, this.#counts.get(one) ?? 0]));
      await ledger.putStreams(counts).catch((error: unknown) => {
        for (const owner of part) this.#changed.set(owner, true);
        throw error;
      });
    }
    if (isAll) [this.#term, this.#repeatedAtMs] = [term, nowMs];
  }
}
