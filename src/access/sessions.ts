// Wallet sessions: started by a sign-in, extended by use, ended by logout or expiry.

import type { SessionIdentity } from '../contract/identity.ts';
import type { Clock } from '../lib/clock.ts';
import type { SessionRecord, SessionTransport, WalletRecord } from '../model/access-record.ts';
import type { ChainSlug } from '../model/chain.ts';
import type { WalletId } from '../model/ids.ts';
import type { AccessStore, UsedChallenge } from '../store/access-store.ts';
import type { CredentialWatch } from './credential-cache.ts';
import { CredentialCache } from './credential-cache.ts';
import { areEqualHashes, type Peppers } from './peppers.ts';
import { createAccessId, createToken } from './secret-token.ts';

// Which web pages may use sessions: the server's own, and those that the operator lists.

interface SessionOriginsOptions {
  /** The public URL of the server; null if it is only reached from this machine. */
  readonly publicOrigin: string | null;
  readonly allowed: readonly string[];
}

export class SessionOrigins {
  readonly #publicOrigin: string | null;
  readonly #allowed: readonly string[];
  #own: readonly string[];

  constructor(options: SessionOriginsOptions) {
    this.#publicOrigin = options.publicOrigin;
    this.#allowed = options.allowed;
    this.#own = options.publicOrigin === null ? [] : [options.publicOrigin];
  }

