// Boop: curves in lamports, with one event for each trade, sent as a call to itself.

import type { AccountBytes } from '../../data/account-bytes.ts';
import { readSelfEvents } from '../../data/self-events.ts';
import { toSolanaAddress } from '../../data/solana-ids.ts';
import type { SolanaVenue, SwapReport } from '../solana-venue.ts';
import { describeCurveSwap, readUnpricedCurve } from '../unpriced-pools.ts';

const BOUGHT_EVENT = '4759de7cd7c0e68a';
const SOLD_EVENT = 'ccefb64df1334d42';
const PLACES = { mint: 0, curve: 1, tokenAccount: 3, lamports: 4, user: 6 } as const;

function readReport(event: AccountBytes, isBuy: boolean): SwapReport {
  const [amountIn, amountOut] = [event.u64(32), event.u64(40)];
  const ends = { pool: null, mint: event.key(0), isBuy };
  return { ...ends, amountIn, amountOut, quoteFee: event.u64(48), change: null };
}

export const BOOP: SolanaVenue = {
  name: 'boop',
  programs: [toSolanaAddress('boop8hVGQGqehUK2iVEMEnMrL5RbjywRzHKBmBE7ry4')],
  discriminatorBytes: 8,
  swaps: {
    '8a7f0e5b26577369': describeCurveSwap('buy_token', PLACES),
    '6d3d28bbe6b087ae': describeCurveSwap('sell_token', PLACES),
  },
  creations: {},
  others: {},
  readReports: ({ call }) => [
    ...readSelfEvents(call, BOUGHT_EVENT).map((event) => readReport(event.from(8), true)),
    ...readSelfEvents(call, SOLD_EVENT).map((event) => readReport(event.from(8), false)),
  ],
  listAccounts: () => [],
  readPool: readUnpricedCurve,
};
