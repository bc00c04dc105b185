// GET /token/holders

import Type from 'typebox';
import { defineOperation } from '../operation.ts';
import {
  asOfSchema,
  chainInput,
  coverageSchema,
  cursorInput,
  holderSchema,
  mintInput,
  nextCursor,
} from '../schemas/market-schemas.ts';
import { TOKEN_ERRORS } from './token-errors.ts';

const HOLDER_KINDS_EXCLUDED = ['pool', 'burn', 'contract'] as const;

export const getHolders = defineOperation({
  id: 'getHolders',
  method: 'GET',
  path: '/token/holders',
  tag: 'Market',
  summary: 'List holders of a token',
  description:
    'Ordered by balance, highest first. If `coverage.holdersComplete` is true, the balances of all pages add up to the supply. A holder whose balance changes between two pages may move. At most 100 rows without credentials, 1,000 with.',
  cost: 'read',
  costBy: 'rows',
  cacheControl: 'public, max-age=1',
  input: Type.Object(
    {
      chain: chainInput,
      mint: mintInput,
      limit: Type.Integer({ minimum: 1, default: 100 }),
      cursor: cursorInput,
      exclude: Type.Optional(
        Type.Array(Type.Enum([...HOLDER_KINDS_EXCLUDED]), {
          maxItems: 3,
          description: 'Kinds of owner to leave out of `holders` and `top10Pct`, comma-separated.',
        }),
      ),
    },
    { additionalProperties: false },
  ),
  output: Type.Object(
    {
      total: Type.Union([Type.Integer({ minimum: 0 }), Type.Null()], {
        description:
          'All known owners with a balance above zero, including those left out by `exclude`.',
      }),
      totalSupplyRaw: Type.Union([Type.String(), Type.Null()]),
      top10Pct: Type.Union([Type.Number(), Type.Null()], {
        description: 'Per cent of the supply that the top ten hold together.',
      }),
      holders: Type.Array(holderSchema),
      nextCursor,
      coverage: coverageSchema,
      asOf: asOfSchema,
    },
    { title: 'Holders', additionalProperties: false },
  ),
  errors: [...TOKEN_ERRORS, 'INVALID_CURSOR'],
  mcp: {
    tool: 'get_holders',
    title: 'Holders of a token',
    description:
      'Lists the holders of a token, the largest first, with the share of the supply of each in per cent, and of the top ten together (top10Pct). Use it to judge concentration. If coverage.holdersComplete is false, not every holder is known. 20 holders unless you give `limit` (up to 100, with a key 1000). Example: {"chain": "base", "mint": "0x4200000000000000000000000000000000000006", "exclude": ["pool", "burn"]}.',
    defaults: { limit: 20 },
  },
});
