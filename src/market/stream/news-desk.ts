// The news of all chains: a channel for each chain that has readers.

import type { ChainSlug } from '../../model/chain.ts';
import type { MarketStore } from '../../store/store.ts';
import type { ChainDirectory } from '../chain-status.ts';
import type { MarketChains, MarketParts } from '../market-parts.ts';
import { readAt } from '../read-at.ts';
import type { ChainStates, StateChange } from '../state/chain-states.ts';
import { type ChainNews, NewsChannel } from './news-channel.ts';
import type { NewsName } from './news-point.ts';
import { type NewsPage, type NewsRequest, readNews } from './read-news.ts';
import type { ReplayGate } from './replay-gate.ts';

interface NewsDeskOptions extends Pick<MarketParts, 'lists' | 'board' | 'pauses'> {
  readonly store: MarketStore;
  readonly chains: MarketChains;
  readonly states: ChainStates;
  readonly directory: ChainDirectory;
  readonly reads: ReplayGate;
  readonly pageEvents: number;
  readonly sleep: (ms: number) => Promise<void>;
  readonly onError: (error: unknown) => void;
  /** The channel's readers must connect again. */
  readonly onLost: (channel: NewsChannel) => void;
}

export class NewsDesk {
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

  hear(change: StateChange): void {
    this.#channels.get(change.chain)?.hear(change);
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
    const leave = await reads.enter();
    try {
      const { value } = await readAt({ store }, request.chain, (reader, checkpoint) =>
        readNews(reader, { ...this.#options, market }, { ...request, checkpoint }),
      );
      return value;
    } finally {
      leave();
    }
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
