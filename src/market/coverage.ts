// What has been indexed of a token.

import type { ChainSlug } from '../model/chain.ts';
import type { Checkpoint, TokenRecord } from '../model/market-record.ts';
import type { AnswerReader } from './read-at.ts';

interface Coverage {
  readonly tradesFrom: number | null;
  readonly klinesFrom: number | null;
  readonly holdersComplete: boolean;
}

/** Whether every holder is known: the balances add up to what the contract calls its supply. */
export function isHoldersComplete(token: TokenRecord): boolean {
  return (
    !token.balancesBroken &&
    token.supplyRaw !== null &&
    token.supplyBalanceSumRaw === token.supplyRaw &&
    token.balanceSumRaw === token.supplyRaw
  );
}

/** When indexing began, on the chain's clock; where that was not noted, the first trade tells. */
export async function readStart(
  reader: AnswerReader,
  chain: ChainSlug,
  checkpoint: Checkpoint,
): Promise<number | null> {
  return checkpoint.startAtMs ?? (await reader.readFirstTradeTime(chain));
}

/** A chain that is indexed from its very beginning has no time before. */
export function isCovered(
  checkpoint: Checkpoint,
  startMs: number | null,
  sinceMs: number,
): boolean {
  return checkpoint.startBlock <= 1 || (startMs !== null && startMs <= sinceMs);
}

export function toCoverage(token: TokenRecord, startMs: number | null): Coverage {
  return {
    tradesFrom: startMs,
    klinesFrom: startMs,
    holdersComplete: isHoldersComplete(token),
  };
}
