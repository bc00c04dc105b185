// The feed of events for webhooks: what streams resume from, read from the store page by page.
//
// Of a chain, the events of all tokens of a webhook are merged into one order, so that one position
// says how far it is. Webhooks at the head read the same tokens from the same position after the
// same commit: that is read once, and encoded once.

import { BoundedMap } from '../lib/bounded-map.ts';
import { WorkSlots } from '../lib/work-slots.ts';
import type { MarketParts } from '../market/market-parts.ts';
import { readAt } from '../market/read-at.ts';
import { createTokenEvent, encodeMissed } from '../market/stream/encode-events.ts';
import { encodeNewsPage } from '../market/stream/encode-news.ts';
import { type NewsName, type NewsPoint, parseNewsId } from '../market/stream/news-point.ts';
import { type Missed, type NoWay, readMissed } from '../market/stream/read-missed.ts';
import type { StreamHub } from '../market/stream/stream-hub.ts';
import {
  comparePositions,
  type StreamName,
  type StreamPoint,
  type StreamPosition,
  toBlockEnd,
  toTip,
} from '../market/stream/stream-point.ts';
import { buildPrice, readHolders } from '../market/stream/stream-states.ts';
import { readSummaries } from '../market/token-summary.ts';
import type { Address, WalletId } from '../model/ids.ts';
import type { Checkpoint } from '../model/market-record.ts';

/** An event as a stream sends it. */
export interface FeedEvent<Point> {
  /** As webhooks call it. */
  readonly type: string;
  /** JSON. */
  readonly data: string;
  /** When it happened; null of what has no time. */
  readonly timeMs: number | null;
  /** Where a reader is that has it. */
  readonly point: Point;
}

export interface FeedPage<Point> {
  readonly checkpoint: Checkpoint;
  readonly events: readonly FeedEvent<Point>[];
  /** Where a reader is that has all of them. */
  readonly point: Point;
  /** Whether there is nothing more up to the checkpoint. */
  readonly isComplete: boolean;
  /** Whether there is more that is not final yet. */
  readonly isHeldBack: boolean;
}

interface PageRequest<Point> {
  readonly point: Point;
  readonly isFinalOnly: boolean;
}

/** In a page, for each token: a page of many tokens has few events of each. */
const PAGE_EVENTS = 500;
const MANY_TOKENS = 10;
const MANY_PAGE_EVENTS = 50;
const PAGES_KEPT = 2000;
const STATES_KEPT = 5000;
/** Other reads need the store, too. */
const READS_MAX = 4;

const FRAME = /^event: (.*)\n(?:id: (.*)\n)?data: (.*)$/;

/** A quote within a text would be escaped. */
const TIMESTAMP = /"timestamp":(\d+)/;

interface Frame {
  readonly type: string;
  readonly id: string | undefined;
  readonly data: string;
  readonly timeMs: number | null;
}

/** Text of an event stream, taken apart; ids without an event are left out. */
function parseFrames(text: string): Frame[] {
  return text.split('\n\n').flatMap((frame) => {
    const match = FRAME.exec(frame);
    if (match === null) return [];
    const [, event = '', id, data = ''] = match;
    const time = TIMESTAMP.exec(data)?.[1];
    const timeMs = time === undefined ? null : Number(time);
    return [{ type: event === 'revert' ? 'reverted' : event, id, data, timeMs }];
  });
}

const VIEW = { currency: 'usd', outliers: 'exclude' } as const;

/** The events of a token's page; without those of intervals, which webhooks do not follow. */
function encodePage(missed: Missed, name: StreamName): FeedEvent<StreamPoint>[] {
  return encodeMissed(missed, name).flatMap((item) => {
    if (item.interval !== null || item.kind === 'mark') return [];
    const [frame] = parseFrames(item.event(VIEW)?.encode() ?? '');
    return frame === undefined ? [] : [{ ...frame, point: item.point }];
  });
}

type FeedParts = Pick<MarketParts, 'store' | 'chains' | 'states' | 'pauses' | 'lists' | 'stats'> & {
  readonly hub: Pick<StreamHub, 'news'>;
};

export class FeedReader {
  readonly #parts: FeedParts;
  readonly #slots = new WorkSlots({ countMax: READS_MAX });
  readonly #pages = new BoundedMap<string, Missed>(PAGES_KEPT);
  readonly #encoded = new WeakMap<Missed, FeedEvent<StreamPoint>[]>();
  readonly #states = new BoundedMap<string, string | null>(STATES_KEPT);

  constructor(parts: FeedParts) {
    this.#parts = parts;
  }

  /**
   * What some tokens of one chain have since a point. Those that are left out must have nothing up
   * to the checkpoint of the page. The reason if the feed does not reach back to the point.
   */
  async readTokens(
    names: readonly StreamName[],
    request: PageRequest<StreamPoint> & {
      /** Only trades of these; null for all. */
      readonly wallets: ReadonlySet<Address> | null;
    },
  ): Promise<FeedPage<StreamPoint> | 'unknown' | 'expired'> {
    const read = await this.#readPages(names, request.point);
    if (typeof read === 'string') return read;
    const { checkpoint, pages } = read;
    return this.#merge(names, pages, { ...request, checkpoint });
  }

