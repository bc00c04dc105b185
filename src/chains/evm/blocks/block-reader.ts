// Reads ranges of any length in parts that suit the nodes, and moves parts to another endpoint if
// one fails.

import type { BlockEvents } from '../../../model/block-events.ts';
import type { BlockHeader } from '../../../model/block-header.ts';
import type { TokenNotice } from '../../../model/token-notice.ts';
import type { BlockFilter, BlockRange, BlockRangeReading } from '../../adapter.ts';
import type { RpcClient } from '../../rpc/rpc-client.ts';
import type { RpcEndpoint } from '../../rpc/rpc-endpoint.ts';
import { isRpcError, RpcError } from '../../rpc/rpc-error.ts';
import type { ArchiveReader } from '../archives/archive-reader.ts';
import { toEvmBlocks } from '../archives/to-evm-blocks.ts';
import type { ArchivedLogs } from './archived-logs.ts';
import {
  type Chunk,
  ChunkReader,
  type ChunkReaderOptions,
  type ChunkReading,
} from './chunk-reader.ts';
import { doubtRanges } from './doubt-ranges.ts';
import { type FilteredChunk, FilteredChunkReader } from './filtered-chunk-reader.ts';
import type { LogFilters } from './log-filters.ts';
import { LogSpan, type LogSpanOptions } from './log-span.ts';

/** Which ranges are read with all their logs and checked against their headers. */
export type LogVerification = 'all' | 'linked';

interface BlockReaderOptions extends ChunkReaderOptions {
  readonly client: RpcClient;
  readonly verification: LogVerification;
  readonly span: LogSpanOptions;
  readonly filters: LogFilters;
  /** In place of nodes for whole blocks that are final. */
  readonly archives: ArchiveReader | null;
  /** In place of nodes for the logs of some tokens and pools. */
  readonly archivedLogs: ArchivedLogs | null;
}

/** Null if a part was not searched. */
function joinNotices(
  known: TokenNotice[] | null,
  more: readonly TokenNotice[] | null,
): TokenNotice[] | null {
  return known === null || more === null ? null : known.concat(more);
}

/** Pools that one part of a range creates have events in the next one. */
function addCreated(only: BlockFilter, blocks: readonly BlockEvents[]): BlockFilter {
  const created = blocks.flatMap(({ events }) =>
    events.flatMap((event) => (event.kind === 'poolCreated' ? [event.description.pool] : [])),
  );
  const isKnown = created.every((pool) => only.pools.has(pool));
  return isKnown ? only : { ...only, pools: new Set([...only.pools, ...created]) };
}

interface PlannedRange {
  readonly fromBlock: number;
  /** The end of the piece that is returned, and of all that is wanted. */
  readonly pieceEnd: number;
  readonly toBlock: number;
  readonly rest: Omit<Chunk, 'fromBlock' | 'toBlock'> &
    Partial<Pick<FilteredChunk, 'only' | 'archived'>>;
  readonly span: LogSpan;
}

type ChunkOutcome =
  | { readonly kind: 'read'; readonly reading: ChunkReading }
  | { readonly kind: 'tooLarge'; readonly error: RpcError };

/** A chunk that is being read, maybe while those before it are. */
interface ChunkTask {
  readonly chunk: Chunk & Partial<FilteredChunk>;
  readonly outcome: Promise<ChunkOutcome>;
  /** When the next chunk may be decoded. */
  readonly decoded: Promise<void>;
  /** Whether it was decoded from logs that were not trusted in the end: then the next ones were. */
  isRepeated(): boolean;
  drop(): void;
}

/**
 * Plain ranges up to this long are read as linked ones are: the first block of an index is one, and
 * of so few logs nothing else shows that a node cut them off.
 */
const CHECKED_BLOCKS_MAX = 3;
/** Chunks that are read at once. */
const CHUNKS_AT_ONCE = 4;
/** A slow endpoint's blocks are returned after this time, to be stored, and the head read again. */
const PIECE_MS = 10_000;
/** Receipts of so many blocks are read at once where no endpoint has logs of all contracts. */
const RECEIPTS_BLOCKS_MAX = 10;
/** After this time they are asked for logs again. */
const NO_LOGS_MS = 600_000;

