// What one transaction has room for: by the gas that it may use and by its length.

import { TRANSACTION_GAS_MAX } from '../../amm/pool-kind.ts';
import type { GraphPool } from '../graph/pool-graph-pool.ts';
import type { RouteStrand } from './route-strands.ts';
import { GasMeter, toPoolGas } from './trade-gas.ts';

/** A swap in a pool. */
interface PoolLoad {
  readonly pool: GraphPool;
  readonly ticksCrossed: number;
  /** Whether it takes a part of the input. */
  readonly isFirst: boolean;
}

export interface RouteRoom {
  /** What a swap takes of all the room there is. */
  toShare(load: PoolLoad): number;
  /** What strands take of it in all: above 1 there is no room for them. */
  toUsed(strands: readonly RouteStrand[]): number;
}

/** Tokens of unusual contracts take more than was measured, and prices that move cross more. */
const GAS_MAX = (TRANSACTION_GAS_MAX * 29n) / 32n;
/** Nodes pass no transaction on that is longer than 128 KiB. */
const BYTES_MAX = 120_000;
/** Where a pool may cost more than is known: so few that it hardly matters, some ten of V3. */
const FEW_BYTES_MAX = 4_000;
/** What commands were seen to take: for the first hop of a kind, and for each that follows. */
const PLAIN_BYTES = { first: 400, next: 40 };
const SINGLETON_BYTES = { first: 1_150, next: 240 };

function toHopBytes(pool: GraphPool): { readonly first: number; readonly next: number } {
  const isSingleton = pool.kind === 'concentrated' && pool.terms.singleton !== null;
  return isSingleton ? SINGLETON_BYTES : PLAIN_BYTES;
}

/** Hops of one kind in a row share a command; V2, V3 and V4 each have their own. */
function toCommand({ pool }: { readonly pool: GraphPool }): string {
  return `${pool.kind} ${pool.kind === 'concentrated' && pool.terms.singleton !== null}`;
}

function toBytes({ hops }: RouteStrand): number {
  return hops.reduce((sum, hop, index) => {
    const { first, next } = toHopBytes(hop.pool);
    const before = hops[index - 1];
    const isNext = before !== undefined && toCommand(before) === toCommand(hop);
    return sum + (isNext ? next : first);
  }, 0);
}

function toGas(strands: readonly RouteStrand[]): bigint {
  // Whether coins or tokens are spent is not known here; tokens take more.
  const meter = new GasMeter({ isNativeIn: false, isNativeOut: true });
  for (const { takes, hops } of strands) {
    meter.addStrand(
      takes,
      hops.map(({ pool: { cost, vault }, ticksCrossed }) => ({ cost, vault, ticksCrossed })),
    );
  }
  return meter.gas;
}

function createRoom(bytesMax: number): RouteRoom {
  return {
    toShare({ pool, ticksCrossed, isFirst }) {
      const gasShare = Number(toPoolGas(pool, ticksCrossed, isFirst)) / Number(GAS_MAX);
      return Math.max(gasShare, toHopBytes(pool).first / bytesMax);
    },
    toUsed(strands) {
      const bytes = strands.reduce((sum, strand) => sum + toBytes(strand), 0);
      return Math.max(bytes / bytesMax, Number(toGas(strands)) / Number(GAS_MAX));
    },
  };
}

export const TRANSACTION_ROOM = createRoom(BYTES_MAX);

/** For trades whose cost is not known, or not all of it. */
export const SMALL_ROOM = createRoom(FEW_BYTES_MAX);
