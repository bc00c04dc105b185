// Schemas of trades: the input and the quote.

import Type from 'typebox';
import { chainSlugSchema } from './chain-schema.ts';
import { chainInput, mintInput } from './market-schemas.ts';

const SLIPPAGE_BPS_MAX = 5000;
const SLIPPAGE_BPS_DEFAULT = 50;

/** How the native coin is named among tokens. */
export const NATIVE_ADDRESS = 'The native coin is the zero address on EVM chains.';

/** The input fields that quote and build share. */
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
    description: 'How much less than the quote you accept, in 1/100 of a per cent.',
  }),
  quoteMint: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 64,
      description: `Address of the asset that the token is bought with or sold for. The default is the native coin. ${NATIVE_ADDRESS}`,
    }),
  ),
};

export const rawAmount = (description: string) => Type.String({ description });
const textOrNull = (description: string) =>
  Type.Union([Type.String(), Type.Null()], { description });
const bpsOrNull = (description: string) =>
  Type.Union([Type.Number({ minimum: 0 }), Type.Null()], { description });
const time = (description: string) => Type.Integer({ minimum: 0, description });

const assetFields = {
  mint: Type.String({ description: NATIVE_ADDRESS }),
  symbol: textOrNull('From the token contract: untrusted text.'),
  decimals: Type.Union([Type.Integer({ minimum: 0 }), Type.Null()]),
  native: Type.Boolean({ description: 'Whether it is the native coin, not its wrapped token.' }),
  amountRaw: rawAmount('In the smallest unit.'),
  amount: textOrNull('In whole units; null if the contract reports no decimals.'),
};

const hopSchema = Type.Object(
  {
    venue: Type.String(),
    pool: Type.String({ description: "The pool's address, or its id on V4." }),
    tokenIn: Type.String({
      description: `The native or the wrapped coin, whichever the pool holds. ${NATIVE_ADDRESS}`,
    }),
    tokenOut: Type.String(),
    amountInRaw: rawAmount('What this route pays into the pool.'),
    amountOutRaw: rawAmount('What this route gets from the pool.'),
    feePips: Type.Integer({ minimum: 0, description: 'The fee in this direction, in 1e-6.' }),
  },
  { title: 'TradeHop', additionalProperties: false },
);

const legSchema = Type.Object(
  {
    shareBps: Type.Integer({
      minimum: 0,
      maximum: 10_000,
      description: 'The share of the input that takes this route.',
    }),
    hops: Type.Array(hopSchema),
  },
  { title: 'TradeLeg', additionalProperties: false },
);

const feeSchema = Type.Object(
  {
    kind: Type.Enum(['lp', 'protocol', 'creator', 'tokenTax', 'transfer']),
    bps: Type.Number({
      minimum: 0,
      description: 'Relative to the amount that the fee is taken from.',
    }),
    amountRaw: rawAmount('Already deducted from the output.'),
    mint: Type.String({ description: 'The token that the fee is taken in.' }),
  },
  { title: 'TradeFee', additionalProperties: false },
);

const networkCostSchema = Type.Object(
  {
    gas: rawAmount('Gas of the swap alone; approvals before it cost extra.'),
    maxFeePerGas: rawAmount('In the smallest unit of the native coin.'),
    totalRaw: rawAmount('The most that the swap can cost, in the same unit.'),
  },
  { title: 'NetworkCost', additionalProperties: false },
);

const tokenSafetySchema = Type.Object(
  {
    buyTaxBps: bpsOrNull('What the token deducts when it is bought.'),
    sellTaxBps: bpsOrNull('What the token deducts when it is sold.'),
    sellable: Type.Union([Type.Boolean(), Type.Null()], {
      description: 'Whether it could be sold again; null if it could not be bought.',
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
      { ...assetFields, minAmountRaw: rawAmount('The minimum after slippage.') },
      { title: 'TradeOutput', additionalProperties: false },
    ),
    slippageBps: Type.Integer({ minimum: 0, maximum: SLIPPAGE_BPS_MAX }),
    spotPrice: textOrNull('Quote asset per token before the trade, without fees.'),
    executionPrice: textOrNull('Quote asset per token that the trade gets, with fees.'),
    priceImpactBps: Type.Number({
      minimum: 0,
      description: 'How far the trade itself moves the price, without fees and taxes.',
    }),
    route: Type.Array(legSchema, {
      description:
        'The largest route first. A pool shared by several routes is swapped in once; each route shows its part.',
    }),
    fees: Type.Array(feeSchema),
    networkCost: Type.Union([networkCostSchema, Type.Null()], {
      description: 'Null until the node has reported its fees.',
    }),
    tokenSafety: Type.Union([tokenSafetySchema, Type.Null()], {
      description: 'Null until it has been measured in the background.',
    }),
    state: Type.Object(
      {
        block: Type.Integer({ minimum: 0 }),
        blockHash: Type.String(),
        ageMs: Type.Integer({ minimum: 0, description: 'The age of that block.' }),
      },
      { additionalProperties: false, description: 'The state that the quote was priced on.' },
    ),
    exact: Type.Boolean({
      description:
        'Whether the same trade, executed on that state, pays `output.amountRaw` to the last unit.',
    }),
    expiresAt: time('When `quoteId` expires, in Unix milliseconds.'),
    warnings: Type.Array(
      Type.Object(
        {
          code: Type.String({ description: 'A stable code; new ones may be added.' }),
          message: Type.String(),
        },
        { title: 'TradeWarning', additionalProperties: false },
      ),
    ),
  },
  { title: 'Quote', additionalProperties: false },
);
