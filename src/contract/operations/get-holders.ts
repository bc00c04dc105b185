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
  example: {
    input: { chain: 'devnet', mint: '0xA5A2299587b6Be0c7ded8d3F188750d082Fc2aE7', limit: 3 },
    answer: {
      total: 41,
      totalSupplyRaw: '100000000000000000000000000',
      top10Pct: 74.453778,
      holders: [
        {
          rank: 1,
          owner: '0xDC3FD37f586f4F90816586B2cbd8bF5EaD0fE557',
          amountRaw: '60161761231309069468489429',
          amount: '60161761.231309069468489429',
          pct: 60.161761,
          kind: 'wallet',
        },
        {
          rank: 2,
          owner: '0x39d02Cf37523DDb9286a39088A8AE60fe3a33df2',
          amountRaw: '2822542023796971723536784',
          amount: '2822542.023796971723536784',
          pct: 2.822542,
          kind: 'pool',
        },
        {
          rank: 3,
          owner: '0xdf0b77D2165403cbaF3d6d8c8f83D17f46132265',
          amountRaw: '2142590718717732886565504',
          amount: '2142590.718717732886565504',
          pct: 2.14259,
          kind: 'pool',
        },
      ],
      nextCursor:
        'Q3g1Q3JETEpDUFBmMjE0MjU5MDcxODcxNzczMjg4NjU2NTUwNCAweGRmMGI3N2QyMTY1NDAzY2JhZjNkNmQ4YzhmODNkMTdmNDYxMzIyNjUgMw',
      coverage: {
        scope: 'all',
        tradesFrom: 1794731708000,
        klinesFrom: 1794731708000,
        holdersComplete: true,
        backfill: null,
      },
      asOf: {
        block: 89,
        blockHash: '0x0892ac603fe7a1acb63ac6c20397f7485d129967c826446ba9238f32928ce533',
        timestamp: 1794818232000,
        finalizedBlock: 25,
      },
    },
  },
  mcp: {
    tool: 'get_holders',
    title: 'Holders of a token',
    description:
      'Lists the holders of a token, the largest first, with the share of the supply of each in per cent, and of the top ten together (top10Pct). Use it to judge concentration. If coverage.holdersComplete is false, not every holder is known. 20 holders unless you give `limit` (up to 100, with an API key 1000). Example: {"chain": "base", "mint": "0x4200000000000000000000000000000000000006", "exclude": ["pool", "burn"]}.',
    defaults: { limit: 20 },
  },
});
