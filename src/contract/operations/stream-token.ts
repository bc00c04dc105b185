// GET /token/stream

import Type from 'typebox';
import { KLINE_INTERVALS } from '../../model/market-record.ts';
import { defineOperation } from '../operation.ts';
import { alertEventSchema, alertRevertedEventSchema } from '../schemas/alert-schemas.ts';
import { chainSlugSchema } from '../schemas/chain-schema.ts';
import {
  asOfSchema,
  chainInput,
  coverageSchema,
  klineIntervalSchema,
  klineSchema,
  tokenSummarySchema,
  tradeSchema,
} from '../schemas/market-schemas.ts';
import {
  chainEventSchema,
  graduationEventSchema,
  launchEventSchema,
  newsSnapshotSchema,
  poolEventSchema,
  removedNewsSchema,
  tokenEventSchema,
} from '../schemas/news-schemas.ts';
import { TOKEN_ERRORS } from './token-errors.ts';

const textOrNull = (description: string) =>
  Type.Union([Type.String(), Type.Null()], { description });

/** Which token an event is about. */
const namedFields = {
  chain: chainSlugSchema,
  mint: Type.String({ description: "The token's address." }),
};

const snapshotSchema = Type.Object(
  {
    ...namedFields,
    token: tokenSummarySchema,
    interval: klineIntervalSchema,
    kline: Type.Union([klineSchema, Type.Null()], {
      description: 'The live kline; null if it has no trade yet.',
    }),
    trades: Type.Array(tradeSchema, {
      description: 'The last trades, newest first: at most 50, of all tokens together.',
    }),
    asOf: asOfSchema,
  },
  {
    title: 'StreamSnapshot',
    additionalProperties: false,
    description:
      'The first event of every new connection, one for each token, also sent after a `reset`. Of several, the last one has the id.',
  },
);

const tradeEventSchema = Type.Object(
  { ...namedFields, ...tradeSchema.properties },
  { title: 'StreamTrade', additionalProperties: false },
);

const coverageEventSchema = Type.Object(
  { ...namedFields, ...coverageSchema.properties },
  { title: 'StreamCoverage', additionalProperties: false },
);

const klineEventSchema = Type.Object(
  { ...namedFields, interval: klineIntervalSchema, kline: klineSchema },
  {
    title: 'StreamKline',
    additionalProperties: false,
    description:
      'The live candle as it changes, and once more, with an id, when it is closed. A closed one is sent again if a block that is older than the one before adds a trade to it or opens it again: the last one counts. As `/token/klines` gives it for the same `pool`, `currency` and `outliers`.',
  },
);

const priceSchema = Type.Object(
  {
    ...namedFields,
    priceUsd: textOrNull('USD per unit.'),
    priceNative: textOrNull('Native coin per unit.'),
    liquidityUsd: textOrNull('The value that its pools hold.'),
    marketCapUsd: textOrNull('Price times total supply.'),
    priceChange24hPct: Type.Union([Type.Number(), Type.Null()]),
    volume24hUsd: textOrNull('Value traded in the last 24 hours of the chain.'),
    trades24h: Type.Union([Type.Integer(), Type.Null()]),
    block: Type.Integer({ minimum: 0 }),
  },
  {
    title: 'StreamPrice',
    additionalProperties: false,
    description: 'Sent when one of the fields changed, at most once a second.',
  },
);

