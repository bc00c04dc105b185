// The accounts of a LaunchLab curve: its state, and the two that set its fees.

import { findLaunchReserves } from '../../../../amm/launch-curve/launch-curve-kind.ts';
import { joinFlags, type UncheckedFlag } from '../../../../amm/unchecked-flag.ts';
import type { Address } from '../../../../model/ids.ts';
import { AccountBytes } from '../../data/account-bytes.ts';
import { findProgramAddress, toSeed } from '../../data/program-address.ts';
import { toSolanaAddress } from '../../data/solana-ids.ts';
import {
  type AccountReadingOf,
  openAccount,
  type PoolAccounts,
} from '../../tokens/pool-accounts.ts';
import type { PoolLayout } from '../solana-venue.ts';

/** Owns the token accounts of all pools. */
export const LAUNCHLAB_AUTHORITY = toSolanaAddress('WLHv2UAZm6z4KyaaELi5pjdbJh6RESMva1Rnn8pJVVh');

const POOL = 'f7ede3f5d7c3de46';
const GLOBAL_CONFIG = '95089ccaa0fcb0d9';
const PLATFORM_CONFIG = 'a04e8000f853e6a0';
/** By number. */
const SHAPES = ['product', 'fixed', 'linear'] as const;
/** Until all is sold; then its coin moves to a pool of its own, and is traded there. */
const [FUNDING, TRADED] = [0, 2];

/** All that a curve holds goes to the pool. */
export const LAUNCH_ENDED = {
  ...{ reserve0: 0n, reserve1: 0n, held0: 0n, held1: 0n },
  ...{ isComplete: true, isMigrated: true },
};

export const LAUNCHLAB_LAYOUT: PoolLayout = {
  ...{ discriminator: POOL, byteCount: null },
  ...{ mints: [205, 237], vaults: [269, 301] },
};

/** The configurations of the curve and of the platform that it was launched on. */
export function listLaunchAccounts(_pool: Address, bytes: Uint8Array): Address[] {
  const data = new AccountBytes(bytes);
  return [data.key(141), data.key(173)];
}

/** A pair of tokens has one curve. */
export function findLaunchAddress(program: Address, base: Address, quote: Address): Address {
  return findProgramAddress(program, ['pool', toSeed(base), toSeed(quote)]);
}

/** Where a platform and a creator get their parts of the fees in a token. */
export function findFeeVaults(program: Address, data: AccountBytes) {
  const quoteMint = toSeed(data.key(237));
  return {
    ofPlatform: findProgramAddress(program, [toSeed(data.key(173)), quoteMint]),
    ofCreator: findProgramAddress(program, [toSeed(data.key(333)), quoteMint]),
  };
}

/** Accounts of before the creators' part end before it. */
function readCreatorPips(platform: AccountBytes): bigint {
  return platform.has(720, 8) ? platform.u64(720) : 0n;
}

export function readLaunch(query: PoolAccounts): AccountReadingOf<'launchCurve'> | null {
  const data = openAccount(query, query.pool);
  if (data?.discriminator() !== POOL) return null;
  const config = openAccount(query, data.key(141));
  const platform = openAccount(query, data.key(173));
  if (config?.discriminator() !== GLOBAL_CONFIG) return null;
  if (platform?.discriminator() !== PLATFORM_CONFIG) return null;
  const shape = SHAPES[config.u8(16)];
  if (shape === undefined) return null;
  const [sold, paid, sellTotal] = [data.u64(53), data.u64(61), data.u64(29)];
  const terms = { shape, sellTotal, virtual0: data.u64(37), virtual1: data.u64(45) };
  const feePips = Number(config.u64(27) + platform.u64(104) + readCreatorPips(platform));
  const status = data.u8(17);
  const isMigrated = status === TRADED;
  const flags: UncheckedFlag[] = shape === 'product' ? [] : ['notComputed'];
  return {
    ...{ kind: 'launchCurve', token0: data.key(205), token1: data.key(237) },
    ...{ vault0: data.key(269), vault1: data.key(301), feePips, terms },
    state: {
      ...findLaunchReserves(terms, { sold, paid }),
      ...{ held0: sellTotal - sold, held1: paid, feePips },
      ...{ isComplete: status !== FUNDING, isMigrated: false },
      // Its account keeps the sums of what was sold and paid.
      ...(isMigrated ? LAUNCH_ENDED : {}),
      ...{ flags: joinFlags(flags), transferFees: '' },
    },
    ticks: [],
  };
}
