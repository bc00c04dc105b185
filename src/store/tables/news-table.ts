// News of chains. A row that a rollback removed stays, with the version of the rollback.

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
};
const POOL_KINDS = new Map(
  (['pool', 'launch', 'graduation'] as const).map((kind) => [LETTERS[kind], kind]),
);

export function toNewsRow(chain: ChainSlug, record: NewsRecord): SqlRow {
  return writeRow({
    chain,
    version: record.version,
    place: record.index,
    kind: LETTERS[record.kind],
    subject: record.kind === 'token' ? record.token : record.pool,
    block: record.block,
    timestamp_ms: record.timestampMs,
    reverted_version: null,
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
  const kind = POOL_KINDS.get(letter);
  if (kind === undefined) throw buildDamageError(`The store holds news of kind ${letter}`);
  return { kind, pool: poolAt(row, at.subject), ...place };
}
