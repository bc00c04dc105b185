// The operator's token lists, kept up to date: lists with a URL are read again every hour.
//
// A URL that fails keeps its last good list; the failure is reported once.

import type { Lookalike } from '../../contract/safety-warnings.ts';
import { foldText } from '../../lib/clean-text.ts';
import { type Backoff, computeBackoffMs, type Random, type Sleep } from '../../lib/retry.ts';
import { computeSkeleton } from '../../lib/text-skeleton.ts';
import type { ChainSlug } from '../../model/chain.ts';
import type { Address } from '../../model/ids.ts';
import type { LogoPlace, TokenLinks, TokenList } from './parse-token-list.ts';
import type { TokenListSource } from './token-list-source.ts';

// Merges all token lists: what they say about each token.

export interface TokenListing {
  /** Names of the lists that vouch for the token, in the order of `TOKEN_LISTS`; never empty. */
  readonly lists: readonly string[];
  /** Used only if the contract has none: a list must not rename a token. */
  readonly symbol: string | null;
  readonly name: string | null;
  readonly links: TokenLinks | null;
  readonly logo: LogoPlace | null;
}

/** The listed tokens of one chain. Plain data: it crosses to other threads. */
export type ChainEntries = ReadonlyMap<Address, TokenListing>;

export type TokenDirectory = ReadonlyMap<ChainSlug, ChainEntries>;

/** On conflict the first list that has a value wins. */
export function buildTokenDirectory(lists: readonly TokenList[]): TokenDirectory {
  const directory = new Map<ChainSlug, Map<Address, TokenListing>>();
  for (const list of lists) {
    for (const { chain, token, symbol, name, links, logo } of list.tokens) {
      const entries = directory.get(chain) ?? new Map<Address, TokenListing>();
      directory.set(chain, entries);
      const known = entries.get(token);
      entries.set(token, {
        lists: [...new Set([...(known?.lists ?? []), list.name])],
        symbol: known?.symbol ?? symbol,
        name: known?.name ?? name,
        links: known?.links ?? links,
        logo: known?.logo ?? logo,
      });
    }
  }
  return directory;
}

// Tokens that look like one that a token list vouches for.

/** A token with what it calls itself. */
interface NamedToken {
  readonly chain: ChainSlug;
  readonly token: Address;
  readonly symbol: string | null;
  readonly name: string | null;
}

interface VouchedText extends Lookalike {
  readonly folded: string;
}

/** Shorter texts are alike by chance. */
const LENGTH_MIN = { symbol: 3, name: 4 } as const;
const FIELDS = ['symbol', 'name'] as const;

export class Lookalikes {
  readonly #directory: TokenDirectory;
  /** By field and skeleton. */
  readonly #vouched = new Map<string, VouchedText[]>();

  constructor(directory: TokenDirectory) {
    this.#directory = directory;
    for (const [chain, entries] of directory) {
      for (const [token, { symbol, name }] of entries) this.#add({ chain, token, symbol, name });
    }
  }

  /**
   * The vouched token that a token can be mistaken for, by its symbol or its name. On another chain
   * only if the text is written in other letters: otherwise it may be the same token there.
   */
  find(named: NamedToken): Lookalike | null {
    const { chain, token } = named;
    if (this.#directory.get(chain)?.has(token)) return null;
    const alike = FIELDS.flatMap((field) => {
      const folded = foldText(named[field] ?? '');
      const vouched = this.#vouched.get(buildKey(field, named[field]) ?? '') ?? [];
      return vouched.filter((one) => one.chain === chain || one.folded !== folded);
    });
    return alike.find((one) => one.chain === chain) ?? alike[0] ?? null;
  }

  #add(named: NamedToken): void {
    const { chain, token, symbol } = named;
    for (const field of FIELDS) {
      const key = buildKey(field, named[field]);
      if (key === null) continue;
      const folded = foldText(named[field] ?? '');
      this.#vouched.set(key, [...(this.#vouched.get(key) ?? []), { chain, token, symbol, folded }]);
    }
  }
}

