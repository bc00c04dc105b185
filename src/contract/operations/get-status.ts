// GET /status

import Type from 'typebox';
import { defineOperation } from '../operation.ts';
import { chainSlugSchema } from '../schemas/chain-schema.ts';
import { emptyInput } from '../schemas/empty-input.ts';

const count = Type.Integer({ minimum: 0 });
const time = Type.Integer({ minimum: 0, description: 'Unix milliseconds.' });
const countOrNull = Type.Union([count, Type.Null()]);
const closed = { additionalProperties: false } as const;

const nodeSchema = Type.Object(
  {
    id: Type.String(),
    role: Type.Enum(['all', 'api', 'indexer']),
    version: Type.String(),
    startedAt: time,
    seenAt: time,
    self: Type.Boolean({ description: 'Whether it is the node that answers.' }),
    indexes: Type.Array(chainSlugSchema, { description: 'The chains that it indexes now.' }),
    streams: count,
    requests: Type.Integer({ minimum: 0, description: 'Answered since its start.' }),
    memoryBytes: count,
    eventLoopLagMs: Type.Number({ minimum: 0 }),
  },
  { title: 'Node', ...closed },
);

const endpointSchema = Type.Object(
  {
    name: Type.String({ description: 'Host and index.' }),
    state: Type.Enum(['untried', 'healthy', 'waiting', 'refused'], {
      description:
        '`waiting`: it failed lately and is not asked for a while. `refused`: it serves another chain.',
    }),
    latencyMs: Type.Union([Type.Number({ minimum: 0 }), Type.Null()], {
      description: 'Of the last requests; null before the first answer.',
    }),
    failures: Type.Integer({ minimum: 0, description: "Since the indexing node's start." }),
  },
  { title: 'Endpoint', ...closed },
);

const chainSchema = Type.Object(
  {
    slug: chainSlugSchema,
    head: countOrNull,
    indexed: countOrNull,
    lagMs: countOrNull,
    scope: Type.Enum(['all', 'liquid', 'watch']),
    endpoints: Type.Array(endpointSchema, {
      description: 'As the node that indexes the chain sees them.',
    }),
    lastError: Type.Union([Type.String(), Type.Null()], {
      description: 'Why it is not ready, or what an endpoint that is not healthy said last.',
    }),
    undecoded: Type.Array(
      Type.Object(
        {
          venue: Type.String({
            description:
              '`unlisted` for programs that move tokens like an exchange, and that no venue is.',
          }),
          instruction: Type.String({
            description: "The first bytes of the call's data; of an unlisted program its id.",
          }),
          calls: Type.Integer({ minimum: 1, description: "Since the indexing node's start." }),
        },
        closed,
      ),
      { description: 'On Solana: what the index sees and does not decode, the most frequent 20.' },
    ),
  },
  { title: 'ChainState', ...closed },
);

export const getStatus = defineOperation({
  id: 'getStatus',
  method: 'GET',
  path: '/status',
  tag: 'Operations',
  access: 'session',
  summary: 'Get the state of the whole service',
  description:
    'For operators: the session must be that of a wallet in `OPERATOR_WALLETS`. Nodes are those on the same store, as they last reported, at most some seconds ago; `streams`, `requests` and `process` are those of the node that answers.',
  cost: 'read',
  cacheControl: 'no-store',
  input: emptyInput,
  output: Type.Object(
    {
      version: Type.String(),
      startedAt: time,
      nodes: Type.Array(nodeSchema),
      store: Type.Object(
        {
          engine: Type.Enum(['sqlite', 'postgres']),
          status: Type.Enum(['ok', 'failing']),
          detail: Type.String(),
        },
        closed,
      ),
      chains: Type.Array(chainSchema),
      streams: Type.Object(
        { open: count, tokens: count, resumed: count, reset: count, cut: count },
        { ...closed, description: 'Open now, and incidents since the start.' },
      ),
      requests: Type.Object(
        { inFlight: count, total: count, limited: count, failed: count },
        {
          ...closed,
          description: 'Under way, and since the start: all, those with 429, those with 5xx.',
        },
      ),
      backfills: Type.Array(
        Type.Object(
          { chain: chainSlugSchema, waiting: count, done: count, failed: count },
          { title: 'BackfillState', ...closed },
        ),
      ),
      process: Type.Object(
        {
          pid: count,
          role: Type.Enum(['all', 'api', 'indexer']),
          node: Type.String({ description: 'The version of Node.' }),
          uptimeSeconds: count,
          memoryBytes: count,
          heapBytes: count,
          cpuSeconds: Type.Number({ minimum: 0 }),
          eventLoopLagMs: Type.Number({ minimum: 0 }),
        },
        closed,
      ),
    },
    { title: 'Status', additionalProperties: false },
  ),
  errors: ['OPERATOR_REQUIRED'],
});
