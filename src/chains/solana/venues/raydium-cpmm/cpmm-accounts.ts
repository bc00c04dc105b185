// The accounts of a Raydium CPMM pool: its state and its fee tier.

import { encodeOpening } from '../../../../amm/pool-moment.ts';
import { joinFlags, type UncheckedFlag } from '../../../../amm/unchecked-flag.ts';
import type { Address } from '../../../../model/ids.ts';
import { AccountBytes } from '../../data/account-bytes.ts';
import { toSolanaAddress } from '../../data/solana-ids.ts';
import {
  type AccountReadingOf,
  openAccount,
  type PoolAccounts,
  readTokenAmount,
} from '../../tokens/pool-accounts.ts';
import type { PoolLayout } from '../solana-venue.ts';

/** Owns the token accounts of all pools. */
export const CPMM_AUTHORITY = toSolanaAddress('GpMZbSM2GgvTKHJirzeGfMFoaZ8UR2X7F4v8vHTvxFbL');

const POOL = 'f7ede3f5d7c3de46';
/** The third bit of the status forbids swaps. */
const STATUS_NO_SWAP = 4;
const CREATOR_FEE_TOKENS = ['input', 'token0', 'token1'] as const;

export const CPMM_LAYOUT: PoolLayout = {
  ...{ discriminator: POOL, byteCount: null },
  ...{ mints: [168, 200], vaults: [72, 104], shares: [136, 333] },
};

/** The accounts that the pool's own names: its fee tier and its vaults. */
export function listCpmmAccounts(_pool: Address, bytes: Uint8Array): Address[] {
  const data = new AccountBytes(bytes);
  return [data.key(8), data.key(72), data.key(104)];
}

function sumFees(data: AccountBytes, offsets: readonly number[]): bigint {
  return offsets.reduce((sum, at) => sum + (data.has(at, 8) ? data.u64(at) : 0n), 0n);
}

export function readCpmmPool(query: PoolAccounts): AccountReadingOf<'ceiledProduct'> | null {
  const data = openAccount(query, query.pool);
  if (data?.discriminator() !== POOL) return null;
  const config = openAccount(query, data.key(8));
  const [vault0, vault1] = [data.key(72), data.key(104)];
  const held0 = readTokenAmount(query, vault0);
  const held1 = readTokenAmount(query, vault1);
  if (config === null || held0 === null || held1 === null) return null;
  const hasCreatorFee = data.u8(390) !== 0;
  const creatorFeeOn = CREATOR_FEE_TOKENS[data.u8(389)] ?? 'input';
  const creatorFeePips = hasCreatorFee ? Number(config.u64(108)) : 0;
  const isOnOutput = creatorFeePips > 0 && creatorFeeOn !== 'input';
  const opening = { clock: 'seconds', from: Number(data.u64(373)), flag: 'closed' } as const;
  const flags: UncheckedFlag[] = [];
  if ((data.u8(329) & STATUS_NO_SWAP) !== 0) flags.push('closed');
  if (isOnOutput) flags.push('creatorFeeOnOutput');
  return {
    ...{ kind: 'ceiledProduct', token0: data.key(168), token1: data.key(200), vault0, vault1 },
    feePips: Number(config.u64(12)),
    terms: {
      ...{ creatorFeePips, creatorFeeOn },
      ...{ protocolSharePips: Number(config.u64(20)), fundSharePips: Number(config.u64(28)) },
    },
    state: {
      // Fees that are to be withdrawn are still in the vaults.
      reserve0: held0 - sumFees(data, [341, 357, 397]),
      reserve1: held1 - sumFees(data, [349, 365, 405]),
      flags: joinFlags(flags),
      transferFees: '',
      opens: encodeOpening(opening),
    },
    ticks: [],
  };
}
