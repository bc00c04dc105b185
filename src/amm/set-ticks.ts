// Ticks whose events give them whole, not as differences.

import type { TickRecord } from '../model/market-record.ts';
import type { PoolTicks } from './pool-kind.ts';
import type { SwapPool } from './swap-pool.ts';
import { TickList } from './tick-list.ts';

/** A tick as it is after the event. */
export type TickSetting = Omit<TickRecord, 'pool'>;

export function setTicks(ticks: PoolTicks, settings: readonly TickSetting[]): void {
  for (const { tick, liquidityGross, liquidityNet } of settings) {
    const known = ticks.get(tick) ?? { liquidityGross: 0n, liquidityNet: 0n };
    const gross = liquidityGross - known.liquidityGross;
    const net = liquidityNet - known.liquidityNet;
    if (gross !== 0n || net !== 0n) ticks.change(tick, { gross, net });
  }
}

/** Ticks change rarely: while they are equal, the old list is reused. */
export function reuseTickList(
  ticks: readonly TickRecord[],
  previous: SwapPool | undefined,
): TickList {
  const list = new TickList(ticks);
  return previous?.ticks?.equals(list) ? previous.ticks : list;
}
