// Moonshot: curves in lamports, with one event for each trade: sent as a call to itself, or in the
// log, as in recorded blocks of 2025.

import { AccountBytes } from '../../data/account-bytes.ts';
import { readSelfEvents } from '../../data/self-events.ts';
import { toSolanaAddress } from '../../data/solana-ids.ts';
import { nameInstructionIds } from '../instruction-ids.ts';
import type { SolanaVenue, SwapEvidence, SwapReport } from '../solana-venue.ts';
import { describeCurveSwap, readUnpricedCurve } from '../unpriced-pools.ts';

/** Those of pump, LaunchLab and Heaven have the same one: only the program tells them apart. */
const TRADE_EVENT = 'bddb7fd34ee661ee';
const PLACES = { user: 0, curve: 2, tokenAccount: 3, mint: 6, lamports: 2 } as const;
const BUY = 0;

/** Without its discriminator. */
function listEvents({ call, logged }: SwapEvidence): AccountBytes[] {
  const sent = readSelfEvents(call, TRADE_EVENT);
  const events = sent.length > 0 ? sent : logged.map((bytes) => new AccountBytes(bytes));
  return events
    .filter((event) => event.discriminator() === TRADE_EVENT)
    .map((event) => event.from(8));
}

function readReport({ call }: SwapEvidence, event: AccountBytes): SwapReport[] {
  const mint = call.account(PLACES.mint);
  if (mint === null) return [];
  const isBuy = event.u8(136) === BUY;
  const [coins, lamports] = [event.u64(0), event.u64(8)];
  const [amountIn, amountOut] = isBuy ? [lamports, coins] : [coins, lamports];
  const quoteFee = event.u64(16) + event.u64(24);
  return [{ pool: event.key(40), mint, isBuy, amountIn, amountOut, quoteFee, change: null }];
}

export const MOONSHOT: SolanaVenue = {
  name: 'moonshot',
  programs: [toSolanaAddress('MoonCVVNZFSYkqNXP6bxHLPL6QQJiMagDL3qcqUQTrG')],
  discriminatorBytes: 8,
  swaps: {
    '66063d1201daebea': describeCurveSwap('buy', PLACES),
    '33e685a4017f83ad': describeCurveSwap('sell', PLACES),
  },
  creations: {},
  others: nameInstructionIds(['token_mint', 'migrate_funds', 'config_init', 'config_update']),
  readReports: (evidence) => listEvents(evidence).flatMap((event) => readReport(evidence, event)),
  listAccounts: () => [],
  readPool: readUnpricedCurve,
};
