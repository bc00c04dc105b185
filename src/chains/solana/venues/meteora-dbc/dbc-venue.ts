// Meteora's dynamic bonding curve: events as calls to itself, with the price afterwards.

import type { AccountBytes } from '../../data/account-bytes.ts';
import { readSelfEvents } from '../../data/self-events.ts';
import { toSolanaAddress } from '../../data/solana-ids.ts';
import {
  describeLoad,
  describeSwap,
  type SolanaVenue,
  type SwapEvidence,
  type SwapReport,
} from '../solana-venue.ts';
import { DBC_AUTHORITY, DBC_LAYOUT, listDbcAccounts, readDbcPool } from './dbc-accounts.ts';
import { DBC_ENCODER } from './encode-swap.ts';

const SWAP_EVENT = '1b3c15d58aaabb93';
const SWAP2_EVENT = 'bd4233a826507599';
const PLACES = { pool: 2, vaults: [5, 6], user: 9 } as const;

/** Each moves the curve in its first account to a pool. */
const MIGRATIONS: Readonly<Record<string, string>> = {
  '9ca9e66735e45040': 'migration_damm_v2',
  '1b013016b43f76d9': 'migrate_meteora_damm',
};
/** 0 sells the coin, 1 buys it. */
const BUY = 1;

/** It does not say whether the curve has ended, so the pool is read again. */
function readReport(event: AccountBytes): SwapReport {
  const set = { sqrtPriceX64: event.u128(106), feeRate: null };
  const change = { poolKind: 'segments', set } as const;
  return { pool: event.key(8), amountIn: event.u64(146), amountOut: event.u64(98), change };
}

/** Since 2025: with what was paid into the curve so far, and how much ends it. */
function readReport2(event: AccountBytes): SwapReport {
  const isBuy = event.u8(72) === BUY;
  const [keptIn, amountOut] = [event.u64(99), event.u64(115)];
  const held1 = event.has(163, 16) ? event.u64(163) : null;
  const isComplete = held1 !== null && held1 >= event.u64(171);
  const set = {
    sqrtPriceX64: event.u128(123),
    ...(held1 === null ? {} : { held1, isComplete, isMigrated: false }),
  };
  const add = { held0: isBuy ? -amountOut : keptIn };
  const change = { poolKind: 'segments', set, add } as const;
  return { pool: event.key(8), amountIn: event.u64(91), amountOut, change };
}

function readReports({ call }: SwapEvidence): SwapReport[] {
  const newer = readSelfEvents(call, SWAP2_EVENT).map(readReport2);
  if (newer.length > 0) return newer;
  return readSelfEvents(call, SWAP_EVENT).map(readReport);
}

export const METEORA_DBC: SolanaVenue = {
  name: 'meteora-dbc',
  programs: [toSolanaAddress('dbcij3LWUppWqq96dh6gJWwBifmcGfLSB5D4DuSMaqN')],
  discriminatorBytes: 8,
  swaps: {
    f8c69e91e17587c8: describeSwap('swap', PLACES),
    '414b3f4ceb5b5b88': describeSwap('swap2', PLACES),
  },
  creations: {
    '8c55d7b06636684f': { name: 'initialize_virtual_pool_with_spl_token', pool: 5 },
    a976334e916edc9b: { name: 'initialize_virtual_pool_with_token2022', pool: 5 },
  },
  others: { ...MIGRATIONS },
  readEnds: (call) => {
    const curve = MIGRATIONS[call.data.discriminator()] === undefined ? null : call.account(0);
    return curve === null ? [] : [{ curve }];
  },
  readReports,
  listAccounts: listDbcAccounts,
  layout: DBC_LAYOUT,
  readPool: readDbcPool,
  encoder: DBC_ENCODER,
  vaultAuthority: DBC_AUTHORITY,
  findLoad: describeLoad('segments', {
    ...{ units: 90_000n, unitsPerTick: 0n, bytes: 241, sharedBytes: 96 },
    ...{ fixesOutput: true, receivesTokens: true },
  }),
  folds: {
    kind: 'segments',
    stale: { poolKind: 'segments', set: { feeRate: null } },
    end: { poolKind: 'segments', set: { isComplete: true, isMigrated: true } },
  },
  takesTransferFees: 'unchecked',
};
