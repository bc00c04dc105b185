// Handlers of the access operations: sign-in, sessions, keys and entitlements.

import type { FramedAnswer, Handlers } from '../contract/handler.ts';
import type { Identity, SessionIdentity } from '../contract/identity.ts';
import type { InputOf, OutputOf } from '../contract/operation.ts';
import { type getUsage, USAGE_ROWS_MAX } from '../contract/operations/get-usage.ts';
import type { revokeKey } from '../contract/operations/key-operations.ts';
import { KEY_LIMIT } from '../contract/schemas/access-schemas.ts';
import { AppError, buildInvalidInputError } from '../errors/app-error.ts';
import type { Clock } from '../lib/clock.ts';
import { isActiveKey, type KeyRecord, type SessionRecord } from '../model/access-record.ts';
import type { ChainSlug } from '../model/chain.ts';
import type { WalletId } from '../model/ids.ts';
import { type AccessStore, type KeyPosition, SESSION_SOURCE } from '../store/access-store.ts';
import type { Keys } from './keys.ts';
import { buildShare } from './keys.ts';
import type { OperationUsage } from './operation-usage.ts';
import type { Peppers } from './peppers.ts';
import type { Sessions } from './sessions.ts';
import { computeSessionEnd } from './sessions.ts';
import type { SignIn } from './sign-in.ts';
import { buildEntitlements, findTier, isOperator, pickTier, type Tiers } from './tiers.ts';
import { buildUnauthorizedError } from './unauthorized.ts';
import type { UsageCounter } from './usage-counter.ts';

const HOUR_MS = 3_600_000;
const HOURS_EACH = { '1h': 1, '1d': 24 } as const;
const HOURS_DEFAULT = { '1h': 24, '1d': 30 * 24 } as const;

async function readUsage(
  store: AccessStore,
  input: InputOf<typeof getUsage>,
  of: { readonly walletId: WalletId; readonly nowMs: number },
): Promise<OutputOf<typeof getUsage>> {
  const { interval, keyId } = input;
  const hoursEach = HOURS_EACH[interval];
  const toMs = input.to ?? of.nowMs + 1;
  const fromMs = input.from ?? Math.max(0, toMs - HOURS_DEFAULT[interval] * HOUR_MS);
  if (fromMs >= toMs)
    throw buildInvalidInputError([{ path: 'from', message: 'must be before `to`' }]);
  const first = Math.floor(fromMs / HOUR_MS / hoursEach) * hoursEach;
  const rows = await store.readOperationUsage(of.walletId, {
    ...{ fromHour: first, toHour: Math.ceil(toMs / HOUR_MS), hoursEach },
    source: keyId ?? null,
    limit: USAGE_ROWS_MAX + 1,
  });
  if (rows.length > USAGE_ROWS_MAX) {
    const message = `gives more than ${USAGE_ROWS_MAX} rows: ask for a shorter time, for days, or for one key`;
    throw buildInvalidInputError([{ path: 'from', message }]);
  }
  return {
    interval,
    rows: rows.map((row) => ({
      time: row.hour * HOUR_MS,
      keyId: row.source === SESSION_SOURCE ? null : row.source,
      operation: row.operation,
      requests: row.requests,
      cost: row.costMilli / 1000,
      limited: row.limited,
      errors: row.errors,
    })),
  };
}

