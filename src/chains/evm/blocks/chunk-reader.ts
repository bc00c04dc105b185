// Reads one small range at one endpoint: logs, then only the needed headers and senders, each
// checked against the others.

import type { Clock } from '../../../lib/clock.ts';
import type { BlockEvents, MarketEvent } from '../../../model/block-events.ts';
import type { BlockHeader } from '../../../model/block-header.ts';
import type { Address, PoolId, TransactionId } from '../../../model/ids.ts';
import type { TokenNotice } from '../../../model/token-notice.ts';
import type { RpcEndpoint } from '../../rpc/rpc-endpoint.ts';
import { isRpcError, RpcError } from '../../rpc/rpc-error.ts';
import { recoverSenders } from '../archives/recover-senders.ts';
import type { ArchivedEvmBlocks } from '../archives/to-evm-blocks.ts';
import { takeLogTimes } from '../data/block-time.ts';
import type { EvmLog } from '../data/evm-log.ts';
import { toQuantity } from '../data/hex-data.ts';
import { bloomMayHave, parseBloom } from '../data/logs-bloom.ts';
import type { EvmBlock } from '../data/parse-block.ts';
import { parseLogs } from '../data/parse-logs.ts';
import type { PoolDirectory } from '../pools/pool-directory.ts';
import type { CallContracts } from '../rpc/multicall.ts';
import { TRANSFER_TOPIC } from '../tokens/decode-transfer.ts';
import type { DecodedLogs, LogDecoding } from '../venues/log-decoding.ts';
import { type AcceptedBlock, acceptEvents } from './accept-events.ts';
import { decodeBacked } from './decode-backed.ts';
import { findTokenNotices } from './find-token-notices.ts';
import { completeBlocks, type KnownBlocks, NO_BLOCKS } from './known-blocks.ts';
import { listUnclaimed } from './list-unclaimed.ts';
import { mayBeTruncated } from './may-be-truncated.ts';
import { type BlockWish, readEvmBlocks, readSenders } from './read-evm-blocks.ts';
import { readReceipts } from './read-receipts.ts';
import { assertLinked, assertLogsFit } from './verify-blocks.ts';

// A bloom filter cannot show that a block's last logs are missing if earlier ones look alike, for
// instance if the same wallet buys twice from the same pool. The receipts of the last transactions
// can.

/**
 * There are usually few transactions after the last one with logs; above this number only the bloom
 * is checked.
 */
const TAIL_TRANSACTIONS_MAX = 32;

interface Tail {
  readonly txHash: TransactionId;
  readonly blockHash: string;
  /** How many logs of this transaction the node returned. */
  readonly logCount: number;
}

/** The last transaction with logs, and those after it, which should have none. */
function findTails(block: EvmBlock, logs: readonly EvmLog[]): Tail[] {
  const last = logs.at(-1);
  if (last === undefined) return [];
  const { hash: blockHash } = block.header;
  const position = block.txHashes.indexOf(last.txHash);
  const later = position === -1 ? [] : block.txHashes.slice(position + 1);
  const logCount = logs.filter((log) => log.txHash === last.txHash).length;
  return [
    { txHash: last.txHash, blockHash, logCount },
    ...later.slice(0, TAIL_TRANSACTIONS_MAX).map((txHash) => ({ txHash, blockHash, logCount: 0 })),
  ];
}

function groupByBlock(logs: readonly EvmLog[]): Map<number, EvmLog[]> {
  return Map.groupBy(logs, (log) => log.block);
}

function matchesTail(receipt: unknown, tail: Tail): boolean {
  if (typeof receipt !== 'object' || receipt === null) return false;
  const { blockHash, logs } = receipt as Record<string, unknown>;
  return blockHash === tail.blockHash && Array.isArray(logs) && logs.length === tail.logCount;
}

/** Requires all logs of the blocks, without gaps. */
async function assertTailsComplete(
  endpoint: RpcEndpoint,
  read: { readonly blocks: readonly EvmBlock[]; readonly logs: readonly EvmLog[] },
  signal?: AbortSignal,
): Promise<void> {
  const logs = groupByBlock(read.logs);
  const tails = read.blocks.flatMap((block) =>
    findTails(block, logs.get(block.header.position) ?? []),
  );
  const outcomes = await endpoint.batch(
    tails.map(({ txHash }) => ({ method: 'eth_getTransactionReceipt', params: [txHash] })),
    { signal },
  );
  for (const [index, tail] of tails.entries()) {
    const outcome = outcomes[index];
    // If a node has no receipts, the bloom check must do.
    if (outcome?.ok === false && isRpcError(outcome.error, 'unsupported')) return;
    if (matchesTail(endpoint.unwrap(outcome), tail)) continue;
    const { name } = endpoint;
    throw new RpcError('invalidReply', `${name}: logs and receipts differ`, { endpoint: name });
  }
}

