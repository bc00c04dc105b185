// Schemas of trades: the input and the quote.

import Type from 'typebox';
import { chainSlugSchema } from './chain-schema.ts';
import { chainInput, mintInput } from './market-schemas.ts';

const SLIPPAGE_BPS_MAX = 5000;
const SLIPPAGE_BPS_DEFAULT = 50;

/** How the native coin is named among tokens. */
export const NATIVE_ADDRESS = 'The native coin is the zero address on EVM chains.';

/** What quote and build offer to be executed sooner. */
const priorityInput = Type.Union(
  [
    Type.Enum(['low', 'medium', 'high']),
    Type.Object(
      {
        microLamports: Type.String({
          ...{ minLength: 1, maxLength: 24 },
          description: 'On Solana, for a compute unit. In 1e-6 lamports.',
        }),
      },
      { additionalProperties: false },
    ),
    Type.Object(
      {
        maxPriorityFeePerGas: Type.String({
          ...{ minLength: 1, maxLength: 24 },
          description: 'In wei for a unit of gas. On EVM chains.',
        }),
      },
      { additionalProperties: false },
    ),
  ],
  {
    default: 'medium',
    description:
      'The 25th, 50th or 90th percentile of what others paid to be executed soon, or a price.',
  },
);

/** Without descriptions, as the fee: agents read all of them, and the names say it. */
const venueList = Type.Optional(Type.Array(Type.String({ maxLength: 40 }), { maxItems: 8 }));

/** The input fields that quote and build share. */
export const tradeInputFields = {
  chain: chainInput,
  mint: mintInput,
  side: Type.Enum(['buy', 'sell'], {
    description: '`buy` spends the quote asset, `sell` spends the token.',
  }),
  amountInRaw: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 200,
      description:
        'What is spent, in its smallest unit: decimal digits. Exactly one of `amountInRaw` and `amountOutRaw`.',
    }),
  ),
  amountOutRaw: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 200,
      description:
        'What is received instead of `amountInRaw`. As little as possible is spent. Where an exchange is only told what is spent, at least this arrives (`INPUT_SPENT_WHOLE`).',
    }),
  ),
  slippageBps: Type.Union(
    [Type.Integer({ minimum: 0, maximum: SLIPPAGE_BPS_MAX }), Type.Literal('auto')],
    {
      default: SLIPPAGE_BPS_DEFAULT,
      description:
        'How much less than quoted you accept, or how much more you pay with `amountOutRaw`. In 1/100 of a per cent; `auto` picks it from recent moves.',
    },
  ),
  quoteMint: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 64,
      description: `What the token trades against; by default the native coin. ${NATIVE_ADDRESS}`,
    }),
  ),
  priority: priorityInput,
  venues: venueList,
  excludeVenues: venueList,
  directOnly: Type.Optional(Type.Boolean()),
  feeBps: Type.Optional(Type.Integer({ minimum: 1, maximum: 100 })),
  feeRecipient: Type.Optional(Type.String({ maxLength: 64 })),
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

export const exchangedSchema = (description: string) =>
  Type.Union(
    [Type.Object(assetFields, { title: 'TradedAmount', additionalProperties: false }), Type.Null()],
    {
      description,
    },
  );

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
    kind: Type.Enum(['lp', 'protocol', 'creator', 'tokenTax', 'transfer', 'integrator']),
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
    gas: rawAmount(
      'Gas of the swap alone, on Arbitrum with what its data costs; approvals before it cost extra.',
    ),
    maxFeePerGas: rawAmount('In the smallest unit of the native coin.'),
    dataFeeRaw: rawAmount(
      "What OP chains charge for the transaction's data on their parent chain, beside the gas.",
    ),
    totalRaw: rawAmount(
      'The most that the swap can cost: `gas` times `maxFeePerGas`, plus `dataFeeRaw`.',
    ),
  },
  { title: 'NetworkCost', additionalProperties: false },
);

const solanaCostSchema = Type.Object(
  {
    computeUnits: rawAmount('Compute units of the transaction, by model.'),
    computeUnitPriceMicroLamports: rawAmount('Offered for a unit, by `priority`.'),
    baseFeeRaw: rawAmount('For the signature, in lamports.'),
    priorityFeeRaw: rawAmount('For the compute units, in lamports.'),
    rentRaw: rawAmount(
      'For token accounts that a wallet may have to open, in lamports; closing them returns it. In a build, for those that it does open.',
    ),
    rentReturnedRaw: Type.Optional(
      rawAmount(
        'In a build: for an account of wrapped SOL that the transaction opens and closes. The wallet must have it, and gets it back.',
      ),
    ),
    tipRaw: Type.Optional(rawAmount('In a build with `jitoTipLamports`: that tip.')),
    totalRaw: rawAmount('The most that the transaction takes: all of these together.'),
  },
  { title: 'SolanaNetworkCost', additionalProperties: false },
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
    input: Type.Object(
      {
        ...assetFields,
        maxAmountRaw: Type.Optional(
          rawAmount('The maximum after slippage; only if `amountOutRaw` was given.'),
        ),
      },
      { title: 'TradeInput', additionalProperties: false },
    ),
    output: Type.Object(
      {
        ...assetFields,
        minAmountRaw: Type.Optional(
          rawAmount('The minimum after slippage; only if `amountInRaw` was given.'),
        ),
      },
      { title: 'TradeOutput', additionalProperties: false },
    ),
    slippageBps: Type.Integer({ minimum: 0, maximum: SLIPPAGE_BPS_MAX }),
    autoSlippage: Type.Optional(
      Type.Object(
        {
          movementBps: bpsOrNull('The largest move within a minute; null if no pool traded.'),
          windowMs: time('How far back it was looked for.'),
          reason: Type.String(),
        },
        {
          title: 'AutoSlippage',
          additionalProperties: false,
          description: 'How `slippageBps` was picked; only if it was `auto`.',
        },
      ),
    ),
    spotPrice: textOrNull('Quote asset per token before the trade, without fees.'),
    executionPrice: textOrNull('Quote asset per token that the trade gets, with fees.'),
    priceImpactBps: Type.Number({
      minimum: 0,
      description: 'How far the trade itself moves the price, without fees and taxes.',
    }),
    marketPriceUsd: textOrNull('Of the token by its last trades, as `/token` has it.'),
    againstMarketBps: Type.Union([Type.Number(), Type.Null()], {
      description:
        'How much worse `executionPrice` is than that price, fees included; negative if better.',
    }),
    route: Type.Array(legSchema, {
      description:
        'The largest route first. A pool shared by several routes is swapped in once; each route shows its part.',
    }),
    fees: Type.Array(feeSchema),
    networkCost: Type.Union([networkCostSchema, solanaCostSchema, Type.Null()], {
      description:
        "Null until the node has reported its fees, on rollups also those for a transaction's data.",
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
        'Whether the same trade, executed on that state and at the time of its block, takes `input.amountRaw` and pays `output.amountRaw` to the last unit. It does not say that no other pool pays more.',
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
