// GET /token/safety

import Type from 'typebox';
import { HOOK_CLASSES } from '../../model/pool-hook.ts';
import { defineOperation } from '../operation.ts';
import { asOfSchema, chainInput, mintInput } from '../schemas/market-schemas.ts';
import { TOKEN_ERRORS } from './token-errors.ts';

const bpsOrNull = (description: string) =>
  Type.Union([Type.Number({ minimum: 0 }), Type.Null()], { description });

const pips = (description: string) =>
  Type.Union([Type.Integer({ minimum: 0 }), Type.Null()], { description });

const hookSchema = Type.Object(
  {
    address: Type.String(),
    class: Type.Enum([...HOOK_CLASSES], {
      description:
        'What it can do, by the calls that its address says it gets: liquidity (it is never called at swaps), fee (neither, but it sets the fee whenever it likes), after (it is called after swaps: it can trade then, or refuse), before (it can change the pool first, set the fee, or refuse), delta (it can take a part of what is paid or received, or replace the swap). What swaps pay in pools with the last two is asked of the hook, for one amount.',
    }),
    flags: Type.Array(Type.String(), {
      description: "The calls that it gets, by the protocol's names.",
    }),
    setsFee: Type.Boolean({ description: 'Whether it sets the fee, which no log tells.' }),
    buyFeePips: pips(
      'What buying the token cost in all in the last simulated round trip, in 1e-6; null if that was not measured.',
    ),
    sellFeePips: pips('The same for selling it.'),
    source: Type.Literal('index'),
  },
  { title: 'PoolHook', additionalProperties: false },
);

const pct = (description: string) => Type.Number({ minimum: 0, maximum: 100, description });

const liquiditySchema = Type.Object(
  {
    lpBurnedPct: pct(
      "The share of the pool's liquidity whose owner's key nobody has, or whose shares were destroyed.",
    ),
    lpLocked: Type.Object(
      {
        pct: pct('The share that lies in known lockers and cannot be taken out yet.'),
        until: Type.Union([Type.Integer(), Type.Null()], {
          description:
            'When the first part of it can be taken out, in Unix milliseconds; null if the locker does not tell, or never gives it back.',
        }),
        where: Type.Array(
          Type.Object(
            { name: Type.String(), address: Type.String() },
            { title: 'LiquidityLocker', additionalProperties: false },
          ),
          { description: 'The lockers; a locker that is not known counts as a holder.' },
        ),
      },
      { title: 'LockedLiquidity', additionalProperties: false },
    ),
    source: Type.Literal('contract'),
    block: Type.Integer({ description: 'The block that it was read at, on Solana the slot.' }),
  },
  { title: 'PoolLiquidityOwners', additionalProperties: false },
);

const poolSafetySchema = Type.Object(
  {
    pool: Type.String(),
    venue: Type.String(),
    buyTaxBps: bpsOrNull('What the token deducts when this pool pays it out.'),
    sellTaxBps: bpsOrNull('What the token deducts when it is paid into this pool.'),
    sellable: Type.Union([Type.Boolean(), Type.Null()], {
      description: 'Whether it could be sold in this pool; null if it could not be bought.',
    }),
    checkedAt: Type.Union([Type.Integer(), Type.Null()], {
      description: 'When the round trip was simulated, in Unix milliseconds; null if not yet.',
    }),
    liquidity: Type.Union([liquiditySchema, Type.Null()], {
      description:
        'Who owns its liquidity, of the five deepest pools whose liquidity has shares (pairs of V2 and Solidly, Raydium CPMM and v4, PumpSwap); null for others, and until it was read.',
    }),
    hook: Type.Union([hookSchema, Type.Null()], {
      description: 'The contract that the pool calls around swaps; null if there is none.',
    }),
  },
  { title: 'PoolSafety', additionalProperties: false },
);

