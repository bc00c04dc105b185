// A worker's side of the primary process: what the workers of one port share.

import type { LimitLedger } from '../access/limits/limit-ledger.ts';
import type { ChainSlug, EmbeddedSlug } from '../model/chain.ts';
import type { FeedStore } from '../store/feed-store.ts';
import type { LeaseStore } from '../store/lease-store.ts';
import type { SignalStore } from '../store/signal-store.ts';
import type { MetricsReading } from '../telemetry/metrics.ts';
import type { DevnetNews } from './run-devnet.ts';
import type {
  CommitNews,
  PrimaryMessage,
  Questions,
  WorkerMessage,
  WorkerTask,
} from './worker-message.ts';

/** The channel to the primary. */
interface PrimaryPort {
  send(message: WorkerMessage, onSent?: () => void): void;
  onMessage(listener: (message: PrimaryMessage) => void): void;
}

type OnValue<T> = (value: T) => void;

function listenIn<T>(listeners: Set<OnValue<T>>, listener: OnValue<T>): () => Promise<void> {
  listeners.add(listener);
  return async () => void listeners.delete(listener);
}

export class WorkerLink {
  readonly #port: PrimaryPort;
  readonly #asked = new Map<number, (answer: unknown) => void>();
  readonly #signalListeners = new Set<OnValue<{ channel: string; text: string }>>();
  readonly #newsListeners = new Set<OnValue<CommitNews>>();
  readonly #devnetListeners = new Set<OnValue<DevnetNews>>();
  readonly #begun = Promise.withResolvers<WorkerTask>();
  readonly #stopped = Promise.withResolvers<void>();
  readonly #devnets = new Map<ChainSlug, DevnetNews>();
  #askCount = 0;
  #readMetrics: ((id: number) => void) | null = null;

  /** Commits of the worker that indexes. */
  readonly feed: FeedStore = {
    readBatches: async (chain, after, limit) => [
      ...(await this.ask('batches', { chain, after, limit })),
    ],
    listen: (onNews) => listenIn(this.#newsListeners, onNews),
  };

  readonly signals: SignalStore = {
    send: async (channel, text) => this.tell({ type: 'signal', channel, text }),
    listen: (channel, onText) =>
      listenIn(this.#signalListeners, (signal) => {
        if (signal.channel === channel) onText(signal.text);
      }),
  };

  /** Budgets and open streams over all workers. Without a primary this process ends. */
  readonly limits: LimitLedger = {
    isUp: true,
    term: 1,
    settle: (entries) => this.ask('budgets', entries),
    takeStream: (claim) => this.ask('stream', claim),
    putStreams: async (counts) => this.tell({ type: 'streams', counts }),
  };

  /** What the worker that indexes reports. */
  readonly leases: Pick<LeaseStore, 'list'> = {
    list: async () => [...(await this.ask('leases', null))],
  };

  constructor(port: PrimaryPort) {
    this.#port = port;
    port.onMessage((message) => this.#hear(message));
  }

  /** What this worker is to do. */
  get begun(): Promise<WorkerTask> {
    return this.#begun.promise;
  }

  /** Resolves when the primary wants this worker to stop. */
  get stopped(): Promise<void> {
    return this.#stopped.promise;
  }

  tell(message: WorkerMessage, onSent?: () => void): void {
    this.#port.send(message, onSent);
  }

  /** Never rejects: without a primary this process ends. */
  ask<Of extends keyof Questions>(
    of: Of,
    ask: Questions[Of]['ask'],
  ): Promise<Questions[Of]['answer']> {
    this.#askCount += 1;
    const id = this.#askCount;
    const question = { of, ask } as Extract<WorkerMessage, { type: 'ask' }>['question'];
    return new Promise((resolve) => {
      this.#asked.set(id, resolve as (answer: unknown) => void);
      this.tell({ type: 'ask', id, question });
    });
  }

  /** Calls back with what is known of an embedded chain, now and later. */
  watchDevnet(chain: EmbeddedSlug, onNews: (news: DevnetNews) => void): { stop(): Promise<void> } {
    const listener = (news: DevnetNews) => {
      if (news.chain === chain) onNews(news);
    };
    for (const news of this.#devnets.values()) listener(news);
    return { stop: listenIn(this.#devnetListeners, listener) };
  }

  /** Answers the primary when it collects the metrics. */
  serveMetrics(read: () => Promise<MetricsReading>): void {
    this.#readMetrics = (id) => {
      const tell = (reading: MetricsReading) => this.tell({ type: 'metrics', id, reading });
      // Without an answer the primary shows the last reading.
      void read().then(tell, () => undefined);
    };
  }

  #hear(message: PrimaryMessage): void {
    if (message.type === 'answer') {
      this.#asked.get(message.id)?.(message.answer);
      this.#asked.delete(message.id);
    } else if (message.type === 'signal') {
      for (const listener of this.#signalListeners) listener(message);
    } else if (message.type === 'news') {
      for (const listener of this.#newsListeners) listener(message.news);
    } else if (message.type === 'devnet') {
      this.#devnets.set(message.news.chain, message.news);
      for (const listener of this.#devnetListeners) listener(message.news);
    } else if (message.type === 'readMetrics') this.#readMetrics?.(message.id);
    else if (message.type === 'begin') this.#begun.resolve(message);
    else this.#stopped.resolve();
  }
}
