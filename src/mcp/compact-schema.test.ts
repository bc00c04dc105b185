// The short schemas of `tools/list` accept what tools answer, and keep what a model needs.

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { TSchema } from 'typebox';
import Type from 'typebox';
import { Compile } from 'typebox/compile';
import type { Operation } from '../contract/operation.ts';
import { operations } from '../contract/operations.ts';
import { compactInput, compactOutput } from './compact-schema.ts';
import { createTools } from './tools.ts';

const exposed = (operations as readonly Operation[]).filter(({ mcp }) => mcp !== null);

describe('outputs', () => {
  for (const { id, output, example } of exposed) {
    test(`the short schema of ${id} accepts its example and names its fields`, () => {
      const short = compactOutput(output);
      const check = Compile(short as unknown as TSchema);
      const errors = [...check.Errors(example.answer)].slice(0, 3);
      assert.ok(check.Check(example.answer), JSON.stringify(errors));
      const { properties } = output as unknown as { properties: object };
      assert.deepEqual(Object.keys(short['properties'] as object), Object.keys(properties));
    });
  }

  test('a value of another type is refused still', () => {
    const short = compactOutput(
      Type.Object({
        rows: Type.Array(Type.Object({ at: Type.Integer({ description: 'When.' }) })),
        price: Type.Union([Type.String(), Type.Null()]),
        links: Type.Union([Type.Object({ x: Type.String() }), Type.Null()]),
      }),
    );
    assert.deepEqual(short, {
      type: 'object',
      properties: {
        rows: { type: 'array', items: { type: 'object', properties: { at: { type: 'integer' } } } },
        price: {},
        links: { type: ['object', 'null'] },
      },
    });
    const check = Compile(short as unknown as TSchema);
    assert.ok(check.Check({ rows: [{ at: 1 }], price: null, links: null }));
    assert.ok(!check.Check({ rows: [{ at: 'now' }], price: null, links: null }));
    assert.ok(!check.Check({ rows: [], price: '5', links: 5 }));
  });
});

test('an input keeps its values, bounds and default, and loses what every tool shares', () => {
  const schema = { type: 'integer', minimum: 1, maximum: 9, default: 3, description: 'Rows.' };
  assert.deepEqual(compactInput('depth', schema), schema);
  const { description: _, ...rest } = schema;
  assert.deepEqual(compactInput('limit', schema), rest);
  const text = { type: 'string', minLength: 1, maxLength: 64, description: 'A venue.' };
  assert.deepEqual(compactInput('venue', text), { type: 'string', description: 'A venue.' });
});

test('the list of all tools is at most 24,000 bytes, because a model reads all of it', () => {
  const handlers = Object.fromEntries(exposed.map(({ id }) => [id, () => null]));
  const all = [...createTools(exposed, handlers).values()];
  // Those of a wallet are listed to its own keys alone.
  const tools = all.filter((tool) => !tool.isOwned);
  const sizes = tools.map(({ name, listed }) => ({
    name,
    bytes: Buffer.byteLength(JSON.stringify(listed)),
  }));
  const bytes = sizes.reduce((sum, one) => sum + one.bytes + 1, 0);
  assert.ok(bytes <= 24_000, `${bytes} bytes`);
  assert.deepEqual(
    sizes.filter((one) => one.bytes > 3400),
    [],
  );
  const owned = all.filter((tool) => tool.isOwned).map(({ listed }) => JSON.stringify(listed));
  assert.ok(Buffer.byteLength(owned.join()) <= 5000, `${Buffer.byteLength(owned.join())} bytes`);
});
