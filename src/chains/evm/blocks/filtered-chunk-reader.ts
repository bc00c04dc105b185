// Reads what concerns some tokens and pools of a small range at one endpoint. The bytes depend on
// those, not on how busy the chain is: only needed headers, never whole blocks.

import type { Clock } from '../../../lib/clock.ts';
import type { MarketEvent } from '../../../model/block-events.ts';
import type { Address, PoolId, TransactionId } from '../../../model/ids.ts';
import type { BlockFilter } from '../../adapter.ts';
import type { RpcOutcome } from '../../rpc/parse-rpc-reply.ts';
import type { RpcCall } from '../../rpc/rpc-dialect.ts';
import type { LogEndpoint } from '../../rpc/rpc-endpoint.ts';
import { isRpcError, RpcError } from '../../rpc/rpc-error.ts';
import { takeLogTimes } from '../data/block-time.ts';
import { type DecodedEvent, type EvmLog, type LogFilter, matchesFilter } from '../data/evm-log.ts';
import { toQuantity } from '../data/hex-data.ts';
import { bloomMayHave, computeBloomShare, parseBloom } from '../data/logs-bloom.ts';
import type { EvmBlock } from '../data/parse-block.ts';
import { parseLogs } from '../data/parse-logs.ts';
import type { DecodedLogs } from '../venues/log-decoding.ts';
import { NONE_UNBACKED, type UnbackedSwaps } from '../venues/unbacked-swaps.ts';
import { type AcceptedBlock, acceptEvents } from './accept-events.ts';
import {
  buildPlainHeader,
  type Chunk,
  type ChunkReaderOptions,
  type ChunkReading,
} from './chunk-reader.ts';
import { decodeBacked, dropUnbacked } from './decode-backed.ts';
import { FilterSizes } from './filter-sizes.ts';
import { findTokenNotices } from './find-token-notices.ts';
import type { LogFilters } from './log-filters.ts';
import { mayBeTruncated } from './may-be-truncated.ts';
import { parseReceipts } from './parse-receipts.ts';
import { readEvmBlocks } from './read-evm-blocks.ts';
import { assertLinked, assertLogsFit } from './verify-blocks.ts';

// Finds out whether an endpoint leaves logs out of a filtered reply.
//
// A header's bloom filter says nothing certain about some of a block's logs. It says which blocks
// may have logs that the reply lacks: of such a block all logs are read once in a while, and those
// can be checked against the header. So an endpoint that goes on leaving logs out is noticed, at a
// small part of the bytes that reading every block would take.
//
// A block is suspect only if its filter has an address or topic of which the reply has no log. An
// endpoint that returns some logs of a contract and omits others of the same block is not noticed:
// a bloom filter does not count, and testing every log that a contract might have emitted would
// make most blocks of a busy chain suspect.

/** How often a whole block is read, if its bloom filter is selective. */
const CHECK_MS = 20_000;
/** The same on a busy chain, whose filters are so full that every address seems to be in them. */
const CHECK_FULL_MS = 600_000;
/** With more of its bits set, a filter matches an absent address and topic one time in fifty. */
const FULL_SHARE = 0.52;

interface FilteredReply {
  readonly filters: readonly LogFilter[];
  readonly logs: readonly EvmLog[];
}

/** Whether the block may have logs for the filter, of an address or word that the reply lacks. */
function mayLack(filter: LogFilter, bloom: Uint8Array, logs: readonly EvmLog[]): boolean {
  const mayHave = (items: readonly string[]) => items.some((item) => bloomMayHave(bloom, item));
  const [kinds, ...words] = filter.topics;
  const named = words.flatMap((any) => any ?? []);
  if (kinds === null || kinds === undefined || !mayHave(kinds) || !mayHave(filter.address)) {
    return false;
  }
  const told = new Set<string>(logs.flatMap((log) => [log.address, ...log.topics]));
  const items = named.length > 0 ? named : filter.address;
  return items.some((item) => !told.has(item) && bloomMayHave(bloom, item));
}

/** Of nodes that do not return all logs of a block. */
function isNoAnswer(error: unknown): boolean {
  return isRpcError(error) && !isRpcError(error, 'invalidReply', 'wrongChain', 'unavailable');
}

