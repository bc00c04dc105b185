// The open streams of each owner, over all processes. While the ledger is down each process has an
// equal share of an owner's limit, at least one.

import { BoundedMap } from '../../lib/bounded-map.ts';
import { startPolling } from '../../lib/start-polling.ts';
import type { LimitLedger } from './limit-ledger.ts';

// Which processes on the store answer requests: each says so every two seconds.

interface NodeCensusOptions {
  /** This process. */
  readonly node: string;
  readonly signals: {
    send(channel: string, text: string): Promise<void>;
    listen(channel: string, onText: (text: string) => void): () => Promise<void>;
  };
  readonly monotonicMs: () => number;
}

const CHANNEL = 'mintwire_nodes';
const SAY_MS = 2000;
/** Several may be lost. */
const SILENT_MS = 7000;

export class NodeCensus {
  readonly #options: NodeCensusOptions;
  /** When each other process was last heard. */
  readonly #others = new Map<string, number>();
  /** When this process last heard itself: nobody is missing while it is deaf. */
  #heardSelfMs: number | null = null;
  #stops: readonly (() => Promise<void>)[] = [];

  constructor(options: NodeCensusOptions) {
    this.#options = options;
  }

  /** All that are there, this one first. */
  list(): readonly string[] {
    this.#forgetSilent();
    return [this.#options.node, ...this.#others.keys()];
  }

  count(): number {
    return this.#others.size + 1;
  }

  start(): void {
    const { signals } = this.#options;
    const stopListening = signals.listen(CHANNEL, (text) => this.#onMessage(text));
    const say = async () => {
      this.#forgetSilent();
      await this.#say('here');
    };
    const stopSaying = startPolling(say, { everyMs: SAY_MS, onError: ignore });
    this.#stops = [stopSaying, stopListening];
    this.#say('hello').catch(ignore);
  }

  async stop(): Promise<void> {
    for (const stop of this.#stops) await stop();
    await this.#say('gone').catch(ignore);
  }

  #say(word: 'hello' | 'here' | 'gone'): Promise<void> {
    return this.#options.signals.send(CHANNEL, `${word} ${this.#options.node}`);
  }

  #onMessage(text: string): void {
    const [word, name = ''] = text.split(' ');
    const nowMs = this.#options.monotonicMs();
    if (name === this.#options.node) {
      this.#heardSelfMs = nowMs;
      return;
    }
    if (word === 'gone') {
      this.#others.delete(name);
      return;
    }
    this.#others.set(name, nowMs);
    // It does not know this process yet.
    if (word === 'hello') this.#say('here').catch(ignore);
  }

  #forgetSilent(): void {
    const sinceMs = this.#heardSelfMs;
    if (sinceMs === null) return;
    for (const [name, heardMs] of this.#others) {
      if (sinceMs - heardMs > SILENT_MS) this.#others.delete(name);
    }
  }
}

/** The next one comes soon. */
function ignore(): void {}

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
