// A reader of a chain's news: pages of the store until it has caught up, then the channel.

import type { StreamFrame } from '../../contract/stream-answer.ts';
import type { Outbox } from '../../live/outbox.ts';
import { encodeNewsPage } from './encode-news.ts';
import type { NewsChannel, NewsFilter } from './news-channel.ts';
import type { NewsPoint } from './news-point.ts';
import type { StreamHub } from './stream-hub.ts';
import type { StreamSource } from './stream-source.ts';

export interface NewsOpening {
  readonly point: NewsPoint;
  /** Null if the first text was a snapshot. */
  readonly page: { readonly isLast: boolean; readonly readCount: number } | null;
}

export class NewsSource implements StreamSource {
  readonly #hub: StreamHub;
  readonly #channel: NewsChannel;
  readonly #filter: NewsFilter;
  #point: NewsPoint;
  #page: NewsOpening['page'];
  readonly #isFresh: boolean;

  constructor(
    of: {
      readonly hub: StreamHub;
      readonly channel: NewsChannel;
      readonly filter: NewsFilter;
    },
    { point, page }: NewsOpening,
  ) {
    this.#hub = of.hub;
    this.#channel = of.channel;
    this.#filter = of.filter;
    this.#point = point;
    this.#page = page;
    this.#isFresh = page === null;
  }

  follows(channel: object): boolean {
    return channel === this.#channel;
  }

  join(outbox: Outbox): 'live' | 'wait' | 'behind' {
    if (this.#page?.isLast === false) return 'behind';
    const [filter, point, isFresh] = [this.#filter, this.#point, this.#isFresh];
    return this.#channel.join({ outbox, filter, point, isFresh });
  }

  leave(outbox: Outbox): void {
    this.#channel.leave({ outbox, filter: this.#filter });
  }

  untilMoved(): Promise<void> {
    return this.#channel.untilMoved();
  }

  get isPaid(): boolean {
    return this.#page !== null && this.#page.readCount > 0;
  }

  async read(): Promise<string | null> {
    const { name } = this.#channel;
    const { news, limits } = this.#hub;
    const { kinds } = this.#filter;
    const point = this.#point;
    const page = await news.read({ ...name, point, kinds, limit: limits.pageEvents });
    if (typeof page === 'string') return null;
    const { isLast, readCount } = page;
    this.#page = { isLast, readCount };
    this.#point = page.point;
    return encodeNewsPage(page, name)(this.#filter);
  }

  buildBeat(): StreamFrame | null {
    return this.#channel.buildBeat();
  }
}
