// Token transfers under a call, and what they add up to for an account.

import type { Address } from '../../../model/ids.ts';
import { TOKEN_PROGRAMS } from './solana-ids.ts';
import type { ProgramCall } from './transaction-calls.ts';

const TRANSFER = 3;
const TRANSFER_CHECKED = 12;
const TRANSFER_FEE_EXTENSION = 26;
const TRANSFER_CHECKED_WITH_FEE = 1;

export interface TokenMove {
  readonly from: Address;
  readonly to: Address;
  /** Who signed for it, the owner or a delegate; null if the call has no such account. */
  readonly authority: Address | null;
  /** Null if the instruction does not name it. */
  readonly mint: Address | null;
  /** What the sender loses. */
  readonly sent: bigint;
  /** What the receiver gets; a fee of the mint that the instruction does not name is in it. */
  readonly received: bigint;
}

function readMove(call: ProgramCall): TokenMove | null {
  if (!TOKEN_PROGRAMS.has(call.program)) return null;
  const { data } = call;
  if (data.length === 0) return null;
  const kind = data.u8(0);
  const isChecked = kind === TRANSFER_CHECKED;
  const hasFee = kind === TRANSFER_FEE_EXTENSION && data.u8(1) === TRANSFER_CHECKED_WITH_FEE;
  if (kind !== TRANSFER && !isChecked && !hasFee) return null;
  const isPlain = kind === TRANSFER;
  const from = call.account(0);
  const to = call.account(isPlain ? 1 : 2);
  if (from === null || to === null) return null;
  const authority = call.account(isPlain ? 2 : 3);
  const ends = { from, to, authority, mint: isPlain ? null : call.account(1) };
  if (!hasFee) return { ...ends, sent: data.u64(1), received: data.u64(1) };
  return { ...ends, sent: data.u64(2), received: data.u64(2) - data.u64(11) };
}

/** What came in and went out of accounts under a call. */
export class TokenMoves {
  /** In the order of their execution. */
  readonly list: readonly TokenMove[];

  constructor(call: Pick<ProgramCall, 'nested'>) {
    this.list = call.nested.map(readMove).filter((move) => move !== null);
  }

  get isEmpty(): boolean {
    return this.list.length === 0;
  }

  /** What an account gained; negative if it lost. */
  gain(account: Address): bigint {
    let sum = 0n;
    for (const { from, to, sent, received } of this.list) {
      if (from === to) continue;
      if (to === account) sum += received;
      if (from === account) sum -= sent;
    }
    return sum;
  }
}
