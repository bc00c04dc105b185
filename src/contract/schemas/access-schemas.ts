// Schemas of wallets, sessions, keys and entitlements.

import Type from 'typebox';
import { KEY_SCOPES } from '../../model/key-limits.ts';
import { LEVELS } from '../identity.ts';
import { chainSlugSchema } from './chain-schema.ts';

const time = (description: string) => Type.Integer({ minimum: 0, description });
const timeOrNull = (description: string) =>
  Type.Union([Type.Integer({ minimum: 0 }), Type.Null()], { description });
const count = Type.Integer({ minimum: 0 });

export const walletSchema = Type.Object(
  {
    id: Type.String({
      description:
        '`eip155:<address>` for an ordinary wallet, the same on every EVM chain; `eip155:<chainId>:<address>` for a contract wallet; `solana:<address>`. Keys, sessions and budgets belong to this id.',
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
    expiresAt: time(
      'When the session expires unless it is used: 24 hours after its last use, at most 30 days after it began.',
    ),
  },
  { title: 'Session', additionalProperties: false },
);

export const listedSessionSchema = Type.Object(
  {
    ...sessionSchema.properties,
    lastUsedAt: time('Unix milliseconds.'),
    transport: Type.Enum(['cookie', 'token']),
    chain: chainSlugSchema,
    current: Type.Boolean({ description: 'Whether it is the session of this request.' }),
  },
  { title: 'ListedSession', additionalProperties: false },
);

export const KEY_LIMIT = 10;

export const keySchema = Type.Object(
  {
    id: Type.String({ description: 'Identifies the key; not secret.' }),
    name: Type.String(),
    prefix: Type.String({ description: 'The first characters of the key.' }),
    last4: Type.String({ description: 'The last four characters of the key.' }),
    status: Type.Enum(['active', 'revoked', 'expired']),
    createdAt: time('Unix milliseconds.'),
    lastUsedAt: timeOrNull('Null if it was never used.'),
    expiresAt: timeOrNull('Null if the key does not expire.'),
    revokedAt: timeOrNull('Null if it was not revoked.'),
    requests24h: Type.Integer({
      minimum: 0,
      description: 'Requests in the last 24 hours, counted in whole hours.',
    }),
    scopes: Type.Array(Type.Enum([...KEY_SCOPES]), { description: 'What it may be used for.' }),
    allowedIps: Type.Array(Type.String(), {
      description: 'The networks that it may be used from; empty for any.',
    }),
    perMinute: Type.Union([Type.Integer({ minimum: 1 }), Type.Null()], {
      description: "Its part of the wallet's budget; null for all of it.",
    }),
  },
  { title: 'Key', additionalProperties: false },
);

export const entitlementsSchema = Type.Object(
  {
    level: Type.Enum([...LEVELS]),
    tier: Type.String({
      description:
        'The name of the tier: that of the level, or one that the operator gave to the wallet.',
    }),
    budget: Type.Object(
      {
        perMinute: count,
        burst: count,
        costs: Type.Record(Type.String(), Type.Number({ minimum: 0 }), {
          description:
            'What a request of each kind costs; `lookup` is what it costs more if a token has to be looked up on its chain.',
        }),
        evaluationsPerUnit: Type.Integer({
          minimum: 1,
          description:
            'How many pool evaluations the cost of a quote or build includes. The search for a route costs 1 more for each further group of this size.',
        }),
        rowsIncluded: Type.Integer({
          minimum: 1,
          description: 'How many rows the cost of a read includes.',
        }),
        rowsPerUnit: Type.Integer({
          minimum: 1,
          description: 'A read costs 1 more for every started group of so many further rows.',
        }),
        tokensPerUnit: Type.Integer({
          minimum: 1,
          description:
            'How many tokens the cost of a read or stream includes; it costs 1 more for every started further group of this size.',
        }),
      },
      { additionalProperties: false },
    ),
    limits: Type.Object(
      {
        ...{ streams: count, trades: count, holders: count, klines: count, prices: count },
        ...{ streamTokens: count, alerts: count, webhooks: count, lookups: count },
      },
      {
        additionalProperties: false,
        description:
          'Concurrent streams, rows per response, tokens per stream or webhook, webhooks of a wallet, and lookups of unknown tokens a minute.',
      },
    ),
    chains: Type.Array(chainSlugSchema),
  },
  { title: 'Entitlements', additionalProperties: false },
);
