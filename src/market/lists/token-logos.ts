// Logos of listed tokens: fetched once from where a token list says, kept on disk, and served from
// here, so that a list's host does not learn who looks at which token.
//
// Only places that a loaded list names are ever read. A place without a usable image is remembered
// for a day, one that fails for a minute.

import { open } from 'node:fs/promises';
import { LRUCache } from 'lru-cache';
import type { Clock } from '../../lib/clock.ts';
import { LOGO_BYTES_MAX, type LogoImage, parseImage } from './fetch-logo.ts';
import type { LogoCache } from './logo-cache.ts';
import { FetchRefusedError } from './open-url.ts';
import type { LogoPlace } from './parse-token-list.ts';

const READS_MAX = 4;
const WAITING_MAX = 64;
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
  readonly #turns: (() => void)[] = [];
  #reads = 0;

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
    for (const turn of this.#turns.splice(0)) turn();
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
    if (!(await this.#takeTurn())) return null;
    try {
      return await read();
    } finally {
      // The next in line takes over this one's place.
      const next = this.#turns.shift();
      if (next === undefined) this.#reads -= 1;
      else next();
    }
  }

  async #takeTurn(): Promise<boolean> {
    if (this.#abort.signal.aborted) return false;
    if (this.#reads < READS_MAX) {
      this.#reads += 1;
      return true;
    }
    if (this.#turns.length >= WAITING_MAX) return false;
    await new Promise<void>((resolve) => this.#turns.push(resolve));
    return true;
  }
}
