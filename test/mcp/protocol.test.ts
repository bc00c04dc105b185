// How the endpoint implements the protocol: generations, messages, batches, headers, errors.

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { BATCH_MESSAGES_MAX } from '../../src/mcp/parse-messages.ts';
import type { Json } from '../market-scene.ts';
import { setUp } from '../root-hooks.ts';
import { buildStatelessRequest, type McpServer, MINT, startMcp, VERSION } from './start-mcp.ts';

let mcp: McpServer;

setUp(async (t) => {
  mcp = await startMcp(t);
});

const PING = { jsonrpc: '2.0', id: 1, method: 'ping' };

describe('the revisions with a handshake', () => {
  for (const revision of ['2025-11-25', '2025-06-18', '2025-03-26']) {
    test(`initialize agrees on ${revision}, without a session`, async () => {
      const params = {
        protocolVersion: revision,
        capabilities: {},
        clientInfo: { name: 'test', version: '1' },
      };
      const request = { jsonrpc: '2.0', id: 0, method: 'initialize', params };
      const { status, headers, json } = await mcp.post(request, { accept: '*/*' });
      assert.equal(status, 200);
      assert.match(headers.get('content-type') ?? '', /^application\/json/);
      assert.equal(headers.get('mcp-session-id'), null);
      assert.equal(json.id, 0);
      assert.equal(json.result.protocolVersion, revision);
      assert.deepEqual(
        [json.result.serverInfo.name, json.result.serverInfo.version],
        ['mintwire', VERSION],
      );
      assert.deepEqual(Object.keys(json.result.capabilities).sort(), [
        'completions',
        'prompts',
        'resources',
        'tools',
      ]);
      const note = { jsonrpc: '2.0', method: 'notifications/initialized' };
      const noted = await mcp.post(note, { 'mcp-protocol-version': revision });
      assert.deepEqual([noted.status, noted.text], [202, '']);
      const pinged = await mcp.post(PING, { 'mcp-protocol-version': revision });
      assert.deepEqual(pinged.json, { jsonrpc: '2.0', id: 1, result: {} });
    });
  }

  test('an unsupported version is answered with the newest supported one', async () => {
    for (const protocolVersion of ['2024-11-05', '2026-07-28', '1999-01-01']) {
      const { result } = await mcp.call('initialize', { protocolVersion });
      assert.equal(result.protocolVersion, '2025-11-25');
    }
    assert.equal((await mcp.call('initialize', {})).error.code, -32602);
  });

  test('a header with an unknown version is rejected with the supported ones', async () => {
    const { status, json } = await mcp.post(PING, { 'mcp-protocol-version': '1999-01-01' });
    assert.equal(status, 400);
    assert.equal(json.error.code, -32022);
    assert.deepEqual(json.error.data.supported, ['2025-11-25', '2025-06-18', '2025-03-26']);
  });

  test('tools are listed and called without a handshake', async () => {
    const { result } = await mcp.call('tools/list');
    assert.equal(result.resultType, undefined);
    assert.ok(result.tools.length >= 7);
    assert.equal((await mcp.call('server/discover')).error.code, -32601);
  });
});

