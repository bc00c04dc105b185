// Composes the market reads.

import { createOpenSerializer, createSerializer } from '../contract/create-serializer.ts';
import type { HandlerContext, ReadyAnswer } from '../contract/handler.ts';
import type { InputOf } from '../contract/operation.ts';
import type { getTokenLogo } from '../contract/operations/get-token-logo.ts';
import { getTokenPrice } from '../contract/operations/get-token-price.ts';
import { listPools } from '../contract/operations/list-pools.ts';
import { parseFollowedChain } from '../contract/parse-reference.ts';
import { asOfSchema } from '../contract/schemas/market-schemas.ts';
import { AppError, buildInvalidInputError } from '../errors/app-error.ts';
import type { Clock } from '../lib/clock.ts';
import type { Feed } from '../live/feed.ts';
import type { ChainSlug } from '../model/chain.ts';
import type { Store } from '../store/store.ts';
import { PauseWatch } from './chain-status.ts';
import { ALWAYS, CommitCache, computeEtag, type MadeAnswer, toAnswerKey } from './commit-cache.ts';
import { createNodeSlots } from './contract-book.ts';
import { mayHaveHistory, readCoverage, readTokenStart } from './coverage.ts';
import { createGetHolders } from './create-get-holders.ts';
import { createGetKlines } from './create-get-klines.ts';
import { createGetPool } from './create-get-pool.ts';
import { createGetPrices } from './create-get-prices.ts';
import { createGetToken } from './create-get-token.ts';
import { createGetTraders } from './create-get-traders.ts';
import { createGetTrades } from './create-get-trades.ts';
import { createGetWalletBalances } from './create-get-wallet-balances.ts';
import { createGetWalletPositions } from './create-get-wallet-positions.ts';
import { createGetWalletTrades } from './create-get-wallet-trades.ts';
import { createListTokens } from './create-list-tokens.ts';
import { createSearchTokens } from './create-search-tokens.ts';
import { computeQueryMark } from './cursor.ts';
import {
  buildListAnswer,
  type ListedRow,
  type ListParts,
  pickAt,
  pickReadyChains,
} from './list-answer.ts';
import { parseListCursor } from './list-cursor.ts';
import type { TokenLists } from './lists/token-lists.ts';
import type { TokenLogos } from './lists/token-logos.ts';
import type { MarketChain, MarketChains, MarketParts } from './market-parts.ts';
import {
  buildTokenNotFoundError,
  createPrepare,
  parseToken,
  requireReadable,
  type TokenReference,
  withLookup,
} from './parse-token.ts';
import { buildReserves, readPoolAnswers } from './pool-answers.ts';
import { readAt } from './read-at.ts';
import { type PriceMoment, readPricesAt, readPricesNow } from './read-prices.ts';
import { MarketColumns } from './rolling-stats/market-columns.ts';
import { type PoolQuery, pickPools } from './rolling-stats/pick-pools.ts';
import { warmLists } from './rolling-stats/pick-tokens.ts';
import { RollingStats } from './rolling-stats/rolling-stats.ts';
import { STATS_WINDOWS } from './rolling-stats/window-subject.ts';
import { ChainStates } from './state/chain-states.ts';
import { StandbyReads } from './state/standby-reads.ts';
import { TokenSearch, type TokenSearchOptions } from './token-search.ts';

// Answers GET /pools.

type PoolsInput = InputOf<typeof listPools>;

const serializePool = createSerializer(listPools.output.properties.pools.items);

interface PoolsRequest {
  readonly chains: readonly ChainSlug[];
  /** The token whose pools are asked for. */
  readonly reference: TokenReference | null;
  readonly mark: string;
  readonly limit: number;
  readonly includes: ReadonlySet<string>;
  readonly query: Omit<PoolQuery, 'chain' | 'isHidden'>;
}

function parseMint(
  parts: ListParts,
  chains: readonly ChainSlug[],
  { mint, chain }: PoolsInput,
): TokenReference | null {
  if (mint === undefined) return null;
  const [only, ...others] = chains;
  if (chain === undefined || only === undefined || others.length > 0) {
    const message = 'must be exactly one chain where mint is given';
    throw buildInvalidInputError([{ path: 'chain', message }]);
  }
  return parseToken(parts, { chain: only, mint });
}

