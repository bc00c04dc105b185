// What reading a chain's history costs at a measured endpoint, before it starts.

import { CALLS_AS_CREDITS, type CreditTable } from '../model/rpc-usage.ts';
import type { EndpointMeasurement } from './endpoint-measurement.ts';

export interface HistoryEstimate {
  readonly fromBlock: number;
  readonly blocks: number;
  readonly calls: number;
  readonly credits: number;
  readonly days: number;
  /** What the days follow from. */
  readonly limit: 'creditsPerDay' | 'measuredRate';
  readonly diskBytes: number;
  /** The first block of what would be read in a week. */
  readonly weekFromBlock: number;
}

interface HistoryOptions {
  readonly fromBlock: number;
  readonly credits: CreditTable | null;
  readonly creditsPerDay: number | null;
  /** Whether the logs of every block are checked against its header. */
  readonly checksLogs: boolean;
}

export const LONG_HISTORY_DAYS = 7;

const DAY_SECONDS = 86_400;
/** Replies of about eight thousand logs are asked for: so many blocks of a busy chain. */
const BLOCKS_PER_QUERY = 100;
/** Of the blocks that are not checked, these have several traders, whom a whole block names. */
const WHOLE_BLOCKS = 0.5;
/** A trade with its part of candles, balances and positions; bench/scaling-model.ts has the same. */
const BYTES_PER_SWAP = 1500;

export function estimateHistory(
  { head, burst, logBlocksMax, swapsPerBlock }: EndpointMeasurement,
  { fromBlock, credits, creditsPerDay, checksLogs }: HistoryOptions,
): HistoryEstimate {
  const table = credits ?? CALLS_AS_CREDITS;
  const cost = (method: string) => table.methods.get(method) ?? table.other;
  const blocks = Math.max(0, head - fromBlock + 1);
  const queries = 1 / Math.max(1, Math.min(BLOCKS_PER_QUERY, logBlocksMax));
  const perBlock = [
    ['eth_getLogs', queries],
    ['eth_getBlockByNumber', checksLogs ? 1 : WHOLE_BLOCKS],
    ['eth_getTransactionReceipt', checksLogs ? 1 : 0],
  ] as const;
  const callsEach = perBlock.reduce((sum, [, count]) => sum + count, 0);
  const creditsEach = perBlock.reduce((sum, [method, count]) => sum + count * cost(method), 0);
  // What was refused says how many calls a second there may be; otherwise it is at least so many.
  const seconds = Math.max(burst.seconds, burst.answered < burst.sent ? 1 : 0.001);
  const ratePerDay = (Math.max(1, burst.answered) / seconds) * DAY_SECONDS;
  const byRate = ratePerDay / callsEach;
  const byCredits = creditsPerDay === null ? Number.POSITIVE_INFINITY : creditsPerDay / creditsEach;
  const blocksPerDay = Math.min(byRate, byCredits);
  return {
    ...{ fromBlock, blocks, calls: blocks * callsEach, credits: blocks * creditsEach },
    days: blocks / blocksPerDay,
    limit: byCredits < byRate ? 'creditsPerDay' : 'measuredRate',
    diskBytes: blocks * swapsPerBlock * BYTES_PER_SWAP,
    weekFromBlock: Math.max(0, Math.round(head - blocksPerDay * LONG_HISTORY_DAYS)),
  };
}
