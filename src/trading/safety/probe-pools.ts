// Connects `SafetyWatch` to the node that simulates round trips through pools.

import type { ChainNodes, NetworkFees } from '../../chains/chain-nodes.ts';
import type { Clock } from '../../lib/clock.ts';
import type { Sleep } from '../../lib/retry.ts';
import type { Address, PoolId } from '../../model/ids.ts';
import type { GraphAtCommit } from '../graph/pool-graph-follower.ts';
import type { SafetyCache } from '../graph/safety-cache.ts';
import { computeHookFees } from './hook-fees.ts';
import { judgePoolSafety } from './judge-pool-safety.ts';
import { planProbeTrip } from './probe-trip.ts';
import type { SafetyWatchOptions } from './safety-watch.ts';

interface ProbeOptions {
  readonly nodes: Pick<ChainNodes, 'simulateRoundTrip'>;
  readonly trusted: ReadonlySet<Address>;
  readonly coinDecimals: number;
  readonly safetyCache: SafetyCache;
  readonly readGraph: () => GraphAtCommit | null;
  readonly readFees: () => NetworkFees | null;
  /** The last committed block: the node must have it, so that evidence up to it is measured. */
  readonly readBlock: () => number;
  readonly clock: Clock;
  readonly sleep: Sleep;
}

/** How often to start over if the pool moved, and how long to wait for the graph in between. */
const ATTEMPT_COUNT_MAX = 3;
const PAUSE_MS = 300;

/** The block of the state in memory; null if evidence of later blocks is to be measured. */
function findBlock({ readBlock }: ProbeOptions, { checkpoint }: GraphAtCommit) {
  const { block: position, blockHash: hash } = checkpoint;
  return position < readBlock() ? null : { position, hash };
}

async function probeOnce(options: ProbeOptions, id: PoolId, signal: AbortSignal) {
  const { nodes, trusted, coinDecimals, safetyCache, clock } = options;
  const at = options.readGraph();
  const pool = at?.graph.get(id);
  if (at === null || pool === undefined) return null;
  // The route to the pool must avoid pools and tokens known to take taxes or to be unsellable.
  const accepts = (one: { readonly pool: PoolId }, zeroForOne: boolean) => {
    const known = safetyCache.direction(one.pool, zeroForOne);
    if (known === null) return true;
    const isWhole = (known.inBps ?? 0) < 1 && (known.outBps ?? 0) < 1;
    return isWhole && known.sellable === true;
  };
  const trip = planProbeTrip(at.graph, pool, { trusted, accepts, coinDecimals });
  const last = trip?.hops.at(-1);
  if (trip === null || last === undefined) return null;
  // The start time, because later changes may be missing from the result.
  const checkedAtMs = clock.nowMs();
  // Fees of a hook are found by comparing with the state in memory.
  const block = pool.inexact === 'hook' ? findBlock(options, at) : null;
  const views = await nodes.simulateRoundTrip(
    { ...trip, fees: options.readFees(), minBlock: options.readBlock(), block },
    signal,
  );
  if (views === null) return null;
  const { zeroForOne } = last;
  return { pool, zeroForOne, checkedAtMs, views };
}

export function createProbe(options: ProbeOptions): SafetyWatchOptions['probe'] {
  const { safetyCache, sleep } = options;
  return async (id, signal) => {
    for (let attempt = 1; ; attempt += 1) {
      const probed = await probeOnce(options, id, signal);
      if (probed === null) return { status: 'unreached' };
      const { pool, zeroForOne, checkedAtMs, views } = probed;
      if (views.asContract === null && views.asWallet === null) return { status: 'unable' };
      const found = computeHookFees(pool, zeroForOne, views.asContract);
      if (found.kind === 'moved' && attempt < ATTEMPT_COUNT_MAX) {
        await sleep(PAUSE_MS, signal);
        continue;
      }
      const known = found.kind === 'moved' ? (safetyCache.get(id)?.hookFees ?? null) : null;
      const hookFees = found.kind === 'measured' ? found.fees : known;
      const { token0, token1 } = pool;
      const isVouched = options.trusted.has(zeroForOne ? token1 : token0);
      const place = { pool: id, token0, token1, zeroForOne, isVouched };
      const measured = { ...place, hookFees, checkedAtMs };
      const safety = judgePoolSafety(measured, views);
      return safety === null ? { status: 'unreached' } : { status: 'measured', safety };
    }
  };
}
