// The account of a Meteora DAMM v2 pool.

import { divideUp } from '../../../../amm/divide-up.ts';
import { joinFlags, type UncheckedFlag } from '../../../../amm/unchecked-flag.ts';
import { minOf } from '../../../../lib/bigint-bounds.ts';
import type { Address } from '../../../../model/ids.ts';
import { AccountBytes } from '../../accounts/account-bytes.ts';
import {
  type AccountReadingOf,
  openAccount,
  type PoolAccounts,
  readTokenAmount,
} from '../../accounts/pool-accounts.ts';

const POOL_BYTES = 1112;
const POOL = 'f19a6d0411b16dbc';
const NANO_PER_PIP = 1000n;
const VARIABLE_DIVISOR = 100_000_000_000n;
/** In 1e-9, by the version of the fee. */
const FEE_RATE_MAX = [500_000_000n, 990_000_000n] as const;
const BPS = 10_000n;
const X64 = 64n;
const FEE_MODE = { linear: 0, exponential: 1 } as const;
const COLLECT = { output: 0, tokenB: 1 } as const;
const BY_SLOT = 0;

/** The accounts that the pool's own names: its vaults. */
export function listDammAccounts(_pool: Address, bytes: Uint8Array): Address[] {
  const data = new AccountBytes(bytes);
  return [data.key(232), data.key(264)];
}

/** base^exponent with 64 fractional bits, each product truncated. */
function powerX64(base: bigint, exponent: bigint): bigint {
  let [result, square] = [1n << X64, base];
  for (let rest = exponent; rest > 0n; rest >>= 1n) {
    if (rest & 1n) result = (result * square) >> X64;
    square = (square * square) >> X64;
  }
  return result;
}

interface BaseFee {
  readonly rate: bigint;
  readonly flags: readonly UncheckedFlag[];
}

/** The base fee falls from its cliff, period by period. */
function findBaseFee(data: AccountBytes, query: PoolAccounts): BaseFee {
  const cliff = data.u64(8);
  const mode = data.u8(16);
  const periods = BigInt(data.u16(22));
  const frequency = data.u64(24);
  const reduction = data.u64(32);
  if (periods === 0n || frequency === 0n || reduction === 0n) return { rate: cliff, flags: [] };
  if (mode !== FEE_MODE.linear && mode !== FEE_MODE.exponential) {
    return { rate: cliff, flags: ['rateLimiter'] };
  }
  const point = BigInt(data.u8(480) === BY_SLOT ? query.slot : query.nowSeconds);
  const elapsed = point - data.u64(472);
  const passed = elapsed < 0n ? 0n : elapsed / frequency;
  const count = minOf(passed, periods);
  const flags: UncheckedFlag[] = passed < periods ? ['feeScheduler'] : [];
  if (mode === FEE_MODE.linear) return { rate: cliff - count * reduction, flags };
  const base = (1n << X64) - (reduction << X64) / BPS;
  return { rate: (cliff * powerX64(base, count)) >> X64, flags };
}

/** From the stored volatility; it is renewed by swaps alone. */
function findDynamicFee(data: AccountBytes): bigint {
  if (data.u8(56) === 0) return 0n;
  const squared = (data.u128(120) * BigInt(data.u16(72))) ** 2n;
  return divideUp(BigInt(data.u32(68)) * squared, VARIABLE_DIVISOR);
}

export function readDammPool(query: PoolAccounts): AccountReadingOf<'singleRange'> | null {
  const data = openAccount(query, query.pool);
  if (data?.discriminator() !== POOL || data.length !== POOL_BYTES) return null;
  const [vault0, vault1] = [data.key(232), data.key(264)];
  const base = findBaseFee(data, query);
  const sum = base.rate + findDynamicFee(data);
  const limit = FEE_RATE_MAX[data.u8(486) === 0 ? 0 : 1];
  const feeRate = minOf(sum, limit);
  const collectMode = data.u8(484);
  const isKnown = collectMode === COLLECT.output || collectMode === COLLECT.tokenB;
  const flags: UncheckedFlag[] = [...base.flags, ...(isKnown ? [] : ['compoundingFee' as const])];
  const isOpen = data.u8(481) === 0;
  return {
    ...{ kind: 'singleRange', token0: data.key(168), token1: data.key(200), vault0, vault1 },
    feePips: Number(divideUp(base.rate, NANO_PER_PIP)),
    terms: {
      ...{ priceMin: data.u128(424), priceMax: data.u128(440) },
      feeOn: collectMode === COLLECT.tokenB ? 'tokenB' : 'output',
    },
    state: {
      ...{ sqrtPriceX64: data.u128(456), wide: isOpen ? data.u128(360) : 0n },
      held0: readTokenAmount(query, vault0),
      held1: readTokenAmount(query, vault1),
      ...{ feeRate, flags: joinFlags(flags), isDynamic: data.u8(56) !== 0 },
    },
    ticks: [],
  };
}
