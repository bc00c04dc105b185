// PumpSwap: events as calls to itself. "Buy" means buying the pool's base token, which may be SOL:
// what a trade is for a coin follows from the tokens, not from the instruction.

import type { AccountBytes } from '../../data/account-bytes.ts';
import { readSelfEvents } from '../../data/self-events.ts';
import { toSolanaAddress } from '../../data/solana-ids.ts';
import { nameInstructionIds } from '../instruction-ids.ts';
import {
  describeSwap,
  type FoldSwap,
  type SolanaVenue,
  type SwapEvidence,
  type SwapReport,
  type VenueLoad,
} from '../solana-venue.ts';
import { PUMP_SWAP_ENCODER } from './encode-swap.ts';
import {
  findCanonicalPool,
  listPumpSwapAccounts,
  PUMP_SWAP_LAYOUT,
  readPumpSwapPool,
} from './pump-swap-accounts.ts';

const BUY_EVENT = '67f4521f2cf57777';
const SELL_EVENT = '3e2f370aa503dc2a';
const PLACES = { pool: 0, vaults: [7, 8], user: 1 } as const;
/**
 * In both events: an amount of the base token, what the vaults held before, then an amount of the
 * quote with or without the LP's fee.
 */
const BASE_AMOUNT = 16;
const BASE_HELD = 48;
const QUOTE_HELD = 56;
const LP_BPS = 72;
const PROTOCOL_BPS = 88;
const QUOTE_AMOUNT = 104;
const POOL = 120;
const CREATOR_BPS = 344;

/** Older events end before the creator's fee. */
function readCharged(event: AccountBytes) {
  if (!event.has(CREATOR_BPS, 8)) return {};
  const [lpBps = 0, protocolBps = 0, creatorBps = 0] = [LP_BPS, PROTOCOL_BPS, CREATOR_BPS].map(
    (at) => Number(event.u64(at)),
  );
  return { charged: { lpBps, protocolBps, creatorBps } };
}

/** What the event says of the vaults before the swap, moved by its amounts. */
function foldVaults(event: AccountBytes, base: bigint, quote: bigint): FoldSwap {
  return (pool) => {
    if (pool.kind !== 'pump') return null;
    const held0 = event.u64(BASE_HELD) + base;
    const held1 = event.u64(QUOTE_HELD) + quote;
    const reserve1 = held1 + pool.terms.virtualQuote;
    const set = { held0, held1, reserve0: held0, reserve1, isComplete: false, isMigrated: false };
    return { poolKind: 'pump', set, ...readCharged(event) };
  };
}

function readBuy(event: AccountBytes): SwapReport {
  const [amountIn, amountOut] = [event.u64(QUOTE_AMOUNT), event.u64(BASE_AMOUNT)];
  const fold = foldVaults(event, -amountOut, amountIn);
  return { pool: event.key(POOL), amountIn, amountOut, change: null, fold };
}

function readSell(event: AccountBytes): SwapReport {
  const [amountIn, amountOut] = [event.u64(BASE_AMOUNT), event.u64(QUOTE_AMOUNT)];
  const fold = foldVaults(event, amountIn, -amountOut);
  return { pool: event.key(POOL), amountIn, amountOut, change: null, fold };
}

function readReports({ call }: SwapEvidence): SwapReport[] {
  return [
    ...readSelfEvents(call, BUY_EVENT).map(readBuy),
    ...readSelfEvents(call, SELL_EVENT).map(readSell),
  ];
}

const LOAD: VenueLoad = {
  ...{ units: 150_000n, unitsPerTick: 0n, bytes: 290, sharedBytes: 384 },
  ...{ purchaseBytes: 64, fixesOutput: 'oneForZero' },
};

export const PUMP_SWAP: SolanaVenue = {
  name: 'pumpswap',
  programs: [toSolanaAddress('pAMMBay6oceH9fJKBRHGP5D4bD4sWpmSwMn52FMfXEA')],
  discriminatorBytes: 8,
  swaps: {
    '66063d1201daebea': describeSwap('buy', PLACES),
    '33e685a4017f83ad': describeSwap('sell', PLACES),
    c62e1552b4d9e870: describeSwap('buy_exact_quote_in', PLACES),
  },
  creations: { e992d18ecf6840bc: { name: 'create_pool', pool: 0, vaults: [9, 10] } },
  deposits: {
    f223c68952e1f2b6: { name: 'deposit', pool: 0, vaults: [9, 10] },
    b712469c946da122: { name: 'withdraw', pool: 0, vaults: [9, 10] },
  },
  // A boost changes what prices are computed with.
  touches: { '8ce9215e845ac28f': 0 },
  others: nameInstructionIds(['extend_account']),
  readReports,
  listPoolsOf: (coin, program) => [findCanonicalPool(program, coin)],
  listAccounts: listPumpSwapAccounts,
  layout: PUMP_SWAP_LAYOUT,
  readPool: readPumpSwapPool,
  encoder: PUMP_SWAP_ENCODER,
  findLoad: (pool) => (pool.kind === 'pump' && pool.terms.stage === 'amm' ? LOAD : null),
};
