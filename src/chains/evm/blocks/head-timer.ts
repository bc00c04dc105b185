// When to ask for the next block. Learns how far apart blocks are and how late they arrive, so that
// one poll per block is usually enough. Blocks that come faster than that are read several at once.

import type { BlockHeader } from '../../../model/block-header.ts';

/** The weight of the newest block in the average interval. */
const WEIGHT = 0.1;
/** A block that was there at the first poll may have been there this much earlier. */
const EARLIER = 0.02;
/** Asked a little after the block is due. */
const MARGIN = 0.03;
/** A block that is late is asked for so often in an interval. */
const LATE_POLLS = 8;
const LATE_MIN_MS = 250;
/** Announced blocks that come faster are read several at once, too. */
const ANNOUNCED_EACH_MS = 400;
/** Other work at the head must not wait longer. */
const WAIT_MAX_MS = 15_000;

export class HeadTimer {
  #last: BlockHeader | null = null;
  #intervalMs: number | null = null;
  #askedAtMs: number | null = null;
  /** How long after its own time a block arrives; includes the difference of the clocks. */
  #delayMs = 0;
  /** When the last block was polled for in vain; null if it was there at the first poll. */
  #missedAtMs: number | null = null;

  /** Each head as it is read, with the time of reading and when it was asked for. */
  observe(header: BlockHeader, nowMs: number, askedAtMs = nowMs): void {
    this.#askedAtMs = askedAtMs;
    const last = this.#last;
    if (last?.hash === header.hash) {
      this.#missedAtMs = nowMs;
      return;
    }
    const missedAtMs = this.#missedAtMs;
    this.#last = header;
    this.#missedAtMs = null;
    if (last === null || header.position <= last.position) return;
    const eachMs = (header.timestampMs - last.timestampMs) / (header.position - last.position);
    this.#intervalMs =
      this.#intervalMs === null ? eachMs : this.#intervalMs + (eachMs - this.#intervalMs) * WEIGHT;
    const seenMs = nowMs - header.timestampMs;
    // It came between the last two polls, or before the first one.
    this.#delayMs =
      missedAtMs === null
        ? Math.min(this.#delayMs, seenMs) - this.#intervalMs * EARLIER
        : seenMs - (nowMs - missedAtMs) / 2;
  }

  /**
   * How long to wait before asking again. If blocks come faster than `shortestMs`, or are unknown,
   * that is the time from one question to the next, however long the blocks took to read.
   */
  computeWaitMs(nowMs: number, shortestMs: number): number {
    const intervalMs = this.#intervalMs;
    if (this.#last === null || intervalMs === null || intervalMs <= shortestMs) {
      const askedAtMs = this.#askedAtMs ?? nowMs;
      return Math.min(shortestMs, Math.max(LATE_MIN_MS, askedAtMs + shortestMs - nowMs));
    }
    const dueMs = this.#last.timestampMs + intervalMs * (1 + MARGIN) + this.#delayMs;
    const lateMs = Math.max(LATE_MIN_MS, intervalMs / LATE_POLLS);
    return Math.min(WAIT_MAX_MS, Math.max(lateMs, dueMs - nowMs));
  }

  /** How long an announced block waits for the next ones. */
  computePauseMs(nowMs: number): number {
    if ((this.#intervalMs ?? ANNOUNCED_EACH_MS) >= ANNOUNCED_EACH_MS) return 0;
    const askedAtMs = this.#askedAtMs ?? nowMs;
    return Math.min(ANNOUNCED_EACH_MS, Math.max(0, askedAtMs + ANNOUNCED_EACH_MS - nowMs));
  }
}
