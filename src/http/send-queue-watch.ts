// Finds readers of streams that never read. The system takes megabytes for a connection before
// anything waits in this process, so its send queues are looked at, too.

import type { Clock } from '../lib/clock.ts';
import { type ConnectionEnds, type ReadSendQueues, toConnectionName } from './read-send-queues.ts';

interface WatchedSocket extends ConnectionEnds {
  /** Bytes that were written, whether they have left this process or not. */
  readonly bytesWritten: number;
  /** Of those, bytes that are still in this process. */
  readonly writableLength: number;
}

export interface WatchedQueue {
  /**
   * For how long bytes have lain in the system's queue of which none was acknowledged, as of the
   * last look; 0 where the queue was empty or cannot be seen.
   */
  readonly stalledMs: number;
  /** To be called when the connection closes. */
  forget(): void;
}

interface SendQueueWatchOptions {
  readonly readSendQueues: ReadSendQueues;
  readonly clock: Clock;
}

const LOOK_EVERY_MS = 15_000;

class Queue {
  readonly #socket: WatchedSocket;
  /** Bytes that had left this process before the look that is under way; null before the first. */
  #takenBytes: number | null = null;
  /** The most that the other end was seen to have acknowledged. */
  #ackedBytes = Number.NEGATIVE_INFINITY;
  #sinceMs = 0;
  stalledMs = 0;

  constructor(socket: WatchedSocket) {
    this.#socket = socket;
  }

  /**
   * Before the queues are read: what is written while they are read may be in the queue already,
   * and must not count as acknowledged.
   */
  prepare(): void {
    this.#takenBytes = this.#socket.bytesWritten - this.#socket.writableLength;
  }

  see(queuedBytes: number, nowMs: number): void {
    if (this.#takenBytes === null) return;
    // An empty queue cannot stall: time counts from the first look that finds something in it.
    const ackedBytes =
      queuedBytes === 0 ? Number.NEGATIVE_INFINITY : this.#takenBytes - queuedBytes;
    if (queuedBytes === 0 || ackedBytes > this.#ackedBytes) {
      this.#ackedBytes = ackedBytes;
      this.#sinceMs = nowMs;
    }
    this.stalledMs = nowMs - this.#sinceMs;
  }
}

export class SendQueueWatch {
  readonly #options: SendQueueWatchOptions;
  readonly #queues = new Map<string, Queue>();
  #timer: NodeJS.Timeout | null = null;
  #isLooking = false;

  constructor(options: SendQueueWatchOptions) {
    this.#options = options;
  }

  watch(socket: WatchedSocket): WatchedQueue {
    const queue = new Queue(socket);
    const name = toConnectionName(socket);
    if (name !== null) {
      this.#queues.set(name, queue);
      this.#timer ??= setInterval(() => void this.look(), LOOK_EVERY_MS).unref();
    }
    return {
      get stalledMs() {
        return queue.stalledMs;
      },
      forget: () => {
        if (name !== null && this.#queues.get(name) === queue) this.#queues.delete(name);
        if (this.#queues.size > 0 || this.#timer === null) return;
        clearInterval(this.#timer);
        this.#timer = null;
      },
    };
  }

  /** One read of the system's tables for all connections. */
  async look(): Promise<void> {
    if (this.#isLooking) return;
    this.#isLooking = true;
    try {
      for (const queue of this.#queues.values()) queue.prepare();
      const queued = await this.#options.readSendQueues();
      const nowMs = this.#options.clock.monotonicMs();
      // What cannot be seen counts as empty: nobody is cut for it.
      for (const [name, queue] of this.#queues) queue.see(queued?.get(name) ?? 0, nowMs);
    } finally {
      this.#isLooking = false;
    }
  }
}
