// Schemas of tokens and their markets.

import Type from 'typebox';
import { KLINE_INTERVALS } from '../../model/market-record.ts';
import { SCOPE_NAMES } from '../../model/scope.ts';
import { chainSlugSchema } from './chain-schema.ts';

/** How a token matches a search, the best first. */
export const MATCH_KINDS = [
  'address',
  'symbol',
  'name',
  'symbolPrefix',
  'namePrefix',
  'symbolPart',
  'namePart',
  'oneEdit',
  'twoEdits',
] as const;

const textOrNull = (description: string) =>
  Type.Union([Type.String(), Type.Null()], { description });

const numberOrNull = (description: string) =>
  Type.Union([Type.Number(), Type.Null()], { description });

const integerOrNull = (description: string) =>
  Type.Union([Type.Integer(), Type.Null()], { description });

export const chainInput = Type.String({
  minLength: 1,
  maxLength: 64,
  description: 'Slug of a chain that this server follows, or its CAIP-2 form.',
});

export const mintInput = Type.String({
  minLength: 1,
  maxLength: 64,
  description: "The token's address on that chain, in upper or lower case.",
});

export const cursorInput = Type.Optional(
  Type.String({
    minLength: 1,
    maxLength: 8000,
    description: '`nextCursor` of the previous page, with the same query.',
  }),
);

/** A decimal number that is not negative; read by `parseDecimal`. */
export const decimalInput = (description: string) =>
  Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 40,
      description: `${description} A decimal number such as \`250\` or \`0.5\`.`,
    }),
  );

const timeInput = (description: string) =>
  Type.Optional(Type.Integer({ minimum: 0, maximum: 253_402_300_799_999, description }));

export const startTimeInput = timeInput('Unix milliseconds, inclusive.');
export const endTimeInput = timeInput('Unix milliseconds, inclusive.');

export const nextCursor = textOrNull(
  'Pass it as `cursor` for the next page; null on the last page.',
);

export const asOfSchema = Type.Object(
  {
    block: Type.Integer({ minimum: 0 }),
    blockHash: Type.String(),
    timestamp: Type.Integer({ description: 'The time of that block, in Unix milliseconds.' }),
    finalizedBlock: Type.Integer({
      minimum: 0,
      description: 'The highest block that can no longer be reorganised.',
    }),
  },
  {
    title: 'AsOf',
    additionalProperties: false,
    description: 'The indexed state of the chain that the response reflects.',
  },
);

const backfillSchema = Type.Object(
  {
    status: Type.Enum(['queued', 'running', 'done', 'failed']),
    from: integerOrNull('How far back it goes, in Unix milliseconds; null until that is known.'),
    to: integerOrNull('Where the index began, in Unix milliseconds.'),
    pct: Type.Number({
      minimum: 0,
      maximum: 100,
      description: 'How much of the blocks was read, for trades and for holders, in per cent.',
    }),
  },
  {
    title: 'Backfill',
    additionalProperties: false,
    description:
      'How far history from before the index has been filled in: trades and klines newest first, which moves `tradesFrom` and `klinesFrom` back, and transfers, after which `holdersComplete` may become true.',
  },
);

export const coverageSchema = Type.Object(
  {
    scope: Type.Enum([...SCOPE_NAMES, 'partial'], {
      description:
        'Why the token is indexed: `all` are, it is `liquid`, or the operator wants to `watch` it. `partial`: it is not; only some of its pools are, for other tokens.',
    }),
    tradesFrom: integerOrNull(
      'Trades from this time on are indexed and kept, in Unix milliseconds.',
    ),
    klinesFrom: integerOrNull(
      'Klines from this time on are complete: those of the interval asked for, else those of a minute.',
    ),
    holdersComplete: Type.Boolean({
      description: 'Whether the known balances add up to the supply.',
    }),
    backfill: Type.Union([backfillSchema, Type.Null()], {
      description: 'Null if none was requested.',
    }),
  },
  {
    title: 'Coverage',
    additionalProperties: false,
    description: 'What has been indexed, to distinguish missing data from no activity.',
  },
);

