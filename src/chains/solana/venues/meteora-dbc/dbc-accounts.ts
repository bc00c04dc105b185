// The accounts of a Meteora dynamic bonding curve: its state and its configuration.

import { encodeSegments } from '../../../../amm/segments/segments-kind.ts';
import type { CurveSegment } from '../../../../amm/segments/segments-pool.ts';
import { joinFlags, type UncheckedFlag } from '../../../../amm/unchecked-flag.ts';
import type { Address } from '../../../../model/ids.ts';
import { AccountBytes } from '../../accounts/account-bytes.ts';
import {
  type AccountReadingOf,
  openAccount,
  type PoolAccounts,
} from '../../accounts/pool-accounts.ts';

const POOL = 'd5e005d16245775c';
const CONFIG = '1a6c0e7b74e6812b';
const SEGMENT_COUNT = 20;
const SEGMENT_BYTES = 32;
const SEGMENTS_OFFSET = 408;
const NANO_PER_PIP = 1000;

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

/** A fee that changes with time or volatility, or with the size of the trade. */
function findFlags(config: AccountBytes): UncheckedFlag[] {
  const flags: UncheckedFlag[] = [];
  const [frequency, reduction, periods] = [config.u64(112), config.u64(120), config.u16(128)];
  if (config.u8(130) > 1) flags.push('rateLimiter');
  else if (frequency !== 0n && reduction !== 0n && periods !== 0) flags.push('feeScheduler');
  if (config.u8(136) !== 0) flags.push('dynamicFee');
  return flags;
}

export function readDbcPool(query: PoolAccounts): AccountReadingOf<'segments'> | null {
  const data = openAccount(query, query.pool);
  if (data?.discriminator() !== POOL) return null;
  const config = openAccount(query, data.key(72));
  if (config?.discriminator() !== CONFIG) return null;
  const threshold = config.u64(264);
  const [held0, held1] = [data.u64(232), data.u64(240)];
  const feeRate = config.u64(104);
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
      flags: joinFlags(findFlags(config)),
    },
    ticks: [],
  };
}
