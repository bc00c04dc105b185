// The accounts of a Meteora DLMM pool: its state and its arrays of bins.

import { toBinPrice } from '../../../../amm/bins/bin-price.ts';
import { BINS_PER_ARRAY } from '../../../../amm/bins/bin-rules.ts';
import { toBinTick } from '../../../../amm/bins/bins-kind.ts';
import { encodeOpening, type PoolOpening } from '../../../../amm/pool-moment.ts';
import { SWAP_ARRAYS_MAX } from '../../../../amm/swap-arrays.ts';
import { joinFlags, type UncheckedFlag } from '../../../../amm/unchecked-flag.ts';
import type { Address } from '../../../../model/ids.ts';
import { AccountBytes } from '../../data/account-bytes.ts';
import { findProgramAddress, toSeed } from '../../data/program-address.ts';
import {
  type AccountReadingOf,
  openAccount,
  type PoolAccounts,
  readTokenAmount,
} from '../../tokens/pool-accounts.ts';
import { readPoolClock } from '../meteora-damm/meteora-base-fee.ts';
import type { PoolLayout } from '../solana-venue.ts';

const POOL = '210b3162b565b10d';
const BIN_ARRAY = '5c8e5cdc059446b5';
const BIN_BYTES = 144;
const BINS_OFFSET = 56;
/** Limit orders of a bin: open, and what remains of two that are being processed. */
const ORDER_OFFSETS: readonly number[] = [112, 120, 128];
/** How many arrays are read on each side of the active bin. */
const ARRAYS_PER_SIDE = 3;
/** The pool marks its arrays with liquidity in so many bits, half of them below bin 0. */
const BITMAP_OFFSET = 584;
const BITMAP_BITS = 1024;
const PIPS_PER_RATE = 1000;
const BASE_UNIT = 10;
/** Pairs that have a time of activation: permissioned ones, and those of launches. */
const ACTIVATED_TYPES: readonly number[] = [1, 2];

export const DLMM_LAYOUT: PoolLayout = {
  ...{ discriminator: POOL, byteCount: null },
  ...{ mints: [88, 120], vaults: [152, 184] },
};

function findBinArray(program: Address, pool: Address, index: number): Address {
  const seed = Buffer.alloc(8);
  seed.writeBigInt64LE(BigInt(index));
  return findProgramAddress(program, ['bin_array', toSeed(pool), seed]);
}

/** The vaults, and the arrays around the active bin. */
export function listDlmmAccounts(pool: Address, bytes: Uint8Array, program: Address): Address[] {
  const data = new AccountBytes(bytes);
  const active = Math.floor(data.i32(76) / BINS_PER_ARRAY);
  const arrays = Array.from({ length: 2 * ARRAYS_PER_SIDE + 1 }, (_, index) =>
    findBinArray(program, pool, active + index - ARRAYS_PER_SIDE),
  );
  return [data.key(152), data.key(184), ...arrays];
}

/** The arrays that a swap is given, the nearest one first. */
export function listDlmmSwapArrays(of: {
  readonly data: AccountBytes;
  readonly pool: Address;
  readonly program: Address;
  readonly zeroForOne: boolean;
}): Address[] {
  const { data, pool, program, zeroForOne } = of;
  const active = Math.floor(data.i32(76) / BINS_PER_ARRAY);
  const step = zeroForOne ? -1 : 1;
  const found: Address[] = [];
  for (let index = active; found.length < SWAP_ARRAYS_MAX; index += step) {
    const bit = index + BITMAP_BITS / 2;
    if (bit < 0 || bit >= BITMAP_BITS) break;
    const isMarked = (data.u8(BITMAP_OFFSET + (bit >> 3)) >> (bit & 7)) & 1;
    if (isMarked) found.push(findBinArray(program, pool, index));
  }
  return found;
}

interface ReadBin {
  readonly id: number;
  readonly x: bigint;
  readonly y: bigint;
  readonly hasOrders: boolean;
}

/** The bins of an array of this pool that hold anything; none of any other account. */
function readArray(bytes: Uint8Array, pool: Address): ReadBin[] {
  const data = new AccountBytes(bytes);
  if (data.discriminator() !== BIN_ARRAY || data.key(24) !== pool) return [];
  const first = Number(data.i64(8)) * BINS_PER_ARRAY;
  const bins: ReadBin[] = [];
  for (let index = 0; index < BINS_PER_ARRAY; index += 1) {
    const at = BINS_OFFSET + index * BIN_BYTES;
    const [x, y] = [data.u64(at), data.u64(at + 8)];
    const hasOrders = ORDER_OFFSETS.some((offset) => data.u64(at + offset) !== 0n);
    if (x + y > 0n || hasOrders) bins.push({ id: first + index, x, y, hasOrders });
  }
  return bins;
}

/** Null for pairs that are open from their creation. */
function readActivation(data: AccountBytes): PoolOpening | null {
  if (!ACTIVATED_TYPES.includes(data.u8(75))) return null;
  const clock = readPoolClock(data.u8(86));
  return { clock, from: Number(data.u64(816)), flag: 'closed' };
}

export function readDlmmPool(query: PoolAccounts): AccountReadingOf<'bins'> | null {
  const data = openAccount(query, query.pool);
  if (data?.discriminator() !== POOL) return null;
  const [vault0, vault1] = [data.key(152), data.key(184)];
  const held0 = readTokenAmount(query, vault0);
  const held1 = readTokenAmount(query, vault1);
  if (held0 === null || held1 === null) return null;
  const activeId = data.i32(76);
  const binStep = data.u16(80);
  const [baseFactor, basePower] = [data.u16(8), data.u8(34)];
  const bins = [...query.accounts.values()].flatMap((bytes) => readArray(bytes, query.pool));
  const active = bins.find(({ id }) => id === activeId);
  const flags: UncheckedFlag[] = [];
  if (data.u8(36) !== 0) flags.push('feeOnOutput');
  if (bins.some(({ hasOrders }) => hasOrders)) flags.push('limitOrders');
  const array = Math.floor(activeId / BINS_PER_ARRAY);
  const isOpen = data.u8(82) === 0;
  return {
    ...{ kind: 'bins', token0: data.key(88), token1: data.key(120), vault0, vault1 },
    feePips: Math.ceil((baseFactor * binStep * BASE_UNIT * 10 ** basePower) / PIPS_PER_RATE),
    terms: {
      ...{ binStep, baseFactor, basePower, filterSeconds: data.u16(10) },
      ...{ decaySeconds: data.u16(12), reduction: data.u16(14), control: data.u32(16) },
      volatilityMax: data.u32(20),
    },
    state: {
      ...{ activeId: isOpen ? activeId : null, priceX64: toBinPrice(activeId, binStep) },
      ...{ activeX: active?.x ?? 0n, activeY: active?.y ?? 0n, held0, held1 },
      ...{ volatility: data.u32(40), volatilityReference: data.u32(44) },
      ...{ indexReference: data.i32(48), updatedAt: Number(data.i64(56)) },
      flags: joinFlags(flags),
      binFrom: (array - ARRAYS_PER_SIDE) * BINS_PER_ARRAY,
      binTo: (array + ARRAYS_PER_SIDE + 1) * BINS_PER_ARRAY - 1,
      ...{ opens: encodeOpening(readActivation(data)), transferFees: '' },
    },
    ticks: bins.map(toBinTick),
  };
}
