// Tells whoever holds something open, such as a stream, when the credential behind it is over.

import type { Identity } from '../contract/identity.ts';
import type { Clock } from '../lib/clock.ts';
import { isActiveKey, type SessionRecord } from '../model/access-record.ts';
import type { AccessStore } from '../store/access-store.ts';

type Listener = () => void;

/**
 * What this process revokes is told at once. What other processes revoke, and what runs out, is
 * found by looking after the watched credentials, all in one query a look.
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

  /** `onEnded` is called once, when the credential no longer works; the result stops watching. */
  watch(identity: Identity, onEnded: Listener): () => void {
    if (identity.kind === 'anonymous') return () => undefined;
    const isKey = identity.kind === 'key';
    const [map, id] = isKey ? [this.#keys, identity.keyId] : [this.#sessions, identity.sessionId];
    // A listener of its own, so that one function may watch twice.
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
   * Looks which of the watched credentials still work; called about twice a second. Whether a
   * session does is asked of those who know of uses that are not stored yet.
   */
  async look(isLiveSession: (session: SessionRecord, nowMs: number) => boolean): Promise<void> {
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
