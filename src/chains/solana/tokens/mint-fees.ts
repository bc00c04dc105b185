// The fee that a Token-2022 mint takes of transfers. A mint has two: one until an epoch, one from
// it on. A new fee holds two epochs after it is set at the earliest, so what is read is certain
// until the end of the next epoch.

import type { PoolTransferFees, TransferFee } from '../../../amm/transfer-fee.ts';
import { minOf } from '../../../lib/bigint-bounds.ts';
import type { Address } from '../../../model/ids.ts';
import { AccountBytes } from '../data/account-bytes.ts';
import { toSolanaAddress } from '../data/solana-ids.ts';
import type { SolanaAccount, SolanaAccounts } from '../rpc/read-accounts.ts';
import { EXTENSION, findExtension } from './mint-extensions.ts';

const CLOCK = toSolanaAddress('SysvarC1ock11111111111111111111111111111111');
const SCHEDULE = toSolanaAddress('SysvarEpochSchedu1e111111111111111111111111');
/** Accounts that say which epoch it is, and when the next ones begin. */
export const EPOCH_ACCOUNTS: readonly Address[] = [CLOCK, SCHEDULE];

const CLOCK_EPOCH = 16;
/** Of the extension: authorities and the withheld amount come first. */
const OLDER = 72;
const NEWER = 90;
/** Epochs before the first normal one are short: the first has 32 slots, each next one twice. */
const FIRST_EPOCH_SLOTS = 32n;

interface EpochTime {
  readonly epoch: bigint;
  findFirstSlot(epoch: bigint): bigint;
}

/** Null if the accounts are not at hand. */
function readEpoch(accounts: SolanaAccounts): EpochTime | null {
  const [clock, schedule] = [accounts.get(CLOCK), accounts.get(SCHEDULE)];
  if (clock === undefined || schedule === undefined) return null;
  const rules = new AccountBytes(schedule.data);
  const [slotsPerEpoch, firstNormal, firstSlot] = [rules.u64(0), rules.u64(17), rules.u64(25)];
  return {
    epoch: new AccountBytes(clock.data).u64(CLOCK_EPOCH),
    findFirstSlot: (epoch) =>
      epoch <= firstNormal
        ? (2n ** epoch - 1n) * FIRST_EPOCH_SLOTS
        : (epoch - firstNormal) * slotsPerEpoch + firstSlot,
  };
}

interface MintFee {
  readonly fee: TransferFee | null;
  /** The fee that holds from a later epoch on. */
  readonly next: { readonly fee: TransferFee | null; readonly fromEpoch: bigint } | null;
  /** The first epoch for which it is not certain. */
  readonly untilEpoch: bigint;
}

function readFee(config: AccountBytes, offset: number): TransferFee | null {
  const bps = config.u16(offset + 16);
  return bps === 0 ? null : { bps, maxRaw: config.u64(offset + 8) };
}

function readMintFee(mint: SolanaAccount | undefined, epoch: bigint): MintFee {
  const extension = mint && findExtension(mint.data, EXTENSION.transferFee);
  if (!extension) return { fee: null, next: null, untilEpoch: epoch + 2n };
  const config = new AccountBytes(extension);
  const newerFrom = config.u64(NEWER);
  const isNewer = epoch >= newerFrom;
  const isSoon = !isNewer && newerFrom < epoch + 2n;
  return {
    fee: readFee(config, isNewer ? NEWER : OLDER),
    next: isNewer ? null : { fee: readFee(config, NEWER), fromEpoch: newerFrom },
    untilEpoch: isSoon ? newerFrom : epoch + 2n,
  };
}

interface FeeTerms {
  readonly now: TransferFee | null;
  readonly next: (TransferFee & { readonly fromEpoch: number }) | null;
}

/** A mint's fee in this epoch, and the one that is set to follow. */
export function readFeeTerms(accounts: SolanaAccounts, mint: SolanaAccount): FeeTerms {
  const { fee, next } = readMintFee(mint, readEpoch(accounts)?.epoch ?? 0n);
  const later = next && { bps: 0, maxRaw: 0n, ...next.fee, fromEpoch: Number(next.fromEpoch) };
  return { now: fee, next: later };
}

/** The higher of the two fees of each mint: what a pool without known fees may meet. */
export function readHighestFees(
  accounts: SolanaAccounts,
  { token0, token1 }: { readonly token0: Address; readonly token1: Address },
): Pick<PoolTransferFees, 'fee0' | 'fee1'> {
  const highest = (mint: Address) => {
    const { fee, next } = readMintFee(accounts.get(mint), 0n);
    const [now, later] = [fee?.bps ?? 0, next?.fee?.bps ?? 0];
    return later > now ? (next?.fee ?? null) : fee;
  };
  return { fee0: highest(token0), fee1: highest(token1) };
}

/** Null if it is not known which epoch it is; `EPOCH_ACCOUNTS` must be among the accounts. */
export function readTransferFees(
  accounts: SolanaAccounts,
  { token0, token1 }: { readonly token0: Address; readonly token1: Address },
): PoolTransferFees | null {
  const time = readEpoch(accounts);
  if (time === null) return null;
  const of0 = readMintFee(accounts.get(token0), time.epoch);
  const of1 = readMintFee(accounts.get(token1), time.epoch);
  const until = minOf(of0.untilEpoch, of1.untilEpoch);
  return { fee0: of0.fee, fee1: of1.fee, untilBlock: Number(time.findFirstSlot(until)) };
}
