// GET /token/price

import Type from 'typebox';
import { defineOperation } from '../operation.ts';
import { asOfSchema, chainInput, coverageSchema, mintInput } from '../schemas/market-schemas.ts';
import { atInput, priceFields } from '../schemas/price-schema.ts';
import { TOKEN_ERRORS } from './token-errors.ts';

const MINT = '0xA5A2299587b6Be0c7ded8d3F188750d082Fc2aE7';

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
  example: {
    input: { chain: 'devnet', mint: MINT },
    answer: {
      chain: 'devnet',
      mint: MINT,
      priceUsd: '0.425006439486068702',
      priceNative: '0.000141741447097184635',
      priceChange24hPct: 0.77054,
      timestamp: 1794806383000,
      block: 78,
      source: { pool: '0x39d02Cf37523DDb9286a39088A8AE60fe3a33df2', venue: 'uniswap-v3' },
      coverage: {
        scope: 'all',
        tradesFrom: 1794716545000,
        klinesFrom: 1794716545000,
        holdersComplete: true,
        backfill: null,
      },
      asOf: {
        block: 78,
        blockHash: '0x1e5fd9631771543e9da1ac7fb0e05ca54a037afff0ae1bced21d83a977d83aa2',
        timestamp: 1794806383000,
        finalizedBlock: 14,
      },
    },
  },
});
