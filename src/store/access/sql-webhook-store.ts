// Webhooks and their deliveries in SQL, the same on both engines.

import type {
  PendingDelivery,
  WebhookDelivery,
  WebhookProgress,
  WebhookRecord,
  WebhookSettings,
  WebhookStatus,
} from '../../model/webhook.ts';
import { createRowWriter } from '../create-row-writer.ts';
import type { SqlEngine, SqlRow, SqlSession } from '../sql.ts';
import { buildSelect, defineTable, type SqlStatement } from '../table.ts';
import {
  cleanFreeText,
  numberAt,
  numberOrNullAt,
  textAt,
  textOrNullAt,
  walletAt,
} from '../tables/column-value.ts';
import type { WebhookStep, WebhookStore } from '../webhook-store.ts';

const WEBHOOK_TABLE = defineTable('webhooks', {
  key: { id: 'text' },
  data: {
    wallet_id: 'text',
    settings: 'text',
    secrets: 'text',
    public_key: 'text',
    rotated_until_ms: 'integer',
    status: 'text',
    disabled_reason: 'text',
    revision: 'integer',
    created_at_ms: 'integer',
    updated_at_ms: 'integer',
    step: 'integer',
    progress: 'text',
  },
});
const { at } = WEBHOOK_TABLE;
const writeRow = createRowWriter(WEBHOOK_TABLE);

function toRow(record: WebhookRecord): SqlRow {
  return writeRow({
    id: record.id,
    wallet_id: record.walletId,
    settings: JSON.stringify(record.settings),
    secrets: record.secrets,
    public_key: record.publicKey,
    rotated_until_ms: record.rotatedUntilMs,
    status: record.status,
    disabled_reason: cleanFreeText(record.disabledReason),
    revision: record.revision,
    created_at_ms: record.createdAtMs,
    updated_at_ms: record.updatedAtMs,
    step: record.progress.step,
    progress: encodeProgress(record.progress),
  });
}

/** The step has a column of its own. */
function encodeProgress({ step: _, ...progress }: WebhookProgress): string {
  return cleanFreeText(JSON.stringify(progress)) ?? '';
}

function toRecord(row: SqlRow): WebhookRecord {
  const progress = JSON.parse(textAt(row, at.progress)) as Omit<WebhookProgress, 'step'>;
  return {
    id: textAt(row, at.id),
    walletId: walletAt(row, at.wallet_id),
    settings: JSON.parse(textAt(row, at.settings)) as WebhookSettings,
    secrets: textAt(row, at.secrets),
    publicKey: textAt(row, at.public_key),
    rotatedUntilMs: numberOrNullAt(row, at.rotated_until_ms),
    status: textAt(row, at.status) as WebhookStatus,
    disabledReason: textOrNullAt(row, at.disabled_reason),
    revision: numberAt(row, at.revision),
    createdAtMs: numberAt(row, at.created_at_ms),
    updatedAtMs: numberAt(row, at.updated_at_ms),
    progress: { ...progress, step: numberAt(row, at.step) },
  };
}

const SELECT_OF_WALLET = buildSelect(
  WEBHOOK_TABLE,
  'WHERE wallet_id = $1 ORDER BY created_at_ms DESC, id',
  ['text'],
);

const COUNT: SqlStatement = {
  sql: 'SELECT COUNT(*) FROM webhooks WHERE wallet_id = $1',
  takes: ['text'],
  gives: ['integer'],
};

/** Of concurrent ones the others wait, and then see what the first has added. */
const LOCK_WALLET: SqlStatement = {
  sql: 'UPDATE access_wallets SET keys_issued = keys_issued WHERE id = $1',
  takes: ['text'],
  gives: [],
};

const SELECT_REVISIONS: SqlStatement = {
  sql: 'SELECT id, revision FROM webhooks ORDER BY id',
  takes: [],
  gives: ['text', 'integer'],
};

const SELECT_PENDING: SqlStatement = {
  sql: 'SELECT body FROM webhook_pending WHERE webhook_id = $1',
  takes: ['text'],
  gives: ['text'],
};

