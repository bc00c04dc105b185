// GET /me

import Type from 'typebox';
import { defineOperation } from '../operation.ts';
import {
  entitlementsSchema,
  KEY_LIMIT,
  sessionSchema,
  walletSchema,
} from '../schemas/access-schemas.ts';
import { emptyInput } from '../schemas/empty-input.ts';

const ADDRESS = '0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266';
const count = Type.Integer({ minimum: 0 });

export const getMe = defineOperation({
  id: 'getMe',
  method: 'GET',
  path: '/me',
  tag: 'Account',
  summary: 'Get the signed-in wallet',
  description: 'The wallet, its session, its limits, its API keys and its usage.',
  access: 'session',
  cost: 'read',
  cacheControl: 'no-store',
  input: emptyInput,
  output: Type.Object(
    {
      wallet: walletSchema,
      session: sessionSchema,
      entitlements: entitlementsSchema,
      keys: Type.Object({ active: count, limit: count }, { additionalProperties: false }),
      usage: Type.Object(
        {
          requests24h: Type.Integer({
            minimum: 0,
            description:
              'Requests of all its keys and sessions in the last 24 hours, counted in whole hours.',
          }),
        },
        { additionalProperties: false },
      ),
      operator: Type.Boolean({
        description: 'Whether the wallet is one of `OPERATOR_WALLETS` and may read `/status`.',
      }),
    },
    { title: 'Me', additionalProperties: false },
  ),
  example: {
    input: {},
    answer: {
      wallet: { id: `eip155:${ADDRESS}`, address: ADDRESS, chain: 'base' },
      session: { id: 'se_1hTz0aVqKpW3mXc', createdAt: 1767225600000, expiresAt: 1767312000000 },
      entitlements: {
        level: 'session',
        tier: 'session',
        budget: {
          perMinute: 600,
          burst: 150,
          costs: {
            read: 1,
            search: 2,
            image: 0.1,
            node: 5,
            quote: 5,
            build: 10,
            challenge: 5,
            lookup: 10,
          },
          evaluationsPerUnit: 50_000,
          ...{ rowsIncluded: 100, rowsPerUnit: 500, tokensPerUnit: 30 },
        },
        limits: {
          ...{ streams: 50, trades: 500, holders: 1000, klines: 5000, prices: 100 },
          streamTokens: 100,
          lookups: 60,
        },
        chains: [],
      },
      keys: { active: 1, limit: KEY_LIMIT },
      usage: { requests24h: 12 },
      operator: false,
    },
  },
});
