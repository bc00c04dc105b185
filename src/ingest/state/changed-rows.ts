// The rows of a batch as they are to be stored, whatever later blocks do to them in memory.

import type { AlertState } from '../../model/alert.ts';
import type {
  BalanceRecord,
  TickRecord,
  TokenRecord,
  TradeRecord,
} from '../../model/market-record.ts';
import type { News } from '../../model/news.ts';
import type { PoolRecord } from '../../model/pool.ts';
import type { PositionRecord } from '../../model/position.ts';
import type { UndoImages } from '../../store/store.ts';
import type { BatchChanges } from './market-state.ts';
import type { BalanceEntry, PositionEntry } from './position-cache.ts';

export interface ChangedRows {
  readonly tokens: readonly TokenRecord[];
  readonly pools: readonly PoolRecord[];
  readonly ticks: readonly TickRecord[];
  /** Those that the store has, and those that it does not have yet. */
  readonly balances: readonly BalanceRecord[];
  readonly addedBalances: readonly BalanceRecord[];
  readonly positions: readonly PositionRecord[];
  readonly addedPositions: readonly PositionRecord[];
  readonly trades: readonly TradeRecord[];
  readonly undo: readonly UndoImages[];
  /** What the blocks brought, in order. */
  readonly news: readonly News[];
  /** How far alerts are, as of the blocks that changed them. */
  readonly alertStates: readonly AlertState[];
}

export const NO_ROWS: ChangedRows = {
  ...{ tokens: [], pools: [], ticks: [], balances: [], addedBalances: [] },
  ...{ positions: [], addedPositions: [], trades: [], undo: [], news: [], alertStates: [] },
};

function copyBalances(entries: readonly BalanceEntry[]) {
  const balances: BalanceRecord[] = [];
  const addedBalances: BalanceRecord[] = [];
  for (const entry of entries) {
    const isKept = entry.row.amountRaw > 0n;
    // What came and went within the batch was never stored.
    if (entry.isStored) balances.push({ ...entry.row });
    else if (isKept) addedBalances.push({ ...entry.row });
    entry.isStored = isKept;
  }
  return { balances, addedBalances };
}

function copyPositions(entries: ReadonlySet<PositionEntry>) {
  const positions: PositionRecord[] = [];
  const addedPositions: PositionRecord[] = [];
  for (const entry of entries) {
    if (entry.row === null) continue;
    (entry.isStored ? positions : addedPositions).push(entry.row);
    entry.isStored = true;
  }
  return { positions, addedPositions };
}

/** They must be committed before any later ones: from here on they count as stored. */
export function copyRows(changes: BatchChanges): ChangedRows {
  const copy = <Row>({ row }: { readonly row: Row }): Row => ({ ...row });
  return {
    tokens: Array.from(changes.tokens, copy<TokenRecord>),
    pools: Array.from(changes.pools, copy<PoolRecord>),
    ticks: Array.from(changes.ticks, copy<TickRecord>),
    ...copyBalances(changes.balances),
    ...copyPositions(changes.positions),
    trades: changes.trades,
    undo: changes.undo,
    news: changes.news,
    alertStates: changes.alertStates,
  };
}
