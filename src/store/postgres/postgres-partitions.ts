// Partitions of the tables whose old rows are not kept (docs/decisions/0072).
//
//   trades        by time: trades_to_<day>, trades_<day>_<day> …, trades_rest
//   candles       candles_days (a day's candles are kept), candles_fine
//   candles_fine  by time, as trades
//
// Days are counted from 1970. What a table held when it was divided is its first partition, `_to_`;
// `_rest` takes rows of times that no other one has. Statements that need a lock which would make
// readers wait give up soon, without an error, and are run again later.

import { buildCommand } from '../migrations/migration.ts';
import type { DividedTable, OldRowsLeft, PartitionPlan, RowPartitions } from '../row-partitions.ts';
import type { SqlEngine } from '../sql.ts';
import type { SqlStatement } from '../table.ts';
import { numberAt, textAt } from '../tables/column-value.ts';

const DAY_MS = 86_400_000;
/** Readers that come meanwhile wait for this long at most. */
const LOCK_WAIT_MS = 50;
/** Dividing a table scans it; readers wait for that, once. */
const DIVIDE_LOCK_WAIT_MS = 5_000;
/** So many partitions are there before the first row that they are for. */
const AHEAD_COUNT = 3;
/** A chain whose floor is further behind than this holds no partition for the others' rows. */
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

/** In days; the first one begins with all there was. */
interface TimeSlice {
  readonly name: string;
  readonly fromDay: number;
  readonly toDay: number;
}

const LIST_PARTITIONS: SqlStatement = {
  sql: `SELECT c.relname::text FROM pg_inherits AS i JOIN pg_class AS c ON c.oid = i.inhrelid
    WHERE i.inhparent = to_regclass($1)`,
  takes: ['text'],
  gives: ['text'],
};

/** On a connection of its own, as every name is: see `PostgresNames`. */
const ADD_DAY_NAME = buildCommand(
  "INSERT INTO names (name) VALUES ('1d') ON CONFLICT (name) DO NOTHING",
);

function parseSlice(table: DividedTable, name: string): TimeSlice | null {
  const [from, to] = name.slice(table.length + 1).split('_');
  if (to === undefined) return null;
  const fromDay = from === 'to' ? Number.NEGATIVE_INFINITY : Number(from);
  return { name, fromDay, toDay: Number(to) };
}

/** Runs statements that give up on a lock, and leaves all as it was if they do. */
function buildPatient(statements: readonly string[], lockWaitMs = LOCK_WAIT_MS): SqlStatement {
  return buildCommand(`DO $do$ BEGIN
    PERFORM set_config('lock_timeout', '${lockWaitMs}ms', true);
    ${statements.join(';\n')};
  EXCEPTION
    -- Rows of that time are in the rest already, or another process was faster.
    WHEN lock_not_available OR check_violation OR duplicate_table OR invalid_object_definition THEN
      NULL;
  END $do$`);
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
 * indexes are made as they are there, so the partition's own ones are used.
 */
function buildDivide(table: DividedTable): SqlStatement {
  const by = table === 'trades' ? `RANGE (${DIVIDED.trades.column})` : 'LIST (interval)';
  return buildCommand(`DO $do$
    DECLARE
      old TEXT; one TEXT; key TEXT; indexes TEXT[]; to_day BIGINT; day_id INTEGER;
    BEGIN
      PERFORM set_config('lock_timeout', '${DIVIDE_LOCK_WAIT_MS}ms', true);
      LOCK TABLE ${table} IN ACCESS EXCLUSIVE MODE;
      IF EXISTS (SELECT FROM pg_partitioned_table WHERE partrelid = '${table}'::regclass) THEN
        RETURN;
      END IF;
      -- A day more, since a chain's times need not be in the order of its blocks.
      SELECT COALESCE(MAX(timestamp_ms), 0) / ${DAY_MS} + 2 INTO to_day FROM checkpoints;
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
  slices: readonly Pick<TimeSlice, 'fromDay' | 'toDay'>[],
  { spanDays, nowMs }: Pick<PartitionPlan, 'spanDays' | 'nowMs'>,
): readonly Pick<TimeSlice, 'fromDay' | 'toDay'>[] {
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
    let slices = await this.#list(table);
    if (slices === null) {
      await execute(this.#engine, ADD_DAY_NAME);
      await this.#runLong((engine) => execute(engine, buildDivide(table)));
      slices = await this.#list(table);
      if (slices === null) return 'rows';
    }
    const { parent } = DIVIDED[table];
    for (const { fromDay, toDay } of planSlices(slices, plan)) {
      const range = `FROM (${fromDay * DAY_MS}) TO (${toDay * DAY_MS})`;
      const create = `CREATE TABLE ${table}_${fromDay}_${toDay} PARTITION OF ${parent} FOR VALUES ${range}`;
      await execute(this.#engine, buildPatient([create]));
    }
    const keptMs = await this.#readLowestFloor(table);
    const old = slices.filter(({ toDay }) => toDay * DAY_MS <= keptMs);
    if (old.length > 0) {
      await execute(this.#engine, buildPatient(old.map(({ name }) => `DROP TABLE ${name}`)));
    }
    return this.#findLeft(table, { floorMs: plan.floorMs, keptMs });
  }

  async #findLeft(
    table: DividedTable,
    { floorMs, keptMs }: { readonly floorMs: number; readonly keptMs: number },
  ): Promise<OldRowsLeft> {
    const slices = (await this.#list(table)) ?? [];
    const hasFirst = slices.some((slice) => slice.fromDay < 0 && slice.toDay * DAY_MS > floorMs);
    if (hasFirst || (await this.#hasRest(table))) return 'rows';
    if (!slices.some(({ toDay }) => toDay * DAY_MS <= floorMs)) return 'none';
    return keptMs >= floorMs - BEHIND_MAX_MS ? 'partitions' : 'rows';
  }

  /** Null if the table is not divided. */
  async #list(table: DividedTable): Promise<readonly TimeSlice[] | null> {
    const rows = await this.#engine.session.query(LIST_PARTITIONS, [DIVIDED[table].parent]);
    if (rows.length === 0) return null;
    return rows.flatMap((row) => parseSlice(table, textAt(row, 0)) ?? []);
  }

  /** What every chain of the store has as its floor, or more. */
  async #readLowestFloor(table: DividedTable): Promise<number> {
    const sql = `SELECT COALESCE(MIN(COALESCE(${DIVIDED[table].floor}, 0)), 0) FROM checkpoints`;
    const [row] = await this.#engine.session.query({ sql, takes: [], gives: ['integer'] }, []);
    return row === undefined ? 0 : numberAt(row, 0);
  }

  async #hasRest(table: DividedTable): Promise<boolean> {
    const sql = `SELECT 1 FROM ${table}_rest LIMIT 1`;
    const rows = await this.#engine.session.query({ sql, takes: [], gives: ['integer'] }, []);
    return rows.length > 0;
  }
}
