// Trades on the wire: what is asked for and what a quote tells.

import Type from 'typebox';
import { chainSlugSchema } from './chain.ts';
import { chainInput, mintInput } from './market.ts';

const SLIPPAGE_BPS_MAX = 5000;
const SLIPPAGE_BPS_DEFAULT = 50;

/** What both operations take that price a trade. */
export const tradeInputFields = {
  chain: chainInput,
  mint: mintInput,
  side: Type.Enum(['buy', 'sell'], {
    description: '`buy` spends the quote asset, `sell` spends the token.',
  }),
  amountInRaw: Type.String({
    minLength: 1,
    maxLength: 200,
    description:
      'What is spent, in its smallest unit: a whole number in decimal digits, above 0 and below 2^256.',
  }),
  slippageBps: Type.Integer({
    minimum: 0,
    maximum: SLIPPAGE_BPS_MAX,
    default: SLIPPAGE_BPS_DEFAULT,
    description: 'How much less than the quote may be received, in 1/100 of a per cent.',
  }),
  quoteMint: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 64,
      description:
        'What the token is bought with or sold for, by address. Without it, or with the zero address, the native coin.',
    }),
  ),
};

const rawAmount = (description: string) => Type.String({ description });
const textOrNull = (description: string) =>
  Type.Union([Type.String(), Type.Null()], { description });
const bpsOrNull = (description: string) =>
  Type.Union([Type.Number({ minimum: 0 }), Type.Null()], { description });
const time = (description: string) => Type.Integer({ minimum: 0, description });

const assetFields = {
  mint: Type.String({ description: 'The zero address where it is the native coin itself.' }),
  symbol: textOrNull("What the contract calls itself: a stranger's text."),
  decimals: Type.Union([Type.Integer({ minimum: 0 }), Type.Null()]),
  native: Type.Boolean({ description: 'Whether it is the native coin itself, not its wrapping.' }),
  amountRaw: rawAmount('In the smallest unit.'),
  amount: textOrNull('In whole units; null where the contract tells no decimals.'),
};

const hopSchema = Type.Object(
  {
    venue: Type.String(),
    pool: Type.String({ description: "The pool's address, or its id on V4." }),
    tokenIn: Type.String({ description: 'The zero address where the pool holds the native coin.' }),
    tokenOut: Type.String(),
    amountInRaw: rawAmount("This route's part of what arrives in the pool."),
    amountOutRaw: rawAmount("This route's part of what the pool pays."),
    feePips: Type.Integer({ minimum: 0, description: 'The fee of this direction, in 1e-6.' }),
  },
  { title: 'TradeHop', additionalProperties: false },
);

const legSchema = Type.Object(
  {
    shareBps: Type.Integer({ minimum: 0, maximum: 10_000, description: 'Its part of the input.' }),
    hops: Type.Array(hopSchema),
  },
  { title: 'TradeLeg', additionalProperties: false },
);

const feeSchema = Type.Object(
  {
    kind: Type.Enum(['lp', 'protocol', 'creator', 'tokenTax', 'transfer']),
    bps: Type.Number({ minimum: 0, description: 'Of what it was taken from.' }),
    amountRaw: rawAmount('Already part of the output that is told.'),
    mint: Type.String({ description: 'The token that it is taken in.' }),
  },
  { title: 'TradeFee', additionalProperties: false },
);

const networkCostSchema = Type.Object(
  {
    gas: rawAmount('Gas of the swap itself; approvals before it come on top.'),
    maxFeePerGas: rawAmount('In wei.'),
    totalRaw: rawAmount('The most that the swap can cost in the native coin, in wei.'),
  },
  { title: 'NetworkCost', additionalProperties: false },
);

const tokenSafetySchema = Type.Object(
  {
    buyTaxBps: bpsOrNull('What the token keeps when it is bought.'),
    sellTaxBps: bpsOrNull('What the token keeps when it is sold.'),
    sellable: Type.Union([Type.Boolean(), Type.Null()], {
      description: 'Whether it could be sold again; null where it could not even be bought.',
    }),
    checkedAt: time('When the round trip was simulated, in Unix milliseconds.'),
  },
  { title: 'TokenSafety', additionalProperties: false },
);

export const quoteSchema = Type.Object(
  {
    quoteId: Type.String({ description: 'Binds a build to this quote until it expires.' }),
    chain: chainSlugSchema,
    mint: Type.String(),
    side: Type.Enum(['buy', 'sell']),
    input: Type.Object(assetFields, { title: 'TradeInput', additionalProperties: false }),
    output: Type.Object(
      { ...assetFields, minAmountRaw: rawAmount('The least that the slippage allows.') },
      { title: 'TradeOutput', additionalProperties: false },
    ),
    slippageBps: Type.Integer({ minimum: 0, maximum: SLIPPAGE_BPS_MAX }),
    spotPrice: textOrNull('Quote asset per token before the trade, fees aside.'),
    executionPrice: textOrNull('Quote asset per token that the trade gets, fees included.'),
    priceImpactBps: Type.Number({
      minimum: 0,
      description: 'What the trade itself moves the price by, fees and taxes aside.',
    }),
    route: Type.Array(legSchema, {
      description:
        'The largest first. A pool that several share is swapped in once; each tells its part.',
    }),
    fees: Type.Array(feeSchema),
    networkCost: Type.Union([networkCostSchema, Type.Null()], {
      description: 'Null until the node has told its fees.',
    }),
    tokenSafety: Type.Union([tokenSafetySchema, Type.Null()], {
      description: 'Null until it has been measured, which happens in the background.',
    }),
    state: Type.Object(
      {
        block: Type.Integer({ minimum: 0 }),
        blockHash: Type.String(),
        ageMs: Type.Integer({ minimum: 0, description: 'How long ago that block was made.' }),
      },
      { additionalProperties: false, description: 'What the quote is true of.' },
    ),
    exact: Type.Boolean({
      description:
        'Whether the same trade, executed on that state, pays `output.amountRaw` to the last unit.',
    }),
    expiresAt: time('When `quoteId` runs out, in Unix milliseconds.'),
    warnings: Type.Array(
      Type.Object(
        {
          code: Type.String({ description: 'A stable word; new ones may be added.' }),
          message: Type.String(),
        },
        { title: 'TradeWarning', additionalProperties: false },
      ),
    ),
  },
  { title: 'Quote', additionalProperties: false },
);