// Whether a block near the head is read by its receipts or by a log query, by what is cheaper at
// the endpoint. Both need the header; logs also need a receipt, to see that none is missing.

/** How long an endpoint without usable receipts is not asked for them again. */
const REFUSED_MS = 60 * 60 * 1000;

class ReceiptsChoice {
  readonly #clock: Pick<Clock, 'monotonicMs'>;
  readonly #refusedAtMs = new Map<string, number>();

  constructor(clock: Pick<Clock, 'monotonicMs'>) {
    this.#clock = clock;
  }

  takesReceipts(endpoint: RpcEndpoint): boolean {
    const refusedAtMs = this.#refusedAtMs.get(endpoint.name);
    if (refusedAtMs !== undefined && this.#clock.monotonicMs() - refusedAtMs < REFUSED_MS) {
      return false;
    }
    const byLogs =
      endpoint.creditsOf('eth_getLogs') + endpoint.creditsOf('eth_getTransactionReceipt');
    return endpoint.creditsOf('eth_getBlockReceipts') <= byLogs;
  }

  /** The endpoint has no receipts, or not all of a block. */
  refuse(endpoint: RpcEndpoint): void {
    this.#refusedAtMs.set(endpoint.name, this.#clock.monotonicMs());
  }
}

export interface Chunk {
  readonly fromBlock: number;
  readonly toBlock: number;
  readonly linked: boolean;
  /** Whether to read all logs and check them against the headers of the whole range. */
  readonly verified: boolean;
  readonly describesPools: boolean;
  readonly signal?: AbortSignal | undefined;
  /** If it is read while the chunk before it still is. */
  readonly order?: ChunkOrder | undefined;
}

/** A chunk's logs are decoded after those of the one before, whose new pools it may need. */
interface ChunkOrder {
  readonly before: Promise<void>;
  /** `undo` forgets those pools: to be called if the logs turn out not to be trusted. */
  noteDecoded(undo: () => void): void;
}

export interface ChunkReading {
  readonly blocks: readonly BlockEvents[];
  readonly headers: readonly BlockHeader[];
  readonly logCount: number;
  /** If an archive had a part of it: which. */
  readonly archive?: string;
  /** Null if the logs were not searched for them. */
  readonly notices: readonly TokenNotice[] | null;
}

export interface ChunkReaderOptions {
  readonly decoding: LogDecoding;
  readonly directory: PoolDirectory;
  /** For nodes that serve log queries only for given contracts; null queries all. */
  readonly logAddresses: readonly string[] | null;
  /** Blocks that were read with the head. */
  readonly known: {
    findBlock(endpoint: RpcEndpoint, position: number): EvmBlock | null;
    forgetBlock(endpoint: RpcEndpoint): void;
  };
  readonly clock: Pick<Clock, 'monotonicMs'>;
  createCallContracts(at: { minBlock: number; signal?: AbortSignal | undefined }): CallContracts;
}

/** What an endpoint returned for a range, before it is combined. */
interface Findings {
  /** In the end only what is compared with the headers. */
  readonly logs: EvmLog[];
  readonly known: KnownBlocks;
  /** Blocks of the whole range, if they were requested together with the logs. */
  readonly early: Promise<readonly EvmBlock[]> | null;
  readonly senders: ReadonlyMap<TransactionId, Address>;
  /** Transactions as they were signed, from archives without senders. */
  readonly signed?: ReadonlyMap<TransactionId, Uint8Array>;
  readonly isByReceipts: boolean;
}

/** The sender of a transaction of a block. */
type FindSender = (block: number, txHash: TransactionId) => Address | undefined;

/**
 * Up to this many are read in one round trip: some seconds of a chain that makes several blocks in
 * one.
 */
const HEAD_BLOCKS_MAX = 25;

/** Errors of an endpoint whose receipts cannot be used; it is asked for logs instead. */
const RECEIPTS_FAULTS = ['unsupported', 'rejected', 'rangeTooLarge', 'replyTooLarge'] as const;

function planWishes(chunk: Chunk, isFull: (block: number) => boolean): BlockWish[] {
  return Array.from({ length: chunk.toBlock - chunk.fromBlock + 1 }, (_, index) => {
    const block = chunk.fromBlock + index;
    return { block, full: isFull(block) };
  });
}

