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
    'Which chains are followed, how far each is indexed, whether it can be relied on (`status`), and what its native coin costs.',
  cost: 'read',
  cacheControl: 'public, max-age=1',
  input: emptyInput,
  output: Type.Object(
    { chains: Type.Array(chainSchema) },
    { title: 'Chains', additionalProperties: false },
  ),
  mcp: {
    tool: 'get_capabilities',
    title: 'Chains and exchanges',
    description:
      'Lists the chains that this server follows: slug, status, newest indexed block, lag, which tokens are indexed (scope), exchanges, native coin. Use it first, to learn which values `chain` can have, and when data seems stale. Example: {}.',
  },
});
