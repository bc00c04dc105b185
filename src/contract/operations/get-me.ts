// GET /me

import Type from 'typebox';
import { defineOperation } from '../operation.ts';
import { entitlementsSchema, sessionSchema, walletSchema } from '../schemas/access-schemas.ts';
import { emptyInput } from '../schemas/empty-input.ts';

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
});
