// Who owns the token accounts that hold a pool's tokens: one authority for all pools of a program,
// or the pool itself.

import type { Address } from '../../../model/ids.ts';
import { toSolanaAddress } from '../solana-ids.ts';

const AUTHORITIES: Readonly<Record<string, Address>> = {
  'raydium-cpmm': toSolanaAddress('GpMZbSM2GgvTKHJirzeGfMFoaZ8UR2X7F4v8vHTvxFbL'),
  'raydium-v4': toSolanaAddress('5Q544fKrFoe6tsEbD7S8EmxGTJYAKtTVhAW5Q5pge4j1'),
  'meteora-damm-v2': toSolanaAddress('HLnpSz9h2S4hiLQ43rnSD9XkcUThA7B8hQMKmDaiTLcC'),
  'meteora-dbc': toSolanaAddress('FhVo3mqL8PW5pH5U2CN4XE33DokiyZnUwuGpH2hmHLuM'),
};

export function findVaultOwner(venue: string, pool: Address): Address {
  return AUTHORITIES[venue] ?? pool;
}

/** Each owns the token accounts of many pools. */
export const VAULT_AUTHORITIES: readonly Address[] = Object.values(AUTHORITIES);
