// The ledger of processes that have one process in common, in its memory. It decides as the one in
// Redis does.

import type { Clock } from '../../lib/clock.ts';
import { OWED_BURSTS_MAX } from '../../lib/limiter.ts';
import type { LedgerEntry, LedgerReply, StreamClaim } from './limit-ledger.ts';

interface MemoryLedgerOptions {
  /** Of each policy. */
  readonly identitiesMax: number;
  readonly clock: Pick<Clock, 'monotonicMs'>;
}

/** Rounding errors below a millisecond must not reject the last unit of a burst. */
const ROUNDING_MS = 1e-3;

function settle(arrivals: Map<string, number>, entry: LedgerEntry, nowMs: number): LedgerReply {
  const { name, burstMs, floorMs, spentMs, doneMs, wantedMs } = entry;
  const known = Math.max(nowMs + floorMs, arrivals.get(name) ?? nowMs);
  const latestMs = Math.max(known + spentMs - doneMs, nowMs + OWED_BURSTS_MAX * burstMs);
  const arrivalMs = Math.max(nowMs, Math.min(known + spentMs, latestMs));
  const allowed = arrivalMs + wantedMs - nowMs <= burstMs + ROUNDING_MS;
  const debtMs = arrivalMs + (allowed ? wantedMs : 0) - nowMs;
  arrivals.delete(name);
  if (debtMs > 0) arrivals.set(name, nowMs + debtMs);
  return { allowed, debtMs };
}

export class MemoryLedger<Node> {
  readonly #options: MemoryLedgerOptions;
  /**
   * The theoretical arrival times of GCRA, by policy and name; what was used last is last. A flood
   * of addresses must not displace keys, so each policy is bounded by itself.
   */
  readonly #policies = new Map<string, Map<string, number>>();
  /** The streams of each owner, by process. */
  readonly #streams = new Map<string, Map<Node, number>>();

  constructor(options: MemoryLedgerOptions) {
    this.#options = options;
  }

  settle(entries: readonly LedgerEntry[]): LedgerReply[] {
    const nowMs = this.#options.clock.monotonicMs();
    return entries.map((entry) => {
      const arrivals = this.#openPolicy(entry.policy);
      const reply = settle(arrivals, entry, nowMs);
      this.#forget(arrivals, nowMs);
      return reply;
    });
  }

  /** The processes that are there are known here. */
  takeStream(node: Node, { owner, count, limit }: StreamClaim): boolean {
    let sum = count;
    for (const [other, open] of this.#streams.get(owner) ?? []) if (other !== node) sum += open;
    if (sum > limit) return false;
    this.#putStreams(node, owner, count);
    return true;
  }

  putStreams(node: Node, counts: ReadonlyMap<string, number>): void {
    for (const [owner, count] of counts) this.#putStreams(node, owner, count);
  }

  /** The process has ended, and its streams with it. */
  leave(node: Node): void {
    for (const owner of [...this.#streams.keys()]) this.#putStreams(node, owner, 0);
  }

  #openPolicy(policy: string): Map<string, number> {
    const arrivals = this.#policies.get(policy) ?? new Map<string, number>();
    this.#policies.set(policy, arrivals);
    return arrivals;
  }

  /** Drops full budgets and, beyond the bound, those that were not used for longest. */
  #forget(arrivals: Map<string, number>, nowMs: number): void {
    for (const [name, arrivalMs] of arrivals) {
      if (arrivalMs > nowMs && arrivals.size <= this.#options.identitiesMax) return;
      arrivals.delete(name);
    }
  }

  #putStreams(node: Node, owner: string, count: number): void {
    const nodes = this.#streams.get(owner) ?? new Map<Node, number>();
    if (count > 0) this.#streams.set(owner, nodes.set(node, count));
    else nodes.delete(node);
    if (nodes.size === 0) this.#streams.delete(owner);
  }
}
