// Reads blocks of the past from the archives of `HISTORY_<CHAIN>`, in their order, and returns only
// what is proved, or compared with the operator's own node in samples. What cannot be had from any
// of them now is the node's to give: the caller reads it there, from the same block on.

import type { Clock } from '../../../lib/clock.ts';
import type { Random } from '../../../lib/retry.ts';
import type { BlockHeader } from '../../../model/block-header.ts';
import { ArchiveError } from '../../archives/archive-error.ts';
import { ArchiveUse } from '../../archives/archive-use.ts';
import type { Log } from '../../rpc/rpc-client.ts';
import { RpcError } from '../../rpc/rpc-error.ts';
import type { ArchiveRange, ArchiveSource } from './archive-source.ts';
import { type ArchivedBlock, MalformedBlock } from './archived-block.ts';
import type { Witness } from './node-witness.ts';
import { proveBlock, type Verdict } from './prove-block.ts';

interface ArchiveReaderOptions {
  readonly sources: readonly ArchiveSource[];
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

interface Place {
  readonly source: ArchiveSource;
  readonly use: ArchiveUse;
}

/** A stream that the next reading goes on with. */
interface OpenStream {
  readonly place: Place;
  readonly iterator: AsyncIterator<ArchivedBlock>;
  readonly abort: AbortController;
  readonly toBlock: number;
  next: number;
}

interface JudgedBlock {
  readonly block: ArchivedBlock;
  readonly verdict: Verdict;
}

/** One reading is held in memory until all of it is proved. */
const LOGS_MAX = 20_000;
const BLOCKS_MAX = 5000;
/** So many blocks without a proof are compared if there are no more; else these and a share. */
const UNPROVED_SAMPLES_MIN = 20;

export class ArchiveReader {
  readonly #options: ArchiveReaderOptions;
  readonly #places: readonly Place[];
  #open: OpenStream | null = null;

  constructor(options: ArchiveReaderOptions) {
    this.#options = options;
    this.#places = options.sources.map((source) => ({
      source,
      use: new ArchiveUse(source.name, options),
    }));
  }

  /** The first part of the range, of final blocks; null if no archive has any of it now. */
  async read(range: ArchiveRange, signal?: AbortSignal): Promise<ArchiveReading | null> {
    for (const place of this.#places) {
      if (!place.use.isAvailable) continue;
      try {
        return await this.#readFrom(place, range, signal);
      } catch (error) {
        this.#dropOpen();
        signal?.throwIfAborted();
        place.use.noteFault(toArchiveError(error, place));
      }
    }
    return null;
  }

  /** What `/ready` says. */
  listLimitations(): string[] {
    return this.#places.flatMap(({ use }) => use.listLimitations());
  }

  close(): void {
    this.#dropOpen();
    for (const { source } of this.#places) source.close();
  }

  async #readFrom(
    place: Place,
    range: ArchiveRange,
    signal: AbortSignal | undefined,
  ): Promise<ArchiveReading> {
    const stop = () => this.#dropOpen();
    signal?.addEventListener('abort', stop, { once: true });
    try {
      const { judged, fault } = await this.#pull(place, range);
      const { last, unproved } = await this.#compare(judged, place, signal);
      signal?.throwIfAborted();
      if (fault === null) {
        place.use.noteRead();
      } else {
        this.#dropOpen();
        place.use.noteFault(fault);
      }
      const blocks = judged.map(({ block }) => block);
      return { source: place.source.name, blocks, last, isProved: unproved === 0 };
    } finally {
      signal?.removeEventListener('abort', stop);
    }
  }

  /** As many blocks as one reading takes, with the fault that ended it early. */
  async #pull(
    place: Place,
    range: ArchiveRange,
  ): Promise<{ judged: JudgedBlock[]; fault: ArchiveError | null }> {
    const stream = this.#openAt(place, range);
    const judged: JudgedBlock[] = [];
    const size = Math.min(BLOCKS_MAX, range.toBlock - range.fromBlock + 1);
    let logs = 0;
    try {
      while (judged.length < size && logs < LOGS_MAX) {
        const next = await stream.iterator.next();
        if (next.done === true) {
          this.#dropOpen();
          break;
        }
        judged.push(this.#judge(next.value, stream.next, judged.at(-1)?.block, place));
        stream.next += 1;
        logs += next.value.receipts.reduce((sum, receipt) => sum + receipt.logs.length, 0);
      }
    } catch (error) {
      const fault = toArchiveError(error, place);
      // What came before a broken connection is as good as any; of a lie nothing is.
      if (fault.kind === 'wrong' || judged.length === 0) throw fault;
      return { judged, fault };
    }
    if (judged.length === 0) throw new ArchiveError('dry', `${place.source.name} sent no blocks`);
    return { judged, fault: null };
  }

  /** The open stream if it stands at this block, otherwise a new one. */
  #openAt(place: Place, range: ArchiveRange): OpenStream {
    const open = this.#open;
    const { fromBlock, toBlock } = range;
    if (open?.place === place && open.next === fromBlock && open.toBlock <= toBlock) return open;
    this.#dropOpen();
    const abort = new AbortController();
    const iterator = place.source
      .read({ fromBlock, toBlock }, abort.signal)
      [Symbol.asyncIterator]();
    this.#open = { place, iterator, abort, toBlock, next: fromBlock };
    return this.#open;
  }

  #dropOpen(): void {
    const open = this.#open;
    this.#open = null;
    if (open === null) return;
    open.abort.abort();
    // It ends by the abort; how does not matter any more.
    open.iterator.return?.().catch(() => undefined);
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
    for (const { block, verdict } of [...doubted, ...this.#draw(proved, share(proved.length))]) {
      const logs = verdict.kind !== 'proved';
      const difference = await witness.findDifference(block, { logs }, signal);
      if (difference !== null) throw lie(place, block, `the node has otherwise ${difference}`);
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

/** What is no fault of the archive goes on to the caller. */
function toArchiveError(error: unknown, { source }: Place): ArchiveError {
  if (error instanceof ArchiveError) return error;
  if (!(error instanceof MalformedBlock)) throw error;
  return new ArchiveError('wrong', `${source.name}: ${error.message}`);
}
