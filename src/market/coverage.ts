// What has been indexed of a token.

import type { ChainSlug } from '../model/chain.ts';
import type { Checkpoint, TokenRecord } from '../model/market-record.ts';
import type { AnswerReader } from './read-at.ts';

interface Coverage {
  readonly tradesFrom: number | null;
  readonly klinesFrom: number | null;
  readonly holdersComplete: boolean;
}

/** Whether every holder is known: the balances add up to the contract's total supply. */
export function isHoldersComplete(token: TokenRecord): boolean {
  return (
    !token.balancesBroken &&
    token.supplyRaw !== null &&
    token.supplyBalanceSumRaw === token.supplyRaw &&
    token.balanceSumRaw === token.supplyRaw
  );
}

/** The chain time at which indexing began; if it was not recorded, the time of the first trade. */
export async function readStart(
  reader: AnswerReader,
  chain: ChainSlug,
  checkpoint: Checkpoint,
): Promise<number | null> {
  return checkpoint.startAtMs ?? (await reader.readFirstTradeTime(chain));
}

/** Whether the time range is indexed; a chain indexed from block 0 has no earlier time. */
export function isCovered(
  checkpoint: Checkpoint,
  startMs: number | null,
  sinceMs: number,
): boolean {
  return checkpoint.startBlock <= 1 || (startMs !== null && startMs <= sinceMs);
}

export function buildCoverage(token: TokenRecord, startMs: number | null): Coverage {
  return {
    tradesFrom: startMs,
    klinesFrom: startMs,
    holdersComplete: isHoldersComplete(token),
  };
}
