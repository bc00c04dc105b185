// Schemas of wallets: what they hold, their trades and positions.

import Type from 'typebox';
import { SCOPE_NAMES } from '../../model/scope.ts';
import { chainSlugSchema } from './chain-schema.ts';
import {
  asOfSchema,
  chainInput,
  cursorInput,
  integerOrNull,
  nextCursor,
  textOrNull,
  tradeSchema,
} from './market-schemas.ts';

export const walletPageInput = {
  chain: chainInput,
  wallet: Type.String({
    minLength: 1,
    maxLength: 64,
    description: "The wallet's address on that chain, in upper or lower case.",
  }),
  limit: Type.Integer({ minimum: 1, maximum: 100, default: 100 }),
  cursor: cursorInput,
} as const;

const walletCoverageSchema = Type.Object(
  {
    scope: Type.Enum([...SCOPE_NAMES], { description: 'Which tokens of the chain are indexed.' }),
    tradesFrom: integerOrNull(
      'Trades from this time on are indexed and kept, in Unix milliseconds; of some tokens older ones, too.',
    ),
    positionsFrom: integerOrNull(
      'Positions count trades from this time on; null if that depends on the token (see `scope`).',
    ),
    tokensComplete: Type.Boolean({
      description:
        'Whether every token is indexed from the first block on. If not, tokens that the wallet holds may be missing.',
    }),
    node: Type.Union([Type.Enum(['answered', 'unavailable']), Type.Null()], {
      description:
        "Whether the chain's node answered for what the index does not have; amounts are null if it did not. Null if it was not asked.",
    }),
  },
  {
    title: 'WalletCoverage',
    additionalProperties: false,
    description: 'What is known of the wallet, to distinguish missing data from nothing.',
  },
);

/** The end of every answer about a wallet. */
export const walletOutput = {
  nextCursor,
  coverage: walletCoverageSchema,
  asOf: asOfSchema,
} as const;

const valueFields = {
  priceUsd: textOrNull('USD per unit.'),
  valueUsd: textOrNull('Amount times price.'),
} as const;

export const nativeBalanceSchema = Type.Object(
  {
    symbol: Type.String(),
    decimals: Type.Integer({ minimum: 0 }),
    amountRaw: textOrNull('Null if the node did not answer.'),
    amount: textOrNull(''),
    ...valueFields,
  },
  { title: 'NativeBalance', additionalProperties: false },
);

export const walletBalanceSchema = Type.Object(
  {
    mint: Type.String(),
    symbol: textOrNull("A stranger's text."),
    decimals: integerOrNull(''),
    amountRaw: textOrNull('Null if the node was needed and did not answer.'),
    amount: textOrNull(''),
    ...valueFields,
    verified: Type.Array(Type.String(), { description: 'Token lists that vouch for it.' }),
    source: Type.Enum(['index', 'node'], {
      description:
        '`index`: the sum of all its transfers. `node`: not all are indexed, so the contract was asked.',
    }),
  },
  { title: 'WalletBalance', additionalProperties: false },
);

export const walletTradeSchema = Type.Object(
  {
    token: Type.Object(
      {
        chain: chainSlugSchema,
        mint: Type.String(),
        symbol: textOrNull("A stranger's text."),
        decimals: integerOrNull(''),
      },
      { additionalProperties: false },
    ),
    ...tradeSchema.properties,
  },
  { title: 'WalletTrade', additionalProperties: false },
);

/** What a wallet has of a token now. */
const heldFields = {
  amountRaw: textOrNull('What the wallet holds now; null if that is not known.'),
  amount: textOrNull(''),
  averageCostUsd: textOrNull(
    'Average cost per unit of what was bought and is still held; null if nothing is.',
  ),
  costBasisUsd: Type.String({ description: 'What those units cost together.' }),
  unrealisedUsd: textOrNull('What they are worth now, less their cost; null without a price.'),
} as const;

const figureFields = {
  realisedUsd: Type.String({
    description:
      'What sold units brought above their cost, as far as it is known; may be negative.',
  }),
  volumeUsd: Type.String({
    description: 'The value of the trades; those without one add nothing.',
  }),
  buys: Type.Integer({ minimum: 0 }),
  sells: Type.Integer({ minimum: 0 }),
} as const;

const tradeTimes = {
  firstTradeAt: Type.Integer({ description: 'Unix milliseconds.' }),
  lastTradeAt: Type.Integer(),
  complete: Type.Boolean({
    description:
      'Whether the cost of everything that came in is known. False if something came without a trade, in a trade of unknown value, or if not all transfers of the token were indexed when the wallet first traded it.',
  }),
} as const;

export const positionSchema = Type.Object(
  {
    mint: Type.String(),
    symbol: textOrNull("A stranger's text."),
    decimals: integerOrNull(''),
    ...heldFields,
    ...figureFields,
    ...tradeTimes,
  },
  { title: 'Position', additionalProperties: false },
);

export const traderSchema = Type.Object(
  {
    rank: Type.Integer({ minimum: 1 }),
    wallet: Type.String({ description: 'The sender of the transactions.' }),
    ...figureFields,
    ...heldFields,
    ...tradeTimes,
  },
  { title: 'Trader', additionalProperties: false },
);
