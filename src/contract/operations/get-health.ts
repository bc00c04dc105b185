// GET /health

import Type from 'typebox';
import { defineOperation } from '../operation.ts';
import { emptyInput } from '../schemas/empty-input.ts';

export const getHealth = defineOperation({
  id: 'getHealth',
  method: 'GET',
  path: '/health',
  tag: 'Operations',
  summary: 'Check that the process is alive',
  description:
    'A liveness probe: answers as long as the process runs. Not metered. Use it to decide on restarts, not on routing.',
  cost: 'free',
  cacheControl: 'no-store',
  input: emptyInput,
  output: Type.Object(
    { status: Type.Literal('ok') },
    { title: 'Health', additionalProperties: false },
  ),
});
