// What reading a chain's history costs at a measured endpoint, before it starts.

import { CALLS_AS_CREDITS, type CreditTable } from '../model/rpc-usage.ts';
import type { EndpointMeasurement, EvmMeasurement } from './endpoint-measurement.ts';

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

/** What the same blocks take from an archive. */
export interface ArchiveEstimate {
  /** At the own node, for hashes and samples. */
  readonly calls: number;
  readonly credits: number;
  /** From a Portal, compressed. */
  readonly bytes: number;
  /** At the own node's rate or at that of proving on one core, whichever takes longer. */
  readonly days: number;
}

/** Logs of one reading, for which the node is asked for one hash. */
const LOGS_PER_READING = 20_000;
const BLOCKS_PER_READING = 5000;
/** A log in JSON, and a block's header with its other fields; compressed to this share. */
const [LOG_BYTES, BLOCK_BYTES, COMPRESSED] = [540, 1700, 0.15];
/** A log has so many transactions beside it, of so many bytes: blocks of Base of autumn 2026. */
const [TRANSACTIONS_PER_LOG, TRANSACTION_BYTES] = [0.25, 215];

/** CPU of reading and proving a block, and for each of its logs, without Node's own Keccak. */
const [BLOCK_CPU_MS, LOG_CPU_MS] = [0.5, 0.05];

export function estimateArchive(
  measured: EvmMeasurement,
  {
    blocks,
    credits,
    creditsPerDay,
    samplePct,
  }: {
    readonly blocks: number;
    readonly credits: CreditTable | null;
    readonly creditsPerDay: number | null;
    readonly samplePct: number;
  },
): ArchiveEstimate {
  const { blockBytes, abilities } = measured;
  const logs = blockBytes.logs / (LOG_BYTES * (abilities.gzip ? COMPRESSED : 1));
  const readings = Math.max(1 / BLOCKS_PER_READING, logs / LOGS_PER_READING);
  const calls = blocks * (readings + samplePct / 100);
  const table = credits ?? CALLS_AS_CREDITS;
  const cost = table.methods.get('eth_getBlockByNumber') ?? table.other;
  const json = BLOCK_BYTES + logs * (LOG_BYTES + TRANSACTIONS_PER_LOG * TRANSACTION_BYTES);
  const perDay = Math.min(
    computeBlocksPerDay(measured, 1),
    creditsPerDay === null ? Number.POSITIVE_INFINITY : creditsPerDay / cost,
  );
  const cpuSeconds = (blocks * (BLOCK_CPU_MS + logs * LOG_CPU_MS)) / 1000;
  const days = Math.max(calls / perDay, cpuSeconds / DAY_SECONDS);
  return { calls, credits: calls * cost, bytes: blocks * json * COMPRESSED, days };
}

export const LONG_HISTORY_DAYS = 7;

const DAY_SECONDS = 86_400;
/** Replies of about eight thousand logs are asked for: so many blocks of a busy chain. */
const BLOCKS_PER_QUERY = 100;
/** The last transaction with logs, and on average one after it. */
const TAIL_RECEIPTS = 2;
/** Of the blocks that are not checked, these have several traders, whom a whole block names. */
const WHOLE_BLOCKS = 0.5;
/** So many blocks of Solana are read together: with a list of them, a header, accounts of pools. */
const BLOCKS_PER_PART = 8;
/** A trade with its candles, balances and positions; bench/scaling-model.ts has the same. */
const BYTES_PER_SWAP = 1500;

/** What one block takes. */
type BlockCalls = readonly (readonly [method: string, count: number])[];

function listEvmCalls({ logBlocksMax }: EvmMeasurement, checksLogs: boolean): BlockCalls {
  return [
    ['eth_getLogs', 1 / Math.max(1, Math.min(BLOCKS_PER_QUERY, logBlocksMax))],
    ['eth_getBlockByNumber', checksLogs ? 1 : WHOLE_BLOCKS],
    ['eth_getTransactionReceipt', checksLogs ? TAIL_RECEIPTS : 0],
  ];
}

const SOLANA_CALLS: BlockCalls = [
  ['getBlock', 1 + 1 / BLOCKS_PER_PART],
  ['getBlocks', 1 / BLOCKS_PER_PART],
  ['getMultipleAccounts', 1 / BLOCKS_PER_PART],
];

function computeBlocksPerDay(measured: EndpointMeasurement, callsEach: number): number {
  const { burst, family } = measured;
  // What was refused says how many calls a second there may be; otherwise it is at least so many.
  const seconds = Math.max(burst.seconds, burst.answered < burst.sent ? 1 : 0.001);
  const perDay = (Math.max(1, burst.answered) / seconds) * DAY_SECONDS;
  // On Solana the burst was of whole blocks, which are what takes the time.
  return family === 'solana' ? perDay : perDay / callsEach;
}

export function estimateHistory(
  measured: EndpointMeasurement,
  { fromBlock, credits, creditsPerDay, checksLogs }: HistoryOptions,
): HistoryEstimate {
  const { head, swapsPerBlock } = measured;
  const table = credits ?? CALLS_AS_CREDITS;
  const cost = (method: string) => table.methods.get(method) ?? table.other;
  const slots = measured.family === 'solana' ? measured.slotsPerBlock : 1;
  const blocks = Math.round(Math.max(0, head - fromBlock + 1) / slots);
  const calls = measured.family === 'evm' ? listEvmCalls(measured, checksLogs) : SOLANA_CALLS;
  const callsEach = calls.reduce((sum, [, count]) => sum + count, 0);
  const creditsEach = calls.reduce((sum, [method, count]) => sum + count * cost(method), 0);
  const byRate = computeBlocksPerDay(measured, callsEach);
  const byCredits = creditsPerDay === null ? Number.POSITIVE_INFINITY : creditsPerDay / creditsEach;
  const blocksPerDay = Math.min(byRate, byCredits);
  return {
    ...{ fromBlock, blocks, calls: blocks * callsEach, credits: blocks * creditsEach },
    days: blocks / blocksPerDay,
    limit: byCredits < byRate ? 'creditsPerDay' : 'measuredRate',
    diskBytes: blocks * swapsPerBlock * BYTES_PER_SWAP,
    weekFromBlock: Math.max(0, Math.round(head - blocksPerDay * LONG_HISTORY_DAYS * slots)),
  };
}
