// Caches credential lookups for less than a second: a busy key costs one lookup in that time, and a
// revocation in another process still takes effect within a second.

import type { Identity } from '../contract/identity.ts';
import { AppError } from '../errors/app-error.ts';
import { BoundedMap } from '../lib/bounded-map.ts';
import type { Clock } from '../lib/clock.ts';
import { isActiveKey, type SessionRecord } from '../model/access-record.ts';
import type { AccessStore } from '../store/access-store.ts';
import { isWellFormedToken } from './secret-token.ts';

// Notifies the owner of an open resource, such as a stream, when its credential stops working.

type Listener = () => void;

/**
 * Revocations in this process are reported at once. Revocations in other processes and expiries are
 * found by polling all watched credentials in one query.
 */
export class CredentialWatch {
  readonly #store: AccessStore;
  readonly #clock: Clock;
  readonly #keys = new Map<string, Set<Listener>>();
  readonly #sessions = new Map<string, Set<Listener>>();

  constructor(options: { readonly store: AccessStore; readonly clock: Clock }) {
    this.#store = options.store;
    this.#clock = options.clock;
  }

  /** How many credentials are watched. */
  get size(): number {
    return this.#keys.size + this.#sessions.size;
  }

  /**
   * Calls `onEnded` once, when the credential no longer works. Returns a function that stops
   * watching.
   */
  watch(identity: Identity, onEnded: Listener): () => void {
    if (identity.kind === 'anonymous') return () => undefined;
    const isKey = identity.kind === 'key';
    const [map, id] = isKey ? [this.#keys, identity.keyId] : [this.#sessions, identity.sessionId];
    // A new function each time, so that the same `onEnded` can be registered twice.
    const listener = () => onEnded();
    const listeners = map.get(id) ?? new Set<Listener>();
    map.set(id, listeners.add(listener));
    return () => {
      listeners.delete(listener);
      if (listeners.size === 0 && map.get(id) === listeners) map.delete(id);
    };
  }

  endKey(id: string): void {
    end(this.#keys, id);
  }

  endSession(id: string): void {
    end(this.#sessions, id);
  }

  /**
   * Checks which of the watched credentials still work; called about twice a second.
   * `isLiveSession` includes uses that are not stored yet.
   */
  async poll(isLiveSession: (session: SessionRecord, nowMs: number) => boolean): Promise<void> {
    if (this.size === 0) return;
    // The time before the store is asked: a use that comes meanwhile may not be in what it says.
    const nowMs = this.#clock.nowMs();
    const [keyIds, sessionIds] = [[...this.#keys.keys()], [...this.#sessions.keys()]];
    const [keys, sessions] = await Promise.all([
      this.#store.readKeysById(keyIds),
      this.#store.readSessionsById(sessionIds),
    ]);
    const live = new Set([
      ...keys.filter((key) => isActiveKey(key, nowMs)).map((key) => key.id),
      ...sessions.filter((session) => isLiveSession(session, nowMs)).map((one) => one.id),
    ]);
    for (const id of keyIds) if (!live.has(id)) this.endKey(id);
    for (const id of sessionIds) if (!live.has(id)) this.endSession(id);
  }
}

function end(map: Map<string, Set<Listener>>, id: string): void {
  const listeners = map.get(id);
  map.delete(id);
  for (const listener of listeners ?? []) listener();
}

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
