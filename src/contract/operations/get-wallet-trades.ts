// GET /wallet/trades

import Type from 'typebox';
import { defineOperation } from '../operation.ts';
import { endTimeInput, mintInput, startTimeInput } from '../schemas/market-schemas.ts';
import { walletOutput, walletPageInput, walletTradeSchema } from '../schemas/wallet-schemas.ts';
import { WALLET_ERRORS } from './wallet-errors.ts';

export const getWalletTrades = defineOperation({
  id: 'getWalletTrades',
  method: 'GET',
  path: '/wallet/trades',
  tag: 'Market',
  summary: 'List trades of a wallet',
  description:
    'Trades of one chain in transactions that the wallet sent, newest first; for several chains ask each and merge by `timestamp`. Pages neither skip nor repeat a trade while new ones arrive. With `mint` a page may be short or empty and have a `nextCursor`: continue until it is null. At most 100 rows without credentials, 500 with.',
  cost: 'read',
  costBy: 'rows',
  cacheControl: 'public, max-age=1',
  input: Type.Object(
    {
      ...walletPageInput,
      mint: Type.Optional(mintInput),
      limit: Type.Integer({ minimum: 1, default: 100 }),
      startTime: startTimeInput,
      endTime: endTimeInput,
    },
    { additionalProperties: false },
  ),
  output: Type.Object(
    { trades: Type.Array(walletTradeSchema), ...walletOutput },
    { title: 'WalletTrades', additionalProperties: false },
  ),
  errors: WALLET_ERRORS,
});
