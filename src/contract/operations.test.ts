// Pins what must hold for every operation, including future ones.

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { Compile } from 'typebox/compile';
import { renderDocsPage } from './docs-page.ts';
import { renderLlmsText } from './llms-text.ts';
import { buildOpenapi } from './openapi.ts';
import { listErrorCodes, type Operation } from './operation.ts';
import { operations } from './operations.ts';
import { createInputParser } from './parse-input.ts';

const all: readonly Operation[] = operations;

interface OpenapiOperation {
  readonly operationId: string;
  readonly parameters?: readonly { readonly name: string; readonly in: string }[];
  readonly responses: Record<
    string,
    { description: string; headers?: object; content?: Record<string, unknown> }
  >;
}

const document = buildOpenapi(operations, { version: '1.2.3' }) as unknown as {
  readonly paths: Record<string, Record<string, OpenapiOperation>>;
};

describe('definitions', () => {
  test('ids and routes are unique', () => {
    assert.equal(new Set(all.map((one) => one.id)).size, all.length);
    assert.equal(new Set(all.map((one) => `${one.method} ${one.path}`)).size, all.length);
  });

  for (const operation of all) {
    test(`${operation.id} refuses fields it does not know, in and out`, () => {
      const input = operation.input as { additionalProperties?: unknown };
      assert.equal(input.additionalProperties, false);
      const parse = createInputParser(operation.input, 'json');
      assert.throws(() => parse({ ...operation.example.input, surprise: 1 }));
      assert.doesNotThrow(() => parse(operation.example.input));
    });

    test(`${operation.id} has an example that its schema accepts`, () => {
      assert.ok(Compile(operation.output).Check(operation.example.answer));
    });
  }
});

describe('documents', () => {
  test('OpenAPI lists exactly the operations, with every error they may give', () => {
    const listed = Object.entries(document.paths).flatMap(([path, item]) =>
      Object.entries(item).map(([method, one]) => `${method} ${path} ${one.operationId}`),
    );
    const defined = all.map((one) => `${one.method.toLowerCase()} ${one.path} ${one.id}`);
    assert.deepEqual(listed.sort(), defined.sort());
    for (const operation of all) {
      const entry = document.paths[operation.path]?.[operation.method.toLowerCase()];
      const documented = JSON.stringify(entry?.responses);
      for (const code of listErrorCodes(operation)) assert.ok(documented.includes(code), code);
    }
  });

  test('answers that shared caches may store have an ETag', () => {
    for (const operation of all) {
      const entry = document.paths[operation.path]?.[operation.method.toLowerCase()];
      const documented = {
        etag: 'ETag' in (entry?.responses[String(operation.status)]?.headers ?? {}),
        notModified: entry?.responses['304'] !== undefined,
        asked: entry?.parameters?.some(({ name }) => name === 'If-None-Match') ?? false,
      };
      const is = operation.cacheControl.startsWith('public');
      assert.deepEqual(documented, { etag: is, notModified: is, asked: is }, operation.id);
    }
  });

  test('the readable reference and llms.txt name every operation', async () => {
    const about = { version: '1.2.3', guides: [] };
    const page = await renderDocsPage(operations, about);
    const text = renderLlmsText(operations, about);
    for (const operation of all) {
      assert.ok(page.includes(`/v1${operation.path}`));
      assert.ok(text.includes(`${operation.method} /v1${operation.path}`));
    }
    // One script and one style sheet: the policy allows each by its hash.
    assert.deepEqual(page.match(/<(?:script|style)\b[^>]*>/g), ['<style>', '<script>']);
  });
});