function parseRequest(parts: ListParts, input: PoolsInput): PoolsRequest {
  const given = input.chain?.map((name) => parseFollowedChain(parts.chains, name));
  const chains = [...new Set(given ?? parts.chains.list())].sort();
  const reference = parseMint(parts, chains, input);
  const { limit, sort, venue = null } = input;
  const token = reference?.token ?? null;
  const window = STATS_WINDOWS.findIndex(({ name }) => name === input.window);
  const mark = computeQueryMark(['pools', chains.join(), sort, input.window, venue, token]);
  const after = input.cursor === undefined ? null : parseListCursor(mark, input.cursor, chains);
  const query = { sort, window, venue, token, after, limit: limit + 1 };
  return { chains, reference, mark, limit, includes: new Set(input.include), query };
}

async function readRows(parts: ListParts, market: MarketChain, request: PoolsRequest) {
  const chain = market.slug;
  const { reference, includes } = request;
  const isHidden: PoolQuery['isHidden'] = (token) => parts.pauses.isPaused(chain, token);
  const { value, checkpoint } = await readAt(parts, chain, async (reader, at) => {
    if (at === null) return null;
    const picked = await pickAt(parts, { chain, at, reader }, (stats, columns) => {
      if (reference !== null && !columns.tokens.isPresent(reference.token)) return null;
      return pickPools(stats, columns, { ...request.query, chain, isHidden });
    });
    if (picked === null) return { isTokenKnown: false, rows: [] };
    const stored = await reader.readPools(
      chain,
      picked.map(({ id }) => id),
    );
    const readings = await readPoolAnswers(reader, market, {
      ...{ pools: stored, base: reference?.token ?? null, checkpoint: at },
      ...{ directory: parts.lists.directory, stats: parts.stats },
      hasTokens: includes.has('tokens'),
    });
    const texts = new Map(
      readings.map((read) => {
        const windows = includes.has('windows') ? { windows: read.windows } : {};
        const reserves = includes.has('reserves') ? { reserves: buildReserves(read) } : {};
        return [read.row.pool, serializePool({ ...read.answer, ...windows, ...reserves })];
      }),
    );
    const rows = picked.flatMap((position): ListedRow[] => {
      const text = texts.get(position.id);
      return text === undefined ? [] : [{ position, text }];
    });
    return { isTokenKnown: true, rows };
  });
  if (value === null || checkpoint === null) return null;
  if (!value.isTokenKnown && reference !== null) throw buildTokenNotFoundError(reference);
  return { rows: value.rows, at: checkpoint };
}

function createListPools(parts: ListParts) {
  return (input: PoolsInput, context: HandlerContext): ReadyAnswer | Promise<ReadyAnswer> => {
    const request = parseRequest(parts, input);
    const { mark, limit, reference } = request;
    const isNamed = input.chain !== undefined;
    const chains = pickReadyChains(parts, request.chains, { isNamed });
    const key = `${mark} ${limit} ${input.cursor ?? ''} ${chains} ${[...request.includes].sort()}`;
    const read = () =>
      parts.listCache.get(key, chains, () =>
        buildListAnswer(parts, {
          name: 'pools',
          ...{ chains, mark, limit },
          readRows: (market) => readRows(parts, market, request),
        }),
      );
    if (reference === null) return read();
    requireReadable(parts, reference);
    return withLookup(parts, { reference, context }, read);
  };
}

// Answers GET /token/price.

type PriceInput = InputOf<typeof getTokenPrice>;

const serializeOpen = createOpenSerializer(getTokenPrice.output, 'asOf', asOfSchema);

function parseMoment({ at, atBlock }: PriceInput): PriceMoment | null {
  if (at !== undefined && atBlock !== undefined) {
    throw buildInvalidInputError([
      { path: 'atBlock', message: 'must not be given together with at' },
    ]);
  }
  if (at !== undefined) return { kind: 'time', timeMs: at };
  return atBlock === undefined ? null : { kind: 'block', block: atBlock };
}

