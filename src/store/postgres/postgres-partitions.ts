// Partitions of the tables whose old rows are not kept (docs/decisions/0072).
//
//   trades        by time: trades_to_<day>, trades_<day>_<day> …, trades_rest
//   candles       candles_days (a day's candles are kept), candles_fine
//   candles_fine  by time, as trades
//
// Days are counted from 1970. What a table held when it was divided is its first partition, `_to_`;
// `_rest` takes rows of times that no other one has. Statements that need a lock which would make
// readers wait give up soon, without an error, and are run again later.
//
// A dropped table is gone for transactions that began before, too. So a partition is dropped under
// a lock of its whole table, `trades` or `candles`, of which every snapshot holds the counterpart
// (`BEGIN_SNAPSHOT`).

import type { ChainSlug } from '../../model/chain.ts';
import { buildCommand } from '../migrations/migration.ts';
import type {
  DividedTable,
  DivisionResult,
  OldRowsLeft,
  PartitionPlan,
  RowPartitions,
} from '../row-partitions.ts';
import type { SqlEngine, SqlRow } from '../sql.ts';
import type { SqlStatement } from '../table.ts';
import { numberAt, textAt } from '../tables/column-value.ts';

const DAY_MS = 86_400_000;
/** For each lock; readers that come meanwhile wait as long. */
const LOCK_WAIT_MS = 50;
/** For an empty table, which hardly anybody reads; its first rows follow at once. */
const EMPTY_LOCK_WAIT_MS = 1_000;
/** An operator waits for it. */
const DIVIDE_LOCK_WAIT_MS = 5_000;
/** Scanning a larger file for rows would hold the lock too long; vacuum shrinks it. */
const EMPTY_BYTES_MAX = 8 * 1024 * 1024;
/** Of a table that is divided while all rows are kept: nothing is dropped, so they are few. */
const KEPT_SPAN_DAYS = 30;
/** How many partitions are created ahead of the rows that they are for. */
const AHEAD_COUNT = 3;
/** A chain whose floor is further behind than this does not keep partitions of other chains. */
const BEHIND_MAX_MS = 2 * DAY_MS;

interface DividedBy {
  /** The table that has the partitions by time. */
  readonly parent: string;
  readonly column: string;
  readonly floor: 'trades_from_ms' | 'candles_from_ms';
}

const DIVIDED: Readonly<Record<DividedTable, DividedBy>> = {
  trades: { parent: 'trades', column: 'timestamp_ms', floor: 'trades_from_ms' },
  candles: { parent: 'candles_fine', column: 'open_time_ms', floor: 'candles_from_ms' },
};

/** The first one begins with all there was. */
interface DaySpan {
  readonly fromDay: number;
  readonly toDay: number;
}

interface TimeSlice extends DaySpan {
  readonly name: string;
  /** On disk; large if rows were deleted and vacuum has not been there. */
  readonly bytes: number;
}

const LIST_PARTITIONS: SqlStatement = {
  sql: `SELECT c.relname::text, COALESCE(pg_relation_size(c.oid), 0)
    FROM pg_inherits AS i JOIN pg_class AS c ON c.oid = i.inhrelid
    WHERE i.inhparent = to_regclass($1) ORDER BY c.relname`,
  takes: ['text'],
  gives: ['text', 'integer'],
};

/** On a connection of its own, as every name is: see `PostgresNames`. */
const ADD_DAY_NAME = buildCommand(
  "INSERT INTO names (name) VALUES ('1d') ON CONFLICT (name) DO NOTHING",
);

function parseSlice(table: DividedTable, [name, bytes]: readonly [string, number]) {
  const [from, to] = name.slice(table.length + 1).split('_');
  if (to === undefined) return null;
  const fromDay = from === 'to' ? Number.NEGATIVE_INFINITY : Number(from);
  return { name, fromDay, toDay: Number(to), bytes };
}

/** Runs statements that give up on a lock, and leaves all as it was if they do. */
function buildPatient(statements: string): SqlStatement {
  return buildCommand(`DO $do$ DECLARE kept_ms BIGINT; BEGIN
    PERFORM set_config('lock_timeout', '${LOCK_WAIT_MS}ms', true);
    ${statements}
  EXCEPTION
    -- Rows of that time are in the rest already, or another process was faster.
    WHEN lock_not_available OR check_violation OR duplicate_table OR undefined_table
      OR invalid_object_definition THEN NULL;
  END $do$`);
}

function buildCreate(table: DividedTable, { fromDay, toDay }: DaySpan): SqlStatement {
  return buildPatient(`CREATE TABLE ${table}_${fromDay}_${toDay}
    PARTITION OF ${DIVIDED[table].parent}
    FOR VALUES FROM (${fromDay * DAY_MS}) TO (${toDay * DAY_MS});`);
}

/** Whether a partition goes if it has no rows. */
function isEmptyDue({ toDay, bytes }: TimeSlice, floorMs: number): boolean {
  return toDay * DAY_MS <= floorMs && bytes <= EMPTY_BYTES_MAX;
}

/**
 * Whoever writes holds a lock of the table, so under this one there is no chain with rows but
 * without a checkpoint. Empty ones go before all chains are above them: one may stand still.
 */
