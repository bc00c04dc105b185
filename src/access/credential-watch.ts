// Notifies the owner of an open resource, such as a stream, when its credential stops working.

import type { Identity } from '../contract/identity.ts';
import type { Clock } from '../lib/clock.ts';
import { isActiveKey, type SessionRecord } from '../model/access-record.ts';
import type { AccessStore } from '../store/access-store.ts';

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
