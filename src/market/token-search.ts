// Search over every followed chain: one index per chain, loaded from the store and kept up to date.

import { createHash } from 'node:crypto';
import type { ChainSlug } from '../model/chain.ts';
import type { Address } from '../model/ids.ts';
import { pickTokenLiquidity } from '../model/market-record.ts';
import type { ListingRecord, MarketReads } from '../store/market-reads.ts';
import type { ChangedTokens } from './changed-since.ts';
import type { ChainEntries, TokenLists } from './lists/token-lists.ts';
import type { RollingStats } from './rolling-stats/rolling-stats.ts';
import { STATS_WINDOWS } from './rolling-stats/window-subject.ts';
import { ChainSearch } from './search/chain-search.ts';
import type { Listing } from './search/listing.ts';
import { computeProminence, USD_MIN } from './search/prominence.ts';
import { type FoundToken, searchChains } from './search/search-chains.ts';
import type { SearchQuery } from './search/search-query.ts';
import type { SegmentArrays } from './search/segment.ts';
import type { OpenedSegment, SegmentOrigin } from './search/segment-file.ts';
import type { ChainStates, StateChange } from './state/chain-states.ts';

// What search keeps of each chain.

/** Volume and age change without a commit that names the token, so all are read again. */
const REFRESH_MS = 3_600_000;

interface SearchedChain {
  readonly index: ChainSearch;
  readonly changed: Set<Address>;
  isLoaded: boolean;
  loading: Promise<void> | null;
  /** Resolves when the kept segment was looked for. */
  opening: Promise<unknown>;
  /** Requested while a load was in progress. */
  mustReload: boolean;
  builtAtMs: number;
  /** How many loads have failed in a row. */
  failedLoads: number;
  /** Whether the volumes were known when it was loaded. */
  hasVolumes: boolean;
  /** The token lists that it was loaded with. */
  listsMark: string;
  /** How long until volumes and ages are read again. */
  freshForMs: number;
  /** Tokens that were read while the volumes were not known. */
  readonly withoutVolume: Set<Address>;
  timer: NodeJS.Timeout | null;
  volumesTimer: NodeJS.Timeout | null;
  refreshTimer: NodeJS.Timeout | null;
}

function createSearchedChain(): SearchedChain {
  return {
    index: new ChainSearch(),
    changed: new Set(),
    isLoaded: false,
    loading: null,
    opening: Promise.resolve(),
    mustReload: false,
    builtAtMs: 0,
    failedLoads: 0,
    hasVolumes: false,
    listsMark: '',
    freshForMs: REFRESH_MS,
    withoutVolume: new Set(),
    timer: null,
    volumesTimer: null,
    refreshTimer: null,
  };
}

export interface TokenSearchOptions {
  readonly reader: Pick<MarketReads, 'readListings' | 'scanListings'>;
  readonly states: ChainStates;
  readonly listChains: () => readonly ChainSlug[];
  /** Reads a chain's tokens and builds a segment on another thread, since it takes seconds. */
  readonly buildSegment: (chain: ChainSlug, facts: ListingFacts) => Promise<SegmentArrays>;
  /** Absent if segments are not kept. */
  readonly kept?: KeptSegments | undefined;
  readonly lists: Pick<TokenLists, 'directory' | 'subscribe'>;
  /** For the volume of the last 24 hours. */
  readonly stats: Pick<RollingStats, 'find'>;
  readonly onError: (error: unknown) => void;
}

/** Segments that earlier processes left. */
export interface KeptSegments {
  /** Null if there is none of the chain's index. */
  open(chain: ChainSlug): Promise<OpenedSegment | null>;
  /** The tokens that may have changed since; null if they are not known, or too many. */
  listChanged(
    origin: SegmentOrigin,
    bounds: { readonly countMax: number; readonly isPartEnough: boolean },
  ): Promise<ChangedTokens | null>;
}

/** Up to this many tokens are scanned; above that a segment is built. */
const CHANGES_MAX = 4000;
/** A kept segment that misses some changes answers only if it is not older. */
const PART_AGE_MAX_MS = 10 * 60_000;
/** The minimum time between two builds of a segment. */
const REBUILD_MS = 60_000;
/** Changed tokens are read in parts, so that a busy chain does not delay answers. */
const PART_SIZE = 200;
const PART_PAUSE_MS = 20;
/** Above this many changed tokens, reading everything once is cheaper. */
const CHANGED_MAX = 20_000;
/** How often to look whether the rolling stats have been loaded. */
const VOLUMES_LOOK_MS = 250;
/** The pause after a read that failed; it doubles with each failed load in a row. */
const RETRY_MS = { first: 500, max: 60_000 } as const;
const DAY_WINDOW = STATS_WINDOWS.length - 1;
const USD_E18 = 1e18;

/** What search must know of tokens besides their rows. */
export interface ListingFacts {
  /** Of token lists. */
  readonly entries: ChainEntries;
  /** Volumes of the last 24 hours in USD; small ones are left out. */
  readonly volumes: ReadonlyMap<Address, number>;
  /** Whether the volumes are known by now. */
  readonly hasVolumes: boolean;
  /** The chain's time. */
  readonly nowMs: number;
}

