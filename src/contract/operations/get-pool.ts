// GET /pool

import Type from 'typebox';
import { defineOperation } from '../operation.ts';
import {
  asOfSchema,
  chainInput,
  detailedPoolFields,
  poolInput,
  reservesSchema,
  textOrNull,
  windowsSchema,
} from '../schemas/market-schemas.ts';

const depthSchema = Type.Object(
  {
    pct: Type.Number({ description: 'How far the price of the base token moves, in per cent.' }),
    bidUsd: textOrNull('What sellers receive until it has fallen by that.'),
    askUsd: textOrNull('What buyers pay, fees included, until it has risen by that.'),
  },
  { title: 'Depth', additionalProperties: false },
);

export const getPool = defineOperation({
  id: 'getPool',
  method: 'GET',
  path: '/pool',
  tag: 'Market',
  summary: 'Get a pool',
  description:
    'A pool with its figures of six windows, what it holds, and its depth: how much can be traded in it before its price has moved by 0.5, 1, 2, 5 and 10 per cent, computed from its exact state and valued at the price of the quote token. `depth` is null while the state is not known in full, or where a hook of the pool decides what swaps pay.',
  cost: 'read',
  cacheControl: 'public, max-age=1',
  input: Type.Object(
    {
      chain: chainInput,
      pool: poolInput,
      include: Type.Optional(
        Type.Array(Type.Enum(['tokens']), {
          minItems: 1,
          maxItems: 1,
          description: '`tokens`: prices, market cap, logo and links of both tokens, too.',
        }),
      ),
    },
    { additionalProperties: false },
  ),
  output: Type.Object(
    {
      ...detailedPoolFields,
      windows: windowsSchema,
      reserves: reservesSchema,
      depth: Type.Union([Type.Array(depthSchema), Type.Null()]),
      asOf: asOfSchema,
    },
    { title: 'PoolDetail', additionalProperties: false },
  ),
  errors: [
    ...(['UNKNOWN_CHAIN', 'CHAIN_NOT_FOLLOWED', 'INVALID_ADDRESS', 'POOL_NOT_FOUND'] as const),
    ...(['TOKEN_PAUSED', 'NOT_READY'] as const),
  ],
});
