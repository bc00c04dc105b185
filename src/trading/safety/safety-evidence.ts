// Evidence against a measurement: the token's contract emitted an event, a real swap paid another
// tax than the measured one, a simulation failed. Each raises a doubt in the cache, so that nothing
// is promised until the pool has been measured again.
//
// Anybody can produce some kinds of evidence, which often mean nothing: events that a stranger can
// cause, payers that send a part to somebody else, wallets that cannot be paid. Evidence that new
// measurements refute repeatedly is ignored for a while. Evidence that only the token's contract or
// its owner can cause always counts.

import { BoundedMap } from '../../lib/bounded-map.ts';
import type { Clock } from '../../lib/clock.ts';
import type { FeedBatch } from '../../live/feed.ts';
import type { Address, PoolId } from '../../model/ids.ts';
import type { PoolSafety, SideSafety } from '../../model/pool-safety.ts';
import type { TokenEventNotice, TokenTaxNotice } from '../../model/token-notice.ts';
import type { PoolGraph } from '../graph/pool-graph.ts';
import type { SafetyCache } from '../graph/safety-cache.ts';

interface SafetyEvidenceOptions {
  readonly safetyCache: SafetyCache;
  readonly readGraph: () => PoolGraph | null;
  /** Assets that the operator trusts: of their events only those of their owners count. */
  readonly trusted: ReadonlySet<Address>;
  readonly clock: Clock;
  /** Called with the pools to measure again; `isUrgent` if somebody is waiting. */
  readonly remeasure: (pools: readonly PoolId[], isUrgent: boolean) => void;
}

/** Evidence that measurements refuted this often within an hour is ignored for that hour. */
const REFUTED_MAX = 5;
/** The same for failed simulations of one pool, by any caller. */
const FAILURES_REFUTED_MAX = 20;
const REFUTED_LIFE_MS = 3_600_000;
/**
 * How many pools of a doubted token are measured without a request; the others when they are
 * quoted.
 */
const REMEASURED_MAX = 5;
const TRACKED_MAX = 50_000;
/**
 * The maximum pending kinds of evidence per token or pool; further ones count, but cannot be
 * refuted.
 */
const OPEN_MAX = 64;
/** A tax is measured to the nearest basis point, of amounts that contracts round differently. */
const TOLERANCE_BPS = 2;

interface Refuted {
  readonly sinceMs: number;
  readonly count: number;
}

/** A missing value is compatible with anything. */
function isSame(a: number | null, b: number | null): boolean {
  return a === null || b === null || Math.abs(a - b) < TOLERANCE_BPS;
}

/**
 * Whether a token is unchanged. If the other token cannot be bought (`other.sellable` null), it
 * looks as if this one could not be sold.
 */
function isSameSide(before: SideSafety, after: SideSafety, other: SideSafety): boolean {
  const isCostSame = (before.sellUnits === undefined) === (after.sellUnits === undefined);
  const isTaxSame = isSame(before.outBps, after.outBps) && isSame(before.inBps, after.inBps);
  const isSoldSame = before.sellable === after.sellable || other.sellable === null;
  return isCostSame && isTaxSame && isSoldSame;
}

export class SafetyEvidence {
  readonly #options: SafetyEvidenceOptions;
  /** Kinds of evidence that wait for the next measurement, by token or pool. */
  readonly #open = new BoundedMap<Address | PoolId, Set<string>>(TRACKED_MAX);
  readonly #refuted = new BoundedMap<string, Refuted>(TRACKED_MAX);
  /** The block of each token's last evidence, in case that block is reorganised. */
  readonly #blocks = new BoundedMap<Address, number>(TRACKED_MAX);

  constructor(options: SafetyEvidenceOptions) {
    this.#options = options;
  }

  /** How many kinds of evidence about a token or pool wait for a measurement. */
  countOpen(subject: Address | PoolId): number {
    return this.#open.get(subject)?.size ?? 0;
  }

