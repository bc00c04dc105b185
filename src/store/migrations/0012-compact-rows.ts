// Smaller rows: names as numbers in PostgreSQL too, ids as bytes, and prices that repeat once.
//
// The large tables are copied. In PostgreSQL their fixed-length columns come first, which saves the
// gaps that alignment would leave, and indexes are built after the rows.

import type { Migration, SqlDialect } from './migration.ts';

const TEXT = 'TEXT COLLATE "C"';

/** An address or a hash as its bytes; any other text after a zero byte (see `hex-digits.ts`). */
function toBytes(dialect: SqlDialect, column: string): string {
  const isId = `LENGTH(${column}) IN (42, 66) AND ${column} LIKE '0x%'`;
  const mark = (one: string, two: string) =>
    `CASE WHEN OCTET_LENGTH(${column}) IN (19, 31) THEN ${two} ELSE ${one} END`;
  if (dialect === 'sqlite') {
    return `CASE WHEN ${isId} THEN unhex(SUBSTR(${column}, 3))
      ELSE unhex(${mark("'00'", "'0000'")} || HEX(${column})) END`;
  }
  return `CASE WHEN ${isId} THEN decode(SUBSTR(${column}, 3), 'hex')
    ELSE ${mark("'\\x00'::bytea", "'\\x0000'::bytea")} || convert_to(${column}, 'UTF8') END`;
}

/** Four equal prices as one. */
function toPrices(dialect: SqlDialect, column: string): string {
  const end = dialect === 'sqlite' ? `INSTR(${column}, ' ')` : `STRPOS(${column}, ' ')`;
  const first = `SUBSTR(${column}, 1, ${end} - 1)`;
  const repeated = Array.from({ length: 4 }, () => first).join(" || ' ' || ");
  return `CASE WHEN ${end} > 0 AND ${column} = ${repeated} THEN ${first} ELSE ${column} END`;
}

const TRADE_COLUMNS = [
  ...['timestamp_ms', 'block', 'log_index', 'tx_swap_index', 'is_buy', 'outlier', 'amount_raw'],
  ...['quote_amount_raw', 'price_native', 'price_usd', 'value_native', 'value_usd'],
];
const TRADE_NAMES = ['chain', 'token', 'venue', 'pool', 'quote_token'];

const CANDLE_COLUMNS = [
  ...['open_time_ms', 'volume_raw', 'quote_volume_native', 'quote_volume_usd'],
  ...['trades', 'buys', 'sells', 'native_clean', 'usd_clean'],
];
const CANDLE_NAMES = ['chain', 'token', 'pool', 'interval'];

const REVERTED_COLUMNS = [
  ...['version', 'timestamp_ms', 'block', 'log_index', 'tx_hash', 'tx_swap_index'],
];

const SQLITE_TABLES = {
  trades: `CREATE TABLE trades (
    chain INTEGER NOT NULL,
    token INTEGER NOT NULL,
    timestamp_ms INTEGER NOT NULL,
    block INTEGER NOT NULL,
    log_index INTEGER NOT NULL,
    tx_hash BLOB NOT NULL,
    tx_swap_index INTEGER NOT NULL,
    is_buy INTEGER NOT NULL,
    wallet BLOB NOT NULL,
    venue INTEGER NOT NULL,
    pool INTEGER NOT NULL,
    amount_raw TEXT NOT NULL,
    quote_token INTEGER NOT NULL,
    quote_amount_raw TEXT NOT NULL,
    price_native TEXT,
    price_usd TEXT,
    value_native TEXT,
    value_usd TEXT,
    outlier INTEGER NOT NULL,
    PRIMARY KEY (chain, token, timestamp_ms, block, log_index)
  ) STRICT`,
  balances: `CREATE TABLE balances (
    chain INTEGER NOT NULL,
    token INTEGER NOT NULL,
    owner BLOB NOT NULL,
    amount_raw TEXT NOT NULL,
    PRIMARY KEY (chain, token, owner)
  ) STRICT, WITHOUT ROWID`,
};

