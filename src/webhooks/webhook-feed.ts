// What a webhook has still to be sent: its positions in the feed, and the next delivery from there.

import type { NewsPoint } from '../market/stream/news-point.ts';
import { encodeNewsId } from '../market/stream/news-point.ts';
import {
  encodeEventId,
  type StreamName,
  type StreamPoint,
  toTip,
} from '../market/stream/stream-point.ts';
import { createSet, encodeSetId } from '../market/stream/stream-set.ts';
import type { AddressCodec } from '../model/address-codec.ts';
import type { ChainSlug } from '../model/chain.ts';
import type { Address } from '../model/ids.ts';
import type { Checkpoint } from '../model/market-record.ts';
import type {
  PendingDelivery,
  WebhookCursor,
  WebhookPoint,
  WebhookRecord,
} from '../model/webhook.ts';
import type { FeedEvent, FeedPage, FeedReader } from './feed-reader.ts';

export function toTokenPoint({ at }: WebhookPoint): StreamPoint {
  const [version, timeMs, block, logIndex] = at;
  return { version, position: { timeMs, block, logIndex } };
}

export function fromTokenPoint(epoch: string, { version, position }: StreamPoint): WebhookPoint {
  return { epoch, at: [version, position.timeMs, position.block, position.logIndex] };
}

export function toNewsPoint({ at }: WebhookPoint): NewsPoint {
  const [version, timeMs, afterVersion, index] = at;
  return { version, after: { version: afterVersion, index }, timeMs };
}

export function fromNewsPoint(epoch: string, { version, after, timeMs }: NewsPoint): WebhookPoint {
  return { epoch, at: [version, timeMs, after.version, after.index] };
}

interface FeedChain {
  readonly chain: ChainSlug;
  readonly addresses: AddressCodec;
  /** Of its index now. */
  readonly epoch: string;
}

/** The end of the last commit. */
export interface FeedTip {
  readonly tokens: WebhookPoint;
  readonly news: WebhookPoint;
  /** The end of its final blocks, for tokens. */
  readonly final: WebhookPoint;
  readonly timeMs: number;
}

export interface FeedAccess {
  readonly reader: FeedReader;
  findAddresses(chain: ChainSlug): AddressCodec;
  /** Null while the chain cannot be read. */
  findEpoch(chain: ChainSlug): Promise<string | null>;
  readTip(chain: ChainSlug): Promise<FeedTip | null>;
  isPaused(chain: ChainSlug, token: Address): boolean;
  /** Resolves when the changes up to a version have been reported; false if they do not come. */
  untilReported(chain: ChainSlug, version: number): Promise<boolean>;
}

interface Lane {
  readonly chain: ChainSlug;
  point: WebhookPoint;
  /** Whether it may have something to be sent. */
  isDirty: boolean;
  /** Whether what it has waits for blocks to become final. */
  isHeldBack: boolean;
}

interface TokenLane extends Lane {
  readonly kind: 'tokens';
  readonly tokens: ReadonlySet<Address>;
  /** Those that may have events; null for all. */
  touched: Set<Address> | null;
}

interface NewsLane extends Lane {
  readonly kind: 'news';
}

type AnyLane = TokenLane | NewsLane;

/** A delivery that was not tried yet. */
interface NewDelivery extends PendingDelivery {
  /** To be called once it is acknowledged, or stored as pending. */
  commit(): void;
}

/** Larger bodies are refused by many receivers. */
const BODY_LENGTH_MAX = 256 * 1024;
const NEWS_KINDS: ReadonlySet<string> = new Set(['pool', 'launch', 'graduation', 'alert']);
/** How often a read is repeated because of commits in between. */
const TOUCHED_READS_MAX = 3;

interface ShownEvent {
  readonly id: string | null;
  readonly type: string;
  readonly data: string;
}

function renderBody(of: {
  readonly webhookId: string;
  readonly timeMs: number;
  readonly cursor: string;
  readonly events: readonly ShownEvent[];
}): string {
  const events = of.events.map(
    ({ id, type, data }) => `{"id":${JSON.stringify(id)},"type":"${type}","data":${data}}`,
  );
  const timestamp = new Date(of.timeMs).toISOString();
  const head = `"type":"events","timestamp":"${timestamp}","webhookId":"${of.webhookId}"`;
  return `{${head},"cursor":"${of.cursor}","data":{"events":[${events.join(',')}]}}`;
}

