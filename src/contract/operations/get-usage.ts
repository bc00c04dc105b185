// GET /usage

import Type from 'typebox';
import { defineOperation } from '../operation.ts';

const TIME_MAX = 10_000_000_000_000;
/** Kept for this many days. */
const USAGE_DAYS = 92;
export const USAGE_ROWS_MAX = 10_000;

const timeInput = (description: string) =>
  Type.Optional(Type.Integer({ minimum: 0, maximum: TIME_MAX, description }));

export const getUsage = defineOperation({
  id: 'getUsage',
  method: 'GET',
  path: '/usage',
  tag: 'Account',
  access: 'session',
  summary: "List what the wallet's keys and sessions were used for",
  description: `By hour or day, key and operation, ascending; in UTC, kept for ${USAGE_DAYS} days. Every request is counted once, when its answer is sent, a stream when it begins. Requests of other nodes are included within ten seconds. A range with more than ${USAGE_ROWS_MAX.toLocaleString('en')} rows is refused.`,
  cost: 'read',
  cacheControl: 'no-store',
  input: Type.Object(
    {
      from: timeInput(
        'Unix milliseconds; the interval that it lies in is the first. A day before `to` by default, 30 days for `1d`.',
      ),
      to: timeInput('Unix milliseconds, exclusive; now by default.'),
      interval: Type.Enum(['1h', '1d'], { default: '1h' }),
      keyId: Type.Optional(
        Type.String({ minLength: 1, maxLength: 64, description: 'Only this key.' }),
      ),
    },
    { additionalProperties: false },
  ),
  output: Type.Object(
    {
      interval: Type.Enum(['1h', '1d']),
      rows: Type.Array(
        Type.Object(
          {
            time: Type.Integer({ description: 'When the interval begins, in Unix milliseconds.' }),
            keyId: Type.Union([Type.String(), Type.Null()], {
              description: "Null for the wallet's sessions.",
            }),
            operation: Type.String({
              description: 'Its `operationId`, or the name of a tool of `/mcp`.',
            }),
            requests: Type.Integer({ minimum: 0, description: 'Without those that were limited.' }),
            cost: Type.Number({ minimum: 0, description: 'What they were charged.' }),
            limited: Type.Integer({ minimum: 0, description: 'Refused with 429.' }),
            errors: Type.Integer({
              minimum: 0,
              description: 'Of the requests, those with another status of 400 and above.',
            }),
          },
          { title: 'UsageRow', additionalProperties: false },
        ),
      ),
    },
    { title: 'Usage', additionalProperties: false },
  ),
});
