// GET /token/price

import Type from 'typebox';
import { defineOperation } from '../operation.ts';
import { asOfSchema, chainInput, coverageSchema, mintInput } from '../schemas/market-schemas.ts';
import { atInput, priceFields } from '../schemas/price-schema.ts';
import { TOKEN_ERRORS } from './token-errors.ts';

export const getTokenPrice = defineOperation({
  id: 'getTokenPrice',
  method: 'GET',
  path: '/token/price',
  tag: 'Market',
  summary: 'Get the price of a token, now or in the past',
  description:
    'The price by the last trade that is not an outlier, as in klines; before the token has any such trade, by its first one. With `at` or `atBlock`, the last trade at or before that time or block counts. From before what is indexed (`coverage`), prices are null. `POST /prices` does the same for many tokens.',
  cost: 'read',
  cacheControl: 'public, max-age=1',
  input: Type.Object(
    {
      chain: chainInput,
      mint: mintInput,
      at: atInput,
      atBlock: Type.Optional(
        Type.Integer({
          minimum: 0,
          maximum: Number.MAX_SAFE_INTEGER,
          description: 'A block: its trades count, and those before it. Not together with `at`.',
        }),
      ),
    },
    { additionalProperties: false },
  ),
  output: Type.Object(
    { ...priceFields, coverage: coverageSchema, asOf: asOfSchema },
    { title: 'TokenPrice', additionalProperties: false },
  ),
  errors: [...TOKEN_ERRORS],
});
