// GET /token/traders

import Type from 'typebox';
import { TRADER_WINDOWS } from '../../model/position.ts';
import { defineOperation } from '../operation.ts';
import {
  asOfSchema,
  chainInput,
  coverageSchema,
  integerOrNull,
  mintInput,
  textOrNull,
} from '../schemas/market-schemas.ts';
import { traderSchema } from '../schemas/wallet-schemas.ts';
import { TOKEN_ERRORS } from './token-errors.ts';

export const getTraders = defineOperation({
  id: 'getTraders',
  method: 'GET',
  path: '/token/traders',
  tag: 'Market',
  summary: 'List top traders of a token',
  description:
    'The wallets with the highest realised profit or volume in a window. `24h` begins at the full hour, `7d` and `30d` at midnight UTC. Volume, profit, buys and sells are those of the window, the rest is as of now.',
  cost: 'search',
  cacheControl: 'public, max-age=1',
  input: Type.Object(
    {
      chain: chainInput,
      mint: mintInput,
      window: Type.Enum([...TRADER_WINDOWS], { default: '24h' }),
      sort: Type.Enum(['realised', 'volume'], { default: 'realised' }),
      limit: Type.Integer({ minimum: 1, maximum: 100, default: 50 }),
    },
    { additionalProperties: false },
  ),
  output: Type.Object(
    {
      from: integerOrNull('When the window begins, in Unix milliseconds; null for `all`.'),
      traders: Type.Array(traderSchema),
      comparedFromUsd: textOrNull(
        'Wallets that have traded less than this in all were not compared; null if all were.',
      ),
      positionsFrom: integerOrNull('Trades from this time on are counted.'),
      coverage: coverageSchema,
      asOf: asOfSchema,
    },
    { title: 'Traders', additionalProperties: false },
  ),
  errors: TOKEN_ERRORS,
});
