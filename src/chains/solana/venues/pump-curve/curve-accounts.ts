// The accounts of a pump bonding curve: its state and the fees.

import { joinFlags, type UncheckedFlag } from '../../../../amm/unchecked-flag.ts';
import type { Address } from '../../../../model/ids.ts';
import type { AccountBytes } from '../../data/account-bytes.ts';
import { findProgramAddress, toSeed } from '../../data/program-address.ts';
import { SYSTEM_PROGRAM, WRAPPED_SOL } from '../../data/solana-ids.ts';
import {
  type AccountReadingOf,
  openAccount,
  type PoolAccounts,
} from '../../tokens/pool-accounts.ts';
import { findFeeConfigAddress, pickFeeStep, readFeeConfig } from './pump-fees.ts';

const CURVE = '17b7f83760d8ac60';
const PIPS_PER_BPS = 100;

export function findCurveAddress(program: Address, mint: Address): Address {
  return findProgramAddress(program, ['bonding-curve', toSeed(mint)]);
}

export function listCurveAccounts(_pool: Address, _bytes: Uint8Array, program: Address): Address[] {
  return [findFeeConfigAddress(program)];
}

/** Old accounts end before these fields. */
function readFlag(data: AccountBytes, at: number): boolean {
  return data.has(at, 1) && data.u8(at) !== 0;
}

function readQuoteMint(data: AccountBytes): Address {
  const mint = data.has(83, 32) ? data.key(83) : SYSTEM_PROGRAM;
  return mint === SYSTEM_PROGRAM ? WRAPPED_SOL : mint;
}

/** The account does not name its coin: the query must. */
export function readCurve(query: PoolAccounts): AccountReadingOf<'pump'> | null {
  const data = openAccount(query, query.pool);
  const { mint } = query;
  if (data?.discriminator() !== CURVE || mint === undefined) return null;
  if (findCurveAddress(query.program, mint) !== query.pool) return null;
  const config = readFeeConfig(openAccount(query, findFeeConfigAddress(query.program)));
  const [reserve0, reserve1, supply] = [data.u64(8), data.u64(16), data.u64(40)];
  const flags: UncheckedFlag[] = [];
  if (readFlag(data, 81)) flags.push('mayhem');
  if (config === null) flags.push('feeUnknown');
  if (readQuoteMint(data) !== WRAPPED_SOL) flags.push('otherQuote');
  const marketValue = reserve0 === 0n ? 0n : (reserve1 * supply) / reserve0;
  const step = config && pickFeeStep(config, marketValue);
  const hasCreator = data.has(49, 32) && data.key(49) !== SYSTEM_PROGRAM;
  const ownBps = data.has(115, 8) ? Number(data.u64(115)) : 0;
  const isComplete = data.u8(48) !== 0;
  const protocolBps = step?.protocolBps ?? 0;
  const creatorBps = hasCreator ? ownBps || (step?.creatorBps ?? 0) : 0;
  return {
    ...{ kind: 'pump', token0: mint, token1: readQuoteMint(data) },
    ...{ vault0: query.pool, vault1: query.pool },
    feePips: (protocolBps + creatorBps) * PIPS_PER_BPS,
    terms: { stage: 'curve', virtualQuote: 0n },
    state: {
      ...{ reserve0, reserve1, held0: data.u64(24), held1: data.u64(32) },
      ...{ lpBps: 0, protocolBps, creatorBps },
      // What was paid leaves the curve with its migration.
      ...{ isComplete, isMigrated: isComplete && data.u64(32) === 0n, flags: joinFlags(flags) },
      ...{ supply, feesFrom: step?.feesFrom ?? 0n, feesBelow: step?.feesBelow ?? 0n },
    },
    ticks: [],
  };
}
