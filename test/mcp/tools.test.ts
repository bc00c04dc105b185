// A tool equals its HTTP operation: same results, same checks, smaller defaults, actionable errors.

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import Type from 'typebox';
import { Compile } from 'typebox/compile';
import { defineOperation, type Operation } from '../../src/contract/operation.ts';
import { emptyInput } from '../../src/contract/schemas/empty-input.ts';
import { ERROR_CATALOGUE, ERROR_CODES } from '../../src/errors/catalogue.ts';
import { UnavailableError } from '../../src/errors/unavailable-error.ts';
import { buildFakeAddress } from '../fakes/fake-market.ts';
import type { Json } from '../market-scene.ts';
import { setUp } from '../root-hooks.ts';
import { waitUntil } from '../wait-until.ts';
import { buildStatelessRequest, type McpServer, MINT, startMcp } from './start-mcp.ts';

const TOKEN = { chain: 'devnet', mint: MINT };
const WALLET = { chain: 'devnet', wallet: buildFakeAddress('cccc', 2) };

/** Inputs for each tool; a tool without any fails a test. */
const INPUTS: Readonly<Record<string, readonly Readonly<Record<string, unknown>>[]>> = {
  get_capabilities: [{}],
  get_entitlements: [{}],
  search_tokens: [
    { q: MINT, limit: 3 },
    { q: 'token', chain: 'eip155:1337', limit: 2 },
  ],
  list_tokens: [
    { limit: 3 },
    { sort: 'volume', window: '1h', include: ['unpriced', 'native'], limit: 2 },
  ],
  list_pools: [{ limit: 3 }, { chain: ['devnet'], mint: MINT, sort: 'volume', limit: 2 }],
  get_token: [TOKEN, { chain: 'devnet', mint: MINT.toUpperCase().replace('0X', '0x') }],
  get_prices: [{ tokens: [TOKEN] }, { tokens: [TOKEN, TOKEN], at: 1_700_000_000_000 }],
  get_klines: [
    { ...TOKEN, interval: '1m', limit: 7 },
    { ...TOKEN, interval: '1h', limit: 500, currency: 'native', outliers: 'include' },
    { ...TOKEN, interval: '5s', limit: 9, startTime: 0, fill: 'previous' },
  ],
  get_trades: [
    { ...TOKEN, limit: 3 },
    { ...TOKEN, limit: 100, side: 'buy', minUsd: '0.5' },
  ],
  get_token_safety: [TOKEN],
  get_holders: [
    { ...TOKEN, limit: 2 },
    { ...TOKEN, limit: 100, exclude: ['pool', 'burn'] },
  ],
  get_wallet_balances: [WALLET, { ...WALLET, limit: 2 }],
  get_wallet_positions: [WALLET, { ...WALLET, limit: 1 }],
};

/** Trading is not in this scene; its tools are compared on a real chain. */
const ELSEWHERE = new Set(['get_quote', 'get_trade_status']);

const broken = (id: string, tool: string): Operation =>
  defineOperation({
    ...{ id, method: 'GET', path: `/${id}`, tag: 'Market', summary: 'Fail', description: 'Fails.' },
    ...{ cost: 'read', cacheControl: 'no-store', input: emptyInput },
    output: Type.Object({}, { additionalProperties: false }),
    example: { input: {}, answer: {} },
    mcp: { tool, title: 'Fail', description: 'Fails.' },
  });

let mcp: McpServer;

setUp(async (t) => {
  mcp = await startMcp(t, {
    extra: {
      operations: [broken('failThing', 'fail_thing'), broken('missThing', 'miss_thing')],
      handlers: {
        failThing: () => {
          throw new Error('password of the store is hunter2');
        },
        missThing: async () => {
          throw new UnavailableError('The node', new Error('10.0.0.7 refused'));
        },
      },
    },
  });
  // Search orders by volumes, which it learns a moment after the start.
  await waitUntil(async () => {
    const { tokens } = await mcp.get('/tokens/search?q=token&limit=1');
    return tokens[0].trades24h > 0;
  });
});

