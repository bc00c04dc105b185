// The accounts of a PumpSwap pool: its state, its vaults, the fees.

import { joinFlags, type UncheckedFlag } from '../../../../amm/unchecked-flag.ts';
import type { Address } from '../../../../model/ids.ts';
import { AccountBytes } from '../../data/account-bytes.ts';
import { findProgramAddress, toSeed } from '../../data/program-address.ts';
import { SYSTEM_PROGRAM, toSolanaAddress, WRAPPED_SOL } from '../../data/solana-ids.ts';
import {
  type AccountReadingOf,
  openAccount,
  type PoolAccounts,
  readMintSupply,
  readTokenAmount,
} from '../../tokens/pool-accounts.ts';
import {
  findFeeConfigAddress,
  pickFeeStep,
  pickFlatFees,
  readFeeConfig,
} from '../pump-curve/pump-fees.ts';
import type { PoolLayout } from '../solana-venue.ts';

const POOL = 'f19a6d0411b16dbc';
const PIPS_PER_BPS = 100;
const CURVE_PROGRAM = toSolanaAddress('6EF8rrecthR5Dkzon8Nwu78hRvfCKubJ14M5uBEwF6P');

export const PUMP_SWAP_LAYOUT: PoolLayout = {
  ...{ discriminator: POOL, byteCount: null },
  ...{ mints: [43, 75], vaults: [139, 171], shares: [107, 203] },
};

/** The base mint, whose supply decides the fee; the vaults; the fees. */
export function listPumpSwapAccounts(
  _pool: Address,
  bytes: Uint8Array,
  program: Address,
): Address[] {
  const data = new AccountBytes(bytes);
  return [data.key(43), data.key(139), data.key(171), findFeeConfigAddress(program)];
}

/** Who creates the pool that a coin's own curve becomes. */
function findMigrator(coin: Address): Address {
  return findProgramAddress(CURVE_PROGRAM, ['pool-authority', toSeed(coin)]);
}

/** Whether the pool is the one that the coin's own curve became. */
function isCanonical(data: AccountBytes): boolean {
  return data.u16(9) === 0 && data.key(11) === findMigrator(data.key(43));
}

/** The pool that the coin's own curve became, paid in SOL. */
export function findCanonicalPool(program: Address, coin: Address): Address {
  const keys = [findMigrator(coin), coin, WRAPPED_SOL].map(toSeed);
  return findProgramAddress(program, ['pool', Buffer.alloc(2), ...keys]);
}

export function readPumpSwapPool(query: PoolAccounts): AccountReadingOf<'pump'> | null {
  const data = openAccount(query, query.pool);
  if (data?.discriminator() !== POOL) return null;
  const [vault0, vault1] = [data.key(139), data.key(171)];
  const held0 = readTokenAmount(query, vault0);
  const held1 = readTokenAmount(query, vault1);
  const supply = readMintSupply(query, data.key(43));
  if (held0 === null || held1 === null || supply === null) return null;
  const config = readFeeConfig(openAccount(query, findFeeConfigAddress(query.program)));
  const virtualQuote = data.has(245, 16) ? data.i128(245) : 0n;
  const reserve1 = held1 + virtualQuote;
  const marketValue = held0 === 0n ? 0n : (reserve1 * supply) / held0;
  const fees =
    config && (isCanonical(data) ? pickFeeStep(config, marketValue) : pickFlatFees(config));
  const flags: UncheckedFlag[] = [];
  if (data.has(243, 1) && data.u8(243) !== 0) flags.push('mayhem');
  if (fees === null) flags.push('feeUnknown');
  const hasCreator = data.has(211, 32) && data.key(211) !== SYSTEM_PROGRAM;
  const ownBps = data.has(261, 8) ? Number(data.u64(261)) : 0;
  const creatorBps = hasCreator ? ownBps || (fees?.creatorBps ?? 0) : 0;
  const { lpBps = 0, protocolBps = 0, feesFrom = 0n, feesBelow = 0n } = fees ?? {};
  return {
    ...{ kind: 'pump', token0: data.key(43), token1: data.key(75), vault0, vault1 },
    feePips: (lpBps + protocolBps + creatorBps) * PIPS_PER_BPS,
    terms: { stage: 'amm', virtualQuote },
    state: {
      ...{ reserve0: held0, reserve1, held0, held1, lpBps, protocolBps, creatorBps },
      ...{ isComplete: false, isMigrated: false, flags: joinFlags(flags) },
      ...{ supply, feesFrom, feesBelow },
    },
    ticks: [],
  };
}