function buildDrop(table: DividedTable, slice: TimeSlice, floorMs: number): SqlStatement {
  const { name, toDay } = slice;
  return buildPatient(`LOCK TABLE ONLY ${table} IN ACCESS EXCLUSIVE MODE;
    ${buildFloorQuery(table, 'INTO kept_ms')};
    IF kept_ms < ${toDay * DAY_MS} THEN
      IF NOT ${isEmptyDue(slice, floorMs)} THEN RETURN; END IF;
      IF EXISTS (SELECT FROM ${name}) THEN RETURN; END IF;
    END IF;
    DROP TABLE ${name};`);
}

/** The lowest floor of all chains in the store. */
function buildFloorQuery(table: DividedTable, into = ''): string {
  const { floor } = DIVIDED[table];
  return `SELECT COALESCE(MIN(COALESCE(${floor}, 0)), 0) ${into} FROM checkpoints`;
}

/** What makes partitions of the renamed table, whose name `old` has. */
function buildDivision(table: DividedTable): string {
  const { column } = DIVIDED[table];
  if (table === 'trades') {
    return `
      EXECUTE format('ALTER TABLE trades ATTACH PARTITION %I FOR VALUES FROM (MINVALUE) TO (%s)',
        old, to_day * ${DAY_MS});
      CREATE TABLE trades_rest PARTITION OF trades DEFAULT;`;
  }
  return `
      SELECT id INTO STRICT day_id FROM names WHERE name = '1d';
      EXECUTE format('CREATE TABLE candles_days PARTITION OF candles FOR VALUES IN (%s)', day_id);
      EXECUTE format('INSERT INTO candles_days SELECT * FROM %I WHERE interval = %s', old, day_id);
      EXECUTE format('DELETE FROM %I WHERE interval = %s', old, day_id);
      CREATE TABLE candles_fine PARTITION OF candles DEFAULT PARTITION BY RANGE (${column});
      EXECUTE format(
        'ALTER TABLE candles_fine ATTACH PARTITION %I FOR VALUES FROM (MINVALUE) TO (%s)',
        old, to_day * ${DAY_MS});
      CREATE TABLE candles_rest PARTITION OF candles_fine DEFAULT;`;
}

/**
 * The table gets another name and becomes a partition; its rows stay where they are. Key and
 * indexes are made as they are there, so the partition's own ones are used. With `emptyFromMs` only
 * a table without rows is divided, and its first partition ends there.
 */
function buildDivide(table: DividedTable, emptyFromMs: number | null): SqlStatement {
  const by = table === 'trades' ? `RANGE (${DIVIDED.trades.column})` : 'LIST (interval)';
  const isEmpty = emptyFromMs !== null;
  const waitMs = isEmpty ? EMPTY_LOCK_WAIT_MS : DIVIDE_LOCK_WAIT_MS;
  // With rows a day more, since a chain's times need not be in the order of its blocks.
  const toDay = isEmpty
    ? `SELECT ${Math.floor(emptyFromMs / DAY_MS)} INTO to_day;`
    : `SELECT COALESCE(MAX(timestamp_ms), 0) / ${DAY_MS} + 2 INTO to_day FROM checkpoints;`;
  return buildCommand(`DO $do$
    DECLARE
      old TEXT; one TEXT; key TEXT; indexes TEXT[]; to_day BIGINT; day_id INTEGER;
    BEGIN
      PERFORM set_config('lock_timeout', '${waitMs}ms', true);
      LOCK TABLE ${table} IN ACCESS EXCLUSIVE MODE;
      IF EXISTS (SELECT FROM pg_partitioned_table WHERE partrelid = '${table}'::regclass) THEN
        RETURN;
      END IF;
      IF ${isEmpty} THEN
        IF EXISTS (SELECT FROM ${table}) THEN RETURN; END IF;
      END IF;
      ${toDay}
      old := format('${table}_to_%s', to_day);
      SELECT pg_get_constraintdef(oid) INTO STRICT key FROM pg_constraint
        WHERE conrelid = '${table}'::regclass AND contype = 'p';
      indexes := ARRAY(SELECT pg_get_indexdef(indexrelid) FROM pg_index
        WHERE indrelid = '${table}'::regclass AND NOT indisprimary);
      FOR one IN SELECT c.relname FROM pg_index JOIN pg_class AS c ON c.oid = indexrelid
        WHERE indrelid = '${table}'::regclass
      LOOP
        EXECUTE format('ALTER INDEX %I RENAME TO %I', one, one || '_before');
      END LOOP;
      EXECUTE format('ALTER TABLE ${table} RENAME TO %I', old);
      EXECUTE format('CREATE TABLE ${table} (LIKE %I) PARTITION BY ${by}', old);
      EXECUTE format('ALTER TABLE ${table} ADD CONSTRAINT ${table}_pkey %s', key);
      FOREACH one IN ARRAY indexes LOOP
        EXECUTE one;
      END LOOP;
      ${buildDivision(table)}
    EXCEPTION
      WHEN lock_not_available THEN NULL;
    END $do$`);
}