async function makeAnswer(
  parts: MarketParts,
  market: MarketChain,
  of: {
    readonly reference: TokenReference;
    readonly moment: PriceMoment | null;
    readonly addressGroup: string;
  },
): Promise<MadeAnswer> {
  const { reference, moment, addressGroup } = of;
  const { chain, token } = reference;
  const { value, checkpoint } = await readAt(parts, chain, async (reader, at) => {
    const [record] = await reader.readTokens(chain, [token]);
    if (record === undefined || at === null) return null;
    const { directory } = parts.lists;
    const request = { tokens: [token], checkpoint: at, directory, stats: parts.stats };
    const prices = await (moment === null
      ? readPricesNow(reader, market, request)
      : readPricesAt(reader, market, { ...request, moment }));
    const found = prices.get(token);
    if (found === undefined) return null;
    const start = await readTokenStart(reader, { chain, checkpoint: at }, token);
    const coverage = await readCoverage(reader, chain, { token: record, checkpoint: at, start });
    if (mayHaveHistory(start)) market.requestHistory(token, addressGroup);
    return { ...found, coverage };
  });
  if (value === null || checkpoint === null) throw buildTokenNotFoundError(reference);
  const text = serializeOpen({ ...value.entry, coverage: value.coverage });
  return { text, validity: { ...ALWAYS, ...value.span }, checkpoint };
}

function createGetTokenPrice(parts: MarketParts) {
  const prepare = createPrepare((input: PriceInput) => {
    const reference = parseToken(parts, input);
    const moment = parseMoment(input);
    const key = toAnswerKey(reference, `price ${input.at ?? ''} ${input.atBlock ?? ''}`);
    return { reference, moment, key };
  });
  return (input: PriceInput, context: HandlerContext): ReadyAnswer | Promise<ReadyAnswer> => {
    const { reference, moment, key } = prepare(input);
    const market = requireReadable(parts, reference);
    const { addressGroup } = context;
    return withLookup(parts, { reference, context }, () =>
      parts.cache.answer(key, () => makeAnswer(parts, market, { reference, moment, addressGroup })),
    );
  };
}

// Answers GET /token/logo.

/** Needs neither the store nor the chain: lists alone say where logos are. */
function createGetTokenLogo(parts: Pick<MarketParts, 'chains' | 'pauses' | 'lists' | 'logos'>) {
  return async (input: InputOf<typeof getTokenLogo>): Promise<ReadyAnswer> => {
    const { chain, token, addresses } = parseToken(parts, input);
    const mint = addresses.toShown(token);
    if (parts.pauses.isPaused(chain, token)) throw new AppError('TOKEN_PAUSED', { chain, mint });
    const place = parts.lists.directory.get(chain)?.get(token)?.logo ?? null;
    const finding = place === null ? null : await parts.logos.find(place);
    if (finding === null || finding.kind === 'none') {
      throw new AppError('LOGO_NOT_FOUND', { chain, mint });
    }
    if (finding.kind === 'failed') {
      const retryAfterSeconds = Math.max(1, Math.ceil(finding.retryAfterMs / 1000));
      const upstream = 'The server that has this logo';
      throw new AppError('UPSTREAM_UNAVAILABLE', { upstream }, { retryAfterSeconds });
    }
    const { type, bytes } = finding.image;
    return { kind: 'ready', bytes, etag: computeEtag(bytes), headers: { 'content-type': type } };
  };
}

interface MarketOptions {
  readonly store: Store;
  readonly feed: Feed;
  readonly chains: MarketChains;
  readonly clock: Clock;
  readonly lists: TokenLists;
  readonly logos: TokenLogos;
  readonly depthOf: MarketParts['depthOf'];
  readonly findSafety: MarketParts['findSafety'];
  readonly lookups?: MarketParts['lookups'];
  readonly buildSegment: TokenSearchOptions['buildSegment'];
  readonly keptSegments?: TokenSearchOptions['kept'];
  readonly cacheBytesMax: number;
  readonly onError: (error: unknown) => void;
}

/** Over all chains. */
const SUMMARIES_MAX = 50_000;
const LISTS_MAX = 200;
const POOLS_MAX = 2000;
const WALLETS_MAX = 200;
const WALLET_CALLS_MAX = 8;