  onBatch(batch: Pick<FeedBatch, 'notices' | 'isRollback' | 'toBlock' | 'checkpoint'>): void {
    const { safetyCache, clock } = this.#options;
    if (batch.notices === null) {
      // A chain's clock may be ahead of ours.
      safetyCache.doubtBefore(Math.min(batch.checkpoint.timestampMs, clock.nowMs()));
      return;
    }
    if (batch.isRollback) this.#onRollback(batch.toBlock);
    for (const notice of batch.notices) {
      if (notice.kind === 'tax') this.#onTax(notice, batch.toBlock);
      else if (this.#isNews(notice)) this.#doubtToken(notice.token, batch.toBlock);
    }
  }

  /** Commits were missed, and with them their evidence. */
  onGap(): void {
    this.#options.safetyCache.doubtBefore(this.#options.clock.nowMs());
  }

  /** A trade failed, or paid less than it should, on the state that it was priced on. */
  onFailure({ pools, wallet }: { readonly pools: readonly PoolId[]; wallet: Address }): void {
    const { safetyCache, remeasure } = this.#options;
    const known = pools.flatMap((pool) => safetyCache.get(pool) ?? []);
    // If a sale on the route is already known to fail, nothing new was learnt.
    if (known.some(({ side0, side1 }) => !(side0.sellable && side1.sellable))) return;
    const measured = known.map(({ pool }) => pool);
    const doubted = measured.filter((pool) => {
      const isNews = this.#note(pool, `failure of ${wallet}`);
      return isNews && this.#note(pool, 'failure', FAILURES_REFUTED_MAX);
    });
    for (const pool of doubted) safetyCache.doubt(pool);
    if (doubted.length > 0) remeasure(doubted, true);
  }

  /** Call it for each measurement, with the previous one, once it is in the cache. */
  settle(before: PoolSafety | undefined, after: PoolSafety): void {
    const { safetyCache } = this.#options;
    if (before === undefined || safetyCache.findDoubt(after.pool) !== null) return;
    const isSame0 = isSameSide(before.side0, after.side0, after.side1);
    const isSame1 = isSameSide(before.side1, after.side1, after.side0);
    this.#close(after.pool, isSame0 && isSame1);
    this.#close(after.token0, isSame0);
    this.#close(after.token1, isSame1);
    if (isSame0 && isSame1) return;
    // What changed here may have changed in the token's other pools.
    const { trusted } = this.#options;
    if (!isSame0 && !trusted.has(after.token0)) safetyCache.doubt(after.token0);
    if (!isSame1 && !trusted.has(after.token1)) safetyCache.doubt(after.token1);
    safetyCache.set(after);
  }

  clear(): void {
    this.#open.clear();
    this.#refuted.clear();
    this.#blocks.clear();
  }

  #isNews({ token, topics, isAdmin }: TokenEventNotice): boolean {
    if (isAdmin) return true;
    if (this.#options.trusted.has(token) || !this.#isTraded(token)) return false;
    // All are recorded, so that each can be refuted.
    return topics.map((topic) => this.#note(token, topic)).some((isNews) => isNews);
  }

  #onTax({ token, pool, side, bps, payee }: TokenTaxNotice, block: number): void {
    const { safetyCache, remeasure } = this.#options;
    const known = safetyCache.get(pool);
    if (known === undefined) return;
    const measured = known.token0 === token ? known.side0 : known.side1;
    const expected = (side === 'in' ? measured.inBps : measured.outBps) ?? 0;
    if (Math.abs(expected - bps) < TOLERANCE_BPS) return;
    if (payee === null) this.#doubtToken(token, block);
    else if (this.#note(pool, 'payee')) {
      // Any payer can cause this, so it says nothing about the token's other pools.
      safetyCache.doubt(pool);
      remeasure([pool], false);
    }
  }

  /** Measurements on a removed branch may not be valid on the new one. */
  #onRollback(toBlock: number): void {
    for (const token of [...this.#blocks.keys()]) {
      if ((this.#blocks.get(token) ?? 0) > toBlock) this.#doubtToken(token, toBlock);
    }
  }

  #doubtToken(token: Address, block: number): void {
    if (!this.#isTraded(token)) return;
    const { safetyCache, remeasure } = this.#options;
    this.#blocks.delete(token);
    this.#blocks.set(token, block);
    safetyCache.doubt(token);
    remeasure(this.#listMeasured(token), false);
  }

  #isTraded(token: Address): boolean {
    const graph = this.#options.readGraph();
    return graph !== null && graph.neighbours(graph.toAsset(token)).size > 0;
  }

  #listMeasured(token: Address): PoolId[] {
    const { safetyCache, readGraph } = this.#options;
    const found: PoolId[] = [];
    const graph = readGraph();
    if (graph === null) return found;
    for (const pools of graph.neighbours(graph.toAsset(token)).values()) {
      for (const pool of pools) {
        if (found.length >= REMEASURED_MAX) return found;
        if (safetyCache.get(pool) !== undefined) found.push(pool);
      }
    }
    return found;
  }

  /** Whether this evidence counts; if so, the next measurement confirms or refutes it. */
  #note(subject: Address | PoolId, evidence: string, refutedMax = REFUTED_MAX): boolean {
    const key = `${subject} ${evidence}`;
    const refuted = this.#refuted.get(key);
    const nowMs = this.#options.clock.monotonicMs();
    if (refuted !== undefined && nowMs - refuted.sinceMs >= REFUTED_LIFE_MS) {
      this.#refuted.delete(key);
    } else if ((refuted?.count ?? 0) >= refutedMax) return false;
    const open = this.#open.get(subject) ?? new Set();
    // Anybody can invent another topic or wallet, and some pools are never measured again.
    if (open.size < OPEN_MAX) open.add(key);
    this.#open.set(subject, open);
    return true;
  }

  #close(subject: Address | PoolId, isRefuted: boolean): void {
    for (const key of this.#open.get(subject) ?? []) {
      const { count, sinceMs } = this.#refuted.get(key) ?? {
        count: 0,
        sinceMs: this.#options.clock.monotonicMs(),
      };
      if (isRefuted) this.#refuted.set(key, { count: count + 1, sinceMs });
      else this.#refuted.delete(key);
    }
    this.#open.delete(subject);
  }
}
