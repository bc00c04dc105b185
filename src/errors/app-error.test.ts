// Pins what a client may see of an error, and the form of the catalogue.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { AppError, buildInvalidInputError } from './app-error.ts';
import { ERROR_CATALOGUE, ERROR_CODES } from './catalogue.ts';

test('the detail is the template filled once, so that values are never templates', () => {
  const error = new AppError('METHOD_NOT_ALLOWED', { allow: '{allow} {status}' });
  assert.equal(error.message, 'This route accepts {allow} {status} only.');
  assert.equal(error.status, 405);
});

test('the cause is kept for the log and stays out of the message', () => {
  const error = new AppError(
    'UPSTREAM_UNAVAILABLE',
    { upstream: 'The store' },
    { cause: new Error('connect to 10.0.0.1 as admin failed') },
  );
  assert.equal(error.message, 'The store is not responding at the moment.');
  assert.match(String((error.cause as Error).message), /admin/);
});

test('invalid input names the first field and counts the rest', () => {
  const error = buildInvalidInputError([
    { path: 'limit', message: 'must be at most 100' },
    { path: 'q', message: 'is required' },
  ]);
  assert.equal(error.message, 'limit: must be at most 100 (and 1 more)');
  assert.equal(error.errors?.length, 2);
});

test('every code is upper snake case with a client or server status and a help text', () => {
  for (const code of ERROR_CODES) {
    const entry = ERROR_CATALOGUE[code];
    assert.match(code, /^[A-Z]+(_[A-Z]+)*$/);
    assert.ok(entry.status >= 400 && entry.status <= 599, code);
    assert.ok(entry.title.length > 0 && entry.help.endsWith('.'), code);
  }
});