const holdersSchema = Type.Object(
  {
    ...namedFields,
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
    chain: namedFields.chain,
    mint: Type.Optional(namedFields.mint),
    fromBlock: Type.Integer({ minimum: 0 }),
    toBlock: Type.Integer({ minimum: 0 }),
    tradeIds: Type.Array(Type.String(), {
      description:
        'Discard these trades, those of other pools included; the new branch may include some of them again.',
    }),
    klines: Type.Array(
      Type.Object(
        { interval: klineIntervalSchema, openTime: Type.Integer() },
        { additionalProperties: false },
      ),
      { description: 'Discard these klines; those that still have trades are sent again.' },
    ),
    news: Type.Optional(removedNewsSchema),
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

const TOKENS_MAX = 100;
const TOKEN_EVENTS = ['trade', 'kline', 'price', 'holders', 'coverage'] as const;
const NEWS_EVENTS = ['pool', 'token', 'launch', 'graduation', 'chain', 'alert'] as const;

export const getTokenStream = defineOperation({
  id: 'getTokenStream',
  method: 'GET',
  path: '/token/stream',
  tag: 'Market',
  summary: 'Stream the events of tokens',
  description:
    'Server-Sent Events of one token or several, also of several chains; each `data` is one of the objects below, by the name of its `event`. Each says with `chain` and `mint` which token it is about, and one id resumes all of them. With `mint=*` it is the news of one chain: new pools and tokens, launches, graduations, and how far the chain is indexed, and your alerts; a `revert` names in `news` what a reorganisation removed. `coverage` is sent only if history from before the index is or was filled in: when it got further, at most once a second. A client that lost its connection sends the last id in `Last-Event-ID` (browsers do so automatically) or as `lastEventId` and gets exactly what it missed, in order, once: up to 24 hours or 50,000 events back by default, also across restarts and reorganisations. If the stream cannot resume from an id, it sends `reset` and a `snapshot`, never an error. Comments are sent every 15 seconds as keep-alives. 4 concurrent streams without credentials, 50 with; a stream of several tokens counts as one. Replaying costs 1 per 500 events.',
  cost: 'read',
  costBy: 'tokens',
  mediaType: 'text/event-stream',
  cacheControl: 'no-store',
  input: Type.Object(
    {
      chain: Type.Optional(chainInput),
      mint: Type.Array(
        Type.String({
          minLength: 1,
          maxLength: 128,
          description:
            "A token's address on `chain`, or `chain:address`; `*` alone for the news of `chain`.",
        }),
        {
          minItems: 1,
          maxItems: TOKENS_MAX,
          description:
            'The tokens: several times, or comma-separated. Up to 10 without credentials, 100 with.',
        },
      ),
      pool: Type.Optional(
        Type.String({
          minLength: 1,
          maxLength: 128,
          description: 'Only trades and klines of this pool; with one token only.',
        }),
      ),
      currency: Type.Enum(['usd', 'native'], {
        default: 'usd',
        description: 'The currency of klines.',
      }),
      outliers: Type.Enum(['exclude', 'include'], {
        default: 'exclude',
        description: 'Whether outliers count in the prices of klines.',
      }),
      events: Type.Optional(
        Type.Array(Type.Enum([...TOKEN_EVENTS, ...NEWS_EVENTS]), {
          minItems: 1,
          maxItems: 10,
          description:
            'Only these events, comma-separated. Of tokens `trade`, `kline`, `price`, `holders` and `coverage`; with `mint=*` `pool`, `token`, `launch`, `graduation`, `chain` and, with a session or a key that has the scope `webhooks`, `alert`; all of them but `alert` by default. `snapshot`, `revert`, `paused` and `reset` are always sent.',
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
      snapshot: Type.Optional(Type.Union([snapshotSchema, newsSnapshotSchema])),
      trade: Type.Optional(tradeEventSchema),
      kline: Type.Optional(klineEventSchema),
      price: Type.Optional(priceSchema),
      holders: Type.Optional(holdersSchema),
      coverage: Type.Optional(coverageEventSchema),
      pool: Type.Optional(poolEventSchema),
      token: Type.Optional(tokenEventSchema),
      launch: Type.Optional(launchEventSchema),
      graduation: Type.Optional(graduationEventSchema),
      chain: Type.Optional(chainEventSchema),
      alert: Type.Optional(alertEventSchema),
      'alert.reverted': Type.Optional(alertRevertedEventSchema),
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
  errors: [
    ...TOKEN_ERRORS,
    ...(['POOL_NOT_FOUND', 'TOO_MANY_STREAMS', 'WALLET_SESSION_REQUIRED'] as const),
  ],
});
