// GET /ready

import Type from 'typebox';
import { defineOperation } from '../operation.ts';
import { emptyInput } from '../schemas/empty-input.ts';

export const getReady = defineOperation({
  id: 'getReady',
  method: 'GET',
  path: '/ready',
  tag: 'Operations',
  summary: 'Check whether the server can take traffic',
  description:
    'A readiness probe: 200 when the store can be read and written and every followed chain is indexed up to its head, otherwise 503 with the reason. Not metered.',
  cost: 'free',
  cacheControl: 'no-store',
  input: emptyInput,
  output: Type.Object(
    {
      status: Type.Literal('ready'),
      checks: Type.Array(
        Type.Object(
          { name: Type.String(), detail: Type.String() },
          { additionalProperties: false },
        ),
      ),
    },
    { title: 'Readiness', additionalProperties: false },
  ),
  errors: ['NOT_READY'],
});
