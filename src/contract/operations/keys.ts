// GET, POST and DELETE /keys

import Type from 'typebox';
import { defineOperation } from '../operation.ts';
import { KEY_LIMIT, keySchema } from '../schemas/access.ts';

const KEY = {
  id: 'key_6mVq0yTz1aKpW3Xc',
  name: 'prices backend',
  prefix: 'mw_live_7Fq2',
  last4: 'k9Zd',
  status: 'active',
  createdAt: 1767225600000,
  lastUsedAt: null,
  expiresAt: null,
  revokedAt: null,
  requests24h: 0,
} as const;

const shared = {
  tag: 'Account',
  access: 'session',
  cost: 'read',
  path: '/keys',
  cacheControl: 'no-store',
} as const;

export const getKeys = defineOperation({
  ...shared,
  id: 'getKeys',
  method: 'GET',
  summary: "List the wallet's API keys",
  description:
    'The newest first, those that ended included. The keys themselves are not kept and cannot be shown again.',
  input: Type.Object(
    {
      limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 100, default: 50 })),
      cursor: Type.Optional(Type.String({ minLength: 1, maxLength: 512 })),
    },
    { additionalProperties: false },
  ),
  output: Type.Object(
    {
      keys: Type.Array(keySchema),
      active: Type.Integer({ minimum: 0, description: 'How many work now.' }),
      limit: Type.Integer({ description: 'How many may work at once.' }),
      nextCursor: Type.Union([Type.String(), Type.Null()]),
    },
    { title: 'Keys', additionalProperties: false },
  ),
  errors: ['INVALID_CURSOR'],
  example: {
    input: { limit: 1 },
    answer: { keys: [KEY], active: 1, limit: KEY_LIMIT, nextCursor: null },
  },
});

export const createKey = defineOperation({
  ...shared,
  id: 'createKey',
  method: 'POST',
  status: 201,
  takesIdempotencyKey: true,
  summary: 'Issue an API key',
  description: `The key is in \`key\` of this answer and nowhere else, ever: store it now. A wallet has at most ${KEY_LIMIT} active keys. Repeating the request with the same \`Idempotency-Key\` gives the metadata again, without the key.`,
  input: Type.Object(
    {
      name: Type.String({
        minLength: 1,
        maxLength: 256,
        description: '1 to 64 printable characters, by which you will know the key.',
      }),
      expiresInDays: Type.Optional(
        Type.Integer({ minimum: 1, maximum: 3650, description: 'No end unless given.' }),
      ),
    },
    { additionalProperties: false },
  ),
  output: Type.Object(
    {
      ...keySchema.properties,
      key: Type.Optional(
        Type.String({ description: 'The key itself; absent when the request is a repetition.' }),
      ),
    },
    { title: 'IssuedKey', additionalProperties: false },
  ),
  errors: ['KEY_LIMIT_REACHED', 'IDEMPOTENCY_CONFLICT'],
  example: { input: { name: KEY.name }, answer: { ...KEY, key: 'mw_live_7Fq2…k9Zd' } },
});

export const revokeKey = defineOperation({
  ...shared,
  id: 'revokeKey',
  method: 'DELETE',
  summary: 'Revoke an API key',
  description: 'It stops working at once, and streams that were opened with it end.',
  input: Type.Object(
    { id: Type.String({ minLength: 1, maxLength: 64 }) },
    { additionalProperties: false },
  ),
  output: keySchema,
  errors: ['KEY_NOT_FOUND', 'KEY_ALREADY_REVOKED'],
  example: {
    input: { id: KEY.id },
    answer: { ...KEY, status: 'revoked', revokedAt: 1767229200000 },
  },
});
