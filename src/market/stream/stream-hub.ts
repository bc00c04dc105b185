// All streams of this process: receives commits and passes them to the channels of the tokens that
// have readers.

import type { Clock } from '../../lib/clock.ts';
import { WorkSlots } from '../../lib/work-slots.ts';
import type { Outbox } from '../../live/outbox.ts';
import type { ChainSlug } from '../../model/chain.ts';
import type { Address } from '../../model/ids.ts';
import type { TradeRecord } from '../../model/market-record.ts';
import type { PauseChange } from '../../store/feed-store.ts';
import type { MarketStore } from '../../store/store.ts';
import type { ChainDirectory, PauseWatch } from '../chain-status.ts';
import type { MarketChains, MarketParts } from '../market-parts.ts';
import type { TokenReference } from '../parse-token.ts';
import { readAt } from '../read-at.ts';
import type { ChainStates, StateChange } from '../state/chain-states.ts';
import { type ChainNews, NewsChannel } from './news-channel.ts';
import type { NewsName } from './news-point.ts';
import { type Missed, type MissedRequest, type NoWay, readMissed } from './read-missed.ts';
import { type NewsPage, type NewsRequest, readNews } from './read-news.ts';
import { SetGroup, toSetGroupKey } from './stream-group.ts';
import type { StreamName } from './stream-point.ts';
import type { StreamFilter, StreamKind, StreamSet } from './stream-set.ts';
import { StreamStates } from './stream-states.ts';
import { TokenChannel } from './token-channel.ts';

// The news of all chains: a channel for each chain that has readers.

interface NewsDeskOptions extends Pick<MarketParts, 'lists' | 'stats' | 'pauses'> {
  readonly store: MarketStore;
  readonly chains: MarketChains;
  readonly states: ChainStates;
  readonly directory: ChainDirectory;
  readonly reads: WorkSlots;
  readonly pageEvents: number;
  readonly sleep: (ms: number) => Promise<void>;
  readonly onError: (error: unknown) => void;
  /** The channel's readers must connect again. */
  readonly onLost: (channel: NewsChannel) => void;
}

class NewsDesk {
  readonly #options: NewsDeskOptions;
  readonly #channels = new Map<ChainSlug, NewsChannel>();

  constructor(options: NewsDeskOptions) {
    this.#options = options;
  }

  get channelCount(): number {
    return this.#channels.size;
  }

  /** The chain's channel, created for its first reader; `release` must follow. */
  acquire(name: NewsName): NewsChannel {
    let channel = this.#channels.get(name.chain);
    if (channel !== undefined && channel.name.epoch !== name.epoch) {
      this.#lose(channel);
      channel = undefined;
    }
    channel ??= this.#create(name);
    this.#channels.set(name.chain, channel);
    channel.users += 1;
    return channel;
  }

  release(channel: NewsChannel): void {
    channel.users -= 1;
    if (channel.users === 0) this.#drop(channel);
  }

  onChange(change: StateChange): void {
    this.#channels.get(change.chain)?.onChange(change);
  }

