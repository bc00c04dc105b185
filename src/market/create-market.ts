// Composes the market reads.

import type { Clock } from '../lib/clock.ts';
import type { Feed } from '../live/feed.ts';
import type { Store } from '../store/store.ts';
import { AnswerCache } from './answer-cache.ts';
import { MarketBoard } from './board/market-board.ts';
import { MarketColumns } from './board/market-columns.ts';
import { createGetHolders } from './create-get-holders.ts';
import { createGetKlines } from './create-get-klines.ts';
import { createGetToken } from './create-get-token.ts';
import { createGetTrades } from './create-get-trades.ts';
import { createListTokens } from './create-list-tokens.ts';
import { createSearchTokens } from './create-search-tokens.ts';
import { ListCache } from './list-cache.ts';
import type { TokenLists } from './lists/token-lists.ts';
import type { MarketChains, MarketParts } from './market-parts.ts';
import { PauseWatch } from './pause-watch.ts';
import { ChainStates } from './state/chain-states.ts';
import { SummaryCache } from './summary-cache.ts';
import { TokenSearch, type TokenSearchOptions } from './token-search.ts';

interface MarketOptions {
  readonly store: Store;
  readonly feed: Feed;
  readonly chains: MarketChains;
  readonly clock: Clock;
  readonly lists: TokenLists;
  readonly depthOf: MarketParts['depthOf'];
  readonly lookups?: MarketParts['lookups'];
  readonly buildSegment: TokenSearchOptions['buildSegment'];
  readonly cacheBytesMax: number;
  readonly onError: (error: unknown) => void;
}

const SUMMARIES_MAX = 20_000;
const LISTS_MAX = 200;

export function createMarket(options: MarketOptions) {
  const { store, feed, chains, clock, lists, onError } = options;
  const listChains = () => chains.list();
  const states = new ChainStates({ reader: store.market, feed, clock, listChains, onError });
  const cache = new AnswerCache({ states, bytesMax: options.cacheBytesMax });
  const summaries = new SummaryCache({ states, lists, sizeMax: SUMMARIES_MAX });
  const board = new MarketBoard({ store: store.market, states, listChains, onError });
  const columns = new MarketColumns({
    ...{ store: store.market, states, listChains, lists, onError },
    findAssets: (chain) => chains.find(chain)?.assets ?? null,
  });
  const listCache = new ListCache({ states, sizeMax: LISTS_MAX });
  const pauses = new PauseWatch({ store: store.pauses, onError });
  const search = new TokenSearch({
    reader: store.market,
    states,
    lists,
    listChains,
    buildSegment: options.buildSegment,
    onError,
  });
  const parts = {
    store: store.market,
    chains,
    states,
    cache,
    pauses,
    lists,
    board,
    columns,
    listCache,
    search,
    summaries,
    depthOf: options.depthOf,
    lookups: options.lookups,
  };
  return {
    parts,
    states,
    cache,
    pauses,
    search,
    handlers: {
      searchTokens: createSearchTokens(parts),
      listTokens: createListTokens(parts),
      getToken: createGetToken(parts),
      getKlines: createGetKlines(parts),
      getTrades: createGetTrades(parts),
      getHolders: createGetHolders(parts),
    },
    start: async () => {
      await pauses.start();
      await states.start();
      board.start();
      columns.start();
      search.start();
      pauses.subscribe(() => listCache.clear());
      lists.subscribe(() => {
        cache.clear();
        listCache.clear();
      });
      lists.start();
    },
    stop: async () => {
      const parts = [lists, pauses, states, search, board, columns];
      await Promise.all(parts.map((part) => part.stop()));
    },
  };
}

export type Market = ReturnType<typeof createMarket>;
