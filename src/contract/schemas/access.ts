// Wallets, sessions, keys and entitlements on the wire.

import Type from 'typebox';
import { LEVELS } from '../identity.ts';
import { chainSlugSchema } from './chain.ts';

const time = (description: string) => Type.Integer({ minimum: 0, description });
const timeOrNull = (description: string) =>
  Type.Union([Type.Integer({ minimum: 0 }), Type.Null()], { description });
const count = Type.Integer({ minimum: 0 });

export const walletSchema = Type.Object(
  {
    id: Type.String({
      description:
        '`eip155:<address>` for a wallet with a key of its own, the same on every EVM chain; `eip155:<chainId>:<address>` for a contract wallet; `solana:<address>`. Keys, sessions and budgets hang on this id.',
    }),
    address: Type.String(),
    chain: chainSlugSchema,
  },
  { title: 'Wallet', additionalProperties: false },
);

export const sessionSchema = Type.Object(
  {
    id: Type.String(),
    createdAt: time('Unix milliseconds.'),
    expiresAt: time('When it ends unless it is used before: 24 hours from now, at most 30 days.'),
  },
  { title: 'Session', additionalProperties: false },
);

export const listedSessionSchema = Type.Object(
  {
    ...sessionSchema.properties,
    lastUsedAt: time('Unix milliseconds.'),
    transport: Type.Enum(['cookie', 'token']),
    chain: chainSlugSchema,
    current: Type.Boolean({ description: 'Whether this very request was made with it.' }),
  },
  { title: 'ListedSession', additionalProperties: false },
);

export const KEY_LIMIT = 10;

export const keySchema = Type.Object(
  {
    id: Type.String({ description: 'Names the key; it is no secret.' }),
    name: Type.String(),
    prefix: Type.String({ description: 'How the key begins.' }),
    last4: Type.String({ description: 'How the key ends.' }),
    status: Type.Enum(['active', 'revoked', 'expired']),
    createdAt: time('Unix milliseconds.'),
    lastUsedAt: timeOrNull('Null until it is used.'),
    expiresAt: timeOrNull('Null for a key without an end.'),
    revokedAt: timeOrNull('Null unless it was revoked.'),
    requests24h: Type.Integer({
      minimum: 0,
      description: 'Requests in the last 24 hours, counted by whole hours.',
    }),
  },
  { title: 'Key', additionalProperties: false },
);

export const entitlementsSchema = Type.Object(
  {
    level: Type.Enum([...LEVELS]),
    budget: Type.Object(
      {
        perMinute: count,
        burst: count,
        costs: Type.Record(Type.String(), count, {
          description: 'What a request of each kind spends.',
        }),
        evaluationsPerUnit: Type.Integer({
          minimum: 1,
          description:
            'The pool evaluations that the search for a route may take for the cost of a quote or a build; each further so many cost 1 more.',
        }),
      },
      { additionalProperties: false },
    ),
    limits: Type.Object(
      { streams: count, trades: count, holders: count, klines: count },
      { additionalProperties: false, description: 'Streams at once, and rows per answer.' },
    ),
    chains: Type.Array(chainSlugSchema),
  },
  { title: 'Entitlements', additionalProperties: false },
);
