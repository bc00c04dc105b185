// Remembers looked-up credentials for less than a second, so that a busy key costs one look-up in
// that time and a revocation elsewhere is still felt within a second.

import { AppError } from '../errors/app-error.ts';
import type { Clock } from '../lib/clock.ts';

export interface CredentialCacheOptions<Value> {
  readonly clock: Clock;
  /** How long a look-up is believed, counted from when it began. */
  readonly lifeMs: number;
  readonly sizeMax: number;
  readonly load: (hash: string, token: string) => Promise<Value | null>;
}

interface Entry<Value> {
  readonly value: Value;
  readonly loadedAtMs: number;
}

export class CredentialCache<Value extends { readonly id: string }> {
  readonly #options: CredentialCacheOptions<Value>;
  readonly #entries = new Map<string, Entry<Value>>();
  readonly #hashById = new Map<string, string>();
  #loading = new Map<string, Promise<Value | null>>();

  constructor(options: CredentialCacheOptions<Value>) {
    this.#options = options;
  }

  get size(): number {
    return this.#entries.size;
  }

  /** At once where it is remembered; null for a credential that nobody has. */
  get(hash: string, token: string): Value | Promise<Value | null> {
    const entry = this.#entries.get(hash);
    const nowMs = this.#options.clock.monotonicMs();
    if (entry !== undefined && nowMs - entry.loadedAtMs < this.#options.lifeMs) return entry.value;
    return this.#loading.get(hash) ?? this.#load(hash, token);
  }

  /** What is being looked up at this moment may be the old state: it is not remembered either. */
  forget(id: string): void {
    const hash = this.#hashById.get(id);
    if (hash !== undefined) this.#remove(hash);
    this.#loading = new Map();
  }

  #load(hash: string, token: string): Promise<Value | null> {
    const loading = this.#loading;
    const loadedAtMs = this.#options.clock.monotonicMs();
    const result = this.#options.load(hash, token).then((value) => {
      // A revocation that came meanwhile has replaced the map.
      if (loading === this.#loading) this.#put(hash, value, loadedAtMs);
      return value;
    }, refuse);
    loading.set(hash, result);
    const done = () => loading.delete(hash);
    result.then(done, done);
    return result;
  }

  #put(hash: string, value: Value | null, loadedAtMs: number): void {
    this.#remove(hash);
    // What does not exist is not remembered: it would crowd out what does, and may exist soon.
    if (value === null) return;
    this.#entries.set(hash, { value, loadedAtMs });
    this.#hashById.set(value.id, hash);
    if (this.#entries.size <= this.#options.sizeMax) return;
    const [oldest] = this.#entries.keys();
    if (oldest !== undefined) this.#remove(oldest);
  }

  #remove(hash: string): void {
    const entry = this.#entries.get(hash);
    if (entry === undefined) return;
    this.#entries.delete(hash);
    this.#hashById.delete(entry.value.id);
  }
}

/** Nobody is let in on the word of a store that does not answer. */
function refuse(cause: unknown): never {
  throw new AppError(
    'UPSTREAM_UNAVAILABLE',
    { upstream: 'The store' },
    { retryAfterSeconds: 1, cause },
  );
}
