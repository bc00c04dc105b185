// GET /udf/…: a data feed for TradingView's charts, in their UDF protocol. It has seconds, numbers
// and lists where the rest of the API has milliseconds, texts and objects.

import Type from 'typebox';
import { defineOperation } from '../operation.ts';
import { emptyInput } from '../schemas/empty-input.ts';
import { TOKEN_ERRORS } from './token-errors.ts';

/** Resolutions as charts name them, with our intervals. */
export const UDF_RESOLUTIONS = {
  '1S': '1s',
  '5S': '5s',
  '15S': '15s',
  '30S': '30s',
  '1': '1m',
  '3': '3m',
  '5': '5m',
  '15': '15m',
  '30': '30m',
  '60': '1h',
  '120': '2h',
  '240': '4h',
  '360': '6h',
  '480': '8h',
  '720': '12h',
  '1D': '1d',
  '3D': '3d',
  '1W': '1w',
  '1M': '1M',
} as const;

export type UdfResolution = keyof typeof UDF_RESOLUTIONS;

/** In the order of charts, which an object would not keep. */
export const UDF_RESOLUTION_LIST: readonly UdfResolution[] = [
  ...(['1S', '5S', '15S', '30S', '1', '3', '5', '15', '30', '60'] as const),
  ...(['120', '240', '360', '480', '720', '1D', '3D', '1W', '1M'] as const),
];
const SECONDS_MAX = 10_000_000_000;
const COUNT_MAX = 50_000;
const SEARCH_LIMIT_MAX = 100;

const symbolInput = Type.String({
  minLength: 1,
  maxLength: 200,
  description:
    '`chain:mint`, the `ticker` of a symbol. `chain:symbol` and a symbol alone find the token that a search finds first.',
});
const resolutionInput = Type.String({
  minLength: 1,
  maxLength: 8,
  description:
    'One of `supported_resolutions` of `/udf/config`; `D`, `W` and `M` mean one of them.',
});
const secondsInput = (description: string) =>
  Type.Integer({ minimum: 0, maximum: SECONDS_MAX, description });
const resolutionsSchema = Type.Array(Type.String());
/** Sent by charts that convert currencies and units, which this feed does not. */
const unusedInput = Type.Optional(Type.String({ maxLength: 64, description: 'Ignored.' }));

const faultSchema = Type.Object(
  { s: Type.Enum(['error']), errmsg: Type.String() },
  { title: 'UdfError', additionalProperties: false },
);

const FAULT_TEXT =
  'A symbol that is not known is `{"s": "error"}` with status 200, as the protocol demands.';

export const getUdfConfig = defineOperation({
  id: 'getUdfConfig',
  method: 'GET',
  path: '/udf/config',
  tag: 'Charts',
  summary: 'Describe the data feed to a chart',
  description: 'What the feed supports. Each followed chain is an exchange.',
  cost: 'read',
  cacheControl: 'public, max-age=60',
  input: emptyInput,
  output: Type.Object(
    {
      supports_search: Type.Boolean(),
      supports_group_request: Type.Boolean(),
      supports_marks: Type.Boolean(),
      supports_timescale_marks: Type.Boolean(),
      supports_time: Type.Boolean(),
      supported_resolutions: resolutionsSchema,
      exchanges: Type.Array(
        Type.Object(
          { value: Type.String(), name: Type.String(), desc: Type.String() },
          { additionalProperties: false },
        ),
      ),
      symbols_types: Type.Array(
        Type.Object({ name: Type.String(), value: Type.String() }, { additionalProperties: false }),
      ),
    },
    { title: 'UdfConfig', additionalProperties: false },
  ),
});

const symbolSchema = Type.Object(
  {
    name: Type.String({ description: "The token's symbol, which a stranger wrote." }),
    ticker: Type.String({ description: '`chain:mint`; identifies the token.' }),
    description: Type.String({ description: "The token's name, which a stranger wrote." }),
    type: Type.String(),
    session: Type.String(),
    timezone: Type.String(),
    exchange: Type.String({ description: 'The slug of the chain.' }),
    listed_exchange: Type.String(),
    format: Type.String(),
    minmov: Type.Integer(),
    pricescale: Type.Integer({
      description: 'A power of ten, so that prices are shown with about six digits.',
    }),
    has_intraday: Type.Boolean(),
    has_seconds: Type.Boolean(),
    has_daily: Type.Boolean(),
    has_weekly_and_monthly: Type.Boolean(),
    seconds_multipliers: resolutionsSchema,
    intraday_multipliers: resolutionsSchema,
    daily_multipliers: resolutionsSchema,
    supported_resolutions: resolutionsSchema,
    volume_precision: Type.Integer(),
    data_status: Type.String(),
    currency_code: Type.String(),
  },
  { title: 'UdfSymbol', additionalProperties: false },
);

export const getUdfSymbol = defineOperation({
  id: 'getUdfSymbol',
  method: 'GET',
  path: '/udf/symbols',
  tag: 'Charts',
  summary: 'Resolve a symbol for a chart',
  description: `The token behind a symbol. Prices are in US dollars. ${FAULT_TEXT}`,
  cost: 'search',
  cacheControl: 'public, max-age=10',
  input: Type.Object(
    { symbol: symbolInput, currencyCode: unusedInput, unitId: unusedInput },
    { additionalProperties: false },
  ),
  output: Type.Union([symbolSchema, faultSchema]),
  errors: [...TOKEN_ERRORS],
});

