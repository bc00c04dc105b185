// One reader of a stream: first what it missed, page by page, then live events.

import { StreamFrame, type StreamOutlet, type StreamReader } from '../../contract/stream-answer.ts';
import { Outbox } from '../../live/outbox.ts';
import type { TokenReference } from '../parse-token.ts';
import { encodePaused } from './encode-events.ts';
import type { StreamHub } from './stream-hub.ts';
import type { StreamSource } from './stream-source.ts';

interface StreamClientOptions {
  readonly hub: StreamHub;
  readonly source: StreamSource;
  readonly spend: (cost: number) => number;
  /** Called once, when the stream has ended completely. */
  readonly onGone: () => void;
}

/** A replay page is charged like a read. */
const REPLAY_PAGE_COST = 1;
/** A reader that does not take a page in this time is disconnected and may resume. */
const REPLAY_STALL_MS = 10_000;

/** Spread out, so that the readers of a lost server do not reconnect all at once. */
const RETRY_MIN_MS = 1000;
const RETRY_SPAN_MS = 2000;

/** A heartbeat without an id, for readers with their own replay. */
const PLAIN_BEAT = new StreamFrame(':\n\n');

export class StreamClient implements StreamReader {
  readonly #options: StreamClientOptions;
  readonly #outbox: Outbox;
  /** Sent first and then released: it is long, and a stream may last for days. */
  #text: string | null;
  #isLive = false;
  #isClosed = false;
  #onDrained: (() => void) | null = null;

  constructor(options: StreamClientOptions, outlet: StreamOutlet, text: string) {
    this.#options = options;
    const { hub } = options;
    this.#text = text;
    this.#outbox = new Outbox({
      outlet,
      waitingBytesMax: hub.limits.waitingBytesMax,
      nowMs: () => hub.clock.monotonicMs(),
      onCut: () => hub.count('cut'),
    });
  }

  follows(channel: object): boolean {
    return this.#options.source.follows(channel);
  }

  start(): void {
    const retryMs = RETRY_MIN_MS + Math.floor(this.#options.hub.random() * RETRY_SPAN_MS);
    this.#outbox.write(new StreamFrame(`retry: ${retryMs}\n\n${this.#text ?? ''}`));
    this.#text = null;
    void this.#run();
  }

  onDrain(): void {
    this.#outbox.onDrain();
    if (this.#outbox.slowSinceMs !== null) return;
    this.#onDrained?.();
    this.#onDrained = null;
  }

  onClose(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#outbox.close();
    this.#onDrained?.();
    const { source, hub, onGone } = this.#options;
    if (this.#isLive) source.leave(this.#outbox);
    hub.forget(this);
    onGone();
  }

  /** Every 15 seconds. Disconnects a reader that has taken nothing for long. */
  beat(): void {
    const { hub, source } = this.#options;
    const slowSinceMs = this.#outbox.slowSinceMs ?? Number.POSITIVE_INFINITY;
    const slowMs = hub.clock.monotonicMs() - slowSinceMs;
    // On a quiet token little data waits for a reader, which may never count as slow.
    const stuckMs = Math.max(slowMs, this.#outbox.readStuckMs());
    if (stuckMs > hub.limits.stallMs) this.#outbox.cut();
    else if (this.#outbox.slowSinceMs === null) {
      this.#outbox.write((this.#isLive ? source.buildBeat() : null) ?? PLAIN_BEAT);
    }
  }

  /** Ends the stream; the reader may reconnect here or to another node. */
  end(): void {
    this.#outbox.end();
    this.onClose();
  }

  pause(token: TokenReference): void {
    this.#outbox.write(new StreamFrame(encodePaused(token)));
    this.end();
  }

  async #run(): Promise<void> {
    const { source, hub } = this.#options;
    try {
      while (!this.#isClosed) {
        const joined = source.join(this.#outbox);
        if (joined === 'live') {
          this.#isLive = true;
          return;
        }
        if (joined === 'wait') await source.untilMoved();
        else await this.#readOn();
      }
    } catch (error) {
      hub.onError(error);
      // Its last id is valid, so it resumes where this failed.
      this.end();
    }
  }

  async #readOn(): Promise<void> {
    const { source, hub } = this.#options;
    if (source.isPaid) await this.#pay();
    await hub.replays.run(async () => {
      if (this.#isClosed) return;
      const text = await source.read();
      if (this.#isClosed) return;
      if (text === null) this.end();
      else if (text !== '') await this.#send(text);
    });
  }

  /** Resolves when the reader has taken it. */
  async #send(text: string): Promise<void> {
    if (this.#outbox.write(new StreamFrame(text))) return;
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#onDrained = resolve;
    const stalled = setTimeout(() => this.#outbox.cut(), REPLAY_STALL_MS);
    await promise;
    clearTimeout(stalled);
  }

  /** Waits if the caller's budget is used up: the stream continues later. */
  async #pay(): Promise<void> {
    for (;;) {
      const waitMs = this.#options.spend(REPLAY_PAGE_COST);
      if (waitMs === 0 || this.#isClosed) return;
      await this.#options.hub.sleep(waitMs);
    }
  }
}