export class BlockReader {
  readonly #options: BlockReaderOptions;
  readonly #chunks: ChunkReader;
  readonly #filtered: FilteredChunkReader;
  /** A verified range has more logs and a filtered one few: the sizes are learnt separately. */
  readonly #spans: Readonly<Record<'verified' | 'plain' | 'filtered', LogSpan>>;
  /** Chunks of history that the next piece will want. */
  #ahead: ChunkTask[] = [];
  #noLogsUntilMs = Number.NEGATIVE_INFINITY;

  constructor(options: BlockReaderOptions) {
    this.#options = options;
    this.#chunks = new ChunkReader(options);
    this.#filtered = new FilteredChunkReader(options);
    const createSpan = () => new LogSpan(options.span);
    this.#spans = { verified: createSpan(), plain: createSpan(), filtered: createSpan() };
  }

  wantsSenders(endpoint: RpcEndpoint): boolean {
    return this.#chunks.wantsSenders(endpoint);
  }

  async read(range: BlockRange, signal?: AbortSignal): Promise<BlockRangeReading> {
    return (await this.#readArchives(range, signal)) ?? (await this.#readNodes(range, signal));
  }

  /** Null if no archive has the next blocks now, or the range is not one for archives. */
  async #readArchives(range: BlockRange, signal?: AbortSignal): Promise<BlockRangeReading | null> {
    const { archives, client } = this.#options;
    const { fromBlock, linked, only, audited, describesPools = false } = range;
    const isFinal = !linked && audited !== 'newest';
    if (archives === null || !isFinal || only !== undefined) return null;
    const toBlock = Math.min(range.toBlock, fromBlock + (range.blockCountMax ?? 1e9) - 1);
    const read = await archives.read({ fromBlock, toBlock }, signal);
    if (read === null) return null;
    const { last } = read;
    const chunk = { fromBlock, toBlock: last.position, linked, verified: true, describesPools };
    const at = { signal, minBlock: last.position };
    const { blocks, notices } = await client.at(
      (endpoint) => this.#chunks.readArchived(endpoint, { ...chunk, signal }, toEvmBlocks(read)),
      at,
    );
    const blockCount = last.position - fromBlock + 1;
    const { source, isProved } = read;
    const archive = { source, isProved };
    return { blocks, headers: [], toBlock: last.position, blockCount, notices, last, archive };
  }

