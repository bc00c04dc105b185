// The account of a Raydium AMM v4 pool.

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

/** Owns the token accounts of all pools. */
export const V4_AUTHORITY = toSolanaAddress('5Q544fKrFoe6tsEbD7S8EmxGTJYAKtTVhAW5Q5pge4j1');

const POOL_BYTES = 752;
const PIPS = 1_000_000n;
/** Swaps, with or without the order book. */
const STATUS_BOOK = 1;
const SWAPPING_STATUSES: readonly number[] = [STATUS_BOOK, 6, 7];

export const V4_LAYOUT: PoolLayout = {
  ...{ discriminator: null, byteCount: POOL_BYTES },
  ...{ mints: [400, 432], vaults: [336, 368], shares: [464, 720] },
};

/** The accounts that the pool's own names: its vaults. */
export function listV4Accounts(_pool: Address, bytes: Uint8Array): Address[] {
  const data = new AccountBytes(bytes);
  return [data.key(336), data.key(368)];
}

export function readV4Pool(query: PoolAccounts): AccountReadingOf<'ceiledProduct'> | null {
  const data = openAccount(query, query.pool);
  if (data?.length !== POOL_BYTES) return null;
  const [vault0, vault1] = [data.key(336), data.key(368)];
  const held0 = readTokenAmount(query, vault0);
  const held1 = readTokenAmount(query, vault1);
  const status = Number(data.u64(0));
  const opening = { clock: 'seconds', from: Number(data.u64(224)), flag: 'closed' } as const;
  if (held0 === null || held1 === null) return null;
  const flags: UncheckedFlag[] = [];
  if (!SWAPPING_STATUSES.includes(status)) flags.push('closed');
  if (status === STATUS_BOOK) flags.push('orderBook');
  return {
    ...{ kind: 'ceiledProduct', token0: data.key(400), token1: data.key(432), vault0, vault1 },
    feePips: Number((data.u64(176) * PIPS) / data.u64(184)),
    terms: { creatorFeePips: 0, creatorFeeOn: 'input', protocolSharePips: 0, fundSharePips: 0 },
    state: {
      // What the pool's owner has earned is still in the vaults.
      reserve0: held0 - data.u64(192),
      reserve1: held1 - data.u64(200),
      flags: joinFlags(flags),
      transferFees: '',
      opens: encodeOpening(opening),
    },
    ticks: [],
  };
}
