// What is kept until the next commit of one of its chains: lists, pools, wallets, starts of
// streams.
// For what a commit of its token alone can change, use the answer cache.

import { LRUCache } from 'lru-cache';
import type { OpenText } from '../contract/create-serializer.ts';
import { BoundedMap } from '../lib/bounded-map.ts';
import type { ChainSlug } from '../model/chain.ts';
import type { Address } from '../model/ids.ts';
import type { Checkpoint } from '../model/market-record.ts';
import type { TimeRange } from '../store/market-reads.ts';
import type { TokenDirectory, TokenLists } from './lists/token-lists.ts';
import type { ChainStates } from './state/chain-states.ts';
import type { ListedDanger } from './token-summary.ts';

// What is said of tokens as cached text, for answers with many tokens: summaries, prices.

interface CachedSummary<Text extends string> {
  readonly text: Text;
  readonly checkpoint: Checkpoint;
  /** The chain's times for which its figures are valid. */
  readonly span: TimeRange;
  /** The token lists that it reflects. */
  readonly directory: TokenDirectory;
  /** For what is measured meanwhile. */
  readonly danger?: ListedDanger;
}

interface SummaryCacheOptions {
  readonly states: ChainStates;
  readonly lists: Pick<TokenLists, 'directory'>;
  readonly sizeMax: number;
}

export class SummaryCache<Text extends string = OpenText> {
  readonly #states: ChainStates;
  readonly #lists: SummaryCacheOptions['lists'];
  readonly #sizeMax: number;
  readonly #kept = new Map<ChainSlug, BoundedMap<Address, CachedSummary<Text>>>();

  constructor(options: SummaryCacheOptions) {
    this.#states = options.states;
    this.#lists = options.lists;
    this.#sizeMax = options.sizeMax;
    options.states.subscribe(({ chain, checkpoint, tokens }) => {
      if (tokens === 'all') this.#kept.delete(chain);
      const ofChain = this.#kept.get(chain);
      if (ofChain === undefined || tokens === 'all') return;
      for (const token of tokens) {
        const kept = ofChain.get(token);
        if (kept !== undefined && kept.checkpoint.version < checkpoint.version)
          ofChain.delete(token);
      }
    });
  }

  get(chain: ChainSlug, token: Address): CachedSummary<Text> | null {
    const kept = this.#kept.get(chain)?.get(token);
    const current = this.#states.current(chain);
    if (kept === undefined || current === null) return null;
    if (kept.directory !== this.#lists.directory) return null;
    // The later commit of the two: its time may be the earlier one.
    const { version } = kept.checkpoint;
    const chainMs = (current.version > version ? current : kept.checkpoint).timestampMs;
    return chainMs >= kept.span.fromMs && chainMs < kept.span.toMs ? kept : null;
  }

  /** Caches a summary unless there were commits after it was read, which may have changed it. */
  keep(chain: ChainSlug, token: Address, kept: CachedSummary<Text>): void {
    if (kept.checkpoint.version < (this.#states.current(chain)?.version ?? 0)) return;
    const ofChain =
      this.#kept.get(chain) ?? new BoundedMap<Address, CachedSummary<Text>>(this.#sizeMax);
    this.#kept.set(chain, ofChain);
    ofChain.delete(token);
    ofChain.set(token, kept);
  }
}

interface CommitCacheOptions {
  readonly states: Pick<ChainStates, 'current'>;
  readonly sizeMax: number;
}

interface Kept {
  /** The commits of its chains when it was asked for. */
  readonly at: readonly (Checkpoint | null)[];
  readonly made: Promise<unknown>;
}

export class CommitCache {
  readonly #states: CommitCacheOptions['states'];
  readonly #kept: LRUCache<string, Kept>;

  constructor(options: CommitCacheOptions) {
    this.#states = options.states;
    this.#kept = new LRUCache({ max: options.sizeMax });
  }

  get size(): number {
    return this.#kept.size;
  }

  /**
   * What is kept, or made anew; concurrent callers share it. `make` calls `discard` if it must not
   * be kept for later callers. A key is used for one type only.
   */
  get<Value>(
    key: string,
    chains: readonly ChainSlug[],
    make: (discard: () => void) => Promise<Value>,
  ): Promise<Value> {
    const at = chains.map((chain) => this.#states.current(chain));
    const known = this.#kept.get(key);
    if (known?.at.every((one, index) => one === at[index])) return known.made as Promise<Value>;
    let isDiscarded = false;
    const made = make(() => {
      isDiscarded = true;
    });
    const kept = { at, made };
    this.#kept.set(key, kept);
    const drop = () => {
      if (this.#kept.peek(key) === kept) this.#kept.delete(key);
    };
    made.then(() => {
      if (isDiscarded) drop();
    }, drop);
    return made;
  }

  /** Drops everything, because something besides the chains has changed. */
  clear(): void {
    this.#kept.clear();
  }
}
