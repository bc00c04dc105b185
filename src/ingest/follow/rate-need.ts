// Finds out that the endpoints' rate cannot carry a chain, and which rate would: what was asked in
// the last minutes, times the blocks that the chain made for each one that was indexed.

interface RateSample {
  readonly nowMs: number;
  readonly head: number;
  /** The last indexed block. */
  readonly block: number;
  /** Calls since the start. */
  readonly calls: number;
  /** Requests refused or failed since the start: some endpoints close what is over the rate. */
  readonly refusals: number;
}

export interface RateShortage {
  readonly askedPerSecond: number;
  readonly neededPerSecond: number;
}

const SAMPLE_MS = 5000;
const [WINDOW_MIN_MS, WINDOW_MS] = [60_000, 180_000];
/** Whoever keeps to a rate that was learned is refused seldom. */
const REFUSED_KEPT_MS = 600_000;
/** After an outage the head jumps: what came before says nothing about the rate. */
const STILL_MS = 30_000;
/** An index that is closer to the head than this keeps up. */
const BEHIND_MIN_MS = 15_000;

export class RateNeed {
  #samples: RateSample[] = [];
  #headMovedAtMs = 0;
  #refusals = 0;
  #refusedAtMs = Number.NEGATIVE_INFINITY;
  #shortage: RateShortage | null = null;

  /** Call it at any time; null while the rate is enough, as far as known. */
  observe(sample: RateSample): RateShortage | null {
    const { nowMs, head, refusals } = sample;
    const last = this.#samples.at(-1);
    if (refusals > this.#refusals) this.#refusedAtMs = nowMs;
    this.#refusals = refusals;
    if (last !== undefined && nowMs - last.nowMs < SAMPLE_MS) return this.#shortage;
    if (last === undefined || head !== last.head) {
      if (nowMs - this.#headMovedAtMs > STILL_MS) this.#samples = [];
      this.#headMovedAtMs = nowMs;
    }
    this.#samples.push(sample);
    while (nowMs - (this.#samples[0]?.nowMs ?? nowMs) > WINDOW_MS) this.#samples.shift();
    const [first = sample] = this.#samples;
    if (nowMs - first.nowMs >= WINDOW_MIN_MS) this.#shortage = this.#judge(first, sample);
    return this.#shortage;
  }

  #judge(first: RateSample, last: RateSample): RateShortage | null {
    const seconds = (last.nowMs - first.nowMs) / 1000;
    const made = last.head - first.head;
    const done = last.block - first.block;
    const behindMs = ((last.head - last.block) * seconds * 1000) / Math.max(1, made);
    const isLimited = last.nowMs - this.#refusedAtMs < REFUSED_KEPT_MS;
    if (!isLimited || behindMs < BEHIND_MIN_MS || done >= made) return null;
    const askedPerSecond = (last.calls - first.calls) / seconds;
    return { askedPerSecond, neededPerSecond: (askedPerSecond * made) / Math.max(1, done) };
  }
}

export function describeShortage({ askedPerSecond, neededPerSecond }: RateShortage): string {
  const toText = (rate: number) => (rate < 10 ? rate.toFixed(1) : String(Math.round(rate)));
  return `the endpoints take about ${toText(askedPerSecond)} calls a second; to keep up with the chain takes about ${toText(neededPerSecond)}`;
}
