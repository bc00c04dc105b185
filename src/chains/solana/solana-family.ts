// Solana as far as sign-in needs it: names and signatures. Its chain is not followed yet.

import { decodeBase58, encodeBase58 } from '../../lib/base58.ts';
import type { Address, PoolId, TransactionId } from '../../model/ids.ts';
import type { ChainFamily } from '../family.ts';
import { SOLANA_WALLETS } from './solana-signature.ts';

const ADDRESS_BYTES = 32;
const TRANSACTION_ID_BYTES = 64;

/** Base58 of exactly that many bytes, in its only valid spelling. */
function parseBase58(text: string, byteCount: number): string | null {
  const bytes = decodeBase58(text);
  return bytes?.length === byteCount && encodeBase58(bytes) === text ? text : null;
}

export const SOLANA_FAMILY: ChainFamily = {
  name: 'solana',
  addresses: {
    parse: (text) => parseBase58(text, ADDRESS_BYTES) as Address | null,
    parsePool: (text) => parseBase58(text, ADDRESS_BYTES) as PoolId | null,
    toShown: (address) => address,
    // The system program, which keeps every account's lamports.
    native: '1'.repeat(ADDRESS_BYTES) as Address,
  },
  transactionIds: {
    parse: (text) => parseBase58(text, TRANSACTION_ID_BYTES) as TransactionId | null,
    rule: `must be base58 of ${TRANSACTION_ID_BYTES} bytes`,
  },
  wallets: SOLANA_WALLETS,
  findTokenPage: (_, token) => `https://explorer.solana.com/address/${token}`,
  markets: null,
};