/** What lists are made of. The first ones after a load should not have to look everything up. */
function openStats({ store, chains, lists, onError }: MarketOptions, states: ChainStates) {
  const onLoaded = (chain: ChainSlug) => {
    const [statsOf, columnsOf] = [stats.find(chain)?.value, columns.find(chain)?.value];
    if (statsOf === undefined || columnsOf === undefined) return;
    const isCurrent = () =>
      stats.find(chain)?.value === statsOf && columns.find(chain)?.value === columnsOf;
    warmLists(statsOf, columnsOf, isCurrent).catch(onError);
  };
  const shared = {
    store: store.market,
    states,
    listChains: () => chains.list(),
    onLoaded,
    onError,
  };
  const stats = new RollingStats(shared);
  const columns = new MarketColumns({
    ...shared,
    lists,
    findAssets: (chain) => chains.find(chain)?.assets ?? null,
    untilStats: (chain) => stats.untilLoaded(chain),
  });
  return { stats, columns };
}

type ReadParts = Parameters<typeof createListTokens>[0] &
  Parameters<typeof createSearchTokens>[0] &
  Parameters<typeof createListPools>[0] &
  Parameters<typeof createGetPool>[0] &
  Parameters<typeof createGetTokenLogo>[0] &
  Parameters<typeof createGetPrices>[0] &
  Parameters<typeof createGetWalletBalances>[0] &
  Parameters<typeof createGetTokenPrice>[0];

function createHandlers(parts: ReadParts) {
  return {
    searchTokens: createSearchTokens(parts),
    listTokens: createListTokens(parts),
    getToken: createGetToken(parts),
    getTokenPrice: createGetTokenPrice(parts),
    getPrices: createGetPrices(parts),
    getKlines: createGetKlines(parts),
    getTrades: createGetTrades(parts),
    getHolders: createGetHolders(parts),
    listPools: createListPools(parts),
    getPool: createGetPool(parts),
    getTokenLogo: createGetTokenLogo(parts),
    getTraders: createGetTraders(parts),
    getWalletBalances: createGetWalletBalances(parts),
    getWalletTrades: createGetWalletTrades(parts),
    getWalletPositions: createGetWalletPositions(parts),
  };
}

export function createMarket(options: MarketOptions) {
  const { store, feed, chains, clock, lists, logos, onError } = options;
  const listChains = () => chains.list();
  const states = new ChainStates({ reader: store.market, feed, clock, listChains, onError });
  const standby = store.standby
    ? new StandbyReads({ standby: store.standby, states, clock })
    : undefined;
  const cache = new CommitCache(states, { bytesMax: options.cacheBytesMax });
  const createCache = (entriesMax: number) => new CommitCache(states, { entriesMax });
  const [summaries, prices] = [createCache(SUMMARIES_MAX), createCache(SUMMARIES_MAX)];
  const { stats, columns } = openStats(options, states);
  const [listCache, poolCache] = [createCache(LISTS_MAX), createCache(POOLS_MAX)];
  // Anyone can ask for any number of wallets: they must not push out the lists.
  const walletCache = createCache(WALLETS_MAX);
  const clearLists = () => {
    listCache.clear();
    poolCache.clear();
    walletCache.clear();
  };
  const pauses = new PauseWatch({ store: store.pauses, onError });
  const search = new TokenSearch({
    reader: store.market,
    states,
    lists,
    stats,
    listChains,
    buildSegment: options.buildSegment,
    kept: options.keptSegments,
    onError,
  });
  const parts = {
    ...{ chains, states, cache, pauses, lists, stats, columns, listCache, poolCache },
    ...{ walletCache, walletCalls: createNodeSlots(WALLET_CALLS_MAX) },
    ...{ logos, search, summaries, prices, depthOf: options.depthOf, lookups: options.lookups },
    findSafety: options.findSafety,
    store: store.market,
  };
  return {
    parts,
    standby,
    states,
    cache,
    pauses,
    search,
    // Streams read from the primary: an id from another process may be ahead of the standby.
    handlers: createHandlers({ ...parts, standby }),
    start: async () => {
      await pauses.start();
      await states.start();
      // First: it takes little, and the others load for seconds where there are many tokens.
      await search.start();
      stats.start();
      columns.start();
      pauses.subscribe(clearLists);
      lists.subscribe(() => {
        cache.clear();
        clearLists();
      });
      lists.start();
    },
    stop: async () => {
      logos.stop();
      const parts = [lists, pauses, states, search, stats, columns];
      await Promise.all(parts.map((part) => part.stop()));
    },
  };
}

export type Market = ReturnType<typeof createMarket>;