  async #readPages(
    names: readonly StreamName[],
    point: StreamPoint,
  ): Promise<
    { readonly checkpoint: Checkpoint; readonly pages: readonly Missed[] } | 'unknown' | 'expired'
  > {
    const { store, states } = this.#parts;
    const chain = names[0]?.chain;
    if (chain === undefined) return 'unknown';
    const limit = names.length > MANY_TOKENS ? MANY_PAGE_EVENTS : PAGE_EVENTS;
    const toKey = ({ token, epoch }: StreamName, at: Checkpoint) => {
      const { block, logIndex, timeMs } = point.position;
      return [
        chain,
        epoch,
        at.version,
        token,
        point.version,
        block,
        logIndex,
        timeMs,
        limit,
      ].join();
    };
    const current = states.current(chain);
    const kept = current && names.map((name) => this.#pages.get(toKey(name, current)));
    if (current !== null && kept?.every((page) => page !== undefined)) {
      return { checkpoint: current, pages: kept };
    }
    const { value, checkpoint } = await this.#slots.run(() =>
      readAt({ store }, chain, async (reader, at) => {
        const pages: (Missed | NoWay)[] = [];
        for (const name of names) {
          const known = at === null ? undefined : this.#pages.get(toKey(name, at));
          const wanted = { ...name, point, withTrades: true, series: [], limit, mayBeGone: true };
          pages.push(known ?? (await readMissed(reader, wanted, at)));
        }
        return pages;
      }),
    );
    if (checkpoint === null) return 'unknown';
    const pages: Missed[] = [];
    for (const [index, page] of value.entries()) {
      if (typeof page === 'string') return page === 'expired' ? 'expired' : 'unknown';
      pages.push(page);
      const name = names[index];
      if (name !== undefined) this.#pages.set(toKey(name, checkpoint), page);
    }
    return { checkpoint, pages };
  }

  #merge(
    names: readonly StreamName[],
    pages: readonly Missed[],
    of: PageRequest<StreamPoint> & {
      readonly wallets: ReadonlySet<Address> | null;
      readonly checkpoint: Checkpoint;
    },
  ): FeedPage<StreamPoint> {
    const { checkpoint } = of;
    const reverted = pages.find((page) => page.reverted !== null)?.reverted ?? null;
    // The version of the last reorganisation and not that of the read: then an event has the same
    // id, whenever it is read.
    const version = reverted?.version ?? of.point.version;
    const from = reverted?.position ?? of.point.position;
    const ends = pages.flatMap((page) => (page.series === null ? [page.point.position] : []));
    const [bound = null] = ends.sort(comparePositions);
    const all = pages.flatMap((page, index) => {
      const name = names[index];
      return name === undefined ? [] : this.#encode(page, name, of.wallets);
    });
    const isRead = ({ point }: FeedEvent<StreamPoint>) =>
      bound === null || comparePositions(point.position, bound) <= 0;
    const isFinal = ({ point }: FeedEvent<StreamPoint>) =>
      !of.isFinalOnly || point.position.block <= checkpoint.finalizedBlock;
    const read = all.filter(isRead);
    const events = read
      .filter(isFinal)
      .sort((a, b) => comparePositions(a.point.position, b.point.position))
      .map((event) => {
        const { block, logIndex } = event.point.position;
        const position = { block, logIndex, timeMs: event.timeMs ?? from.timeMs };
        return { ...event, point: { version, position } };
      });
    const isHeldBack = events.length < read.length;
    const timeMs = events.at(-1)?.point.position.timeMs ?? from.timeMs;
    const end = pickEnd({
      checkpoint,
      bound,
      from: { ...from, timeMs },
      isFinalOnly: of.isFinalOnly,
    });
    return {
      checkpoint,
      events,
      point: { version, position: end },
      isComplete: bound === null && !isHeldBack,
      isHeldBack,
    };
  }

  #encode(
    page: Missed,
    name: StreamName,
    wallets: ReadonlySet<Address> | null,
  ): readonly FeedEvent<StreamPoint>[] {
    if (wallets !== null) {
      const items = page.items.filter(
        (item) => item.kind !== 'trade' || wallets.has(item.trade.wallet),
      );
      return encodePage({ ...page, items }, name);
    }
    const known = this.#encoded.get(page);
    if (known !== undefined) return known;
    const encoded = encodePage(page, name);
    this.#encoded.set(page, encoded);
    return encoded;
  }

  /** The news of a chain since a point; the reason if the feed does not reach back to it. */
  async readNews(
    name: NewsName,
    {
      point,
      isFinalOnly,
      kinds,
      owner,
    }: PageRequest<NewsPoint> & {
      readonly kinds: ReadonlySet<string>;
      /** Whose alerts. */
      readonly owner: WalletId;
    },
  ): Promise<FeedPage<NewsPoint> | 'unknown' | 'expired'> {
    const { hub } = this.#parts;
    const page = await this.#slots.run(() =>
      hub.news.read({ ...name, point, kinds, limit: PAGE_EVENTS }),
    );
    if (typeof page === 'string') return page;
    const { checkpoint } = page;
    // As for tokens: the same id, whenever it is read.
    const version = page.removed.length === 0 ? point.version : checkpoint.version;
    const isFinal = ({ block }: { readonly block: number }) =>
      !isFinalOnly || block <= checkpoint.finalizedBlock;
    const first = page.items.findIndex(({ event }) => !isFinal(event.data));
    const isHeldBack = first >= 0;
    const items = (isHeldBack ? page.items.slice(0, first) : page.items).map((item) => ({
      ...item,
      point: { ...item.point, version },
    }));
    const from = { ...page.from, version };
    const text = encodeNewsPage({ ...page, items, from }, name)({ kinds, owner });
    const events = parseFrames(text).flatMap(({ id, ...frame }) => {
      // Of what a reorganisation took back only the last event has an id.
      const at = id === undefined ? from : parseNewsId(name, id);
      return at === null ? [] : [{ ...frame, point: at }];
    });
    const held = items.at(-1)?.point ?? from;
    return {
      checkpoint,
      events,
      point: isHeldBack ? held : { ...page.point, version },
      isComplete: page.isLast && !isHeldBack,
      isHeldBack,
    };
  }

  /** The state of tokens now, as JSON; tokens without one are left out. */
  async readStates(
    names: readonly StreamName[],
    kind: 'price' | 'holders',
  ): Promise<ReadonlyMap<Address, string>> {
    const chain = names[0]?.chain;
    const found = new Map<Address, string>();
    if (chain === undefined) return found;
    const { store, states } = this.#parts;
    const toKey = (token: Address, version: number) => [kind, chain, version, token].join();
    const current = states.current(chain)?.version ?? 0;
    const missing = names.filter(({ token }) => {
      const known = this.#states.get(toKey(token, current));
      if (known != null) found.set(token, known);
      return known === undefined;
    });
    if (missing.length === 0) return found;
    const { value, checkpoint } = await this.#slots.run(() =>
      readAt({ store }, chain, async (reader, at) => {
        if (at === null) return new Map<Address, string>();
        return kind === 'price'
          ? await this.#readPrices(reader, missing, at)
          : await readAllHolders(reader, missing);
      }),
    );
    for (const { token } of missing) {
      const text = value.get(token) ?? null;
      if (text !== null) found.set(token, text);
      if (checkpoint !== null) this.#states.set(toKey(token, checkpoint.version), text);
    }
    return found;
  }

  async #readPrices(
    reader: Parameters<typeof readSummaries>[0],
    names: readonly StreamName[],
    checkpoint: Checkpoint,
  ): Promise<ReadonlyMap<Address, string>> {
    const { chains, lists, stats } = this.#parts;
    const chain = names[0]?.chain;
    const market = chain === undefined ? null : chains.find(chain);
    if (market === null) return new Map();
    const tokens = names.map(({ token }) => token);
    const { directory } = lists;
    const read = await readSummaries(reader, market, { tokens, checkpoint, directory, stats });
    const texts = new Map<Address, string>();
    for (const name of names) {
      const summary = read.get(name.token)?.summary;
      if (summary === undefined) continue;
      const data = { ...buildPrice(summary), block: checkpoint.block };
      const [frame] = parseFrames(createTokenEvent('price', data, name).encode());
      if (frame !== undefined) texts.set(name.token, frame.data);
    }
    return texts;
  }
}

async function readAllHolders(
  reader: Parameters<typeof readHolders>[0],
  names: readonly StreamName[],
): Promise<ReadonlyMap<Address, string>> {
  const texts = new Map<Address, string>();
  for (const name of names) {
    const holders = await readHolders(reader, name);
    if (holders === null) continue;
    const [frame] = parseFrames(createTokenEvent('holders', holders, name).encode());
    if (frame !== undefined) texts.set(name.token, frame.data);
  }
  return texts;
}

/** Where a reader is that has everything of a page. */
function pickEnd(of: {
  readonly checkpoint: Checkpoint;
  /** Where the page ends; null if it has everything up to the checkpoint. */
  readonly bound: StreamPosition | null;
  readonly from: StreamPosition;
  readonly isFinalOnly: boolean;
}): StreamPosition {
  const { checkpoint, bound, from } = of;
  const { timeMs } = from;
  const end = bound === null ? toTip(checkpoint).position : { ...bound, timeMs };
  if (!of.isFinalOnly || end.block <= checkpoint.finalizedBlock) return end;
  // The time of that block is not known; an earlier one is as good.
  const final = toBlockEnd({ block: checkpoint.finalizedBlock, timestampMs: timeMs });
  return comparePositions(final, from) > 0 ? final : from;
}
