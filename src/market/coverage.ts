// What has been indexed of a token.

import { findBaseInterval } from '../candles/interval.ts';
import type { ChainSlug } from '../model/chain.ts';
import type { Checkpoint, KeptFrom, KlineInterval, TokenRecord } from '../model/market-record.ts';
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

/** How much of the chain's time is indexed; a chain indexed from block 0 has no earlier time. */
export function computeCovered(checkpoint: Checkpoint, startMs: number | null): number {
  if (checkpoint.startBlock <= 1) return Number.POSITIVE_INFINITY;
  return startMs === null ? 0 : checkpoint.timestampMs - startMs;
}

/** From when on klines of an interval are kept; 0 if all are. */
export function toKlinesKeptFrom(interval: KlineInterval, kept: KeptFrom): number {
  const base = findBaseInterval(interval);
  if (base === null) return kept.tradesFromMs ?? 0;
  return base === '1d' ? 0 : (kept.candlesFromMs ?? 0);
}

function toLater(startMs: number | null, keptFromMs: number): number | null {
  return keptFromMs > (startMs ?? 0) ? keptFromMs : startMs;
}

/** `klinesFrom` depends on the interval, because fine candles are deleted earlier. */
export function buildCoverage(
  token: TokenRecord,
  startMs: number | null,
  kept: KeptFrom,
  interval: KlineInterval = '1m',
): Coverage {
  return {
    tradesFrom: toLater(startMs, kept.tradesFromMs ?? 0),
    klinesFrom: toLater(startMs, toKlinesKeptFrom(interval, kept)),
    holdersComplete: isHoldersComplete(token),
  };
}
