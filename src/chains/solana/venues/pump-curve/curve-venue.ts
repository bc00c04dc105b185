// pump's bonding curves: three generations of instructions, one event, sent as a call to itself.
//
// The curve pays and takes lamports directly, so only its coin moves as a token.

import type { Address } from '../../../../model/ids.ts';
import type { PoolChange } from '../../../../model/pool.ts';
import type { AccountBytes } from '../../data/account-bytes.ts';
import { readSelfEvents } from '../../data/self-events.ts';
import { toSolanaAddress, WRAPPED_SOL } from '../../data/solana-ids.ts';
import type { ProgramCall } from '../../data/transaction-calls.ts';
import { nameInstructionIds } from '../instruction-ids.ts';
import type {
  KindFolds,
  SolanaVenue,
  SwapEvidence,
  SwapInstruction,
  SwapReport,
  VenueLoad,
} from '../solana-venue.ts';
import { findCurveAddress, listCurveAccounts, readCurve } from './curve-accounts.ts';
import { PUMP_CURVE_ENCODER } from './encode-swap.ts';

const TRADE_EVENT = 'bddb7fd34ee661ee';
const CREATE_EVENT = '1b72a94ddeeb6376';
const MIGRATION_EVENT = 'bde95db95c94ea94';

interface CurvePlaces {
  readonly mint: number;
  /** Null for the first generation, which knows SOL only. */
  readonly quote: number | null;
  readonly curve: number;
  readonly tokenAccount: number;
  readonly user: number;
}

const FIRST: CurvePlaces = { mint: 2, quote: null, curve: 3, tokenAccount: 4, user: 6 };
const SECOND: CurvePlaces = { mint: 1, quote: 2, curve: 10, tokenAccount: 11, user: 13 };
const THIRD: CurvePlaces = { mint: 1, quote: 2, curve: 5, tokenAccount: 6, user: 8 };

/** What the curve is paid with; null if the account is missing. */
function findQuoteMint(call: ProgramCall, { quote }: CurvePlaces): Address | null {
  return quote === null ? WRAPPED_SOL : call.account(quote);
}

function describe(name: string, places: CurvePlaces): SwapInstruction {
  return {
    name,
    findSites(call: ProgramCall) {
      const [mint, curve] = [call.account(places.mint), call.account(places.curve)];
      const [tokenAccount, user] = [call.account(places.tokenAccount), call.account(places.user)];
      const quoteMint = findQuoteMint(call, places);
      if (mint === null || curve === null || tokenAccount === null || user === null) return null;
      if (quoteMint === null) return null;
      return [{ pool: curve, vaults: [tokenAccount, curve], user, ownVault: { mint, quoteMint } }];
    },
  };
}

/** The quote side of a trade: what was paid, and what the curve has of it, virtual and real. */
interface QuoteSide {
  readonly amount: bigint;
  readonly reserve: bigint;
  /** Older events end before it. */
  readonly held: bigint | null;
}

const NAME_OFFSET = 258;
const KEY_BYTES = 32;

/**
 * SOL has fields of its own, which are zero if the curve is paid in another coin: then they follow
 * the coin's key, which comes after a text and a list. Null if the event has no such key.
 */
function readQuoteSide(event: AccountBytes, quoteMint: Address): QuoteSide | null {
  if (quoteMint === WRAPPED_SOL) {
    const held = event.has(113, 8) ? event.u64(113) : null;
    return { amount: event.u64(40), reserve: event.u64(97), held };
  }
  for (let at = NAME_OFFSET; event.has(at, KEY_BYTES + 24); at += 1) {
    if (event.key(at) !== quoteMint) continue;
    const [amount, reserve, held] = [0, 8, 16].map((more) => event.u64(at + KEY_BYTES + more));
    return { amount: amount ?? 0n, reserve: reserve ?? 0n, held: held ?? null };
  }
  return null;
}

/** A curve ends once it has sold all its coins. */
function readHeld(event: AccountBytes, held1: bigint) {
  const held0 = event.u64(121);
  return { held1, held0, isComplete: held0 === 0n, isMigrated: false };
}

/** Older events end before the fees. */
function readCharged(event: AccountBytes) {
  if (!event.has(209, 8)) return {};
  const [protocolBps, creatorBps] = [Number(event.u64(161)), Number(event.u64(209))];
  return { charged: { lpBps: 0, protocolBps, creatorBps } };
}

function readReport(event: AccountBytes, quote: QuoteSide): SwapReport {
  const isBuy = event.u8(56) !== 0;
  const [quoteAmount, tokenAmount] = [quote.amount, event.u64(48)];
  const set = {
    ...{ reserve1: quote.reserve, reserve0: event.u64(105) },
    ...(quote.held !== null && event.has(121, 8) ? readHeld(event, quote.held) : {}),
  };
  return {
    ...{ pool: null, mint: event.key(8), isBuy },
    amountIn: isBuy ? quoteAmount : tokenAmount,
    amountOut: isBuy ? tokenAmount : quoteAmount,
    change: { poolKind: 'pump', set, ...readCharged(event) },
  };
}

