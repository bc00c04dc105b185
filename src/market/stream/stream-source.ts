// Where a reader's events come from: pages of the store until it has caught up, then a channel.

import type { StreamFrame } from '../../contract/stream-answer.ts';
import type { Outbox } from '../../live/outbox.ts';
import { encodeMissed, isWanted } from './encode-events.ts';
import type { Missed, MissedRequest } from './read-missed.ts';
import { buildStateMessage } from './stream-group.ts';
import type { StreamHub } from './stream-hub.ts';
import type { StreamName, StreamPoint } from './stream-point.ts';
import { listSeries, type StreamFilter } from './stream-set.ts';
import type { TokenChannel } from './token-channel.ts';

export interface StreamSource {
  follows(channel: object): boolean;
  /** Goes live if that is possible; `wait` for the channels, or `behind`: `read` on. */
  join(outbox: Outbox): 'live' | 'wait' | 'behind';
  leave(outbox: Outbox): void;
  untilMoved(): Promise<void>;
  /** Whether the next page is charged. */
  readonly isPaid: boolean;
  /** The next page as text; null if the stream cannot go on. */
  read(): Promise<string | null>;
  /** A heartbeat with the readers' position; null if that is not certain. */
  buildBeat(): StreamFrame | null;
}

export interface StreamOpening {
  readonly point: StreamPoint;
  /** The page of the first text; null if it was a snapshot. */
  readonly page: Missed | null;
}

/** A reader of one token. */
export class TokenSource implements StreamSource {
  readonly #hub: StreamHub;
  readonly #channel: TokenChannel;
  readonly #filter: StreamFilter;
  #point: StreamPoint;
  #page: Missed | null;
  /** Whether it got a replay, which does not include states. */
  #hasRead: boolean;

  constructor(
    of: {
      readonly hub: StreamHub;
      readonly channel: TokenChannel;
      readonly filter: StreamFilter;
    },
    { point, page }: StreamOpening,
  ) {
    this.#hub = of.hub;
    this.#channel = of.channel;
    this.#filter = of.filter;
    this.#point = point;
    this.#page = page;
    this.#hasRead = page !== null;
  }

  follows(channel: object): boolean {
    return channel === this.#channel;
  }

  join(outbox: Outbox): 'live' | 'wait' | 'behind' {
    const page = this.#page;
    if (page !== null && page.series === null) return 'behind';
    const filter = this.#filter;
    const channel = this.#channel;
    const joined = channel.join({ outbox, filter, point: this.#point, page });
    if (joined !== 'live') return joined;
    this.#page = null;
    // The snapshot already holds them, unless something came after it.
    if (this.#hasRead || channel.hasSeveralOpen(filter)) {
      const events = channel.listStates(filter);
      const states = new Map(Array.from(events, ([name, event]) => [name, event.encode()]));
      if (states.size > 0) outbox.push(buildStateMessage(states));
      this.#hub.wantStates(channel, filter.kinds);
    }
    return 'live';
  }

  leave(outbox: Outbox): void {
    this.#channel.leave({ outbox, filter: this.#filter });
  }

  untilMoved(): Promise<void> {
    return this.#channel.untilMoved();
  }

  get isPaid(): boolean {
    return this.#page !== null && this.#page.items.length > 0;
  }

  async read(): Promise<string | null> {
    const { name } = this.#channel;
    const filter = this.#filter;
    const limit = this.#hub.limits.pageEvents;
    const page = await this.#hub.read(buildRequest(name, { point: this.#point, filter, limit }));
    if (typeof page === 'string') return null;
    this.#page = page;
    this.#hasRead = true;
    this.#point = page.point;
    return encodePage(page, name, filter);
  }

  buildBeat(): StreamFrame | null {
    return this.#channel.buildBeat();
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
    series: listSeries(filter),
    limit,
  };
}

export function encodePage(page: Missed, name: StreamName, filter: StreamFilter): string {
  const items = encodeMissed(page, name).filter((item) => isWanted(item, filter));
  return items.map((item) => item.text(filter)).join('');
}
