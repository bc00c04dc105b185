// The accounts of a Meteora dynamic bonding curve: its state and its configuration.

import { divideUp } from '../../../../amm/divide-up.ts';
import { encodeOpening } from '../../../../amm/pool-moment.ts';
import { encodeSegments } from '../../../../amm/segments/segments-kind.ts';
import type { CurveSegment } from '../../../../amm/segments/segments-pool.ts';
import { joinFlags } from '../../../../amm/unchecked-flag.ts';
import type { Address } from '../../../../model/ids.ts';
import { AccountBytes } from '../../data/account-bytes.ts';
import { toSolanaAddress } from '../../data/solana-ids.ts';
import {
  type AccountReadingOf,
  openAccount,
  type PoolAccounts,
} from '../../tokens/pool-accounts.ts';
import { readBaseFee, readPoolClock } from '../meteora-damm/meteora-base-fee.ts';
import type { PoolLayout } from '../solana-venue.ts';

/** Owns the token accounts of all pools. */
export const DBC_AUTHORITY = toSolanaAddress('FhVo3mqL8PW5pH5U2CN4XE33DokiyZnUwuGpH2hmHLuM');

const POOL = 'd5e005d16245775c';
const CONFIG = '1a6c0e7b74e6812b';
const SEGMENT_COUNT = 20;
const SEGMENT_BYTES = 32;
const SEGMENTS_OFFSET = 408;
const NANO_PER_PIP = 1000;
const VARIABLE_DIVISOR = 100_000_000_000n;
/** In 1e-9. */
const FEE_RATE_MAX = 990_000_000n;

export const DBC_LAYOUT: PoolLayout = {
  ...{ discriminator: POOL, byteCount: null },
  ...{ mints: [136, null], vaults: [168, 200] },
};

/** The accounts that the pool's own names: its configuration. */
export function listDbcAccounts(_pool: Address, bytes: Uint8Array): Address[] {
  return [new AccountBytes(bytes).key(72)];
}

function readSegments(config: AccountBytes): CurveSegment[] {
  const segments = Array.from({ length: SEGMENT_COUNT }, (_, index) => {
    const at = SEGMENTS_OFFSET + index * SEGMENT_BYTES;
    return { priceEnd: config.u128(at), wide: config.u128(at + 16) };
  });
  return segments.filter(({ priceEnd }) => priceEnd > 0n);
}

/** From the stored volatility; it is renewed by swaps alone. */
function findDynamicFee(data: AccountBytes, config: AccountBytes): bigint {
  if (config.u8(136) === 0) return 0n;
  const squared = (data.u128(40) * BigInt(config.u16(152))) ** 2n;
  return divideUp(BigInt(config.u32(148)) * squared, VARIABLE_DIVISOR);
}

function readFee(data: AccountBytes, config: AccountBytes) {
  const second = config.u64(112);
  return readBaseFee({
    ...{ mode: config.u8(130), clock: readPoolClock(config.u8(234)), start: data.u64(296) },
    ...{ cliff: config.u64(104), periods: BigInt(config.u16(128)), frequency: second },
    ...{ reduction: config.u64(120), limitedFor: second },
    ...{ added: findDynamicFee(data, config), rateMax: FEE_RATE_MAX },
  });
}

export function readDbcPool(query: PoolAccounts): AccountReadingOf<'segments'> | null {
  const data = openAccount(query, query.pool);
  if (data?.discriminator() !== POOL) return null;
  const config = openAccount(query, data.key(72));
  if (config?.discriminator() !== CONFIG) return null;
  const threshold = config.u64(264);
  const [held0, held1] = [data.u64(232), data.u64(240)];
  const { feeRate, schedule, opening, flags } = readFee(data, config);
  const isMigrated = data.u8(305) !== 0;
  return {
    ...{ kind: 'segments', token0: data.key(136), token1: config.key(8) },
    ...{ vault0: data.key(168), vault1: data.key(200) },
    feePips: Math.ceil(Number(feeRate) / NANO_PER_PIP),
    terms: {
      ...{ priceStart: config.u128(392), segments: encodeSegments(readSegments(config)) },
      ...{ feeOn: config.u8(232) === 0 ? 'quote' : 'output', threshold },
    },
    state: {
      ...{ sqrtPriceX64: data.u128(280), held0, held1, feeRate },
      ...{ isComplete: isMigrated || held1 >= threshold, isMigrated },
      ...{ flags: joinFlags(flags), schedule, opens: encodeOpening(opening), transferFees: '' },
      isDynamic: config.u8(136) !== 0,
    },
    ticks: [],
  };
}