/** The newest block that may have logs which the reply lacks. */
function pickDoubtful(
  blocks: readonly EvmBlock[],
  { filters, logs }: FilteredReply,
  sinceMs: number,
): EvmBlock | null {
  const isDoubtful = (block: EvmBlock) => {
    if (block.logsBloom === null) return false;
    const bloom = parseBloom(block.logsBloom);
    if (computeBloomShare(bloom) > FULL_SHARE && sinceMs < CHECK_FULL_MS) return false;
    const own = logs.filter((log) => log.block === block.header.position);
    return filters.some((filter) => mayLack(filter, bloom, own));
  };
  return blocks.findLast(isDoubtful) ?? null;
}

class LeftOutLogs {
  readonly #clock: Pick<Clock, 'monotonicMs'>;
  readonly #checkedAtMs = new WeakMap<LogEndpoint, number>();

  constructor(clock: Pick<Clock, 'monotonicMs'>) {
    this.#clock = clock;
  }

  /** Throws if the endpoint has logs that it left out of its reply for these blocks. */
  async assertNone(
    endpoint: LogEndpoint,
    blocks: readonly EvmBlock[],
    reply: FilteredReply & { readonly signal?: AbortSignal | undefined },
  ): Promise<void> {
    const nowMs = this.#clock.monotonicMs();
    const sinceMs = nowMs - (this.#checkedAtMs.get(endpoint) ?? Number.NEGATIVE_INFINITY);
    const block = sinceMs < CHECK_MS ? null : pickDoubtful(blocks, reply, sinceMs);
    if (block === null) return;
    const { position, hash } = block.header;
    const { name } = endpoint;
    let all: EvmLog[];
    try {
      const call = { method: 'eth_getLogs', params: [{ blockHash: hash }] };
      const at = { fromBlock: position, toBlock: position, endpoint: name };
      all = parseLogs(await endpoint.request(call, reply.signal), at);
    } catch (error) {
      if (!isNoAnswer(error)) throw error;
      this.#checkedAtMs.set(endpoint, nowMs);
      return;
    }
    assertLogsFit([block], all, { endpoint: name, allLogs: true });
    const told = new Set(
      reply.logs.flatMap((log) => (log.block === position ? [log.logIndex] : [])),
    );
    const isLacking = all.some(
      (log) =>
        !told.has(log.logIndex) && reply.filters.some((filter) => matchesFilter(filter, log)),
    );
    // After a fault the endpoint's next reply is looked at again.
    if (!isLacking) {
      this.#checkedAtMs.set(endpoint, nowMs);
      return;
    }
    throw new RpcError('invalidReply', `${name}: left out logs of block ${position}`, {
      endpoint: name,
    });
  }
}

export interface FilteredChunk extends Chunk {
  readonly only: BlockFilter;
  /** The range that it is a part of, if archives may have it; otherwise null. */
  readonly archived: Pick<Chunk, 'fromBlock' | 'toBlock'> | null;
}

interface FilteredReaderOptions extends ChunkReaderOptions {
  readonly filters: LogFilters;
}

interface FilteredRange extends Pick<Chunk, 'fromBlock' | 'toBlock' | 'signal'> {
  /** The blocks of the range, if there are few: they are asked for by their hashes. */
  readonly newest?: readonly EvmBlock[] | null;
}

/**
 * Up to this many blocks are asked for by hash. Behind one address there may be several nodes: one
 * that has not seen a block says so only if it is asked by hash; by number it has no logs of it.
 */
const BY_HASH_MAX = 3;

function tellLagging(endpoint: LogEndpoint, block: number): RpcError {
  const { name } = endpoint;
  return new RpcError('lagging', `${name}: has no logs of block ${block} yet`, { endpoint: name });
}

/** Some nodes say of a block that they have not seen that its state is missing. */
function unwrapLogs(endpoint: LogEndpoint, outcome: RpcOutcome | undefined): unknown {
  if (outcome?.ok === false && isRpcError(outcome.error, 'stateUnavailable')) {
    throw new RpcError('lagging', outcome.error.message, { endpoint: endpoint.name });
  }
  return endpoint.unwrap(outcome);
}

/** In chain order; a log that several queries found is kept once. */
function joinLogs(replies: readonly (readonly EvmLog[])[], endpoint: string): EvmLog[] {
  const byPlace = new Map<string, EvmLog>();
  const hashes = new Map<number, string>();
  for (const log of replies.flat()) {
    const known = hashes.get(log.block) ?? log.blockHash;
    if (known !== log.blockHash) {
      // The queries were answered from two branches: neither is wrong, so only this read fails.
      throw new RpcError('unavailable', `${endpoint}: block ${log.block} changed meanwhile`);
    }
    hashes.set(log.block, known);
    byPlace.set(`${log.block} ${log.logIndex}`, log);
  }
  return [...byPlace.values()].sort((a, b) => a.block - b.block || a.logIndex - b.logIndex);
}

/** The pools that the logs create, with the blocks they are created in. */
function findCreated({ blocks }: DecodedLogs): Map<PoolId, number> {
  const created = new Map<PoolId, number>();
  for (const { block, events } of blocks) {
    for (const event of events) {
      if (event.kind === 'poolCreated') created.set(event.description.pool, block);
    }
  }
  return created;
}

/** What is known from a swap's whole transaction only. */
interface SwapContext {
  readonly wallet: Address;
  readonly index: number;
}

interface FilteredLogs {
  readonly logs: readonly EvmLog[];
  /** Those of the wanted tokens and pools. */
  readonly wanted: readonly EvmLog[];
  readonly decoded: DecodedLogs;
}

interface SwapContexts {
  readonly contexts: ReadonlyMap<string, SwapContext>;
  readonly unbacked: UnbackedSwaps;
}

function toSwapKey(txHash: TransactionId, logIndex: number): string {
  return `${txHash} ${logIndex}`;
}

function addContexts(
  events: readonly DecodedEvent[],
  contexts: ReadonlyMap<string, SwapContext>,
  endpoint: string,
): MarketEvent[] {
  return events.map((event): MarketEvent => {
    if (event.kind !== 'swap') return event;
    const context = contexts.get(toSwapKey(event.txHash, event.logIndex));
    if (context !== undefined) return { ...event, ...context };
    throw new RpcError('invalidReply', `${endpoint}: a receipt lacks a swap`, { endpoint });
  });
}

export class FilteredChunkReader {
  readonly #options: FilteredReaderOptions;
  readonly #venueTopics: ReadonlySet<string>;
  readonly #leftOut: LeftOutLogs;
  readonly #sizes: FilterSizes;

