// The errors of every operation that prices a trade.

import { TOKEN_ERRORS } from './token-errors.ts';

export const TRADE_ERRORS = [
  ...TOKEN_ERRORS,
  'NO_MARKET',
  'INSUFFICIENT_LIQUIDITY',
  'AMOUNT_TOO_SMALL',
] as const;
