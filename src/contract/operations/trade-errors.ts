// The errors of every operation that prices a trade.

import { TOKEN_ERRORS } from './token-errors.ts';

export const TRADE_ERRORS = [
  ...TOKEN_ERRORS,
  'NO_MARKET',
  'NO_ROUTE',
  'NO_ROUTE_WITHIN_LIMITS',
  'VENUE_NOT_SUPPORTED',
  'NO_SINGLE_ROUTER',
  'TAX_NOT_SUPPORTED',
  'POOLS_NOT_QUOTED',
  'INSUFFICIENT_LIQUIDITY',
  'AMOUNT_TOO_SMALL',
  'ROUTE_TOO_LONG',
  'EXACT_OUTPUT_NOT_SUPPORTED',
  'FEE_NOT_POSSIBLE',
  'TRADING_NOT_SUPPORTED',
] as const;
