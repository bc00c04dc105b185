// The store's boundary: everything that an engine throws becomes a `StoreError`.
//
// Errors thrown by the work inside a transaction, such as a `StaleWriterError`, are not store
// faults and pass unchanged.

import type { OnTiming, SqlEngine, SqlSession } from './sql.ts';
import { StoreError, type StoreFault } from './store-error.ts';
import type { SqlStatement } from './table.ts';

// Measures each operation of an engine from outside.

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

interface FaultOptions {
  readonly findFault: (error: unknown) => StoreFault;
  /** Throws if the store is known to be unusable. */
  readonly assertUsable?: () => void;
  /** Called for every fault on its way to the caller. */
  readonly onError: (error: StoreError) => void;
}

export function withFaults(engine: SqlEngine, options: FaultOptions): SqlEngine {
  const { assertUsable = () => undefined } = options;
  const fail = (error: unknown): never => {
    const known = error instanceof StoreError;
    const found = known ? error : new StoreError(options.findFault(error), error);
    options.onError(found);
    throw found;
  };
  const guard: Guard = async (run) => {
    try {
      assertUsable();
      return await run();
    } catch (error) {
      return fail(error);
    }
  };
  const around = async <T>(
    run: (work: (session: SqlSession) => Promise<T>) => Promise<T>,
    work: (session: SqlSession) => Promise<T>,
  ): Promise<T> => {
    let thrownByWork: { readonly error: unknown } | null = null;
    try {
      assertUsable();
      return await run(async (session) => {
        try {
          return await work(withSessionFaults(session, guard));
        } catch (error) {
          thrownByWork = { error };
          throw error;
        }
      });
    } catch (error) {
      const own = thrownByWork as { readonly error: unknown } | null;
      const isOfWork = own !== null && own.error === error;
      if (isOfWork && !(error instanceof StoreError)) throw error;
      return fail(error);
    }
  };
  return {
    session: withSessionFaults(engine.session, guard),
    transaction: (work) => around((inner) => engine.transaction(inner), work),
    snapshot: (work) => around((inner) => engine.snapshot(inner), work),
  };
}

type Guard = <T>(run: () => Promise<T>) => Promise<T>;

function withSessionFaults(session: SqlSession, guard: Guard): SqlSession {
  return {
    query: (statement, values) => guard(() => session.query(statement, values)),
    queryEach: (statement, sets) => guard(() => session.queryEach(statement, sets)),
    execute: (statement, values) => guard(() => session.execute(statement, values)),
    executeLater: (statement, values) => guard(() => session.executeLater(statement, values)),
    insertRows: (table, rows) => guard(() => session.insertRows(table, rows)),
    upsertRows: (table, rows) => guard(() => session.upsertRows(table, rows)),
    deleteRows: (table, keys) => guard(() => session.deleteRows(table, keys)),
    runProcedure: (procedure, rows) => guard(() => session.runProcedure(procedure, rows)),
  };
}
