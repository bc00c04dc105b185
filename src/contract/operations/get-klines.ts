// GET /token/klines

import Type from 'typebox';
import { defineOperation } from '../operation.ts';
import { chainSlugSchema } from '../schemas/chain-schema.ts';
import {
  asOfSchema,
  chainInput,
  coverageSchema,
  endTimeInput,
  klineIntervalSchema,
  klineSchema,
  mintInput,
  poolFilter,
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
  costBy: 'rows',
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
      pool: poolFilter,
      outliers: Type.Enum(['exclude', 'include'], { default: 'exclude' }),
    },
    { additionalProperties: false },
  ),
  output: Type.Object(
    {
      chain: chainSlugSchema,
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
  mcp: {
    tool: 'get_klines',
    title: 'Candles of a token',
    description:
      'Lists candles of a token, ascending: open, high, low and close in `currency`, volume in units of the token, trades. Use it for price history; get_token has the current price. "1m" is a minute, "1M" a month. The newest 50 unless you give `limit` (up to 1000, with an API key 5000) or startTime and endTime. Intervals without a trade are left out unless fill is "previous". Example: {"chain": "base", "mint": "0x4200000000000000000000000000000000000006", "interval": "1h", "limit": 24}.',
    defaults: { limit: 50 },
  },
});
