// One reader's way out. Who reads slowly gets events late and states coalesced; who falls too far
// behind is cut off and can resume. Nobody else ever waits for it.

import type { DirectWay, StreamFrame, StreamOutlet } from '../contract/stream-answer.ts';
import type { StateName, StreamMessage } from './stream-message.ts';

interface OutboxOptions {
  readonly outlet: StreamOutlet;
  /** Bytes of events that may wait for one reader. */
  readonly waitingBytesMax: number;
  readonly nowMs: () => number;
  /** Told once when the reader is cut off. */
  readonly onCut?: () => void;
}

export class Outbox {
  // What every message to every reader looks at comes first, so that it lies together in memory.
  readonly #sink: DirectWay['sink'] | null;
  readonly #toBytes: DirectWay['toBytes'];
  /** Since when the reader does not keep up; null while it does. */
  #slowSinceMs: number | null = null;
  #isClosed = false;
  readonly #outlet: StreamOutlet;
  readonly #options: OutboxOptions;
  /** What had been taken when something was first seen to wait, and since when it is the same. */
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
   * For how long something has waited, here or in the system's queue, of which nothing was taken; 0
   * where nothing waits. To be asked now and then: it counts from the first time that it was asked.
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

  /** Writes what is for this reader alone; false while it should be given no more. */
  write(frame: StreamFrame): boolean {
    if (!this.#isClosed) this.#write(frame);
    return this.#slowSinceMs === null;
  }

  /** The way is free again. */
  onDrain(): void {
    this.#slowSinceMs = null;
    const frames = [...this.#waiting, ...(this.#states?.values() ?? [])];
    this.#waiting = [];
    this.#waitingBytes = 0;
    this.#states = null;
    for (const frame of frames) if (!this.#isClosed) this.#write(frame);
  }

  /** Ends cleanly: what was written arrives. Who takes nothing is not waited for. */
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

  /** Nothing is written any more. */
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
