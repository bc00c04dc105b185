// Logos of listed tokens: fetched once from where a token list says, kept on disk, and served from
// here, so that a list's host does not learn who looks at which token.
//
// Only places that a loaded list names are ever read. A place without a usable image is remembered
// for a day, one that fails for a minute.

import { createHash } from 'node:crypto';
import { mkdirSync, readdirSync, rmSync, statSync } from 'node:fs';
import { open, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { LRUCache } from 'lru-cache';
import { type Clock, systemClock } from '../../lib/clock.ts';
import { replaceFile } from '../../lib/replace-file.ts';
import { WorkSlots } from '../../lib/work-slots.ts';
import { LOGO_BYTES_MAX, type LogoImage, parseImage } from './fetch-logo.ts';
import { FetchRefusedError } from './open-url.ts';
import type { LogoPlace } from './parse-token-list.ts';

// Fetched images on disk, within a bound. A file's name is the hash of the URL it came from; what
// was used longest ago is deleted first.

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

const READS_MAX = 4;
const QUEUE = { lengthMax: 64, perCallerMax: 64 };
const REFUSED_MS = 24 * 3_600_000;
const FAILED_MS = 60_000;
const REMEMBERED_MAX = 50_000;

/** What came of looking for a logo. */
type LogoFinding =
  | { readonly kind: 'image'; readonly image: LogoImage }
  | { readonly kind: 'none' }
  | { readonly kind: 'failed'; readonly retryAfterMs: number };

interface TokenLogosOptions {
  /** Null if nothing is fetched over the network. */
  readonly cache: LogoCache | null;
  /** An origin that serves `/ipfs/…`; null without one. */
  readonly ipfsGateway: string | null;
  readonly fetchLogo: (url: string, signal: AbortSignal) => Promise<LogoImage>;
  readonly clock: Clock;
  readonly onFailure: (error: unknown) => void;
}

interface LogoFailure {
  readonly untilMs: number;
  readonly isRefused: boolean;
}

async function readLogoFile(path: string): Promise<LogoImage> {
  const file = await open(path).catch((error: NodeJS.ErrnoException) => {
    throw new FetchRefusedError(`the file cannot be read (${error.code ?? error.message})`);
  });
  try {
    const { size } = await file.stat();
    if (size > LOGO_BYTES_MAX) throw new FetchRefusedError('the file is too large');
    // It may grow meanwhile: no more than this is read.
    const { bytesRead, buffer } = await file.read(Buffer.alloc(Math.max(1, size)));
    return parseImage(buffer.subarray(0, bytesRead));
  } finally {
    await file.close();
  }
}

export class TokenLogos {
  readonly #options: TokenLogosOptions;
  readonly #failures = new LRUCache<string, LogoFailure>({ max: REMEMBERED_MAX });
  readonly #underWay = new Map<string, Promise<LogoFinding>>();
  readonly #abort = new AbortController();
  readonly #reads = new WorkSlots({ countMax: READS_MAX, queue: QUEUE });

  constructor(options: TokenLogosOptions) {
    this.#options = options;
  }

  /** Where to fetch it from; null if this server cannot. */
  toUrl(place: Exclude<LogoPlace, { kind: 'file' }>): string | null {
    const { cache, ipfsGateway } = this.#options;
    if (cache === null) return null;
    if (place.kind === 'url') return place.url;
    return ipfsGateway === null ? null : `${ipfsGateway}/ipfs/${place.path}`;
  }

  canServe(place: LogoPlace): boolean {
    return place.kind === 'file' || this.toUrl(place) !== null;
  }

  async find(place: LogoPlace): Promise<LogoFinding> {
    const url = place.kind === 'file' ? null : this.toUrl(place);
    if (place.kind !== 'file' && url === null) return { kind: 'none' };
    const key = url ?? (place.kind === 'file' ? place.path : '');
    const failure = this.#failures.get(key);
    const leftMs = (failure?.untilMs ?? 0) - this.#options.clock.monotonicMs();
    if (failure !== undefined && leftMs > 0) {
      return failure.isRefused ? { kind: 'none' } : { kind: 'failed', retryAfterMs: leftMs };
    }
    const known = this.#underWay.get(key);
    if (known !== undefined) return known;
    const work =
      url === null ? () => this.#inTurn(() => readLogoFile(key)) : () => this.#readUrl(url);
    const finding = this.#settle(key, work).finally(() => this.#underWay.delete(key));
    this.#underWay.set(key, finding);
    return finding;
  }

  stop(): void {
    this.#abort.abort();
  }

  async #settle(key: string, read: () => Promise<LogoImage | null>): Promise<LogoFinding> {
    try {
      const image = await read();
      if (image === null) return { kind: 'failed', retryAfterMs: 1000 };
      return { kind: 'image', image };
    } catch (error) {
      const isRefused = error instanceof FetchRefusedError;
      const forMs = isRefused ? REFUSED_MS : FAILED_MS;
      const untilMs = this.#options.clock.monotonicMs() + forMs;
      this.#failures.set(key, { untilMs, isRefused });
      if (!this.#abort.signal.aborted) this.#options.onFailure(error);
      return isRefused ? { kind: 'none' } : { kind: 'failed', retryAfterMs: forMs };
    }
  }

  async #readUrl(url: string): Promise<LogoImage | null> {
    const kept = (await this.#options.cache?.read(url)) ?? null;
    return kept ?? (await this.#inTurn(() => this.#fetch(url)));
  }

  async #fetch(url: string): Promise<LogoImage> {
    const { cache, fetchLogo, onFailure } = this.#options;
    const image = await fetchLogo(url, this.#abort.signal);
    // A full disk keeps nobody from seeing it.
    await cache?.keep(url, image).catch(onFailure);
    return image;
  }

  /** Null if too many wait. */
  async #inTurn(read: () => Promise<LogoImage>): Promise<LogoImage | null> {
    const leave = await this.#reads.enter().catch(() => null);
    if (leave === null || this.#abort.signal.aborted) {
      leave?.();
      return null;
    }
    try {
      return await read();
    } finally {
      leave();
    }
  }
}
