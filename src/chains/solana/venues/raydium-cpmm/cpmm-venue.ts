// Raydium CPMM: events in the log.

import { divideUp } from '../../../../amm/divide-up.ts';
import { AccountBytes } from '../../data/account-bytes.ts';
import { toSolanaAddress } from '../../data/solana-ids.ts';
import { nameInstructionIds } from '../instruction-ids.ts';
import {
  describeLoad,
  describeSwap,
  type KindFolds,
  type ReservesBefore,
  type SolanaVenue,
  type SwapEvidence,
  type SwapReport,
} from '../solana-venue.ts';
import { CPMM_AUTHORITY, CPMM_LAYOUT, listCpmmAccounts, readCpmmPool } from './cpmm-accounts.ts';
import { CPMM_ENCODER } from './encode-swap.ts';
import { foldReserves } from './fold-reserves.ts';

const FOLDS: KindFolds = {
  kind: 'ceiledProduct',
  stale: { poolKind: 'ceiledProduct', set: { reserve0: null, reserve1: null } },
  foldSwap: foldReserves,
  addReserves: ([reserve0, reserve1]) => {
    return { poolKind: 'ceiledProduct', set: {}, add: { reserve0, reserve1 } };
  },
  setReserves: ([reserve0, reserve1]) => {
    return { poolKind: 'ceiledProduct', set: { reserve0, reserve1 } };
  },
};

const SWAP_EVENT = '40c6cde8260871e2';
const PLACES = { pool: 3, vaults: [6, 7], user: 0 } as const;

/** Whether the amounts follow from the reserves, for a swap by its input or by its output. */
function isPricedBy(
  { reserveIn, reserveOut, tradeFee, creatorFeeIn, creatorFeeOut }: ReservesBefore,
  { amountIn, amountOut }: Pick<SwapReport, 'amountIn' | 'amountOut'>,
): boolean {
  const kept = amountIn - tradeFee - creatorFeeIn;
  const gross = amountOut + creatorFeeOut;
  if (kept <= 0n || gross >= reserveOut) return false;
  const isByInput = (kept * reserveOut) / (reserveIn + kept) === gross;
  return isByInput || divideUp(reserveIn * gross, reserveOut - gross) === kept;
}

/**
 * Older events end before the fees. No transaction with a whole event was recorded, so its fields
 * are believed only if they explain the amounts; otherwise the pool is read again.
 */
function readState(
  event: AccountBytes,
  amounts: Pick<SwapReport, 'amountIn' | 'amountOut'>,
): Pick<SwapReport, 'before' | 'fold'> {
  if (!event.has(153, 17)) return {};
  const [creatorFee, isOnInput] = [event.u64(161), event.u8(169) !== 0];
  const before = {
    ...{ reserveIn: event.u64(40), reserveOut: event.u64(48), tradeFee: event.u64(153) },
    creatorFeeIn: isOnInput ? creatorFee : 0n,
    creatorFeeOut: isOnInput ? 0n : creatorFee,
  };
  return isPricedBy(before, amounts)
    ? { before }
    : { fold: ({ kind }) => (kind === FOLDS.kind ? FOLDS.stale : null) };
}

function readReports({ logged }: SwapEvidence): SwapReport[] {
  return logged
    .map((bytes) => new AccountBytes(bytes))
    .filter((event) => event.discriminator() === SWAP_EVENT)
    .map((event) => {
      const amounts = { amountIn: event.u64(56), amountOut: event.u64(64) };
      return { pool: event.key(8), ...amounts, change: null, ...readState(event, amounts) };
    });
}

export const RAYDIUM_CPMM: SolanaVenue = {
  name: 'raydium-cpmm',
  programs: [toSolanaAddress('CPMMoo8L3F4NbTegBCKVNunggL7H1ZpdTHKxQB5qKP1C')],
  discriminatorBytes: 8,
  swaps: {
    '8fbe5adac41e33de': describeSwap('swap_base_input', PLACES),
    '37d96256a34ab4ad': describeSwap('swap_base_output', PLACES),
  },
  creations: {
    afaf6d1f0d989bed: { name: 'initialize', pool: 3, vaults: [10, 11] },
    '3f37fe4131b25979': { name: 'initialize_with_permission', pool: 4, vaults: [11, 12] },
  },
  deposits: {
    f223c68952e1f2b6: { name: 'deposit', pool: 2, vaults: [6, 7] },
    b712469c946da122: { name: 'withdraw', pool: 2, vaults: [6, 7] },
  },
  others: nameInstructionIds(['collect_protocol_fee', 'collect_fund_fee', 'collect_creator_fee']),
  readReports,
  listAccounts: listCpmmAccounts,
  layout: CPMM_LAYOUT,
  readPool: readCpmmPool,
  encoder: CPMM_ENCODER,
  vaultAuthority: CPMM_AUTHORITY,
  findLoad: describeLoad('ceiledProduct', {
    ...{ units: 70_000n, unitsPerTick: 0n, bytes: 274, sharedBytes: 64 },
    ...{ fixesOutput: true, receivesTokens: true, hasConfig: true },
  }),
  folds: FOLDS,
  takesTransferFees: 'compared',
  errors: { 2505: 'the amount is too small', 6005: 'exceeded slippage' },
};
