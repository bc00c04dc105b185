// Measures each operation of an engine from outside.

import type { OnTiming, SqlEngine, SqlSession } from './sql.ts';
import type { SqlStatement } from './table.ts';

export function withTiming(engine: SqlEngine, onTiming: OnTiming | undefined): SqlEngine {
  if (onTiming === undefined) return engine;
  const timed = createTimed(onTiming);
  return {
    session: withSessionTiming(engine.session, timed),
    transaction: (work) =>
      timed('transaction', () =>
        engine.transaction((session) => work(withSessionTiming(session, timed))),
      ),
    snapshot: (work) =>
      timed('snapshot', () =>
        engine.snapshot((session) => work(withSessionTiming(session, timed))),
      ),
  };
}

type Timed = <T>(operation: string, run: () => Promise<T>) => Promise<T>;

function createTimed(onTiming: OnTiming): Timed {
  return async (operation, run) => {
    const startedAtMs = performance.now();
    try {
      return await run();
    } finally {
      onTiming(operation, performance.now() - startedAtMs);
    }
  };
}

function withSessionTiming(session: SqlSession, timed: Timed): SqlSession {
  return {
    query: (statement, values) =>
      timed(findName(statement), () => session.query(statement, values)),
    execute: (sql, values) => timed(findName(sql), () => session.execute(sql, values)),
    executeLater: (sql, values) => timed(findName(sql), () => session.executeLater(sql, values)),
    queryEach: (statement, sets) =>
      timed(findName(statement), () => session.queryEach(statement, sets)),
    insertRows: (table, rows) =>
      timed(`insert ${table.name}`, () => session.insertRows(table, rows)),
    upsertRows: (table, rows) =>
      timed(`upsert ${table.name}`, () => session.upsertRows(table, rows)),
    deleteRows: (table, keys) =>
      timed(`delete ${table.name}`, () => session.deleteRows(table, keys)),
    runProcedure: (procedure, rows) =>
      timed(procedure.name, () => session.runProcedure(procedure, rows)),
  };
}

/**
 * `SELECT … FROM trades …` becomes `select trades`: few names, whatever the statement's details.
 */
function findName({ sql }: SqlStatement): string {
  const verb = /[A-Za-z]+/.exec(sql)?.[0] ?? 'query';
  const table = /(?:FROM|INTO|UPDATE)\s+([a-z_]+)/.exec(sql)?.[1] ?? '';
  return `${verb.toLowerCase()} ${table}`.trim();
}
