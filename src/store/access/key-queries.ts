// API keys in SQL: enforces the limit of active keys per wallet under concurrency.

import type { KeyRecord } from '../../model/access-record.ts';
import type { WalletId } from '../../model/ids.ts';
import { KEY_SCOPES, type KeyScope } from '../../model/key-limits.ts';
import type { AccessStore, IdempotencyMark, KeyIssue, KeyRevocation } from '../access-store.ts';
import { createRowWriter } from '../create-row-writer.ts';
import type { SqlEngine, SqlRow, SqlSession } from '../sql.ts';
import { buildSelect, defineTable, type SqlStatement } from '../table.ts';
import { numberAt, numberOrNullAt, textAt, walletAt } from '../tables/column-value.ts';

// How long access keeps expired data.

const HOUR_MS = 3_600_000;

/** How long an idempotency key is valid. */
export const IDEMPOTENCY_LIFE_MS = 24 * HOUR_MS;

/** Challenges live for minutes; their use is remembered for longer, in case clocks differ. */
export const USED_CHALLENGE_LIFE_MS = HOUR_MS;

/** A session that was not used for so long has ended on every node. */
export const IDLE_SESSION_LIFE_MS = 25 * HOUR_MS;

/** How long keys that were revoked or have expired stay in the list. */
export const ENDED_KEY_LIFE_MS = 7 * 24 * HOUR_MS;

/** How long a wallet without sessions and keys is remembered after its last sign-in. */
export const BARE_WALLET_LIFE_MS = 24 * HOUR_MS;

export const USAGE_HOURS = 24;

/** How long it is kept what keys were used for: 92 days, as `GET /usage` says. */
export const OPERATION_USAGE_HOURS = 92 * 24;

/** The hour in which usage is counted. */
export function toHour(atMs: number): number {
  return Math.floor(atMs / HOUR_MS);
}

/** Everything of API keys except the keys themselves. */
const KEY_TABLE = defineTable('access_keys', {
  key: { id: 'text' },
  data: {
    wallet_id: 'text',
    name: 'text',
    hash: 'text',
    pepper_version: 'integer',
    prefix: 'text',
    last4: 'text',
    created_at_ms: 'integer',
    expires_at_ms: 'integer',
    revoked_at_ms: 'integer',
    last_used_at_ms: 'integer',
    scopes: 'text',
    allowed_ips: 'text',
    per_minute: 'integer',
  },
});
const { at } = KEY_TABLE;
const writeRow = createRowWriter(KEY_TABLE);

function toKeyRow(record: KeyRecord): SqlRow {
  return writeRow({
    id: record.id,
    wallet_id: record.walletId,
    name: record.name,
    hash: record.hash,
    pepper_version: record.pepperVersion,
    prefix: record.prefix,
    last4: record.last4,
    created_at_ms: record.createdAtMs,
    expires_at_ms: record.expiresAtMs,
    revoked_at_ms: record.revokedAtMs,
    last_used_at_ms: record.lastUsedAtMs,
    scopes: record.limits.scopes.join(' '),
    allowed_ips: record.limits.allowedIps.join(' '),
    per_minute: record.limits.perMinute,
  });
}

function listWords(text: string): readonly string[] {
  return text === '' ? [] : text.split(' ');
}

/** Scopes of a newer version are unknown here, and open nothing. */
function listScopes(text: string): readonly KeyScope[] {
  const words = listWords(text);
  return KEY_SCOPES.filter((scope) => words.includes(scope));
}

