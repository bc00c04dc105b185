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
} from '../schemas/market.ts';
import { TOKEN_ERRORS } from './token-errors.ts';

export const HOLDER_KINDS_EXCLUDED = ['pool', 'burn', 'contract'] as const;

export const getHolders = defineOperation({
  id: 'getHolders',
  method: 'GET',
  path: '/token/holders',
  tag: 'Market',
  summary: 'Give holders of a token',
  description:
    'By balance, highest first. Where `coverage.holdersComplete` is true the balances of all pages add up to the supply. A holder whose balance changes between two pages may move. At most 100 rows without credentials, 1,000 with.',
  cost: 'read',
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
          description: 'Kinds to leave out of `holders` and `top10Pct`, comma-separated.',
        }),
      ),
    },
    { additionalProperties: false },
  ),
  output: Type.Object(
    {
      total: Type.Union([Type.Integer({ minimum: 0 }), Type.Null()], {
        description: 'Owners with a balance above zero that are known, whatever is left out.',
      }),
      totalSupplyRaw: Type.Union([Type.String(), Type.Null()]),
      top10Pct: Type.Union([Type.Number(), Type.Null()], {
        description: 'Per cent of the supply that the first ten hold together.',
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
      total: 40,
      totalSupplyRaw: '100000000000000000000000000',
      top10Pct: 74.245153,
      holders: [
        {
          rank: 1,
          owner: '0xDC3FD37f586f4F90816586B2cbd8bF5EaD0fE557',
          amountRaw: '59946930997772755475904941',
          amount: '59946930.997772755475904941',
          pct: 59.94693,
          kind: 'wallet',
        },
        {
          rank: 2,
          owner: '0x39d02Cf37523DDb9286a39088A8AE60fe3a33df2',
          amountRaw: '2886063130820908178281885',
          amount: '2886063.130820908178281885',
          pct: 2.886063,
          kind: 'pool',
        },
        {
          rank: 3,
          owner: '0xdf0b77D2165403cbaF3d6d8c8f83D17f46132265',
          amountRaw: '2113946389150234405724551',
          amount: '2113946.389150234405724551',
          pct: 2.113946,
          kind: 'pool',
        },
      ],
      nextCursor:
        'Q3g1Q3JETEpDUFBmMjExMzk0NjM4OTE1MDIzNDQwNTcyNDU1MSAweGRmMGI3N2QyMTY1NDAzY2JhZjNkNmQ4YzhmODNkMTdmNDYxMzIyNjUgMw',
      coverage: { tradesFrom: 1794709910000, klinesFrom: 1794709910000, holdersComplete: true },
      asOf: {
        block: 17,
        blockHash: '0x449f75fe7c7f05c21de2110632a1e3b74117fbe852116e25763550753d0277cf',
        timestamp: 1794720850000,
        finalizedBlock: 0,
      },
    },
  },
  mcp: {
    tool: 'get_holders',
    title: 'Holders of a token',
    description:
      'Gives the holders of a token, the largest balance first, with what share of the supply each has in per cent, and what the first ten have together (top10Pct). Use it to judge concentration; leave pools and burn addresses out by exclude ["pool", "burn"]. amountRaw is in raw units, amount in units. If coverage.holdersComplete is false, not every holder is known. 20 holders unless you give `limit` (up to 100 without an API key, 1000 with one); `cursor` takes nextCursor for more. Example: {"chain": "base", "mint": "0x4200000000000000000000000000000000000006", "exclude": ["pool", "burn"]}.',
    defaults: { limit: 20 },
  },
});
