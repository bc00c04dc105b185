// Alerts: what is asked for, and what is told when one fires.

import Type from 'typebox';
import { ALERT_WINDOWS } from '../../model/alert.ts';
import { chainSlugSchema } from './chain-schema.ts';

const usd = (description: string) =>
  Type.String({ pattern: '^\\d{1,20}(\\.\\d{1,18})?$', description });
const pct = (description: string) =>
  Type.Number({ minimum: -100, maximum: 1_000_000, description });

const window = Type.Enum([...ALERT_WINDOWS], {
  description: 'Ends with the trade, in whole minutes up to `1h`, in quarters of an hour beyond.',
});

const exactly = { additionalProperties: false, minProperties: 1 } as const;

/** Exactly one of the fields, with exactly one bound in it. */
export const alertWhenSchema = Type.Object(
  {
    priceUsd: Type.Optional(
      Type.Object(
        {
          crosses: Type.Optional(usd('USD; passed in either direction.')),
          above: Type.Optional(usd('USD; passed upwards.')),
          below: Type.Optional(usd('USD; passed downwards.')),
        },
        { ...exactly, description: 'By each trade that is no outlier.' },
      ),
    ),
    changePct: Type.Optional(
      Type.Object(
        { window, above: Type.Optional(pct('Per cent.')), below: Type.Optional(pct('Per cent.')) },
        {
          ...exactly,
          description:
            'From the last price before the window, at most as old as the window is long.',
        },
      ),
    ),
    volumeUsd: Type.Optional(
      Type.Object(
        { window, above: usd('USD.') },
        { ...exactly, description: 'The value traded within the window.' },
      ),
    ),
    liquidityUsd: Type.Optional(
      Type.Object(
        {
          below: Type.Optional(usd('USD.')),
          dropPct: Type.Optional(
            Type.Number({
              minimum: 1,
              maximum: 100,
              description: 'Per cent below the highest since it began or fired.',
            }),
          ),
        },
        { ...exactly, description: 'At the end of a block.' },
      ),
    ),
    trade: Type.Optional(
      Type.Object(
        {
          valueUsdAbove: usd('USD.'),
          side: Type.Optional(Type.Enum(['buy', 'sell'])),
        },
        { ...exactly, description: 'Each trade worth more; of all tokens without `mint`.' },
      ),
    ),
    wallet: Type.Optional(
      Type.Object(
        { address: Type.String({ minLength: 1, maxLength: 128 }) },
        { ...exactly, description: 'Each trade of a wallet; of all tokens without `mint`.' },
      ),
    ),
    holdersTop10Pct: Type.Optional(
      Type.Object(
        { above: Type.Number({ minimum: 0, maximum: 100 }) },
        { ...exactly, description: 'What the ten largest hold of all balances, per cent.' },
      ),
    ),
    newPool: Type.Optional(
      Type.Object(
        { minLiquidityUsd: usd('USD.') },
        {
          ...exactly,
          description:
            'A new pool that comes to so much within a day; of all tokens without `mint`.',
        },
      ),
    ),
  },
  {
    ...exactly,
    description:
      'Exactly one condition. It fires on the edge: when a figure passes its bound, not while it is beyond.',
  },
);

const orNull = <T extends ReturnType<typeof Type.String>>(schema: T) =>
  Type.Union([schema, Type.Null()]);

export const alertSchema = Type.Object(
  {
    alertId: Type.String(),
    chain: chainSlugSchema,
    mint: orNull(Type.String({ description: 'Null for an alert of the whole chain.' })),
    webhookId: orNull(Type.String({ description: 'Null as well once that webhook is deleted.' })),
    when: alertWhenSchema,
    minLiquidityUsd: orNull(Type.String()),
    rearmPct: Type.Number(),
    cooldownSeconds: Type.Integer(),
    once: Type.Boolean(),
    status: Type.Enum(['pending', 'active', 'done'], {
      description:
        '`pending` until the indexer has it, within about a second; `done` after the firing of one with `once`.',
    }),
    createdAt: Type.Integer(),
    fromBlock: Type.Union([Type.Integer(), Type.Null()], {
      description: 'It decides about the blocks after this one.',
    }),
    firings: Type.Integer({ minimum: 0, description: 'Those of reverted blocks not counted.' }),
    lastFiredAt: Type.Union([Type.Integer(), Type.Null()]),
    lastValue: orNull(Type.String({ description: 'The figure that fired last.' })),
  },
  { title: 'Alert', additionalProperties: false },
);

export const alertEventSchema = Type.Object(
  {
    alertId: Type.String(),
    webhookId: orNull(Type.String()),
    chain: chainSlugSchema,
    mint: orNull(Type.String({ description: 'Null for a new pool of an alert without a token.' })),
    when: alertWhenSchema,
    value: Type.String({
      description: 'The figure that decided: a price or value in USD, or per cent.',
    }),
    bound: Type.String({ description: 'What it passed, or the figure that it has dropped from.' }),
    trade: Type.Union(
      [
        Type.Object(
          {
            id: Type.String(),
            txHash: Type.String(),
            side: Type.Enum(['buy', 'sell']),
            wallet: Type.String(),
            valueUsd: orNull(Type.String()),
          },
          { additionalProperties: false },
        ),
        Type.Null(),
      ],
      { description: 'The trade that decided; null if it was none.' },
    ),
    pool: orNull(Type.String()),
    block: Type.Integer({ minimum: 0 }),
    timestamp: Type.Integer({ description: 'The time of that block, in Unix milliseconds.' }),
  },
  {
    title: 'StreamAlert',
    additionalProperties: false,
    description: 'An alert of yours fired; decided with the commit of its block.',
  },
);

export const alertRevertedEventSchema = Type.Object(alertEventSchema.properties, {
  title: 'StreamAlertReverted',
  additionalProperties: false,
  description: 'A reorganisation removed the block that had made the alert fire.',
});
