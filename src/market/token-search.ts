// Search over every followed chain: one index per chain, loaded from the store and kept up to date.

import type { ChainSlug } from '../model/chain.ts';
import type { Address } from '../model/ids.ts';
import type { ListingRecord, MarketReads } from '../store/market-reads.ts';
import { pickTokenLiquidity } from './board/token-columns.ts';
import type { ChainEntries } from './lists/token-directory.ts';
import type { TokenLists } from './lists/token-lists.ts';
import { ChainSearch } from './search/chain-search.ts';
import { compareFound, type Found, type Listing } from './search/listing.ts';
import type { SearchQuery } from './search/match-text.ts';
import type { SegmentArrays } from './search/segment.ts';
import type { ChainStates, StateChange } from './state/chain-states.ts';

export interface TokenSearchOptions {
  readonly reader: Pick<MarketReads, 'readListings' | 'scanListings'>;
  readonly states: ChainStates;
  readonly listChains: () => readonly ChainSlug[];
  /** Reads a chain's tokens and builds a segment on another thread, since it takes seconds. */
  readonly buildSegment: (chain: ChainSlug, entries: ChainEntries) => Promise<SegmentArrays>;
  readonly lists: Pick<TokenLists, 'directory' | 'subscribe'>;
  readonly onError: (error: unknown) => void;
}

type FoundToken = Found & { readonly chain: ChainSlug };

/** Up to this many tokens are scanned; above that a segment is built. */
const CHANGES_MAX = 4000;
/** The minimum time between two builds of a segment. */
const REBUILD_MS = 60_000;
/** Changed tokens are read in parts, so that a busy chain does not delay answers. */
const PART_SIZE = 200;
const PART_PAUSE_MS = 20;
/** Above this many changed tokens, reading everything once is cheaper. */
const CHANGED_MAX = 20_000;

interface SearchedChain {
  readonly index: ChainSearch;
  readonly changed: Set<Address>;
  isLoaded: boolean;
  loading: Promise<void> | null;
  /** Requested while a load was in progress. */
  mustReload: boolean;
  builtAtMs: number;
  timer: NodeJS.Timeout | null;
}

const NO_ENTRIES: ChainEntries = new Map();

/** A token is searched by the texts that its summary shows. */
export function toListing(record: ListingRecord, entries: ChainEntries): Listing {
  const entry = entries.get(record.token);
  return {
    token: record.token,
    symbol: record.symbol ?? entry?.symbol ?? null,
    name: record.name ?? entry?.name ?? null,
    isVerified: entry !== undefined,
    liquidityUsdE18: pickTokenLiquidity(record),
  };
}

export class TokenSearch {
  readonly #options: TokenSearchOptions;
  readonly #chains = new Map<ChainSlug, SearchedChain>();
  readonly #unsubscribes: (() => void)[] = [];
  #stopped = false;

  constructor(options: TokenSearchOptions) {
    this.#options = options;
  }