/** Equal for lists that say the same of a chain's tokens, as far as search needs them. */
export function computeListsMark(entries: ChainEntries): string {
  const hash = createHash('sha256');
  for (const [token, { symbol, name }] of entries) {
    hash.update(JSON.stringify([token, symbol, name]));
  }
  return hash.digest('base64url');
}

const NO_ENTRIES: ChainEntries = new Map();

/** A token is searched by the texts that its summary shows. */
export function toListing(record: ListingRecord, facts: ListingFacts): Listing {
  const { token } = record;
  const entry = facts.entries.get(token);
  const isVerified = entry !== undefined;
  const liquidityUsdE18 = pickTokenLiquidity(record);
  return {
    token,
    symbol: record.symbol ?? entry?.symbol ?? null,
    name: record.name ?? entry?.name ?? null,
    isVerified,
    prominence: computeProminence({
      isVerified,
      liquidityUsd: liquidityUsdE18 === null ? null : Number(liquidityUsdE18) / USD_E18,
      volumeUsd: facts.volumes.get(token) ?? 0,
      ageMs: facts.nowMs - record.firstSeenAtMs,
    }),
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

  /** Resolves once the segments that earlier processes left answer, or there are none. */
  async start(): Promise<void> {
    const { states, lists } = this.#options;
    this.#unsubscribes.push(
      states.subscribe((change) => this.#onChange(change)),
      lists.subscribe(() => {
        for (const [chain, indexed] of this.#chains) {
          const { entries } = this.#readFacts(chain, []);
          if (computeListsMark(entries) !== indexed.listsMark) this.#reload(chain);
        }
      }),
    );
    for (const chain of this.#options.listChains()) {
      if (states.current(chain) !== null) this.#reload(chain);
    }
    await Promise.all(Array.from(this.#chains.values(), ({ opening }) => opening));
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    for (const unsubscribe of this.#unsubscribes) unsubscribe();
    for (const { timer, volumesTimer, refreshTimer } of this.#chains.values()) {
      for (const one of [timer, volumesTimer, refreshTimer]) if (one) clearTimeout(one);
    }
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
    const indexes = chains.flatMap((chain) => {
      const searched = this.#chains.get(chain);
      return searched === undefined ? [] : [[chain, searched.index] as const];
    });
    return searchChains(indexes, query, options);
  }

  /** The facts of all tokens, or of some. */
  #readFacts(chain: ChainSlug, tokens?: readonly Address[]): ListingFacts {
    const { lists, states, stats } = this.#options;
    const volumes = new Map<Address, number>();
    const found = stats.find(chain);
    for (const [token, e18] of found?.value.tokens.volumes(DAY_WINDOW, tokens) ?? []) {
      const usd = Number(e18) / USD_E18;
      if (usd > USD_MIN) volumes.set(token, usd);
    }
    const entries = lists.directory.get(chain) ?? NO_ENTRIES;
    const nowMs = states.current(chain)?.timestampMs ?? 0;
    return { entries, volumes, hasVolumes: found !== null, nowMs };
  }

  #onChange({ chain, listed }: StateChange): void {
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
    const indexed = this.#chains.get(chain) ?? createSearchedChain();
    this.#chains.set(chain, indexed);
    if (indexed.loading !== null) {
      indexed.mustReload = true;
      return;
    }
    indexed.mustReload = false;
    indexed.loading = this.#load(chain, indexed)
      .catch((error: unknown) => {
        indexed.failedLoads += 1;
        if (!this.#stopped) this.#options.onError(error);
      })
      .finally(() => {
        indexed.loading = null;
        if (indexed.mustReload && !this.#stopped) this.#reload(chain);
        else this.#refreshLater(chain, indexed);
      });
  }

  #refreshLater(chain: ChainSlug, indexed: SearchedChain): void {
    if (indexed.refreshTimer) clearTimeout(indexed.refreshTimer);
    if (this.#stopped) return;
    const { failedLoads, hasVolumes, freshForMs } = indexed;
    const isDue = () => failedLoads > 0 || hasVolumes || this.#options.stats.find(chain) !== null;
    const retryMs = Math.min(RETRY_MS.max, RETRY_MS.first * 2 ** Math.min(failedLoads - 1, 10));
    const refreshMs = hasVolumes ? freshForMs : VOLUMES_LOOK_MS;
    indexed.refreshTimer = setTimeout(
      () => (isDue() ? this.#reload(chain) : this.#refreshLater(chain, indexed)),
      failedLoads > 0 ? retryMs : refreshMs,
    );
    indexed.refreshTimer.unref();
  }

  async #load(chain: ChainSlug, indexed: SearchedChain): Promise<void> {
    indexed.changed.clear();
    indexed.withoutVolume.clear();
    indexed.index.begin();
    indexed.builtAtMs = performance.now();
    const opening = indexed.isLoaded ? Promise.resolve(false) : this.#loadKept(chain, indexed);
    indexed.opening = opening.catch(() => undefined);
    if (await opening) return;
    const facts = this.#readFacts(chain);
    indexed.listsMark = computeListsMark(facts.entries);
    const few = await this.#readFew(chain, facts);
    if (few !== null) indexed.index.replaceAll(few);
    else indexed.index.setSegment(await this.#options.buildSegment(chain, facts));
    indexed.isLoaded = true;
    indexed.hasVolumes = facts.hasVolumes;
    indexed.freshForMs = REFRESH_MS;
    indexed.failedLoads = 0;
  }

  /** Opens the segment that an earlier process left, and reads what has changed since. */
  async #loadKept(chain: ChainSlug, indexed: SearchedChain): Promise<boolean> {
    const { kept } = this.#options;
    const opened = (await kept?.open(chain)) ?? null;
    if (kept === undefined || opened === null) return false;
    const { origin, segment, ageMs } = opened;
    const isPartEnough = ageMs <= PART_AGE_MAX_MS;
    const changed = await kept.listChanged(origin, { countMax: CHANGES_MAX, isPartEnough });
    if (changed === null) return false;
    indexed.index.setSegment(segment);
    const tokens = [...changed.tokens];
    for (let start = 0; start < tokens.length; start += PART_SIZE) {
      await this.#readTokens(chain, indexed, tokens.slice(start, start + PART_SIZE));
    }
    indexed.listsMark = origin.listsMark;
    const { entries } = this.#readFacts(chain, []);
    // It serves until a new one is built.
    if (!changed.isWhole || computeListsMark(entries) !== origin.listsMark) {
      indexed.mustReload = true;
    }
    indexed.isLoaded = true;
    indexed.hasVolumes = origin.hasVolumes;
    indexed.freshForMs = Math.max(0, REFRESH_MS - ageMs);
    return true;
  }

  /** All tokens of a chain that has few; null if there are many. */
  async #readFew(chain: ChainSlug, facts: ListingFacts): Promise<readonly Listing[] | null> {
    const listings: Listing[] = [];
    for await (const page of this.#options.reader.scanListings(chain)) {
      listings.push(...page.map((record) => toListing(record, facts)));
      if (listings.length > CHANGES_MAX / 2) return null;
    }
    return listings;
  }

  #readChangedSoon(chain: ChainSlug, indexed: SearchedChain, pauseMs = PART_PAUSE_MS): void {
    if (indexed.timer !== null || indexed.changed.size === 0 || this.#stopped) return;
    indexed.timer = setTimeout(async () => {
      const isRead = await this.#readChanged(chain, indexed);
      indexed.timer = null;
      this.#readChangedSoon(chain, indexed, isRead ? PART_PAUSE_MS : RETRY_MS.first);
    }, pauseMs);
    indexed.timer.unref();
  }

  /** The rolling stats are loaded after search, and again after a failure. */
  #readVolumesLater(chain: ChainSlug, indexed: SearchedChain, tokens: readonly Address[]): void {
    const { withoutVolume } = indexed;
    for (const token of tokens) withoutVolume.add(token);
    if (indexed.volumesTimer !== null || withoutVolume.size === 0 || this.#stopped) return;
    indexed.volumesTimer = setTimeout(() => {
      indexed.volumesTimer = null;
      if (this.#options.stats.find(chain) === null) {
        this.#readVolumesLater(chain, indexed, []);
        return;
      }
      for (const token of withoutVolume) indexed.changed.add(token);
      withoutVolume.clear();
      this.#readChangedSoon(chain, indexed);
    }, VOLUMES_LOOK_MS);
    indexed.volumesTimer.unref();
  }

  /** False if the read failed: the tokens are then read again. */
  async #readChanged(chain: ChainSlug, indexed: SearchedChain): Promise<boolean> {
    const tokens = [...indexed.changed].slice(0, PART_SIZE);
    for (const token of tokens) indexed.changed.delete(token);
    try {
      await this.#readTokens(chain, indexed, tokens);
      return true;
    } catch (error) {
      for (const token of tokens) indexed.changed.add(token);
      if (!this.#stopped) this.#options.onError(error);
      return false;
    }
  }

  async #readTokens(
    chain: ChainSlug,
    indexed: SearchedChain,
    tokens: readonly Address[],
  ): Promise<void> {
    const found = new Set<Address>();
    const records = await this.#options.reader.readListings(chain, tokens);
    // Looked up after the read: the lists may have changed meanwhile.
    const facts = this.#readFacts(chain, tokens);
    if (!facts.hasVolumes) this.#readVolumesLater(chain, indexed, tokens);
    for (const record of records) {
      found.add(record.token);
      indexed.index.put(toListing(record, facts));
    }
    for (const token of tokens) if (!found.has(token)) indexed.index.remove(token);
    const isLarge = indexed.index.changeCount > CHANGES_MAX;
    if (isLarge && performance.now() - indexed.builtAtMs > REBUILD_MS) this.#reload(chain);
  }
}