function toQuery(input: Readonly<Record<string, unknown>>): string {
  const pairs = Object.entries(input).map(([name, value]): [string, string] => [
    name,
    String(value),
  ]);
  return pairs.length === 0 ? '' : `?${new URLSearchParams(pairs)}`;
}

async function listTools(): Promise<Json[]> {
  return (await mcp.call('tools/list')).result.tools;
}

describe('tools and their HTTP operations', () => {
  test('every tool is compared with its HTTP operation', async () => {
    const own = new Set(['fail_thing', 'miss_thing']);
    const names = (await listTools()).map((tool) => tool.name).filter((name) => !own.has(name));
    const compared = Object.keys(INPUTS);
    assert.deepEqual(names.filter((name) => !ELSEWHERE.has(name)).sort(), compared.sort());
  });

  for (const [tool, inputs] of Object.entries(INPUTS)) {
    test(`${tool} gives the answer of its HTTP operation, as data and as text`, async () => {
      const operation = mcp.operations.find((one) => one.mcp?.tool === tool)!;
      const listed = (await listTools()).find((one) => one.name === tool);
      const fits = Compile(listed.outputSchema);
      for (const input of inputs) {
        const isPost = operation.method === 'POST';
        const path = isPost ? operation.path : `${operation.path}${toQuery(input)}`;
        const answer = isPost
          ? (await mcp.send('POST', path, { body: input })).body
          : await mcp.get(path);
        const asked = operation.mcp?.brief ? { ...input, fields: 'all' } : input;
        const result = await mcp.callTool(tool, asked);
        assert.equal(result.isError, undefined, JSON.stringify(result));
        assert.deepEqual(result.structuredContent, answer, path);
        assert.deepEqual(JSON.parse(result.content[0].text), answer);
        assert.ok(fits.Check(result.structuredContent), 'fits the schema that it is listed with');
        const { body, headers } = buildStatelessRequest('tools/call', {
          name: tool,
          arguments: asked,
        });
        const stateless = (await mcp.post(body, headers)).json.result;
        assert.deepEqual(stateless.structuredContent, answer);
        assert.equal(stateless.resultType, 'complete');
      }
    });
  }

  test('in a batch each answers as it does alone', async () => {
    const calls = Object.entries(INPUTS).map(([name, inputs]) => ({ name, arguments: inputs[0] }));
    const buildMessage = (params: object, id: number) => ({
      ...{ jsonrpc: '2.0', id, method: 'tools/call', params },
    });
    // A batch may have 20 messages.
    for (let start = 0; start < calls.length; start += 10) {
      const part = calls.slice(start, start + 10);
      const { json } = await mcp.post([...part, ...part].map(buildMessage));
      assert.equal(json.length, 2 * part.length);
      for (const [id, params] of [...part, ...part].entries()) {
        assert.deepEqual(json[id], (await mcp.post(buildMessage(params, id))).json, params.name);
      }
    }
  });

  test('rows have the usual fields, and less than half the size, unless all are asked for', async () => {
    for (const [tool, rows, input] of [
      ['get_trades', 'trades', { ...TOKEN, limit: 20 }],
      ['list_tokens', 'tokens', { limit: 10, window: '1h' }],
      ['search_tokens', 'tokens', { q: 'token', limit: 10 }],
    ] as const) {
      const { brief } = mcp.operations.find((one) => one.mcp?.tool === tool)!.mcp!;
      const usual = (await mcp.callTool(tool, input)).structuredContent;
      const whole = (await mcp.callTool(tool, { ...input, fields: 'all' })).structuredContent;
      const picked = whole[rows].map((row: Json) => {
        const fields = Object.fromEntries(brief!.fields.map((name) => [name, row[name]]));
        return 'windows' in fields ? { ...fields, windows: { '1h': row.windows['1h'] } } : fields;
      });
      assert.ok(picked.length > 1, tool);
      assert.deepEqual(usual[rows], picked, tool);
      const sizes = [usual, whole].map((answer) => JSON.stringify(answer[rows]).length);
      assert.ok(
        sizes[0]! <= sizes[1]! * (tool === 'search_tokens' ? 0.7 : 0.5),
        `${tool} ${sizes}`,
      );
    }
  });

  test('a chain is a text or a list in every tool', async () => {
    const [one, several] = [
      await mcp.callTool('list_tokens', { chain: 'devnet', limit: 2 }),
      await mcp.callTool('list_tokens', { chain: ['devnet'], limit: 2 }),
    ];
    assert.deepEqual(one.structuredContent, several.structuredContent);
    const listed = await mcp.callTool('get_token', { ...TOKEN, chain: [TOKEN.chain] });
    const plain = await mcp.callTool('get_token', TOKEN);
    assert.deepEqual(listed.structuredContent, plain.structuredContent);
    const two = await mcp.callTool('get_token', { ...TOKEN, chain: [TOKEN.chain, 'base'] });
    assert.match(two.content[0].text, /"path":"chain","message":"must be a string"/);
  });

  test('pages follow each other by cursor as over HTTP', async () => {
    const first = await mcp.callTool('get_trades', { ...TOKEN, limit: 2 });
    const { nextCursor } = first.structuredContent;
    const second = await mcp.callTool('get_trades', { ...TOKEN, limit: 2, cursor: nextCursor });
    const both = await mcp.callTool('get_trades', { ...TOKEN, limit: 4 });
    assert.deepEqual(
      [...first.structuredContent.trades, ...second.structuredContent.trades],
      both.structuredContent.trades,
    );
  });
});