const POSTGRES_TABLES = {
  trades: `CREATE TABLE trades (
    timestamp_ms BIGINT NOT NULL,
    block BIGINT NOT NULL,
    log_index BIGINT NOT NULL,
    chain INTEGER NOT NULL,
    token INTEGER NOT NULL,
    venue INTEGER NOT NULL,
    pool INTEGER NOT NULL,
    quote_token INTEGER NOT NULL,
    tx_swap_index INTEGER NOT NULL,
    is_buy SMALLINT NOT NULL,
    outlier SMALLINT NOT NULL,
    tx_hash BYTEA NOT NULL,
    wallet BYTEA NOT NULL,
    amount_raw ${TEXT} NOT NULL,
    quote_amount_raw ${TEXT} NOT NULL,
    price_native ${TEXT},
    price_usd ${TEXT},
    value_native ${TEXT},
    value_usd ${TEXT}
  )`,
  candles: `CREATE TABLE candles (
    open_time_ms BIGINT NOT NULL,
    trades BIGINT NOT NULL,
    buys BIGINT NOT NULL,
    sells BIGINT NOT NULL,
    chain INTEGER NOT NULL,
    token INTEGER NOT NULL,
    pool INTEGER NOT NULL,
    interval INTEGER NOT NULL,
    volume_raw ${TEXT} NOT NULL,
    quote_volume_native ${TEXT} NOT NULL,
    quote_volume_usd ${TEXT} NOT NULL,
    native ${TEXT},
    usd ${TEXT},
    native_clean ${TEXT},
    usd_clean ${TEXT}
  )`,
  balances: `CREATE TABLE balances (
    chain INTEGER NOT NULL,
    token INTEGER NOT NULL,
    owner BYTEA NOT NULL,
    amount_raw ${TEXT} NOT NULL
  )`,
  reverted_trades: `CREATE TABLE reverted_trades (
    version BIGINT NOT NULL,
    timestamp_ms BIGINT NOT NULL,
    block BIGINT NOT NULL,
    log_index BIGINT NOT NULL,
    chain INTEGER NOT NULL,
    token INTEGER NOT NULL,
    tx_hash ${TEXT} NOT NULL,
    tx_swap_index BIGINT NOT NULL
  )`,
};

const TRADE_INDEXES = [
  'CREATE INDEX trades_by_block ON trades (chain, block, log_index)',
  'CREATE INDEX trades_by_wallet ON trades (chain, token, wallet, timestamp_ms, block, log_index)',
];
const BALANCE_INDEXES = [
  'CREATE INDEX balances_by_amount ON balances (chain, token, amount_raw DESC, owner)',
];

/** `copied` maps columns to expressions on the old table `b`. */
function toCopy(
  table: string,
  copied: Readonly<Record<string, string>>,
  joins: readonly string[] = [],
): string {
  const columns = Object.keys(copied).join(', ');
  const values = Object.values(copied).join(', ');
  return `INSERT INTO ${table} (${columns})
    SELECT ${values} FROM ${table}_before AS b ${joins.join(' ')}`;
}

function toPlain(columns: readonly string[]): Record<string, string> {
  return Object.fromEntries(columns.map((column) => [column, `b.${column}`]));
}

function toSqliteStatements(): readonly string[] {
  const bytes = (column: string) => toBytes('sqlite', `b.${column}`);
  const ids = { tx_hash: bytes('tx_hash'), wallet: bytes('wallet') };
  return [
    ...['trades', 'balances'].map((table) => `ALTER TABLE ${table} RENAME TO ${table}_before`),
    ...['trades_by_block', 'trades_by_wallet', 'balances_by_amount'].map(
      (index) => `DROP INDEX ${index}`,
    ),
    SQLITE_TABLES.trades,
    `${toCopy('trades', { ...toPlain([...TRADE_NAMES, ...TRADE_COLUMNS]), ...ids })} ORDER BY b.rowid`,
    'DROP TABLE trades_before',
    ...TRADE_INDEXES,
    SQLITE_TABLES.balances,
    toCopy('balances', { ...toPlain(['chain', 'token', 'amount_raw']), owner: bytes('owner') }),
    'DROP TABLE balances_before',
    ...BALANCE_INDEXES,
    ...['native', 'usd', 'native_clean', 'usd_clean'].map((column) => {
      const prices = toPrices('sqlite', column);
      return `UPDATE candles SET ${column} = ${prices} WHERE ${column} <> ${prices}`;
    }),
  ];
}

