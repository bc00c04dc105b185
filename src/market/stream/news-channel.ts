// The live news of one chain. Every commit that may bring any is read from the store once for all
// readers, from the point that they have reached.

import { AnswerMismatchError } from '../../contract/create-serializer.ts';
import { StreamFrame } from '../../contract/stream-answer.ts';
import type { Outbox } from '../../live/outbox.ts';
import type { WalletId } from '../../model/ids.ts';
import type { Checkpoint } from '../../model/market-record.ts';
import type { NewsKind } from '../../model/news.ts';
import type { StateChange } from '../state/chain-states.ts';
import { encodeBeat, encodeEvent } from './encode-events.ts';
import { encodeNewsPage } from './encode-news.ts';
import { encodeNewsId, type NewsName, type NewsPoint, toNewsTip } from './news-point.ts';
import type { NewsPage, NewsRequest } from './read-news.ts';
import { buildStateMessage, Readers } from './stream-group.ts';

export const NEWS_KINDS = ['pool', 'token', 'launch', 'graduation', 'chain', 'alert'] as const;
type StreamedKind = (typeof NEWS_KINDS)[number];

export interface NewsFilter {
  readonly kinds: ReadonlySet<StreamedKind>;
  /** Whose alerts; null for nobody's. */
  readonly owner: WalletId | null;
}

const RECORDED_KINDS: ReadonlySet<NewsKind> = new Set([
  ...(['pool', 'token', 'launch', 'graduation', 'alert'] as const),
]);

export interface ChainNews {
  readonly head: number | null;
  readonly finalized: number | null;
  readonly lagMs: number | null;
}

interface NewsChannelOptions {
  readonly name: NewsName;
  readonly checkpoint: Checkpoint;
  readonly pageEvents: number;
  readonly read: (request: NewsRequest) => Promise<NewsPage | 'unknown' | 'expired'>;
  readonly currentVersion: () => number;
  readonly findStatus: () => ChainNews;
  readonly sleep: (ms: number) => Promise<void>;
  readonly onError: (error: unknown) => void;
  /** Readers must connect again. */
  readonly onLost: () => void;
}

const RETRY_MS = 500;

export function toFilterKey({ kinds, owner }: NewsFilter): string {
  return `${NEWS_KINDS.filter((kind) => kinds.has(kind)).join()} ${owner ?? ''}`;
}

class NewsGroup extends Readers {
  readonly filter: NewsFilter;

  constructor(filter: NewsFilter) {
    super();
    this.filter = filter;
  }
}

export class NewsChannel {
  readonly name: NewsName;
  users = 0;
  readonly #options: NewsChannelOptions;
  readonly #groups = new Map<string, NewsGroup>();
  #point: NewsPoint;
  /** The last commit that may have brought news. */
  #changedVersion: number;
  #isBusy = false;
  #isClosed = false;
  #moved = Promise.withResolvers<void>();
  /** The last `chain` event. */
  #status: string | null = null;

  constructor(options: NewsChannelOptions) {
    this.#options = options;
    this.name = options.name;
    this.#point = toNewsTip(options.checkpoint);
    this.#changedVersion = options.checkpoint.version;
  }

  /** Resolves when the channel has advanced. */
  untilMoved(): Promise<void> {
    return this.#moved.promise;
  }

  /** Adds a reader that has everything up to a point, if that is where the channel is. */
  join(joiner: {
    readonly outbox: Outbox;
    readonly filter: NewsFilter;
    readonly point: NewsPoint;
    /** Whether its first text was a snapshot, which has the chain's status. */
    readonly isFresh: boolean;
  }): 'live' | 'wait' | 'behind' {
    const { outbox, filter, point } = joiner;
    if (this.#isClosed || this.#isBusy || point.version > this.#point.version) return 'wait';
    if (point.version < this.#changedVersion) return 'behind';
    const key = toFilterKey(filter);
    const group = this.#groups.get(key) ?? new NewsGroup(filter);
    this.#groups.set(key, group);
    group.outboxes.add(outbox);
    if (filter.kinds.has('chain') && !joiner.isFresh) {
      outbox.push(buildStateMessage(new Map([['chain', this.#encodeStatus()]])));
    }
    return 'live';
  }

  leave({ outbox, filter }: { readonly outbox: Outbox; readonly filter: NewsFilter }): void {
    const key = toFilterKey(filter);
    const group = this.#groups.get(key);
    group?.outboxes.delete(outbox);
    if (group?.outboxes.size === 0) this.#groups.delete(key);
  }

  onChange({ checkpoint, batch, listed }: StateChange): void {
    const isQuiet = batch !== null && !batch.isRollback && listed.length === 0;
    if (!isQuiet) this.#changedVersion = Math.max(this.#changedVersion, checkpoint.version);
    if (this.#isBusy || checkpoint.version <= this.#point.version) return;
    if (this.#groups.size === 0 || isQuiet) this.#point = toNewsTip(checkpoint);
    else void this.#catchUp();
    this.#notifyMoved();
  }

  /** Once a second. */
  tick(): void {
    const groups = [...this.#groups.values()].filter(({ filter }) => filter.kinds.has('chain'));
    if (groups.length === 0) return;
    const text = this.#encodeStatus();
    if (text === this.#status) return;
    this.#status = text;
    for (const group of groups) {
      group.draft.setState('chain', text);
      group.flush();
    }
  }

  /** A heartbeat with the readers' position; null if that is not certain. */
  buildBeat(): StreamFrame | null {
    if (this.#isBusy) return null;
    return new StreamFrame(encodeBeat(encodeNewsId(this.name, this.#point)));
  }

  close(): void {
    this.#isClosed = true;
    this.#notifyMoved();
  }

  #encodeStatus(): string {
    return encodeEvent('chain', { chain: this.name.chain, ...this.#options.findStatus() });
  }

  #notifyMoved(): void {
    this.#moved.resolve();
    this.#moved = Promise.withResolvers<void>();
  }

  /** Reads from the store what happened since; no reader joins meanwhile. */
  async #catchUp(): Promise<void> {
    this.#isBusy = true;
    while (!this.#isClosed) {
      try {
        const isAtTip = await this.#readOn();
        // Checked only now: a step that arrived since the page was read is not in it.
        if (isAtTip && this.#point.version >= this.#options.currentVersion()) break;
      } catch (error) {
        this.#options.onError(error);
        // Reading it again would give the same result.
        if (error instanceof AnswerMismatchError) {
          this.#options.onLost();
          break;
        }
        await this.#options.sleep(RETRY_MS);
      }
    }
    this.#isBusy = false;
    this.#notifyMoved();
  }

  /** One page; true when it was the last one. */
  async #readOn(): Promise<boolean> {
    const { read, onLost, pageEvents: limit } = this.#options;
    const page = await read({ ...this.name, point: this.#point, kinds: RECORDED_KINDS, limit });
    if (typeof page === 'string') {
      onLost();
      return true;
    }
    const encoded = encodeNewsPage(page, this.name);
    for (const group of this.#groups.values()) {
      const text = encoded(group.filter);
      if (text !== '') group.draft.keep(text);
      group.flush();
    }
    this.#point = page.point;
    this.#changedVersion = Math.max(this.#changedVersion, page.checkpoint.version);
    return page.isLast;
  }
}
