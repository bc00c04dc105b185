// What bins pay before the price has fallen by two per cent.

import type { PoolTicks } from '../pool-kind.ts';

const BAND_LOG = Math.log(0.98);

/**
 * Of the bins alone: what the pool's accounts hold is no depth, as it may be far from the price, or
 * be nobody's liquidity.
 */
export function sumPayable(
  {
    activeId,
    activeX,
    activeY,
    binStep,
  }: {
    readonly activeId: number | null;
    readonly activeX: bigint | null;
    readonly activeY: bigint | null;
    readonly binStep: number;
  },
  base: 'token0' | 'token1',
  ticks: PoolTicks,
): bigint {
  if (activeId === null) return 0n;
  const reach = Math.ceil(BAND_LOG / -Math.log1p(binStep / 10_000));
  let sum = (base === 'token0' ? activeY : activeX) ?? 0n;
  for (const id of ticks.order) {
    if (id === activeId || Math.abs(id - activeId) > reach) continue;
    const net = ticks.get(id)?.liquidityNet ?? 0n;
    if (base === 'token0' && id < activeId && net < 0n) sum -= net;
    if (base === 'token1' && id > activeId && net > 0n) sum += net;
  }
  return sum;
}
