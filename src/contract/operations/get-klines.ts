// GET /token/klines

import Type from 'typebox';
import { CHAIN_SLUGS } from '../../model/chain.ts';
import { defineOperation } from '../operation.ts';
import {
  asOfSchema,
  chainInput,
  coverageSchema,
  endTimeInput,
  klineIntervalSchema,
  klineSchema,
  mintInput,
  startTimeInput,
} from '../schemas/market.ts';
import { TOKEN_ERRORS } from './token-errors.ts';

export const getKlines = defineOperation({
  id: 'getKlines',
  method: 'GET',
  path: '/token/klines',
  tag: 'Market',
  summary: 'Give candles of a token',
  description:
    'Ascending, aligned to UTC. `startTime` and `endTime` are inclusive on `openTime`; with `startTime` alone the oldest come first to fill `limit`, otherwise the newest. Volumes and counts hold every trade; `outliers=exclude` keeps trades that would draw false wicks out of open, high, low and close. At most 1,000 rows without credentials, 5,000 with.',
  cost: 'read',
  cacheControl: 'public, max-age=1',
  input: Type.Object(
    {
      chain: chainInput,
      mint: mintInput,
      interval: klineIntervalSchema,
      limit: Type.Integer({ minimum: 1, default: 500 }),
      startTime: startTimeInput,
      endTime: endTimeInput,
      currency: Type.Enum(['usd', 'native'], { default: 'usd' }),
      fill: Type.Enum(['none', 'previous'], {
        default: 'none',
        description: '`previous` fills intervals without a trade with the close before.',
      }),
      pool: Type.Optional(
        Type.String({
          minLength: 1,
          maxLength: 66,
          description: 'One pool of the token, instead of all.',
        }),
      ),
      outliers: Type.Enum(['exclude', 'include'], { default: 'exclude' }),
    },
    { additionalProperties: false },
  ),
  output: Type.Object(
    {
      chain: Type.Enum([...CHAIN_SLUGS]),
      mint: Type.String(),
      interval: klineIntervalSchema,
      currency: Type.Enum(['usd', 'native']),
      klines: Type.Array(klineSchema),
      coverage: coverageSchema,
      asOf: asOfSchema,
    },
    { title: 'Klines', additionalProperties: false },
  ),
  errors: [...TOKEN_ERRORS, 'POOL_NOT_FOUND'],
  example: {
    input: {
      chain: 'devnet',
      mint: '0xA5A2299587b6Be0c7ded8d3F188750d082Fc2aE7',
      interval: '1h',
      limit: 2,
    },
    answer: {
      chain: 'devnet',
      mint: '0xA5A2299587b6Be0c7ded8d3F188750d082Fc2aE7',
      interval: '1h',
      currency: 'usd',
      klines: [
        {
          openTime: 1794708000000,
          closeTime: 1794711599999,
          open: '0.434454394178123512',
          high: '0.435483116272659155',
          low: '0.419403321503031031',
          close: '0.427027745272133968',
          volume: '94516.689035853647839056',
          quoteVolume: '40394.5123179232744',
          trades: 20,
          buys: 11,
          sells: 9,
          closed: true,
          filled: false,
        },
        {
          openTime: 1794711600000,
          closeTime: 1794715199999,
          open: '0.424295090175660699',
          high: '0.43738728314396643',
          low: '0.41969159638416436',
          close: '0.42161925172082196',
          volume: '280152.264436509303138774',
          quoteVolume: '119277.973811833122',
          trades: 54,
          buys: 27,
          sells: 27,
          closed: false,
          filled: false,
        },
      ],
      coverage: { tradesFrom: 1794627857000, klinesFrom: 1794627857000, holdersComplete: true },
      asOf: {
        block: 106,
        blockHash: '0x2b1f47235796889cb24085e1a145e8c88e891a958bbc00143bce62be4be8dc20',
        timestamp: 1794714404000,
        finalizedBlock: 42,
      },
    },
  },
  mcp: {
    tool: 'get_klines',
    title: 'Candles of a token',
    description:
      'Gives candles (open, high, low, close, volume, trades) of a token, ascending. Use it for price history, trends and volatility; for the price now use get_token. Times are Unix milliseconds, prices decimal strings in USD (or the native coin with currency "native"), volume is in units of the token. interval is required: "1m" is a minute, "1M" a month. The newest 50 unless you give `limit` (up to 1000 without an API key, 5000 with one), or startTime and endTime. Intervals without a trade are left out unless fill is "previous". Example: {"chain": "base", "mint": "0x4200000000000000000000000000000000000006", "interval": "1h", "limit": 24}.',
    defaults: { limit: 50 },
  },
});
