// The store's boundary: everything that an engine throws becomes a `StoreError`.
//
// Errors thrown by the work inside a transaction, such as a `StaleWriterError`, are not store
// faults and pass unchanged.

import type { SqlEngine, SqlSession } from './sql.ts';
import { StoreError, type StoreFault } from './store-error.ts';

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
