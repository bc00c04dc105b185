// Reads blocks of the past from the archives of `HISTORY_<CHAIN>`, in their order, and returns only
// what is proved, or compared with the operator's own node in samples. What cannot be had from any
// of them now is the node's to give: the caller reads it there, from the same block on.

import type { Clock } from '../../../lib/clock.ts';
import type { Random } from '../../../lib/retry.ts';
import type { BlockHeader } from '../../../model/block-header.ts';
import { ArchiveError } from '../../archives/archive-error.ts';
import {
  type ArchivePlace,
  type ArchiveRange,
  type ArchiveSource,
  ArchiveSources,
} from '../../archives/archive-sources.ts';
import type { Log } from '../../rpc/rpc-client.ts';
import { RpcError } from '../../rpc/rpc-error.ts';
import type { LogFilter } from '../data/evm-log.ts';
import type { ArchivedBlock } from './archived-block.ts';
import type { Witness } from './node-witness.ts';
import type { FilteredBlock } from './parse-portal-block.ts';
import { proveBlock, type Verdict } from './prove-block.ts';

interface ArchiveReaderOptions {
  readonly sources: readonly EvmArchive[];
  readonly witness: Witness;
  /** Of the blocks that are proved, so many in a hundred are compared with the node as well. */
  readonly samplePct: number;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
}

/** Blocks of one archive, ascending and without gaps. */
export interface ArchiveReading {
  readonly source: string;
  readonly blocks: readonly ArchivedBlock[];
  /** The node's header of the last of them. */
  readonly last: BlockHeader;
  /** Whether the proof of every one of them covers its logs and its time. */
  readonly isProved: boolean;
}

/** Some archives can be asked for the logs of chosen contracts alone. */
export interface EvmArchive extends ArchiveSource<ArchivedBlock> {
  /**
   * Blocks with logs for the filters, with the transactions of those logs, and at least the last
   * block of what is covered; otherwise like `read`.
   */
  readLogs?(query: FilteredQuery, signal: AbortSignal): AsyncIterable<FilteredBlock>;
}

export interface FilteredQuery extends ArchiveRange {
  readonly filters: readonly LogFilter[];
  /** With all logs of the transactions, and their senders. */
  readonly isWhole: boolean;
}

export type EvmArchives = ArchiveSources<EvmArchive, ArchivedBlock>;

type Place = ArchivePlace<EvmArchive>;

interface JudgedBlock {
  readonly block: ArchivedBlock;
  readonly verdict: Verdict;
}

/** One reading is held in memory until all of it is proved. */
const LOGS_MAX = 20_000;
const BLOCKS_MAX = 5000;
/** Blocks that the node is asked for at once. */
const COMPARED_AT_ONCE = 10;
/** So many blocks without a proof are compared if there are no more; else these and a share. */
export const UNPROVED_SAMPLES_MIN = 20;

export class ArchiveReader {
  readonly #options: ArchiveReaderOptions;
  readonly sources: EvmArchives;

  constructor(options: ArchiveReaderOptions) {
    this.#options = options;
    this.sources = new ArchiveSources(options.sources, options);
  }

  /** The first part of the range, of final blocks; null if no archive has any of it now. */
  async read(range: ArchiveRange, signal?: AbortSignal): Promise<ArchiveReading | null> {
    return await this.sources.ask(async (place) => {
      const { judged, fault } = await this.#pull(place, range);
      const { last, unproved } = await this.#compare(judged, place, signal);
      const blocks = judged.map(({ block }) => block);
      return { source: place.source.name, blocks, last, isProved: unproved === 0, fault };
    }, signal);
  }

  /** What `/ready` says. */
  listLimitations(): string[] {
    return this.sources.listLimitations();
  }

  close(): void {
    this.sources.close();
  }

