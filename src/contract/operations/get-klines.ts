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

const KLINE_CURRENCIES = ['usd', 'native', 'quote'] as const;

export const getKlines = defineOperation({
  id: 'getKlines',
  method: 'GET',
  path: '/token/klines',
  tag: 'Market',
  summary: 'List candles of a token',
  description:
    'Ascending, aligned to UTC. `startTime` and `endTime` are inclusive on `openTime`; with `startTime` alone the page begins at the oldest candle, otherwise it ends at the newest. Volumes and counts include every trade; `outliers=exclude` keeps trades that would draw false wicks out of open, high, low and close. Where `currency=quote` and neither of the two tokens prices the other (as the native coin and stable tokens do), candles are made of the newest 100,000 trades of the range at most. At most 1,000 rows without credentials, 5,000 with.',
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
      currency: Type.Enum([...KLINE_CURRENCIES], {
        default: 'usd',
        description: '`quote`: in the other token of `pool`, which it needs.',
      }),
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
      currency: Type.Enum([...KLINE_CURRENCIES]),
      klines: Type.Array(klineSchema),
      coverage: coverageSchema,
      asOf: asOfSchema,
    },
    { title: 'Klines', additionalProperties: false },
  ),
  errors: [...TOKEN_ERRORS, 'POOL_NOT_FOUND'],
  mcp: {
    tool: 'get_klines',
    title: 'Candles',
    description:
      'Lists candles of a token, ascending: prices in `currency`, volume in tokens. Use it for price history; get_token has the current price. The newest 50 unless you give `limit` (up to 1000, with a key 5000) or times. Example: {"chain": "base", "mint": "0x4200000000000000000000000000000000000006", "interval": "1h"}.',
    defaults: { limit: 50 },
    hasTokenView: true,
  },
});
