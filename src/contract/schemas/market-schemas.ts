// Schemas of tokens and their markets.

import Type from 'typebox';
import { KLINE_INTERVALS } from '../../model/market-record.ts';
import { SCOPE_NAMES } from '../../model/scope.ts';
import { chainSlugSchema } from './chain-schema.ts';

/** How a token matches a search; docs/api/search.md explains them. */
export const MATCH_KINDS = [
  'address',
  'symbol',
  'name',
  'wrapped',
  'alias',
  'words',
  'symbolPrefix',
  'namePrefix',
  'within',
  'wordPrefix',
  'symbolPart',
  'namePart',
  'oneEdit',
  'twoEdits',
] as const;

export const textOrNull = (description: string) =>
  Type.Union([Type.String(), Type.Null()], { description });

const numberOrNull = (description: string) =>
  Type.Union([Type.Number(), Type.Null()], { description });

export const integerOrNull = (description: string) =>
  Type.Union([Type.Integer(), Type.Null()], { description });

export const chainInput = Type.String({
  minLength: 1,
  maxLength: 64,
  description: 'Slug of a chain that this server follows, or its CAIP-2 form.',
});

const mintText = (description: string) => Type.String({ minLength: 1, maxLength: 64, description });

export const mintInput = mintText("The token's address on that chain, in upper or lower case.");

export const mintFilter = Type.Optional(
  mintText('Only pools of this token; with exactly one `chain`.'),
);

const poolText = (description: string) => Type.String({ minLength: 1, maxLength: 66, description });

export const poolInput = poolText("The pool's address; on Uniswap V4 its 32-byte id.");

export const poolFilter = Type.Optional(poolText('Only this pool of the token, instead of all.'));

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
      'How far history from before the index has been filled in: trades and klines newest first, which moves `tradesFrom` and `klinesFrom` back, and transfers, after which `holdersComplete` may become true. On Solana only holders are: they are listed once.',
  },
);