describe('the stateless revision', () => {
  test('server/discover names versions, capabilities and the server', async () => {
    const { body, headers } = buildStatelessRequest('server/discover');
    const { status, json } = await mcp.post(body, headers);
    assert.equal(status, 200);
    const { result } = json;
    assert.deepEqual(result.supportedVersions, ['2026-07-28']);
    assert.equal(result.resultType, 'complete');
    assert.deepEqual([result.cacheScope, Number.isInteger(result.ttlMs)], ['public', true]);
    assert.equal(result._meta['io.modelcontextprotocol/serverInfo'].name, 'mintwire');
    assert.match(result.instructions, /strangers/);
  });

  test('methods of the handshake are unknown', async () => {
    for (const method of ['initialize', 'ping', 'logging/setLevel', 'constructor', '']) {
      const { body, headers } = buildStatelessRequest(method);
      const { status, json } = await mcp.post(body, { ...headers, 'mcp-method': method });
      assert.deepEqual([status, json.error.code, json.id], [404, -32601, 'a'], method);
    }
  });

  const VERSION_KEY = 'io.modelcontextprotocol/protocolVersion';
  const CAPABILITIES_KEY = 'io.modelcontextprotocol/clientCapabilities';
  const good = buildStatelessRequest('tools/call', { name: 'get_entitlements', arguments: {} });
  const without = (name: string) =>
    Object.fromEntries(Object.entries(good.headers).filter(([one]) => one !== name));
  const withMeta = (change: object): Json => ({
    ...good.body,
    params: { ...good.body.params, _meta: { ...good.body.params._meta, ...change } },
  });
  const CASES: readonly [string, Json, Record<string, string>, number][] = [
    ['no _meta', { ...good.body, params: { name: 'get_entitlements' } }, good.headers, -32602],
    ['a malformed version', withMeta({ [VERSION_KEY]: 5 }), good.headers, -32602],
    ['malformed capabilities', withMeta({ [CAPABILITIES_KEY]: 'all' }), good.headers, -32602],
    [
      'another version in the header',
      good.body,
      { ...good.headers, 'mcp-protocol-version': '2025-11-25' },
      -32020,
    ],
    [
      'an unknown version',
      withMeta({ [VERSION_KEY]: '2030-01-01' }),
      { ...good.headers, 'mcp-protocol-version': '2030-01-01' },
      -32022,
    ],
    ['no version header', good.body, without('mcp-protocol-version'), -32020],
    ['no method header', good.body, without('mcp-method'), -32020],
    ['another method header', good.body, { ...good.headers, 'mcp-method': 'tools/list' }, -32020],
    ['no name header', good.body, without('mcp-name'), -32020],
    ['another name header', good.body, { ...good.headers, 'mcp-name': 'get_token' }, -32020],
    ['a broken name header', good.body, { ...good.headers, 'mcp-name': '=?base64?%%?=' }, -32020],
  ];
  for (const [name, body, headers, code] of CASES) {
    test(`${name} is refused with ${code}`, async () => {
      const { status, json } = await mcp.post(body, headers);
      assert.deepEqual([status, json.error.code, json.id], [400, code, 'a']);
    });
  }

  test('a name in Base64 and spaces around header values are understood', async () => {
    const encoded = `=?base64?${Buffer.from('get_entitlements').toString('base64')}?=`;
    for (const name of [encoded, '  get_entitlements  ']) {
      const { json } = await mcp.post(good.body, { ...good.headers, 'mcp-name': name });
      assert.equal(json.result.structuredContent.level, 'anonymous', name);
    }
  });

  test('notifications are accepted without an answer', async () => {
    const note = { jsonrpc: '2.0', method: 'notifications/cancelled', params: {} };
    const { status, text } = await mcp.post(note, { 'mcp-protocol-version': '2026-07-28' });
    assert.deepEqual([status, text], [202, '']);
  });
});

describe('messages', () => {
  const MALFORMED: readonly [string, string, number][] = [
    ['text that is no JSON', '{"jsonrpc":', -32700],
    ['no text at all', '', -32700],
    ['a text', '"ping"', -32600],
    ['a number', '5', -32600],
    ['null', 'null', -32600],
    ['another version of JSON-RPC', '{"jsonrpc":"1.0","id":1,"method":"ping"}', -32600],
    ['no method', '{"jsonrpc":"2.0","id":1}', -32600],
    ['a method that is no text', '{"jsonrpc":"2.0","id":1,"method":5}', -32600],
    ['an id that is null', '{"jsonrpc":"2.0","id":null,"method":"ping"}', -32600],
    ['an id that is an object', '{"jsonrpc":"2.0","id":{},"method":"ping"}', -32600],
    ['params that are a list', '{"jsonrpc":"2.0","id":1,"method":"ping","params":[]}', -32602],
  ];
  for (const [name, text, code] of MALFORMED) {
    test(`${name} is refused with ${code}`, async () => {
      const { status, json } = await mcp.post(text);
      assert.deepEqual([status, json.error.code, json.jsonrpc], [400, code, '2.0']);
    });
  }

  test('a response without a request is accepted and dropped', async () => {
    const { status, text } = await mcp.post({ jsonrpc: '2.0', id: 5, result: {} });
    assert.deepEqual([status, text], [202, '']);
  });

  test('ids come back as they were', async () => {
    for (const id of [0, -1, 1.5, '', 'é"\\', 9007199254740991]) {
      assert.deepEqual((await mcp.post({ ...PING, id })).json.id, id);
    }
  });

  test('unknown methods, tools and parameters are errors of the protocol', async () => {
    assert.equal((await mcp.call('tools/unknown')).error.code, -32601);
    const CALLS: readonly object[] = [
      { name: 'no_such_tool' },
      { name: 'toString' },
      { name: 5 },
      { name: { toString: 1 } },
      {},
      { name: 'get_token', arguments: [] },
      { name: 'get_token', arguments: 'x' },
    ];
    for (const params of CALLS) {
      const answer = await mcp.call('tools/call', params);
      assert.equal(answer.error?.code, -32602, JSON.stringify(params));
    }
    const deep = `${'['.repeat(20_000)}${']'.repeat(20_000)}`;
    const { json } = await mcp.post(
      `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":${deep}}}`,
    );
    assert.equal(json.error?.code, -32602);
    assert.equal((await mcp.call('tools/list', { cursor: 'x' })).error.code, -32602);
  });
});

