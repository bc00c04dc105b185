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
  example: {
    input: {
      chain: 'devnet',
      mint: '0xA5A2299587b6Be0c7ded8d3F188750d082Fc2aE7',
      sort: 'volume',
      limit: 1,
    },
    answer: {
      from: 1794729600000,
      traders: [
        {
          rank: 1,
          wallet: '0xa88bF03440569f39507b5fD9ca2774494E8206A9',
          amountRaw: '1147550206223085920690204',
          amount: '1147550.206223085920690204',
          averageCostUsd: '0.424834999514209768',
          costBasisUsd: '11322.753668',
          unrealisedUsd: '36.61681',
          realisedUsd: '0.134547',
          volumeUsd: '51851.930401',
          buys: 5,
          sells: 4,
          firstTradeAt: 1794760051000,
          lastTradeAt: 1794816868000,
          complete: false,
        },
      ],
      comparedFromUsd: null,
      positionsFrom: 1794731708000,
      coverage: {
        scope: 'all',
        tradesFrom: 1794731708000,
        klinesFrom: 1794731708000,
        holdersComplete: true,
        backfill: null,
      },
      asOf: {
        block: 90,
        blockHash: '0x7ea81cb50b1e11bca0ce1dc62bb4eae599cf6f9c797dcc2c4db5a7ee49854ada',
        timestamp: 1794818233000,
        finalizedBlock: 25,
      },
    },
  },
});