/** The first events, cut only between positions: an id stands for all that is at its position. */
function cutPage<Point>(
  page: FeedPage<Point>,
  { countMax, isSame }: { countMax: number; isSame: (a: Point, b: Point) => boolean },
): { readonly events: readonly FeedEvent<Point>[]; readonly isCut: boolean } {
  const { events } = page;
  let [end, length] = [0, 0];
  while (end < events.length) {
    const first = events[end];
    let next = end;
    let size = 0;
    for (
      let one = events[next];
      one && first && isSame(one.point, first.point);
      one = events[next]
    ) {
      size += one.data.length;
      next += 1;
    }
    if (end > 0 && (next > countMax || length + size > BODY_LENGTH_MAX)) break;
    end = next;
    length += size;
  }
  return { events: events.slice(0, end), isCut: end < events.length };
}

const isSameTokenPoint = (a: StreamPoint, b: StreamPoint) =>
  a.position.block === b.position.block && a.position.logIndex === b.position.logIndex;

const isSameNewsPoint = (a: NewsPoint, b: NewsPoint) =>
  a.after.version === b.after.version && a.after.index === b.after.index;

export class WebhookFeed {
  readonly #access: FeedAccess;
  readonly #record: Pick<WebhookRecord, 'id' | 'walletId' | 'settings'>;
  readonly #events: ReadonlySet<string>;
  readonly #wallets: ReadonlySet<Address> | null;
  #lanes: AnyLane[] = [];
  /** The last states that were sent, by kind and token: others are sent when they differ. */
  readonly #sentStates = new Map<string, string>();

  constructor(
    access: FeedAccess,
    record: Pick<WebhookRecord, 'id' | 'walletId' | 'settings'>,
    cursor: WebhookCursor,
  ) {
    this.#access = access;
    this.#record = record;
    const { events, wallets } = record.settings;
    this.#events = new Set(events);
    this.#wallets = wallets.length === 0 ? null : new Set(wallets);
    this.seek(cursor);
  }

  get isDirty(): boolean {
    return this.#lanes.some((lane) => lane.isDirty);
  }

  get cursor(): WebhookCursor {
    const of = (kind: AnyLane['kind']) =>
      Object.fromEntries(
        this.#lanes.flatMap((lane) => (lane.kind === kind ? [[lane.chain, lane.point]] : [])),
      );
    return { tokens: of('tokens'), news: of('news') };
  }

  /** Goes on from a cursor: everything since may have to be sent. */
  seek(cursor: WebhookCursor): void {
    const { settings } = this.#record;
    const lane = { isDirty: true, isHeldBack: false };
    const byChain = Map.groupBy(settings.tokens, ({ chain }) => chain);
    const tokens = [...byChain].flatMap(([chain, list]): TokenLane[] => {
      const point = cursor.tokens[chain];
      if (point === undefined) return [];
      const of = new Set(list.map(({ token }) => token));
      return [{ ...lane, kind: 'tokens', chain, point, tokens: of, touched: null }];
    });
    const news = settings.chains.flatMap((chain): NewsLane[] => {
      const point = cursor.news[chain];
      return point === undefined ? [] : [{ ...lane, kind: 'news', chain, point }];
    });
    this.#lanes = [...tokens, ...news];
  }

  /** A commit of a chain. Returns whether there may be something to send. */
  note(change: {
    readonly chain: ChainSlug;
    /** Null if anything may have changed. */
    readonly tokens: ReadonlySet<Address> | null;
    readonly hasNews: boolean;
    /** Whether blocks have become final. */
    readonly isFinalized: boolean;
    /** The commit before; null if that is not known. */
    readonly before: Checkpoint | null;
  }): boolean {
    let isWoken = false;
    for (const lane of this.#lanes) {
      if (lane.chain !== change.chain) continue;
      const isTouched =
        lane.kind === 'tokens' ? this.#touch(lane, change.tokens, change.before) : change.hasNews;
      const isWanted = this.#record.settings.finality === 'head' ? isTouched : change.isFinalized;
      const isPending = isTouched || lane.isHeldBack;
      if (isTouched) lane.isHeldBack = true;
      if (!isWanted || !isPending) continue;
      lane.isDirty = true;
      isWoken = true;
    }
    return isWoken;
  }

