// GET, POST and DELETE /alerts

import Type from 'typebox';
import { defineOperation } from '../operation.ts';
import { alertSchema, alertWhenSchema } from '../schemas/alert-schemas.ts';
import { chainInput } from '../schemas/market-schemas.ts';
import { TOKEN_ERRORS } from './token-errors.ts';

const shared = {
  tag: 'Account',
  access: 'owner',
  cost: 'read',
  path: '/alerts',
  cacheControl: 'no-store',
} as const;

export const getAlerts = defineOperation({
  ...shared,
  id: 'getAlerts',
  method: 'GET',
  summary: "List the wallet's alerts",
  description: 'Newest first, each with its last firing.',
  input: Type.Object(
    {
      limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 100, default: 50 })),
      cursor: Type.Optional(Type.String({ minLength: 1, maxLength: 512 })),
    },
    { additionalProperties: false },
  ),
  output: Type.Object(
    {
      alerts: Type.Array(alertSchema),
      active: Type.Integer({ minimum: 0, description: 'How many the wallet has.' }),
      limit: Type.Integer({ description: 'How many it may have.' }),
      nextCursor: Type.Union([Type.String(), Type.Null()]),
    },
    { title: 'Alerts', additionalProperties: false },
  ),
  errors: ['INVALID_CURSOR'],
  mcp: {
    tool: 'list_alerts',
    title: 'List alerts',
    description: "The wallet's alerts, newest first, each with its last firing.",
    defaults: { limit: 10 },
  },
});

export const createAlert = defineOperation({
  ...shared,
  id: 'createAlert',
  method: 'POST',
  status: 201,
  summary: 'Create an alert',
  description:
    'Tells when something happens to a token, a wallet or a chain: as `alert` on `/token/stream` with `mint=*`, in the list, and by the webhook that it names. It is decided with the commit of each block, from what is stored; trades marked as outliers never fire one, and a reorganisation takes one back as `alert.reverted`. It fires on the edge. A figure that is beyond its bound when the alert is created fires only after it has gone back and passed the bound again.',
  input: Type.Object(
    {
      webhookId: Type.Optional(
        Type.String({
          minLength: 1,
          maxLength: 64,
          description:
            'A webhook of the wallet, with the event `alert` of the chain, that is told, too.',
        }),
      ),
      chain: chainInput,
      mint: Type.Optional(
        Type.String({
          minLength: 1,
          maxLength: 128,
          description: 'May be left out for `trade`, `wallet` and `newPool`.',
        }),
      ),
      when: alertWhenSchema,
      minLiquidityUsd: Type.Optional(
        Type.String({
          pattern: '^\\d{1,20}(\\.\\d{1,18})?$',
          description: "While the token's liquidity is below it, nothing is decided.",
        }),
      ),
      rearmPct: Type.Number({
        minimum: 0,
        maximum: 50,
        default: 1,
        description:
          'How far a figure must go back before it can fire again; points for percentages.',
      }),
      cooldownSeconds: Type.Integer({
        minimum: 0,
        maximum: 604_800,
        default: 0,
        description: 'For so long after a firing no other follows.',
      }),
      once: Type.Boolean({ default: false, description: 'Fires once only.' }),
    },
    { additionalProperties: false },
  ),
  output: alertSchema,
  errors: [...TOKEN_ERRORS, 'ALERT_LIMIT_REACHED'],
  mcp: {
    tool: 'create_alert',
    title: 'Create an alert',
    description:
      'Tells the wallet when a condition is met. Ask before you call it. Example of when: {"priceUsd": {"above": "1.5"}}.',
  },
});

export const deleteAlert = defineOperation({
  ...shared,
  id: 'deleteAlert',
  method: 'DELETE',
  summary: 'Delete an alert',
  description: 'It decides about no block that is read after about a second.',
  input: Type.Object(
    { id: Type.String({ minLength: 1, maxLength: 64 }) },
    { additionalProperties: false },
  ),
  output: alertSchema,
  errors: ['ALERT_NOT_FOUND'],
});
