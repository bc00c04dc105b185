// Tokens whose contract gave no symbol, name or decimals. A node may have lagged, or failed: they
// are read again, from every endpoint, ever more rarely. Only tokens that somebody would see count:
// those that traded, or that a client asked for.

import type { ChainAdapter, ChainAssets } from '../../chains/adapter.ts';
import { findRank, listRankedAssets, RANK_TOKEN } from '../../chains/quote-rule.ts';
import { BoundedMap } from '../../lib/bounded-map.ts';
import type { Clock } from '../../lib/clock.ts';
import type { Address } from '../../model/ids.ts';
import type { TokenRecord } from '../../model/market-record.ts';
import type { TokenMetadata } from '../../model/token-metadata.ts';
import type { MarketReader, MarketScanner } from '../../store/store.ts';

interface NameBacklogOptions {
  readonly adapter: ChainAdapter;
  readonly store: MarketReader & Pick<MarketScanner, 'scanUnnamedTokens'>;
  readonly clock: Pick<Clock, 'nowMs'>;
  readonly log: { warn(fields: object, message: string): void };
  /** The last indexed block. */
  readonly findBlock: () => number;
  /** Stores what is known now. */
  readonly update: (found: readonly TokenMetadata[]) => Promise<void>;
}

interface Attempts {
  readonly count: number;
  readonly againAtMs: number;
}

const PASS_MS = 60_000;
/** A pass costs a call or two; sixty on a chain without Multicall3. */
const TOKENS_PER_PASS = 20;
const TOKENS_MAX = 10_000;
const DAY_MS = 86_400_000;
/** A minute, ten, a hundred, and then once a day. */
const BACKOFF_FACTOR = 10;

function isUnnamed({ symbol, name, decimals }: TokenMetadata | TokenRecord): boolean {
  return symbol === null || name === null || decimals === null;
}

/** Quote assets trade as the other side only, and give the others their prices. */
export function isSeenUnnamed(row: TokenRecord, assets: ChainAssets): boolean {
  return isUnnamed(row) && (row.tradeCount > 0 || findRank(assets, row.token) !== RANK_TOKEN);
}

export class NameBacklog {
  readonly #options: NameBacklogOptions;
  readonly #waiting = new BoundedMap<Address, Attempts>(TOKENS_MAX);
  #passAtMs = Number.NEGATIVE_INFINITY;
  #scanAtMs = Number.NEGATIVE_INFINITY;

  constructor(options: NameBacklogOptions) {
    this.#options = options;
  }

  /** Tokens that traded, or that somebody asks for; those that have their names are dropped. */
  note(tokens: readonly Address[]): void {
    for (const token of tokens) {
      if (!this.#waiting.has(token)) this.#waiting.set(token, { count: 0, againAtMs: 0 });
    }
  }

  /** Must be called between two commits. */
  async catchUp(signal: AbortSignal): Promise<void> {
    const nowMs = this.#options.clock.nowMs();
    if (nowMs < this.#passAtMs) return;
    this.#passAtMs = nowMs + PASS_MS;
    if (nowMs >= this.#scanAtMs) {
      this.#scanAtMs = nowMs + DAY_MS;
      await this.#scan();
    }
    const due = [...this.#waiting].filter(([, { againAtMs }]) => againAtMs <= nowMs);
    const tokens = await this.#pickUnnamed(due.slice(0, TOKENS_PER_PASS).map(([token]) => token));
    if (tokens.length === 0) return;
    const found = await this.#read(tokens, signal);
    for (const token of tokens) {
      const count = (this.#waiting.get(token)?.count ?? 0) + 1;
      const waitMs = Math.min(DAY_MS, PASS_MS * BACKOFF_FACTOR ** (count - 1));
      this.#waiting.set(token, { count, againAtMs: nowMs + waitMs });
    }
    const useful = found.filter(
      ({ symbol, name, decimals }) => symbol !== null || name !== null || decimals !== null,
    );
    if (useful.length > 0) await this.#options.update(useful);
    for (const metadata of found) if (!isUnnamed(metadata)) this.#waiting.delete(metadata.token);
  }

  /** What this or an older version stored without names. */
  async #scan(): Promise<void> {
    const { store, adapter } = this.#options;
    this.note(listRankedAssets(adapter.assets));
    for await (const rows of store.scanUnnamedTokens(adapter.chain)) {
      this.note(rows.map(({ token }) => token));
      if (this.#waiting.size >= TOKENS_MAX / 2) return;
    }
  }

  async #pickUnnamed(tokens: readonly Address[]): Promise<Address[]> {
    const { store, adapter } = this.#options;
    const rows = tokens.length === 0 ? [] : await store.readTokens(adapter.chain, tokens);
    const unnamed = rows.filter(isUnnamed).map(({ token }) => token);
    for (const token of tokens) if (!unnamed.includes(token)) this.#waiting.delete(token);
    return unnamed;
  }

  async #read(tokens: readonly Address[], signal: AbortSignal): Promise<TokenMetadata[]> {
    const { adapter, log, findBlock } = this.#options;
    try {
      return await adapter.readTokenMetadata(tokens, { block: findBlock(), isAgain: true, signal });
    } catch (err) {
      signal.throwIfAborted();
      log.warn({ chain: adapter.chain, err }, 'names of tokens could not be read');
      return [];
    }
  }
}
