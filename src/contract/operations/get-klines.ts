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
} from '../schemas/market-schemas.ts';
import { TOKEN_ERRORS } from './token-errors.ts';

export const getKlines = defineOperation({
  id: 'getKlines',
  method: 'GET',
  path: '/token/klines',
  tag: 'Market',
  summary: 'List candles of a token',
  description:
    'Ascending, aligned to UTC. `startTime` and `endTime` are inclusive on `openTime`; with `startTime` alone the page begins at the oldest candle, otherwise it ends at the newest. Volumes and counts include every trade; `outliers=exclude` keeps trades that would draw false wicks out of open, high, low and close. At most 1,000 rows without credentials, 5,000 with.',
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
        description: '`previous` fills intervals without a trade with the previous close.',
      }),
      pool: Type.Optional(
        Type.String({
          minLength: 1,
          maxLength: 66,
          description: 'Only this pool of the token, instead of all.',
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
          openTime: 1794715200000,
          closeTime: 1794718799999,
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
          openTime: 1794718800000,
          closeTime: 1794722399999,
          open: '0.424295090175660699',
          high: '0.43738728314396643',
          low: '0.422968093050890333',
          close: '0.424969781615465682',
          volume: '216393.706377334830405709',
          quoteVolume: '92293.5018632348408',
          trades: 39,
          buys: 21,
          sells: 18,
          closed: false,
          filled: false,
        },
      ],
      coverage: {
        scope: 'all',
        tradesFrom: 1794634939000,
        klinesFrom: 1794634939000,
        holdersComplete: true,
        backfill: null,
      },
      asOf: {
        block: 86,
        blockHash: '0xfb04692c2d88404c36d99f3b393786302b4d9a79c71767a3f30a667ab06615b8',
        timestamp: 1794721487000,
        finalizedBlock: 22,
      },
    },
  },
  mcp: {
    tool: 'get_klines',
    title: 'Candles of a token',
    description:
      'Lists candles (open, high, low, close, volume, trades) of a token, ascending. Use it for price history, trends and volatility; for the current price use get_token. Times are Unix milliseconds, prices decimal strings in USD (or the native coin with currency "native"), volume is in units of the token. interval is required: "1m" is a minute, "1M" a month. The newest 50 unless you give `limit` (up to 1000 without an API key, 5000 with one), or startTime and endTime. Intervals without a trade are left out unless fill is "previous". Example: {"chain": "base", "mint": "0x4200000000000000000000000000000000000006", "interval": "1h", "limit": 24}.',
    defaults: { limit: 50 },
  },
});
