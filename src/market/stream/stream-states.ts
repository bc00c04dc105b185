// Prices and holders of the tokens that have readers: read when they may have changed, sent when
// they have.

import { AnswerMismatchError } from '../../contract/create-serializer.ts';
import type { Clock } from '../../lib/clock.ts';
import type { ChainSlug } from '../../model/chain.ts';
import type { TimeRange } from '../../store/market-reads.ts';
import type { MarketStore } from '../../store/store.ts';
import { readCoverage } from '../coverage.ts';
import { computePct } from '../create-get-holders.ts';
import type { TokenLists } from '../lists/token-lists.ts';
import type { MarketChains } from '../market-parts.ts';
import type { TokenReference } from '../parse-token.ts';
import { type AnswerReader, readAt } from '../read-at.ts';
import type { RollingStats } from '../rolling-stats/rolling-stats.ts';
import { readSummaries, type SummaryRead } from '../token-summary.ts';
import { createTokenEvent } from './encode-events.ts';
import type { StreamKind } from './stream-set.ts';
import type { TokenChannel } from './token-channel.ts';

interface StreamStatesOptions {
  readonly store: MarketStore;
  readonly chains: MarketChains;
  readonly lists: Pick<TokenLists, 'directory'>;
  readonly stats: Pick<RollingStats, 'read'>;
  readonly clock: Clock;
  readonly onError: (error: unknown) => void;
}

/** When a token's price was read, and for which times of the chain it is valid. */
interface PriceReading {
  readonly readMs: number;
  readonly span: TimeRange;
}

/** A token's price is sent at most so often. */
const PRICE_MS = 1000;
const TOP_COUNT = 10;

export class StreamStates {
  readonly #options: StreamStatesOptions;
  readonly #pricesDue = new Set<TokenChannel>();
  readonly #holdersDue = new Set<TokenChannel>();
  readonly #coverageDue = new Set<TokenChannel>();
  readonly #prices = new WeakMap<TokenChannel, PriceReading>();
  /** What is being read, by kind and chain: a chain that is slow or fails delays no other. */
  readonly #reading = new Set<string>();

  constructor(options: StreamStatesOptions) {
    this.#options = options;
  }

  /** Something about the token has changed. */
  onChange(channel: TokenChannel): void {
    if (channel.wants('holders')) this.#holdersDue.add(channel);
    if (!channel.wants('price')) return;
    this.#pricesDue.add(channel);
    void this.#readPrices(channel.name.chain);
  }

  /** Nothing about the token has changed, but trades leave its 24 hours. */
  onTime(channel: TokenChannel, chainMs: number): void {
    const span = this.#prices.get(channel)?.span;
    // A reader that started with a snapshot has a price that was not read here.
    if (span !== undefined && chainMs >= span.fromMs && chainMs < span.toMs) return;
    if (channel.wants('price')) this.#pricesDue.add(channel);
  }

  /** The token's history was filled in further. */
  onCoverage(channel: TokenChannel): void {
    if (channel.wants('coverage')) this.#coverageDue.add(channel);
  }

  /** A reader wants states that no other reader has requested yet. */
  want(channel: TokenChannel, kinds: ReadonlySet<StreamKind>): void {
    const isMissing = (['price', 'holders'] as const).some(
      (kind) => kinds.has(kind) && !channel.hasState(kind),
    );
    if (isMissing) this.onChange(channel);
    if (kinds.has('coverage') && !channel.hasState('coverage')) this.onCoverage(channel);
  }

  forget(channel: TokenChannel): void {
    this.#pricesDue.delete(channel);
    this.#holdersDue.delete(channel);
    this.#coverageDue.delete(channel);
  }

