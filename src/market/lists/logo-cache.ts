// Fetched images on disk, within a bound. A file's name is the hash of the URL it came from; what
// was used longest ago is deleted first.

import { createHash } from 'node:crypto';
import { mkdirSync, readdirSync, rmSync, statSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { LRUCache } from 'lru-cache';
import { systemClock } from '../../lib/clock.ts';
import { replaceFile } from '../../lib/replace-file.ts';
import { type LogoImage, parseImage } from './fetch-logo.ts';
import { FetchRefusedError } from './open-url.ts';

const NAME = /^[0-9a-f]{64}$/;
const DRAFT_NAME = /^[0-9a-f]{64}\.[0-9a-f]+$/;
/** A draft is written in a moment: one of this age was left by a process that was killed. */
const DRAFT_AGE_MAX_MS = 3_600_000;

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
      if (code !== 'ENOENT' && !(error instanceof FetchRefusedError)) throw error;
      this.#sizes.delete(name);
      return null;
    }
  }

  /** An image that is larger than the whole bound is not kept. */
  async keep(url: string, { bytes }: LogoImage): Promise<void> {
    const name = toName(url);
    await replaceFile(this.#toPath(name), bytes);
    this.#sizes.set(name, bytes.length);
    if (!this.#sizes.has(name)) rmSync(this.#toPath(name), { force: true });
  }

  #toPath(name: string): string {
    return join(this.#folder, name);
  }

  /**
   * Files of an earlier run, the oldest first. Other processes may use the folder: only old drafts
   * are deleted.
   */
  #readFolder(): void {
    const files = readdirSync(this.#folder).flatMap((name) => {
      const isDraft = DRAFT_NAME.test(name);
      if (!isDraft && !NAME.test(name)) return [];
      // Undefined if another process has deleted it meanwhile.
      const stats = statSync(this.#toPath(name), { throwIfNoEntry: false });
      if (stats === undefined) return [];
      const { mtimeMs, size } = stats;
      // LRUCache takes no sizes of 0.
      if (!isDraft) return [{ name, mtimeMs, size: Math.max(1, size) }];
      const isLeft = systemClock.nowMs() - mtimeMs > DRAFT_AGE_MAX_MS;
      if (isLeft) rmSync(this.#toPath(name), { force: true });
      return [];
    });
    for (const { name, size } of files.sort((a, b) => a.mtimeMs - b.mtimeMs)) {
      this.#sizes.set(name, size);
    }
  }
}

function toName(url: string): string {
  return createHash('sha256').update(url).digest('hex');
}