describe('listing', () => {
  test('the order is always the same', async () => {
    const names = (await listTools()).map((tool) => tool.name);
    assert.deepEqual(names.slice(0, 9), [
      'get_capabilities',
      'search_tokens',
      'list_tokens',
      'get_token',
      'get_prices',
      'get_klines',
      'get_trades',
      'get_holders',
      'list_pools',
    ]);
    const texts = await Promise.all([1, 2, 3].map(() => mcp.call('tools/list')));
    for (const text of texts) assert.deepEqual(text, texts[0]);
  });

  test('every tool says that it only reads, and when a model should use it', async () => {
    for (const tool of await listTools()) {
      if (!(tool.name in INPUTS)) continue;
      assert.equal(tool.annotations.readOnlyHint, true);
      assert.ok(tool.title.length > 0);
      assert.match(tool.description, /\bUse it\b/, `${tool.name} says when to use it`);
      assert.match(tool.description, /Example: \{/, `${tool.name} shows an example`);
      assert.equal(tool.inputSchema.type, 'object');
      assert.equal(tool.inputSchema.additionalProperties, false);
      assert.equal(tool.outputSchema.type, 'object');
      if (/"(symbol|name)":/.test(JSON.stringify(tool.outputSchema))) {
        const isOfChains = tool.name === 'get_capabilities';
        if (!isOfChains) assert.match(tool.description, /strangers/, tool.name);
      }
    }
  });

  test('the example in each description is one that the tool takes', async () => {
    const checked = new Set<string>();
    for (const tool of await listTools()) {
      const example = /Example: (\{.*\})\./.exec(tool.description)?.[1];
      if (example === undefined) continue;
      const input = JSON.parse(example);
      const check = Compile(tool.inputSchema);
      assert.ok(check.Check(input), `${tool.name} ${JSON.stringify([...check.Errors(input)])}`);
      checked.add(tool.name);
    }
    const without = Object.keys(INPUTS).filter((name) => !checked.has(name));
    assert.deepEqual(without, [], 'these tools have no example');
  });

  test('fields with a default are optional, and defaults are smaller than over HTTP', async () => {
    const rows = { get_klines: 'klines', get_trades: 'trades', get_holders: 'holders' };
    let compared = 0;
    for (const tool of await listTools()) {
      const { properties, required = [] } = tool.inputSchema;
      for (const [name, schema] of Object.entries<Json>(properties)) {
        if (schema.default !== undefined) assert.ok(!required.includes(name), name);
      }
      const list = rows[tool.name as keyof typeof rows];
      if (list === undefined) continue;
      const fallback = properties.limit.default;
      const twin = mcp.operations.find((one) => one.mcp?.tool === tool.name)!;
      assert.ok(fallback < (twin.input.properties as Json).limit.default);
      assert.match(tool.description, new RegExp(`\\b${fallback}\\b.* unless you give \`limit\``));
      const input = tool.name === 'get_klines' ? { ...TOKEN, interval: '1s' } : TOKEN;
      const { structuredContent } = await mcp.callTool(tool.name, input);
      assert.ok(structuredContent[list].length <= fallback);
      const more = await mcp.callTool(tool.name, { ...input, limit: fallback + 5 });
      assert.ok(more.structuredContent[list].length >= structuredContent[list].length);
      compared += 1;
    }
    assert.equal(compared, Object.keys(rows).length);
  });
});

describe('errors', () => {
  async function callForError(name: string, input: object): Promise<Json> {
    const result = await mcp.callTool(name, input);
    assert.equal(result.isError, true);
    assert.equal(result.structuredContent, undefined);
    return JSON.parse(result.content[0].text);
  }

  test('bad arguments name each field, as over HTTP', async () => {
    const toolError = await callForError('get_klines', {
      ...TOKEN,
      interval: '7m',
      limit: 'x',
      no: 1,
    });
    assert.equal(toolError.code, 'INVALID_INPUT');
    const paths = toolError.errors.map((one: Json) => one.path).sort();
    assert.deepEqual(paths, ['interval', 'limit', 'no']);
    assert.equal(toolError.whatToDo, ERROR_CATALOGUE.INVALID_INPUT.help);
    assert.match(toolError.requestId, /^[0-9a-f-]{36}$/);
  });

  test('a limit above the cap is an error that names the cap', async () => {
    const toolError = await callForError('get_trades', { ...TOKEN, limit: 500 });
    assert.match(toolError.message, /at most 300/);
  });

  test('an error says what to do, naming tools and not routes', async () => {
    const unknown = { chain: 'devnet', mint: buildFakeAddress('bbbb', 1) };
    assert.equal((await callForError('get_token', unknown)).code, 'TOKEN_NOT_FOUND');
    const elsewhere = await callForError('get_token', { ...TOKEN, chain: 'base' });
    assert.equal(elsewhere.code, 'CHAIN_NOT_FOLLOWED');
    assert.match(elsewhere.whatToDo, /[Tt]he tool `get_capabilities`/);
    assert.doesNotMatch(elsewhere.whatToDo, /GET/);
  });

  test('internal errors show no details to a client, and are in the log', async () => {
    const failed = await callForError('fail_thing', {});
    assert.equal(failed.code, 'INTERNAL');
    const missed = await callForError('miss_thing', {});
    assert.deepEqual([missed.code, missed.retryAfterSeconds], ['UPSTREAM_UNAVAILABLE', 2]);
    assert.doesNotMatch(JSON.stringify([failed, missed]), /hunter2|10\.0\.0\.7|at .*\.ts/);
    assert.ok(mcp.errors.some((line) => line.includes('hunter2')));
  });

  test('arguments that are nested too deeply are rejected', async () => {
    for (const [open, close] of [
      ['[', ']'],
      ['{"a":', '}'],
    ] as const) {
      const deep = `${open.repeat(8000)}1${close.repeat(8000)}`;
      const { json } = await mcp.post(
        `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"get_token","arguments":{"x":${deep}}}}`,
      );
      assert.equal(JSON.parse(json.result.content[0].text).code, 'INVALID_INPUT');
    }
  });

  test('fields like __proto__ are refused as any other', async () => {
    const text = `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"get_token","arguments":{"__proto__":{"chain":"devnet"},"mint":"${MINT}"}}}`;
    const { json } = await mcp.post(text);
    assert.equal(json.result.isError, true);
  });
});

describe('resources', () => {
  test('reference, document, errors and chains are listed and read as over HTTP', async () => {
    const { resources } = (await mcp.call('resources/list')).result;
    assert.deepEqual(
      resources.map((one: Json) => one.uri),
      ['mintwire://reference', 'mintwire://openapi', 'mintwire://errors', 'mintwire://chains'],
    );
    const texts = new Map<string, string>();
    for (const { uri, mimeType, size } of resources) {
      const { contents } = (await mcp.call('resources/read', { uri })).result;
      assert.deepEqual([contents[0].uri, contents[0].mimeType], [uri, mimeType]);
      if (size !== undefined) assert.equal(Buffer.byteLength(contents[0].text), size);
      texts.set(uri, contents[0].text);
    }
    for (const code of ERROR_CODES) assert.ok(texts.get('mintwire://errors')?.includes(code));
    for (const operation of mcp.operations) {
      assert.ok(texts.get('mintwire://reference')?.includes(`/v1${operation.path}`));
    }
    assert.equal(JSON.parse(texts.get('mintwire://openapi') ?? '').openapi, '3.1.1');
    assert.deepEqual(JSON.parse(texts.get('mintwire://chains') ?? ''), await mcp.get('/chains'));
  });

  test('each error has a page of its own, found by its code', async () => {
    const { resourceTemplates } = (await mcp.call('resources/templates/list')).result;
    assert.equal(resourceTemplates[0].uriTemplate, 'mintwire://errors/{code}');
    for (const code of ERROR_CODES) {
      const uri = `mintwire://errors/${code}`;
      const { contents } = (await mcp.call('resources/read', { uri })).result;
      assert.ok(contents[0].text.includes(ERROR_CATALOGUE[code].help));
    }
  });

  test('an unknown resource is an error with its address', async () => {
    for (const uri of ['mintwire://nothing', 'mintwire://errors/NOPE', 'file:///etc/passwd']) {
      const { error } = await mcp.call('resources/read', { uri });
      assert.deepEqual([error.code, error.data], [-32602, { uri }]);
    }
  });
});

describe('prompts', () => {
  test('only prompts whose tools exist are offered', async () => {
    const { prompts } = (await mcp.call('prompts/list')).result;
    assert.deepEqual(
      prompts.map((one: Json) => one.name),
      ['token_due_diligence'],
    );
  });

  test('the arguments are in the text, and every tool that it names exists', async () => {
    const given = { name: 'token_due_diligence', arguments: { mint: 'PEPE', chain: 'devnet' } };
    const { messages } = (await mcp.call('prompts/get', given)).result;
    const { text } = messages[0].content;
    assert.match(text, /the token PEPE on devnet/);
    assert.match(text, /strangers/);
    const names = new Set((await listTools()).map((tool) => tool.name));
    for (const [name] of text.matchAll(/\b(get|search)_[a-z]+/g)) assert.ok(names.has(name), name);
  });

  test('unknown prompts and missing arguments are refused', async () => {
    for (const params of [{ name: 'nope' }, { name: 'token_due_diligence', arguments: {} }]) {
      assert.equal((await mcp.call('prompts/get', params)).error.code, -32602);
    }
  });

  test('arguments and error codes are completed', async () => {
    const complete = async (ref: object, name: string, value: string) =>
      (await mcp.call('completion/complete', { ref, argument: { name, value } })).result?.completion
        .values;
    const prompt = { type: 'ref/prompt', name: 'token_due_diligence' };
    assert.deepEqual(await complete(prompt, 'chain', 'DEV'), ['devnet']);
    assert.deepEqual(await complete(prompt, 'chain', 'x'), []);
    assert.deepEqual(await complete(prompt, 'mint', 'a'), []);
    const template = { type: 'ref/resource', uri: 'mintwire://errors/{code}' };
    assert.deepEqual(await complete(template, 'code', 'token_'), [
      'TOKEN_NOT_FOUND',
      'TOKEN_PAUSED',
    ]);
    assert.equal(await complete({ type: 'ref/prompt', name: 'x' }, 'chain', ''), undefined);
  });
});
