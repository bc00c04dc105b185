// Reads ranges of any length in parts that suit the nodes, and moves parts to another endpoint if
// one fails.

import type { BlockEvents } from '../../../model/block-events.ts';
import type { BlockHeader } from '../../../model/block-header.ts';
import type { TokenNotice } from '../../../model/token-notice.ts';
import type { BlockFilter, BlockRange, BlockRangeReading } from '../../adapter.ts';
import type { RpcClient } from '../../rpc/rpc-client.ts';
import type { RpcEndpoint } from '../../rpc/rpc-endpoint.ts';
import { isRpcError, RpcError } from '../../rpc/rpc-error.ts';
import {
  type Chunk,
  ChunkReader,
  type ChunkReaderOptions,
  type ChunkReading,
} from './chunk-reader.ts';
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

export class BlockReader {
  readonly #options: BlockReaderOptions;
  readonly #chunks: ChunkReader;
  readonly #filtered: FilteredChunkReader;
  /** A verified range has more logs and a filtered one few: the sizes are learnt separately. */
  readonly #spans: Readonly<Record<'verified' | 'plain' | 'filtered', LogSpan>>;

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
    const { linked, describesPools = false } = range;
    let { only } = range;
    const { eventCountMax = Number.POSITIVE_INFINITY } = range;
    const { blockCountMax = Number.POSITIVE_INFINITY } = range;
    const toBlock = Math.min(range.toBlock, range.fromBlock + blockCountMax - 1);
    const isChecked = linked || range.searched || this.#options.verification === 'all';
    const verified = only === undefined ? isChecked : linked;
    const span = this.#spans[only !== undefined ? 'filtered' : verified ? 'verified' : 'plain'];
    const blocks: BlockEvents[] = [];
    const headers: BlockHeader[] = [];
    let notices: TokenNotice[] | null = [];
    let fromBlock = range.fromBlock;
    let eventCount = 0;
    while (fromBlock <= toBlock && eventCount < eventCountMax) {
      const end = Math.min(toBlock, fromBlock + span.blocks - 1);
      const chunk = { fromBlock, toBlock: end, linked, verified, describesPools, signal };
      const reading = await this.#readChunk(only === undefined ? chunk : { ...chunk, only }, span);
      if (reading === null) continue;
      if (only !== undefined) only = addCreated(only, reading.blocks);
      this.#assertJoins(headers.at(-1), reading.headers[0]);
      for (const block of reading.blocks) {
        blocks.push(block);
        eventCount += block.events.length;
      }
      for (const header of reading.headers) headers.push(header);
      notices = joinNotices(notices, reading.notices);
      fromBlock = end + 1;
    }
    const blockCount = fromBlock - range.fromBlock;
    return { blocks, headers, toBlock: fromBlock - 1, blockCount, notices };
  }

  #assertJoins(parent: BlockHeader | undefined, child: BlockHeader | undefined): void {
    if (parent === undefined || child === undefined || child.parentHash === parent.hash) return;
    // Two replies from different branches: neither is wrong, so only this read fails.
    throw new RpcError('unavailable', `block ${child.position} is from another branch`);
  }

  /** Null if the range was too large and must be read in smaller parts. */
  async #readChunk(chunk: Chunk | FilteredChunk, span: LogSpan): Promise<ChunkReading | null> {
    const blocks = chunk.toBlock - chunk.fromBlock + 1;
    const at = { signal: chunk.signal, minBlock: chunk.toBlock };
    const { client } = this.#options;
    try {
      const reading = await client.at(this.#createWork(chunk), at);
      span.succeeded({ blocks, logs: reading.logCount });
      return reading;
    } catch (error) {
      if (!isRpcError(error, 'rangeTooLarge', 'replyTooLarge')) throw error;
      if (blocks === 1 && !('only' in chunk)) return await this.#readSingleBlock(chunk);
      if (blocks === 1) throw error;
      span.tooLarge({ blocks, suggestedBlocks: error.suggestedBlocks });
      return null;
    }
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

  /** A repeated vague limit or timeout is treated as a range that is too large. */
  #createWork(chunk: Chunk | FilteredChunk): (endpoint: RpcEndpoint) => Promise<ChunkReading> {
    let doubts = 0;
    return async (endpoint) => {
      try {
        return 'only' in chunk
          ? await this.#filtered.read(endpoint, chunk)
          : await this.#chunks.read(endpoint, chunk);
      } catch (error) {
        if (!isRpcError(error) || !error.ambiguous) throw error;
        doubts += 1;
        if (doubts < 2 || chunk.fromBlock === chunk.toBlock) throw error;
        throw new RpcError('rangeTooLarge', 'range was refused without a clear reason', {
          cause: error,
        });
      }
    };
  }
}