describe('batches', () => {
  const batch = [
    PING,
    { jsonrpc: '2.0', method: 'notifications/initialized' },
    { jsonrpc: '2.0', id: 'b', method: 'tools/call', params: { name: 'get_entitlements' } },
    { jsonrpc: '2.0', id: 'c', method: 'nothing' },
  ];

  test('2025-03-26 has them, and each request in one gets its answer', async () => {
    for (const headers of [{}, { 'mcp-protocol-version': '2025-03-26' }]) {
      const { status, json } = await mcp.post(batch, headers);
      assert.equal(status, 200);
      assert.deepEqual(
        json.map((one: Json) => one.id),
        [1, 'b', 'c'],
      );
      assert.equal(json[1].result.structuredContent.level, 'anonymous');
      assert.equal(json[2].error.code, -32601);
    }
  });

  test('a batch of notifications is accepted without an answer', async () => {
    const note = { jsonrpc: '2.0', method: 'notifications/initialized' };
    const { status, text } = await mcp.post([note, note]);
    assert.deepEqual([status, text], [202, '']);
  });

  test('other revisions have none', async () => {
    for (const version of ['2025-06-18', '2025-11-25', '2026-07-28']) {
      const { status } = await mcp.post(batch, { 'mcp-protocol-version': version });
      assert.equal(status, 400, version);
    }
    const { body } = buildStatelessRequest('tools/list');
    assert.equal((await mcp.post([body])).json.error.code, -32600);
  });

  test('they are bounded, not empty, and cannot contain a handshake', async () => {
    const pings = (count: number) => Array.from({ length: count }, (_, id) => ({ ...PING, id }));
    assert.equal((await mcp.post(pings(BATCH_MESSAGES_MAX))).json.length, BATCH_MESSAGES_MAX);
    assert.equal((await mcp.post(pings(BATCH_MESSAGES_MAX + 1))).status, 400);
    assert.equal((await mcp.post([])).status, 400);
    const hello = { ...PING, method: 'initialize', params: { protocolVersion: '2025-03-26' } };
    assert.equal((await mcp.post([hello])).json.error.code, -32600);
  });
});

describe('HTTP', () => {
  test('GET and DELETE are not allowed, since there is no stream and no session', async () => {
    for (const method of ['GET', 'DELETE', 'PUT', 'HEAD']) {
      const response = await fetch(mcp.url, { method });
      assert.deepEqual([response.status, response.headers.get('allow')], [405, 'OPTIONS, POST']);
    }
  });

  test('bodies are JSON of at most 64 KiB, and there is no query', async () => {
    const large = { ...PING, params: { text: 'x'.repeat(65_536) } };
    assert.equal((await mcp.post(large)).status, 413);
    assert.equal((await mcp.post(PING, { 'content-type': 'text/plain' })).status, 415);
    const asked = await fetch(`${mcp.url}?a=1`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(PING),
    });
    assert.equal(asked.status, 400);
  });

  test('any Accept will do, and the answer is JSON', async () => {
    for (const accept of ['*/*', 'application/json', 'application/json, text/event-stream']) {
      const { headers } = await mcp.post(PING, { accept });
      assert.equal(headers.get('content-type'), 'application/json; charset=utf-8');
      assert.equal(headers.get('cache-control'), 'no-store');
    }
  });

  test('long answers are compressed for clients that ask, and the same inside', async () => {
    const input = {
      name: 'get_klines',
      arguments: { chain: 'devnet', mint: MINT, interval: '1m' },
    };
    const call = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: input };
    const list = { jsonrpc: '2.0', id: 2, method: 'tools/list' };
    for (const request of [call, list, PING]) {
      const plain = await mcp.post(request, { 'accept-encoding': 'identity' });
      assert.equal(plain.headers.get('content-encoding'), null);
      for (const [asked, encoding] of [
        ['gzip', 'gzip'],
        ['br, gzip', 'gzip'],
        ['br', 'br'],
      ] as const) {
        const answer = await mcp.post(request, { 'accept-encoding': asked });
        const expected = request === PING ? null : encoding;
        assert.equal(answer.headers.get('content-encoding'), expected);
        assert.equal(answer.headers.get('vary'), 'Origin, Accept-Encoding');
        assert.deepEqual(answer.json, plain.json);
      }
    }
  });

  test('the log names the tool or method that was called', async () => {
    await mcp.callTool('get_entitlements', {});
    await mcp.call('tools/list');
    await mcp.call('made/up');
    await fetch(`${mcp.server.origin}/v1/entitlements`);
    const logged = mcp.server.logLines.map((line) => JSON.parse(line).operation);
    for (const name of ['mcp get_entitlements', 'mcp tools/list', 'callMcp']) {
      assert.ok(logged.includes(name), name);
    }
    assert.ok(!logged.some((name) => name?.includes('made')));
  });
});
