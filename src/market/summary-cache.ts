// What is said of tokens as cached text, for answers with many tokens: summaries, prices.

import type { OpenText } from '../contract/create-open-serializer.ts';
import { BoundedMap } from '../lib/bounded-map.ts';
import type { ChainSlug } from '../model/chain.ts';
import type { Address } from '../model/ids.ts';
import type { Checkpoint } from '../model/market-record.ts';
import type { TimeRange } from '../store/market-reads.ts';
import type { TokenDirectory } from './lists/token-directory.ts';
import type { TokenLists } from './lists/token-lists.ts';
import type { ChainStates } from './state/chain-states.ts';
import type { ListedDanger } from './token-dangers.ts';

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
