// The price of a token, now or at a time.

import Type from 'typebox';
import { chainSlugSchema } from './chain-schema.ts';

const textOrNull = (description: string) =>
  Type.Union([Type.String(), Type.Null()], { description });

const integerOrNull = (description: string) =>
  Type.Union([Type.Integer(), Type.Null()], { description });

export const priceFields = {
  chain: chainSlugSchema,
  mint: Type.String({ description: "The token's address." }),
  priceUsd: textOrNull('USD per unit; null if unknown, or outside what is indexed.'),
  priceNative: textOrNull('Native coin per unit.'),
  priceChange24hPct: Type.Union([Type.Number(), Type.Null()], {
    description: 'Per cent, against the last price 24 hours before; null with `atBlock`.',
  }),
  timestamp: integerOrNull('The time of the trade that the price is of; null if it has none.'),
  block: integerOrNull('The block of that trade.'),
  source: Type.Union(
    [
      Type.Object({ pool: Type.String(), venue: Type.String() }, { additionalProperties: false }),
      Type.Null(),
    ],
    { description: 'Where that trade was.' },
  ),
} as const;

export const priceSchema = Type.Object(priceFields, {
  title: 'Price',
  additionalProperties: false,
});

const TIME_MAX = 253_402_300_799_999;

export const atInput = Type.Optional(
  Type.Integer({
    minimum: 0,
    maximum: TIME_MAX,
    description:
      'A time, in Unix milliseconds: the price is that of the last trade at or before it. A time after `asOf` gives the last price.',
  }),
);