/** The owner's mark makes a cursor invalid for another wallet. */
function encodeKeysCursor(position: KeyPosition, ownerMark: string): string {
  const fields = [position.createdAtMs, position.id, ownerMark];
  return Buffer.from(JSON.stringify(fields)).toString('base64url');
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

function parseKeysCursor(cursor: string, ownerMark: string): KeyPosition {
  const fields = parseJson(Buffer.from(cursor, 'base64url').toString('utf8'));
  if (Array.isArray(fields) && fields.length === 3) {
    const [createdAtMs, id, mark] = fields as unknown[];
    if (Number.isSafeInteger(createdAtMs) && typeof id === 'string' && mark === ownerMark) {
      return { createdAtMs: createdAtMs as number, id };
    }
  }
  throw new AppError('INVALID_CURSOR', {});
}

type KeyAnswer = OutputOf<typeof revokeKey>;

function buildKeyAnswer(
  record: KeyRecord,
  now: { readonly nowMs: number; readonly requests24h: number },
): KeyAnswer {
  const ended = record.revokedAtMs === null ? 'expired' : 'revoked';
  return {
    id: record.id,
    name: record.name,
    prefix: record.prefix,
    last4: record.last4,
    status: isActiveKey(record, now.nowMs) ? 'active' : ended,
    createdAt: record.createdAtMs,
    lastUsedAt: record.lastUsedAtMs,
    expiresAt: record.expiresAtMs,
    revokedAt: record.revokedAtMs,
    requests24h: now.requests24h,
    scopes: [...record.limits.scopes],
    allowedIps: [...record.limits.allowedIps],
    perMinute: record.limits.perMinute,
  };
}

interface AccessHandlerParts {
  readonly store: AccessStore;
  readonly peppers: Peppers;
  readonly signIn: SignIn;
  readonly sessions: Sessions;
  readonly keys: Keys;
  readonly usage: UsageCounter;
  readonly operationUsage: OperationUsage;
  readonly tiers: Tiers;
  readonly costs: Record<string, number>;
  readonly listChains: () => ChainSlug[];
  readonly operatorWallets: readonly string[];
  readonly clock: Clock;
}

type SignInHandlers = Pick<
  Handlers,
  'createChallenge' | 'verifyChallenge' | 'getSessions' | 'endSession' | 'endAllSessions'
>;
type KeyHandlers = Pick<Handlers, 'getKeys' | 'createKey' | 'revokeKey'>;
type AccountHandlers = Pick<Handlers, 'getMe' | 'getEntitlements' | 'getUsage'>;
export type AccessHandlers = SignInHandlers & KeyHandlers & AccountHandlers;

/**
 * The transport has already checked this. The second check covers an operation that does not
 * declare it.
 */
function requireSession(identity: Identity): SessionIdentity {
  if (identity.kind !== 'session') throw buildUnauthorizedError('WALLET_SESSION_REQUIRED');
  return identity;
}

function toSessionAnswer(session: {
  readonly id: string;
  readonly createdAtMs: number;
  readonly lastUsedAtMs: number;
  readonly expiresAtMs: number;
}) {
  return { id: session.id, createdAt: session.createdAtMs, expiresAt: computeSessionEnd(session) };
}

function toWalletAnswer({ wallet, chain }: Pick<SessionRecord, 'wallet' | 'chain'>) {
  return { id: wallet.id, address: wallet.address, chain };
}

/** Drops the browser's cookie, which no longer belongs to a session. */
function buildEndedAnswer(
  ended: number,
  identity: SessionIdentity,
): FramedAnswer<{ ended: number }> {
  const isCookie = identity.transport === 'cookie';
  return { kind: 'framed', body: { ended }, ...(isCookie ? { session: 'drop' as const } : {}) };
}

function createSignInHandlers({ signIn, sessions }: AccessHandlerParts): SignInHandlers {
  return {
    createChallenge: (input, context) => signIn.challenge(input, context),
    verifyChallenge: async (input, context) => {
      const { token, record } = await signIn.verify(input, context);
      const body = { wallet: toWalletAnswer(record), session: toSessionAnswer(record) };
      if (input.transport === 'token') return { ...body, token };
      const { identity } = context;
      // The browser's cookie is about to be replaced, and nothing could end the old session after
      // that.
      if (identity.kind === 'session' && identity.transport === 'cookie') {
        await sessions.end(identity.wallet.id, [identity.sessionId]);
      }
      return { kind: 'framed', body, session: { token, expiresAtMs: record.expiresAtMs } };
    },
    getSessions: async (_input, { identity }) => {
      const { wallet, sessionId } = requireSession(identity);
      const records = await sessions.list(wallet.id);
      return {
        sessions: records.map((record) => ({
          ...toSessionAnswer(record),
          lastUsedAt: record.lastUsedAtMs,
          transport: record.transport,
          chain: record.chain,
          current: record.id === sessionId,
        })),
      };
    },
    endSession: async (_input, context) => {
      const identity = requireSession(context.identity);
      const ended = await sessions.end(identity.wallet.id, [identity.sessionId]);
      return buildEndedAnswer(ended, identity);
    },
    endAllSessions: async (_input, context) => {
      const identity = requireSession(context.identity);
      return buildEndedAnswer(await sessions.endAll(identity.wallet.id), identity);
    },
  };
}

const KEYS_PAGE_DEFAULT = 50;

function createKeyHandlers(parts: AccessHandlerParts): KeyHandlers {
  const { store, peppers, keys, usage, tiers, clock } = parts;
  async function readUsed(walletId: WalletId): Promise<ReadonlyMap<string, number>> {
    // What was counted in this process up to now belongs into the answer.
    await usage.flush();
    return store.readUsage(walletId, clock.nowMs());
  }
  return {
    getKeys: async (input, { identity }) => {
      const { id: walletId } = requireSession(identity).wallet;
      const limit = input.limit ?? KEYS_PAGE_DEFAULT;
      const mark = peppers.mark('cursor', walletId);
      const after = input.cursor === undefined ? null : parseKeysCursor(input.cursor, mark);
      const used = await readUsed(walletId);
      const [records, active] = await Promise.all([
        keys.read(walletId, { after, limit: limit + 1 }),
        keys.countActive(walletId),
      ]);
      const page = records.slice(0, limit);
      const last = records.length > limit ? page.at(-1) : undefined;
      const nowMs = clock.nowMs();
      return {
        keys: page.map((record) =>
          buildKeyAnswer(record, { nowMs, requests24h: used.get(record.id) ?? 0 }),
        ),
        active,
        limit: KEY_LIMIT,
        nextCursor: last ? encodeKeysCursor(last, mark) : null,
      };
    },
    createKey: async (input, { identity, idempotencyKey }) => {
      const { wallet, tier } = requireSession(identity);
      const { id: walletId } = wallet;
      const { perMinute } = pickTier(tiers, 'key', tier).budget;
      const request = { ...input, idempotencyKey };
      const { record, key } = await keys.issue(walletId, request, perMinute);
      const nowMs = clock.nowMs();
      if (key !== null) return { ...buildKeyAnswer(record, { nowMs, requests24h: 0 }), key };
      const used = await readUsed(walletId);
      const requests24h = used.get(record.id) ?? 0;
      return {
        kind: 'framed',
        body: buildKeyAnswer(record, { nowMs, requests24h }),
        headers: { 'Idempotency-Replayed': 'true' },
      };
    },
    revokeKey: async (input, { identity }) => {
      const { id: walletId } = requireSession(identity).wallet;
      const used = await readUsed(walletId);
      const record = await keys.revoke(walletId, input.id);
      return buildKeyAnswer(record, {
        nowMs: clock.nowMs(),
        requests24h: used.get(record.id) ?? 0,
      });
    },
  };
}

function createAccountHandlers(parts: AccessHandlerParts): AccountHandlers {
  const { store, keys, usage, tiers, costs, clock } = parts;
  const chains = parts.listChains();
  // Kept, since nothing in them changes while the service runs.
  const kept = new Map<string, ReturnType<typeof buildEntitlements>>();
  const describe = (identity: Identity) => {
    const tier = findTier(tiers, identity);
    const perMinute = identity.kind === 'key' ? (identity.limits?.perMinute ?? null) : null;
    if (perMinute !== null) {
      const share = { ...tier, budget: buildShare(tier.budget, perMinute) };
      return buildEntitlements(identity.kind, share, { costs, chains });
    }
    const name = `${identity.kind} ${tier.name}`;
    const known = kept.get(name);
    if (known !== undefined) return known;
    const entitlements = Object.freeze(buildEntitlements(identity.kind, tier, { costs, chains }));
    kept.set(name, entitlements);
    return entitlements;
  };
  return {
    getEntitlements: (_input, { identity }) => describe(identity),
    getUsage: async (input, { identity }) => {
      const { id: walletId } = requireSession(identity).wallet;
      // What was counted in this process up to now belongs into the answer.
      await parts.operationUsage.flush();
      return readUsage(store, input, { walletId, nowMs: clock.nowMs() });
    },
    getMe: async (_input, context) => {
      const identity = requireSession(context.identity);
      const { id: walletId } = identity.wallet;
      const nowMs = clock.nowMs();
      await usage.flush();
      const [used, active] = await Promise.all([
        store.readUsage(walletId, nowMs),
        keys.countActive(walletId),
      ]);
      return {
        wallet: toWalletAnswer(identity),
        session: toSessionAnswer({ ...identity, id: identity.sessionId, lastUsedAtMs: nowMs }),
        entitlements: describe(identity),
        keys: { active, limit: KEY_LIMIT },
        usage: { requests24h: [...used.values()].reduce((sum, one) => sum + one, 0) },
        operator: isOperator(identity, parts.operatorWallets),
      };
    },
  };
}

export function createAccessHandlers(parts: AccessHandlerParts): AccessHandlers {
  return {
    ...createSignInHandlers(parts),
    ...createKeyHandlers(parts),
    ...createAccountHandlers(parts),
  };
}