function toKeyRecord(row: SqlRow): KeyRecord {
  return {
    id: textAt(row, at.id),
    walletId: walletAt(row, at.wallet_id),
    name: textAt(row, at.name),
    hash: textAt(row, at.hash),
    pepperVersion: numberAt(row, at.pepper_version),
    prefix: textAt(row, at.prefix),
    last4: textAt(row, at.last4),
    createdAtMs: numberAt(row, at.created_at_ms),
    expiresAtMs: numberOrNullAt(row, at.expires_at_ms),
    revokedAtMs: numberOrNullAt(row, at.revoked_at_ms),
    lastUsedAtMs: numberOrNullAt(row, at.last_used_at_ms),
    limits: {
      scopes: listScopes(textAt(row, at.scopes)),
      allowedIps: listWords(textAt(row, at.allowed_ips)),
      perMinute: numberOrNullAt(row, at.per_minute),
    },
  };
}

type KeyQueries = Pick<
  AccessStore,
  | 'issueKey'
  | 'findKey'
  | 'rehashKey'
  | 'readKeys'
  | 'readKeysById'
  | 'countActiveKeys'
  | 'revokeKey'
>;

const IDEMPOTENCY_TABLE = defineTable('access_idempotency', {
  key: { wallet_id: 'text', word: 'text' },
  data: { request: 'text', key_id: 'text', created_at_ms: 'integer' },
});
const writeIdempotency = createRowWriter(IDEMPOTENCY_TABLE);

/** Ended keys stay in the list; above this number the oldest are deleted. */
const ENDED_KEYS_MAX = 100;

/** Serialises the transactions of a wallet: each waits and then sees the keys of the one before. */
const LOCK_WALLET: SqlStatement = {
  sql: 'UPDATE access_wallets SET keys_issued = keys_issued + 1 WHERE id = $1',
  takes: ['text'],
  gives: [],
};

const ACTIVE = 'revoked_at_ms IS NULL AND (expires_at_ms IS NULL OR expires_at_ms > $2)';

const COUNT_ACTIVE: SqlStatement = {
  sql: `SELECT COUNT(*) FROM access_keys WHERE wallet_id = $1 AND ${ACTIVE}`,
  takes: ['text', 'integer'],
  gives: ['integer'],
};

const SELECT_SURPLUS: SqlStatement = {
  sql: `SELECT id FROM access_keys WHERE wallet_id = $1 AND NOT (${ACTIVE})
    ORDER BY created_at_ms DESC, id DESC LIMIT 1000 OFFSET ${ENDED_KEYS_MAX}`,
  takes: ['text', 'integer'],
  gives: ['text'],
};

const SELECT_BY_HASH = buildSelect(KEY_TABLE, 'WHERE hash = $1', ['text']);
const SELECT_OWN = buildSelect(KEY_TABLE, 'WHERE id = $1 AND wallet_id = $2', ['text', 'text']);

const SELECT_FIRST_PAGE = buildSelect(
  KEY_TABLE,
  'WHERE wallet_id = $1 ORDER BY created_at_ms DESC, id DESC LIMIT $2',
  ['text', 'integer'],
);

const SELECT_NEXT_PAGE = buildSelect(
  KEY_TABLE,
  `WHERE wallet_id = $1 AND (created_at_ms, id) < ($2, $3)
    ORDER BY created_at_ms DESC, id DESC LIMIT $4`,
  ['text', 'integer', 'text', 'integer'],
);

const REHASH: SqlStatement = {
  sql: 'UPDATE access_keys SET hash = $1, pepper_version = $2 WHERE id = $3',
  takes: ['text', 'integer', 'text'],
  gives: [],
};

const REVOKE: SqlStatement = {
  sql: `UPDATE access_keys SET revoked_at_ms = $1
    WHERE id = $2 AND wallet_id = $3 AND revoked_at_ms IS NULL`,
  takes: ['integer', 'text', 'text'],
  gives: [],
};

async function countActive(
  session: SqlSession,
  walletId: WalletId,
  nowMs: number,
): Promise<number> {
  const [row = []] = await session.query(COUNT_ACTIVE, [walletId, nowMs]);
  return numberAt(row, 0);
}

