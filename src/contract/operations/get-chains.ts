// GET /chains

import Type from 'typebox';
import { defineOperation } from '../operation.ts';
import { chainSchema } from '../schemas/chain-schema.ts';
import { emptyInput } from '../schemas/empty-input.ts';

export const getChains = defineOperation({
  id: 'getChains',
  method: 'GET',
  path: '/chains',
  tag: 'Market',
  summary: 'List the chains that this server follows',
  description:
    'Which chains are followed, how far each is indexed, and how far that lags behind the chain.',
  cost: 'read',
  cacheControl: 'public, max-age=1',
  input: emptyInput,
  output: Type.Object(
    { chains: Type.Array(chainSchema) },
    { title: 'Chains', additionalProperties: false },
  ),
  example: {
    input: {},
    answer: {
      chains: [
        {
          slug: 'devnet',
          caip2: 'eip155:1337',
          name: 'Local devnet',
          head: 82,
          finalized: 18,
          lagMs: 5000,
          scope: 'all',
          venues: ['uniswap-v2', 'uniswap-v3', 'uniswap-v4'],
          native: { symbol: 'ETH', decimals: 18 },
          usdAnchor: '0x093b50149D338Afa5590d1BBC0CC677D6ACcaA41',
          rpcUrl: 'http://127.0.0.1:8545',
        },
      ],
    },
  },
  mcp: {
    tool: 'get_capabilities',
    title: 'Chains and exchanges',
    description:
      'Lists the chains that this server follows: slug, newest indexed block, lag behind the chain in milliseconds, which tokens are indexed (scope), exchanges, native coin. Use it first, to learn which values `chain` can have; call it again when data seems stale. Takes no arguments. Example: {}.',
  },
});
