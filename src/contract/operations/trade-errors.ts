// What everything that prices a trade may be answered with.

import { TOKEN_ERRORS } from './token-errors.ts';

export const TRADE_ERRORS = [
  ...TOKEN_ERRORS,
  'NO_MARKET',
  'INSUFFICIENT_LIQUIDITY',
  'AMOUNT_TOO_SMALL',
] as const;
