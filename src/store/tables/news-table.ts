// News of chains. A row that a rollback removed stays, with the version of the rollback.

import type { AlertFiring } from '../../model/alert.ts';
import type { ChainSlug } from '../../model/chain.ts';
import type { NewsKind, NewsRecord } from '../../model/news.ts';
import { createRowWriter } from '../create-row-writer.ts';
import type { SqlRow } from '../sql.ts';
import { defineTable } from '../table.ts';
import { addressAt, buildDamageError, numberAt, poolAt, textAt } from './column-value.ts';

export const NEWS_TABLE = defineTable('news', {
  key: { chain: 'name', version: 'integer', place: 'integer' },
  data: {
    kind: 'text',
    subject: 'text',
    block: 'integer',
    timestamp_ms: 'integer',
    reverted_version: 'integer',
    body: 'text',
  },
});
const { at } = NEWS_TABLE;
const writeRow = createRowWriter(NEWS_TABLE);

/** One letter each, because every new token and pool has a row. */
const LETTERS: Readonly<Record<NewsKind, string>> = {
  token: 't',
  pool: 'p',
  launch: 'l',
  graduation: 'g',
  alert: 'a',
};
const POOL_KINDS = new Map(
  (['pool', 'launch', 'graduation'] as const).map((kind) => [LETTERS[kind], kind]),
);

function findSubject(record: NewsRecord): string {
  if (record.kind === 'alert') return record.alert;
  return record.kind === 'token' ? record.token : record.pool;
}

export function toNewsRow(chain: ChainSlug, record: NewsRecord): SqlRow {
  return writeRow({
    chain,
    version: record.version,
    place: record.index,
    kind: LETTERS[record.kind],
    subject: findSubject(record),
    block: record.block,
    timestamp_ms: record.timestampMs,
    reverted_version: null,
    body: record.kind === 'alert' ? JSON.stringify(record.firing) : null,
  });
}

export function toNewsRecord(row: SqlRow): NewsRecord {
  const place = {
    version: numberAt(row, at.version),
    index: numberAt(row, at.place),
    block: numberAt(row, at.block),
    timestampMs: numberAt(row, at.timestamp_ms),
  };
  const letter = textAt(row, at.kind);
  if (letter === LETTERS.token)
    return { kind: 'token', token: addressAt(row, at.subject), ...place };
  if (letter === LETTERS.alert) {
    const firing = JSON.parse(textAt(row, at.body)) as AlertFiring;
    return { kind: 'alert', alert: textAt(row, at.subject), firing, ...place };
  }
  const kind = POOL_KINDS.get(letter);
  if (kind === undefined) throw buildDamageError(`The store holds news of kind ${letter}`);
  return { kind, pool: poolAt(row, at.subject), ...place };
}
