// The accounts of a Raydium CLMM pool: its state, its fee tier, its tick arrays.

import { RAYDIUM_ARRAY_TICKS } from '../../../../amm/clmm-x64/clmm-x64-pool.ts';
import { TICK_X64_MAX } from '../../../../amm/clmm-x64/tick-prices.ts';
import { encodeOpening } from '../../../../amm/pool-moment.ts';
import type { TickSetting } from '../../../../amm/set-ticks.ts';
import { SWAP_ARRAYS_MAX } from '../../../../amm/swap-arrays.ts';
import { joinFlags, type UncheckedFlag } from '../../../../amm/unchecked-flag.ts';
import type { Address } from '../../../../model/ids.ts';
import { AccountBytes } from '../../data/account-bytes.ts';
import { findProgramAddress, toSeed } from '../../data/program-address.ts';
import { toSolanaAddress } from '../../data/solana-ids.ts';
import {
  type AccountReadingOf,
  openAccount,
  type PoolAccounts,
  readTokenAmount,
} from '../../tokens/pool-accounts.ts';
import type { PoolLayout } from '../solana-venue.ts';

const POOL = 'f7ede3f5d7c3de46';
const TICK_ARRAY = 'c09b55cd31f9812a';
/** Of Byreal: it has only ticks that were used, in the order of their first use. */
const SPARSE_TICK_ARRAY = '6a8b98247599b838';
const SPARSE_COUNT_OFFSET = 108;
const SPARSE_TICKS_OFFSET = 216;
const TICK_BYTES = 168;
const TICKS_OFFSET = 44;
/** The fifth bit of the status forbids swaps. */
const STATUS_NO_SWAP = 16;
/** The pool marks its arrays with ticks in so many bits, half of them below the price of one. */
const BITMAP_OFFSET = 904;
const BITMAP_BITS = 1024;
/** A limit for reading, from the price outwards. */
const ARRAY_COUNT_MAX = 64;
/** What the 2026 build keeps of the limit orders at a tick, after its older fields. */
const ORDERS_OFFSET = 116;

export const CLMM_LAYOUT: PoolLayout = {
  ...{ discriminator: POOL, byteCount: null },
  ...{ mints: [73, 105], vaults: [137, 169] },
};

function findArrayAddress(program: Address, pool: Address, start: number): Address {
  const seed = Buffer.alloc(4);
  seed.writeInt32BE(start);
  return findProgramAddress(program, ['tick_array', toSeed(pool), seed]);
}

/** The start ticks of the arrays that the pool marks as having ticks. */
function listMarked(data: AccountBytes): number[] {
  const length = data.u16(235) * RAYDIUM_ARRAY_TICKS;
  const starts: number[] = [];
  for (let bit = 0; bit < BITMAP_BITS; bit += 1) {
    if ((data.u8(BITMAP_OFFSET + (bit >> 3)) >> (bit & 7)) & 1) {
      starts.push((bit - BITMAP_BITS / 2) * length);
    }
  }
  return starts;
}

/** The arrays that a swap is given, the nearest one first. */
export function listClmmSwapArrays(of: {
  readonly data: AccountBytes;
  readonly pool: Address;
  readonly program: Address;
  readonly zeroForOne: boolean;
}): Address[] {
  const { data, pool, program, zeroForOne } = of;
  const length = data.u16(235) * RAYDIUM_ARRAY_TICKS;
  const active = Math.floor(data.i32(269) / length) * length;
  const starts = listMarked(data).filter((start) =>
    zeroForOne ? start <= active : start >= active,
  );
  starts.sort((a, b) => (zeroForOne ? b - a : a - b));
  return starts.slice(0, SWAP_ARRAYS_MAX).map((start) => findArrayAddress(program, pool, start));
}

interface ArrayPlan {
  /** The start ticks of the arrays with ticks that are read, the nearest first. */
  readonly starts: readonly number[];
  /** The ticks that they cover. */
  readonly tickFrom: number;
  readonly tickTo: number;
}

function planArrays(data: AccountBytes): ArrayPlan {
  const length = data.u16(235) * RAYDIUM_ARRAY_TICKS;
  const tick = data.i32(269);
  const starts = listMarked(data);
  starts.sort((a, b) => Math.abs(a - tick) - Math.abs(b - tick));
  const left = starts[ARRAY_COUNT_MAX];
  // Beyond the bitmap, another account marks the arrays.
  const reach = left === undefined ? (BITMAP_BITS / 2) * length : Math.abs(left - tick);
  const [lower, upper] =
    left === undefined ? [-reach, reach] : [tick - reach + length, tick + reach - 1];
  return {
    starts: starts.slice(0, ARRAY_COUNT_MAX),
    tickFrom: Math.max(lower, -TICK_X64_MAX),
    tickTo: Math.min(upper, TICK_X64_MAX),
  };
}

/** The fee tier, the vaults, and the arrays that have ticks. */
export function listClmmAccounts(pool: Address, bytes: Uint8Array, program: Address): Address[] {
  const data = new AccountBytes(bytes);
  const { starts } = planArrays(data);
  const arrays = starts.map((start) => findArrayAddress(program, pool, start));
  return [data.key(9), data.key(137), data.key(169), ...arrays];
}

