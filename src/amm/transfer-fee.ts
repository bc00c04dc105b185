// What a token itself deducts from every transfer, as Token-2022 computes it: a share, rounded up,
// of at most a fixed amount.

import { minOf } from '../lib/bigint-bounds.ts';

/** Of the amount that is sent. */
export interface TransferFee {
  readonly bps: number;
  readonly maxRaw: bigint;
}

/** The fees of a pool's two tokens; null for a token without one. */
export interface PoolTransferFees {
  readonly fee0: TransferFee | null;
  readonly fee1: TransferFee | null;
  /** They cannot change before this block. */
  readonly untilBlock: number;
}

const BPS = 10_000n;
/**
 * A trade may be executed this many slots after the state it was priced on. A transaction of
 * Solana, the only chain whose token programs have such fees, is valid for 150 blocks from when it
 * was built; slots may have none.
 */
const TRADE_LIFE_BLOCKS = 300;

/** Whether the fees cannot change as long as a trade that is priced at a block may be executed. */
export function isFeeCertain(fees: PoolTransferFees | null | undefined, block: number): boolean {
  return !fees || block + TRADE_LIFE_BLOCKS < fees.untilBlock;
}

export function computeTransferFee(fee: TransferFee | null, amount: bigint): bigint {
  if (fee === null || fee.bps === 0 || amount <= 0n) return 0n;
  const share = (amount * BigInt(fee.bps) + BPS - 1n) / BPS;
  return minOf(share, fee.maxRaw);
}

/** What must be sent so that exactly this arrives. */
export function computeSentAmount(fee: TransferFee | null, arriving: bigint): bigint {
  if (fee === null || fee.bps === 0 || arriving <= 0n) return arriving;
  const keptBps = BPS - BigInt(fee.bps);
  if (keptBps <= 0n) return arriving + fee.maxRaw;
  const sent = (arriving * BPS + keptBps - 1n) / keptBps;
  return sent - arriving < fee.maxRaw ? sent : arriving + fee.maxRaw;
}

function encodeFee(fee: TransferFee | null): string {
  return fee === null ? '' : `${fee.bps}:${fee.maxRaw}`;
}

function decodeFee(text: string | undefined): TransferFee | null {
  const [bps, maxRaw] = (text ?? '').split(':');
  if (!bps || !maxRaw) return null;
  return { bps: Number(bps), maxRaw: BigInt(maxRaw) };
}

/** For stored states. */
export function encodeTransferFees({ fee0, fee1, untilBlock }: PoolTransferFees): string {
  return `${encodeFee(fee0)}/${encodeFee(fee1)}/${untilBlock}`;
}

/** Null for the empty text of pools whose tokens never had a fee. */
export function decodeTransferFees(text: string): PoolTransferFees | null {
  if (text === '') return null;
  const [first, second, until] = text.split('/');
  return { fee0: decodeFee(first), fee1: decodeFee(second), untilBlock: Number(until) };
}
