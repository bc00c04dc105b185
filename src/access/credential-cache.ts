// Caches credential lookups for less than a second: a busy key costs one lookup in that time, and a
// revocation in another process still takes effect within a second.

import { AppError } from '../errors/app-error.ts';
import { BoundedMap } from '../lib/bounded-map.ts';
import type { Clock } from '../lib/clock.ts';
import { isWellFormedToken } from './secret-token.ts';

interface CredentialCacheOptions<Value> {
  readonly clock: Clock;
  /** How long a lookup is valid, counted from when it began. */
  readonly lifeMs: number;
  readonly sizeMax: number;
  readonly load: (token: string) => Promise<Value | null>;
}

interface CachedCredential<Value> {
  readonly value: Value;
  readonly loadedAtMs: number;
}

/**
 * Entries are keyed by the token itself, because a hash would cost a tenth of a whole request.
 * `purge` removes them within about a second, so that tokens stay in memory no longer than that.
 */
export class CredentialCache<Value extends { readonly id: string }> {
  readonly #options: CredentialCacheOptions<Value>;
  readonly #entries: BoundedMap<string, CachedCredential<Value>>;
  /** Filled and emptied as the entries are, so that both evict the same. */
  readonly #tokenById: BoundedMap<string, string>;
  #loading = new Map<string, Promise<Value | null>>();

  constructor(options: CredentialCacheOptions<Value>) {
    this.#options = options;
    this.#entries = new BoundedMap(options.sizeMax);
    this.#tokenById = new BoundedMap(options.sizeMax);
  }

  get size(): number {
    return this.#entries.size;
  }

  /** Synchronous for a cached token or an invalid one; null if the token is unknown. */
  get(token: string): Value | null | Promise<Value | null> {
    const entry = this.#entries.get(token);
    if (entry !== undefined && this.#isFresh(entry)) return entry.value;
    // A wrong checksum needs no lookup.
    if (!isWellFormedToken(token)) return null;
    return this.reload(token);
  }

  /** Reads the store, even if the token is cached; joins a lookup in progress. */
  reload(token: string): Promise<Value | null> {
    return this.#loading.get(token) ?? this.#load(token);
  }

  /** The cached value with this id, however old. */
  peek(id: string): Value | null {
    const token = this.#tokenById.get(id);
    return token === undefined ? null : (this.#entries.get(token)?.value ?? null);
  }

  /** A lookup in progress may return the old state, so its result is not cached. */
  forget(id: string): void {
    const token = this.#tokenById.get(id);
    if (token !== undefined) this.#remove(token);
    this.#loading = new Map();
  }

  /** Evicts expired entries. */
  purge(): void {
    for (const [token, entry] of this.#entries) {
      if (!this.#isFresh(entry)) this.#remove(token);
    }
  }

  #isFresh(entry: CachedCredential<Value>): boolean {
    return this.#options.clock.monotonicMs() - entry.loadedAtMs < this.#options.lifeMs;
  }

  #load(token: string): Promise<Value | null> {
    const loading = this.#loading;
    const loadedAtMs = this.#options.clock.monotonicMs();
    const result = this.#options.load(token).then((value) => {
      // A revocation in the meantime has replaced the map.
      if (loading === this.#loading) this.#put(token, value, loadedAtMs);
      return value;
    }, refuse);
    loading.set(token, result);
    const done = () => loading.delete(token);
    result.then(done, done);
    return result;
  }

  #put(token: string, value: Value | null, loadedAtMs: number): void {
    this.#remove(token);
    // Unknown tokens are not cached: they would evict known ones, and may exist soon.
    if (value === null) return;
    this.#entries.set(token, { value, loadedAtMs });
    this.#tokenById.set(value.id, token);
  }

  #remove(token: string): void {
    const entry = this.#entries.get(token);
    if (entry === undefined) return;
    this.#entries.delete(token);
    this.#tokenById.delete(entry.value.id);
  }
}

/** Rejects the request: a store that does not respond must not let anybody in. */
function refuse(cause: unknown): never {
  throw new AppError(
    'UPSTREAM_UNAVAILABLE',
    { upstream: 'The store' },
    { retryAfterSeconds: 1, cause },
  );
}
