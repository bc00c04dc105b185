// The errors of every read of one wallet.

export const WALLET_ERRORS = [
  'UNKNOWN_CHAIN',
  'CHAIN_NOT_FOLLOWED',
  'INVALID_ADDRESS',
  'INVALID_CURSOR',
  'NOT_READY',
] as const;