const linksSchema = Type.Object(
  { website: textOrNull(''), x: textOrNull(''), telegram: textOrNull('') },
  { title: 'TokenLinks', additionalProperties: false },
);

const summaryFields = {
  chain: chainSlugSchema,
  mint: Type.String({ description: "The token's address." }),
  symbol: textOrNull(
    "What the contract calls itself, or where it does not say, what a token list calls it: a stranger's text, at most 64 characters.",
  ),
  name: textOrNull("From the same source as `symbol`: a stranger's text, at most 64 characters."),
  decimals: integerOrNull('Raw units in a unit, as a power of ten.'),
  logoUrl: textOrNull('Null: this server serves no logos yet.'),
  verified: Type.Array(Type.String(), {
    description: "Names of the operator's token lists that vouch for this address.",
  }),
  links: Type.Union([linksSchema, Type.Null()], {
    description: 'As those lists give them, https only; null where they give none.',
  }),
  priceUsd: textOrNull('USD per unit by the last trade that was no outlier.'),
  priceNative: textOrNull('Native coin per unit by that trade.'),
  marketCapUsd: textOrNull('Price times total supply.'),
  liquidityUsd: textOrNull('The value of its pools, each as of its last event.'),
  volume24hUsd: textOrNull('Value traded in the last 24 hours of the chain.'),
  priceChange24hPct: numberOrNull('Per cent, against the last trade before those hours.'),
  trades24h: integerOrNull('Trades in those hours.'),
  holders: integerOrNull('Owners with a balance above zero; null if not all are known.'),
  createdAt: integerOrNull('The time of its first block, in Unix milliseconds; null if unknown.'),
  topPool: Type.Union(
    [
      Type.Object(
        { address: Type.String(), venue: Type.String() },
        { additionalProperties: false },
      ),
      Type.Null(),
    ],
    { description: 'Its deepest pool.' },
  ),
  match: Type.Union([Type.Enum([...MATCH_KINDS]), Type.Null()], {
    description: 'How it matched the search; null where none was made.',
  }),
} as const;

export const tokenSummarySchema = Type.Object(summaryFields, {
  title: 'TokenSummary',
  additionalProperties: false,
});

const windowSchema = Type.Object(
  {
    volumeUsd: textOrNull('Value traded; null if no trade has a value.'),
    trades: integerOrNull('Null if the window is longer than what is indexed; so are the rest.'),
    buys: integerOrNull(''),
    sells: integerOrNull(''),
    buyers: integerOrNull('Distinct wallets that bought.'),
    sellers: integerOrNull('Distinct wallets that sold.'),
    priceChangePct: numberOrNull('Against the last price before the window, or the first in it.'),
    highUsd: textOrNull('Outliers left out.'),
    lowUsd: textOrNull('Outliers left out.'),
  },
  { title: 'Window', additionalProperties: false },
);

const windowsSchema = Type.Object(
  { '5m': windowSchema, '1h': windowSchema, '6h': windowSchema, '24h': windowSchema },
  {
    title: 'Windows',
    additionalProperties: false,
    description:
      "Each window ends at the chain's time (`asOf.timestamp`); a trade leaves it when its time has passed.",
  },
);

const { match: _, ...listedFields } = summaryFields;

export const listedTokenSchema = Type.Object(
  {
    ...listedFields,
    windows: windowsSchema,
    sparkline: Type.Union([Type.Array(Type.Union([Type.String(), Type.Null()])), Type.Null()], {
      description:
        'USD prices at the end of each half hour of the last 24 hours, the oldest first; null unless asked for.',
    }),
  },
  { title: 'ListedToken', additionalProperties: false },
);

