// The operations below /webhooks

import Type from 'typebox';
import { defineOperation } from '../operation.ts';
import { cursorInput } from '../schemas/market-schemas.ts';
import {
  deliverySchema,
  webhookIdInput,
  webhookSchema,
  webhookSettings,
} from '../schemas/webhook-schemas.ts';

const shared = {
  tag: 'Webhooks',
  access: 'owner',
  cost: 'read',
  cacheControl: 'no-store',
} as const;

const one = { ...shared, path: '/webhooks/{id}' } as const;

const { url, events, tokens, chains, wallets, finality, batch } = webhookSettings;

const optionalSettings = {
  tokens: Type.Optional(tokens),
  chains: Type.Optional(chains),
  wallets: Type.Optional(wallets),
  batch: Type.Optional(batch),
};

const secretField = Type.String({
  description:
    'The secret of `v1` signatures: `whsec_` and base64. It is never shown again: store it now.',
});

const SETTINGS_ERRORS = [
  'UNKNOWN_CHAIN',
  'CHAIN_NOT_FOLLOWED',
  'INVALID_ADDRESS',
  'TOKEN_NOT_FOUND',
  'NOT_READY',
] as const;

export const createWebhook = defineOperation({
  ...shared,
  id: 'createWebhook',
  method: 'POST',
  path: '/webhooks',
  status: 201,
  summary: 'Create a webhook',
  description:
    'Sends the events of tokens and chains to a URL, signed as Standard Webhooks 1.0.0 says: `v1` with `secret`, `v1a` with the key that `publicKey` verifies. In order, at least once, from now on; the guide on webhooks says what a receiver does.',
  input: Type.Object(
    {
      url,
      events,
      ...optionalSettings,
      finality: Type.Optional(Type.Enum(['head', 'final'], { ...finality, default: 'head' })),
    },
    { additionalProperties: false },
  ),
  output: Type.Object(
    { ...webhookSchema.properties, secret: secretField },
    { title: 'CreatedWebhook', additionalProperties: false },
  ),
  errors: [...SETTINGS_ERRORS, 'WEBHOOK_LIMIT_REACHED'],
});

export const getWebhooks = defineOperation({
  ...shared,
  id: 'getWebhooks',
  method: 'GET',
  path: '/webhooks',
  summary: "List the wallet's webhooks",
  description: 'The newest first, with how each of them is doing.',
  input: Type.Object({}, { additionalProperties: false }),
  output: Type.Object(
    {
      webhooks: Type.Array(webhookSchema),
      limit: Type.Integer({ description: 'The maximum number of webhooks.' }),
    },
    { title: 'Webhooks', additionalProperties: false },
  ),
});

export const getWebhook = defineOperation({
  ...one,
  id: 'getWebhook',
  method: 'GET',
  summary: 'Get a webhook',
  description: 'Its settings and how it is doing. The secret is not shown again.',
  input: Type.Object({ id: webhookIdInput }, { additionalProperties: false }),
  output: webhookSchema,
  errors: ['WEBHOOK_NOT_FOUND'],
});

export const updateWebhook = defineOperation({
  ...one,
  id: 'updateWebhook',
  method: 'PATCH',
  summary: 'Change a webhook',
  description:
    'Only the fields given change. `paused` stops deliveries; `active` goes on with what has happened since, also after it was disabled. A token that is added has events from now on.',
  input: Type.Object(
    {
      id: webhookIdInput,
      url: Type.Optional(url),
      events: Type.Optional(events),
      ...optionalSettings,
      finality: Type.Optional(finality),
      status: Type.Optional(Type.Enum(['active', 'paused'])),
    },
    { additionalProperties: false },
  ),
  output: webhookSchema,
  errors: [...SETTINGS_ERRORS, 'WEBHOOK_NOT_FOUND'],
});

export const deleteWebhook = defineOperation({
  ...one,
  id: 'deleteWebhook',
  method: 'DELETE',
  summary: 'Delete a webhook',
  description:
    'With its deliveries. What is being sent at this moment may still arrive. Alerts that name it go on without it.',
  input: Type.Object({ id: webhookIdInput }, { additionalProperties: false }),
  output: webhookSchema,
  errors: ['WEBHOOK_NOT_FOUND'],
});

export const rotateWebhook = defineOperation({
  ...one,
  path: '/webhooks/{id}/rotate',
  id: 'rotateWebhook',
  method: 'POST',
  summary: "Rotate a webhook's secret",
  description:
    'New keys sign from now on, and for 24 hours the ones before them as well: each delivery then has two signatures of each kind. Another rotation within that time is refused.',
  input: Type.Object({ id: webhookIdInput }, { additionalProperties: false }),
  output: Type.Object(
    { ...webhookSchema.properties, secret: secretField },
    { title: 'RotatedWebhook', additionalProperties: false },
  ),
  errors: ['WEBHOOK_NOT_FOUND', 'WEBHOOK_ROTATING'],
});

export const testWebhook = defineOperation({
  ...one,
  path: '/webhooks/{id}/test',
  id: 'testWebhook',
  method: 'POST',
  cost: 'node',
  summary: 'Send a test delivery',
  description:
    'Sends a signed body of type `test` now, and answers what the receiver said. If a failed delivery waits for its next attempt and the test succeeds, it is sent at once.',
  input: Type.Object({ id: webhookIdInput }, { additionalProperties: false }),
  output: deliverySchema,
  errors: ['WEBHOOK_NOT_FOUND'],
});

export const getWebhookDeliveries = defineOperation({
  ...one,
  path: '/webhooks/{id}/deliveries',
  id: 'getWebhookDeliveries',
  method: 'GET',
  summary: "List a webhook's deliveries",
  description: 'Every attempt with what the receiver answered, newest first: the last 1,000.',
  input: Type.Object(
    {
      id: webhookIdInput,
      status: Type.Optional(Type.Enum(['delivered', 'failed'])),
      limit: Type.Integer({ minimum: 1, maximum: 100, default: 50 }),
      cursor: cursorInput,
    },
    { additionalProperties: false },
  ),
  output: Type.Object(
    {
      deliveries: Type.Array(deliverySchema),
      nextCursor: Type.Union([Type.String(), Type.Null()]),
    },
    { title: 'WebhookDeliveries', additionalProperties: false },
  ),
  errors: ['WEBHOOK_NOT_FOUND', 'INVALID_CURSOR'],
});

export const replayWebhook = defineOperation({
  ...one,
  path: '/webhooks/{id}/replay',
  id: 'replayWebhook',
  method: 'POST',
  summary: 'Send older events again',
  description:
    'From an event that the receiver has (`fromEventId`: an event, a `cursor` or a `webhook-id`) or from a time on, as far back as the server keeps events; with `to` up to a time, after which the webhook goes on where it was. Exactly one of `fromEventId` and `fromTime`.',
  input: Type.Object(
    {
      id: webhookIdInput,
      fromEventId: Type.Optional(Type.String({ minLength: 1, maxLength: 8000 })),
      fromTime: Type.Optional(Type.Integer({ minimum: 0, description: 'Unix milliseconds.' })),
      to: Type.Optional(Type.Integer({ minimum: 0, description: 'Unix milliseconds.' })),
    },
    { additionalProperties: false },
  ),
  output: webhookSchema,
  errors: ['WEBHOOK_NOT_FOUND', 'NOT_READY'],
});
