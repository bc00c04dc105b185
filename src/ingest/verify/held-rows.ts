// Which rows a stored index answers for: those of tokens and pools that it follows, from where they
// were followed or as far back as their history was filled in, and within the retention floors.

import type { ChainAdapter } from '../../chains/adapter.ts';
import type { Address } from '../../model/ids.ts';
import type { CandleRecord, Checkpoint, TradeRecord } from '../../model/market-record.ts';
import type { MarketScanner } from '../../store/store.ts';
import type { ChainScope, PoolTokens } from '../scope/chain-scope.ts';
import { readAllEntries } from '../scope/stored-scope.ts';
import { listJobs } from './replay-backfills.ts';

/** From where on the trades of a token are compared; older ones may be left of an earlier job. */
interface TradesFrom {
  readonly block: number;
  readonly ms: number;
}

const NEVER: TradesFrom = { block: Number.POSITIVE_INFINITY, ms: Number.POSITIVE_INFINITY };

interface HeldOptions {
  readonly adapter: ChainAdapter;
  /** As it is at the block that is verified; null if everything is indexed. */
  readonly scope: ChainScope | null;
  readonly checkpoint: Checkpoint;
}

export class HeldRows {
  readonly #options: HeldOptions;
  readonly #tradesFrom: ReadonlyMap<Address, TradesFrom>;
  readonly #unsummed: ReadonlySet<Address>;
  readonly #hasLeft: ReadonlySet<Address>;
  readonly #judgedAgain: ReadonlySet<Address>;

  private constructor(
    options: HeldOptions,
    rows: {
      readonly tradesFrom: ReadonlyMap<Address, TradesFrom>;
      readonly unsummed: ReadonlySet<Address>;
      readonly hasLeft: ReadonlySet<Address>;
      readonly judgedAgain: ReadonlySet<Address>;
    },
  ) {
    this.#options = options;
    this.#tradesFrom = rows.tradesFrom;
    this.#unsummed = rows.unsummed;
    this.#hasLeft = rows.hasLeft;
    this.#judgedAgain = rows.judgedAgain;
  }

  static async read(stored: MarketScanner, options: HeldOptions): Promise<HeldRows> {
    const { adapter } = options;
    const tradesFrom = new Map<Address, TradesFrom>();
    // Rows of an earlier time in scope, and of jobs that were deleted with it, may be left.
    const entries = Map.groupBy(await readAllEntries(stored, adapter.chain), ({ token }) => token);
    for (const [token, times] of entries) {
      const last = times.at(-1);
      if (last === undefined || (times.length === 1 && last.leftBlock === null)) continue;
      const { fromBlock: block, fromMs: ms } = last;
      // Nobody answers for a token that has left.
      tradesFrom.set(token, last.leftBlock === null ? { block, ms } : NEVER);
    }
    const hasLeft = new Set(tradesFrom.keys());
    const unsummed = new Set<Address>();
    if (tradesFrom.size > 0) {
      for await (const rows of stored.scanTokens(adapter.chain)) {
        for (const { token, balancesBroken } of rows) {
          if (balancesBroken && tradesFrom.has(token)) unsummed.add(token);
        }
      }
    }
    const judgedAgain = new Set<Address>();
    for (const job of await listJobs(stored, adapter)) {
      const { token, kind, status, nextBlock, nextMs, toBlock, toMs } = job;
      const { scope, checkpoint } = options;
      const startBlock = scope?.findEntry(token)?.fromBlock ?? checkpoint.startBlock;
      if (kind === 'trades' && toBlock > startBlock) judgedAgain.add(token);
      // The jobs of a token that has left stay until its leave is final.
      if (kind !== 'trades' || tradesFrom.get(token) === NEVER) continue;
      const ms = nextMs ?? toMs ?? Number.NEGATIVE_INFINITY;
      if (status === 'done') tradesFrom.delete(token);
      else tradesFrom.set(token, { block: nextBlock, ms });
    }
    return new HeldRows(options, { tradesFrom, unsummed, hasLeft, judgedAgain });
  }

  /** Whether the token's own events are indexed. */
  hasToken(token: Address): boolean {
    const { scope } = this.#options;
    return scope === null || scope.findEntry(token)?.leftBlock === null;
  }

  hasPool(pool: PoolTokens): boolean {
    return this.#options.scope?.hasPool(pool) ?? true;
  }

  isFromGenesis(token: Address): boolean {
    const { scope, checkpoint } = this.#options;
    if (scope === null) return checkpoint.startBlock === 0;
    return checkpoint.startBlock === 0 && scope.findEntry(token)?.fromBlock === 0;
  }

  hasBalances(token: Address): boolean {
    return !this.#unsummed.has(token);
  }

  /** Whether all trades of the token since the index began were seen: not if it came and left. */
  hasPositions(token: Address): boolean {
    return !this.#hasLeft.has(token);
  }

  /** Whether they were folded with the values that the token's trades have now. */
  hasPositionValues(token: Address): boolean {
    return !this.#judgedAgain.has(token);
  }

  hasTrade({ token, block, timestampMs }: TradeRecord): boolean {
    const { tradesFromMs = 0 } = this.#options.checkpoint;
    return timestampMs >= tradesFromMs && block >= (this.#tradesFrom.get(token)?.block ?? 0);
  }

  /** Whether it is known which trades of the candle were outliers: see `deleteOldAdoptions`. */
  hasCleanPrices({ openTimeMs }: CandleRecord): boolean {
    return openTimeMs >= (this.#options.checkpoint.tradesFromMs ?? 0);
  }

  hasCandle({ token, interval, openTimeMs }: CandleRecord): boolean {
    const { candlesFromMs = 0 } = this.#options.checkpoint;
    if (interval !== '1d' && openTimeMs < candlesFromMs) return false;
    return openTimeMs > (this.#tradesFrom.get(token)?.ms ?? Number.NEGATIVE_INFINITY);
  }
}
