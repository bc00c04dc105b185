// Writes adopted pools as a change of the last indexed block, with undo images.

import { kindOf } from '../../amm/pool-kinds.ts';
import type { AdoptedPool } from '../../model/adoption.ts';
import type { PoolId } from '../../model/ids.ts';
import type { TickRecord } from '../../model/market-record.ts';
import { EntryTicks } from '../apply/apply-pool-event.ts';
import { valuePools } from '../apply/value-pools.ts';
import type { MarketState, PoolEntry } from '../state/market-state.ts';

/** Replaces the stored ticks, which are not reliable for an incomplete pool. */
function setTicks(
  state: MarketState,
  entry: PoolEntry,
  rows: { readonly stored: readonly TickRecord[]; readonly adopted: AdoptedPool['ticks'] },
): void {
  entry.ticks = new Map(rows.stored.map((row) => [row.tick, { row: { ...row }, imagedBlock: -1 }]));
  entry.tickOrder = null;
  const ticks = new EntryTicks(state, entry);
  const wanted = new Map(rows.adopted.map((row) => [row.tick, row]));
  for (const tick of new Set([...wanted.keys(), ...entry.ticks.keys()])) {
    const { liquidityGross = 0n, liquidityNet = 0n } = wanted.get(tick) ?? {};
    const before = ticks.get(tick);
    ticks.change(tick, {
      gross: liquidityGross - (before?.liquidityGross ?? 0n),
      net: liquidityNet - (before?.liquidityNet ?? 0n),
    });
  }
}

/** The pools' rows must be loaded, and `beginBlock` called. */
export function applyAdoptions(
  state: MarketState,
  adoptions: readonly AdoptedPool[],
  storedTicks: ReadonlyMap<PoolId, readonly TickRecord[]>,
): void {
  for (const adopted of adoptions) {
    const entry = state.pools.get(adopted.pool);
    if (entry === undefined) throw new Error(`pool ${adopted.pool} was not loaded`);
    state.touchPool(entry);
    const { feePips } = adopted;
    Object.assign(entry.row, { feePips, state: adopted.state, complete: true });
    if (!kindOf(entry.row).hasTicks) continue;
    const stored = storedTicks.get(adopted.pool) ?? [];
    setTicks(state, entry, { stored, adopted: adopted.ticks });
  }
  valuePools(state);
}
