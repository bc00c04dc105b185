// Readers of the service's own streams who were there all the time: what they were sent is what is
// stored.

import type { ChainAdapter } from '../../src/chains/adapter.ts';
import { findFamily } from '../../src/engines/chain-families.ts';
import { AppError } from '../../src/errors/app-error.ts';
import type { Feed } from '../../src/live/feed.ts';
import type { Market } from '../../src/market/create-market.ts';
import type { Streams } from '../../src/market/stream/create-streams.ts';
import type { Address } from '../../src/model/ids.ts';
import type { Store } from '../../src/store/store.ts';
import { createTestMarket, FAKE_MARKET_CHAIN } from '../market-scene.ts';
import { StreamFold } from '../stream-fold.ts';
import { openTestStream, startTestStreams, type TestStream } from '../stream-scene.ts';
import { findHistoryEnds } from './history-ends.ts';
import type { WorldChain } from './world-chain.ts';

interface Reader {
  readonly fold: StreamFold;
  readonly stream: TestStream;
  /** The last block of its snapshot. */
  readonly fromBlock: number;
}

const TOKENS_READ = 2;

export class StreamReaders {
  readonly #chain: WorldChain;
  readonly #store: Store;
  readonly #market: Market;
  readonly #streams: Streams;
  readonly #readers = new Map<Address, Reader>();

  constructor(parts: {
    readonly chain: WorldChain;
    readonly store: Store;
    readonly feed: Feed;
    readonly adapter: ChainAdapter;
  }) {
    const { chain, store, feed, adapter } = parts;
    const { slug } = chain;
    this.#chain = chain;
    this.#store = store;
    const { addresses } = findFamily(slug);
    const seen = { ...FAKE_MARKET_CHAIN, slug, addresses, assets: adapter.assets };
    this.#market = createTestMarket({ store, feed, chain: seen });
    this.#streams = startTestStreams(this.#market);
  }

  async start(): Promise<void> {
    await this.#market.start();
  }

  /** Opens the streams that are not open yet, of tokens that the service knows by now. */
  async open(): Promise<void> {
    for (const token of this.#chain.listTokens().slice(0, TOKENS_READ)) {
      if (!this.#readers.has(token)) await this.#open(token);
    }
  }

  async #open(token: Address): Promise<void> {
    const fold = new StreamFold();
    let fromBlock = 0;
    try {
      const query = { chain: this.#chain.slug, mint: token, events: 'trade,kline' };
      const stream = await openTestStream(this.#streams, query, {
        onEvent: (event, { events }) => {
          fold.apply(event);
          events.length = 0;
          if (event.event === 'snapshot') fromBlock = event.data.asOf.block;
        },
      });
      this.#readers.set(token, { fold, stream, fromBlock });
    } catch (error) {
      // It is not indexed yet.
      if (!(error instanceof AppError)) throw error;
    }
  }

  /** What it keeps itself to compare with. */
  listFolds(): StreamFold[] {
    return [...this.#readers.values()].map(({ fold }) => fold);
  }

  async stop(): Promise<void> {
    this.#streams.stop();
    await this.#market.stop();
  }

  /** What was lost, doubled or never took place. */
  async listFaults(): Promise<string[]> {
    const stored = new Map([...this.#readers.keys()].map((token) => [token, new Set<string>()]));
    const { slug } = this.#chain;
    const { market } = this.#store;
    const tokens = Array.from(this.#readers.keys(), (token) => ({ token }));
    const ends = await findHistoryEnds(market, slug, tokens);
    const history = new Set<string>();
    for await (const rows of market.scanTrades(slug)) {
      for (const { token, block, txHash, index } of rows) {
        if (block <= (this.#readers.get(token)?.fromBlock ?? 0)) continue;
        const id = `${slug}:${txHash}:${index}`;
        stored.get(token)?.add(id);
        if (block < (ends.get(token) ?? 0)) history.add(id);
      }
    }
    if (this.#readers.size === 0) return ['no stream could be opened'];
    return [...this.#readers].flatMap(([token, reader]) => {
      const { fold, stream, fromBlock } = reader;
      const left = stored.get(token) ?? new Set();
      const unstored = [...fold.trades.values()].filter(
        ({ id, block }) => block > fromBlock && !left.delete(id),
      );
      const snapshots = fold.counts.get('snapshot') ?? 0;
      return [
        ...fold.problems,
        ...(stream.state.ended === null ? [] : [`its stream ended: ${stream.state.ended}`]),
        ...(snapshots === 1 ? [] : [`it had ${snapshots} snapshots`]),
        ...unstored.map(({ id }) => `trade ${id} was sent, is not stored`),
        ...[...left]
          .filter((id) => !history.has(id))
          .map((id) => `trade ${id} is stored, was never sent`),
      ].map((fault) => `the reader of ${token}: ${fault}`);
    });
  }
}