function isShort(chunk: Chunk): boolean {
  return chunk.toBlock - chunk.fromBlock < HEAD_BLOCKS_MAX;
}

/** The caller checks that these blocks link to its own. */
function isNearHead(chunk: Chunk): boolean {
  return chunk.linked && chunk.verified && isShort(chunk);
}

function toReadOptions(chunk: Chunk) {
  return { linked: isNearHead(chunk), signal: chunk.signal };
}

/**
 * In place and without data, so that nobody holds the others, or their reply, while headers and
 * senders are read. Of a range that is not verified no more is compared with headers: the logs of
 * a block were found to agree.
 */
function keepFirstOfBlocks(logs: EvmLog[]): void {
  let count = 0;
  for (const log of logs) {
    if (logs[count - 1]?.block === log.block) continue;
    logs[count] = { ...log, data: '' };
    count += 1;
  }
  logs.length = count;
}

export function buildPlainHeader(accepted: AcceptedBlock): BlockHeader {
  const { block: position, blockHash: hash, timestampMs } = accepted;
  return {
    position,
    hash,
    parentPosition: position - 1,
    parentHash: '',
    // Never missing: the header is read for every block whose logs have no time.
    timestampMs: timestampMs ?? 0,
  };
}

export class ChunkReader {
  readonly #options: ChunkReaderOptions;
  readonly #venueTopics: ReadonlySet<string>;
  readonly #choice: ReceiptsChoice;

  constructor(options: ChunkReaderOptions) {
    this.#options = options;
    this.#choice = new ReceiptsChoice(options.clock);
    this.#venueTopics = new Set(options.decoding.topics);
  }

  /** Whether it will need the senders of the head's transactions, which the head can bring. */
  wantsSenders(endpoint: RpcEndpoint): boolean {
    return this.#options.logAddresses === null && !this.#choice.takesReceipts(endpoint);
  }

  async read(endpoint: RpcEndpoint, chunk: Chunk): Promise<ChunkReading> {
    const known = this.#findKnown(endpoint, chunk);
    try {
      return await this.#readWith(endpoint, chunk, known);
    } catch (error) {
      if (known.size === 0 || !isRpcError(error, 'invalidReply')) throw error;
      // What was known may be of a branch that the chain has left since.
      this.#options.known.forgetBlock(endpoint);
      return await this.#readWith(endpoint, chunk, NO_BLOCKS);
    }
  }

  /** Reads one block by its receipts, if no log query works for it. */
  readReceipts(endpoint: RpcEndpoint, chunk: Chunk): Promise<ChunkReading> {
    return this.#readByReceipts(endpoint, { ...chunk, verified: true }, NO_BLOCKS);
  }

  /** Takes what an archive has of the range, in place of the node's logs and blocks. */
  readArchived(
    endpoint: RpcEndpoint,
    chunk: Chunk,
    { logs, blocks, signed }: ArchivedEvmBlocks,
  ): Promise<ChunkReading> {
    const senders = new Map<TransactionId, Address>();
    const early = Promise.resolve(blocks);
    const known = NO_BLOCKS;
    const findings = { logs, known, early, senders, signed, isByReceipts: true };
    return this.#assemble(endpoint, chunk, findings);
  }

