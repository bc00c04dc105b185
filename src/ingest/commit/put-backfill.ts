// Writes rows of blocks before the first indexed one. They are final: no undo images.

import type { BackfillRecord } from '../../model/backfill.ts';
import type { ChainSlug } from '../../model/chain.ts';
import type { Address } from '../../model/ids.ts';
import type { ArchivedRange, BalanceRecord, TradeRecord } from '../../model/market-record.ts';
import type { MarketTransaction } from '../../store/store.ts';
import { rebuildCandles } from './rebuild-candles.ts';

/** What one step of a job writes. */
export interface BackfillChanges {
  /** Whose history it is. */
  readonly token: Address;
  readonly jobs: readonly BackfillRecord[];
  /** They replace stored ones. Candles of their times and the price are folded again. */
  readonly trades?: readonly TradeRecord[];
  /** Sums of transfers that are not joined yet. */
  readonly balances?: readonly BalanceRecord[];
  /** Tokens whose sums are no longer needed. */
  readonly settled?: readonly Address[];
  /** The blocks whose rows an archive gave: compared with a node in samples. */
  readonly archived?: Omit<ArchivedRange, 'sources' | 'isProved'> & { readonly source: string };
  /** Tokens whose jobs are dropped. */
  readonly forgotten?: readonly Address[];
}

export async function putBackfill(
  transaction: MarketTransaction,
  chain: ChainSlug,
  changes: BackfillChanges,
): Promise<void> {
  const { trades = [], balances = [], settled = [], forgotten = [] } = changes;
  for (const token of forgotten) await transaction.deleteBackfills(token);
  if (trades.length > 0) {
    await transaction.putTrades(trades);
    await rebuildCandles(transaction, chain, trades);
  }
  await transaction.putBackfillBalances(balances);
  for (const token of settled) await transaction.deleteBackfillBalances(token);
  await transaction.putBackfills(changes.jobs);
}
