// Meteora DAMM v2: events as calls to itself, with the price afterwards.

import type { AccountBytes } from '../../data/account-bytes.ts';
import { readSelfEvents } from '../../data/self-events.ts';
import { toSolanaAddress } from '../../data/solana-ids.ts';
import { listInstructionIds, nameInstructionIds } from '../instruction-ids.ts';
import {
  describeLoad,
  describeSwap,
  type SolanaVenue,
  type SwapEvidence,
  type SwapReport,
} from '../solana-venue.ts';
import { DAMM_AUTHORITY, DAMM_LAYOUT, listDammAccounts, readDammPool } from './damm-accounts.ts';
import { DAMM_ENCODER } from './encode-swap.ts';

const SWAP_EVENT = '1b3c15d58aaabb93';
const SWAP2_EVENT = 'bd4233a826507599';
const PLACES = { pool: 1, vaults: [4, 5], user: 8 } as const;

function buildReport(event: AccountBytes, amounts: readonly [bigint, bigint, bigint]): SwapReport {
  const [amountIn, amountOut, sqrtPriceX64] = amounts;
  const change = { poolKind: 'singleRange', set: { sqrtPriceX64 } } as const;
  return { pool: event.key(8), amountIn, amountOut, change };
}

function readReports({ call }: SwapEvidence): SwapReport[] {
  const newer = readSelfEvents(call, SWAP2_EVENT).map((event) =>
    buildReport(event, [event.u64(60), event.u64(84), event.u128(92)]),
  );
  if (newer.length > 0) return newer;
  return readSelfEvents(call, SWAP_EVENT).map((event) =>
    buildReport(event, [event.u64(114), event.u64(58), event.u128(66)]),
  );
}

export const METEORA_DAMM: SolanaVenue = {
  name: 'meteora-damm-v2',
  programs: [toSolanaAddress('cpamdpZCGKUy5JxQXB4dcpGPiikHawvSWAd6mEn1sGG')],
  discriminatorBytes: 8,
  swaps: {
    f8c69e91e17587c8: describeSwap('swap', PLACES),
    '414b3f4ceb5b5b88': describeSwap('swap2', PLACES),
  },
  creations: {
    '5fb40aac54aee828': { name: 'initialize_pool', pool: 6 },
    '955248c5fdfc440f': { name: 'initialize_pool_with_dynamic_config', pool: 7 },
    '14a1f118bdddb402': { name: 'initialize_customizable_pool', pool: 5 },
  },
  touches: {
    ...listInstructionIds(['add_liquidity'], 0),
    ...listInstructionIds(['remove_liquidity', 'remove_all_liquidity'], 1),
  },
  others: nameInstructionIds([
    ...['create_position', 'close_position', 'claim_position_fee', 'claim_protocol_fee'],
    ...['claim_partner_fee', 'claim_reward', 'lock_position', 'permanent_lock_position'],
    ...['refresh_vesting', 'split_position', 'split_position2', 'lock_inner_position'],
  ]),
  readReports,
  listAccounts: listDammAccounts,
  layout: DAMM_LAYOUT,
  readPool: readDammPool,
  encoder: DAMM_ENCODER,
  vaultAuthority: DAMM_AUTHORITY,
  findLoad: describeLoad('singleRange', {
    ...{ units: 80_000n, unitsPerTick: 0n, bytes: 209, sharedBytes: 96 },
    ...{ fixesOutput: true, receivesTokens: true },
  }),
  folds: {
    kind: 'singleRange',
    stale: { poolKind: 'singleRange', set: { wide: null } },
    holdsVaults: true,
  },
  takesTransferFees: 'unchecked',
};
