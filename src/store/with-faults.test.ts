// Pins the store's boundary: engine errors are translated there, all others pass.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { toAppError } from '../errors/to-app-error.ts';
import { buildCommand } from './migrations/migration.ts';
import type { SqlEngine, SqlSession } from './sql.ts';
import { StoreError, type StoreFault } from './store-error.ts';
import { withFaults } from './with-faults.ts';

const SELECT = buildCommand('SELECT 1');

function createEngine(fail: () => void): SqlEngine {
  const session = new Proxy({} as SqlSession, {
    get: () => async () => {
      fail();
      return [];
    },
  });
  return {
    session,
    transaction: async (work) => {
      const result = await work(session);
      fail();
      return result;
    },
    snapshot: (work) => work(session),
  };
}

function guard(fail: () => void, fault: StoreFault = 'full') {
  const noted: StoreError[] = [];
  const onError = (error: StoreError) => void noted.push(error);
  return { noted, engine: withFaults(createEngine(fail), { findFault: () => fault, onError }) };
}

test('every operation of an engine that throws is a store error, noted once or more', async () => {
  const cause = new Error('database or disk is full');
  const { engine, noted } = guard(() => {
    throw cause;
  });
  const calls: (() => Promise<unknown>)[] = [
    () => engine.session.query(SELECT, []),
    () => engine.session.queryEach(SELECT, []),
    () => engine.session.execute(SELECT, []),
    () => engine.session.insertRows({} as never, []),
    () => engine.session.upsertRows({} as never, []),
    () => engine.session.deleteRows({} as never, []),
    // The statement fails, and so does a commit.
    () => engine.transaction((session) => session.query(SELECT, [])),
    () => engine.transaction(async () => 1),
    () => engine.snapshot((session) => session.query(SELECT, [])),
  ];
  for (const call of calls) {
    const before = noted.length;
    await assert.rejects(call, (error: unknown) => {
      assert.ok(error instanceof StoreError);
      assert.equal(error.fault, 'full');
      assert.equal(error.cause, cause);
      return true;
    });
    assert.ok(noted.length > before);
  }
});

test('an error thrown by the work of a transaction is passed on unchanged', async () => {
  const { engine, noted } = guard(() => undefined);
  const own = new Error('the challenge is used up');
  const work = async () => {
    throw own;
  };
  for (const run of [engine.transaction, engine.snapshot]) {
    await assert.rejects(run(work), (error) => error === own);
  }
  assert.equal(noted.length, 0);
});

test('a store that is known to have failed is not asked', async () => {
  let asked = 0;
  const noted: StoreError[] = [];
  const engine = withFaults(
    createEngine(() => {
      asked += 1;
    }),
    {
      findFault: () => 'rejected',
      assertUsable: () => {
        throw new StoreError('gone', 'the files are gone');
      },
      onError: (error) => void noted.push(error),
    },
  );
  await assert.rejects(engine.session.query(SELECT, []), { fault: 'gone' });
  await assert.rejects(
    engine.transaction(async () => 1),
    { fault: 'gone' },
  );
  assert.equal(asked, 0);
  assert.equal(noted.length, 2);
});

test('a store error is 503 with Retry-After, and shows a client no detail', () => {
  for (const fault of ['full', 'damaged', 'gone', 'unreachable', 'busy', 'rejected'] as const) {
    const shown = toAppError(new StoreError(fault, new Error('/data/access.sqlite is broken')));
    assert.equal(shown.status, 503);
    assert.equal(shown.code, 'UPSTREAM_UNAVAILABLE');
    assert.ok((shown.retryAfterSeconds ?? 0) > 0);
    assert.equal(shown.message, 'The store is not responding at the moment.');
    assert.equal((shown.cause as StoreError).fault, fault);
  }
});
