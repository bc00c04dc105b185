// The accounts of an Orca Whirlpool: its state, its tick arrays, its fee oracle.

import { type AdaptiveFee, encodeAdaptive } from '../../../../amm/clmm-x64/adaptive-fee.ts';
import { ORCA_ARRAY_TICKS } from '../../../../amm/clmm-x64/clmm-x64-pool.ts';
import { TICK_X64_MAX } from '../../../../amm/clmm-x64/tick-prices.ts';
import { encodeOpening, type PoolOpening } from '../../../../amm/pool-moment.ts';
import type { TickSetting } from '../../../../amm/set-ticks.ts';
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
import type { PoolLayout } from '../solana-venue.ts';

const POOL = '3f95d10ce1806309';
const TICK_ARRAY = '4561bdbe6e0742bb';
/** Packed: only its initialised ticks have room. */
const PACKED_ARRAY = '11d8f68ee1c7da38';
const ORACLE = '8bc283b38cb3e5f4';
/** A swap is given three; further ones are read so that the pool may move. */
const ARRAYS_PER_SIDE = 5;
const TICK_BYTES = 113;
const TICKS_OFFSET = 12;
/** After the first tick, the pool, and a bit for each tick. */
const PACKED_OWNER_OFFSET = 12;
const PACKED_TICKS_OFFSET = 60;

export const WHIRLPOOL_LAYOUT: PoolLayout = {
  ...{ discriminator: POOL, byteCount: null },
  ...{ mints: [101, 181], vaults: [133, 213] },
};

export function findOracle(program: Address, pool: Address): Address {
  return findProgramAddress(program, ['oracle', toSeed(pool)]);
}

/** The start ticks of the arrays around the price, ascending. */
function listArrayStarts(data: AccountBytes): number[] {
  const length = ORCA_ARRAY_TICKS * data.u16(41);
  const active = Math.floor(data.i32(81) / length);
  const starts = Array.from(
    { length: 2 * ARRAYS_PER_SIDE + 1 },
    (_, index) => (active + index - ARRAYS_PER_SIDE) * length,
  );
  return starts.filter((start) => start > -TICK_X64_MAX - length && start < TICK_X64_MAX);
}

export function findTickArray(program: Address, pool: Address, start: number): Address {
  return findProgramAddress(program, ['tick_array', toSeed(pool), String(start)]);
}

/** The vaults, the oracle, and the arrays around the price. */
export function listWhirlpoolAccounts(
  pool: Address,
  bytes: Uint8Array,
  program: Address,
): Address[] {
  const data = new AccountBytes(bytes);
  const arrays = listArrayStarts(data).map((start) => findTickArray(program, pool, start));
  return [data.key(133), data.key(213), findOracle(program, pool), ...arrays];
}

/** Both kinds of arrays have the same ticks; a packed one has a byte for an empty one. */
function readArray(
  bytes: Uint8Array,
  { pool, tickSpacing }: { readonly pool: Address; readonly tickSpacing: number },
): TickSetting[] {
  const data = new AccountBytes(bytes);
  const kind = data.discriminator();
  const isPacked = kind === PACKED_ARRAY && data.key(PACKED_OWNER_OFFSET) === pool;
  const ownerOffset = TICKS_OFFSET + ORCA_ARRAY_TICKS * TICK_BYTES;
  if (!isPacked && (kind !== TICK_ARRAY || data.key(ownerOffset) !== pool)) return [];
  const ticks: TickSetting[] = [];
  const start = data.i32(8);
  let at = isPacked ? PACKED_TICKS_OFFSET : TICKS_OFFSET;
  for (let index = 0; index < ORCA_ARRAY_TICKS; index += 1) {
    const isEmpty = data.u8(at) === 0;
    if (!isEmpty) {
      const tick = start + index * tickSpacing;
      ticks.push({ tick, liquidityNet: data.i128(at + 1), liquidityGross: data.u128(at + 17) });
    }
    at += isPacked && isEmpty ? 1 : TICK_BYTES;
  }
  return ticks;
}

function readAdaptiveFee(data: AccountBytes): AdaptiveFee {
  return {
    filterSeconds: data.u16(48),
    decaySeconds: data.u16(50),
    reduction: data.u16(52),
    control: data.u32(54),
    volatilityMax: data.u32(58),
    groupSize: data.u16(62),
    majorTicks: data.u16(64),
    referenceAt: Number(data.u64(82)),
    majorAt: Number(data.u64(90)),
    volatilityReference: data.u32(98),
    groupReference: data.i32(102),
    volatility: data.u32(106),
  };
}

/** Pools with an oracle may be created before trading in them is enabled. */
function readTradeStart(oracle: AccountBytes): PoolOpening {
  return { clock: 'seconds', from: Number(oracle.u64(40)), flag: 'closed' };
}

export function readWhirlpool(query: PoolAccounts): AccountReadingOf<'rangeX64'> | null {
  const data = openAccount(query, query.pool);
  if (data?.discriminator() !== POOL) return null;
  const [vault0, vault1] = [data.key(133), data.key(213)];
  const held0 = readTokenAmount(query, vault0);
  const held1 = readTokenAmount(query, vault1);
  if (held0 === null || held1 === null) return null;
  const tickSpacing = data.u16(41);
  const isAdaptive = data.u16(43) !== tickSpacing;
  const oracle = isAdaptive ? openAccount(query, findOracle(query.program, query.pool)) : null;
  const adaptive = oracle?.discriminator() === ORACLE ? readAdaptiveFee(oracle) : null;
  const own = { pool: query.pool, tickSpacing };
  const arrays = [...query.accounts.values()].map((bytes) => readArray(bytes, own));
  const flags: UncheckedFlag[] = [];
  if (isAdaptive && adaptive === null) flags.push('feeUnknown');
  const starts = listArrayStarts(data);
  const end = (starts.at(-1) ?? 0) + ORCA_ARRAY_TICKS * tickSpacing - 1;
  return {
    ...{ kind: 'rangeX64', token0: data.key(101), token1: data.key(181), vault0, vault1 },
    feePips: data.u16(45),
    terms: { table: 'orca', tickSpacing },
    state: {
      ...{ sqrtPriceX64: data.u128(65), liquidity: data.u128(49), tick: data.i32(81) },
      ...{ held0, held1, atSeconds: query.nowSeconds, adaptive: encodeAdaptive(adaptive) },
      flags: joinFlags(flags),
      tickFrom: Math.max(starts[0] ?? 0, -TICK_X64_MAX),
      tickTo: Math.min(end, TICK_X64_MAX),
      transferFees: '',
      opens: encodeOpening(adaptive === null || oracle === null ? null : readTradeStart(oracle)),
    },
    ticks: arrays.flat(),
  };
}