const historySchema = Type.Object(
  {
    source: Type.String({ description: 'The archives, by host; several with commas.' }),
    provedBy: Type.Enum(['receipts', 'rows', 'none'], {
      description:
        '`receipts`: every block by its hash and the root of its receipts, with the hash from the own node. `rows`: some blocks could not be proved and were compared with the node in samples. `none`: neither.',
    }),
    from: Type.Integer({ description: 'Of the first block from there, in Unix milliseconds.' }),
    to: Type.Integer({ description: 'Of the last one, in Unix milliseconds.' }),
  },
  {
    title: 'History',
    additionalProperties: false,
    description:
      'Blocks that came from archives that the operator named, not from the own nodes. Senders and hashes of transactions are in no proof: a share of the blocks was compared.',
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
    history: Type.Union([historySchema, Type.Null()], {
      description: 'Null if every block came from the own nodes.',
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

const launchpadSchema = Type.Object(
  {
    venue: Type.String(),
    progressPct: numberOrNull('How much of the curve is sold, in per cent.'),
    graduatedAt: integerOrNull('When its pool opened, in Unix milliseconds; null before.'),
  },
  { title: 'Launchpad', additionalProperties: false },
);

const summaryFields = {
  chain: chainSlugSchema,
  mint: Type.String({ description: "The token's address." }),
  symbol: textOrNull(
    "What the contract calls itself, or where it does not say, what a token list calls it: a stranger's text, at most 64 characters.",
  ),
  name: textOrNull("From the same source as `symbol`: a stranger's text, at most 64 characters."),
  decimals: integerOrNull('Raw units in a unit, as a power of ten.'),
  logoUrl: textOrNull(
    'The logo that one of those lists names, served by this server (`/token/logo`); null without one.',
  ),
  verified: Type.Array(Type.String(), {
    description: "Names of the operator's token lists that vouch for this address.",
  }),
  links: Type.Union([linksSchema, Type.Null()], {
    description: 'As those lists give them, https only; null where they give none.',
  }),
  launchpad: Type.Union([launchpadSchema, Type.Null()], {
    description: 'The launchpad whose curve sells it, or did; null for other tokens.',
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

/** What a model gets of a token in a list, unless it asks for all. */
export const BRIEF_TOKEN_FIELDS = [
  ...['chain', 'mint', 'symbol', 'name', 'decimals', 'verified', 'launchpad', 'priceUsd'],
  ...['priceChange24hPct', 'volume24hUsd', 'liquidityUsd', 'marketCapUsd', 'holders', 'createdAt'],
  'warnings',
];

/** Known when it is sent, not when the summary was made. */
export const warningsSchema = Type.Array(Type.String(), {
  description:
    'Codes of `/token/safety` that a buyer must see, `LOOKALIKE`, and as measured in its deepest pool `UNSELLABLE`, `TAXED_TOKEN`, `SELL_GAS_HIGH`. Empty also if nothing was measured: `/token/safety` says what is known, and why.',
});

export const foundTokenSchema = Type.Object(
  { ...summaryFields, warnings: warningsSchema },
  { title: 'FoundToken', additionalProperties: false },
);

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

/** The lengths of rolling windows. */
export const WINDOW_NAMES = ['5m', '15m', '30m', '1h', '6h', '24h'] as const;

export const windowInput = (description: string) =>
  Type.Enum([...WINDOW_NAMES], { default: '24h', description });

export const windowsSchema = Type.Object(
  {
    ...{ '5m': windowSchema, '15m': windowSchema, '30m': windowSchema },
    ...{ '1h': windowSchema, '6h': windowSchema, '24h': windowSchema },
  },
  {
    title: 'Windows',
    additionalProperties: false,
    description:
      "Each window ends at the chain's time (`asOf.timestamp`); a trade leaves it when its time has passed.",
  },
);

export const listedTokenSchema = Type.Object(
  {
    ...summaryFields,
    warnings: warningsSchema,
    windows: windowsSchema,
    sparkline: Type.Optional(
      Type.Array(Type.Union([Type.String(), Type.Null()]), {
        minItems: 48,
        maxItems: 48,
        description:
          'USD prices at the end of each half hour of the last 24 hours, the oldest first; absent unless asked for.',
      }),
    ),
  },
  { title: 'ListedToken', additionalProperties: false },
);

const poolTokenFields = {
  mint: Type.String(),
  symbol: textOrNull("A stranger's text."),
  name: textOrNull("A stranger's text."),
  decimals: integerOrNull(''),
} as const;

const BASE_TEXT = 'The token that is priced.';
const QUOTE_TEXT = 'The token it is priced in.';

const poolToken = (description: string) =>
  Type.Object(poolTokenFields, { additionalProperties: false, description });

/** With what `/token` says of it, where that is asked for. */
const detailedPoolToken = (description: string) => {
  const { priceUsd, priceNative, marketCapUsd, logoUrl, links } = summaryFields;
  const figures = Type.Partial(
    Type.Object({ priceUsd, priceNative, marketCapUsd, logoUrl, links }),
  );
  return Type.Object(
    { ...poolTokenFields, ...figures.properties },
    { additionalProperties: false, description },
  );
};

export const poolFields = {
  chain: chainSlugSchema,
  address: Type.String({ description: "The pool's address; on Uniswap V4 its 32-byte id." }),
  venue: Type.String(),
  kind: Type.String({
    description:
      'How it swaps: `constantProduct`, `concentrated`, `solidlyPair` …; `tradesOnly` if that is not computed.',
  }),
  feePips: integerOrNull(
    'In 1e-6; for a fee that changes, that of the newest indexed block as far as it is known; null if it is not known.',
  ),
  base: poolToken(BASE_TEXT),
  quote: poolToken(QUOTE_TEXT),
  liquidityUsd: textOrNull('The value that the pool holds, as of its last event.'),
  priceNative: textOrNull('Native coin per unit of the base token, by its last trade here.'),
  priceUsd: textOrNull('USD per unit of the base token, by its last trade here.'),
  priceQuote: textOrNull(
    'Units of the quote token per unit of the base token, by its last trade here; before one, and between two native, two stable or two other tokens, by the state of the pool.',
  ),
  volume24hUsd: textOrNull('Value traded in the last 24 hours of the chain.'),
  createdAt: integerOrNull('Unix milliseconds; null if it is older than the index.'),
  tradable: Type.Boolean({
    description:
      'Whether this server quotes and builds trades in it: the venue is supported, the pool has a price, and its swaps can be computed. It says nothing about the tokens.',
  }),
} as const;

export const detailedPoolFields = {
  ...poolFields,
  base: detailedPoolToken(BASE_TEXT),
  quote: detailedPoolToken(QUOTE_TEXT),
} as const;

const amountSchema = Type.Object(
  { amountRaw: Type.String(), amount: textOrNull('In units; null if its decimals are unknown.') },
  { additionalProperties: false },
);

export const reservesSchema = Type.Union(
  [
    Type.Object({ base: amountSchema, quote: amountSchema }, { additionalProperties: false }),
    Type.Null(),
  ],
  { description: 'What its positions hold, without fees that are owed; null if unknown.' },
);

const poolSchema = Type.Object(poolFields, { title: 'Pool', additionalProperties: false });

export const tokenSchema = Type.Object(
  {
    ...summaryFields,
    windows: windowsSchema,
    totalSupplyRaw: textOrNull('As reported by the token contract.'),
    pools: Type.Array(poolSchema, { description: 'The deepest first, at most 50.' }),
    lookalikeOf: Type.Union(
      [
        Type.Object(
          { chain: chainSlugSchema, mint: Type.String(), symbol: textOrNull('') },
          { additionalProperties: false },
        ),
        Type.Null(),
      ],
      {
        description:
          'A token of a list that it can be mistaken for, by symbol or name; null if there is none.',
      },
    ),
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
    open: Type.String({
      description:
        'Always a price. Where no trade of the interval set one, the last close before; candles before the first price are left out.',
    }),
    high: Type.String(),
    low: Type.String(),
    close: Type.String(),
    volume: textOrNull('Units of the token; null if its decimals are unknown.'),
    quoteVolume: Type.String({ description: 'The total value, in `currency`.' }),
    trades: Type.Integer({ minimum: 0 }),
    buys: Type.Integer({ minimum: 0 }),
    sells: Type.Integer({ minimum: 0 }),
    closed: Type.Boolean({ description: 'Whether the chain has passed the end of the interval.' }),
    filled: Type.Boolean({
      description:
        'Whether the prices are the last close before: no trade of the interval set one, or `fill=previous` added it (`trades` is 0).',
    }),
  },
  { title: 'Kline', additionalProperties: false },
);

export const tradeSchema = Type.Object(
  {
    id: Type.String({
      description:
        '`chain:txHash:index`. A swap between two tokens may be a trade of each, with one id: among trades of several tokens, `id` and mint together are unique.',
    }),
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
