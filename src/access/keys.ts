// API keys: shown once, verified by hash, revoked at once.

import type { KeyIdentity, KeyRules } from '../contract/identity.ts';
import { KEY_LIMIT } from '../contract/schemas/access-schemas.ts';
import { AppError, buildInvalidInputError } from '../errors/app-error.ts';
import type { Clock } from '../lib/clock.ts';
import { createAddressMatcher, parseCidr } from '../lib/ip-address.ts';
import type { Budget } from '../lib/limiter.ts';
import { isActiveKey, type KeyRecord } from '../model/access-record.ts';
import type { WalletId } from '../model/ids.ts';
import {
  DEFAULT_KEY_SCOPES,
  KEY_SCOPES,
  type KeyLimits,
  type KeyScope,
} from '../model/key-limits.ts';
import type { AccessStore, IdempotencyMark, KeyPosition } from '../store/access-store.ts';
import type { CredentialWatch } from './credential-cache.ts';
import { CredentialCache } from './credential-cache.ts';
import { areEqualHashes, type Peppers } from './peppers.ts';
import { createAccessId, createToken, toShownParts } from './secret-token.ts';

// The limits of a key: parsed when it is issued, ready to be checked when it is used.

interface LimitsRequest {
  readonly scopes?: readonly KeyScope[] | undefined;
  readonly allowedIps?: readonly string[] | undefined;
  readonly perMinute?: number | undefined;
}

/** The cost of the most expensive request: with a smaller burst it could never be paid. */
const SHARE_BURST_MIN = 10;
/** Callers are told apart by the network that one customer has. */
const IPV6_BITS_MAX = 64;

function parseAllowedIp(text: string, index: number): string {
  const cidr = parseCidr(text);
  const path = `allowedIps.${index}`;
  if (cidr === null) {
    const message = 'must be an IP address or CIDR such as 203.0.113.0/24';
    throw buildInvalidInputError([{ path, message }]);
  }
  if (cidr.version === 6 && cidr.bits > IPV6_BITS_MAX) {
    const message = `must not be smaller than a /${IPV6_BITS_MAX}: IPv6 callers are told apart by that`;
    throw buildInvalidInputError([{ path, message }]);
  }
  return `${cidr.address}/${cidr.bits}`;
}

/** `perMinuteMax` is the wallet's own budget. */
function parseKeyLimits(request: LimitsRequest, perMinuteMax: number): KeyLimits {
  const { scopes = DEFAULT_KEY_SCOPES, allowedIps = [], perMinute = null } = request;
  if (perMinute !== null && perMinute > perMinuteMax) {
    const message = `must be at most ${perMinuteMax}, the budget of the wallet`;
    throw buildInvalidInputError([{ path: 'perMinute', message }]);
  }
  return {
    scopes: KEY_SCOPES.filter((scope) => scopes.includes(scope)),
    allowedIps: [...new Set(allowedIps.map(parseAllowedIp))],
    perMinute,
  };
}

/** A key's part of the wallet's budget, with the same share of the burst. */
export function buildShare(whole: Budget, perMinute: number): Budget {
  const part = Math.ceil((perMinute * whole.burst) / whole.perMinute);
  return { policy: 'key-share', perMinute, burst: Math.max(SHARE_BURST_MIN, part) };
}

/** Null for a key with the default scopes and no limits: most requests have nothing to check. */
function buildKeyRules(limits: KeyLimits): KeyRules | null {
  const { scopes, allowedIps, perMinute } = limits;
  const isOpen = scopes.join() === DEFAULT_KEY_SCOPES.join();
  if (isOpen && allowedIps.length === 0 && perMinute === null) return null;
  const isAllowed = allowedIps.length === 0 ? () => true : createAddressMatcher(allowedIps);
  return {
    scopes: new Set(scopes),
    // A group of IPv6 is written as its network.
    isAllowedFrom: (addressGroup) => isAllowed(addressGroup.split('/', 1)[0] ?? addressGroup),
    perMinute,
  };
}

const DAY_MS = 86_400_000;
const NAME_LENGTH_MAX = 64;

interface KeysOptions {
  readonly store: AccessStore;
  readonly peppers: Peppers;
  readonly clock: Clock;
  readonly watch: CredentialWatch;
  readonly cache: { readonly lifeMs: number; readonly sizeMax: number };
}

interface CachedKey {
  readonly id: string;
  readonly record: KeyRecord;
  readonly identity: KeyIdentity;
}

interface KeyRequest {
  readonly name: string;
  readonly expiresInDays?: number;
  readonly scopes?: readonly KeyScope[];
  readonly allowedIps?: readonly string[];
  readonly perMinute?: number;
  readonly idempotencyKey: string | null;
}

interface NewKey {
  readonly record: KeyRecord;
  /** Null if the request repeats one that was already answered. */
  readonly key: string | null;
}

