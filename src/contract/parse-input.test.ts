// Pins how input is parsed: what is accepted, and how each error is named.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import Type from 'typebox';
import { AppError } from '../errors/app-error.ts';
import { createInputParser } from './parse-input.ts';

const schema = Type.Object(
  {
    q: Type.String({ minLength: 1, maxLength: 8 }),
    limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 100, default: 20 })),
    side: Type.Optional(Type.Enum(['buy', 'sell'])),
    bound: Type.Optional(Type.Union([Type.Integer({ maximum: 9 }), Type.Literal('auto')])),
    events: Type.Optional(Type.Array(Type.Enum(['trade', 'kline']))),
    deep: Type.Optional(Type.Object({ flag: Type.Boolean() }, { additionalProperties: false })),
  },
  { additionalProperties: false },
);

const parseText = createInputParser(schema, 'text');
const parseJson = createInputParser(schema, 'json');

function errorsOf(run: () => unknown) {
  try {
    run();
  } catch (error) {
    assert.ok(error instanceof AppError);
    assert.equal(error.code, 'INVALID_INPUT');
    return error.errors;
  }
  return assert.fail('accepted');
}

test('text is read by its schema, and defaults are filled in', () => {
  assert.deepEqual(
    { ...(parseText({ q: 'a', events: 'trade,kline' }) as object) },
    {
      q: 'a',
      limit: 20,
      events: ['trade', 'kline'],
    },
  );
});

test('numbers in a query are plain decimal integers', () => {
  for (const text of ['1e1', '0x10', ' 5', '5.0', '', '９', '1'.repeat(400)]) {
    assert.deepEqual(
      errorsOf(() => parseText({ q: 'a', limit: text })),
      [{ path: 'limit', message: 'must be an integer' }],
      text,
    );
  }
});

test('a word that is allowed beside a number is named', () => {
  for (const [bound, message] of [
    [10, 'must be at most 9, or auto'],
    ['fast', 'must be an integer, or auto'],
  ]) {
    assert.deepEqual(
      errorsOf(() => parseJson({ q: 'a', bound })),
      [{ path: 'bound', message }],
    );
  }
  assert.equal((parseJson({ q: 'a', bound: 'auto' }) as { bound: unknown }).bound, 'auto');
});

test('JSON is not coerced', () => {
  assert.deepEqual(
    errorsOf(() => parseJson({ q: 'a', limit: '5' })),
    [{ path: 'limit', message: 'must be an integer' }],
  );
});

test('null characters are refused, as in a query', () => {
  for (const q of ['\0', 'a\0b']) {
    assert.deepEqual(
      errorsOf(() => parseJson({ q })),
      [{ path: 'q', message: 'must not contain null characters' }],
    );
  }
});

test('text that says true or false is that, and nothing else is', () => {
  const flags = createInputParser(Type.Object({ flag: Type.Boolean() }), 'text');
  assert.deepEqual({ ...(flags({ flag: 'true' }) as object) }, { flag: true });
  assert.deepEqual({ ...(flags({ flag: 'false' }) as object) }, { flag: false });
  const [error] = errorsOf(() => flags({ flag: 'yes' })) ?? [];
  assert.deepEqual(error, { path: 'flag', message: 'must be a boolean' });
});

test('every bad field is named with what it must be', () => {
  assert.deepEqual(
    errorsOf(() => parseText({ limit: '101', side: 'hold', extra: '1', events: 'x' })),
    [
      { path: 'q', message: 'is required' },
      { path: 'extra', message: 'is not a known field' },
      { path: 'limit', message: 'must be at most 100' },
      { path: 'side', message: 'must be one of buy, sell' },
      { path: 'events.0', message: 'must be one of trade, kline' },
    ],
  );
  assert.deepEqual(
    errorsOf(() => parseJson({ q: 'a', deep: { flag: 1 } })),
    [{ path: 'deep.flag', message: 'must be a boolean' }],
  );
});

test('an unknown field that is nearly a known one is told which', () => {
  for (const given of ['lim', 'limits', 'LIMIT']) {
    const [error] = errorsOf(() => parseText({ q: 'a', [given]: '1' })) ?? [];
    assert.equal(error?.message, 'is not a known field; did you mean limit?', given);
  }
});

test('a field called __proto__ is refused like any unknown field', () => {
  const raw = JSON.parse('{"q":"a","__proto__":{"limit":1}}');
  assert.deepEqual(
    errorsOf(() => parseJson(raw)),
    [{ path: '__proto__', message: 'is not a known field' }],
  );
});

test('a hostile field name is shown short and clean, and many are cut off', () => {
  const raw: Record<string, string> = { q: 'a', [`\u202e\n${'x'.repeat(500)}`]: '1' };
  for (let i = 0; i < 500; i += 1) raw[`f${i}`] = '1';
  const errors = errorsOf(() => parseText(raw)) ?? [];
  assert.ok(errors.length > 1 && errors.length <= 20);
  assert.match(errors[0]?.path ?? '', /^��x{62}…$/);
});
