// Era files in a folder, or at a URL whose page lists them. Those of a URL are downloaded one at a
// time, into the folder for temporary files, because only the end of a file says where its blocks
// are.

import { createWriteStream } from 'node:fs';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { ReadableStream } from 'node:stream/web';
import { ArchiveError } from '../../archives/archive-error.ts';
import type { ArchiveRange, ArchiveSource } from '../../archives/archive-sources.ts';
import { type ArchivedBlock, MalformedBlock } from './archived-block.ts';
import { EraFile } from './era-file.ts';

const NAME = /[\w-]+-(\d{5})-[0-9a-f]{8}[\w-]*\.(?:era1|erae|ere)\b/g;
const FILE = /\.(?:era1|erae|ere)$/;
const BLOCKS_IN_FILE = 8192;
const LIST_TIMEOUT_MS = 60_000;
/** The greatest has 1.5 GB. */
const DOWNLOAD_TIMEOUT_MS = 3_600_000;

export class EraFolderSource implements ArchiveSource<ArchivedBlock> {
  readonly name: string;
  readonly #folder: string;

  constructor(folder: string) {
    this.#folder = folder;
    this.name = 'era files';
  }

  close(): void {
    // Each reading closes its file.
  }

  async *read(range: ArchiveRange, signal: AbortSignal): AsyncGenerator<ArchivedBlock, void> {
    let next = range.fromBlock;
    while (next <= range.toBlock) {
      const file = await this.#find(next);
      if (file === null) return;
      try {
        for (; next <= Math.min(file.lastBlock, range.toBlock); next += 1) {
          signal.throwIfAborted();
          const block = await file.readBlock(next);
          if (block === null) return;
          yield block;
        }
      } finally {
        await file.close();
      }
    }
  }

  /** The file with this block, open. Names have the number of the file, which is tried first. */
  async #find(position: number): Promise<EraFile | null> {
    const number = String(Math.floor(position / BLOCKS_IN_FILE)).padStart(5, '0');
    const names = (await this.#list()).filter((name) => FILE.test(name));
    const numbered = names.filter((name) => name.includes(`-${number}-`));
    for (const name of [...numbered, ...names.filter((one) => !numbered.includes(one))]) {
      const file = await EraFile.open(join(this.#folder, name));
      if (file.firstBlock <= position && position <= file.lastBlock) return file;
      await file.close();
    }
    return null;
  }

  async #list(): Promise<string[]> {
    try {
      return await readdir(this.#folder);
    } catch {
      throw new ArchiveError('refused', `${this.name}: the folder cannot be read`);
    }
  }
}

export class EraUrlSource implements ArchiveSource<ArchivedBlock> {
  readonly name: string;
  readonly #url: URL;
  /** Names by the number of the file. */
  #names: ReadonlyMap<number, string> | null = null;

  constructor(url: string) {
    this.#url = new URL(url.endsWith('/') ? url : `${url}/`);
    this.name = this.#url.hostname;
  }

  close(): void {
    // Each reading removes its folder.
  }

  async *read(range: ArchiveRange, signal: AbortSignal): AsyncGenerator<ArchivedBlock, void> {
    this.#names ??= await this.#list(signal);
    let next = range.fromBlock;
    while (next <= range.toBlock) {
      const name = this.#names.get(Math.floor(next / BLOCKS_IN_FILE));
      if (name === undefined) return;
      const folder = await mkdtemp(join(tmpdir(), 'mintwire-era-'));
      try {
        const body = await this.#get(name, signal, DOWNLOAD_TIMEOUT_MS);
        const stream = Readable.fromWeb(body as ReadableStream);
        try {
          await pipeline(stream, createWriteStream(join(folder, name)), { signal });
        } catch {
          signal.throwIfAborted();
          throw new ArchiveError('failed', `${this.name}: the download of ${name} was cut off`);
        }
        const before = next;
        for await (const block of new EraFolderSource(folder).read(
          { ...range, fromBlock: next },
          signal,
        )) {
          yield block;
          next += 1;
        }
        if (next === before) throw new MalformedBlock(`${name} does not have block ${next}`);
      } finally {
        await rm(folder, { recursive: true, force: true });
      }
    }
  }

  async #list(signal: AbortSignal): Promise<ReadonlyMap<number, string>> {
    const body = await this.#get('', signal, LIST_TIMEOUT_MS);
    const text = await new Response(body).text();
    const found = [...text.matchAll(NAME)].map(([name, number]) => [Number(number), name] as const);
    if (found.length === 0) throw new ArchiveError('refused', `${this.name} lists no era files`);
    return new Map(found);
  }

  async #get(
    name: string,
    signal: AbortSignal,
    timeoutMs: number,
  ): Promise<NonNullable<Response['body']>> {
    let response: Response;
    try {
      response = await fetch(new URL(name, this.#url), {
        signal: AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]),
      });
    } catch {
      signal.throwIfAborted();
      throw new ArchiveError('failed', `${this.name} could not be reached`);
    }
    if (!response.ok || response.body === null) {
      await response.body?.cancel();
      throw new ArchiveError('failed', `${this.name} failed (${response.status})`);
    }
    return response.body;
  }
}
