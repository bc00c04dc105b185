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

/** What the same blocks take from one kind of archive. */
export interface ArchiveEstimate {
  readonly source: 'portal' | 'era' | 'rpc';
  /** At the own node, for hashes and samples. */
  readonly calls: number;
  readonly credits: number;
  /** At the archive, where it counts calls. */
  readonly callsThere: number | null;
  /** From the archive, as they are sent. */
  readonly bytes: number;
  /**
   * At the own node's rate, at that of proving on one core, or at that of another RPC if it is as
   * fast as this endpoint: whichever takes longest.
   */
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
/** Recent files of Ethereum: 928 MB for 8,192 blocks (../shared/ARCHIVES.md B); older ones less. */
const ERA_BLOCK_BYTES = 928_000_000 / 8192;
/** A signature, from which era files have the sender. */
const SENDER_CPU_MS = 3.1;
/** Header and receipts: in JSON twice what a Portal sends of a block (ARCHIVES.md F, a guess). */
const [RPC_CALLS_EACH, RPC_BYTES] = [2, 2];

/** The preferred kind first. Era files are of Ethereum and its test networks alone. */
export function estimateArchives(
  measured: EvmMeasurement,
  {
    blocks,
    credits,
    creditsPerDay,
    samplePct,
    hasEraFiles,
  }: {
    readonly blocks: number;
    readonly hasEraFiles: boolean;
    readonly credits: CreditTable | null;
    readonly creditsPerDay: number | null;
    readonly samplePct: number;
  },
): ArchiveEstimate[] {
  const { blockBytes, abilities, swapsPerBlock } = measured;
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
  const daysOf = (cpuMsEach: number, callDays: number) =>
    Math.max(callDays, (blocks * cpuMsEach) / 1000 / DAY_SECONDS);
  const proofMs = BLOCK_CPU_MS + logs * LOG_CPU_MS;
  const own = { calls, credits: calls * cost };
  const callDays = calls / perDay;
  const sentBytes = blocks * json * COMPRESSED;
  const callsThere = blocks * RPC_CALLS_EACH;
  const thereDays = callsThere / computeBlocksPerDay(measured, 1);
  const portal = { source: 'portal', callsThere: null, bytes: sentBytes } as const;
  const era = { source: 'era', callsThere: null, bytes: blocks * ERA_BLOCK_BYTES } as const;
  const rpc = { source: 'rpc', callsThere, bytes: sentBytes * RPC_BYTES } as const;
  const eraMs = proofMs + swapsPerBlock * SENDER_CPU_MS;
  return [
    { ...own, ...portal, days: daysOf(proofMs, callDays) },
    ...(hasEraFiles ? [{ ...own, ...era, days: daysOf(eraMs, callDays) }] : []),
    { ...own, ...rpc, days: daysOf(proofMs, Math.max(callDays, thereDays)) },
  ];
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