  async #readWith(endpoint: RpcEndpoint, chunk: Chunk, known: KnownBlocks): Promise<ChunkReading> {
    const isByReceipts =
      isNearHead(chunk) && this.#hasAllLogs(chunk) && this.#choice.takesReceipts(endpoint);
    if (!isByReceipts) return await this.#readByLogs(endpoint, chunk, known);
    try {
      return await this.#readByReceipts(endpoint, chunk, known);
    } catch (error) {
      if (!isRpcError(error, ...RECEIPTS_FAULTS)) throw error;
      this.#choice.refuse(endpoint);
      return await this.#readByLogs(endpoint, chunk, known);
    }
  }

  async #readByReceipts(
    endpoint: RpcEndpoint,
    chunk: Chunk,
    known: KnownBlocks,
  ): Promise<ChunkReading> {
    const wishes = planWishes(chunk, () => false);
    const { blocks, ...read } = await readReceipts(endpoint, { wishes, known }, chunk.signal);
    const early = Promise.resolve(blocks);
    return await this.#assemble(endpoint, chunk, { ...read, known, early, isByReceipts: true });
  }

  async #readByLogs(
    endpoint: RpcEndpoint,
    chunk: Chunk,
    known: KnownBlocks,
  ): Promise<ChunkReading> {
    const { verified } = chunk;
    const isEarly = isShort(chunk) && this.#hasAllLogs(chunk);
    const from = { wishes: planWishes(chunk, () => true), known };
    const early = isEarly ? completeBlocks(endpoint, from, toReadOptions(chunk)) : null;
    // Its failure is handled later; until then it must not count as unhandled.
    early?.catch(() => {});
    const logs = await this.#readLogs(endpoint, chunk);
    if (!verified && mayBeTruncated(logs.length)) {
      throw new RpcError('rangeTooLarge', 'reply may have been truncated');
    }
    if (!verified && logs.length === 0 && (await this.#mayHaveLogs(endpoint, chunk))) {
      return await this.#readByLogs(endpoint, { ...chunk, verified: true }, known);
    }
    const senders = new Map();
    return await this.#assemble(endpoint, chunk, {
      ...{ logs, known, early, senders, isByReceipts: false },
    });
  }

  /** The newest block may be known since the head was read. */
  #findKnown(endpoint: RpcEndpoint, chunk: Chunk): KnownBlocks {
    if (!isNearHead(chunk)) return NO_BLOCKS;
    const { known } = this.#options;
    const found = planWishes(chunk, () => false).flatMap(({ block }) => {
      const one = known.findBlock(endpoint, block);
      return one === null ? [] : [[block, one] as const];
    });
    return new Map(found);
  }

  async #readLogs(endpoint: RpcEndpoint, chunk: Chunk): Promise<EvmLog[]> {
    const { fromBlock, toBlock, signal } = chunk;
    const { logAddresses, decoding } = this.#options;
    const filter = {
      fromBlock: toQuantity(fromBlock),
      toBlock: toQuantity(toBlock),
      ...(logAddresses === null ? {} : { address: logAddresses }),
      ...(this.#hasAllLogs(chunk) ? {} : { topics: [decoding.topics] }),
    };
    const range = { fromBlock, toBlock, endpoint: endpoint.name };
    return parseLogs(
      await endpoint.request({ method: 'eth_getLogs', params: [filter] }, signal),
      range,
    );
  }

  #hasAllLogs(chunk: Chunk): boolean {
    return chunk.verified && this.#options.logAddresses === null;
  }

  /** Whether headers show that an empty range should have logs. */
  async #mayHaveLogs(endpoint: RpcEndpoint, chunk: Chunk): Promise<boolean> {
    const { fromBlock, toBlock, signal } = chunk;
    const blocks = new Set([fromBlock, Math.floor((fromBlock + toBlock) / 2), toBlock]);
    const wishes = [...blocks].map((block) => ({ block, full: false }));
    const sample = await readEvmBlocks(endpoint, wishes, { linked: false, signal });
    return sample.some(
      ({ logsBloom }) => logsBloom !== null && bloomMayHave(parseBloom(logsBloom), TRANSFER_TOPIC),
    );
  }

  async #assemble(endpoint: RpcEndpoint, chunk: Chunk, findings: Findings): Promise<ChunkReading> {
    const { directory, decoding } = this.#options;
    const { logs, known } = findings;
    const at = { minBlock: chunk.toBlock, signal: chunk.signal };
    const callContracts = this.#options.createCallContracts(at);
    const hasAllTransfers = this.#options.logAddresses === null;
    const decodedWith = { decoding, directory, callContracts, hasAllTransfers };
    await chunk.order?.before;
    chunk.signal?.throwIfAborted();
    const { decoded } = await decodeBacked(logs, decodedWith);
    const { blocks: accepted, refused } = acceptEvents(decoded, directory, chunk);
    if (chunk.order !== undefined) this.#addAhead(decoded, chunk.order);
    const unclaimed = listUnclaimed({ logs, undecoded: decoded.undecoded, refused });
    const logCount = logs.length;
    if (!chunk.verified) keepFirstOfBlocks(logs);

    const wishes = this.#planBlockWishes(chunk, accepted, findings);
    const blocks =
      (await findings.early) ??
      (await completeBlocks(endpoint, { wishes, known }, toReadOptions(chunk)));
    const context = { endpoint: endpoint.name, allLogs: this.#hasAllLogs(chunk) };
    if (chunk.verified) assertLinked(blocks, context);
    assertLogsFit(blocks, logs, context);
    if (context.allLogs && !findings.isByReceipts) {
      await assertTailsComplete(endpoint, { blocks, logs }, chunk.signal);
    }
    const findSender = await this.#findSenders(endpoint, { chunk, accepted, blocks, findings });

    // Only now are the logs trusted, and with them the pools that they create.
    directory.noteUnclaimed(unclaimed);
    for (const { events } of decoded.blocks) {
      for (const event of events) {
        if (event.kind === 'poolCreated') directory.add(event.description);
      }
    }
    const timed = takeLogTimes(blocks, accepted);
    const headers = new Map(timed.map((header) => [header.position, header]));
    return {
      blocks: accepted.map((block) => ({
        header: headers.get(block.block) ?? buildPlainHeader(block),
        events: this.#addSenders(block, findSender, endpoint),
      })),
      headers: chunk.linked ? timed : [],
      logCount,
      notices: chunk.verified ? this.#findNotices(chunk, { logs, accepted }) : null,
    };
  }

  /** The next chunk is decoded before this one is checked: it fails if this one does. */
  #addAhead({ blocks }: DecodedLogs, order: ChunkOrder): void {
    const { directory } = this.#options;
    const fresh: PoolId[] = [];
    for (const event of blocks.flatMap(({ events }) => events)) {
      if (event.kind !== 'poolCreated' || !directory.isUnknown(event.description.pool)) continue;
      fresh.push(event.description.pool);
      directory.add(event.description);
    }
    order.noteDecoded(() => {
      for (const pool of fresh) directory.forget(pool);
    });
  }

  #findNotices(
    chunk: Chunk,
    read: { readonly logs: readonly EvmLog[]; readonly accepted: readonly AcceptedBlock[] },
  ): TokenNotice[] {
    return findTokenNotices({
      ...read,
      findPool: (pool) => this.#options.directory.get(pool)?.description,
      venueTopics: this.#venueTopics,
      allLogs: this.#hasAllLogs(chunk),
    });
  }

  /** All headers if they are checked, otherwise those needed for a time or for several senders. */
  #planBlockWishes(
    chunk: Chunk,
    accepted: readonly AcceptedBlock[],
    findings: Findings,
  ): BlockWish[] {
    if (findings.early !== null) return [];
    const sendersKnown = findings.senders.size > 0;
    const wanted = accepted.map(({ block, timestampMs, swapTxHashes }) => ({
      block,
      full: swapTxHashes.size > 0 && !sendersKnown,
      needed: timestampMs === null || (swapTxHashes.size > 1 && !sendersKnown),
    }));
    if (!chunk.verified) return wanted.filter(({ needed }) => needed);
    const full = new Set(wanted.flatMap((wish) => (wish.full ? [wish.block] : [])));
    return planWishes(chunk, (block) => full.has(block));
  }

  async #findSenders(
    endpoint: RpcEndpoint,
    read: {
      readonly chunk: Chunk;
      readonly accepted: readonly AcceptedBlock[];
      readonly blocks: readonly EvmBlock[];
      readonly findings: Findings;
    },
  ): Promise<FindSender> {
    const { senders: early } = read.findings;
    const byBlock = new Map(read.blocks.map(({ header, senders }) => [header.position, senders]));
    const missing: { readonly txHash: TransactionId; readonly blockHash: string }[] = [];
    for (const { block, blockHash, swapTxHashes } of read.accepted) {
      const own = byBlock.get(block);
      for (const txHash of swapTxHashes) {
        if (own?.has(txHash) || early.has(txHash)) continue;
        missing.push({ txHash, blockHash });
      }
    }
    const { signed = new Map() } = read.findings;
    const hashes = missing.map(({ txHash }) => txHash);
    const recovered = await recoverSenders(hashes, signed);
    const unsigned = missing.filter(({ txHash }) => !recovered.has(txHash));
    const late = await readSenders(endpoint, unsigned, read.chunk.signal);
    return (block, txHash) =>
      byBlock.get(block)?.get(txHash) ??
      early.get(txHash) ??
      recovered.get(txHash) ??
      late.get(txHash);
  }

  #addSenders(
    accepted: AcceptedBlock,
    findSender: FindSender,
    endpoint: RpcEndpoint,
  ): readonly MarketEvent[] {
    const { events, block } = accepted;
    // Without swaps there is nothing to add; most blocks of most chains have only transfers.
    if (accepted.swapTxHashes.size === 0) return events as readonly MarketEvent[];
    return events.map((event): MarketEvent => {
      if (event.kind !== 'swap') return event;
      const wallet = findSender(block, event.txHash);
      if (wallet !== undefined) return { ...event, wallet };
      throw new RpcError('invalidReply', `${endpoint.name}: transaction is missing from its block`);
    });
  }
}
