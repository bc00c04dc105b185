// Every MCP result is written by the serialiser of its schema, not only those of tools.

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { Compile } from 'typebox/compile';
import type { HandlerContext } from '../../src/contract/handler.ts';
import { getEntitlements } from '../../src/contract/operations/get-entitlements.ts';
import { mcpResultSchemas } from '../../src/contract/schemas/mcp-result-schemas.ts';
import { createMcp, type McpOptions } from '../../src/mcp/create-mcp.ts';
import type { Prompt } from '../../src/mcp/prompts.ts';
import { ERROR_TEMPLATE, type Resource } from '../../src/mcp/resources.ts';
import type { Json } from '../market-scene.ts';
import { buildStatelessRequest } from './start-mcp.ts';

const RESOURCE: Resource = {
  ...{ uri: 'test://one', name: 'one', title: 'One', description: 'One.' },
  ...{ mimeType: 'text/plain', text: 'one', cache: { ttlMs: 1000, scope: 'public' } },
};

const PROMPT: Prompt = {
  ...{ name: 'ask', title: 'Ask', description: 'Asks.', arguments: [], needs: [] },
  write: () => 'a question',
};

function createEndpoint(content: Partial<McpOptions> = {}) {
  const errors: string[] = [];
  const mcp = createMcp({
    operations: [getEntitlements],
    handlers: { getEntitlements: () => getEntitlements.example.answer },
    version: '1.0.0',
    resources: [RESOURCE],
    templates: [ERROR_TEMPLATE],
    prompts: [PROMPT],
    listChains: () => ['devnet'],
    logger: { error: (fields) => errors.push(String((fields as { err?: unknown }).err)) },
    ...content,
  });
  const context = { requestId: 'r', identity: { kind: 'anonymous' } } as HandlerContext;
  return {
    errors,
    async call(body: Json, headers: Readonly<Record<string, string>> = {}): Promise<Json> {
      const request = { body: Buffer.from(JSON.stringify(body)), headers };
      const bill = { charge: () => undefined, work: {}, end: () => undefined };
      const billed = { ...request, begin: () => bill, rename: () => undefined };
      const answer = await mcp(billed, context);
      const pieces = typeof answer.body === 'string' ? [answer.body] : (answer.body ?? []);
      return JSON.parse(pieces.map(String).join(''));
    },
  };
}

function buildMessage(method: string, params: object = {}): Json {
  return { jsonrpc: '2.0', id: 1, method, params };
}

const READ = { uri: 'test://one' };
const COMPLETE = {
  ref: { type: 'ref/prompt', name: 'ask' },
  argument: { name: 'chain', value: '' },
};

const CASES: readonly [keyof typeof mcpResultSchemas, string, Readonly<Record<string, unknown>>][] =
  [
    ['initialize', 'initialize', { protocolVersion: '2025-11-25' }],
    ['discover', 'server/discover', {}],
    ['tools', 'tools/list', {}],
    ['toolError', 'tools/call', { name: 'get_entitlements', arguments: { x: 1 } }],
    ['resources', 'resources/list', {}],
    ['resourceTemplates', 'resources/templates/list', {}],
    ['resource', 'resources/read', READ],
    ['prompts', 'prompts/list', {}],
    ['prompt', 'prompts/get', { name: 'ask' }],
    ['completion', 'completion/complete', COMPLETE],
  ];

describe('the results of MCP methods', () => {
  test('every schema has a case', () => {
    assert.deepEqual(CASES.map(([name]) => name).sort(), Object.keys(mcpResultSchemas).sort());
  });

  for (const [name, method, params] of CASES) {
    test(`${method} answers with what its schema declares`, async () => {
      const endpoint = createEndpoint();
      const check = Compile(mcpResultSchemas[name]);
      if (name !== 'discover') {
        const { result } = await endpoint.call(buildMessage(method, params));
        assert.ok(check.Check(result), JSON.stringify(result));
      }
      if (name === 'initialize') return;
      const { body, headers } = buildStatelessRequest(method, params);
      const { result } = await endpoint.call(body, headers);
      const { ttlMs, cacheScope, resultType, _meta, ...own } = result;
      assert.ok(check.Check(own), JSON.stringify(own));
      assert.deepEqual([resultType, Object.keys(_meta).length], ['complete', 1]);
      assert.equal(typeof ttlMs === 'number', cacheScope === 'public');
    });
  }

  test('a value of another type is an internal error in the log, never sent', async () => {
    const text = (() => ({ secret: 1 })) as never;
    const endpoint = createEndpoint({
      resources: [{ ...RESOURCE, text }],
      prompts: [{ ...PROMPT, write: (() => ({ secret: 2 })) as never }],
    });
    const calls = [
      buildMessage('resources/read', READ),
      buildMessage('prompts/get', { name: 'ask' }),
    ];
    for (const [index, call] of calls.entries()) {
      const answer = await endpoint.call(call);
      assert.equal(answer.error?.code, -32603, JSON.stringify(answer));
      assert.doesNotMatch(JSON.stringify(answer), /secret/);
      assert.match(endpoint.errors[index] ?? '', /AnswerMismatchError: The result of .* \/\w+/);
    }
  });

  test('a list that does not fit its schema stops the start', () => {
    const start = () => createEndpoint({ prompts: [{ ...PROMPT, description: 5 as never }] });
    assert.throws(start, { name: 'AnswerMismatchError', message: /prompts\/list/ });
  });

  test('undeclared fields of listed entries are dropped', async () => {
    const endpoint = createEndpoint({ resources: [{ ...RESOURCE, secret: 1 } as never] });
    const { result } = await endpoint.call(buildMessage('resources/list'));
    assert.equal(result.resources.length, 1);
    assert.ok(!('secret' in result.resources[0]));
  });
});