export const searchUdf = defineOperation({
  id: 'searchUdf',
  method: 'GET',
  path: '/udf/search',
  tag: 'Charts',
  summary: 'Find symbols for a chart',
  description:
    'In the order of `/tokens/search`; without a text the tokens with the highest volume.',
  cost: 'search',
  cacheControl: 'public, max-age=1',
  input: Type.Object(
    {
      query: Type.String({
        maxLength: 64,
        default: '',
        description: 'As `q` of `/tokens/search`, or empty.',
      }),
      type: Type.Optional(Type.String({ maxLength: 32, description: 'Ignored.' })),
      exchange: Type.String({
        maxLength: 64,
        default: '',
        description: 'The slug of a chain; all if it is empty.',
      }),
      limit: Type.Integer({ minimum: 1, maximum: SEARCH_LIMIT_MAX, default: 30 }),
    },
    { additionalProperties: false },
  ),
  output: Type.Array(
    Type.Object(
      {
        symbol: Type.String(),
        full_name: Type.String(),
        description: Type.String(),
        exchange: Type.String(),
        ticker: Type.String(),
        type: Type.String(),
      },
      { title: 'UdfSearchResult', additionalProperties: false },
    ),
  ),
  errors: [
    ...(['UNKNOWN_CHAIN', 'CHAIN_NOT_FOLLOWED', 'NOT_READY', 'LOOKUP_PENDING'] as const),
    'LOOKUPS_NOT_INCLUDED',
  ],
});

const numbersSchema = (description: string) => Type.Array(Type.Number(), { description });

export const getUdfHistory = defineOperation({
  id: 'getUdfHistory',
  method: 'GET',
  path: '/udf/history',
  tag: 'Charts',
  summary: 'List candles for a chart',
  description: `The candles of \`/token/klines\` in US dollars, without false wicks, ascending. \`from\` is inclusive, \`to\` is not. With \`countback\` there are that many candles before \`to\`, as far back as that takes, and \`from\` does not matter. At most 1,000 without credentials and 5,000 with, the newest. Intervals without a trade are left out. ${FAULT_TEXT}`,
  cost: 'read',
  costBy: 'rows',
  cacheControl: 'public, max-age=1',
  input: Type.Object(
    {
      symbol: symbolInput,
      resolution: resolutionInput,
      from: Type.Optional(secondsInput('Unix seconds, inclusive.')),
      to: secondsInput('Unix seconds, exclusive.'),
      countback: Type.Optional(
        Type.Integer({ minimum: 1, maximum: COUNT_MAX, description: 'How many candles.' }),
      ),
      currencyCode: unusedInput,
      unitId: unusedInput,
    },
    { additionalProperties: false },
  ),
  output: Type.Union([
    Type.Object(
      {
        s: Type.Enum(['ok']),
        t: Type.Array(Type.Integer(), { description: 'Opening times in Unix seconds.' }),
        o: numbersSchema('Opening prices.'),
        h: numbersSchema('Highest prices.'),
        l: numbersSchema('Lowest prices.'),
        c: numbersSchema('Closing prices.'),
        v: numbersSchema('Volumes in units of the token.'),
      },
      { title: 'UdfHistory', additionalProperties: false },
    ),
    Type.Object(
      {
        s: Type.Enum(['no_data']),
        nextTime: Type.Optional(
          Type.Integer({ description: 'The newest candle before `from`, in Unix seconds.' }),
        ),
      },
      { title: 'UdfNoData', additionalProperties: false },
    ),
    faultSchema,
  ]),
  errors: [...TOKEN_ERRORS],
});

export const getUdfTime = defineOperation({
  id: 'getUdfTime',
  method: 'GET',
  path: '/udf/time',
  tag: 'Charts',
  summary: "Get the server's time for a chart",
  description: 'Unix seconds, as a number.',
  cost: 'read',
  cacheControl: 'no-store',
  input: emptyInput,
  output: Type.Integer({ description: 'Unix seconds.' }),
});

export const getUdfMarks = defineOperation({
  id: 'getUdfMarks',
  method: 'GET',
  path: '/udf/marks',
  tag: 'Charts',
  summary: 'List marks on the candles of a chart',
  description: "A mark for each of the token's pools that was created in that time.",
  cost: 'read',
  cacheControl: 'public, max-age=10',
  input: Type.Object(
    {
      symbol: symbolInput,
      from: secondsInput('Unix seconds, inclusive.'),
      to: secondsInput('Unix seconds, inclusive.'),
      resolution: resolutionInput,
    },
    { additionalProperties: false },
  ),
  output: Type.Array(
    Type.Object(
      {
        id: Type.String(),
        time: Type.Integer({ description: 'Unix seconds.' }),
        color: Type.String(),
        text: Type.String(),
        label: Type.String(),
        labelFontColor: Type.String(),
        minSize: Type.Integer(),
      },
      { title: 'UdfMark', additionalProperties: false },
    ),
  ),
  errors: [...TOKEN_ERRORS],
});
