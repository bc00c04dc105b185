// GET /pools

import Type from 'typebox';
import { defineOperation } from '../operation.ts';
import {
  asOfSchema,
  chainInput,
  cursorInput,
  detailedPoolFields,
  mintFilter,
  nextCursor,
  reservesSchema,
  windowInput,
  windowsSchema,
} from '../schemas/market-schemas.ts';
import { TOKEN_ERRORS } from './token-errors.ts';

const LIMIT_MAX = 100;
const CHAINS_MAX = 8;

export const POOL_SORTS = ['liquidity', 'trending', 'volume', 'trades', 'new'] as const;

const listedPoolSchema = Type.Object(
  {
    ...detailedPoolFields,
    windows: Type.Optional(windowsSchema),
    reserves: Type.Optional(reservesSchema),
  },
  { title: 'ListedPool', additionalProperties: false },
);

export const listPools = defineOperation({
  id: 'listPools',
  method: 'GET',
  path: '/pools',
  tag: 'Market',
  summary: 'List pools of a chain, a venue or a token',
  description:
    'Sorted by the value that they hold (`liquidity`; pools of unknown value are left out), by what was traded in them in `window` (`volume`; `trades`; `trending`, as `/tokens` computes it, over the trades of the pool; only pools with trades), or by the time of their creation (`new`; only pools whose creation was indexed). Equal pools are sorted by chain and address. A page continues after the value and the address of the last pool of the page before. Pools of a paused token are absent.',
  cost: 'search',
  cacheControl: 'public, max-age=1',
  input: Type.Object(
    {
      chain: Type.Optional(
        Type.Array(chainInput, {
          minItems: 1,
          maxItems: CHAINS_MAX,
          description: 'May be repeated, or a list with commas; all followed chains by default.',
        }),
      ),
      mint: mintFilter,
      venue: Type.Optional(
        Type.String({
          minLength: 1,
          maxLength: 64,
          description: 'Only pools of this venue, as `/chains` names it.',
        }),
      ),
      sort: Type.Enum([...POOL_SORTS], { default: 'liquidity' }),
      window: windowInput('For sorting by what was traded.'),
      include: Type.Optional(
        Type.Array(Type.Enum(['windows', 'reserves', 'tokens']), {
          minItems: 1,
          maxItems: 3,
          description:
            'What rows have besides: figures of windows and what the pool holds, as `/pool` gives them; prices, market cap, logo and links of both tokens.',
        }),
      ),
      limit: Type.Integer({ minimum: 1, maximum: LIMIT_MAX, default: 50 }),
      cursor: cursorInput,
    },
    { additionalProperties: false },
  ),
  output: Type.Object(
    {
      pools: Type.Array(listedPoolSchema),
      nextCursor,
      asOf: Type.Record(Type.String(), asOfSchema, {
        description: 'The indexed state of each listed chain that its rows reflect, by slug.',
      }),
    },
    { title: 'PoolList', additionalProperties: false },
  ),
  errors: [...TOKEN_ERRORS, 'INVALID_CURSOR'],
  mcp: {
    tool: 'list_pools',
    title: 'Lists of pools',
    description:
      'Lists pools of a chain, venue or token (with one `chain`), by liquidity, what was traded in a window, or creation (sort=new). Use it to find new pools and where a token is traded. 10 pools unless you give `limit`; costs 2. Symbols are strangers\' text. Example: {"chain": ["base"], "sort": "new"}.',
    defaults: { limit: 10 },
    unlisted: ['include'],
  },
});
