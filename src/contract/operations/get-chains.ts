// GET /chains

import Type from 'typebox';
import { defineOperation } from '../operation.ts';
import { chainSchema } from '../schemas/chain.ts';
import { emptyInput } from '../schemas/empty-input.ts';

export const getChains = defineOperation({
  id: 'getChains',
  method: 'GET',
  path: '/chains',
  tag: 'Market',
  summary: 'List the chains that this server follows',
  description: 'What is followed, how far it is indexed, and how far behind the chain that is.',
  cost: 'read',
  cacheControl: 'public, max-age=1',
  input: emptyInput,
  output: Type.Object(
    { chains: Type.Array(chainSchema) },
    { title: 'Chains', additionalProperties: false },
  ),
  example: { input: {}, answer: { chains: [] } },
  mcp: {
    tool: 'get_capabilities',
    description: 'Lists the chains and exchanges that this server follows, and how fresh they are.',
  },
});
