// The archives of a chain, in the order in which they are asked, and the stream that the next
// reading goes on with.

import type { Clock } from '../../lib/clock.ts';
import type { Random } from '../../lib/retry.ts';
import type { Log } from '../rpc/rpc-client.ts';
import { ArchiveError } from './archive-error.ts';
import { ArchiveUse } from './archive-use.ts';

/** Positions, both inclusive; on some chains not each of them has a block. */
export interface ArchiveRange {
  readonly fromBlock: number;
  readonly toBlock: number;
}

/** One place that blocks of the past are read from. */
export interface ArchiveSource<Block> {
  /** Without what may be secret: safe to show. */
  readonly name: string;
  /**
   * Blocks from `fromBlock` on, ascending. It may end before `toBlock`, and have none at all.
   * Throws an `ArchiveError`.
   */
  read(range: ArchiveRange, signal: AbortSignal): AsyncIterable<Block>;
  close(): void;
}

export interface ArchivePlace<Source> {
  readonly source: Source;
  readonly use: ArchiveUse;
}

interface OpenStream<Source, Block, Passed> {
  readonly place: ArchivePlace<Source>;
  readonly iterator: AsyncIterator<Block>;
  readonly abort: AbortController;
  readonly toBlock: number;
  /** What a block is compared with. */
  readonly passed: Passed;
  next: number;
}

interface Pulled<Block> {
  readonly blocks: readonly Block[];
  /** What ended the stream early; the blocks before it are good. */
  readonly fault: ArchiveError | null;
}

interface PullOptions<Source, Block, Passed> {
  readonly place: ArchivePlace<Source>;
  readonly range: ArchiveRange;
  /** Of a stream that begins. */
  begin(): Passed;
  /** The block's position. Throws an `ArchiveError` if it is not one that may come next. */
  accept(
    block: Block,
    stream: { readonly next: number; readonly toBlock: number; readonly passed: Passed },
  ): number;
  isEnough(blocks: readonly Block[]): boolean;
}

export class ArchiveSources<Source extends ArchiveSource<Block>, Block, Passed = null> {
  readonly places: readonly ArchivePlace<Source>[];
  #open: OpenStream<Source, Block, Passed> | null = null;

  constructor(
    sources: readonly Source[],
    parts: { readonly clock: Clock; readonly random: Random; readonly log: Log },
  ) {
    this.places = sources.map((source) => ({ source, use: new ArchiveUse(source.name, parts) }));
  }

  /**
   * What the first archive says that can be asked now and does not fail; null if none can. What is
   * no fault of an archive goes on to the caller.
   */
  async ask<Answer extends { readonly fault: ArchiveError | null }>(
    work: (place: ArchivePlace<Source>) => Promise<Answer>,
    signal: AbortSignal | undefined,
    places = this.places,
  ): Promise<Answer | null> {
    const stop = () => this.#dropOpen();
    signal?.addEventListener('abort', stop, { once: true });
    try {
      for (const place of places) {
        if (!place.use.isAvailable) continue;
        try {
          const answer = await work(place);
          signal?.throwIfAborted();
          if (answer.fault === null) place.use.noteRead();
          else this.#noteFault(place, answer.fault);
          return answer;
        } catch (error) {
          if (signal?.aborted || !(error instanceof ArchiveError)) {
            this.#dropOpen();
            signal?.throwIfAborted();
            throw error;
          }
          this.#noteFault(place, error);
        }
      }
      return null;
    } finally {
      signal?.removeEventListener('abort', stop);
    }
  }
  /** The next blocks of the range, as many as are enough; fails if there is none. */
  async pull(options: PullOptions<Source, Block, Passed>): Promise<Pulled<Block>> {
    const stream = this.#openAt(options);
    const blocks: Block[] = [];
    try {
      while (!options.isEnough(blocks)) {
        const next = await stream.iterator.next();
        if (next.done === true) {
          this.#dropOpen();
          break;
        }
        stream.next = options.accept(next.value, stream) + 1;
        blocks.push(next.value);
      }
    } catch (error) {
      // What came before a broken connection is as good as any; of a lie nothing is.
      const isKept = error instanceof ArchiveError && error.kind !== 'wrong' && blocks.length > 0;
      if (!isKept) throw error;
      return { blocks, fault: error };
    }
    const { name } = options.place.source;
    if (blocks.length === 0) throw new ArchiveError('dry', `${name} sent no blocks`);
    return { blocks, fault: null };
  }

  /** What `/ready` says. */
  listLimitations(): string[] {
    return this.places.flatMap(({ use }) => use.listLimitations());
  }

  close(): void {
    this.#dropOpen();
    for (const { source } of this.places) source.close();
  }

  #noteFault({ use }: ArchivePlace<Source>, fault: ArchiveError): void {
    this.#dropOpen();
    use.noteFault(fault);
  }

  /** The open stream if it stands at this block, otherwise a new one. */
  #openAt(options: PullOptions<Source, Block, Passed>): OpenStream<Source, Block, Passed> {
    const { place, range } = options;
    const { fromBlock: next, toBlock } = range;
    const open = this.#open;
    if (open?.place === place && open.next === next && open.toBlock <= toBlock) return open;
    this.#dropOpen();
    const abort = new AbortController();
    const iterator = place.source.read(range, abort.signal)[Symbol.asyncIterator]();
    this.#open = { place, iterator, abort, toBlock, passed: options.begin(), next };
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
}