/** The times ahead of the chain that no partition has, as far as they are not in `slices`. */
export function planSlices(
  slices: readonly DaySpan[],
  { spanDays: days, nowMs }: Pick<PartitionPlan, 'spanDays' | 'nowMs'>,
): readonly DaySpan[] {
  const spanDays = days ?? KEPT_SPAN_DAYS;
  const first = Math.floor(nowMs / DAY_MS / spanDays);
  return Array.from({ length: AHEAD_COUNT + 1 }, (_, index) => first + index).flatMap((at) => {
    const [start, toDay] = [at * spanDays, (at + 1) * spanDays];
    // A span of another length, or what the table began with, may reach into this one.
    const over = slices.filter((slice) => slice.fromDay < toDay && slice.toDay > start);
    const fromDay = Math.max(start, ...over.map((slice) => slice.toDay));
    return fromDay < toDay ? [{ fromDay, toDay }] : [];
  });
}

/** Runs work whose statements may take longer than others are allowed to. */
type RunLong = (work: (engine: SqlEngine) => Promise<void>) => Promise<void>;

async function execute(engine: SqlEngine, statement: SqlStatement): Promise<void> {
  await engine.transaction(async (session) => {
    await session.execute(statement, []);
  });
}

export class PostgresPartitions implements RowPartitions {
  readonly #engine: SqlEngine;
  readonly #runLong: RunLong;

  constructor(engine: SqlEngine, runLong: RunLong) {
    this.#engine = engine;
    this.#runLong = runLong;
  }

  async rotate(table: DividedTable, plan: PartitionPlan): Promise<OldRowsLeft> {
    const slices = (await this.#list(table)) ?? (await this.#divideEmpty(table, plan));
    if (slices === null) return 'rows';
    for (const span of planSlices(slices, plan)) {
      await execute(this.#engine, buildCreate(table, span));
    }
    const keptMs = await this.#readLowestFloor(table);
    for (const slice of slices) {
      if (slice.toDay * DAY_MS > keptMs && !isEmptyDue(slice, plan.floorMs)) continue;
      await execute(this.#engine, buildDrop(table, slice, plan.floorMs));
    }
    return this.#findLeft(table, plan, keptMs);
  }

  async divide(table: DividedTable): Promise<DivisionResult> {
    if ((await this.#list(table)) !== null) return 'before';
    await execute(this.#engine, ADD_DAY_NAME);
    await this.#runLong((engine) => execute(engine, buildDivide(table, null)));
    return (await this.#list(table)) === null ? 'later' : 'done';
  }

  /** The partitions; null if there are rows, which are scanned only at an operator's wish. */
  async #divideEmpty(table: DividedTable, { spanDays, nowMs }: PartitionPlan) {
    if (spanDays === null || (await this.#has(`SELECT 1 FROM ${table} LIMIT 1`))) return null;
    await execute(this.#engine, ADD_DAY_NAME);
    await execute(this.#engine, buildDivide(table, nowMs));
    return this.#list(table);
  }

  async #findLeft(
    table: DividedTable,
    { chain, floorMs, spanDays }: PartitionPlan,
    keptMs: number,
  ): Promise<OldRowsLeft> {
    const slices = (await this.#list(table)) ?? [];
    // The first one, or one of the time before fewer days were kept: it stays for long.
    const hasWide = slices.some(
      ({ fromDay, toDay }) =>
        fromDay * DAY_MS < floorMs && toDay * DAY_MS > floorMs && toDay - fromDay > (spanDays ?? 0),
    );
    if (hasWide || (await this.#hasRest(table, chain, floorMs))) return 'rows';
    if (!slices.some(({ toDay }) => toDay * DAY_MS <= floorMs)) return 'none';
    return keptMs >= floorMs - BEHIND_MAX_MS ? 'partitions' : 'rows';
  }

  /** Null if the table is not divided. */
  async #list(table: DividedTable): Promise<readonly TimeSlice[] | null> {
    const rows = await this.#engine.session.query(LIST_PARTITIONS, [DIVIDED[table].parent]);
    if (rows.length === 0) return null;
    return rows.flatMap((row) => parseSlice(table, [textAt(row, 0), numberAt(row, 1)]) ?? []);
  }

  async #readLowestFloor(table: DividedTable): Promise<number> {
    const sql = buildFloorQuery(table);
    const [row] = await this.#engine.session.query({ sql, takes: [], gives: ['integer'] }, []);
    return row === undefined ? 0 : numberAt(row, 0);
  }

  /** Whether rows of the chain that are not kept are in no partition by time. */
  #hasRest(table: DividedTable, chain: ChainSlug, floorMs: number): Promise<boolean> {
    const { column } = DIVIDED[table];
    const sql = `SELECT 1 FROM ${table}_rest WHERE chain = $1 AND ${column} < $2 LIMIT 1`;
    return this.#has(sql, ['name', 'integer'], [chain, floorMs]);
  }

  async #has(sql: string, takes: SqlStatement['takes'] = [], values: SqlRow = []) {
    const rows = await this.#engine.session.query({ sql, takes, gives: ['integer'] }, values);
    return rows.length > 0;
  }
}