  /** Once a second. */
  tick(): void {
    for (const channel of this.#channels.values()) channel.tick();
  }

  /** The news since a point, as of one commit. */
  async read(request: NewsRequest): Promise<NewsPage | 'unknown' | 'expired'> {
    const { store, chains, reads } = this.#options;
    const market = chains.find(request.chain);
    if (market === null) return 'unknown';
    const { value } = await reads.run(() =>
      readAt({ store }, request.chain, (reader, checkpoint) =>
        readNews(reader, { ...this.#options, market }, { ...request, checkpoint }),
      ),
    );
    return value;
  }

  findStatus(chain: ChainSlug): ChainNews {
    const status = this.#options.directory.list().find(({ slug }) => slug === chain);
    const { head = null, finalized = null, lagMs = null } = status?.answer ?? {};
    return { head, finalized, lagMs };
  }

  #create(name: NewsName): NewsChannel {
    const { states, pageEvents, sleep, onError } = this.#options;
    const checkpoint = states.current(name.chain);
    if (checkpoint === null) throw new Error(`nothing of ${name.chain} is indexed yet`);
    const channel = new NewsChannel({
      ...{ name, checkpoint, pageEvents, sleep, onError },
      read: (request) => this.read(request),
      currentVersion: () => states.current(name.chain)?.version ?? 0,
      findStatus: () => this.findStatus(name.chain),
      onLost: () => this.#lose(channel),
    });
    return channel;
  }

  #drop(channel: NewsChannel): void {
    channel.close();
    const { chain } = channel.name;
    if (this.#channels.get(chain) === channel) this.#channels.delete(chain);
  }

  #lose(channel: NewsChannel): void {
    this.#drop(channel);
    this.#options.onLost(channel);
  }
}

export interface StreamLimits {
  /** How far back a reader may resume, in chain time and in trades. */
  readonly resumeMs: number;
  readonly resumeEventsMax: number;
  /** Trades in the snapshots of a stream, over all its tokens. */
  readonly snapshotTrades: number;
  /** Events per replay page, which are read, sent and charged together. */
  readonly pageEvents: number;
  /** The maximum bytes queued for one reader. */
  readonly waitingBytesMax: number;
  /** A reader that takes nothing for this long is disconnected. */
  readonly stallMs: number;
}

interface StreamHubOptions extends Pick<MarketParts, 'lists' | 'stats'> {
  readonly store: MarketStore;
  readonly chains: MarketChains;
  readonly states: ChainStates;
  readonly pauses: PauseWatch;
  /** What `/chains` says of each chain. */
  readonly directory: ChainDirectory;
  readonly clock: Clock;
  readonly random: () => number;
  readonly sleep: (ms: number) => Promise<void>;
  readonly limits: StreamLimits;
  readonly onError: (error: unknown) => void;
}

/** A reader resumed, was too far behind to resume, or was disconnected. */
export type StreamIncident = 'resumed' | 'reset' | 'cut';

const BEAT_SECONDS = 15;
/** The maximum number of replay pages in memory. */
const REPLAY_PAGES_MAX = 64;
/** Of those, how many are being read: other reads need the store, too. */
const READS_MAX = 4;

/** What the hub calls on a reader. */
interface HubClient {
  follows(channel: object): boolean;
  beat(): void;
  pause(token: TokenReference): void;
  end(): void;
}

export class StreamHub {
  readonly limits: StreamLimits;
  readonly clock: Clock;
  readonly random: () => number;
  readonly sleep: (ms: number) => Promise<void>;
  readonly onError: (error: unknown) => void;
  readonly news: NewsDesk;
  readonly replays = new WorkSlots({ countMax: REPLAY_PAGES_MAX });
  readonly #reads = new WorkSlots({ countMax: READS_MAX });
  readonly #options: StreamHubOptions;
  readonly #channels = new Map<ChainSlug, Map<Address, TokenChannel>>();
  /** Grouped by the second of their heartbeat. */
  readonly #clients = Array.from({ length: BEAT_SECONDS }, () => new Set<HubClient>());
  /** Groups of readers of several tokens. */
  readonly #sets = new Map<string, SetGroup<TokenChannel>>();
  readonly #news = new Set<TokenChannel>();
  readonly #states: StreamStates;
  readonly #unsubscribe: (() => void)[] = [];
  readonly #counts: Record<StreamIncident, number> = { resumed: 0, reset: 0, cut: 0 };
  #second = 0;
  #timer: NodeJS.Timeout | null = null;
  #isFlushing = false;
  #isStopping = false;

