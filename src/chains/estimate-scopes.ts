// What following a chain costs a day at a measured endpoint, for each scope.

import { CALLS_AS_CREDITS, type CreditTable } from '../model/rpc-usage.ts';
import type { ScopeName } from '../model/scope.ts';
import type {
  EndpointMeasurement,
  EvmMeasurement,
  SolanaMeasurement,
} from './endpoint-measurement.ts';

export interface ScopeEstimate {
  readonly scope: ScopeName;
  readonly callsPerDay: number;
  readonly creditsPerDay: number;
  readonly bytesPerDay: number;
}

interface EstimateOptions {
  readonly credits: CreditTable | null;
  /** Whether blocks are announced over a WebSocket. */
  readonly isAnnounced: boolean;
  /** How many tokens are watched in scope `watch`. */
  readonly watchedTokens: number;
}

const DAY_SECONDS = 86_400;
/** Some polls come too early. */
const POLLS_PER_BLOCK = 1.4;
/** Blocks that come faster than this are read several at a time; also if they are announced. */
const POLL_SECONDS = 1;
const ANNOUNCED_SECONDS = 0.4;
/** Supplies and names are read no more often. */
const CONTRACTS_SECONDS = 2;
/** A call to contracts is about this long. */
const CALL_BYTES = 1000;
const RECEIPT_BYTES = 2000;
/**
 * Contract reads per block, or every two seconds: supplies of what was minted or burnt, and names
 * of new tokens.
 */
const CALLS_PER_BLOCK: Readonly<Record<ScopeName, number>> = { all: 1, liquid: 0.5, watch: 0.1 };
/** How many of the blocks have a trade of a watched token, whose sender is then read. */
const WATCHED_BLOCKS = 0.3;
/** The final block and fees, once a minute; the chain id, every ten. */
const RARE_CALLS = [
  ['eth_getBlockByNumber', 1440],
  ['eth_feeHistory', 1440],
  ['eth_chainId', 144],
  ['eth_blockNumber', 144],
] as const;
/** Solana is looked at this often. */
const SOLANA_POLL_SECONDS = 0.8;
const SLOT_BYTES = 100;
const TRANSACTION_BYTES = 5000;
/** A watched token and a pool of it. */
const ACCOUNTS_PER_TOKEN = 2;
/** While blocks are announced, the head is confirmed every half minute. */
const CONFIRMATIONS = 2880;

/** Calls a day, with the bytes of each. */
type Calls = (readonly [method: string, count: number, bytes: number])[];

/** Every block's header is read, the newest of a reading by the poll. */
function listHeadCalls(
  { blockSeconds, blockBytes }: EvmMeasurement,
  blocks: number,
  isAnnounced: boolean,
): Calls {
  const { header } = blockBytes;
  if (isAnnounced) {
    return [
      ['newHeads', blocks, header],
      ['eth_getBlockByNumber', CONFIRMATIONS, header],
    ];
  }
  const each = blockSeconds > POLL_SECONDS ? POLLS_PER_BLOCK : 1;
  return [['eth_getBlockByNumber', blocks * each, header]];
}

/** By receipts or by logs, as the indexer would. */
function listBlockCalls(
  { abilities, blockBytes }: EvmMeasurement,
  { blocks, readings }: { readonly blocks: number; readonly readings: number },
  cost: (method: string) => number,
): Calls {
  const { receipts, logs, full } = blockBytes;
  const byLogs = cost('eth_getLogs') + cost('eth_getTransactionReceipt');
  if (abilities.receipts && receipts !== null && cost('eth_getBlockReceipts') <= byLogs) {
    return [['eth_getBlockReceipts', blocks, receipts]];
  }
  return [
    ['eth_getLogs', readings, (logs * blocks) / readings],
    ['eth_getTransactionReceipt', blocks, RECEIPT_BYTES],
    ['eth_getBlockByNumber', blocks, full],
  ];
}