/** The result of an earlier request with the same idempotency key; null if it is new. */
async function findReplay(
  session: SqlSession,
  key: KeyRecord,
  mark: IdempotencyMark,
): Promise<KeyIssue | null> {
  const [row] = await session.query(IDEMPOTENCY_TABLE.selectByKey, [key.walletId, mark.word]);
  if (row === undefined) return null;
  const { at } = IDEMPOTENCY_TABLE;
  if (numberAt(row, at.created_at_ms) + IDEMPOTENCY_LIFE_MS <= key.createdAtMs) return null;
  if (textAt(row, at.request) !== mark.request) return { outcome: 'conflict' };
  const [issued] = await session.query(SELECT_OWN, [textAt(row, at.key_id), key.walletId]);
  // A deleted key cannot be returned again, and the idempotency key must not issue a second one.
  return issued === undefined
    ? { outcome: 'conflict' }
    : { outcome: 'replayed', key: toKeyRecord(issued) };
}

async function issueKey(
  session: SqlSession,
  key: KeyRecord,
  options: { readonly activeMax: number; readonly idempotency: IdempotencyMark | null },
): Promise<KeyIssue> {
  const { walletId, createdAtMs } = key;
  const { idempotency } = options;
  if ((await session.execute(LOCK_WALLET, [walletId])) === 0) {
    throw new Error('A key was requested by a wallet that never signed in');
  }
  if (idempotency !== null) {
    const replay = await findReplay(session, key, idempotency);
    if (replay !== null) return replay;
  }
  if ((await countActive(session, walletId, createdAtMs)) >= options.activeMax) {
    return { outcome: 'full' };
  }
  await session.insertRows(KEY_TABLE, [toKeyRow(key)]);
  if (idempotency !== null) {
    const { word, request } = idempotency;
    const row = { wallet_id: walletId, word, request, key_id: key.id, created_at_ms: createdAtMs };
    await session.upsertRows(IDEMPOTENCY_TABLE, [writeIdempotency(row)]);
  }
  const surplus = await session.query(SELECT_SURPLUS, [walletId, createdAtMs]);
  await session.deleteRows(KEY_TABLE, surplus);
  return { outcome: 'issued', key };
}

async function revokeKey(
  session: SqlSession,
  key: { readonly walletId: WalletId; readonly id: string },
  nowMs: number,
): Promise<KeyRevocation> {
  const revoked = await session.execute(REVOKE, [nowMs, key.id, key.walletId]);
  const [row] = await session.query(SELECT_OWN, [key.id, key.walletId]);
  if (row === undefined) return { outcome: 'notFound' };
  if (revoked === 0) return { outcome: 'revokedBefore' };
  return { outcome: 'revoked', key: toKeyRecord(row) };
}

export function createKeyQueries(engine: SqlEngine): KeyQueries {
  return {
    issueKey: (key, options) => engine.transaction((session) => issueKey(session, key, options)),
    findKey: async (hash) => {
      const [row] = await engine.session.query(SELECT_BY_HASH, [hash]);
      return row === undefined ? null : toKeyRecord(row);
    },
    rehashKey: (id, next) =>
      engine.transaction(async (session) => {
        await session.execute(REHASH, [next.hash, next.version, id]);
      }),
    readKeys: async (walletId, { after, limit }) => {
      const rows =
        after === null
          ? await engine.session.query(SELECT_FIRST_PAGE, [walletId, limit])
          : await engine.session.query(SELECT_NEXT_PAGE, [
              walletId,
              after.createdAtMs,
              after.id,
              limit,
            ]);
      return rows.map(toKeyRecord);
    },
    readKeysById: async (ids) => {
      const keys = ids.map((id) => [id]);
      const rows = await engine.session.queryEach(KEY_TABLE.selectByKey, keys);
      return rows.map(toKeyRecord);
    },
    countActiveKeys: (walletId, nowMs) => countActive(engine.session, walletId, nowMs),
    revokeKey: (key, nowMs) => engine.transaction((session) => revokeKey(session, key, nowMs)),
  };
}
