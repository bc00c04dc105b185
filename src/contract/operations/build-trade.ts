// POST /trade/build

import Type from 'typebox';
import { defineOperation } from '../operation.ts';
import {
  NATIVE_ADDRESS,
  quoteSchema,
  rawAmount,
  tradeInputFields,
} from '../schemas/trade-schemas.ts';
import {
  permitSchema,
  unsignedTransactionSchema,
  walletCallsSchema,
} from '../schemas/transaction-schemas.ts';
import { TRADE_ERRORS } from './trade-errors.ts';

const DEADLINE_SECONDS = { default: 600, minimum: 30, maximum: 3600 } as const;

const shortfall = (description: string) =>
  Type.Optional(
    Type.Object(
      {
        mint: Type.String({ description: NATIVE_ADDRESS }),
        requiredRaw: rawAmount('What the transactions need.'),
        actualRaw: rawAmount('What the wallet has.'),
      },
      { additionalProperties: false, description },
    ),
  );

const simulationSchema = Type.Object(
  {
    status: Type.Enum(['ok', 'skipped'], {
      description:
        '`skipped` if the node cannot simulate, or cannot simulate with the missing balance.',
    }),
    assumed: Type.Array(Type.Enum(['balance', 'nativeForFees', 'permit']), {
      description:
        'What the simulation assumed: what the wallet lacks (`issues` says how much), and the permit until it is signed.',
    }),
    amountInRaw: Type.Optional(
      Type.String({ description: 'What the wallet spent; only if `amountOutRaw` was given.' }),
    ),
    amountOutRaw: Type.Union([Type.String(), Type.Null()], {
      description: 'What the wallet received.',
    }),
    gasUsed: Type.Union([Type.String(), Type.Null()], { description: 'By all transactions.' }),
    block: Type.Integer({ minimum: 0, description: 'The block that the simulation ran on.' }),
    blockTime: Type.Optional(
      Type.Integer({
        minimum: 0,
        description:
          'The time that the simulation gave to the next block, in Unix milliseconds; only if a pool charges a fee that depends on it. `exact` then holds in a block of that time.',
      }),
    ),
  },
  { title: 'TradeSimulation', additionalProperties: false },
);

const issuesSchema = Type.Object(
  {
    balance: shortfall('The wallet holds less than the trade may spend.'),
    allowance: Type.Optional(
      Type.Object(
        {
          mint: Type.String(),
          spender: Type.String({ description: 'The contract whose allowance is too low.' }),
          requiredRaw: rawAmount('What the swap takes.'),
          actualRaw: rawAmount('The allowance now.'),
        },
        {
          additionalProperties: false,
          description: 'The transactions before the swap fix this.',
        },
      ),
    ),
    nativeForFees: shortfall(
      'The wallet holds too little native coin for the value sent and the highest fees.',
    ),
  },
  { title: 'TradeIssues', additionalProperties: false },
);

const tradeSplitSchema = Type.Object(
  {
    walletCalls: walletCallsSchema,
    deadline: Type.Integer({ minimum: 0, description: 'In Unix milliseconds.' }),
    amountOutRaw: rawAmount('What the batch was simulated to pay.'),
    minAmountOutRaw: rawAmount('The sum of the minimums; never below `quote.output.minAmountRaw`.'),
    gainBps: Type.Integer({
      minimum: 5,
      description: 'How much more it pays than `transactions`, after the network fees of both.',
    }),
    parts: Type.Array(
      Type.Object(
        {
          router: Type.String(),
          amountInRaw: rawAmount('What this call spends.'),
          amountOutRaw: rawAmount('What it pays.'),
          minAmountOutRaw: rawAmount('If it would pay less, its router reverts.'),
        },
        { title: 'TradeSplitPart', additionalProperties: false },
      ),
      { minItems: 2, maxItems: 3, description: 'In order of execution.' },
    ),
    summary: Type.Array(Type.String(), { description: 'For the person who signs.' }),
  },
  {
    title: 'TradeSplit',
    additionalProperties: false,
    description:
      'The same trade over several routers, in place of `transactions`: null unless that pays at least 5 bps more. Each router enforces its own part\'s minimum; that all calls happen or none is guaranteed by the wallet alone, so send it only to one that executes batches atomically. On EVM chains, with a given input, `approval: "onchain"` and no fee.',
  },
);

