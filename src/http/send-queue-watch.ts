// Finds stream clients that never read. The system buffers megabytes per connection before anything
// waits in this process, so the TCP send queues are checked, too.

import type { Clock } from '../lib/clock.ts';
import { type ConnectionEnds, formatConnection, type ReadSendQueues } from './read-send-queues.ts';

interface WatchedSocket extends ConnectionEnds {
  /** Bytes written, whether or not they have left this process. */
  readonly bytesWritten: number;
  /** Of those, bytes that are still in this process. */
  readonly writableLength: number;
}

export interface WatchedQueue {
  /**
   * How long the system's send queue has been non-empty without any acknowledged byte, as of the
   * last check; 0 if it was empty or is unknown.
   */
  readonly stalledMs: number;
  /** Call this when the connection closes. */
  forget(): void;
}

interface SendQueueWatchOptions {
  readonly readSendQueues: ReadSendQueues;
  readonly clock: Clock;
}

const POLL_EVERY_MS = 15_000;

class Queue {
  readonly #socket: WatchedSocket;
  /** Bytes that had left this process before the current check; null before the first. */
  #takenBytes: number | null = null;
  /** The highest number of bytes known to be acknowledged. */
  #ackedBytes = Number.NEGATIVE_INFINITY;
  #sinceMs = 0;
  stalledMs = 0;

  constructor(socket: WatchedSocket) {
    this.#socket = socket;
  }

  /**
   * Called before the queues are read: bytes written during the read may already be queued, and
   * must not count as acknowledged.
   */
  prepare(): void {
    this.#takenBytes = this.#socket.bytesWritten - this.#socket.writableLength;
  }

  see(queuedBytes: number, nowMs: number): void {
    if (this.#takenBytes === null) return;
    // An empty queue cannot stall: time counts from the first check that finds bytes in it.
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
  #isPolling = false;

  constructor(options: SendQueueWatchOptions) {
    this.#options = options;
  }

  watch(socket: WatchedSocket): WatchedQueue {
    const queue = new Queue(socket);
    const name = formatConnection(socket);
    if (name !== null) {
      this.#queues.set(name, queue);
      this.#timer ??= setInterval(() => void this.poll(), POLL_EVERY_MS).unref();
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

  /** Reads the system's tables once for all connections. */
  async poll(): Promise<void> {
    if (this.#isPolling) return;
    this.#isPolling = true;
    try {
      for (const queue of this.#queues.values()) queue.prepare();
      const queued = await this.#options.readSendQueues();
      const nowMs = this.#options.clock.monotonicMs();
      // An unknown queue counts as empty: nobody is disconnected for it.
      for (const [name, queue] of this.#queues) queue.see(queued?.get(name) ?? 0, nowMs);
    } finally {
      this.#isPolling = false;
    }
  }
}