/** Null if the text is too short. */
function buildKey(field: (typeof FIELDS)[number], text: string | null): string | null {
  const skeleton = computeSkeleton(text ?? '');
  return skeleton.length < LENGTH_MIN[field] ? null : `${field} ${skeleton}`;
}

interface TokenListsOptions {
  readonly sources: readonly TokenListSource[];
  readonly sleep: Sleep;
  readonly random: Random;
  readonly onFailure: (label: string, error: unknown) => void;
  readonly onRecovered: (label: string) => void;
}

interface SourceState {
  readonly source: TokenListSource;
  list: TokenList | null;
  /** Failures in a row. */
  failures: number;
}

const RENEW_MS = 3_600_000;
const RETRY_BACKOFF: Backoff = { baseMs: 60_000, maxMs: RENEW_MS };

export class TokenLists {
  readonly #options: TokenListsOptions;
  readonly #states: SourceState[];
  readonly #listeners = new Set<() => void>();
  readonly #abort = new AbortController();
  #work: Promise<unknown> = Promise.resolve();
  #directory: TokenDirectory;
  #lookalikes: Lookalikes;

  constructor(options: TokenListsOptions) {
    this.#options = options;
    this.#states = options.sources.map((source) => ({ source, list: source.list, failures: 0 }));
    this.#directory = this.#build();
    this.#lookalikes = new Lookalikes(this.#directory);
  }

  /** A new object after each change. */
  get directory(): TokenDirectory {
    return this.#directory;
  }

  /** The vouched token that a token can be mistaken for; null if there is none. */
  findLookalike(named: NamedToken): Lookalike | null {
    return this.#lookalikes.find(named);
  }

  /** For the metrics. */
  get statuses() {
    return this.#states.map(({ source, list, failures }) => ({
      label: source.label,
      tokens: list?.tokens.length ?? 0,
      isFailing: failures > 0,
    }));
  }

  /** Adds a list that is known only after the start; one with the same label is replaced. */
  add(source: TokenListSource): void {
    const at = this.#states.findIndex((state) => state.source.label === source.label);
    const state = { source, list: source.list, failures: 0 };
    this.#states.splice(at < 0 ? this.#states.length : at, at < 0 ? 0 : 1, state);
    this.#publish();
  }

  subscribe(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  start(): void {
    this.#work = Promise.all(this.#states.map((state) => this.#follow(state)));
  }

  async stop(): Promise<void> {
    this.#abort.abort();
    await this.#work;
  }

  #build(): TokenDirectory {
    return buildTokenDirectory(this.#states.flatMap(({ list }) => (list === null ? [] : [list])));
  }

  #publish(): void {
    this.#directory = this.#build();
    this.#lookalikes = new Lookalikes(this.#directory);
    for (const listener of this.#listeners) listener();
  }

  async #follow(state: SourceState): Promise<void> {
    const { renew } = state.source;
    const { signal } = this.#abort;
    if (renew === undefined) return;
    while (!signal.aborted) {
      await this.#renew(state, renew);
      const { sleep, random } = this.#options;
      const { failures } = state;
      const waitMs = failures > 0 ? computeBackoffMs(failures, RETRY_BACKOFF, random) : RENEW_MS;
      await sleep(waitMs, signal).catch(() => undefined);
    }
  }

  async #renew(state: SourceState, renew: NonNullable<TokenListSource['renew']>): Promise<void> {
    const { signal } = this.#abort;
    const { onFailure, onRecovered } = this.#options;
    const { label } = state.source;
    try {
      const list = await renew(signal);
      if (signal.aborted) return;
      if (state.failures > 0) onRecovered(label);
      state.failures = 0;
      if (list === null) return;
      state.list = list;
      this.#publish();
    } catch (error) {
      if (signal.aborted) return;
      state.failures += 1;
      if (state.failures === 1) onFailure(label, error);
    }
  }
}
