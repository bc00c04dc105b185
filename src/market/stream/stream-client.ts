// One reader of a token's stream: first what it missed, page by page, then live events.

import { StreamFrame, type StreamOutlet, type StreamReader } from '../../contract/stream-answer.ts';
import { Outbox } from '../../live/outbox.ts';
import { encodeMissed, encodePaused, isWanted } from './encode-events.ts';
import type { Missed, MissedRequest } from './read-missed.ts';
import type { StreamFilter } from './stream-filter.ts';
import { listIntervals } from './stream-filter.ts';
import type { StreamHub } from './stream-hub.ts';
import type { StreamName, StreamPoint } from './stream-point.ts';
import { PLAIN_BEAT, type TokenChannel } from './token-channel.ts';

export interface StreamOpening {
  /** The first text, which ends with the id of the state it reflects. */
  readonly text: string;
  readonly point: StreamPoint;
  /** The page of that text; null if it was a snapshot. */
  readonly page: Missed | null;
}

interface StreamClientOptions {
  readonly hub: StreamHub;
  readonly channel: TokenChannel;
  readonly filter: StreamFilter;
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

export class StreamClient implements StreamReader {
  readonly #options: StreamClientOptions;
  readonly #outbox: Outbox;
  /** Sent first and then released: it is long, and a stream may last for days. */
  #text: string | null;
  #point: StreamPoint;
  #page: Missed | null;
  /** Whether it got a replay, which does not include states. */
  #hasRead: boolean;
  #isLive = false;
  #joined: ReturnType<TokenChannel['join']> = 'behind';
  #isClosed = false;
  #onDrained: (() => void) | null = null;

  constructor(options: StreamClientOptions, outlet: StreamOutlet, opening: StreamOpening) {
    this.#options = options;
    const { hub } = options;
    this.#text = opening.text;
    this.#point = opening.point;
    this.#page = opening.page;
    this.#hasRead = opening.page !== null;
    this.#outbox = new Outbox({
      outlet,
      waitingBytesMax: hub.limits.waitingBytesMax,
      nowMs: () => hub.clock.monotonicMs(),
      onCut: () => hub.count('cut'),
    });
  }

  get channel(): TokenChannel {
    return this.#options.channel;
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
    const { channel, filter, hub, onGone } = this.#options;
    if (this.#isLive) channel.leave({ outbox: this.#outbox, filter });
    hub.forget(this);
    onGone();
  }

  /** Every 15 seconds. Disconnects a reader that has taken nothing for long. */
  beat(): void {
    const { hub } = this.#options;
    const slowSinceMs = this.#outbox.slowSinceMs ?? Number.POSITIVE_INFINITY;
    const slowMs = hub.clock.monotonicMs() - slowSinceMs;
    // On a quiet token little data waits for a reader, which may never count as slow.
    const stuckMs = Math.max(slowMs, this.#outbox.readStuckMs());
    if (stuckMs > hub.limits.stallMs) this.#outbox.cut();
    else if (this.#outbox.slowSinceMs === null) {
      this.#outbox.write(this.#isLive ? this.channel.buildBeat() : PLAIN_BEAT);
    }
  }

  /** Ends the stream; the reader may reconnect here or to another node. */
  end(): void {
    this.#outbox.end();
    this.onClose();
  }

  pause(): void {
    this.#outbox.write(new StreamFrame(encodePaused(this.channel.name)));
    this.end();
  }

  async #run(): Promise<void> {
    try {
      while (!this.#isClosed && !this.#join()) await this.#goOn();
    } catch (error) {
      this.#options.hub.onError(error);
      // Its last id is valid, so it resumes where this failed.
      this.end();
    }
  }

  /** True once the reader is live. */
  #join(): boolean {
    const { hub, channel, filter } = this.#options;
    const page = this.#page?.series ? this.#page : null;
    const isAtTip = page !== null || this.#page === null;
    if (!isAtTip) return false;
    const outbox = this.#outbox;
    this.#joined = channel.join({ outbox, filter, point: this.#point, page });
    if (this.#joined !== 'live') return false;
    this.#isLive = true;
    this.#page = null;
    // The snapshot already holds them, unless something came after it.
    if (this.#hasRead || channel.hasSeveralOpen(filter)) {
      hub.sendStates(channel, { outbox, filter });
    }
    return true;
  }

  async #goOn(): Promise<void> {
    if (this.#joined === 'wait') {
      this.#joined = 'behind';
      await this.channel.untilMoved();
      return;
    }
    if (this.#page !== null && this.#page.items.length > 0) await this.#pay();
    const leave = await this.#options.hub.replays.enter();
    try {
      if (!this.#isClosed) await this.#readOn();
    } finally {
      leave();
    }
  }

  async #readOn(): Promise<void> {
    const { hub, channel, filter } = this.#options;
    const limit = hub.limits.pageEvents;
    const page = await hub.read(buildRequest(channel.name, { point: this.#point, filter, limit }));
    if (this.#isClosed) return;
    if (typeof page === 'string') {
      this.end();
      return;
    }
    this.#page = page;
    this.#hasRead = true;
    this.#point = page.point;
    const text = encodePage(page, channel.name, filter);
    if (text !== '') await this.#send(text);
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

/** The request for the next page of a reader with this filter. */
export function buildRequest(
  name: StreamName,
  from: { readonly point: StreamPoint; readonly filter: StreamFilter; readonly limit: number },
): MissedRequest {
  const { point, filter, limit } = from;
  return {
    ...name,
    point,
    withTrades: filter.kinds.has('trade'),
    intervals: listIntervals(filter),
    limit,
  };
}

export function encodePage(page: Missed, name: StreamName, filter: StreamFilter): string {
  const items = encodeMissed(page, name).filter((item) => isWanted(item, filter));
  return items.map(({ text }) => text).join('');
}
