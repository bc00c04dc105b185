// Why a trade did not come to its end, and how far it came.

import type { BuiltTrade } from './contract.gen.ts';

/** How far a trade is. Plain JSON: store it, and a later run goes on from there. */
export interface TradeProgress {
  readonly built: BuiltTrade;
  /**
   * The hash of each transaction that was sent or is about to be, in order. Null: a wallet failed
   * without saying whether it sent the transaction.
   */
  readonly sent: readonly (string | null)[];
}

/**
 * - `REFUSED`: the review or the wallet's user said no. No swap was sent.
 * - `INSUFFICIENT_FUNDS`: see `issues` of the build. No swap was sent.
 * - `WRONG_WALLET`: the wallet has another account.
 * - `WRONG_CHAIN`: the wallet stands on another chain, and stayed there when it was asked.
 * - `EXPIRED`: the deadline has passed before the next transaction was sent. Build again.
 * - `UNSUPPORTED_TRANSACTION`: the wallet cannot send transactions of that chain, or cannot sign
 *   the permit. Nothing was sent.
 * - `SEND_UNCERTAIN`: a wallet failed and may have sent. Look into it before you trade again.
 * - `LOST`: it was sent, and no node knows it. It may still appear until the deadline.
 * - `PENDING`: it was sent and is not mined yet. Go on later with `resume`.
 * - `REVERTED`: it was mined and failed; on Solana the message says why. Nothing was traded.
 * - `STATUS_UNKNOWN`: it was sent and its status cannot be read; see `cause`. Go on with `resume`.
 */
export type TradeErrorCode =
  | 'REFUSED'
  | 'INSUFFICIENT_FUNDS'
  | 'WRONG_WALLET'
  | 'WRONG_CHAIN'
  | 'EXPIRED'
  | 'UNSUPPORTED_TRANSACTION'
  | 'SEND_UNCERTAIN'
  | 'LOST'
  | 'PENDING'
  | 'REVERTED'
  | 'STATUS_UNKNOWN';

export class TradeError extends Error {
  override readonly name = 'TradeError';
  readonly code: TradeErrorCode;
  /** Pass it as `resume` to go on; transactions in it are asked for, not sent again. */
  readonly progress: TradeProgress;

  constructor(
    code: TradeErrorCode,
    progress: TradeProgress,
    options: { readonly detail?: string; readonly cause?: unknown } = {},
  ) {
    super(options.detail === undefined ? code : `${code}: ${options.detail}`, {
      cause: options.cause,
    });
    this.code = code;
    this.progress = progress;
  }
}