const PUT_PENDING: SqlStatement = {
  sql: `INSERT INTO webhook_pending (webhook_id, body) VALUES ($1, $2)
    ON CONFLICT (webhook_id) DO UPDATE SET body = excluded.body`,
  takes: ['text', 'text'],
  gives: [],
};

const DELETE_PENDING: SqlStatement = {
  sql: 'DELETE FROM webhook_pending WHERE webhook_id = $1',
  takes: ['text'],
  gives: [],
};

const SAVE_SETTINGS: SqlStatement = {
  sql: `UPDATE webhooks SET settings = $1, secrets = $2, public_key = $3, rotated_until_ms = $4,
      status = $5, disabled_reason = $6, updated_at_ms = $7, revision = $8
    WHERE id = $9 AND revision = $10`,
  takes: [
    ...(['text', 'text', 'text', 'integer', 'text', 'text', 'integer', 'integer'] as const),
    ...(['text', 'integer'] as const),
  ],
  gives: [],
};

const SAVE_PROGRESS: SqlStatement = {
  sql: 'UPDATE webhooks SET step = $1, progress = $2 WHERE id = $3 AND step = $4',
  takes: ['integer', 'text', 'text', 'integer'],
  gives: [],
};

const DISABLE: SqlStatement = {
  sql: `UPDATE webhooks SET status = 'disabled', disabled_reason = $1, revision = revision + 1
    WHERE id = $2 AND status = 'active'`,
  takes: ['text', 'text'],
  gives: [],
};

const DELIVERY_TABLE = defineTable('webhook_deliveries', {
  key: { webhook_id: 'text', at_ms: 'integer', id: 'text' },
  data: {
    event_id: 'text',
    status: 'text',
    is_test: 'integer',
    attempt: 'integer',
    events: 'integer',
    took_ms: 'integer',
    http_status: 'integer',
    answer: 'text',
    error: 'text',
  },
});
const sent = DELIVERY_TABLE.at;
const writeDelivery = createRowWriter(DELIVERY_TABLE);

function toDeliveryRow(delivery: WebhookDelivery): SqlRow {
  return writeDelivery({
    webhook_id: delivery.webhookId,
    at_ms: delivery.atMs,
    id: delivery.id,
    event_id: delivery.eventId,
    status: delivery.status,
    is_test: delivery.isTest ? 1 : 0,
    attempt: delivery.attempt,
    events: delivery.events,
    took_ms: delivery.tookMs,
    http_status: delivery.httpStatus,
    answer: cleanFreeText(delivery.answer),
    error: cleanFreeText(delivery.error),
  });
}

function toDelivery(row: SqlRow): WebhookDelivery {
  return {
    webhookId: textAt(row, sent.webhook_id),
    atMs: numberAt(row, sent.at_ms),
    id: textAt(row, sent.id),
    eventId: textAt(row, sent.event_id),
    status: textAt(row, sent.status) as WebhookDelivery['status'],
    isTest: numberAt(row, sent.is_test) === 1,
    attempt: numberAt(row, sent.attempt),
    events: numberAt(row, sent.events),
    tookMs: numberAt(row, sent.took_ms),
    httpStatus: numberOrNullAt(row, sent.http_status),
    answer: textOrNullAt(row, sent.answer),
    error: textOrNullAt(row, sent.error),
  };
}

const SELECT_DELIVERIES = buildSelect(
  DELIVERY_TABLE,
  `WHERE webhook_id = $1 AND ($2 = '' OR status = $3)
      AND (at_ms < $4 OR (at_ms = $5 AND id < $6))
    ORDER BY at_ms DESC, id DESC LIMIT $7`,
  ['text', 'text', 'text', 'integer', 'integer', 'text', 'integer'],
);

const SELECT_OLDEST_KEPT: SqlStatement = {
  sql: `SELECT at_ms FROM webhook_deliveries WHERE webhook_id = $1
    ORDER BY at_ms DESC, id DESC LIMIT 1 OFFSET $2`,
  takes: ['text', 'integer'],
  gives: ['integer'],
};

const DELETE_DELIVERIES: SqlStatement = {
  sql: 'DELETE FROM webhook_deliveries WHERE webhook_id = $1 AND at_ms < $2',
  takes: ['text', 'integer'],
  gives: [],
};

