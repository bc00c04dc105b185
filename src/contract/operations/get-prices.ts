// POST /prices

import Type from 'typebox';
import { defineOperation } from '../operation.ts';
import { asOfSchema, chainInput, mintInput } from '../schemas/market-schemas.ts';
import { atInput, priceSchema } from '../schemas/price-schema.ts';

const TOKENS_MAX = 100;

export const getPrices = defineOperation({
  id: 'getPrices',
  method: 'POST',
  path: '/prices',
  tag: 'Market',
  summary: 'Get the prices of many tokens',
  description:
    'The prices of up to 100 tokens of any followed chains, 30 without credentials, in the order asked for; now, or at a time. A price is that of the last trade that is not an outlier, as in klines; before a token has any such trade, that of its first one. An unknown or paused token is null, and so is one of a chain that is not ready, which has no `asOf`; if none is ready, the answer is `NOT_READY`. Tokens are not looked up on their chain; `/token` does that. A time from before what is indexed has null prices.',
  cost: 'read',
  costBy: 'tokens',
  cacheControl: 'no-store',
  input: Type.Object(
    {
      tokens: Type.Array(
        Type.Object({ chain: chainInput, mint: mintInput }, { additionalProperties: false }),
        { minItems: 1, maxItems: TOKENS_MAX },
      ),
      at: atInput,
    },
    { additionalProperties: false },
  ),
  output: Type.Object(
    {
      prices: Type.Array(Type.Union([priceSchema, Type.Null()]), {
        description:
          'One for each token, in the order asked for; null for a token that is unknown or whose chain is not ready.',
      }),
      asOf: Type.Record(Type.String(), asOfSchema, {
        description: 'The indexed state of each chain that was asked for and is ready, by slug.',
      }),
    },
    { title: 'Prices', additionalProperties: false },
  ),
  errors: ['UNKNOWN_CHAIN', 'CHAIN_NOT_FOLLOWED', 'INVALID_ADDRESS', 'NOT_READY'],
  mcp: {
    tool: 'get_prices',
    title: 'Prices of many tokens',
    description:
      'Gets the prices of up to 100 tokens (30 without an API key) in one call, now or at a time in the past. Use it instead of get_token where only prices matter, such as for a portfolio. Answers are in the order asked for; null is a token that is not indexed. Prices are decimal strings per unit. Example: {"tokens": [{"chain": "base", "mint": "0x4200000000000000000000000000000000000006"}]}.',
  },
});
