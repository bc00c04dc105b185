// Schemas of webhooks.

import Type from 'typebox';
import { WEBHOOK_EVENTS } from '../../model/webhook.ts';
import { chainSlugSchema } from './chain-schema.ts';
import { chainInput } from './market-schemas.ts';

const timeOrNull = (description: string) =>
  Type.Union([Type.Integer({ minimum: 0 }), Type.Null()], { description });
const textOrNull = (description: string) =>
  Type.Union([Type.String(), Type.Null()], { description });

/** Larger sets have ids that do not fit into a header. */
const TOKENS_MAX = 1000;
const CHAINS_MAX = 100;
const WALLETS_MAX = 100;
const BATCH_EVENTS_MAX = 1000;
const BATCH_MS_MAX = 60_000;
const URL_LENGTH_MAX = 2048;

export const webhookIdInput = Type.String({
  minLength: 1,
  maxLength: 64,
  description: '`webhookId` of the webhook.',
});

const batchFields = {
  maxEvents: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: BATCH_EVENTS_MAX,
      description: 'At most so many events in a delivery; 100 by default.',
    }),
  ),
  maxMs: Type.Optional(
    Type.Integer({
      minimum: 0,
      maximum: BATCH_MS_MAX,
      description: 'How long an event may wait for others to be sent with; 0 by default.',
    }),
  ),
};

export const webhookSettings = {
  url: Type.String({
    minLength: 1,
    maxLength: URL_LENGTH_MAX,
    description:
      'Where events are sent: https, the name of a public host, port 443 or 8443, without user and password. Checked now and before every attempt.',
  }),
  events: Type.Array(Type.Enum([...WEBHOOK_EVENTS]), {
    minItems: 1,
    maxItems: WEBHOOK_EVENTS.length,
    description:
      '`trade`, `price` and `holders` of `tokens`; `pool`, `launch` and `graduation` of `chains`; `alert` for the alerts that name this webhook; `reverted` for what a reorganisation took back.',
  }),
  tokens: Type.Array(
    Type.Object(
      { chain: chainInput, mint: Type.String({ minLength: 1, maxLength: 128 }) },
      { additionalProperties: false },
    ),
    { maxItems: TOKENS_MAX, description: "Up to the tier's `streamTokens`." },
  ),
  chains: Type.Array(chainInput, { maxItems: CHAINS_MAX, description: 'Whose news are sent.' }),
  wallets: Type.Array(Type.String({ minLength: 1, maxLength: 64 }), {
    maxItems: WALLETS_MAX,
    description: 'Only trades of these wallets; all by default.',
  }),
  finality: Type.Enum(['head', 'final'], {
    description:
      '`head` sends events as they are indexed and `reverted` if a reorganisation takes them back; `final` waits until it cannot.',
  }),
  batch: Type.Object(batchFields, { additionalProperties: false }),
};

const STATUSES = ['active', 'paused', 'disabled'] as const;

export const webhookSchema = Type.Object(
  {
    webhookId: Type.String(),
    url: Type.String(),
    events: webhookSettings.events,
    tokens: Type.Array(
      Type.Object({ chain: chainSlugSchema, mint: Type.String() }, { additionalProperties: false }),
    ),
    chains: Type.Array(chainSlugSchema),
    wallets: Type.Array(Type.String()),
    finality: webhookSettings.finality,
    batch: Type.Object(
      { maxEvents: Type.Integer({ minimum: 1 }), maxMs: Type.Integer({ minimum: 0 }) },
      { additionalProperties: false },
    ),
    status: Type.Enum([...STATUSES], {
      description:
        '`paused` by its owner; `disabled` after 75 hours of failures or an answer of 410. Events wait meanwhile, as long as the server keeps them.',
    }),
    disabledReason: textOrNull('Why it is disabled.'),
    publicKey: Type.String({
      description: 'Verifies `v1a` signatures: `whpk_` and the ed25519 key in base64.',
    }),
    bothSecretsUntil: timeOrNull(
      'After a rotation: until when the secret before signs as well. Unix milliseconds.',
    ),
    createdAt: Type.Integer({ minimum: 0, description: 'Unix milliseconds.' }),
    updatedAt: Type.Integer({ minimum: 0, description: 'Unix milliseconds.' }),
    lastDeliveryAt: timeOrNull('When the receiver last acknowledged a delivery.'),
    failingSince: timeOrNull(
      'Since when every attempt has failed; null if the last one succeeded.',
    ),
    nextAttemptAt: timeOrNull('When the failed delivery is sent again.'),
    lastError: textOrNull('Why the last attempt failed.'),
    cursor: textOrNull(
      'The id of the last event that was acknowledged; `/token/stream` resumes from it with the same tokens. Null without tokens.',
    ),
    isReplaying: Type.Boolean({
      description: 'Whether older events are sent again at the moment.',
    }),
  },
  { title: 'Webhook', additionalProperties: false },
);

export const deliverySchema = Type.Object(
  {
    deliveryId: Type.String(),
    eventId: Type.String({ description: 'The `webhook-id` that was sent.' }),
    status: Type.Enum(['delivered', 'failed']),
    isTest: Type.Boolean(),
    attempt: Type.Integer({ minimum: 1 }),
    events: Type.Integer({ minimum: 0, description: 'How many events it had.' }),
    at: Type.Integer({ minimum: 0, description: 'Unix milliseconds.' }),
    tookMs: Type.Integer({ minimum: 0 }),
    httpStatus: Type.Union([Type.Integer(), Type.Null()]),
    answer: textOrNull(
      'The beginning of what the receiver answered, without control characters: untrusted text.',
    ),
    error: textOrNull('Why it failed.'),
  },
  { title: 'WebhookDelivery', additionalProperties: false },
);

/** One event of a delivery. */
const deliveredEventSchema = Type.Object(
  {
    id: Type.Union([Type.String(), Type.Null()], {
      description:
        'The id of the event in the stream, the same in every delivery that has it; null for `price` and `holders`, which are states.',
    }),
    type: Type.Enum([...WEBHOOK_EVENTS, 'alert.reverted', 'reset']),
    data: Type.Unknown({ description: 'As `/token/stream` sends it.' }),
  },
  { title: 'WebhookEvent', additionalProperties: false },
);

/** The body of a delivery. */
export const deliveryBodySchema = Type.Object(
  {
    type: Type.Enum(['events', 'test']),
    timestamp: Type.String({ description: 'When the last event happened, as ISO 8601.' }),
    webhookId: Type.String(),
    cursor: textOrNull(
      'Where the receiver is that has these events: `/token/stream` resumes from it, with the tokens of the webhook or `mint=*` for news.',
    ),
    data: Type.Object(
      { events: Type.Array(deliveredEventSchema) },
      { additionalProperties: false },
    ),
  },
  { title: 'WebhookBody', additionalProperties: false },
);