/** Raydium's own program; others are forks. */
const RAYDIUM = toSolanaAddress('CAMMCzo5YL8w4VFF8KVHrK22GGUsp5VTaW7grrKgrWqK');
export const BYREAL_PROGRAM = toSolanaAddress('REALQqNEomY6cQGZJUGwywTBD2UmDT32rZcNnfxQ5N2');
/** Byreal keeps a fee of the pool's own there, which counts in place of its configuration's. */
const OWN_FEE_OFFSET = 393;
/** Of Byreal: which fees change, what sets them, and the feeds of prices that one follows. */
const FEE_FLAGS_OFFSET = 1096;
const FEE_SETTINGS_END = 1176;
/** It falls with time, or follows prices of others and the amount. */
const [DECAYING_FEE, FOLLOWING_FEE] = [1, 16];
/** Raydium's dynamic fee begins there; bytes that are set beyond what is known are one. */
const DYNAMIC_FEE_OFFSET = 1096;

interface ClmmTicks {
  readonly ticks: TickSetting[];
  readonly hasOrders: boolean;
}

/** Where an array of this pool has its ticks; nowhere in any other account. */
function listTickPlaces(data: AccountBytes, pool: Address): number[] {
  const discriminator = data.discriminator();
  const isSparse = discriminator === SPARSE_TICK_ARRAY;
  if ((discriminator !== TICK_ARRAY && !isSparse) || data.key(8) !== pool) return [];
  const [from, length] = isSparse
    ? [SPARSE_TICKS_OFFSET, data.u8(SPARSE_COUNT_OFFSET)]
    : [TICKS_OFFSET, RAYDIUM_ARRAY_TICKS];
  return Array.from({ length }, (_, index) => from + index * TICK_BYTES);
}

/** The initialised ticks of an array. */
function readArray(bytes: Uint8Array, pool: Address): ClmmTicks {
  const data = new AccountBytes(bytes);
  const ticks: TickSetting[] = [];
  let hasOrders = false;
  for (const at of listTickPlaces(data, pool)) {
    const liquidityGross = data.u128(at + 20);
    for (let order = ORDERS_OFFSET; order < TICK_BYTES; order += 4) {
      if (data.u32(at + order) !== 0) hasOrders = true;
    }
    if (liquidityGross === 0n) continue;
    ticks.push({ tick: data.i32(at), liquidityNet: data.i128(at + 4), liquidityGross });
  }
  return { ticks, hasOrders };
}

/** 0 if its configuration's counts. */
function findOwnFee({ program }: PoolAccounts, data: AccountBytes): number {
  return program === BYREAL_PROGRAM ? data.u32(OWN_FEE_OFFSET) : 0;
}

/** What a fork may do otherwise: pools of it were never compared. */
function findForkFlags(query: PoolAccounts, data: AccountBytes): UncheckedFlag[] {
  if (query.program === RAYDIUM) return [];
  const flags: UncheckedFlag[] = ['forkUnchecked'];
  const hasOther = data.u32(OWN_FEE_OFFSET) !== findOwnFee(query, data);
  if (hasOther) flags.push('feeUnknown');
  const isRead = (start: number) => {
    const address = findArrayAddress(query.program, query.pool, start);
    const array = openAccount(query, address);
    return array !== null && listTickPlaces(array, query.pool).length > 0;
  };
  if (!planArrays(data).starts.every(isRead)) flags.push('otherTicks');
  return flags;
}

function hasDynamicFee({ program }: PoolAccounts, data: AccountBytes): boolean {
  const isByreal = program === BYREAL_PROGRAM;
  const changing = DECAYING_FEE | FOLLOWING_FEE;
  if (isByreal && (data.u8(FEE_FLAGS_OFFSET) & changing) !== 0) return true;
  // What sets Byreal's fees stays there after they were switched off.
  for (let at = isByreal ? FEE_SETTINGS_END : DYNAMIC_FEE_OFFSET; at < data.length; at += 1) {
    if (data.u8(at) !== 0) return true;
  }
  return false;
}

function findFlags(query: PoolAccounts, data: AccountBytes, hasOrders: boolean): UncheckedFlag[] {
  const flags: UncheckedFlag[] = [];
  if (data.u8(390) !== 0) flags.push('feeOnOutput');
  if (hasDynamicFee(query, data)) flags.push('dynamicFee');
  if (hasOrders) flags.push('limitOrders');
  return flags;
}

export function readClmmPool(query: PoolAccounts): AccountReadingOf<'rangeX64'> | null {
  const data = openAccount(query, query.pool);
  if (data?.discriminator() !== POOL) return null;
  const config = openAccount(query, data.key(9));
  const [vault0, vault1] = [data.key(137), data.key(169)];
  const held0 = readTokenAmount(query, vault0);
  const held1 = readTokenAmount(query, vault1);
  if (config === null || held0 === null || held1 === null) return null;
  const arrays = [...query.accounts.values()].map((bytes) => readArray(bytes, query.pool));
  const isOpen = (data.u8(389) & STATUS_NO_SWAP) === 0;
  const { tickFrom, tickTo } = planArrays(data);
  const opening = { clock: 'seconds', from: Number(data.u64(1080)), flag: 'closed' } as const;
  return {
    ...{ kind: 'rangeX64', token0: data.key(73), token1: data.key(105), vault0, vault1 },
    feePips: findOwnFee(query, data) || config.u32(47),
    terms: { table: 'raydium', tickSpacing: data.u16(235) },
    state: {
      ...{ sqrtPriceX64: isOpen ? data.u128(253) : null, liquidity: data.u128(237) },
      ...{ tick: data.i32(269), held0, held1, atSeconds: query.nowSeconds, adaptive: '' },
      flags: joinFlags([
        ...findForkFlags(query, data),
        ...findFlags(
          query,
          data,
          arrays.some(({ hasOrders }) => hasOrders),
        ),
      ]),
      ...{ tickFrom, tickTo, opens: encodeOpening(opening), transferFees: '' },
    },
    ticks: arrays.flatMap(({ ticks }) => ticks),
  };
}
