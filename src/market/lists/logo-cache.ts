// Fetched images on disk, within a bound. A file's name is the hash of the URL it came from; what
// was used longest ago is deleted first.

import { createHash } from 'node:crypto';
import { mkdirSync, readdirSync, rmSync, statSync } from 'node:fs';
import { readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { LRUCache } from 'lru-cache';
import { type LogoImage, LogoRefusedError, parseImage } from './fetch-logo.ts';

const NAME = /^[0-9a-f]{64}$/;
const DRAFT_NAME = /^[0-9a-f]{64}\.(\d+)$/;

export class LogoCache {
  readonly #folder: string;
  /** Sizes by name; the files have the bytes. */
  readonly #sizes: LRUCache<string, number>;

  constructor(options: { readonly folder: string; readonly bytesMax: number }) {
    this.#folder = options.folder;
    this.#sizes = new LRUCache({
      maxSize: options.bytesMax,
      sizeCalculation: (size) => size,
      dispose: (_, name, reason) => {
        if (reason !== 'set') rmSync(this.#toPath(name), { force: true });
      },
    });
    mkdirSync(this.#folder, { recursive: true, mode: 0o700 });
    this.#readFolder();
  }

  get bytes(): number {
    return this.#sizes.calculatedSize;
  }

  /** Null if it is not there, or no image any more. */
  async read(url: string): Promise<LogoImage | null> {
    const name = toName(url);
    if (this.#sizes.get(name) === undefined) return null;
    try {
      return parseImage(await readFile(this.#toPath(name)));
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      if (code !== 'ENOENT' && !(error instanceof LogoRefusedError)) throw error;
      this.#sizes.delete(name);
      return null;
    }
  }

  /** An image that is larger than the whole bound is not kept. */
  async keep(url: string, { bytes }: LogoImage): Promise<void> {
    const name = toName(url);
    const draft = `${this.#toPath(name)}.${process.pid}`;
    try {
      await writeFile(draft, bytes, { mode: 0o600 });
      await rename(draft, this.#toPath(name));
    } finally {
      await rm(draft, { force: true });
    }
    this.#sizes.set(name, bytes.length);
    if (!this.#sizes.has(name)) rmSync(this.#toPath(name), { force: true });
  }

  #toPath(name: string): string {
    return join(this.#folder, name);
  }

  /**
   * Files of an earlier run, the oldest first. Other processes may use the folder: unfinished
   * drafts are deleted if the process that wrote them is gone.
   */
  #readFolder(): void {
    const files = readdirSync(this.#folder).flatMap((name) => {
      const writer = DRAFT_NAME.exec(name)?.[1];
      if (writer !== undefined && !isRunning(Number(writer))) {
        rmSync(this.#toPath(name), { force: true });
      }
      if (!NAME.test(name)) return [];
      // Undefined if another process has deleted it meanwhile.
      const stats = statSync(this.#toPath(name), { throwIfNoEntry: false });
      // LRUCache takes no sizes of 0.
      return stats ? [{ name, mtimeMs: stats.mtimeMs, size: Math.max(1, stats.size) }] : [];
    });
    for (const { name, size } of files.sort((a, b) => a.mtimeMs - b.mtimeMs)) {
      this.#sizes.set(name, size);
    }
  }
}

/** Whether another process has this id; drafts with this process's id are of an earlier one. */
function isRunning(pid: number): boolean {
  if (pid === process.pid) return false;
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

function toName(url: string): string {
  return createHash('sha256').update(url).digest('hex');
}
