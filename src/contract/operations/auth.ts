// POST /auth/challenge and /auth/verify, GET and DELETE /auth/sessions, DELETE /auth/session

import Type from 'typebox';
import { defineOperation } from '../operation.ts';
import { listedSessionSchema, sessionSchema, walletSchema } from '../schemas/access-schemas.ts';
import { emptyInput } from '../schemas/empty-input.ts';

const shared = { tag: 'Account', cacheControl: 'no-store' } as const;

export const createChallenge = defineOperation({
  ...shared,
  id: 'createChallenge',
  method: 'POST',
  path: '/auth/challenge',
  summary: 'Request a sign-in message',
  description:
    'The server writes the whole message (EIP-4361 for EVM wallets, Sign-In-With-Solana for Solana), stores it, and accepts one signature of it within five minutes. Any known chain works, followed or not.',
  pages: 'own',
  cost: 'challenge',
  input: Type.Object(
    {
      address: Type.String({
        minLength: 1,
        maxLength: 64,
        description: 'The wallet that will sign.',
      }),
      chain: Type.String({
        minLength: 1,
        maxLength: 64,
        description:
          'Slug or CAIP-2 identifier; for a contract wallet, the chain it is deployed on.',
      }),
      domain: Type.Optional(
        Type.String({
          minLength: 1,
          maxLength: 253,
          description:
            'Host, with port if any, of the page that signs in; the server must allow it. Defaults to the host of the server.',
        }),
      ),
    },
    { additionalProperties: false },
  ),
  output: Type.Object(
    {
      challengeId: Type.String(),
      message: Type.String({ description: 'Sign exactly this text.' }),
      expiresAt: Type.Integer({ minimum: 0, description: 'Unix milliseconds.' }),
    },
    { title: 'Challenge', additionalProperties: false },
  ),
  errors: ['UNKNOWN_CHAIN', 'INVALID_ADDRESS'],
});

export const verifyChallenge = defineOperation({
  ...shared,
  id: 'verifyChallenge',
  method: 'POST',
  path: '/auth/verify',
  summary: 'Sign in with a signed challenge',
  description:
    'Starts a session. With `token` the response holds a token to send as `Authorization: Bearer`; with `cookie` the session is a cookie that only browsers on allowed pages get. The server checks signatures of ordinary wallets itself; those of contract wallets (ERC-1271, and ERC-6492 before deployment) are checked by a node of their chain.',
  pages: 'own',
  cost: 'challenge',
  input: Type.Object(
    {
      challengeId: Type.String({ minLength: 1, maxLength: 1024 }),
      signature: Type.String({
        minLength: 1,
        maxLength: 16_384,
        description: 'EVM: hex with `0x`. Solana: 64 bytes in base58 or base64.',
      }),
      transport: Type.Enum(['cookie', 'token'], {
        description: 'How the session is sent: as a token or as a cookie, never both.',
      }),
    },
    { additionalProperties: false },
  ),
  output: Type.Object(
    {
      wallet: walletSchema,
      session: sessionSchema,
      token: Type.Optional(
        Type.String({ description: 'With `token` only. Shown once and never stored.' }),
      ),
    },
    { title: 'SignIn', additionalProperties: false },
  ),
  errors: ['CHALLENGE_EXPIRED', 'INVALID_SIGNATURE', 'ORIGIN_NOT_ALLOWED'],
});

export const getSessions = defineOperation({
  ...shared,
  id: 'getSessions',
  method: 'GET',
  path: '/auth/sessions',
  summary: "List the wallet's sessions",
  description: 'Active sessions, newest first; at most 50.',
  access: 'session',
  cost: 'read',
  input: emptyInput,
  output: Type.Object(
    { sessions: Type.Array(listedSessionSchema) },
    { title: 'Sessions', additionalProperties: false },
  ),
});

const endedOutput = Type.Object(
  { ended: Type.Integer({ minimum: 0, description: 'How many sessions were ended.' }) },
  { title: 'SessionsEnded', additionalProperties: false },
);

export const endSession = defineOperation({
  ...shared,
  id: 'endSession',
  method: 'DELETE',
  path: '/auth/session',
  summary: 'Log out',
  description: 'Ends the session of this request.',
  access: 'session',
  cost: 'read',
  input: emptyInput,
  output: endedOutput,
});

export const endAllSessions = defineOperation({
  ...shared,
  id: 'endAllSessions',
  method: 'DELETE',
  path: '/auth/sessions',
  summary: 'Log out everywhere',
  description: 'Ends every session of the wallet, this one included. Its API keys keep working.',
  access: 'session',
  cost: 'read',
  input: emptyInput,
  output: endedOutput,
});
