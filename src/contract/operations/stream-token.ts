// GET /token/stream

import Type from 'typebox';
import { KLINE_INTERVALS } from '../../model/market-record.ts';
import { defineOperation } from '../operation.ts';
import {
  asOfSchema,
  chainInput,
  coverageSchema,
  klineIntervalSchema,
  klineSchema,
  mintInput,
  tokenSummarySchema,
  tradeSchema,
} from '../schemas/market-schemas.ts';
import { TOKEN_ERRORS } from './token-errors.ts';

const textOrNull = (description: string) =>
  Type.Union([Type.String(), Type.Null()], { description });

const snapshotSchema = Type.Object(
  {
    token: tokenSummarySchema,
    interval: klineIntervalSchema,
    kline: Type.Union([klineSchema, Type.Null()], {
      description: 'The live kline; null if it has no trade yet.',
    }),
    trades: Type.Array(tradeSchema, { description: 'The last trades, newest first, at most 50.' }),
    asOf: asOfSchema,
  },
  {
    title: 'StreamSnapshot',
    additionalProperties: false,
    description: 'The first event of every new connection, also sent after a `reset`.',
  },
);

const klineEventSchema = Type.Object(
  { interval: klineIntervalSchema, kline: klineSchema },
  {
    title: 'StreamKline',
    additionalProperties: false,
    description:
      'The live candle as it changes, and once more, with an id, when it is closed. A closed one is sent again if a block that is older than the one before adds a trade to it or opens it again: the last one counts. As `/token/klines` gives it by default: in USD, without outliers.',
  },
);

const priceSchema = Type.Object(
  {
    priceUsd: textOrNull('USD per unit.'),
    priceNative: textOrNull('Native coin per unit.'),
    liquidityUsd: textOrNull('The value that its pools hold.'),
    block: Type.Integer({ minimum: 0 }),
  },
  {
    title: 'StreamPrice',
    additionalProperties: false,
    description: 'Sent when one of the fields changed.',
  },
);

const holdersSchema = Type.Object(
  {
    total: Type.Union([Type.Integer({ minimum: 0 }), Type.Null()]),
    top10Pct: Type.Union([Type.Number(), Type.Null()]),
  },
  {
    title: 'StreamHolders',
    additionalProperties: false,
    description: 'Sent when one of the fields changed, at most once a second.',
  },
);

const revertSchema = Type.Object(
  {
    fromBlock: Type.Integer({ minimum: 0 }),
    toBlock: Type.Integer({ minimum: 0 }),
    tradeIds: Type.Array(Type.String(), {
      description: 'Discard these trades; the new branch may include some of them again.',
    }),
    klines: Type.Array(
      Type.Object(
        { interval: klineIntervalSchema, openTime: Type.Integer() },
        { additionalProperties: false },
      ),
      { description: 'Discard these klines; those that still have trades are sent again.' },
    ),
  },
  {
    title: 'StreamRevert',
    additionalProperties: false,
    description: 'A reorganisation removed these.',
  },
);

const pausedSchema = Type.Object(
  { chain: Type.String(), mint: Type.String() },
  {
    title: 'StreamPaused',
    additionalProperties: false,
    description: 'The operator paused the token; the stream ends.',
  },
);

const resetSchema = Type.Object(
  {
    reason: Type.Enum(['unknown', 'expired'], {
      description: 'The id does not belong to this stream, or is too old.',
    }),
  },
  {
    title: 'StreamReset',
    additionalProperties: false,
    description: 'The stream cannot resume from that id; a `snapshot` follows.',
  },
);

const MINT = '0xA5A2299587b6Be0c7ded8d3F188750d082Fc2aE7';

export const getTokenStream = defineOperation({
  id: 'getTokenStream',
  method: 'GET',
  path: '/token/stream',
  tag: 'Market',
  summary: 'Stream the events of a token',
  description:
    'Server-Sent Events; each `data` is one of the objects below, by the name of its `event`. `coverage` is sent only if history from before the index is or was filled in: when it got further, at most once a second. A client that lost its connection sends the last id in `Last-Event-ID` (browsers do so automatically) or as `lastEventId` and gets exactly what it missed, in order, once: up to 24 hours or 50,000 events back by default, also across restarts and reorganisations. If the stream cannot resume from an id, it sends `reset` and a `snapshot`, never an error. Comments are sent every 15 seconds as keep-alives. 4 concurrent streams without credentials, 50 with. Replaying costs 1 per 500 events.',
  cost: 'read',
  mediaType: 'text/event-stream',
  cacheControl: 'no-store',
  input: Type.Object(
    {
      chain: chainInput,
      mint: mintInput,
      events: Type.Optional(
        Type.Array(Type.Enum(['trade', 'kline', 'price', 'holders', 'coverage']), {
          minItems: 1,
          maxItems: 10,
          description:
            'Only these events, comma-separated; all by default. `snapshot`, `revert`, `paused` and `reset` are always sent.',
        }),
      ),
      interval: Type.Enum([...KLINE_INTERVALS], {
        default: '1m',
        description: 'The interval of the klines.',
      }),
      lastEventId: Type.Optional(
        Type.String({
          description:
            'The id to resume from, for clients that cannot send `Last-Event-ID`; that header takes precedence.',
        }),
      ),
    },
    { additionalProperties: false },
  ),
  // An EventSource gives up on an HTTP error, and would never get its `reset`.
  anyTextFields: ['lastEventId'],
  output: Type.Object(
    {
      snapshot: Type.Optional(snapshotSchema),
      trade: Type.Optional(tradeSchema),
      kline: Type.Optional(klineEventSchema),
      price: Type.Optional(priceSchema),
      holders: Type.Optional(holdersSchema),
      coverage: Type.Optional(coverageSchema),
      revert: Type.Optional(revertSchema),
      paused: Type.Optional(pausedSchema),
      reset: Type.Optional(resetSchema),
    },
    {
      title: 'StreamEvents',
      additionalProperties: false,
      description: 'The content of `data`; the name of the event says which one.',
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
