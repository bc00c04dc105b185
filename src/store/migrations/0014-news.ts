// News of a chain, for streams: what each commit brought, and which rollback removed it.

import type { Migration, SqlDialect } from './migration.ts';

function buildTable(dialect: SqlDialect): string {
  const isSqlite = dialect === 'sqlite';
  const text = isSqlite ? 'TEXT' : 'TEXT COLLATE "C"';
  const integer = isSqlite ? 'INTEGER' : 'BIGINT';
  return `CREATE TABLE news (
    chain INTEGER NOT NULL,
    version ${integer} NOT NULL,
    place ${integer} NOT NULL,
    kind ${text} NOT NULL,
    subject ${text} NOT NULL,
    block ${integer} NOT NULL,
    timestamp_ms ${integer} NOT NULL,
    reverted_version ${integer},
    PRIMARY KEY (chain, version, place)
  )${isSqlite ? ' STRICT, WITHOUT ROWID' : ''}`;
}

const INDEXES = [
  'CREATE INDEX news_by_block ON news (chain, block)',
  `CREATE INDEX news_by_reverted ON news (chain, reverted_version)
    WHERE reverted_version IS NOT NULL`,
];

export const NEWS_MIGRATION: Migration = {
  id: 14,
  name: 'news',
  toStatements: (dialect) => [
    buildTable(dialect),
    ...INDEXES,
    `ALTER TABLE chain_epochs ADD COLUMN news_forgotten_version
      ${dialect === 'sqlite' ? 'INTEGER' : 'BIGINT'} NOT NULL DEFAULT 0`,
  ],
};