  /** Once a second. */
  tick(): void {
    for (const chain of listChains(this.#pricesDue)) void this.#readPrices(chain);
    for (const kind of ['holders', 'coverage'] as const) {
      const due = kind === 'holders' ? this.#holdersDue : this.#coverageDue;
      for (const chain of listChains(due)) void this.#readEach(due, { kind, chain });
    }
  }

  async #readPrices(chain: ChainSlug): Promise<void> {
    await this.#readAlone(`price ${chain}`, async () => {
      for (let due = this.#takeDue(chain); due.length > 0; due = this.#takeDue(chain)) {
        try {
          await this.#publishPrices(chain, due);
        } catch (error) {
          // The next tick retries.
          this.#putBack(this.#pricesDue, due);
          this.#options.onError(error);
          return;
        }
      }
    });
  }

  /** Reads each channel by itself: the others do not wait for one that fails. */
  async #readEach(
    due: Set<TokenChannel>,
    of: { readonly kind: 'holders' | 'coverage'; readonly chain: ChainSlug },
  ): Promise<void> {
    await this.#readAlone(`${of.kind} ${of.chain}`, async () => {
      const channels = [...due].filter(({ name }) => name.chain === of.chain);
      for (const channel of channels) due.delete(channel);
      const errors: unknown[] = [];
      for (const channel of channels) {
        try {
          if (of.kind === 'holders') await this.#publishHolders(channel);
          else await this.#publishCoverage(channel);
        } catch (error) {
          this.#putBack(due, [channel]);
          errors.push(error);
        }
      }
      // One for all: a store that is down fails for every channel, every second.
      if (errors.length > 0) this.#options.onError(errors[0]);
    });
  }

  async #readAlone(key: string, work: () => Promise<void>): Promise<void> {
    if (this.#reading.has(key)) return;
    this.#reading.add(key);
    try {
      await work();
    } finally {
      this.#reading.delete(key);
    }
  }

  #putBack(due: Set<TokenChannel>, channels: readonly TokenChannel[]): void {
    for (const channel of channels) if (!channel.isClosed) due.add(channel);
  }

  /** Those whose last price is old enough; the others wait for a tick. */
  #takeDue(chain: ChainSlug): TokenChannel[] {
    const nowMs = this.#options.clock.monotonicMs();
    const due = [...this.#pricesDue].filter((channel) => {
      if (channel.name.chain !== chain) return false;
      const readMs = this.#prices.get(channel)?.readMs ?? Number.NEGATIVE_INFINITY;
      return !channel.hasState('price') || nowMs - readMs >= PRICE_MS;
    });
    for (const channel of due) this.#pricesDue.delete(channel);
    return due;
  }

  async #publishPrices(chain: ChainSlug, channels: readonly TokenChannel[]): Promise<void> {
    const { store, chains, lists, stats, clock } = this.#options;
    const market = chains.find(chain);
    if (market === null) return;
    const tokens = channels.map(({ name }) => name.token);
    const { value, checkpoint } = await readAt({ store }, chain, async (reader, at) =>
      at === null
        ? null
        : readSummaries(reader, market, {
            ...{ tokens, checkpoint: at, directory: lists.directory, stats },
          }),
    );
    for (const channel of channels) {
      const read = value?.get(channel.name.token);
      if (read === undefined || checkpoint === null) continue;
      this.#prices.set(channel, { readMs: clock.monotonicMs(), span: read.span });
      this.#skipMismatch(() => publishPrice(channel, read.summary, checkpoint.block));
    }
  }

  /** Nothing is said about a token whose history nobody has requested. */
  async #publishCoverage(channel: TokenChannel): Promise<void> {
    const { chain, token } = channel.name;
    const { value } = await readAt(this.#options, chain, async (reader, checkpoint) => {
      const [row] = await reader.readTokens(chain, [token]);
      if (row === undefined || checkpoint === null) return null;
      return await readCoverage(reader, chain, { token: row, checkpoint });
    });
    if (value === null || value.backfill === null) return;
    this.#skipMismatch(() => {
      const event = createTokenEvent('coverage', value, channel.name);
      channel.setState('coverage', { key: event.encode(), event });
    });
  }

  async #publishHolders(channel: TokenChannel): Promise<void> {
    const { value } = await readAt(this.#options, channel.name.chain, (reader) =>
      readHolders(reader, channel.name),
    );
    if (value === null) return;
    this.#skipMismatch(() => {
      const event = createTokenEvent('holders', value, channel.name);
      channel.setState('holders', { key: event.encode(), event });
    });
  }

  /** A state that does not match its schema is not sent; reading it again would not help. */
  #skipMismatch(publish: () => void): void {
    try {
      publish();
    } catch (error) {
      if (!(error instanceof AnswerMismatchError)) throw error;
      this.#options.onError(error);
    }
  }
}

function listChains(channels: Iterable<TokenChannel>): Set<ChainSlug> {
  return new Set(Array.from(channels, ({ name }) => name.chain));
}

/** Null if the token is unknown. */
export async function readHolders(
  reader: AnswerReader,
  { chain, token, addresses }: TokenReference,
): Promise<{ readonly total: number | null; readonly top10Pct: number | null } | null> {
  const [row] = await reader.readTokens(chain, [token]);
  if (row === undefined) return null;
  const top = await reader.readBalancePage(chain, token, { after: null, limit: TOP_COUNT });
  const topRaw = top.reduce((sum, { amountRaw }) => sum + amountRaw, 0n);
  const total = token === addresses.native ? null : row.holders;
  return { total, top10Pct: computePct(topRaw, row.supplyRaw) };
}

/** The data of a `price` event, but for its block. */
export function buildPrice(summary: SummaryRead['summary']) {
  const { priceUsd, priceNative, liquidityUsd, marketCapUsd } = summary;
  const { priceChange24hPct, volume24hUsd, trades24h } = summary;
  return {
    ...{ priceUsd, priceNative, liquidityUsd, marketCapUsd },
    ...{ priceChange24hPct, volume24hUsd, trades24h },
  };
}

function publishPrice(channel: TokenChannel, summary: SummaryRead['summary'], block: number): void {
  const data = buildPrice(summary);
  const event = createTokenEvent('price', { ...data, block }, channel.name);
  // A value that does not fit is found now, not when it is sent.
  event.encode();
  channel.setState('price', { key: JSON.stringify(data), event });
}
