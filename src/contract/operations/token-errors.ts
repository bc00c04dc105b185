// The errors of every read of one token.

export const TOKEN_ERRORS = [
  'UNKNOWN_CHAIN',
  'CHAIN_NOT_FOLLOWED',
  'INVALID_ADDRESS',
  'TOKEN_NOT_FOUND',
  'TOKEN_PAUSED',
  'NOT_READY',
  'LOOKUP_PENDING',
  'LOOKUPS_NOT_INCLUDED',
] as const;
