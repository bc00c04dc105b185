// Raydium AMM v4: instructions of one byte, events as its own lines in the log.

import { AccountBytes } from '../../data/account-bytes.ts';
import { toSolanaAddress } from '../../data/solana-ids.ts';
import type { ProgramCall } from '../../data/transaction-calls.ts';
import type {
  ReservesBefore,
  SolanaVenue,
  SwapEvidence,
  SwapInstruction,
  SwapReport,
  SwapSite,
} from '../solana-venue.ts';
import { V4_ENCODER } from './encode-swap.ts';
import { listV4Accounts, readV4Pool, V4_AUTHORITY, V4_LAYOUT } from './v4-accounts.ts';

const EVENT_BYTES = 57;
const EXACT_IN = 3;
const EXACT_OUT = 4;
const COIN_TO_PC = 2n;

/** The first of the two vaults, by how many accounts a call has. */
const VAULT_AT: Readonly<Record<number, number>> = { 8: 3, 17: 4, 18: 5 };

function findSites(call: ProgramCall): readonly SwapSite[] | null {
  const at = VAULT_AT[call.accountCount];
  if (at === undefined) return null;
  const [pool, first, second] = [call.account(1), call.account(at), call.account(at + 1)];
  const user = call.account(call.accountCount - 1);
  if (pool === null || first === null || second === null || user === null) return null;
  return [{ pool, vaults: [first, second], user }];
}

function describe(name: string): SwapInstruction {
  return { name, findSites };
}

/** All of the fee stays in the pool until its owner takes it. */
function readBefore(event: AccountBytes): ReservesBefore {
  const [coin, pc] = [event.u64(33), event.u64(41)];
  const isCoinIn = event.u64(17) === COIN_TO_PC;
  const [reserveIn, reserveOut] = isCoinIn ? [coin, pc] : [pc, coin];
  return { reserveIn, reserveOut, tradeFee: 0n, creatorFeeIn: 0n, creatorFeeOut: 0n };
}

function readReports({ logged }: SwapEvidence): SwapReport[] {
  const events = logged
    .filter(({ length }) => length >= EVENT_BYTES)
    .map((bytes) => new AccountBytes(bytes));
  return events.flatMap((event) => {
    const kind = event.u8(0);
    const shared = { pool: null, change: null, before: readBefore(event) };
    if (kind === EXACT_IN) {
      return [{ ...shared, amountIn: event.u64(1), amountOut: event.u64(49) }];
    }
    if (kind !== EXACT_OUT) return [];
    return [{ ...shared, amountIn: event.u64(49), amountOut: event.u64(9) }];
  });
}

export const RAYDIUM_V4: SolanaVenue = {
  name: 'raydium-v4',
  programs: [toSolanaAddress('675kPX9MHTjS2zt1qfr1NYHuzeLXfQM9H24wFSUt1Mp8')],
  errors: { 30: 'exceeds desired slippage limit', 40: 'insufficient funds' },
  discriminatorBytes: 1,
  swaps: {
    '09': describe('swap_base_in'),
    '0b': describe('swap_base_out'),
    '10': describe('swap_base_in'),
    '11': describe('swap_base_out'),
  },
  creations: { '01': { name: 'initialize2', pool: 4, vaults: [10, 11] } },
  deposits: {
    '03': { name: 'deposit', pool: 1, vaults: [6, 7] },
    '04': { name: 'withdraw', pool: 1, vaults: [6, 7] },
  },
  // What the owner has earned since is deducted from the reserves.
  touches: { '07': 1 },
  others: {},
  readReports,
  listAccounts: listV4Accounts,
  layout: V4_LAYOUT,
  readPool: readV4Pool,
  encoder: V4_ENCODER,
  vaultAuthority: V4_AUTHORITY,
};
