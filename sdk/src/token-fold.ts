// Folds the events of a stream into what is true now. A client that applies every event holds the
// same trades and candles as the API returns, through reorganisations too.

import type {
  Coverage,
  Kline,
  StreamHolders,
  StreamPrice,
  StreamSnapshot,
  TokenSummary,
  Trade,
} from './contract.gen.ts';
import type { MintwireClient, OperationInput } from './create-client.ts';
import type { StreamOptions, TokenStreamEvent } from './token-stream.ts';

export interface LiveToken {
  readonly chain: string;
  readonly mint: string;
  /** As of the last snapshot; `price` is newer. */
  readonly token: TokenSummary;
  readonly price: StreamPrice | null;
  readonly holders: StreamHolders | null;
  readonly coverage: Coverage | null;
  /** The newest first: those since the snapshot and its last 50, up to a maximum. */
  readonly trades: readonly Trade[];
  /** The oldest first: those since the snapshot, and the history that was asked for. */
  readonly klines: readonly Kline[];
}

const TRADES_MAX = 1000;
const KLINES_MAX = 5000;

class FoldedToken implements LiveToken {
  readonly chain: string;
  readonly mint: string;
  token: TokenSummary;
  price: StreamPrice | null = null;
  holders: StreamHolders | null = null;
  coverage: Coverage | null = null;
  /** In the order of the chain. */
  readonly tradesById = new Map<string, Trade>();
  readonly klinesByTime = new Map<number, Kline>();

  constructor({ chain, mint, token, trades, kline }: StreamSnapshot) {
    this.chain = chain;
    this.mint = mint;
    this.token = token;
    for (const trade of trades.toReversed()) this.tradesById.set(trade.id, trade);
    if (kline !== null) this.klinesByTime.set(kline.openTime, kline);
  }

  get trades(): readonly Trade[] {
    return [...this.tradesById.values()].reverse();
  }

  get klines(): readonly Kline[] {
    return [...this.klinesByTime.values()].sort((a, b) => a.openTime - b.openTime);
  }
}

const keyOf = ({ chain, mint }: { readonly chain: string; readonly mint: string }) =>
  `${chain}:${mint}`;

type RevertEvent = Extract<TokenStreamEvent, { event: 'revert' }>['data'];

export class TokenFold {
  readonly #tokens = new Map<string, FoldedToken>();
  readonly #tradesMax: number;

  constructor(options: { readonly tradesMax?: number } = {}) {
    this.#tradesMax = options.tradesMax ?? TRADES_MAX;
  }

  /** Every token that has had its snapshot. */
  get tokens(): readonly LiveToken[] {
    return [...this.#tokens.values()];
  }

  /** Adds candles that were read; those of the stream are as new or newer. */
  addKlines(token: LiveToken, klines: readonly Kline[]): void {
    const { klinesByTime } = this.#tokens.get(keyOf(token)) ?? {};
    for (const kline of klines) {
      if (!klinesByTime?.has(kline.openTime)) klinesByTime?.set(kline.openTime, kline);
    }
  }

  #revert({ chain, mint, tradeIds, klines }: RevertEvent): FoldedToken[] {
    const changed = [...this.#tokens.values()].filter(
      (one) => one.chain === chain && (mint === undefined || one.mint === mint),
    );
    for (const { tradesById, klinesByTime } of changed) {
      for (const id of tradeIds) tradesById.delete(id);
      for (const { openTime } of klines) klinesByTime.delete(openTime);
    }
    return changed;
  }

  /** The tokens that the event changed. */
  apply(one: TokenStreamEvent): readonly LiveToken[] {
    if (one.event === 'snapshot') {
      // The snapshot of a chain's news has no token.
      if (!('token' in one.data)) return [];
      const token = new FoldedToken(one.data);
      this.#tokens.set(keyOf(token), token);
      return [token];
    }
    if (one.event === 'revert') return this.#revert(one.data);
    // News of a chain fold into no token.
    if (!('mint' in one.data) || one.event === 'alert' || one.event === 'alert.reverted') return [];
    const token = this.#tokens.get(keyOf(one.data));
    if (token === undefined) return [];
    if (one.event === 'trade') {
      const { chain: _chain, mint: _mint, ...trade } = one.data;
      token.tradesById.set(trade.id, trade);
      const [oldest] = token.tradesById.keys();
      if (token.tradesById.size > this.#tradesMax) token.tradesById.delete(oldest ?? '');
    } else if (one.event === 'kline') {
      const { klinesByTime } = token;
      klinesByTime.set(one.data.kline.openTime, one.data.kline);
      if (klinesByTime.size > KLINES_MAX) klinesByTime.delete(Math.min(...klinesByTime.keys()));
    } else if (one.event === 'price') token.price = one.data;
    else if (one.event === 'holders') token.holders = one.data;
    else if (one.event === 'coverage') {
      const { chain: _chain, mint: _mint, ...coverage } = one.data;
      token.coverage = coverage;
    } else return [];
    return [token];
  }
}

/** Without `lastEventId`: a fold knows nothing of what came before, so it needs a snapshot. */
export interface FollowOptions extends Omit<StreamOptions, 'lastEventId'> {
  /** How many candles from before the stream to read for each token; none by default. */
  readonly klineHistory?: number | undefined;
  /** How many trades of a token to keep at most; 1,000 by default. */
  readonly tradesMax?: number | undefined;
}

/** A token each time that something of it changed, as it is then. */
export async function* followTokens(
  client: MintwireClient,
  input: OperationInput<'getTokenStream'>,
  options: FollowOptions = {},
): AsyncGenerator<LiveToken, void, undefined> {
  const { klineHistory = 0, tradesMax = TRADES_MAX, ...how } = options;
  const { interval = '1m', currency, outliers, pool } = input;
  const fold = new TokenFold({ tradesMax });
  for await (const event of client.getTokenStream(input, how)) {
    for (const token of fold.apply(event)) {
      if (event.event === 'snapshot' && klineHistory > 0) {
        // After the snapshot: what changes meanwhile comes on the stream.
        const { chain, mint } = token;
        const which = { chain, mint, interval, limit: klineHistory, currency, outliers, pool };
        const { klines } = await client.getKlines(which, { signal: how.signal });
        fold.addKlines(token, klines);
      }
      yield token;
    }
  }
}