  start(): void {
    const { states, lists } = this.#options;
    this.#unsubscribes.push(
      states.subscribe((change) => this.#hear(change)),
      lists.subscribe(() => {
        for (const chain of this.#chains.keys()) this.#reload(chain);
      }),
    );
    for (const chain of this.#options.listChains()) {
      if (states.current(chain) !== null) this.#reload(chain);
    }
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    for (const unsubscribe of this.#unsubscribes) unsubscribe();
    for (const { timer } of this.#chains.values()) if (timer) clearTimeout(timer);
    await Promise.all([...this.#chains.values()].map(({ loading }) => loading));
  }

  isLoaded(chain: ChainSlug): boolean {
    return this.#chains.get(chain)?.isLoaded ?? false;
  }

  /** The number of tokens in a chain's index, for the metrics. */
  countTokens(chain: ChainSlug): number {
    return this.#chains.get(chain)?.index.tokenCount ?? 0;
  }

  /** The best matches over the chains, in order. */
  find(
    chains: readonly ChainSlug[],
    query: SearchQuery,
    options: {
      readonly limit: number;
      readonly isHidden: (chain: ChainSlug, token: Address) => boolean;
    },
  ): readonly FoundToken[] {
    const found = chains.flatMap((chain) => {
      const isHidden = (token: Address) => options.isHidden(chain, token);
      const ofChain = this.#chains.get(chain)?.index.search(query, options.limit, isHidden) ?? [];
      return ofChain.map((one) => ({ ...one, chain }));
    });
    if (chains.length > 1) {
      found.sort((a, b) => compareFound(a, b) || (a.chain < b.chain ? -1 : 1));
    }
    return found.slice(0, options.limit);
  }

  #findEntries(chain: ChainSlug): ChainEntries {
    return this.#options.lists.directory.get(chain) ?? NO_ENTRIES;
  }

  #hear({ chain, listed }: StateChange): void {
    const indexed = this.#chains.get(chain);
    if (indexed === undefined || listed === 'all') {
      this.#reload(chain);
      return;
    }
    for (const token of listed) indexed.changed.add(token);
    if (indexed.changed.size > CHANGED_MAX) this.#reload(chain);
    else this.#readChangedSoon(chain, indexed);
  }

  #reload(chain: ChainSlug): void {
    const indexed = this.#chains.get(chain) ?? createIndexedChain();
    this.#chains.set(chain, indexed);
    if (indexed.loading !== null) {
      indexed.mustReload = true;
      return;
    }
    indexed.mustReload = false;
    indexed.loading = this.#load(chain, indexed)
      .catch((error: unknown) => {
        if (!this.#stopped) this.#options.onError(error);
      })
      .finally(() => {
        indexed.loading = null;
        if (indexed.mustReload && !this.#stopped) this.#reload(chain);
      });
  }

  async #load(chain: ChainSlug, indexed: SearchedChain): Promise<void> {
    indexed.changed.clear();
    indexed.index.begin();
    indexed.builtAtMs = performance.now();
    const few = await this.#readFew(chain);
    if (few !== null) indexed.index.replaceAll(few);
    else {
      const entries = this.#findEntries(chain);
      indexed.index.setSegment(await this.#options.buildSegment(chain, entries));
    }
    indexed.isLoaded = true;
  }

  /** All tokens of a chain that has few; null if there are many. */
  async #readFew(chain: ChainSlug): Promise<readonly Listing[] | null> {
    const listings: Listing[] = [];
    const entries = this.#findEntries(chain);
    for await (const page of this.#options.reader.scanListings(chain)) {
      listings.push(...page.map((record) => toListing(record, entries)));
      if (listings.length > CHANGES_MAX / 2) return null;
    }
    return listings;
  }

  #readChangedSoon(chain: ChainSlug, indexed: SearchedChain): void {
    if (indexed.timer !== null || indexed.changed.size === 0 || this.#stopped) return;
    indexed.timer = setTimeout(() => {
      this.#readChanged(chain, indexed)
        .catch((error: unknown) => {
          if (!this.#stopped) this.#options.onError(error);
        })
        .finally(() => {
          indexed.timer = null;
          this.#readChangedSoon(chain, indexed);
        });
    }, PART_PAUSE_MS);
    indexed.timer.unref();
  }

  async #readChanged(chain: ChainSlug, indexed: SearchedChain): Promise<void> {
    const tokens = [...indexed.changed].slice(0, PART_SIZE);
    for (const token of tokens) indexed.changed.delete(token);
    const found = new Set<Address>();
    const records = await this.#options.reader.readListings(chain, tokens);
    // Looked up after the read: the lists may have changed meanwhile.
    const entries = this.#findEntries(chain);
    for (const record of records) {
      found.add(record.token);
      indexed.index.put(toListing(record, entries));
    }
    for (const token of tokens) if (!found.has(token)) indexed.index.remove(token);
    const isLarge = indexed.index.changeCount > CHANGES_MAX;
    if (isLarge && performance.now() - indexed.builtAtMs > REBUILD_MS) this.#reload(chain);
  }
}

function createIndexedChain(): SearchedChain {
  return {
    index: new ChainSearch(),
    changed: new Set(),
    isLoaded: false,
    loading: null,
    mustReload: false,
    builtAtMs: 0,
    timer: null,
  };
}