/** A readable name without control or invisible characters. */
function parseName(text: string): string {
  const name = text.trim();
  const length = [...name].length;
  if (length >= 1 && length <= NAME_LENGTH_MAX && !/[\p{C}\p{Zl}\p{Zp}]/u.test(name)) return name;
  const message = `must be 1 to ${NAME_LENGTH_MAX} printable characters`;
  throw buildInvalidInputError([{ path: 'name', message }]);
}

export class Keys {
  readonly #options: KeysOptions;
  readonly #cache: CredentialCache<CachedKey>;

  constructor(options: KeysOptions) {
    this.#options = options;
    this.#cache = new CredentialCache({
      ...options.cache,
      clock: options.clock,
      load: (token) => this.#load(token),
    });
  }

  /** Null for an unknown, revoked or expired key. */
  authenticate(token: string): KeyIdentity | null | Promise<KeyIdentity | null> {
    const found = this.#cache.get(token);
    return found instanceof Promise ? found.then((key) => this.#check(key)) : this.#check(found);
  }

  /** Evicts old cache entries. */
  purge(): void {
    this.#cache.purge();
  }

  /** `perMinuteMax` is the budget of the wallet's keys together. */
  async issue(walletId: WalletId, request: KeyRequest, perMinuteMax: number): Promise<NewKey> {
    const { store, peppers, clock } = this.#options;
    const name = parseName(request.name);
    const limits = parseKeyLimits(request, perMinuteMax);
    const key = createToken('key');
    const { hash, version } = peppers.hash(key);
    const createdAtMs = clock.nowMs();
    const { expiresInDays } = request;
    const issue = await store.issueKey(
      {
        id: createAccessId('key'),
        walletId,
        name,
        hash,
        pepperVersion: version,
        ...toShownParts(key),
        createdAtMs,
        expiresAtMs: expiresInDays === undefined ? null : createdAtMs + expiresInDays * DAY_MS,
        revokedAtMs: null,
        lastUsedAtMs: null,
        limits,
      },
      { activeMax: KEY_LIMIT, idempotency: this.#computeMark(request, { name, limits }) },
    );
    if (issue.outcome === 'full') throw new AppError('KEY_LIMIT_REACHED', { limit: KEY_LIMIT });
    if (issue.outcome === 'conflict') throw new AppError('IDEMPOTENCY_CONFLICT', {});
    return { record: issue.key, key: issue.outcome === 'issued' ? key : null };
  }

  /** Reads one more than the page, to know whether there is a next page. */
  read(
    walletId: WalletId,
    page: { after: KeyPosition | null; limit: number },
  ): Promise<KeyRecord[]> {
    return this.#options.store.readKeys(walletId, page);
  }

  countActive(walletId: WalletId): Promise<number> {
    return this.#options.store.countActiveKeys(walletId, this.#options.clock.nowMs());
  }

  async revoke(walletId: WalletId, id: string): Promise<KeyRecord> {
    const { store, clock, watch } = this.#options;
    const revocation = await store.revokeKey({ walletId, id }, clock.nowMs());
    if (revocation.outcome === 'notFound') throw new AppError('KEY_NOT_FOUND', {});
    this.#cache.forget(id);
    watch.endKey(id);
    if (revocation.outcome === 'revokedBefore') throw new AppError('KEY_ALREADY_REVOKED', {});
    return revocation.key;
  }

  #computeMark(
    request: KeyRequest,
    { name, limits }: Pick<KeyRecord, 'name' | 'limits'>,
  ): IdempotencyMark | null {
    if (request.idempotencyKey === null) return null;
    const { peppers } = this.#options;
    // Without limits as before there were any: such a request may be repeated after an upgrade.
    const own = buildKeyRules(limits) === null ? [] : [limits];
    const terms = [name, request.expiresInDays ?? null, ...own];
    return {
      word: peppers.mark('word', request.idempotencyKey),
      request: peppers.mark('request', JSON.stringify(terms)),
    };
  }

  async #load(token: string): Promise<CachedKey | null> {
    const { store, peppers } = this.#options;
    const { hash } = peppers.hash(token);
    const record = await store.findKey(hash);
    if (record !== null && areEqualHashes(record.hash, hash)) return this.#buildCached(record);
    for (const older of peppers.olderHashes(token)) {
      const old = await store.findKey(older.hash);
      if (old === null || !areEqualHashes(old.hash, older.hash)) continue;
      // The plain token is available now, so it can be rehashed with the newest pepper.
      await store.rehashKey(old.id, peppers.hash(token));
      return this.#buildCached(old);
    }
    return null;
  }

  async #buildCached(record: KeyRecord): Promise<CachedKey> {
    const { id, walletId } = record;
    const limits = buildKeyRules(record.limits);
    const tier = await this.#options.store.findTier(walletId);
    const identity = { kind: 'key', key: walletId, walletId, keyId: id, tier, limits } as const;
    return { id, record, identity };
  }

  #check(key: CachedKey | null): KeyIdentity | null {
    if (key === null || !isActiveKey(key.record, this.#options.clock.nowMs())) return null;
    return key.identity;
  }
}