/** The columns with names as numbers, and the joins that find them. */
function toNumbers(names: readonly string[]) {
  return {
    columns: Object.fromEntries(names.map((column) => [column, `n_${column}.id`])),
    // A missing name then fails on NOT NULL; it must not lose the row.
    joins: names.map(
      (column) => `LEFT JOIN names AS n_${column} ON n_${column}.name = b.${column}`,
    ),
  };
}

function toPostgresNames(): readonly string[] {
  const used = {
    trades: TRADE_NAMES,
    candles: CANDLE_NAMES,
    balances: ['chain', 'token'],
    reverted_trades: ['chain', 'token'],
  };
  const selects = Object.entries(used).flatMap(([table, columns]) =>
    columns.map((column) => `SELECT ${column} AS name FROM ${table}`),
  );
  return [
    `CREATE TABLE names (id INTEGER GENERATED BY DEFAULT AS IDENTITY, name ${TEXT} NOT NULL)`,
    `INSERT INTO names (name) ${selects.join(' UNION ')}`,
    'ALTER TABLE names ADD PRIMARY KEY (id), ADD UNIQUE (name)',
  ];
}

function toPostgresCopies(): Readonly<Record<keyof typeof POSTGRES_TABLES, string>> {
  const bytes = (column: string) => toBytes('postgres', `b.${column}`);
  const prices = (column: string) => toPrices('postgres', `b.${column}`);
  const trades = toNumbers(TRADE_NAMES);
  const candles = toNumbers(CANDLE_NAMES);
  const ofToken = toNumbers(['chain', 'token']);
  const ids = { tx_hash: bytes('tx_hash'), wallet: bytes('wallet') };
  const priced = Object.fromEntries(
    ['native', 'usd', 'native_clean', 'usd_clean'].map((column) => [column, prices(column)]),
  );
  return {
    trades: toCopy(
      'trades',
      { ...toPlain(TRADE_COLUMNS), ...trades.columns, ...ids },
      trades.joins,
    ),
    candles: toCopy(
      'candles',
      { ...toPlain(CANDLE_COLUMNS), ...candles.columns, ...priced },
      candles.joins,
    ),
    balances: toCopy(
      'balances',
      { ...ofToken.columns, ...toPlain(['amount_raw']), owner: bytes('owner') },
      ofToken.joins,
    ),
    reverted_trades: toCopy(
      'reverted_trades',
      { ...toPlain(REVERTED_COLUMNS), ...ofToken.columns },
      ofToken.joins,
    ),
  };
}

function toPostgresStatements(): readonly string[] {
  const copies = toPostgresCopies();
  // The key last: of two indexes that cost the same, PostgreSQL takes the younger one.
  const indexes: Readonly<Record<keyof typeof POSTGRES_TABLES, readonly string[]>> = {
    trades: [
      ...TRADE_INDEXES,
      'ALTER TABLE trades ADD PRIMARY KEY (chain, token, timestamp_ms, block, log_index)',
    ],
    candles: ['ALTER TABLE candles ADD PRIMARY KEY (chain, token, pool, interval, open_time_ms)'],
    balances: [...BALANCE_INDEXES, 'ALTER TABLE balances ADD PRIMARY KEY (chain, token, owner)'],
    reverted_trades: [
      'CREATE INDEX reverted_trades_by_version ON reverted_trades (chain, version)',
      `ALTER TABLE reverted_trades
        ADD PRIMARY KEY (chain, token, version, timestamp_ms, block, log_index)`,
    ],
  };
  const tables = Object.keys(POSTGRES_TABLES) as (keyof typeof POSTGRES_TABLES)[];
  return [
    // All at once, before the names are read: a node of the version before may still be indexing.
    `LOCK TABLE ${tables.join(', ')} IN ACCESS EXCLUSIVE MODE`,
    ...toPostgresNames(),
    ...tables.flatMap((table) => [
      `ALTER TABLE ${table} RENAME TO ${table}_before`,
      POSTGRES_TABLES[table],
      copies[table],
      // With it go its indexes, whose names are needed.
      `DROP TABLE ${table}_before`,
      ...indexes[table],
    ]),
  ];
}

export const COMPACT_ROWS_MIGRATION: Migration = {
  id: 12,
  name: 'compact-rows',
  toStatements: (dialect) => (dialect === 'sqlite' ? toSqliteStatements() : toPostgresStatements()),
};