const AFTER_ALL = { atMs: Number.MAX_SAFE_INTEGER, id: '' };

async function saveStep(session: SqlSession, step: WebhookStep): Promise<boolean> {
  const { id, progress, pending, delivery, disabledReason } = step;
  const values = [progress.step, encodeProgress(progress), id, progress.step - 1];
  if ((await session.execute(SAVE_PROGRESS, values)) === 0) return false;
  if (pending === null) await session.execute(DELETE_PENDING, [id]);
  else if (pending !== undefined) await session.execute(PUT_PENDING, [id, JSON.stringify(pending)]);
  if (disabledReason !== null) await session.execute(DISABLE, [cleanFreeText(disabledReason), id]);
  if (delivery !== null) await session.upsertRows(DELIVERY_TABLE, [toDeliveryRow(delivery)]);
  return true;
}

export function createSqlWebhookStore(engine: SqlEngine): WebhookStore {
  const readMany = async (ids: readonly string[]) => {
    const sets = ids.map((id) => [id]);
    return (await engine.session.queryEach(WEBHOOK_TABLE.selectByKey, sets)).map(toRecord);
  };
  return {
    create: (record, countMax) =>
      engine.transaction(async (session) => {
        await session.execute(LOCK_WALLET, [record.walletId]);
        const [row] = await session.query(COUNT, [record.walletId]);
        if (row !== undefined && numberAt(row, 0) >= countMax) return false;
        await session.insertRows(WEBHOOK_TABLE, [toRow(record)]);
        return true;
      }),
    find: async (id) => (await readMany([id]))[0] ?? null,
    list: async (walletId) =>
      (await engine.session.query(SELECT_OF_WALLET, [walletId])).map(toRecord),
    listRevisions: async () =>
      (await engine.session.query(SELECT_REVISIONS, [])).map((row) => ({
        id: textAt(row, 0),
        revision: numberAt(row, 1),
      })),
    readMany,
    readPending: async (id) => {
      const [row] = await engine.session.query(SELECT_PENDING, [id]);
      return row === undefined ? null : (JSON.parse(textAt(row, 0)) as PendingDelivery);
    },
    saveSettings: (record) =>
      engine.transaction(async (session) => {
        const row = toRow(record);
        const decided = (
          [
            'settings',
            'secrets',
            'public_key',
            'rotated_until_ms',
            'status',
            'disabled_reason',
            'updated_at_ms',
            'revision',
          ] as const
        ).map((column) => row[at[column]] ?? null);
        const values = [...decided, record.id, record.revision - 1];
        return (await session.execute(SAVE_SETTINGS, values)) === 1;
      }),
    saveSteps: (steps) =>
      engine.transaction(async (session) => {
        const saved = new Set<string>();
        // One order for all nodes: they never wait for each other's rows in a circle.
        for (const step of steps.toSorted((a, b) => (a.id < b.id ? -1 : 1))) {
          if (await saveStep(session, step)) saved.add(step.id);
        }
        return saved;
      }),
    delete: (id) =>
      engine.transaction(async (session) => {
        await session.execute(WEBHOOK_TABLE.deleteByKey, [id]);
        await session.execute(DELETE_PENDING, [id]);
        await session.execute(DELETE_DELIVERIES, [id, Number.MAX_SAFE_INTEGER]);
      }),
    addDelivery: (delivery) =>
      engine.transaction((session) =>
        session.upsertRows(DELIVERY_TABLE, [toDeliveryRow(delivery)]),
      ),
    readDeliveries: async (webhookId, { status, after, limit }) => {
      const { atMs, id } = after ?? AFTER_ALL;
      const only = status ?? '';
      const values = [webhookId, only, only, atMs, atMs, id, limit];
      return (await engine.session.query(SELECT_DELIVERIES, values)).map(toDelivery);
    },
    pruneDeliveries: (webhookId, kept) =>
      engine.transaction(async (session) => {
        const [row] = await session.query(SELECT_OLDEST_KEPT, [webhookId, kept]);
        if (row !== undefined) {
          await session.execute(DELETE_DELIVERIES, [webhookId, numberAt(row, 0)]);
        }
      }),
  };
}