/** After three texts and four keys, the time and the reserves; older events end before these. */
function readCreation(call: ProgramCall): PoolChange | null {
  const [event] = readSelfEvents(call, CREATE_EVENT);
  if (event === undefined) return null;
  let at = 8;
  for (let text = 0; text < 3; text += 1) at += 4 + event.u32(at);
  at += 4 * 32 + 8;
  if (!event.has(at, 24)) return null;
  const [reserve0, reserve1, held0] = [event.u64(at), event.u64(at + 8), event.u64(at + 16)];
  const set = { reserve0, reserve1, held0, held1: 0n, isComplete: false, isMigrated: false };
  return { poolKind: 'pump', set };
}

/** Three generations, each with the instructions that have their accounts in the same places. */
const GENERATIONS: readonly (readonly [CurvePlaces, Readonly<Record<string, string>>])[] = [
  [
    FIRST,
    {
      '66063d1201daebea': 'buy',
      '33e685a4017f83ad': 'sell',
      '38fc74089edfcd5f': 'buy_exact_sol_in',
    },
  ],
  [
    SECOND,
    {
      b817ee6167c5d33d: 'buy_v2',
      '5df6823ce7e940b2': 'sell_v2',
      c2ab1c46684d5b2f: 'buy_exact_quote_in_v2',
    },
  ],
  [
    THIRD,
    {
      '07051dc4f5176550': 'buy_v3',
      '1c92de7726c469d5': 'sell_v3',
      e1f7501ed5b38488: 'buy_exact_quote_in_v3',
    },
  ],
];

const PLACES = new Map(
  GENERATIONS.flatMap(([places, names]) => Object.keys(names).map((id) => [id, places] as const)),
);
const SWAPS = Object.fromEntries(
  GENERATIONS.flatMap(([places, names]) =>
    Object.entries(names).map(([id, name]) => [id, describe(name, places)] as const),
  ),
);

/** An event without what the curve was paid is none. */
function readReports({ call }: SwapEvidence): SwapReport[] {
  const quoteMint = findQuoteMint(call, PLACES.get(call.data.discriminator()) ?? FIRST);
  return readSelfEvents(call, TRADE_EVENT).flatMap((event) => {
    const quote = quoteMint && readQuoteSide(event, quoteMint);
    return quote === null ? [] : [readReport(event, quote)];
  });
}

const LOAD: VenueLoad = {
  ...{ units: 110_000n, unitsPerTick: 0n, bytes: 267, sharedBytes: 288 },
  ...{ purchaseBytes: 81, fixesOutput: 'oneForZero' },
};

/** All that a curve holds goes to the pool. */
const ENDED = {
  isComplete: true,
  isMigrated: true,
  reserve0: 0n,
  reserve1: 0n,
  held0: 0n,
  held1: 0n,
};

const FOLDS: KindFolds = {
  kind: 'pump',
  // No event has all fees, so the pool stays incomplete until it is read.
  stale: { poolKind: 'pump', set: { lpBps: null } },
  addReserves: ([reserve0, reserve1]) => {
    const add = { reserve0, reserve1, held0: reserve0, held1: reserve1 };
    return { poolKind: 'pump', set: {}, add };
  },
  setReserves: ([held0, held1], pool) => {
    if (pool.kind !== 'pump') return null;
    const reserve1 = held1 + pool.terms.virtualQuote;
    const running = { isComplete: false, isMigrated: false };
    return { poolKind: 'pump', set: { held0, held1, reserve0: held0, reserve1, ...running } };
  },
  end: { poolKind: 'pump', set: ENDED },
};

export const PUMP_CURVE: SolanaVenue = {
  name: 'pump',
  programs: [toSolanaAddress('6EF8rrecthR5Dkzon8Nwu78hRvfCKubJ14M5uBEwF6P')],
  discriminatorBytes: 8,
  swaps: SWAPS,
  creations: {
    '181ec828051c0777': { name: 'create', mint: 0, pool: 2, readState: readCreation },
    d6904cec5f8b31b4: { name: 'create_v2', mint: 0, pool: 2, readState: readCreation },
  },
  others: nameInstructionIds(['migrate', 'migrate_v2', 'extend_account']),
  readEnds: (call) =>
    readSelfEvents(call, MIGRATION_EVENT).map((event) => ({
      ...{ mint: event.key(40), curve: event.key(96) },
    })),
  readReports,
  listPoolsOf: (coin, program) => [findCurveAddress(program, coin)],
  listAccounts: listCurveAccounts,
  readPool: readCurve,
  encoder: PUMP_CURVE_ENCODER,
  findLoad: (pool) => (pool.kind === 'pump' && pool.terms.stage !== 'amm' ? LOAD : null),
  folds: FOLDS,
  errors: {
    6002: 'slippage: too much SOL required to buy the given amount of tokens',
    6003: 'slippage: too little SOL received to sell the given amount of tokens',
    6005: 'the bonding curve has completed',
    6042: 'slippage: fewer tokens than the minimum',
  },
};