const tokenPoolSchema = Type.Object(
  {
    address: Type.String({ description: "The pool's address; on Uniswap V4 its 32-byte id." }),
    venue: Type.String(),
    feePips: Type.Integer({
      minimum: 0,
      description: 'In 1e-6; for a dynamic fee, the latest one.',
    }),
    base: Type.String({ description: 'Address of the token that is priced.' }),
    quote: Type.String({ description: 'Address of the token it is priced in.' }),
    liquidityUsd: textOrNull('The value that the pool holds, as of its last event.'),
    priceNative: textOrNull(
      'Native coin per unit of the base token, by the last trade in this pool.',
    ),
  },
  { title: 'TokenPool', additionalProperties: false },
);

export const tokenSchema = Type.Object(
  {
    ...summaryFields,
    windows: windowsSchema,
    totalSupplyRaw: textOrNull('As reported by the token contract.'),
    pools: Type.Array(tokenPoolSchema, { description: 'The deepest first, at most 50.' }),
    status: Type.Literal('active', { description: 'For a paused token the response is 404.' }),
    coverage: coverageSchema,
    asOf: asOfSchema,
  },
  { title: 'Token', additionalProperties: false },
);

export const klineIntervalSchema = Type.Enum([...KLINE_INTERVALS], {
  description: '`1m` is a minute and `1M` a month; `1w` opens on Monday, UTC.',
});

export const klineSchema = Type.Object(
  {
    openTime: Type.Integer(),
    closeTime: Type.Integer({ description: 'The next `openTime` minus one millisecond.' }),
    open: textOrNull('Null if no trade in the interval has a price in this currency.'),
    high: textOrNull(''),
    low: textOrNull(''),
    close: textOrNull(''),
    volume: textOrNull('Units of the token; null if its decimals are unknown.'),
    quoteVolume: Type.String({ description: 'The total value, in `currency`.' }),
    trades: Type.Integer({ minimum: 0 }),
    buys: Type.Integer({ minimum: 0 }),
    sells: Type.Integer({ minimum: 0 }),
    closed: Type.Boolean({ description: 'Whether the chain has passed the end of the interval.' }),
    filled: Type.Boolean({ description: 'Whether `fill=previous` added it.' }),
  },
  { title: 'Kline', additionalProperties: false },
);

export const tradeSchema = Type.Object(
  {
    id: Type.String({ description: '`chain:txHash:index`.' }),
    txHash: Type.String(),
    block: Type.Integer({ minimum: 0 }),
    index: Type.Integer({ minimum: 0, description: 'Index among the swaps of its transaction.' }),
    timestamp: Type.Integer(),
    side: Type.Enum(['buy', 'sell']),
    wallet: Type.String({ description: 'The sender of the transaction.' }),
    venue: Type.String(),
    pool: Type.String(),
    amountRaw: Type.String(),
    amount: textOrNull('Units of the token; null if its decimals are unknown.'),
    quote: Type.Object(
      {
        mint: Type.String(),
        symbol: textOrNull("A stranger's text."),
        decimals: integerOrNull(''),
        amountRaw: Type.String(),
        amount: textOrNull(''),
      },
      {
        additionalProperties: false,
        description: 'The other side of the trade: what was paid or received.',
      },
    ),
    priceNative: textOrNull('Native coin per unit.'),
    priceUsd: textOrNull('USD per unit.'),
    valueNative: textOrNull('The value of the trade, in the native coin.'),
    valueUsd: textOrNull('The value of the trade, in USD.'),
    outlier: Type.Boolean({ description: 'Whether `outliers=exclude` leaves it out of prices.' }),
    finality: Type.Enum(['confirmed', 'finalized']),
  },
  { title: 'Trade', additionalProperties: false },
);

export const holderSchema = Type.Object(
  {
    rank: Type.Integer({ minimum: 1, description: 'Rank among all owners.' }),
    owner: Type.String(),
    amountRaw: Type.String(),
    amount: textOrNull(''),
    pct: numberOrNull('Per cent of the total supply.'),
    kind: Type.Union([Type.Enum(['wallet', 'contract', 'pool', 'burn']), Type.Null()], {
      description: 'Null until the chain has been asked.',
    }),
  },
  { title: 'Holder', additionalProperties: false },
);
