// A reader of several tokens. Each token has its own point and pages; the reader goes live when all
// of them are at the commits of their channels, in the same turn of the event loop.

import type { StreamFrame } from '../../contract/stream-answer.ts';
import type { Outbox } from '../../live/outbox.ts';
import { encodeId, encodeMissed, isWanted } from './encode-events.ts';
import type { Missed } from './read-missed.ts';
import { buildStateMessage, type SetGroup, toStateName } from './stream-group.ts';
import type { StreamHub } from './stream-hub.ts';
import type { StreamPoint } from './stream-point.ts';
import type { StreamFilter } from './stream-set.ts';
import { encodeSetId, type StreamSet } from './stream-set.ts';
import { buildRequest, type StreamOpening, type StreamSource } from './stream-source.ts';
import type { Joiner, TokenChannel } from './token-channel.ts';

interface SetSourceOptions {
  readonly hub: StreamHub;
  readonly set: StreamSet;
  readonly filter: StreamFilter;
  /** Those of the set's names. */
  readonly channels: readonly TokenChannel[];
}

export class SetSource implements StreamSource {
  readonly #options: SetSourceOptions;
  #points: readonly StreamPoint[];
  #pages: readonly (Missed | null)[];
  #hasRead: boolean;
  #group: SetGroup<TokenChannel> | null = null;
  /** Events of pages that are not charged yet. */
  #unpaid = 0;

  constructor(options: SetSourceOptions, openings: readonly StreamOpening[]) {
    this.#options = options;
    this.#points = openings.map(({ point }) => point);
    this.#pages = openings.map(({ page }) => page);
    this.#hasRead = this.#pages.some((page) => page !== null);
    this.#unpaid = this.#pages.reduce((sum, page) => sum + (page?.items.length ?? 0), 0);
  }

  follows(channel: object): boolean {
    return this.#options.channels.some((one) => one === channel);
  }

  join(outbox: Outbox): 'live' | 'wait' | 'behind' {
    const { hub, set, filter, channels } = this.#options;
    const joiners = channels.map((_, index) => this.#toJoiner(index));
    const checks = channels.map((channel, index) => this.#check(channel, joiners[index]));
    if (checks.includes('behind')) return 'behind';
    if (checks.includes('wait')) return 'wait';
    for (const [index, channel] of channels.entries()) {
      const joiner = joiners[index];
      if (joiner !== null && joiner !== undefined) channel.prepare(joiner);
    }
    if (channels.some(({ isClosed }) => isClosed)) return 'wait';
    this.#group = hub.openSet(set, filter, channels);
    this.#group.outboxes.add(outbox);
    this.#pages = [];
    this.#sendStates(outbox);
    return 'live';
  }

  leave(outbox: Outbox): void {
    if (this.#group !== null) this.#options.hub.leaveSet(this.#group, outbox);
  }

  async untilMoved(): Promise<void> {
    await Promise.race(this.#options.channels.map((channel) => channel.untilMoved()));
  }

  /** A page has a few events of each token, so it is charged by their number. */
  get isPaid(): boolean {
    return this.#unpaid >= this.#options.hub.limits.pageEvents;
  }

  /** One page for each token that has more to read; then for each that is behind again. */
  async read(): Promise<string | null> {
    const { hub, set, filter, channels } = this.#options;
    if (this.isPaid) this.#unpaid -= hub.limits.pageEvents;
    const unfinished = [...channels.keys()].filter((index) => this.#toJoiner(index) === null);
    const indexes = unfinished.length > 0 ? unfinished : this.#listBehind();
    const limit = Math.ceil(hub.limits.pageEvents / indexes.length);
    const texts: string[] = [];
    for (const index of indexes) {
      const [name, point] = [set.names[index], this.#points[index]];
      if (name === undefined || point === undefined) return null;
      const page = await hub.read(buildRequest(name, { point, filter, limit }));
      if (typeof page === 'string') return null;
      texts.push(this.#takePage(index, page));
      this.#hasRead = true;
    }
    return texts.join('');
  }

  buildBeat(): StreamFrame | null {
    return this.#group?.buildBeat() ?? null;
  }

  #listBehind(): number[] {
    const { channels } = this.#options;
    return channels.flatMap((channel, index) => {
      return this.#check(channel, this.#toJoiner(index)) === 'behind' ? [index] : [];
    });
  }

  #toJoiner(index: number): Joiner | null {
    const point = this.#points[index];
    const page = this.#pages[index] ?? null;
    if (point === undefined || (page !== null && page.series === null)) return null;
    return { filter: this.#options.filter, point, page };
  }

  #check(channel: TokenChannel, joiner: Joiner | null | undefined): 'live' | 'wait' | 'behind' {
    return joiner ? channel.check(joiner) : 'behind';
  }

  #takePage(index: number, page: Missed): string {
    const { set, filter } = this.#options;
    const text = encodeSetPage({ set, filter, index, points: this.#points }, page);
    this.#points = this.#points.with(index, page.point);
    this.#pages = this.#pages.with(index, page);
    this.#unpaid += page.items.length;
    return text;
  }

  /** The snapshot already holds them, unless something came after it. */
  #sendStates(outbox: Outbox): void {
    const { hub, filter, channels } = this.#options;
    const states = new Map<string, string>();
    for (const [index, channel] of channels.entries()) {
      if (!this.#hasRead && !channel.hasSeveralOpen(filter)) continue;
      for (const [name, event] of channel.listStates(filter)) {
        states.set(toStateName(index, name), event.encode());
      }
      hub.wantStates(channel, filter.kinds);
    }
    if (states.size > 0) outbox.push(buildStateMessage(states));
  }
}

/** A page of one of the tokens; every id has the points of all. */
export function encodeSetPage(
  of: {
    readonly set: StreamSet;
    readonly filter: StreamFilter;
    readonly index: number;
    /** Where the reader is before the page. */
    readonly points: readonly StreamPoint[];
  },
  page: Missed,
): string {
  const { set, filter, index, points } = of;
  const name = set.names[index];
  if (name === undefined) throw new Error('A page of a token that is not in the set');
  const items = encodeMissed(page, name).filter((item) => isWanted(item, filter));
  const texts = items.map((item) => {
    const id = encodeSetId(set, points.with(index, item.point));
    return item.event(filter)?.encode(id) ?? encodeId(id);
  });
  return texts.join('');
}