  /** As many blocks as one reading takes. */
  async #pull(
    place: Place,
    range: ArchiveRange,
  ): Promise<{ judged: JudgedBlock[]; fault: ArchiveError | null }> {
    const judged: JudgedBlock[] = [];
    const size = Math.min(BLOCKS_MAX, range.toBlock - range.fromBlock + 1);
    let logs = 0;
    const { fault } = await this.sources.pull({
      ...{ place, range, begin: () => null },
      accept: (block, { next }) => {
        judged.push(this.#judge(block, next, judged.at(-1)?.block, place));
        logs += block.receipts.reduce((sum, receipt) => sum + receipt.logs.length, 0);
        return block.header.position;
      },
      isEnough: ({ length }) => length >= size || logs >= LOGS_MAX,
    });
    return { judged, fault };
  }

  #judge(
    block: ArchivedBlock,
    position: number,
    parent: ArchivedBlock | undefined,
    place: Place,
  ): JudgedBlock {
    const { header } = block;
    if (header.position !== position) throw lie(place, block, `${position} was to come`);
    if (parent !== undefined && header.parentHash !== parent.header.hash) {
      throw lie(place, block, 'it does not follow the block before');
    }
    return { block, verdict: proveBlock(block) };
  }

  /**
   * Asks the node for the last hash, to which all the others link, and compares blocks with it:
   * those without a proof, and some of the others, because senders are in no proof.
   */
  async #compare(
    judged: readonly JudgedBlock[],
    place: Place,
    signal: AbortSignal | undefined,
  ): Promise<{ last: BlockHeader; unproved: number }> {
    const { witness, samplePct, random } = this.#options;
    const last = await this.#assertHeaders(judged, place, signal);
    const by = (kind: Verdict['kind']) => judged.filter(({ verdict }) => verdict.kind === kind);
    const share = (count: number) => Math.floor((count * samplePct) / 100 + random());
    const doubted = [by('wrong'), by('notProvable')].flatMap((some) =>
      this.#draw(some, Math.max(UNPROVED_SAMPLES_MIN, share(some.length))),
    );
    const proved = by('proved');
    const drawn = [...doubted, ...this.#draw(proved, share(proved.length))];
    for (let from = 0; from < drawn.length; from += COMPARED_AT_ONCE) {
      const some = drawn.slice(from, from + COMPARED_AT_ONCE);
      const differences = some.map(({ block, verdict }) =>
        witness.findDifference(block, { logs: verdict.kind !== 'proved' }, signal),
      );
      for (const [index, difference] of (await Promise.all(differences)).entries()) {
        const block = some[index]?.block;
        if (difference === null || block === undefined) continue;
        throw lie(place, block, `the node has otherwise ${difference}`);
      }
    }
    return { last, unproved: judged.length - proved.length };
  }

  /** The node must have the last hash. */
  async #assertHeaders(
    judged: readonly JudgedBlock[],
    place: Place,
    signal: AbortSignal | undefined,
  ): Promise<BlockHeader> {
    // Where blocks share a second, the node may have milliseconds, which archives do not.
    const blocks = judged.map(({ block }) => block);
    const shared = blocks.findLast(
      ({ header }, index) => header.timestampMs === blocks[index - 1]?.header.timestampMs,
    );
    const asked = [shared, blocks.at(-1)].filter((block) => block !== undefined);
    const headers: BlockHeader[] = [];
    for (const block of asked) {
      const { position, hash, timestampMs } = block.header;
      const header = await this.#options.witness.readHeader(position, signal);
      if (header === null) throw new RpcError('lagging', `no endpoint has block ${position}`);
      if (header.hash !== hash) throw lie(place, block, 'the node has another hash');
      if (header.timestampMs !== timestampMs) {
        const reason = `${place.source.name} has times in seconds, the node in milliseconds`;
        throw new ArchiveError('refused', reason);
      }
      headers.push(header);
    }
    const last = headers.at(-1);
    if (last === undefined) throw new Error('a reading without blocks');
    return last;
  }

  #draw<T>(items: readonly T[], count: number): T[] {
    const rest = [...items];
    const drawn: T[] = [];
    while (drawn.length < count && rest.length > 0) {
      drawn.push(...rest.splice(Math.floor(this.#options.random() * rest.length), 1));
    }
    return drawn;
  }
}

function lie({ source }: Place, { header }: ArchivedBlock, reason: string): ArchiveError {
  return new ArchiveError('wrong', `${source.name}, block ${header.position}: ${reason}`);
}
