// Counts calls, credits and bytes by method, and spreads a daily budget over the day. Work in the
// background waits when the budget is spent; what a client waits for is counted, but never held up.

import type { Clock } from '../../lib/clock.ts';
import type { Sleep } from '../../lib/retry.ts';
import { CALLS_AS_CREDITS, type MethodUsage, type RpcBudget } from '../../model/rpc-usage.ts';
import { BudgetCell, type SharedEndpoints } from '../endpoint-memory.ts';

const DAY_MS = 24 * 60 * 60 * 1000;
/** This part of a day's budget may be spent at once; the rest is spread evenly. */
const BURST_SHARE = 1 / 24;
/** A chain counts as slowed for this long after its last wait. */
const SLOWED_FOR_MS = 60_000;
/** Shorter waits are not worth a mention. */
const NOTABLE_WAIT_MS = 250;
/** An hour: a longer wait in one timer would outlive a change of the clock or of the budget. */
const WAIT_MAX_MS = 3_600_000;
/**
 * What clients spend beyond the budget delays the background by no more than this: a day's budget,
 * since a provider forgets it, too.
 */
const DEBT_MAX_MS = DAY_MS;
/** Longer than a message between processes takes. */
const AHEAD_SLACK_MS = 10_000;
/** Replies to these are about this long, whatever else is in the same batch. */
const SHORT_REPLIES: ReadonlySet<string> = new Set([
  'eth_blockNumber',
  'eth_chainId',
  'eth_gasPrice',
  'getGenesisHash',
  'getSlot',
]);
const SHORT_REPLY_BYTES = 60;

interface RpcMeterOptions {
  readonly clock: Clock;
  readonly budget?: RpcBudget | undefined;
  readonly shared?: SharedEndpoints | undefined;
}

interface MethodTally {
  calls: number;
  credits: number;
  bytes: number;
  unpackedBytes: number;
}

export class RpcMeter {
  readonly #clock: Clock;
  readonly #budget: RpcBudget;
  readonly #cell: BudgetCell;
  readonly #tallies = new Map<string, MethodTally>();
  #slowedUntilMs = Number.NEGATIVE_INFINITY;

  constructor(options: RpcMeterOptions) {
    this.#clock = options.clock;
    this.#budget = options.budget ?? { credits: CALLS_AS_CREDITS, creditsPerDay: null };
    this.#cell = new BudgetCell(options.shared ?? null);
  }

  /** Counts calls as they are sent. */
  countCalls(methods: readonly string[]): void {
    let sum = 0;
    for (const method of methods) {
      const credits = this.creditsOf(method);
      const tally = this.#find(method);
      tally.calls += 1;
      tally.credits += credits;
      sum += credits;
    }
    this.#spend(sum);
    this.#cell.addUntold(sum);
  }

  /**
   * What other processes spent of the same budget, and for how long it is spent as far as they
   * know: for a process that has just started, or missed something.
   */
  countElsewhere(spent: { readonly credits: number; readonly aheadMs: number }): void {
    this.#spend(spent.credits);
    // What was under way counts as time, so that a small difference is no news: it would come back
    // larger with each message.
    if (spent.aheadMs <= this.aheadMs + AHEAD_SLACK_MS) return;
    this.#cell.raise((this.#clock.monotonicMs() + Math.min(spent.aheadMs, DEBT_MAX_MS)) * 1000);
  }

  /** Credits spent by this process since the last call. */
  takeUntold(): number {
    return this.#cell.takeUntold();
  }

  /** Credits of which others could not be told. */
  putBackUntold(credits: number): void {
    this.#cell.addUntold(credits);
  }

  /** For how long the budget is spent, at an even rate. */
  get aheadMs(): number {
    return Math.max(0, this.#cell.spentUntilUs / 1000 - this.#clock.monotonicMs());
  }

  /** Counts the bytes of a reply to all of these calls: over the network, and unpacked. */
  countBytes(
    methods: readonly string[],
    reply: { readonly wireBytes: number; readonly bytes: number },
  ): void {
    const long = methods.filter((method) => !SHORT_REPLIES.has(method));
    const shortCount = methods.length - long.length;
    // How much of the reply belongs to one call of each sort.
    const shortPart =
      long.length === 0
        ? 1 / shortCount
        : Math.min(1 / methods.length, SHORT_REPLY_BYTES / Math.max(1, reply.bytes));
    const longPart = (1 - shortPart * shortCount) / Math.max(1, long.length);
    for (const method of methods) {
      const part = SHORT_REPLIES.has(method) ? shortPart : longPart;
      const tally = this.#find(method);
      tally.bytes += reply.wireBytes * part;
      tally.unpackedBytes += reply.bytes * part;
    }
  }

  creditsOf(method: string): number {
    const { methods, other } = this.#budget.credits;
    return methods.get(method) ?? other;
  }

  listUsage(): MethodUsage[] {
    return [...this.#tallies].map(([method, tally]) => ({
      ...{ method, ...tally },
      bytes: Math.round(tally.bytes),
      unpackedBytes: Math.round(tally.unpackedBytes),
    }));
  }

  /** How long work in the background must wait. */
  get waitMs(): number {
    const { creditsPerDay } = this.#budget;
    if (creditsPerDay === null) return 0;
    const burstMs = creditsPerDay * BURST_SHARE * this.#computeMsPerCredit(creditsPerDay);
    return Math.max(0, this.aheadMs - burstMs);
  }

  /** Why the chain is read more slowly than possible; null if it is not. */
  describeSlowed(): string | null {
    const { creditsPerDay } = this.#budget;
    const isSlowed = this.waitMs > 0 || this.#clock.monotonicMs() < this.#slowedUntilMs;
    if (creditsPerDay === null || !isSlowed) return null;
    return `slowed down to keep within ${creditsPerDay.toLocaleString('en')} credits a day`;
  }

  /** Returns when work in the background may go on. */
  async pace(sleep: Sleep, signal?: AbortSignal): Promise<void> {
    const { waitMs } = this;
    if (waitMs === 0) return;
    if (waitMs >= NOTABLE_WAIT_MS) {
      this.#slowedUntilMs = this.#clock.monotonicMs() + waitMs + SLOWED_FOR_MS;
    }
    // Client calls may run up a debt; the rest of it is waited for by the next call.
    await sleep(Math.min(waitMs, WAIT_MAX_MS), signal);
  }

  #spend(credits: number): void {
    const { creditsPerDay } = this.#budget;
    if (creditsPerDay === null || credits === 0) return;
    const durationMs = credits * this.#computeMsPerCredit(creditsPerDay);
    const debtMaxMs = Math.max(DEBT_MAX_MS, durationMs);
    this.#cell.spend(durationMs * 1000, this.#clock.monotonicMs() * 1000, debtMaxMs * 1000);
  }

  /** So that a burst and what follows in a day are together the budget. */
  #computeMsPerCredit(creditsPerDay: number): number {
    return DAY_MS / (creditsPerDay * (1 - BURST_SHARE));
  }

  #find(method: string): MethodTally {
    const known = this.#tallies.get(method);
    if (known !== undefined) return known;
    const tally = { calls: 0, credits: 0, bytes: 0, unpackedBytes: 0 };
    this.#tallies.set(method, tally);
    return tally;
  }
}
