// GET, POST and DELETE /keys

import Type from 'typebox';
import { KEY_SCOPES } from '../../model/key-limits.ts';
import { defineOperation } from '../operation.ts';
import { KEY_LIMIT, keySchema } from '../schemas/access-schemas.ts';

const ALLOWED_IPS_MAX = 32;

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
    'Newest first, including expired and revoked ones. Only hashes are stored, so a key cannot be shown again.',
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
      active: Type.Integer({ minimum: 0, description: 'How many are active.' }),
      limit: Type.Integer({ description: 'The maximum number of active keys.' }),
      nextCursor: Type.Union([Type.String(), Type.Null()]),
    },
    { title: 'Keys', additionalProperties: false },
  ),
  errors: ['INVALID_CURSOR'],
});

export const createKey = defineOperation({
  ...shared,
  id: 'createKey',
  method: 'POST',
  status: 201,
  takesIdempotencyKey: true,
  summary: 'Issue an API key',
  description: `The key is in \`key\` of this response and is never shown again: store it now. A wallet has at most ${KEY_LIMIT} active keys. A repeated request with the same \`Idempotency-Key\` returns the metadata again, without the key.`,
  input: Type.Object(
    {
      name: Type.String({
        minLength: 1,
        maxLength: 256,
        description: 'A label for the key: 1 to 64 printable characters.',
      }),
      expiresInDays: Type.Optional(
        Type.Integer({
          minimum: 1,
          maximum: 3650,
          description: 'The key does not expire unless this is given.',
        }),
      ),
      scopes: Type.Optional(
        Type.Array(Type.Enum([...KEY_SCOPES]), {
          minItems: 1,
          maxItems: KEY_SCOPES.length,
          description:
            'What the key may be used for: `data` for reads, `mcp` for `/mcp` with all its tools, `quote` for `/trade/quote`, `webhooks` for the alerts and webhooks of the wallet. Everything except `webhooks` by default.',
        }),
      ),
      allowedIps: Type.Optional(
        Type.Array(Type.String({ minLength: 2, maxLength: 64 }), {
          minItems: 1,
          maxItems: ALLOWED_IPS_MAX,
          description:
            'The networks that the key may be used from, as addresses or CIDRs (IPv6 up to /64). Any by default.',
        }),
      ),
      perMinute: Type.Optional(
        Type.Integer({
          minimum: 1,
          maximum: 1_000_000_000,
          description:
            "The part of the wallet's budget that the key may use per minute. All of it by default.",
        }),
      ),
    },
    { additionalProperties: false },
  ),
  output: Type.Object(
    {
      ...keySchema.properties,
      key: Type.Optional(
        Type.String({
          description: 'The key itself; absent in the response to a repeated request.',
        }),
      ),
    },
    { title: 'IssuedKey', additionalProperties: false },
  ),
  errors: ['KEY_LIMIT_REACHED', 'IDEMPOTENCY_CONFLICT'],
});

export const revokeKey = defineOperation({
  ...shared,
  id: 'revokeKey',
  method: 'DELETE',
  summary: 'Revoke an API key',
  description: 'The key stops working at once, and streams opened with it end.',
  input: Type.Object(
    { id: Type.String({ minLength: 1, maxLength: 64 }) },
    { additionalProperties: false },
  ),
  output: keySchema,
  errors: ['KEY_NOT_FOUND', 'KEY_ALREADY_REVOKED'],
});