/** What can be said of every token. */
const FACT_CODES = [
  'VERIFIED',
  'LOOKALIKE_OF',
  'BUY_TAX_BPS',
  'SELL_TAX_BPS',
  'SELLABLE',
  'POOLS',
  'POOLS_CHECKED',
  'LIQUIDITY_USD',
  'FIRST_SEEN_AT',
  'SUPPLY_RAW',
  'HOLDERS',
  'TOP10_PCT',
  'OWNER',
  'MINTABLE',
  'PROXY',
  'TOKEN_PROGRAM',
  'MINT_AUTHORITY',
  'FREEZE_AUTHORITY',
  'TRANSFER_FEE_BPS',
  'TRANSFER_FEE_MAX_RAW',
  'NEXT_TRANSFER_FEE_BPS',
  'TRANSFER_HOOK',
  'PERMANENT_DELEGATE',
  'FROZEN_BY_DEFAULT',
  'PAUSE_AUTHORITY',
  'PAUSED',
  'TRANSFERABLE',
  'TOP10_ACCOUNTS_PCT',
  'LAUNCH_BUNDLE_PCT',
  'LAUNCH_BUNDLE_WALLETS',
] as const;

const factSchema = Type.Object(
  {
    code: Type.String({
      description: `A stable code; new ones may be added: ${FACT_CODES.join(', ')}.`,
    }),
    value: Type.Union([Type.String(), Type.Number(), Type.Boolean(), Type.Null()], {
      description:
        'Null if unknown; POOLS is null above 50. LOOKALIKE_OF is there only if the token can be mistaken for one that a token list vouches for: that one as chain:mint. Taxes are those of the worst pool that was checked. OWNER is the zero address if it was given up; MINTABLE says whether the bytecode has a known function that mints; PROXY whether calls go on to other code. On Solana, an authority, hook or delegate is an address, or false if there is none; TOP10_ACCOUNTS_PCT counts token accounts, pools included; LAUNCH_BUNDLE_PCT is what was bought in the block in which a launchpad opened the token, in per cent of the supply.',
    }),
    reason: Type.Optional(Type.String({ description: 'Why a fact is unknown.' })),
    source: Type.Enum(['index', 'simulation', 'list', 'contract', 'mint'], {
      description:
        "How it is known: from indexed events, from simulated round trips through pools (on Solana by the pool's mints), from the operator's token lists, or as the token's contract or its mint says.",
    }),
    block: Type.Optional(
      Type.Integer({
        description: 'The block that it is of, on Solana the slot, where that is not asOf.',
      }),
    ),
  },
  { title: 'SafetyFact', additionalProperties: false },
);

const lookalikeSchema = Type.Object(
  {
    chain: Type.String(),
    mint: Type.String(),
    symbol: Type.Union([Type.String(), Type.Null()]),
    source: Type.Literal('list'),
  },
  { title: 'SafetyLookalike', additionalProperties: false },
);

const warningSchema = Type.Object(
  {
    code: Type.String({ description: 'A stable code; new ones may be added.' }),
    message: Type.String(),
  },
  { title: 'SafetyWarning', additionalProperties: false },
);

export const getTokenSafety = defineOperation({
  id: 'getTokenSafety',
  method: 'GET',
  path: '/token/safety',
  tag: 'Market',
  summary: 'Get what is known of the safety of a token',
  description:
    'What was measured, each with its source: round trips (buy, send, sell) simulated in its pools, verification, liquidity, age, concentration, and what the contract shows of itself. Nothing here is a judgement: a token without a warning can still be worthless. Asking makes the server check pools that it has not checked, or not lately; ask again after some seconds.',
  cost: 'read',
  cacheControl: 'public, max-age=1',
  input: Type.Object({ chain: chainInput, mint: mintInput }, { additionalProperties: false }),
  output: Type.Object(
    {
      pools: Type.Array(poolSafetySchema, { description: 'The deepest first, at most 50.' }),
      facts: Type.Array(factSchema),
      lookalikeOf: Type.Union([lookalikeSchema, Type.Null()], {
        description:
          'The token that this one can be mistaken for, and that a token list vouches for; null if there is none.',
      }),
      warnings: Type.Array(warningSchema),
      asOf: asOfSchema,
    },
    { title: 'TokenSafetyReport', additionalProperties: false },
  ),
  errors: [...TOKEN_ERRORS],
  mcp: {
    tool: 'get_token_safety',
    title: 'Safety of a token',
    description:
      'Gets what was measured of a token: taxes on buying and selling and whether it can be sold, by simulated round trips in each pool; verification, liquidity, how much of it is burned or locked, hooks of V4 pools by what they can do, age, concentration; warnings. Each fact names its source. Use it before anybody buys a token. If checkedAt is null, ask again after some seconds. Example: {"chain": "base", "mint": "0x4200000000000000000000000000000000000006"}.',
  },
});
