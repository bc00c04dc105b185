// Pins the classification of SQLite errors, on errors that SQLite itself raises.

import assert from 'node:assert/strict';
import { closeSync, mkdtempSync, openSync, rmSync, writeFileSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { type TestContext, test } from 'node:test';
import type { StoreFault } from '../store-error.ts';
import { findSqliteFault } from './find-sqlite-fault.ts';

function createFile(t: TestContext): string {
  const folder = mkdtempSync(join(tmpdir(), 'mintwire-fault-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  return join(folder, 'a.sqlite');
}

function createDatabase(t: TestContext): DatabaseSync {
  const database = new DatabaseSync(createFile(t));
  t.after(() => database.close());
  database.exec('CREATE TABLE t (id INTEGER PRIMARY KEY, v TEXT)');
  return database;
}

function assertFault(fault: StoreFault, run: () => unknown): void {
  assert.throws(run, (error: unknown) => {
    assert.equal(findSqliteFault(error), fault, String(error));
    return true;
  });
}

test('a disk without room is the fault full', (t) => {
  const database = createDatabase(t);
  database.exec('PRAGMA max_page_count = 3');
  const insert = database.prepare('INSERT INTO t (v) VALUES (?)');
  assertFault('full', () => {
    for (let i = 0; i < 100; i += 1) insert.run('x'.repeat(4000));
  });
});

test('corrupt pages and files that are not a database are the fault damaged', (t) => {
  const path = createFile(t);
  const database = new DatabaseSync(path);
  database.exec('CREATE TABLE t (v TEXT)');
  const insert = database.prepare('INSERT INTO t (v) VALUES (?)');
  for (let i = 0; i < 50; i += 1) insert.run('x'.repeat(2000));
  database.close();
  const file = openSync(path, 'r+');
  writeSync(file, Buffer.alloc(4096, 0xa5), 0, 4096, 4096);
  closeSync(file);
  const damaged = new DatabaseSync(path);
  t.after(() => damaged.close());
  assertFault('damaged', () => damaged.prepare('SELECT v FROM t').all());
  writeFileSync(path, 'x'.repeat(10_000));
  assertFault('damaged', () => new DatabaseSync(path).prepare('SELECT 1 FROM t').all());
});

test('a file without write permission is the fault readOnly', (t) => {
  const path = createFile(t);
  new DatabaseSync(path).close();
  const database = new DatabaseSync(path, { readOnly: true });
  t.after(() => database.close());
  assertFault('readOnly', () => database.exec('CREATE TABLE t (v TEXT)'));
});

test('a missing folder is the fault io', (t) => {
  assertFault('files', () => new DatabaseSync(join(createFile(t), 'none', 'a.sqlite')));
});

test('a lock held by another process is the fault busy', (t) => {
  const path = createFile(t);
  const [first, second] = [new DatabaseSync(path), new DatabaseSync(path, { timeout: 0 })];
  t.after(() => first.close());
  t.after(() => second.close());
  first.exec('BEGIN IMMEDIATE');
  assertFault('busy', () => second.exec('BEGIN IMMEDIATE'));
});

test('wrong statements are the fault rejected', (t) => {
  const database = createDatabase(t);
  database.exec('INSERT INTO t (id) VALUES (1)');
  assertFault('rejected', () => database.prepare('SELECT nothing FROM t'));
  assertFault('rejected', () => database.exec('INSERT INTO t (id) VALUES (1)'));
  for (const other of [new Error('The transaction is over'), null, 'text', { code: 'EWHATEVER' }]) {
    assert.equal(findSqliteFault(other), 'rejected');
  }
});

test('codes that cannot be provoked are those of the documentation', () => {
  const cases: readonly [number, StoreFault][] = [
    [10, 'io'],
    [778, 'io'], // SQLITE_IOERR_WRITE
    [1034, 'io'], // SQLITE_IOERR_FSYNC
    [267, 'damaged'], // SQLITE_CORRUPT_VTAB
    [8202, 'damaged'], // SQLITE_IOERR_DATA
    [1032, 'gone'], // SQLITE_READONLY_DBMOVED
    [776, 'readOnly'], // SQLITE_READONLY_ROLLBACK
    [517, 'busy'], // SQLITE_BUSY_SNAPSHOT
  ];
  for (const [errcode, fault] of cases) assert.equal(findSqliteFault({ errcode }), fault);
  assert.equal(findSqliteFault({ code: 'ENOSPC' }), 'full');
  for (const code of ['EROFS', 'EACCES', 'EPERM']) {
    assert.equal(findSqliteFault({ code }), 'readOnly');
  }
});
