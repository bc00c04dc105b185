// Composes the market reads.

import type { Clock } from '../lib/clock.ts';
import type { Feed } from '../live/feed.ts';
import type { ChainSlug } from '../model/chain.ts';
import type { Store } from '../store/store.ts';
import { AnswerCache } from './answer-cache.ts';
import { MarketBoard } from './board/market-board.ts';
import { MarketColumns } from './board/market-columns.ts';
import { warmLists } from './board/warm-lists.ts';
import { CommitCache } from './commit-cache.ts';
import { createGetHolders } from './create-get-holders.ts';
import { createGetKlines } from './create-get-klines.ts';
import { createGetPool } from './create-get-pool.ts';
import { createGetPrices } from './create-get-prices.ts';
import { createGetToken } from './create-get-token.ts';
import { createGetTokenLogo } from './create-get-token-logo.ts';
import { createGetTokenPrice } from './create-get-token-price.ts';
import { createGetTraders } from './create-get-traders.ts';
import { createGetTrades } from './create-get-trades.ts';
import { createGetWalletBalances } from './create-get-wallet-balances.ts';
import { createGetWalletPositions } from './create-get-wallet-positions.ts';
import { createGetWalletTrades } from './create-get-wallet-trades.ts';
import { createListPools } from './create-list-pools.ts';
import { createListTokens } from './create-list-tokens.ts';
import { createSearchTokens } from './create-search-tokens.ts';
import type { TokenLists } from './lists/token-lists.ts';
import type { TokenLogos } from './lists/token-logos.ts';
import type { MarketChains, MarketParts } from './market-parts.ts';
import { NodeGate } from './node-gate.ts';
import { PauseWatch } from './pause-watch.ts';
import { ChainStates } from './state/chain-states.ts';
import { StandbyReads } from './state/standby-reads.ts';
import { SummaryCache } from './summary-cache.ts';
import { TokenSearch, type TokenSearchOptions } from './token-search.ts';

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

const SUMMARIES_MAX = 20_000;
const LISTS_MAX = 200;
const POOLS_MAX = 2000;
const WALLETS_MAX = 200;
const WALLET_CALLS_MAX = 8;

/** What lists are made of. The first ones after a load should not have to look everything up. */
function openBoard({ store, chains, lists, onError }: MarketOptions, states: ChainStates) {
  const onLoaded = (chain: ChainSlug) => {
    const [boardOf, columnsOf] = [board.find(chain)?.value, columns.find(chain)?.value];
    if (boardOf === undefined || columnsOf === undefined) return;
    const isCurrent = () =>
      board.find(chain)?.value === boardOf && columns.find(chain)?.value === columnsOf;
    warmLists(boardOf, columnsOf, isCurrent).catch(onError);
  };
  const shared = {
    store: store.market,
    states,
    listChains: () => chains.list(),
    onLoaded,
    onError,
  };
  const board = new MarketBoard(shared);
  const columns = new MarketColumns({
    ...shared,
    lists,
    findAssets: (chain) => chains.find(chain)?.assets ?? null,
    untilBoard: (chain) => board.untilLoaded(chain),
  });
  return { board, columns };
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
  const cache = new AnswerCache({ states, bytesMax: options.cacheBytesMax });
  const summaries = new SummaryCache({ states, lists, sizeMax: SUMMARIES_MAX });
  const prices = new SummaryCache<string>({ states, lists, sizeMax: SUMMARIES_MAX });
  const { board, columns } = openBoard(options, states);
  const listCache = new CommitCache({ states, sizeMax: LISTS_MAX });
  const poolCache = new CommitCache({ states, sizeMax: POOLS_MAX });
  // Anyone can ask for any number of wallets: they must not push out the lists.
  const walletCache = new CommitCache({ states, sizeMax: WALLETS_MAX });
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
    board,
    listChains,
    buildSegment: options.buildSegment,
    kept: options.keptSegments,
    onError,
  });
  const parts = {
    ...{ chains, states, cache, pauses, lists, board, columns, listCache, poolCache },
    ...{ walletCache, walletCalls: new NodeGate(WALLET_CALLS_MAX) },
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
      board.start();
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
      const parts = [lists, pauses, states, search, board, columns];
      await Promise.all(parts.map((part) => part.stop()));
    },
  };
}

export type Market = ReturnType<typeof createMarket>;
