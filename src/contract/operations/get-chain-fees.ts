// GET /chain/fees

import Type from 'typebox';
import { defineOperation } from '../operation.ts';
import { chainSlugSchema } from '../schemas/chain-schema.ts';
import { chainInput } from '../schemas/market-schemas.ts';
import { rawAmount } from '../schemas/trade-schemas.ts';

const FEE_POOLS_MAX = 8;

export const getChainFees = defineOperation({
  id: 'getChainFees',
  method: 'GET',
  path: '/chain/fees',
  tag: 'Trading',
  summary: 'Get what others pay to be executed soon',
  description:
    'The prices that `priority` of a quote or build offers now, and the percentiles that they come from, by one call to the node. On EVM chains: of the tips in the last 20 blocks, for each percentile the median over the blocks that have transactions. On Solana: of the last 150 blocks, the least that was paid in each by a transaction that locked one of the accounts which swaps in `pools` lock; without `pools`, by any transaction.',
  cost: 'node',
  cacheControl: 'no-store',
  input: Type.Object(
    {
      chain: chainInput,
      pools: Type.Optional(
        Type.Array(Type.String({ minLength: 1, maxLength: 80 }), {
          maxItems: FEE_POOLS_MAX,
          description:
            'On Solana: addresses of pools, separated by commas. On EVM chains nothing is locked, so none are taken.',
        }),
      ),
    },
    { additionalProperties: false },
  ),
  output: Type.Object(
    {
      chain: chainSlugSchema,
      unit: Type.Enum(['gas', 'computeUnit'], {
        description: 'Prices are for one: of gas in wei, of a compute unit in 1e-6 lamports.',
      }),
      priority: Type.Object(
        { low: Type.String(), medium: Type.String(), high: Type.String() },
        {
          additionalProperties: false,
          description:
            'What each level offers: the 25th, 50th and 90th percentile, on Solana at least 10000 and at most 5000000.',
        },
      ),
      percentiles: Type.Array(
        Type.Object(
          { percentile: Type.Integer({ minimum: 0, maximum: 100 }), price: Type.String() },
          { title: 'FeePercentile', additionalProperties: false },
        ),
      ),
      blocks: Type.Integer({
        minimum: 0,
        description: 'How many blocks they are from; 0 if the node does not tell.',
      }),
      basePrice: Type.Union([Type.String(), Type.Null()], {
        description:
          'What everybody pays for a unit of gas in the next block, beside the tip. Null on Solana.',
      }),
      baseFeeRaw: rawAmount('What a transaction pays beside its units, in lamports; 0 elsewhere.'),
      accounts: Type.Array(Type.String(), {
        description: 'The accounts that swaps in `pools` lock; empty without `pools`.',
      }),
    },
    { title: 'ChainFees', additionalProperties: false },
  ),
  errors: [
    ...(['UNKNOWN_CHAIN', 'CHAIN_NOT_FOLLOWED', 'INVALID_ADDRESS', 'POOL_NOT_FOUND'] as const),
    'NOT_READY',
  ],
});
