// The operator's token lists, kept up to date: lists with a URL are read again every hour.
//
// A URL that fails keeps its last good list; the failure is reported once.

import type { Lookalike } from '../../contract/safety-warnings.ts';
import { type Backoff, computeBackoffMs, type Random, type Sleep } from '../../lib/retry.ts';
import { Lookalikes, type NamedToken } from './lookalikes.ts';
import type { TokenList } from './parse-token-list.ts';
import { buildTokenDirectory, type TokenDirectory } from './token-directory.ts';
import type { TokenListSource } from './token-list-source.ts';

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