  async #readNodes(range: BlockRange, signal?: AbortSignal): Promise<BlockRangeReading> {
    const { linked, describesPools = false } = range;
    let { only } = range;
    const { eventCountMax = Number.POSITIVE_INFINITY } = range;
    const { blockCountMax = Number.POSITIVE_INFINITY } = range;
    const toBlock = Math.min(range.toBlock, range.fromBlock + blockCountMax - 1);
    const isChecked =
      linked ||
      range.searched ||
      toBlock - range.fromBlock < CHECKED_BLOCKS_MAX ||
      this.#options.verification === 'all';
    const verified = only === undefined ? isChecked : linked;
    const span = this.#spans[only !== undefined ? 'filtered' : verified ? 'verified' : 'plain'];
    const blocks: BlockEvents[] = [];
    const headers: BlockHeader[] = [];
    let notices: TokenNotice[] | null = [];
    let fromBlock = range.fromBlock;
    let eventCount = 0;
    let archive: BlockRangeReading['archive'];
    const archived = linked || range.audited === 'newest' ? null : range;
    const endAtMs = this.#options.clock.monotonicMs() + PIECE_MS;
    while (fromBlock <= toBlock && eventCount < eventCountMax) {
      if (fromBlock > range.fromBlock && this.#options.clock.monotonicMs() > endAtMs) break;
      const filtered = only ? { only, archived } : {};
      const rest = { linked, verified, describesPools, signal, ...filtered };
      const task = this.#takeTask({
        ...{ fromBlock, pieceEnd: toBlock, toBlock: range.toBlock, rest, span },
      });
      // It was begun for a piece that would have ended later: the next one has it.
      if (task === null) break;
      let reading: ChunkReading | null;
      try {
        reading = await this.#finish(task, span);
        if (reading === null) continue;
        this.#assertJoins(headers.at(-1), reading.headers[0]);
      } catch (error) {
        // What was read before is kept: the next read begins where this one failed.
        if (!isRpcError(error) || fromBlock === range.fromBlock) throw error;
        break;
      }
      if (only !== undefined) only = addCreated(only, reading.blocks);
      for (const block of reading.blocks) {
        blocks.push(block);
        eventCount += block.events.length;
      }
      for (const header of reading.headers) headers.push(header);
      if (reading.archive !== undefined) archive = { source: reading.archive, isProved: false };
      notices = joinNotices(notices, reading.notices);
      fromBlock = task.chunk.toBlock + 1;
    }
    // The next read may find another branch.
    if (linked) this.#dropAhead();
    const blockCount = fromBlock - range.fromBlock;
    const reading = { blocks, headers, toBlock: fromBlock - 1, blockCount, notices };
    return archive === undefined ? reading : { ...reading, archive };
  }

  #assertJoins(parent: BlockHeader | undefined, child: BlockHeader | undefined): void {
    if (parent === undefined || child === undefined || child.parentHash === parent.hash) return;
    // Two replies from different branches: neither is wrong, so only this read fails.
    throw new RpcError('unavailable', `block ${child.position} is from another branch`);
  }

  /**
   * The chunk that begins here, with the next ones begun. Those of a filtered range are begun again
   * when one before them shows a pool that they must ask for, too.
   */
  #takeTask(planned: PlannedRange): ChunkTask | null {
    const { fromBlock, pieceEnd, toBlock, rest } = planned;
    const [first] = this.#ahead;
    const isFitting =
      first?.chunk.fromBlock === fromBlock &&
      first.chunk.signal === rest.signal &&
      first.chunk.verified === rest.verified &&
      first.chunk.describesPools === rest.describesPools &&
      first.chunk.only === rest.only;
    if (!isFitting) this.#dropAhead();
    const size = pieceEnd - fromBlock + 1;
    let next = (this.#ahead.at(-1)?.chunk.toBlock ?? fromBlock - 1) + 1;
    const end = rest.linked || rest.only !== undefined ? pieceEnd : toBlock;
    while (next <= end && this.#ahead.length < CHUNKS_AT_ONCE) {
      const length = Math.min(size, this.#planLength(planned));
      const last = Math.min(next <= pieceEnd ? pieceEnd : end, next + length - 1);
      const chunk = { ...rest, fromBlock: next, toBlock: last };
      this.#ahead.push(this.#begin(chunk, this.#ahead.at(-1) ?? null));
      next = last + 1;
    }
    const isShort = (this.#ahead[0]?.chunk.toBlock ?? 0) <= pieceEnd;
    return isShort ? (this.#ahead.shift() ?? null) : null;
  }

  #planLength({ span, rest }: PlannedRange): number {
    return this.#hasLogs(rest) ? span.blocks : Math.min(span.blocks, RECEIPTS_BLOCKS_MAX);
  }

  /** Whether an endpoint may have the logs of all contracts. */
  #hasLogs({ only }: Pick<PlannedRange['rest'], 'only'>): boolean {
    return only !== undefined || this.#options.clock.monotonicMs() >= this.#noLogsUntilMs;
  }

  #dropAhead(): void {
    for (const task of this.#ahead.splice(0)) task.drop();
  }

  #begin(chunk: Chunk | FilteredChunk, before: ChunkTask | null): ChunkTask {
    const gate = Promise.withResolvers<void>();
    const abort = new AbortController();
    const { signal: given } = chunk;
    const signal = given === undefined ? abort.signal : AbortSignal.any([given, abort.signal]);
    const undone: (() => void)[] = [];
    let decodedCount = 0;
    const noteDecoded = (undo: () => void) => {
      decodedCount += 1;
      undone.push(undo);
      gate.resolve();
    };
    const order = { before: before?.decoded ?? Promise.resolve(), noteDecoded };
    const undo = () => {
      for (const one of undone.splice(0)) one();
    };
    const ordered = 'only' in chunk ? {} : { order };
    const reading = this.#readChunk({ ...chunk, signal, ...ordered }, undo);
    const outcome = reading.finally(gate.resolve);
    // It may fail before its turn comes, which may be never.
    outcome.catch(() => undefined);
    const drop = () => {
      abort.abort();
      gate.resolve();
    };
    return { chunk, outcome, decoded: gate.promise, isRepeated: () => decodedCount > 1, drop };
  }

  /** Null if the range was too large and must be read in smaller parts. */
  async #finish(task: ChunkTask, span: LogSpan): Promise<ChunkReading | null> {
    const { chunk } = task;
    const blocks = chunk.toBlock - chunk.fromBlock + 1;
    try {
      const outcome = await task.outcome;
      if (outcome.kind === 'read') {
        if (task.isRepeated()) this.#dropAhead();
        span.succeeded({ blocks, logs: outcome.reading.logCount });
        return outcome.reading;
      }
      this.#dropAhead();
      const { suggestedBlocks, ambiguous } = outcome.error;
      span.tooLarge({ blocks, suggestedBlocks, isSure: !ambiguous });
      return null;
    } catch (error) {
      this.#dropAhead();
      throw error;
    }
  }

  async #readChunk(chunk: Chunk | FilteredChunk, undo: () => void): Promise<ChunkOutcome> {
    const at = { signal: chunk.signal, minBlock: chunk.toBlock };
    const { client } = this.#options;
    const isFiltered = 'only' in chunk;
    const work = doubtRanges(chunk, async (endpoint) => {
      try {
        if (isFiltered) return await this.#readFiltered(endpoint, chunk);
        if (!this.#hasLogs({})) return await this.#chunks.readReceipts(endpoint, chunk);
        return await this.#chunks.read(endpoint, chunk);
      } catch (error) {
        undo();
        throw error;
      }
    });
    try {
      return { kind: 'read', reading: await client.at(work, at) };
    } catch (error) {
      if (isRpcError(error, 'unsupported') && !isFiltered) return this.#noteNoLogs(error, chunk);
      if (!isRpcError(error, 'rangeTooLarge', 'replyTooLarge')) throw error;
      if (chunk.fromBlock < chunk.toBlock) return { kind: 'tooLarge', error };
      if (isFiltered) throw error;
      return { kind: 'read', reading: await this.#readSingleBlock(chunk) };
    }
  }

  async #readFiltered(endpoint: RpcEndpoint, chunk: FilteredChunk): Promise<ChunkReading> {
    const { archivedLogs } = this.#options;
    const { archived: bounds, signal } = chunk;
    if (archivedLogs === null || bounds === null) return await this.#filtered.read(endpoint, chunk);
    let archive: string | undefined;
    const plan = { bounds, direction: 'forward', isWhole: true, signal } as const;
    const before = archivedLogs.before(endpoint, plan, (name) => {
      archive = name;
    });
    const reading = await this.#filtered.read(before, chunk);
    return archive === undefined ? reading : { ...reading, archive };
  }

  /** No endpoint has the logs of all contracts: for a while blocks are read by their receipts. */
  #noteNoLogs(error: RpcError, { fromBlock, toBlock }: Chunk): ChunkOutcome {
    if (!this.#hasLogs({})) {
      this.#noLogsUntilMs = Number.NEGATIVE_INFINITY;
      throw error;
    }
    this.#noLogsUntilMs = this.#options.clock.monotonicMs() + NO_LOGS_MS;
    const { endpoint } = error;
    const suggestedBlocks = Math.min(RECEIPTS_BLOCKS_MAX, toBlock - fromBlock + 1);
    const details = { endpoint, suggestedBlocks, ambiguous: true, cause: error };
    return { kind: 'tooLarge', error: new RpcError('rangeTooLarge', error.message, details) };
  }

  /** By receipts; if no endpoint has them, by all of its logs, checked against its header. */
  async #readSingleBlock(chunk: Chunk): Promise<ChunkReading> {
    const at = { signal: chunk.signal, minBlock: chunk.toBlock };
    const { client } = this.#options;
    try {
      return await client.at((endpoint) => this.#chunks.readReceipts(endpoint, chunk), at);
    } catch (error) {
      if (!isRpcError(error, 'unsupported')) throw error;
      const whole = { ...chunk, verified: true };
      return await client.at((endpoint) => this.#chunks.read(endpoint, whole), at);
    }
  }
}
