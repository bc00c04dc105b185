// The send queue of one reader. A slow reader gets events late and states coalesced; one that falls
// too far behind is disconnected and can resume. No other reader waits for it.

import type { DirectWay, StreamFrame, StreamOutlet } from '../contract/stream-answer.ts';
import type { StateName, StreamMessage } from './stream-message.ts';

interface OutboxOptions {
  readonly outlet: StreamOutlet;
  /** The maximum bytes of queued events per reader. */
  readonly waitingBytesMax: number;
  readonly nowMs: () => number;
  /** Called once when the reader is disconnected. */
  readonly onCut?: () => void;
}

export class Outbox {
  // Fields that every message uses come first, so that they are adjacent in memory.
  readonly #sink: DirectWay['sink'] | null;
  readonly #toBytes: DirectWay['toBytes'];
  /** Since when the reader is too slow; null while it keeps up. */
  #slowSinceMs: number | null = null;
  #isClosed = false;
  readonly #outlet: StreamOutlet;
  readonly #options: OutboxOptions;
  /**
   * The bytes taken when data was first seen waiting, and since when that number has not changed.
   */
  #stuck: { readonly takenBytes: number; readonly sinceMs: number } | null = null;
  #waiting: StreamFrame[] = [];
  #waitingBytes = 0;
  #states: Map<StateName, StreamFrame> | null = null;

  constructor(options: OutboxOptions) {
    this.#options = options;
    this.#outlet = options.outlet;
    const { direct } = options.outlet;
    this.#sink = direct?.sink ?? null;
    this.#toBytes = direct?.toBytes ?? (({ bytes }) => bytes);
  }

  get slowSinceMs(): number | null {
    return this.#slowSinceMs;
  }

  /**
   * How long data has waited, here or in the system's queue, without any of it being taken; 0 if
   * nothing waits. Must be called regularly: it counts from the first call that finds data waiting.
   */
  readStuckMs(): number {
    const { takenBytes, waitingBytes } = this.#outlet;
    if (waitingBytes === 0) this.#stuck = null;
    else if (this.#stuck?.takenBytes !== takenBytes) {
      this.#stuck = { takenBytes, sinceMs: this.#options.nowMs() };
    }
    const heldMs = this.#stuck === null ? 0 : this.#options.nowMs() - this.#stuck.sinceMs;
    return Math.max(heldMs, this.#outlet.stalledMs);
  }

  push(message: StreamMessage): void {
    if (this.#isClosed) return;
    if (this.#slowSinceMs === null) this.#write(message.whole);
    else this.#hold(message);
  }

  /** Writes to this reader only; false while its buffer is full. */
  write(frame: StreamFrame): boolean {
    if (!this.#isClosed) this.#write(frame);
    return this.#slowSinceMs === null;
  }

  /** The socket accepts data again. */
  onDrain(): void {
    this.#slowSinceMs = null;
    const frames = [...this.#waiting, ...(this.#states?.values() ?? [])];
    this.#waiting = [];
    this.#waitingBytes = 0;
    this.#states = null;
    for (const frame of frames) if (!this.#isClosed) this.#write(frame);
  }

  /**
   * Ends cleanly after everything written has been sent; does not wait for a reader that takes
   * nothing.
   */
  end(): void {
    if (this.#slowSinceMs !== null) {
      this.cut();
      return;
    }
    if (!this.#isClosed) this.#outlet.end();
    this.close();
  }

  /** Ends at once. */
  cut(): void {
    if (this.#isClosed) return;
    this.#outlet.cut();
    this.close();
    this.#options.onCut?.();
  }

  /** Discards everything; nothing is written afterwards. */
  close(): void {
    this.#isClosed = true;
    this.#waiting = [];
    this.#states = null;
  }

  #write(frame: StreamFrame): void {
    const sink = this.#sink;
    const isFree = sink === null ? this.#outlet.write(frame) : sink.write(this.#toBytes(frame));
    if (!isFree) this.#slowSinceMs ??= this.#options.nowMs();
  }

  #hold(message: StreamMessage): void {
    const { kept } = message;
    for (const name of message.parts.ended) this.#states?.delete(name);
    if (message.parts.states.size > 0) {
      this.#states ??= new Map();
      for (const [name, frame] of message.states) this.#states.set(name, frame);
    }
    if (kept === null) return;
    this.#waiting.push(kept);
    this.#waitingBytes += kept.bytes.length;
    const waitingBytes = this.#waitingBytes + this.#outlet.waitingBytes;
    if (waitingBytes > this.#options.waitingBytesMax) this.cut();
  }
}