function listEvmCalls(
  measurement: EvmMeasurement,
  options: EstimateOptions,
  cost: (method: string) => number,
): Readonly<Record<ScopeName, Calls>> {
  const blocks = DAY_SECONDS / Math.max(measurement.blockSeconds, 0.01);
  const { blockBytes } = measurement;
  const head = listHeadCalls(measurement, blocks, options.isAnnounced);
  const rare: Calls = RARE_CALLS.map(([method, count]) => [method, count, CALL_BYTES]);
  const seconds = options.isAnnounced ? ANNOUNCED_SECONDS : POLL_SECONDS;
  const readings = Math.min(blocks, DAY_SECONDS / seconds);
  const contracts = Math.min(blocks, DAY_SECONDS / CONTRACTS_SECONDS);
  const whole = listBlockCalls(measurement, { blocks, readings }, cost);
  const watchedBytes = blockBytes.poolLogs * options.watchedTokens;
  const watched: Calls = [
    ['eth_getLogs', readings, (watchedBytes * blocks) / readings],
    ['eth_getBlockByNumber', blocks * WATCHED_BLOCKS, blockBytes.full],
  ];
  const withReads = (scope: ScopeName): Calls => {
    const reads: Calls = [['eth_call', contracts * CALLS_PER_BLOCK[scope], CALL_BYTES]];
    return [...head, ...rare, ...(scope === 'watch' ? watched : whole), ...reads];
  };
  return { all: withReads('all'), liquid: withReads('liquid'), watch: withReads('watch') };
}

/** Each look: the two slots, two headers and a list of blocks. */
function listSolanaCalls(
  { blockSeconds, blockBytes, poolTransactionsPerBlock }: SolanaMeasurement,
  { watchedTokens }: EstimateOptions,
): Readonly<Record<ScopeName, Calls>> {
  const blocks = DAY_SECONDS / Math.max(blockSeconds, 0.01);
  const looks = Math.min(blocks, DAY_SECONDS / SOLANA_POLL_SECONDS);
  const { header, full, signatures } = blockBytes;
  const head: Calls = [
    ['getSlot', looks * 2, SLOT_BYTES],
    ['getBlock', looks * 2, header],
    ['getBlocks', looks, CALL_BYTES],
    ['getMultipleAccounts', looks, CALL_BYTES],
  ];
  const whole: Calls = [...head, ['getBlock', blocks, full]];
  const trades = blocks * poolTransactionsPerBlock * watchedTokens;
  const watch: Calls = [
    ...head,
    ['getBlock', blocks, header],
    ['getSignaturesForAddress', looks * watchedTokens * ACCOUNTS_PER_TOKEN, CALL_BYTES],
    ['getBlock', Math.min(blocks, trades), signatures],
    ['getTransaction', trades, TRANSACTION_BYTES],
  ];
  return { all: whole, liquid: whole, watch };
}

export function estimateScopes(
  measurement: EndpointMeasurement,
  options: EstimateOptions,
): ScopeEstimate[] {
  const table = options.credits ?? CALLS_AS_CREDITS;
  const cost = (method: string) => table.methods.get(method) ?? table.other;
  const callsOf =
    measurement.family === 'evm'
      ? listEvmCalls(measurement, options, cost)
      : listSolanaCalls(measurement, options);
  return (['all', 'liquid', 'watch'] as const).map((scope) => {
    const calls = callsOf[scope];
    const sum = (pick: (call: Calls[number]) => number) =>
      Math.round(calls.reduce((total, call) => total + pick(call), 0));
    return {
      scope,
      // An announcement is no call, though it may cost credits.
      callsPerDay: sum(([method, count]) => (method === 'newHeads' ? 0 : count)),
      creditsPerDay: sum(([method, count]) => count * cost(method)),
      bytesPerDay: sum(([, count, bytes]) => count * bytes),
    };
  });
}
