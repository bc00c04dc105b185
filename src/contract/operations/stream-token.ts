// GET /token/stream

import Type from 'typebox';
import { KLINE_INTERVALS } from '../../model/market-record.ts';
import { defineOperation } from '../operation.ts';
import {
  asOfSchema,
  chainInput,
  klineIntervalSchema,
  klineSchema,
  mintInput,
  tokenSummarySchema,
  tradeSchema,
} from '../schemas/market.ts';
import { TOKEN_ERRORS } from './token-errors.ts';

const textOrNull = (description: string) =>
  Type.Union([Type.String(), Type.Null()], { description });

const snapshotSchema = Type.Object(
  {
    token: tokenSummarySchema,
    interval: klineIntervalSchema,
    kline: Type.Union([klineSchema, Type.Null()], {
      description: 'The live kline; null where it has no trade yet.',
    }),
    trades: Type.Array(tradeSchema, { description: 'The last ones, newest first, at most 50.' }),
    asOf: asOfSchema,
  },
  {
    title: 'StreamSnapshot',
    additionalProperties: false,
    description: 'First on every fresh connection, and after a `reset`.',
  },
);

const klineEventSchema = Type.Object(
  { interval: klineIntervalSchema, kline: klineSchema },
  {
    title: 'StreamKline',
    additionalProperties: false,
    description:
      'The live candle as it changes, and once more, with an id, when it is closed. A closed one is told again where a block that is older than the one before adds a trade to it or opens it again: the last one counts. As `/token/klines` gives it by default: in USD, without outliers.',
  },
);

const priceSchema = Type.Object(
  {
    priceUsd: textOrNull('USD per unit.'),
    priceNative: textOrNull('Native coin per unit.'),
    liquidityUsd: textOrNull('What its pools hold.'),
    block: Type.Integer({ minimum: 0 }),
  },
  { title: 'StreamPrice', additionalProperties: false, description: 'When one of them changed.' },
);

const holdersSchema = Type.Object(
  {
    total: Type.Union([Type.Integer({ minimum: 0 }), Type.Null()]),
    top10Pct: Type.Union([Type.Number(), Type.Null()]),
  },
  {
    title: 'StreamHolders',
    additionalProperties: false,
    description: 'When one of them changed, at most once a second.',
  },
);

const revertSchema = Type.Object(
  {
    fromBlock: Type.Integer({ minimum: 0 }),
    toBlock: Type.Integer({ minimum: 0 }),
    tradeIds: Type.Array(Type.String(), {
      description: 'Forget these trades; one may come again on the new branch.',
    }),
    klines: Type.Array(
      Type.Object(
        { interval: klineIntervalSchema, openTime: Type.Integer() },
        { additionalProperties: false },
      ),
      { description: 'Forget these klines; those that still have trades follow.' },
    ),
  },
  {
    title: 'StreamRevert',
    additionalProperties: false,
    description: 'A reorganisation took these back.',
  },
);

const pausedSchema = Type.Object(
  { chain: Type.String(), mint: Type.String() },
  {
    title: 'StreamPaused',
    additionalProperties: false,
    description: 'The token was paused; the stream ends.',
  },
);

const resetSchema = Type.Object(
  {
    reason: Type.Enum(['unknown', 'expired'], {
      description: 'The id is none of this stream, or it is too far back.',
    }),
  },
  {
    title: 'StreamReset',
    additionalProperties: false,
    description: 'The id cannot be resumed from; a `snapshot` follows.',
  },
);

const MINT = '0xA5A2299587b6Be0c7ded8d3F188750d082Fc2aE7';

export const getTokenStream = defineOperation({
  id: 'getTokenStream',
  method: 'GET',
  path: '/token/stream',
  tag: 'Market',
  summary: 'Stream what happens to a token',
  description:
    'Server-Sent Events; each `data` is one of the objects below, by the name of its `event`. A reader that lost its connection sends the last id in `Last-Event-ID` (browsers do so by themselves) or as `lastEventId` and gets exactly what it missed, in order, once: up to 24 hours or 50,000 events back by default, also across restarts and reorganisations. An id that cannot be resumed from is answered with `reset` and a `snapshot`, never with an error. Comments come every 15 seconds. 4 streams at once without credentials, 50 with. Replaying costs 1 for every 500 events.',
  cost: 'read',
  mediaType: 'text/event-stream',
  cacheControl: 'no-store',
  input: Type.Object(
    {
      chain: chainInput,
      mint: mintInput,
      events: Type.Optional(
        Type.Array(Type.Enum(['trade', 'kline', 'price', 'holders']), {
          minItems: 1,
          maxItems: 10,
          description:
            'Only these, comma-separated; all unless told. `snapshot`, `revert`, `paused` and `reset` come as they must.',
        }),
      ),
      interval: Type.Enum([...KLINE_INTERVALS], {
        default: '1m',
        description: 'Of the klines.',
      }),
      lastEventId: Type.Optional(
        Type.String({
          description:
            'Where to resume, for clients that cannot send `Last-Event-ID`; that header wins.',
        }),
      ),
    },
    { additionalProperties: false },
  ),
  // An EventSource gives up on an error, and would never get its `reset`.
  anyTextFields: ['lastEventId'],
  output: Type.Object(
    {
      snapshot: Type.Optional(snapshotSchema),
      trade: Type.Optional(tradeSchema),
      kline: Type.Optional(klineEventSchema),
      price: Type.Optional(priceSchema),
      holders: Type.Optional(holdersSchema),
      revert: Type.Optional(revertSchema),
      paused: Type.Optional(pausedSchema),
      reset: Type.Optional(resetSchema),
    },
    {
      title: 'StreamEvents',
      additionalProperties: false,
      description: 'What `data` holds, by the name of the event; each event has one of them.',
    },
  ),
  errors: [...TOKEN_ERRORS, 'TOO_MANY_STREAMS'],
  example: {
    input: { chain: 'devnet', mint: MINT, events: ['kline', 'price'], interval: '1m' },
    answer: {
      price: {
        priceUsd: '0.424969781615465682',
        priceNative: '0.000141729221542124677',
        liquidityUsd: '6285036.20662982105',
        block: 87,
      },
    },
  },
});
