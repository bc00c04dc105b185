// Ids for tests, which may have any text. The service makes its ids by parsing.

import type { Address, PoolId, TransactionId, WalletId } from '../src/model/ids.ts';

export function address(text: string): Address {
  return text as Address;
}

export function poolId(text: string): PoolId {
  return text as PoolId;
}

export function transactionId(text: string): TransactionId {
  return text as TransactionId;
}

export function walletId(text: string): WalletId {
  return text as WalletId;
}
