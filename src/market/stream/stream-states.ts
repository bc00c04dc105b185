// Prices and holders of the tokens that have readers: read when they may have changed, sent when
// they have.

import { AnswerMismatchError } from '../../contract/create-serializer.ts';
import type { ChainSlug } from '../../model/chain.ts';
import type { Checkpoint, TokenRecord } from '../../model/market-record.ts';
import type { MarketStore } from '../../store/store.ts';
import { pickTokenLiquidity, toUsdText } from '../board/token-columns.ts';
import { readCoverage } from '../coverage.ts';
import { computePct } from '../create-get-holders.ts';
import type { MarketChains } from '../market-parts.ts';
import { readAt } from '../read-at.ts';
import { findPrices } from '../token-summary.ts';
import { encodeEvent } from './encode-events.ts';
import type { StreamKind } from './stream-filter.ts';
import type { TokenChannel } from './token-channel.ts';

interface StreamStatesOptions {
  readonly store: MarketStore;
  readonly chains: MarketChains;
  readonly onError: (error: unknown) => void;
}

const TOP_COUNT = 10;

export class StreamStates {
  readonly #options: StreamStatesOptions;
  readonly #pricesDue = new Set<TokenChannel>();
  readonly #holdersDue = new Set<TokenChannel>();
  readonly #coverageDue = new Set<TokenChannel>();
  #isReadingPrices = false;
  #isReadingHolders = false;
  #isReadingCoverage = false;

  constructor(options: StreamStatesOptions) {
    this.#options = options;
  }

  /** Something about the token has changed. */
  hear(channel: TokenChannel): void {
    if (channel.wants('holders')) this.#holdersDue.add(channel);
    if (!channel.wants('price')) return;
    this.#pricesDue.add(channel);
    void this.#readPrices();
  }

  /** The token's history was filled in further. */
  hearCoverage(channel: TokenChannel): void {
    if (channel.wants('coverage')) this.#coverageDue.add(channel);
  }

  /** A reader wants states that no other reader has requested yet. */
  want(channel: TokenChannel, kinds: ReadonlySet<StreamKind>): void {
    const isMissing = (['price', 'holders'] as const).some(
      (kind) => kinds.has(kind) && !channel.hasState(kind),
    );
    if (isMissing) this.hear(channel);
    if (kinds.has('coverage') && !channel.hasState('coverage')) this.hearCoverage(channel);
  }

  forget(channel: TokenChannel): void {
    this.#pricesDue.delete(channel);
    this.#holdersDue.delete(channel);
    this.#coverageDue.delete(channel);
  }

  /** Once a second. */
  tick(): void {
    if (this.#pricesDue.size > 0) void this.#readPrices();
    if (this.#holdersDue.size > 0) void this.#readHolders();
    if (this.#coverageDue.size > 0) void this.#readCoverages();
  }

  async #readPrices(): Promise<void> {
    if (this.#isReadingPrices) return;
    this.#isReadingPrices = true;
    let due: TokenChannel[] = [];
    try {
      while (this.#pricesDue.size > 0) {
        due = [...this.#pricesDue];
        this.#pricesDue.clear();
        for (const [chain, channels] of Map.groupBy(due, ({ name }) => name.chain)) {
          await this.#publishPrices(chain, channels);
        }
      }
    } catch (error) {
      // The next tick retries.
      for (const channel of due) this.#pricesDue.add(channel);
      this.#options.onError(error);
    } finally {
      this.#isReadingPrices = false;
    }
  }

  async #publishPrices(chain: ChainSlug, channels: readonly TokenChannel[]): Promise<void> {
    const tokens = channels.map(({ name }) => name.token);
    const { value, checkpoint } = await readAt(this.#options.store, chain, (reader) =>
      reader.readTokens(chain, tokens),
    );
    const byToken = new Map(value.map((row) => [row.token, row]));
    for (const channel of channels) {
      const row = byToken.get(channel.name.token);
      if (row === undefined || checkpoint === null) continue;
      this.#skipMismatch(() => this.#publishPrice(channel, row, checkpoint));
    }
  }

  #publishPrice(channel: TokenChannel, row: TokenRecord, checkpoint: Checkpoint): void {
    const market = this.#options.chains.find(channel.name.chain);
    if (market === null) return;
    const { priceUsd, priceNative } = findPrices(market, row);
    const data = { priceUsd, priceNative, liquidityUsd: toUsdText(pickTokenLiquidity(row)) };
    const text = encodeEvent('price', { ...data, block: checkpoint.block });
    channel.setState('price', { key: JSON.stringify(data), text });
  }

  async #readHolders(): Promise<void> {
    if (this.#isReadingHolders) return;
    this.#isReadingHolders = true;
    const due = [...this.#holdersDue];
    this.#holdersDue.clear();
    try {
      for (const channel of due) await this.#publishHolders(channel);
    } catch (error) {
      for (const channel of due) this.#holdersDue.add(channel);
      this.#options.onError(error);
    } finally {
      this.#isReadingHolders = false;
    }
  }

  async #readCoverages(): Promise<void> {
    if (this.#isReadingCoverage) return;
    this.#isReadingCoverage = true;
    const due = [...this.#coverageDue];
    this.#coverageDue.clear();
    try {
      for (const channel of due) await this.#publishCoverage(channel);
    } catch (error) {
      for (const channel of due) this.#coverageDue.add(channel);
      this.#options.onError(error);
    } finally {
      this.#isReadingCoverage = false;
    }
  }

  /** Nothing is said about a token whose history nobody has requested. */
  async #publishCoverage(channel: TokenChannel): Promise<void> {
    const { chain, token } = channel.name;
    const { value } = await readAt(this.#options.store, chain, async (reader, checkpoint) => {
      const [row] = await reader.readTokens(chain, [token]);
      if (row === undefined || checkpoint === null) return null;
      return await readCoverage(reader, chain, { token: row, checkpoint });
    });
    if (value === null || value.backfill === null) return;
    this.#skipMismatch(() => {
      const text = encodeEvent('coverage', value);
      channel.setState('coverage', { key: text, text });
    });
  }

  async #publishHolders(channel: TokenChannel): Promise<void> {
    const { chain, token, addresses } = channel.name;
    const { value } = await readAt(this.#options.store, chain, async (reader) => {
      const [row] = await reader.readTokens(chain, [token]);
      const page = { after: null, limit: TOP_COUNT };
      return { row, top: await reader.readBalancePage(chain, token, page) };
    });
    const { row, top } = value;
    if (row === undefined) return;
    const topRaw = top.reduce((sum, { amountRaw }) => sum + amountRaw, 0n);
    const total = token === addresses.native ? null : row.holders;
    const data = { total, top10Pct: computePct(topRaw, row.supplyRaw) };
    this.#skipMismatch(() => {
      const text = encodeEvent('holders', data);
      channel.setState('holders', { key: text, text });
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
