// Pins that only what the contract declares is ever sent, whatever handlers return.

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import Type from 'typebox';
import { PLANTED, plantUndeclared, plantWrongTypes } from '../../test/plant-faults.ts';
import {
  AnswerMismatchError,
  createAnswerSerializer,
  createOpenSerializer,
  createSerializer,
} from './create-serializer.ts';
import type { Operation } from './operation.ts';
import { operations } from './operations.ts';

/** Documents of other standards, which may contain anything. */
const OPEN_IDS: readonly string[] = ['getOpenapi', 'callMcp'];

const closed = (operations as readonly Operation[]).filter(
  ({ id, mediaType }) => mediaType === 'application/json' && !OPEN_IDS.includes(id),
);

describe('answers of every operation', () => {
  for (const operation of closed) {
    const { id, example } = operation;
    const serialize = createAnswerSerializer(operation);

    test(`${id} sends what its schema declares`, () => {
      assert.deepEqual(JSON.parse(serialize(example.answer)), example.answer);
    });

    test(`${id} never sends an undeclared field`, () => {
      for (const { path, value } of plantUndeclared(example.answer)) {
        let text = '';
        try {
          text = serialize(value);
        } catch (error) {
          // Maps have no undeclared fields: each of their values must match.
          assert.ok(error instanceof AnswerMismatchError, path);
        }
        assert.ok(!text.includes(PLANTED), path);
      }
    });

    test(`${id} never sends a value of a type that is not declared`, () => {
      for (const { path, value } of plantWrongTypes(example.answer)) {
        assert.throws(() => serialize(value), AnswerMismatchError, path);
      }
    });
  }
});

describe('serialisers', () => {
  const schema = Type.Object(
    { text: Type.String(), count: Type.Optional(Type.Integer({ minimum: 0 })) },
    { title: 'Sample', additionalProperties: false },
  );
  const serialize = createSerializer(schema) as (value: unknown) => string;

  test('an undeclared field is dropped, and the value that was given stays as it is', () => {
    const given = { text: 'a', secret: 1 };
    assert.equal(serialize(given), '{"text":"a"}');
    assert.deepEqual(given, { text: 'a', secret: 1 });
  });

  test('values are never converted to fit', () => {
    const faults = [
      { text: 5 },
      { text: null },
      { text: 'a', count: '3' },
      { text: 'a', count: 1n },
    ];
    for (const value of [...faults, { text: 'a', count: Number.NaN }, {}, null, undefined]) {
      assert.throws(() => serialize(value), AnswerMismatchError);
    }
  });

  test('the error names the schema and the field, not the value', () => {
    assert.throws(
      () => serialize({ text: 4711 }),
      ({ message }: Error) =>
        /Sample/.test(message) && /\/text/.test(message) && !/4711/.test(message),
    );
  });

  test('text is sent as it is, and only text', () => {
    const serializeText = createAnswerSerializer({
      ...operations[0],
      mediaType: 'text/plain',
    } as never);
    assert.equal(serializeText('a "b"'), 'a "b"');
    assert.throws(() => serializeText({ a: 1 }), AnswerMismatchError);
  });

  test('an open object leaves out the field that is put in later, even if it is there', () => {
    const lateSchema = Type.Integer();
    const whole = Type.Object({ text: Type.String(), late: lateSchema });
    const serializeOpen = createOpenSerializer(whole, 'late', lateSchema);
    assert.equal(serializeOpen({ text: 'a', late: 7 } as never), '{"text":"a"');
    assert.throws(() => serializeOpen({ text: 5 } as never), AnswerMismatchError);
  });

  test('a late field has the very schema that the object declares', () => {
    const whole = Type.Object({ text: Type.String(), late: Type.Integer() });
    assert.throws(() => createOpenSerializer(whole, 'late', Type.Integer()), /another schema/);
  });
});
