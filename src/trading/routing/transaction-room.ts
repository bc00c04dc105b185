// How many routes one transaction has room for: by the gas that it may use and by its length.

import type { GraphPool } from '../graph/pool-graph-pool.ts';
import { GasMeter, TRANSACTION_GAS_MAX, toPoolKind } from '../quote/trade-gas.ts';

type Pools = readonly { readonly pool: GraphPool }[];

/** Takes routes as long as there is room for them. */
export interface RouteRoom {
  /** False where this one does not fit any more; it is not taken then. */
  take(path: Pools): boolean;
}

/** Room for routes that cross so many ticks in all. */
export type CreateRoom = (ticksCrossed: number) => RouteRoom;

/** Tokens of unusual contracts take more than was measured, and prices that move cross more. */
const GAS_MAX = (TRANSACTION_GAS_MAX * 29n) / 32n;
/** Nodes pass no transaction on that is longer than 128 KiB. */
const BYTES_MAX = 120_000;
/** What commands were seen to take: for the first hop of a kind, and for each that follows. */
const BYTES = { v2: 400, v3: 400, v4: 1_150 } as const;
const BYTES_NEXT = { v2: 40, v3: 40, v4: 240 } as const;

function toBytes(path: Pools): number {
  const kinds = path.map(({ pool }) => toPoolKind(pool));
  return kinds.reduce((sum, kind, index) => {
    return sum + (kinds[index - 1] === kind ? BYTES_NEXT : BYTES)[kind];
  }, 0);
}

export const createTransactionRoom: CreateRoom = (ticksCrossed) => {
  // Whether coins or tokens are spent is not known here; tokens take more.
  const meter = new GasMeter({ isNativeIn: false, isNativeOut: true });
  meter.addTicks(ticksCrossed);
  let bytes = 0;
  let isFull = false;
  return {
    take(path) {
      bytes += toBytes(path);
      meter.addLeg(path.map(({ pool }) => ({ kind: toPoolKind(pool), pool: pool.pool })));
      isFull ||= meter.gas > GAS_MAX || bytes > BYTES_MAX;
      return !isFull;
    },
  };
};