  /** The port is known only once the server listens. */
  listenOn(port: number): void {
    if (this.#publicOrigin !== null) return;
    this.#own = ['127.0.0.1', 'localhost', '[::1]'].map((host) => `http://${host}:${port}`);
  }

  /** Browsers keep `Secure` cookies only for https; without https the server is on this machine. */
  get isSecure(): boolean {
    return this.#publicOrigin?.startsWith('https://') ?? false;
  }

  isAllowed(origin: string | null): origin is string {
    return origin !== null && (this.#own.includes(origin) || this.#allowed.includes(origin));
  }

  /** The origin in the sign-in message: that of the requested domain, otherwise our own. */
  findByDomain(domain: string | null): string | null {
    const all = [...this.#own, ...this.#allowed];
    if (domain === null) return all[0] ?? null;
    return all.find((origin) => toDomain(origin) === domain.toLowerCase()) ?? null;
  }

  get domains(): readonly string[] {
    return [...this.#own, ...this.#allowed].map(toDomain);
  }
}

/** The host, with the port unless it is the default of the scheme. */
export function toDomain(origin: string): string {
  return new URL(origin).host;
}

// The lifetime of a session: a day without use, a month in total.

const DAY_MS = 86_400_000;
const SESSION_IDLE_MS = DAY_MS;
const SESSION_LIFE_MS = 30 * DAY_MS;

function computeIdleEnd(lastUsedAtMs: number): number {
  return lastUsedAtMs + SESSION_IDLE_MS;
}

/** When the session ends unless it is used before. */
export function computeSessionEnd(session: {
  readonly lastUsedAtMs: number;
  readonly expiresAtMs: number;
}): number {
  return Math.min(session.expiresAtMs, computeIdleEnd(session.lastUsedAtMs));
}

export function isLiveSession(session: SessionRecord, nowMs: number): boolean {
  return nowMs < computeSessionEnd(session);
}

/** Above this, a new sign-in evicts the least recently used session. */
const SESSIONS_PER_WALLET_MAX = 50;
/** Sessions used between two flushes; above this a use does not extend a session. */
const TOUCHES_MAX = 10_000;
/**
 * A use this close to the idle end is stored before the request goes on, since other nodes would
 * end the session before the next flush; much longer than the time between two flushes.
 */
const STORED_AT_ONCE_MS = 600_000;

interface SessionsOptions {
  readonly store: AccessStore;
  readonly peppers: Peppers;
  readonly clock: Clock;
  readonly watch: CredentialWatch;
  readonly cache: { readonly lifeMs: number; readonly sizeMax: number };
}

interface CachedSession {
  readonly id: string;
  readonly record: SessionRecord;
  readonly identity: SessionIdentity;
  /** When the store was asked for it. */
  readonly readAtMs: number;
  lastUsedAtMs: number;
}

export interface BegunSession {
  readonly token: string;
  readonly record: SessionRecord;
}

function toIdentity(record: SessionRecord, tier: string | null): SessionIdentity {
  return {
    kind: 'session',
    key: record.wallet.id,
    wallet: record.wallet,
    chain: record.chain,
    sessionId: record.id,
    tier,
    transport: record.transport,
    createdAtMs: record.createdAtMs,
    expiresAtMs: record.expiresAtMs,
  };
}

export class Sessions {
  readonly #options: SessionsOptions;
  readonly #cache: CredentialCache<CachedSession>;
  /** Uses that are not stored yet. */
  #touches = new Map<string, number>();
  /** Uses that are being stored at once, by session. */
  readonly #storing = new Map<string, Promise<void>>();

  constructor(options: SessionsOptions) {
    this.#options = options;
    this.#cache = new CredentialCache({
      ...options.cache,
      clock: options.clock,
      load: (token) => this.#load(token),
    });
  }

  /** Null if the challenge was used or expired in the meantime. */
  async begin(signIn: {
    readonly challenge: UsedChallenge;
    readonly wallet: WalletRecord;
    readonly chain: ChainSlug;
    readonly transport: SessionTransport;
  }): Promise<BegunSession | null> {
    const { store, peppers, clock } = this.#options;
    const token = createToken('session');
    const nowMs = clock.nowMs();
    const record: SessionRecord = {
      id: createAccessId('se'),
      tokenHash: peppers.hash(token).hash,
      wallet: signIn.wallet,
      chain: signIn.chain,
      transport: signIn.transport,
      createdAtMs: nowMs,
      lastUsedAtMs: nowMs,
      expiresAtMs: nowMs + SESSION_LIFE_MS,
    };
    const options = { sessionsMax: SESSIONS_PER_WALLET_MAX };
    const result = await store.signIn(signIn.challenge, record, options);
    if (result.outcome === 'challengeGone') return null;
    for (const id of result.endedIds) this.#forget(id);
    return { token, record };
  }

  /** Null for a session that is unknown, has ended, or was sent by the wrong transport. */
  authenticate(
    token: string,
    transport: SessionTransport,
  ): SessionIdentity | null | Promise<SessionIdentity | null> {
    const found = this.#cache.get(token);
    return found instanceof Promise
      ? found.then((session) => this.#check(session, { token, transport }))
      : this.#check(found, { token, transport });
  }

  /** Evicts old cache entries. */
  purge(): void {
    this.#cache.purge();
  }

  /**
   * Records a use, which restarts the session's idle time. The promise, returned only near the end
   * of that time, resolves when every other node can see the use.
   */
  touch({ sessionId }: SessionIdentity): Promise<void> | undefined {
    const touchedAtMs = this.#touches.get(sessionId);
    if (this.#touches.size >= TOUCHES_MAX && touchedAtMs === undefined) return undefined;
    const nowMs = this.#options.clock.nowMs();
    const cached = this.#cache.peek(sessionId);
    const lastUsedAtMs = Math.max(cached?.lastUsedAtMs ?? 0, touchedAtMs ?? 0);
    this.#touches.set(sessionId, nowMs);
    // The touch goes when the store has it, which may be before the cache looks there again.
    if (cached !== null) cached.lastUsedAtMs = nowMs;
    if (nowMs + STORED_AT_ONCE_MS >= computeIdleEnd(lastUsedAtMs))
      this.#storeAtOnce(sessionId, nowMs);
    return this.#storing.get(sessionId);
  }

  /** Those that still work, the newest first. */
  async list(walletId: WalletId): Promise<SessionRecord[]> {
    const nowMs = this.#options.clock.nowMs();
    const records = await this.#options.store.readSessions(walletId);
    return records
      .map((record) => ({ ...record, lastUsedAtMs: this.#findLastUse(record) }))
      .filter((record) => isLiveSession(record, nowMs));
  }

  /** Whether a stored session works at a time, uses that are not stored yet included. */
  isLive(record: SessionRecord, nowMs: number): boolean {
    return isLiveSession({ ...record, lastUsedAtMs: this.#findLastUse(record) }, nowMs);
  }

  /** Returns how many were ended. */
  async end(walletId: WalletId, ids: readonly string[]): Promise<number> {
    const ended = await this.#options.store.endSessions(walletId, ids);
    for (const id of ended) this.#forget(id);
    return ended.length;
  }

  async endAll(walletId: WalletId): Promise<number> {
    const records = await this.#options.store.readSessions(walletId);
    const ids = records.map((record) => record.id);
    return this.end(walletId, ids);
  }

  /** Writes the uses since the last flush to the store. */
  async flush(): Promise<void> {
    if (this.#touches.size === 0) return;
    await this.#store(Array.from(this.#touches, ([id, lastUsedAtMs]) => ({ id, lastUsedAtMs })));
  }

  async #store(uses: readonly { id: string; lastUsedAtMs: number }[]): Promise<void> {
    await this.#options.store.touchSessions(uses);
    for (const { id, lastUsedAtMs } of uses) {
      if (this.#touches.get(id) === lastUsedAtMs) this.#touches.delete(id);
    }
  }

  #storeAtOnce(id: string, lastUsedAtMs: number): void {
    const done = () => {
      if (this.#storing.get(id) === storing) this.#storing.delete(id);
    };
    // What cannot be stored now is stored by a flush, which also reports the fault.
    const storing = this.#store([{ id, lastUsedAtMs }]).then(done, done);
    this.#storing.set(id, storing);
  }

  #findLastUse(record: SessionRecord): number {
    return Math.max(record.lastUsedAtMs, this.#touches.get(record.id) ?? 0);
  }

  async #load(token: string): Promise<CachedSession | null> {
    const { store, peppers, clock } = this.#options;
    const readAtMs = clock.nowMs();
    for (const { hash } of [peppers.hash(token), ...peppers.olderHashes(token)]) {
      const record = await store.findSession(hash);
      if (record === null || !areEqualHashes(record.tokenHash, hash)) continue;
      const lastUsedAtMs = this.#findLastUse(record);
      const identity = toIdentity(record, await store.findTier(record.wallet.id));
      return { id: record.id, record, identity, readAtMs, lastUsedAtMs };
    }
    return null;
  }

  #check(
    session: CachedSession | null,
    shown: { readonly token: string; readonly transport: SessionTransport },
  ): SessionIdentity | null | Promise<SessionIdentity | null> {
    if (session === null || session.record.transport !== shown.transport) return null;
    const { record } = session;
    const touchedAtMs = this.#touches.get(record.id) ?? 0;
    session.lastUsedAtMs = Math.max(session.lastUsedAtMs, touchedAtMs);
    const nowMs = this.#options.clock.nowMs();
    const { expiresAtMs } = record;
    const endMs = computeSessionEnd({ lastUsedAtMs: session.lastUsedAtMs, expiresAtMs });
    if (nowMs < endMs) return session.identity;
    if (nowMs >= expiresAtMs || session.readAtMs >= endMs) return null;
    // It was read before its idle end, and may have been used on another node since.
    return this.#cache.reload(shown.token).then((read) => this.#check(read, shown));
  }

  #forget(id: string): void {
    this.#touches.delete(id);
    this.#cache.forget(id);
    this.#options.watch.endSession(id);
  }
}