export const buildTrade = defineOperation({
  id: 'buildTrade',
  method: 'POST',
  path: '/trade/build',
  tag: 'Trading',
  access: 'session',
  summary: 'Build the transactions of a trade',
  description:
    'Prices the trade again on the head of the chain and returns its transactions: unsigned, in signing order, with gas, fees, nonces and deadline. The wallet of the session pays and receives. The whole sequence has been simulated: what the wallet lacks is assumed and listed in `issues`; a trade that reverts anyway is priced again once, then answered with 409. If the simulation is better than the price, the minimum or maximum follows it. With a `quoteId` the minimum is at least that of the quote, or the maximum at most that of the quote. This service has no private key and sends nothing: read `summary`, sign, send, and check `GET /trade/status` before you send again.',
  cost: 'build',
  cacheControl: 'no-store',
  input: Type.Object(
    {
      ...tradeInputFields,
      quoteId: Type.Optional(
        Type.String({
          minLength: 1,
          maxLength: 2400,
          description:
            'Of a quote for exactly the same trade; the minimum or maximum of that quote must be met.',
        }),
      ),
      deadlineSeconds: Type.Integer({
        ...DEADLINE_SECONDS,
        description:
          'After this many seconds the swap can no longer be executed; with the warning `NO_DEADLINE` it can. On Solana it does nothing: a transaction ends after 150 blocks, about a minute.',
      }),
      jitoTipLamports: Type.Optional(
        Type.String({
          ...{ minLength: 1, maxLength: 24 },
          description:
            "On Solana: a tip for Jito's block engine, from 1000 to 1000000000 lamports, paid by an instruction of the transaction itself. Whoever sends the transaction there needs it; elsewhere it is paid for nothing.",
        }),
      ),
      approval: Type.Enum(['onchain', 'permit'], {
        default: 'onchain',
        description:
          "How the router gets to take what is spent: by approval transactions for exactly this trade, or by a signed message (`permit`): Permit2's, which needs one unlimited approval of Permit2 for each token first, or with routers of other exchanges the token's own (EIP-2612, DAI's form). Where router or token has none, and for the native coin, it is built as with `onchain`.",
      }),
      permitSignature: Type.Optional(
        Type.String({
          minLength: 1,
          maxLength: 4000,
          description:
            "The wallet's signature of the `permit` of an earlier build. Also send the `quoteId` of that build, and otherwise the same fields.",
        }),
      ),
    },
    { additionalProperties: false },
  ),
  output: Type.Object(
    {
      quote: quoteSchema,
      wallet: Type.String({ description: 'The wallet that pays and signs.' }),
      recipient: Type.String({ description: 'The wallet that receives: always the same one.' }),
      deadline: Type.Union([Type.Integer({ minimum: 0 }), Type.Null()], {
        description:
          'In Unix milliseconds. Null on Solana, where `lastValidBlockHeight` of the transaction says when it ends.',
      }),
      simulation: simulationSchema,
      issues: issuesSchema,
      summary: Type.Array(Type.String(), {
        description: 'What will happen, for the person who signs.',
      }),
      transactions: Type.Array(unsignedTransactionSchema, {
        description:
          'In signing order. With a `permit` only those before the swap, which may be none.',
      }),
      permit: Type.Optional(permitSchema),
      walletCalls: Type.Optional(walletCallsSchema),
      split: Type.Union([tradeSplitSchema, Type.Null()]),
    },
    { title: 'BuiltTrade', additionalProperties: false },
  ),
  errors: [
    ...TRADE_ERRORS,
    'INVALID_QUOTE_ID',
    'WALLET_CHAIN_MISMATCH',
    'QUOTE_EXPIRED',
    'QUOTE_MISMATCH',
    'PRICE_MOVED',
    'PERMIT_OUTDATED',
    'SIMULATION_REVERTED',
  ],
});
