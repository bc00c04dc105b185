// Finds out that the endpoints' rate cannot carry a chain, and which rate would: the calls for each
// block that was read near the head, times the blocks that the chain makes, with room to catch up
// after an outage. History is left out: it costs fewer calls a block, and an index whose rate is
// too low jumps to what is final again and again, so that it seems to keep up. Where nothing but
// history is read, the same is found for that.

import type { IndexerStatus } from './indexer.ts';

interface RateSample {
  readonly nowMs: number;
  readonly status: Pick<IndexerStatus, 'head' | 'block' | 'lagMs' | 'followedBlocks'>;
  /** Calls since the start. */
  readonly calls: number;
  /** Requests refused or failed since the start: some endpoints close what is over the rate. */
  readonly refusals: number;
}

export interface RateShortage {
  readonly askedPerSecond: number;
  readonly neededPerSecond: number;
}

/** Where the index was at a time. */
interface Place {
  readonly nowMs: number;
  readonly block: number;
  readonly followed: number;
  readonly calls: number;
}

/** From one commit to a later one, of history or near the head. */
interface Slice {
  readonly seconds: number;
  readonly calls: number;
  readonly blocks: number;
}

/** A slice is at least so long; where nothing is indexed for longer, the rate is not the reason. */
const [SLICE_MS, SLICE_MAX_MS] = [5000, 180_000];
/** With fewer of the busiest slice's calls a second than this, endpoints failed in between. */
const BUSY_SHARE = 0.5;
const [WINDOW_MIN_S, WINDOW_S] = [60, 180];
/** Whoever keeps to a rate that was learned is refused seldom. */
const REFUSED_KEPT_MS = 600_000;
/** An index that is closer to the head than this keeps up. */
const BEHIND_MIN_MS = 15_000;
/** A rate that is just enough to keep up is not enough to catch up, at the start or later. */
const HEADROOM = 1.2;

function sum(slices: readonly Slice[], key: keyof Slice): number {
  return slices.reduce((total, slice) => total + slice[key], 0);
}

/** Those that were not spent in an outage. */
function pickBusy(slices: readonly Slice[]): Slice[] {
  const rates = slices.map(({ calls, seconds }) => calls / seconds);
  const least = BUSY_SHARE * Math.max(...rates);
  return slices.filter((_, index) => (rates[index] ?? 0) >= least);
}

function judge(slices: readonly Slice[], madePerSecond: number): RateShortage | null {
  const calls = sum(slices, 'calls');
  const askedPerSecond = calls / sum(slices, 'seconds');
  const neededPerSecond = (calls / sum(slices, 'blocks')) * madePerSecond * HEADROOM;
  return neededPerSecond > askedPerSecond ? { askedPerSecond, neededPerSecond } : null;
}

export class RateNeed {
  #near: Slice[] = [];
  #history: Slice[] = [];
  #from: Place | null = null;
  #refusals = 0;
  #refusedAtMs = Number.NEGATIVE_INFINITY;
  #shortage: RateShortage | null = null;

  /** Call it at any time; null while the rate is enough, as far as known. */
  observe(sample: RateSample): RateShortage | null {
    const { nowMs, calls, refusals } = sample;
    const { head, block, lagMs, followedBlocks: followed = 0 } = sample.status;
    if (refusals > this.#refusals) this.#refusedAtMs = nowMs;
    this.#refusals = refusals;
    if (head === null || block === null || lagMs === null || lagMs < BEHIND_MIN_MS) {
      this.#near = [];
      this.#history = [];
      this.#from = null;
      this.#shortage = null;
      return null;
    }
    const place = { nowMs, block, followed, calls };
    const from = this.#from ?? place;
    this.#from = from;
    const blocks = block - from.block;
    const isHistory = blocks > followed - from.followed;
    if (nowMs - from.nowMs > SLICE_MAX_MS) {
      this.#from = place;
    } else if (blocks > 0 && nowMs - from.nowMs >= SLICE_MS) {
      this.#from = place;
      const slices = isHistory ? this.#history : this.#near;
      const seconds = (nowMs - from.nowMs) / 1000;
      slices.push({ seconds, calls: calls - from.calls, blocks });
      while (sum(slices, 'seconds') - (slices[0]?.seconds ?? 0) > WINDOW_S) slices.shift();
      const madePerSecond = (1000 * (head - block)) / lagMs;
      const told = [this.#near, this.#history]
        .map(pickBusy)
        .find((some) => sum(some, 'seconds') >= WINDOW_MIN_S);
      const isLimited = nowMs - this.#refusedAtMs < REFUSED_KEPT_MS;
      this.#shortage = told && isLimited ? judge(told, madePerSecond) : null;
    }
    return this.#shortage;
  }
}

export function describeShortage({ askedPerSecond, neededPerSecond }: RateShortage): string {
  const toText = (rate: number) => (rate < 10 ? rate.toFixed(1) : String(Math.round(rate)));
  return `the endpoints take about ${toText(askedPerSecond)} calls a second; to keep up with the chain, and catch up, takes about ${toText(neededPerSecond)}`;
}