  constructor(options: StreamHubOptions) {
    this.#options = options;
    this.limits = options.limits;
    this.clock = options.clock;
    this.random = options.random;
    this.sleep = options.sleep;
    // During shutdown the store closes while it is still being read.
    this.onError = (error) => {
      if (!this.#isStopping) options.onError(error);
    };
    this.#states = new StreamStates({ ...options, onError: this.onError });
    this.news = new NewsDesk({
      ...{ ...options, onError: this.onError, reads: this.#reads },
      pageEvents: options.limits.pageEvents,
      onLost: (channel) => this.#endClientsOf(channel),
    });
  }

  /** How often each has happened since the start. */
  get counts(): Readonly<Record<StreamIncident, number>> {
    return this.#counts;
  }

  count(incident: StreamIncident): void {
    this.#counts[incident] += 1;
  }

  get isStopping(): boolean {
    return this.#isStopping;
  }

  get clientCount(): number {
    return this.#clients.reduce((sum, { size }) => sum + size, 0);
  }

  get channelCount(): number {
    return [...this.#channels.values()].reduce((sum, { size }) => sum + size, 0);
  }

  start(): void {
    const { states, pauses } = this.#options;
    this.#unsubscribe.push(
      states.subscribe((change) => {
        this.news.onChange(change);
        this.#onChange(change);
      }),
      pauses.subscribe((change) => this.#onPause(change)),
    );
    this.#timer = setInterval(() => this.#tick(), 1000);
    this.#timer.unref();
  }

  /** Ends every stream cleanly, at once; no new ones start. */
  stop(): void {
    this.#isStopping = true;
    for (const end of this.#unsubscribe) end();
    if (this.#timer) clearInterval(this.#timer);
    for (const clients of this.#clients) for (const client of clients) client.end();
  }

  /** What was missed since a point, as of one commit. */
  async read(request: MissedRequest): Promise<Missed | NoWay> {
    const { value } = await this.#reads.run(() =>
      readAt(this.#options, request.chain, (reader, checkpoint) =>
        readMissed(reader, request, checkpoint),
      ),
    );
    return value;
  }

  /** The group of readers of these tokens; `leaveSet` must follow for each of its outboxes. */
  openSet(
    set: StreamSet,
    filter: StreamFilter,
    channels: readonly TokenChannel[],
  ): SetGroup<TokenChannel> {
    const key = toSetGroupKey(set, filter);
    const known = this.#sets.get(key);
    if (known !== undefined) return known;
    const group = new SetGroup(set, filter, channels);
    this.#sets.set(key, group);
    for (const [index, member] of group.members.entries()) channels[index]?.attach(member);
    return group;
  }

  leaveSet(group: SetGroup<TokenChannel>, outbox: Outbox): void {
    group.outboxes.delete(outbox);
    if (group.outboxes.size > 0) return;
    if (this.#sets.get(group.key) === group) this.#sets.delete(group.key);
    for (const [index, member] of group.members.entries()) group.channels[index]?.detach(member);
  }

  /** The token's channel, created for its first reader; `release` must follow. */
  #acquire(name: StreamName): TokenChannel {
    const { chain, token, epoch } = name;
    const ofChain = this.#channels.get(chain) ?? new Map<Address, TokenChannel>();
    this.#channels.set(chain, ofChain);
    let channel = ofChain.get(token);
    if (channel !== undefined && channel.name.epoch !== epoch) {
      this.#lose(channel);
      channel = undefined;
    }
    channel ??= this.#createChannel(name);
    ofChain.set(token, channel);
    channel.users += 1;
    return channel;
  }

  /** All of them, or none if one cannot be created. */
  acquireAll(names: readonly StreamName[]): readonly TokenChannel[] {
    const channels: TokenChannel[] = [];
    try {
      for (const name of names) channels.push(this.#acquire(name));
      return channels;
    } catch (error) {
      for (const channel of channels) this.release(channel);
      throw error;
    }
  }

  release(channel: TokenChannel): void {
    channel.users -= 1;
    if (channel.users === 0) this.#drop(channel);
  }

  add(client: HubClient): void {
    this.#clients[this.#second % BEAT_SECONDS]?.add(client);
  }

  forget(client: HubClient): void {
    for (const clients of this.#clients) clients.delete(client);
  }

  /** A reader resumed; states have no ids, so those that nobody follows yet are read for it. */
  wantStates(channel: TokenChannel, kinds: ReadonlySet<StreamKind>): void {
    this.#states.want(channel, kinds);
  }

  #createChannel(name: StreamName): TokenChannel {
    const { states, clock, sleep } = this.#options;
    const { onError } = this;
    const checkpoint = states.current(name.chain);
    if (checkpoint === null) throw new Error(`nothing of ${name.chain} is indexed yet`);
    const channel = new TokenChannel({
      ...{ name, checkpoint, clock, onError, sleep },
      pageEvents: this.limits.pageEvents,
      read: (request) => this.read(request),
      currentVersion: () => states.current(name.chain)?.version ?? 0,
      onNews: (afterMs) => this.#schedule(channel, afterMs),
      onLost: () => this.#lose(channel),
    });
    return channel;
  }

  #drop(channel: TokenChannel): void {
    channel.close();
    const ofChain = this.#channels.get(channel.name.chain);
    if (ofChain?.get(channel.name.token) === channel) ofChain.delete(channel.name.token);
    this.#states.forget(channel);
  }

  /** Its readers reconnect and resume. */
  #lose(channel: TokenChannel): void {
    this.#drop(channel);
    this.#endClientsOf(channel);
  }

  #endClientsOf(channel: object): void {
    for (const client of this.#clientsOf(channel)) client.end();
  }

  #clientsOf(channel: object): HubClient[] {
    return this.#clients.flatMap((clients) =>
      [...clients].filter((client) => client.follows(channel)),
    );
  }

  #onChange({ chain, checkpoint, tokens, batch }: StateChange): void {
    const channels = this.#channels.get(chain);
    if (channels === undefined || channels.size === 0) return;
    const kind = batch === null ? 'other' : batch.isRollback ? 'rollback' : 'append';
    const touched = new Set(tokens === 'all' ? [] : tokens);
    // Decoding a commit's trades is expensive: only if one of its tokens has readers.
    let byToken: ReadonlyMap<Address, readonly TradeRecord[]> | null = null;
    for (const channel of channels.values()) {
      const { token } = channel.name;
      const isTouched = tokens === 'all' || touched.has(token);
      if (isTouched && batch !== null) {
        const trades = batch.isRollback ? batch.readReverted() : batch.readTrades();
        byToken ??= Map.groupBy(trades, (trade) => trade.token);
      }
      const trades = (isTouched ? byToken?.get(token) : undefined) ?? [];
      // Klines that are open now may have older trades from now on.
      const isBackfilled = batch?.backfilled === token;
      channel.onStep({ checkpoint, kind: isBackfilled ? 'other' : kind, trades });
      if (isBackfilled) this.#states.onCoverage(channel);
      if (isTouched) this.#states.onChange(channel);
      else this.#states.onTime(channel, checkpoint.timestampMs);
    }
  }

  #onPause({ chain, token, paused }: PauseChange): void {
    const channel = this.#channels.get(chain)?.get(token);
    if (!paused || channel === undefined) return;
    for (const client of this.#clientsOf(channel)) client.pause(channel.name);
  }

  /** Everything within one turn of the event loop becomes one message. */
  #schedule(channel: TokenChannel, afterMs: number): void {
    if (afterMs > 0) {
      setTimeout(() => channel.flushAwaited(), afterMs).unref();
      return;
    }
    this.#news.add(channel);
    if (this.#isFlushing) return;
    this.#isFlushing = true;
    setImmediate(() => {
      this.#isFlushing = false;
      const channels = [...this.#news];
      this.#news.clear();
      for (const one of channels) one.flush();
    });
  }

  #tick(): void {
    this.#second += 1;
    this.#states.tick();
    this.news.tick();
    const due = this.#clients[this.#second % BEAT_SECONDS];
    for (const client of due ?? []) client.beat();
  }
}