  /** Whether a commit may have events of the lane's tokens. */
  #touch(lane: TokenLane, tokens: ReadonlySet<Address> | null, before: Checkpoint | null): boolean {
    if (tokens === null) {
      this.#passQuiet(lane, before);
      lane.touched = null;
      return true;
    }
    const [few, many] =
      lane.tokens.size < tokens.size ? [lane.tokens, tokens] : [tokens, lane.tokens];
    const touched = [...few].filter((token) => many.has(token));
    if (touched.length === 0) return false;
    this.#passQuiet(lane, before);
    for (const token of touched) lane.touched?.add(token);
    return true;
  }

  /**
   * A lane that had nothing to send is at the end of the commit before: webhooks that are there
   * share what they read.
   */
  #passQuiet(lane: TokenLane, before: Checkpoint | null): void {
    const isQuiet = !lane.isDirty && !lane.isHeldBack && lane.touched?.size === 0;
    if (before === null || !isQuiet || this.#record.settings.finality === 'final') return;
    const { version } = toTokenPoint(lane.point);
    const { position } = toTip(before);
    lane.point = fromTokenPoint(lane.point.epoch, { version, position });
  }

  async #findChain({ chain }: AnyLane): Promise<FeedChain | null> {
    const epoch = await this.#access.findEpoch(chain);
    return epoch === null ? null : { chain, addresses: this.#access.findAddresses(chain), epoch };
  }

  /** The next delivery; null if there is nothing to send. */
  async next(until: number | null): Promise<NewDelivery | null> {
    for (const lane of this.#lanes.filter(({ isDirty }) => isDirty)) {
      const made =
        lane.kind === 'tokens'
          ? await this.#nextOfTokens(lane, until)
          : await this.#nextOfNews(lane, until);
      if (made !== null) {
        // Another lane has the next turn.
        this.#lanes = [...this.#lanes.filter((one) => one !== lane), lane];
        return made;
      }
    }
    return null;
  }

  async #nextOfTokens(lane: TokenLane, until: number | null): Promise<NewDelivery | null> {
    const { settings } = this.#record;
    const chain = await this.#findChain(lane);
    if (chain === null) return null;
    const { epoch } = chain;
    if (lane.point.epoch !== epoch) return this.#reset(lane, chain, 'unknown');
    // What is noted from now on is for the next read.
    const touched = lane.touched;
    lane.touched = new Set();
    lane.isDirty = false;
    lane.isHeldBack = false;
    const restore = () => {
      lane.touched = touched === null ? null : union(touched, lane.touched);
      lane.isDirty = true;
    };
    try {
      const read = await this.#readTouched(lane, chain, touched);
      const { page, names } = read;
      if (typeof page === 'string') return this.#reset(lane, chain, page);
      const wanted = page.events.filter(({ type, timeMs }) => {
        return this.#isWanted(type) && (until === null || (timeMs ?? 0) <= until);
      });
      const { maxEvents } = settings.batch;
      const cut = cutPage(
        { ...page, events: wanted },
        { countMax: maxEvents, isSame: isSameTokenPoint },
      );
      const isLast = (page.isComplete || isPast(page, until)) && !cut.isCut;
      const states = isLast && until === null ? await this.#readStates(names) : [];
      const point = cut.isCut ? (cut.events.at(-1)?.point ?? page.point) : page.point;
      const isOver = isLast || (page.isHeldBack && !cut.isCut);
      const commit = () => {
        lane.point = fromTokenPoint(epoch, point);
        if (isLast) return;
        lane.touched = touched === null ? null : union(touched, lane.touched);
        lane.isHeldBack = true;
        if (!isOver) lane.isDirty = true;
      };
      if (cut.events.length === 0 && states.length === 0) {
        commit();
        return isOver ? null : await this.#nextOfTokens(lane, until);
      }
      const toId = this.#createIdOf(lane);
      const events = [
        ...cut.events.map((event) => ({ ...event, id: toId(event.point) })),
        ...states.map(({ kind, data }) => ({ id: null, type: kind, data })),
      ];
      const timeMs = cut.events.at(-1)?.timeMs ?? page.checkpoint.timestampMs;
      const sentId =
        states.length > 0 || cut.events.length === 0
          ? toId(point)
          : (events.at(-1)?.id ?? toId(point));
      return this.#build(lane, {
        ...{ id: sentId, events, timeMs, point: fromTokenPoint(epoch, point) },
        commit: () => {
          for (const { key, data } of states) this.#sentStates.set(key, data);
          commit();
        },
      });
    } catch (error) {
      restore();
      throw error;
    }
  }

  /**
   * Reads the tokens that were touched. The store may have a commit that was not reported yet: then
   * others may have been touched as well.
   */
  async #readTouched(lane: TokenLane, chain: FeedChain, touched: Set<Address> | null) {
    const isFinalOnly = this.#record.settings.finality === 'final';
    const request = { point: toTokenPoint(lane.point), isFinalOnly, wallets: this.#wallets };
    let wanted = touched;
    for (let attempt = 1; ; attempt += 1) {
      const names = this.#listNames(lane, chain, wanted);
      const page =
        names.length === 0
          ? await this.#readNothing(lane, chain)
          : await this.#access.reader.readTokens(names, request);
      if (typeof page === 'string' || wanted === null) return { page, names };
      const isReported = await this.#access.untilReported(lane.chain, page.checkpoint.version);
      if (isReported && lane.touched !== null && isSubset(lane.touched, wanted))
        return { page, names };
      wanted =
        !isReported || lane.touched === null || attempt >= TOUCHED_READS_MAX
          ? null
          : union(wanted, lane.touched);
    }
  }

  /** Where all tokens are paused, or only the position moves. */
  async #readNothing(lane: TokenLane, chain: FeedChain) {
    const any = this.#listAll(lane, chain).slice(0, 1);
    const page = await this.#access.reader.readTokens(any, {
      ...{ point: toTokenPoint(lane.point), wallets: this.#wallets },
      isFinalOnly: this.#record.settings.finality === 'final',
    });
    return typeof page === 'string' ? page : { ...page, events: [] };
  }

  #listAll({ tokens }: TokenLane, { chain, addresses, epoch }: FeedChain): StreamName[] {
    return Array.from(tokens, (token) => ({ chain, addresses, epoch, token }));
  }

  #listNames(
    lane: TokenLane,
    chain: FeedChain,
    touched: ReadonlySet<Address> | null,
  ): StreamName[] {
    return this.#listAll(lane, chain).filter(
      ({ token }) => (touched?.has(token) ?? true) && !this.#access.isPaused(chain.chain, token),
    );
  }

  #isWanted(type: string): boolean {
    // What is final is never taken back.
    if (type === 'reverted' && this.#record.settings.finality === 'final') return false;
    return this.#events.has(type);
  }

  /** An alert names the webhook that it is sent to. */
  #isOwn(type: string, data: string): boolean {
    if (!type.startsWith('alert')) return this.#isWanted(type);
    const { webhookId } = JSON.parse(data) as { readonly webhookId: string | null };
    return this.#events.has('alert') && webhookId === this.#record.id;
  }

  async #readStates(names: readonly StreamName[]) {
    const states: { kind: string; key: string; data: string }[] = [];
    for (const kind of ['price', 'holders'] as const) {
      if (!this.#events.has(kind)) continue;
      for (const [token, data] of await this.#access.reader.readStates(names, kind)) {
        const key = `${kind} ${names[0]?.chain} ${token}`;
        if (this.#sentStates.get(key) !== data) states.push({ kind, key, data });
      }
    }
    return states;
  }

  async #nextOfNews(lane: NewsLane, until: number | null): Promise<NewDelivery | null> {
    const { settings } = this.#record;
    const chain = await this.#findChain(lane);
    if (chain === null) return null;
    const { epoch, addresses } = chain;
    if (lane.point.epoch !== epoch) return this.#reset(lane, chain, 'unknown');
    const kinds = new Set(settings.events.filter((event) => NEWS_KINDS.has(event)));
    lane.isDirty = false;
    lane.isHeldBack = false;
    const restore = () => {
      lane.isDirty = true;
    };
    try {
      const name = { chain: lane.chain, addresses, epoch };
      const isFinalOnly = settings.finality === 'final';
      const page = await this.#access.reader.readNews(name, {
        point: toNewsPoint(lane.point),
        ...{ isFinalOnly, kinds, owner: this.#record.walletId },
      });
      if (typeof page === 'string') return this.#reset(lane, chain, page);
      const wanted = page.events.filter(({ type, data, timeMs }) => {
        return this.#isOwn(type, data) && (until === null || (timeMs ?? 0) <= until);
      });
      const cut = cutPage(
        { ...page, events: wanted },
        { countMax: settings.batch.maxEvents, isSame: isSameNewsPoint },
      );
      const point = cut.isCut ? (cut.events.at(-1)?.point ?? page.point) : page.point;
      const isOver = !cut.isCut && (page.isComplete || page.isHeldBack || isPast(page, until));
      const commit = () => {
        lane.point = fromNewsPoint(epoch, point);
        if (page.isHeldBack) lane.isHeldBack = true;
        if (!isOver) lane.isDirty = true;
      };
      if (cut.events.length === 0) {
        commit();
        return isOver ? null : await this.#nextOfNews(lane, until);
      }
      const events = cut.events.map((event) => ({ ...event, id: encodeNewsId(name, event.point) }));
      const timeMs = cut.events.at(-1)?.timeMs ?? page.checkpoint.timestampMs;
      const id = events.at(-1)?.id ?? encodeNewsId(name, point);
      return this.#build(lane, { id, events, timeMs, point: fromNewsPoint(epoch, point), commit });
    } catch (error) {
      restore();
      throw error;
    }
  }

  /** The feed does not reach back to where the webhook is: it is told so, and goes on from now. */
  async #reset(
    lane: AnyLane,
    chain: FeedChain,
    reason: 'unknown' | 'expired',
  ): Promise<NewDelivery | null> {
    const tip = await this.#access.readTip(lane.chain);
    if (tip === null) return null;
    const point = tip[lane.kind];
    const id =
      lane.kind === 'tokens'
        ? this.#createIdOf(lane, point.epoch)(toTokenPoint(point))
        : encodeNewsId({ ...chain, epoch: point.epoch }, toNewsPoint(point));
    const data = JSON.stringify({ chain: lane.chain, reason });
    return this.#build(lane, {
      ...{ id, point, events: [{ id, type: 'reset', data }], timeMs: tip.timeMs },
      commit: () => {
        lane.point = point;
        lane.isDirty = true;
        if (lane.kind === 'tokens') lane.touched = null;
      },
    });
  }

  #build(
    lane: AnyLane,
    of: {
      readonly id: string;
      readonly events: readonly ShownEvent[];
      readonly timeMs: number;
      readonly point: WebhookPoint;
      readonly commit: () => void;
    },
  ): NewDelivery {
    const { cursor } = this;
    const moved = { ...cursor[lane.kind], [lane.chain]: of.point };
    const { id: webhookId } = this.#record;
    return {
      id: of.id,
      events: of.events.length,
      body: renderBody({ webhookId, timeMs: of.timeMs, cursor: of.id, events: of.events }),
      cursor: { ...cursor, [lane.kind]: moved },
      commit: of.commit,
    };
  }

  /** Ids have the position of each chain of the webhook; that of this lane is given. */
  #createIdOf(lane: TokenLane, epoch = lane.point.epoch): (point: StreamPoint) => string {
    const lanes = this.#lanes.flatMap((one) => (one.kind === 'tokens' ? [one] : []));
    const set = createSet(
      lanes.flatMap((one) => {
        const addresses = this.#access.findAddresses(one.chain);
        const of = { chain: one.chain, addresses, epoch: one === lane ? epoch : one.point.epoch };
        return Array.from(one.tokens, (token) => ({ ...of, token }));
      }),
    );
    const [only] = set.names;
    if (set.names.length === 1 && only !== undefined) return (point) => encodeEventId(only, point);
    const others = new Map(lanes.map((one) => [one.chain, toTokenPoint(one.point)]));
    return (point) => {
      const points = set.names.map(({ chain }) => others.get(chain) ?? point);
      return encodeSetId(
        set,
        points.map((known, index) => (set.names[index]?.chain === lane.chain ? point : known)),
      );
    };
  }
}

/** Whether a replay ends within the page. */
function isPast({ events }: FeedPage<unknown>, until: number | null): boolean {
  return until !== null && events.some(({ timeMs }) => (timeMs ?? 0) > until);
}

function union(a: ReadonlySet<Address>, b: ReadonlySet<Address> | null): Set<Address> | null {
  return b === null ? null : new Set([...a, ...b]);
}

function isSubset(a: ReadonlySet<Address>, b: ReadonlySet<Address>): boolean {
  return [...a].every((one) => b.has(one));
}
