// The account of a Meteora DAMM v2 pool.

import { divideUp } from '../../../../amm/divide-up.ts';
import { encodeOpening } from '../../../../amm/pool-moment.ts';
import { joinFlags, type UncheckedFlag } from '../../../../amm/unchecked-flag.ts';
import type { Address } from '../../../../model/ids.ts';
import { AccountBytes } from '../../data/account-bytes.ts';
import { toSolanaAddress } from '../../data/solana-ids.ts';
import {
  type AccountReadingOf,
  openAccount,
  type PoolAccounts,
  readTokenAmount,
} from '../../tokens/pool-accounts.ts';
import type { PoolLayout } from '../solana-venue.ts';
import { readBaseFee, readPoolClock } from './meteora-base-fee.ts';

/** Owns the token accounts of all pools. */
export const DAMM_AUTHORITY = toSolanaAddress('HLnpSz9h2S4hiLQ43rnSD9XkcUThA7B8hQMKmDaiTLcC');

const POOL_BYTES = 1112;
const POOL = 'f19a6d0411b16dbc';
const NANO_PER_PIP = 1000n;
const VARIABLE_DIVISOR = 100_000_000_000n;
/** In 1e-9, by the version of the fee. */
const FEE_RATE_MAX = [500_000_000n, 990_000_000n] as const;
const LIMITER = 2;
const COLLECT = { output: 0, tokenB: 1 } as const;

export const DAMM_LAYOUT: PoolLayout = {
  ...{ discriminator: POOL, byteCount: POOL_BYTES },
  ...{ mints: [168, 200], vaults: [232, 264] },
};

/** The accounts that the pool's own names: its vaults. */
export function listDammAccounts(_pool: Address, bytes: Uint8Array): Address[] {
  const data = new AccountBytes(bytes);
  return [data.key(232), data.key(264)];
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
  const clock = readPoolClock(data.u8(480));
  const start = data.u64(472);
  const base = readBaseFee({
    ...{ mode: data.u8(16), clock, start, cliff: data.u64(8), periods: BigInt(data.u16(22)) },
    ...{ frequency: data.u64(24), reduction: data.u64(32) },
    limitedFor: BigInt(data.u32(data.u8(16) === LIMITER ? 24 : 28)),
    ...{ added: findDynamicFee(data), rateMax: FEE_RATE_MAX[data.u8(486) === 0 ? 0 : 1] },
  });
  const collectMode = data.u8(484);
  const isKnown = collectMode === COLLECT.output || collectMode === COLLECT.tokenB;
  const flags: UncheckedFlag[] = [...base.flags, ...(isKnown ? [] : ['compoundingFee' as const])];
  const isOpen = data.u8(481) === 0;
  const activation = { clock, from: Number(start), flag: 'closed' } as const;
  return {
    ...{ kind: 'singleRange', token0: data.key(168), token1: data.key(200), vault0, vault1 },
    feePips: Number(divideUp(base.feeRate, NANO_PER_PIP)),
    terms: {
      ...{ priceMin: data.u128(424), priceMax: data.u128(440) },
      feeOn: collectMode === COLLECT.tokenB ? 'tokenB' : 'output',
    },
    state: {
      ...{ sqrtPriceX64: data.u128(456), wide: isOpen ? data.u128(360) : 0n },
      held0: readTokenAmount(query, vault0),
      held1: readTokenAmount(query, vault1),
      ...{ feeRate: base.feeRate, flags: joinFlags(flags), isDynamic: data.u8(56) !== 0 },
      ...{ schedule: base.schedule, opens: encodeOpening(base.opening ?? activation) },
      transferFees: '',
    },
    ticks: [],
  };
}