  constructor(options: FilteredReaderOptions) {
    this.#options = options;
    this.#venueTopics = new Set(options.decoding.topics);
    this.#leftOut = new LeftOutLogs(options.clock);
    this.#sizes = new FilterSizes(options.clock);
  }

  async read(endpoint: LogEndpoint, chunk: FilteredChunk): Promise<ChunkReading> {
    // Before the logs: after a reorganisation in between the header is the stale part, which the
    // next block shows. Logs that are missing would show nothing.
    const early = chunk.linked ? await this.#readHeaders(endpoint, chunk) : null;
    const newest = early !== null && early.length <= BY_HASH_MAX ? early : null;
    const { logs, wanted, decoded } = await this.#readLogs(endpoint, { ...chunk, newest });
    const told = await this.#accept(decoded, chunk);
    const blocks = early ?? (await this.#readNeeded(endpoint, told, chunk));
    const context = { endpoint: endpoint.name, allLogs: false };
    if (chunk.linked) assertLinked(blocks, context);
    assertLogsFit(blocks, logs, context);
    if (early !== null) {
      const filters = this.#options.filters.build(chunk.only);
      await this.#leftOut.assertNone(endpoint, early, { filters, logs, signal: chunk.signal });
    }
    const { contexts, unbacked } = await this.#readSwapContexts(endpoint, {
      ...{ chunk, logs, accepted: told },
    });
    const accepted =
      unbacked.size === 0
        ? told
        : await this.#accept(
            this.#options.decoding.decode(dropUnbacked(wanted, unbacked, this.#options.decoding)),
            chunk,
          );
    for (const { events } of decoded.blocks) {
      for (const event of events) {
        if (event.kind === 'poolCreated') this.#options.directory.add(event.description);
      }
    }
    const timed = takeLogTimes(blocks, accepted);
    const headers = new Map(timed.map((header) => [header.position, header]));
    return {
      blocks: accepted.map((block) => ({
        header: headers.get(block.block) ?? buildPlainHeader(block),
        events: addContexts(block.events, contexts, endpoint.name),
      })),
      headers: chunk.linked ? timed : [],
      logCount: logs.length,
      notices: this.#findNotices(logs, accepted),
    };
  }

  /** Pools that the range creates are not in the query yet: their own logs are asked for next. */
  async #readLogs(
    endpoint: LogEndpoint,
    chunk: FilteredChunk & Pick<FilteredRange, 'newest'>,
  ): Promise<FilteredLogs> {
    const { filters, decoding } = this.#options;
    const { only } = chunk;
    const logs = await this.#query(endpoint, filters.build(only), chunk);
    const wanted = logs.filter((log) => filters.isWanted(log, only));
    const decoded = decoding.decode(wanted);
    const created = findCreated(decoded);
    const pools = new Set([...created.keys()].filter((pool) => !only.pools.has(pool)));
    if (pools.size === 0) return { logs, wanted, decoded };
    const fromBlock = Math.min(...[...pools].map((pool) => created.get(pool) ?? chunk.toBlock));
    const more = await this.#query(endpoint, filters.buildForPools(pools), { ...chunk, fromBlock });
    const all = joinLogs([logs, more], endpoint.name);
    const wider = { tokens: only.tokens, pools: new Set([...only.pools, ...pools]) };
    const kept = all.filter((log) => filters.isWanted(log, wider));
    return { logs: all, wanted: kept, decoded: decoding.decode(kept) };
  }

  async #query(
    endpoint: LogEndpoint,
    filters: readonly LogFilter[],
    range: FilteredRange,
  ): Promise<EvmLog[]> {
    if (filters.length === 0) return [];
    const newest = range.newest?.filter(({ header }) => header.position >= range.fromBlock);
    return await this.#sizes.ask(endpoint, filters, async (fitting) => {
      if (newest === undefined) return await this.#queryRange(endpoint, fitting, range);
      try {
        return await this.#queryBlocks(endpoint, fitting, { ...range, newest });
      } catch (error) {
        // A node that takes ranges only.
        if (!isRpcError(error, 'rejected', 'unsupported')) throw error;
        return await this.#queryRange(endpoint, fitting, range);
      }
    });
  }

  async #queryBlocks(
    endpoint: LogEndpoint,
    filters: readonly LogFilter[],
    { newest, signal }: FilteredRange & { readonly newest: readonly EvmBlock[] },
  ): Promise<EvmLog[]> {
    const queries = newest.flatMap(({ header }) => filters.map((filter) => ({ header, filter })));
    const calls = queries.map(({ header: { hash: blockHash }, filter }): RpcCall => {
      return { method: 'eth_getLogs', params: [{ blockHash, ...filter }] };
    });
    const { name } = endpoint;
    const outcomes = await endpoint.batch(calls, { signal });
    const replies = queries.map(({ header: { position } }, index) => {
      const at = { fromBlock: position, toBlock: position, endpoint: name };
      return parseLogs(unwrapLogs(endpoint, outcomes[index]), at);
    });
    return joinLogs(replies, name);
  }

  /** The head is asked in the same request: a backend that lags has no logs of the last blocks. */
  async #queryRange(
    endpoint: LogEndpoint,
    filters: readonly LogFilter[],
    { fromBlock, toBlock, signal }: FilteredRange,
  ): Promise<EvmLog[]> {
    const range = { fromBlock: toQuantity(fromBlock), toBlock: toQuantity(toBlock) };
    const calls = filters.map((filter): RpcCall => {
      return { method: 'eth_getLogs', params: [{ ...range, ...filter }] };
    });
    calls.push({ method: 'eth_blockNumber', params: [] });
    const outcomes = await endpoint.batch(calls, { signal });
    const { name } = endpoint;
    const replies = filters.map((_, index) =>
      parseLogs(endpoint.unwrap(outcomes[index]), { fromBlock, toBlock, endpoint: name }),
    );
    if (Number(endpoint.unwrap(outcomes.at(-1))) < toBlock) throw tellLagging(endpoint, toBlock);
    if (replies.some((logs) => mayBeTruncated(logs.length))) {
      throw new RpcError('rangeTooLarge', 'reply may have been truncated');
    }
    return joinLogs(replies, name);
  }

  async #accept(decoded: DecodedLogs, chunk: FilteredChunk): Promise<AcceptedBlock[]> {
    const { directory, createCallContracts } = this.#options;
    const at = { minBlock: chunk.toBlock, signal: chunk.signal };
    await directory.lookUp(decoded.emitters, createCallContracts(at));
    return acceptEvents(decoded, directory, chunk).blocks;
  }

  /**
   * Senders, and the swaps' indexes among all swaps of their transactions: the queries leave out
   * those in other pools, so the receipts are read.
   */
  async #readSwapContexts(
    endpoint: LogEndpoint,
    read: {
      readonly chunk: FilteredChunk;
      readonly accepted: readonly AcceptedBlock[];
      readonly logs: readonly EvmLog[];
    },
  ): Promise<SwapContexts> {
    const { fromBlock, toBlock, signal } = read.chunk;
    const hashes = [...new Set(read.accepted.flatMap(({ swapTxHashes }) => [...swapTxHashes]))];
    if (hashes.length === 0) return { contexts: new Map(), unbacked: NONE_UNBACKED };
    const outcomes = await endpoint.batch(
      hashes.map((hash) => ({ method: 'eth_getTransactionReceipt', params: [hash] })),
      { signal },
    );
    const raw = hashes.map((_, index) => endpoint.unwrap(outcomes[index]));
    const { name } = endpoint;
    const receipts = parseReceipts(raw, { fromBlock, toBlock, endpoint: name });
    // Fails if a receipt is of another branch than the logs.
    joinLogs([read.logs, receipts.logs], name);
    const callContracts = this.#options.createCallContracts({ minBlock: toBlock, signal });
    const decodedWith = { ...this.#options, callContracts, hasAllTransfers: true };
    const { decoded, unbacked } = await decodeBacked(receipts.logs, decodedWith);
    const swaps = (await this.#accept(decoded, read.chunk)).flatMap(({ events }) =>
      events.flatMap((event) => (event.kind === 'swap' ? [event] : [])),
    );
    const contexts = new Map<string, SwapContext>();
    for (const [txHash, ofTransaction] of Map.groupBy(swaps, (swap) => swap.txHash)) {
      const wallet = receipts.senders.get(txHash);
      if (wallet === undefined) continue;
      for (const [index, { logIndex }] of ofTransaction.entries()) {
        contexts.set(toSwapKey(txHash, logIndex), { wallet, index });
      }
    }
    return { contexts, unbacked };
  }

  #readHeaders(endpoint: LogEndpoint, chunk: FilteredChunk): Promise<EvmBlock[]> {
    const wishes = Array.from({ length: chunk.toBlock - chunk.fromBlock + 1 }, (_, index) => ({
      block: chunk.fromBlock + index,
      full: false,
    }));
    return readEvmBlocks(endpoint, wishes, { linked: true, signal: chunk.signal });
  }

  /** The headers of blocks whose logs have no time. */
  #readNeeded(
    endpoint: LogEndpoint,
    accepted: readonly AcceptedBlock[],
    { signal }: FilteredChunk,
  ): Promise<EvmBlock[]> {
    const wishes = accepted
      .filter(({ timestampMs }) => timestampMs === null)
      .map(({ block }) => ({ block, full: false }));
    return readEvmBlocks(endpoint, wishes, { linked: false, signal });
  }

  /** The queries include the tokens' events about ownership, code and pauses. */
  #findNotices(logs: readonly EvmLog[], accepted: readonly AcceptedBlock[]) {
    const findPool = (pool: PoolId) => this.#options.directory.get(pool)?.description;
    return findTokenNotices({
      ...{ logs, accepted, findPool, venueTopics: this.#venueTopics },
      allLogs: true,
    });
  }
}
