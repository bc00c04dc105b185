// Runs every documented example against an embedded chain and compares it with the real response.

import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { describe, test } from 'node:test';
import { promisify } from 'node:util';
import {
  compareForms,
  type ExampleSetting,
  readDocumentedExamples,
  runExample,
} from '../../docs/documented-examples.ts';
import { readGuides } from '../../src/contract/guide.ts';
import type { Operation } from '../../src/contract/operation.ts';
import { operations } from '../../src/contract/operations.ts';
import { ERROR_CODES } from '../../src/errors/catalogue.ts';
import { type DocsScene, startDocsScene, WIRE } from '../docs-scene.ts';
import type { Json } from '../market-scene.ts';
import { askExample } from '../operation-examples.ts';
import { setUp } from '../root-hooks.ts';
import { SOLANA_PAGE, startSolanaDocsScene } from '../solana-docs-scene.ts';

const run = promisify(execFile);

let scene: DocsScene;
let solana: ExampleSetting;

setUp(async (t) => {
  [scene, solana] = await Promise.all([startDocsScene(t), startSolanaDocsScene(t)]);
});

const examples = readDocumentedExamples();

describe('documents', () => {
  test('there are examples', () => {
    assert.ok(examples.length >= 10, `${examples.length}`);
  });

  for (const example of examples) {
    test(`${example.place} shows the real answer`, async () => {
      const real = await runExample(example, example.file === SOLANA_PAGE ? solana : scene);
      assert.deepEqual(compareForms(example.shown, real), []);
    });
  }
});

describe('operations', () => {
  for (const operation of operations as readonly Operation[]) {
    const { method, path, example, output } = operation;
    test(`the example of ${method} ${path} shows the real answer`, async () => {
      const real = await askExample(operation, scene);
      const { answer } = example;
      if (typeof answer === 'string') {
        assert.ok(String(real).startsWith(answer.split('…')[0] ?? ''));
        return;
      }
      // A document may contain more than the example shows.
      const isOpen = (output as { additionalProperties?: unknown }).additionalProperties === true;
      const differences = compareForms(answer, real);
      const faults = differences.filter(
        (one) => !isOpen || !one.endsWith('is present but not documented'),
      );
      assert.deepEqual(faults, []);
    });
  }
});

describe('connecting an agent', () => {
  const page = readFileSync('docs/api/mcp.md', 'utf8');

  test('the documented program works unchanged', async () => {
    const code = /```js\n(.*?)```/s.exec(page)?.[1]?.replace('http://localhost:8080', scene.origin);
    const { stdout } = await run(process.execPath, ['--input-type=module', '--eval', code ?? '']);
    assert.equal(stdout, 'WIRE\n');
  });

  test('the settings of clients are JSON and name the endpoint', () => {
    const settings = [...page.matchAll(/```text\n(\{.*?)```/gs)].map(([, text = '']) => text);
    assert.ok(settings.length >= 4);
    for (const text of settings) {
      assert.match(JSON.stringify(JSON.parse(text)), /http:\/\/localhost:8080\/v1\/mcp/);
    }
  });
});

describe('the command line', () => {
  const type = async (...typed: string[]) => {
    const words = ['src/cli/main.ts', ...typed, '--server', scene.origin];
    return (await run(process.execPath, words)).stdout;
  };

  test('reads a server, and watches a price', async () => {
    const [found] = JSON.parse(await type('search', 'wire')).tokens;
    assert.equal(found.mint, WIRE);
    const quote = JSON.parse(await type('quote', 'buy', '0.5', `devnet:${WIRE}`));
    assert.equal(quote.input.amountRaw, '500000000000000000');
    const [event] = (await type('watch', 'wire', '--events', '1')).split('\n');
    assert.equal(JSON.parse(event ?? '').event, 'snapshot');
  });
});

describe('tools on a real chain', () => {
  async function callTool(name: string, input: object): Promise<Json> {
    const response = await fetch(`${scene.origin}/v1/mcp`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({
        ...{ jsonrpc: '2.0', id: 1, method: 'tools/call' },
        params: { name, arguments: input },
      }),
    });
    return ((await response.json()) as Json).result;
  }

  test('get_quote gives what POST /trade/quote gives', async () => {
    const trade = { chain: 'devnet', mint: WIRE, side: 'sell', amountInRaw: '2500000000000000000' };
    // Each response has its own expiry and seal; everything else is equal at the same block.
    const dropVarying = ({ quoteId: _, expiresAt: _e, state, ...rest }: Json) => ({
      ...rest,
      block: state.blockHash,
    });
    for (;;) {
      const { structuredContent, isError } = await callTool('get_quote', trade);
      assert.equal(isError, undefined);
      const { body }: Json = await scene.client.send('POST', '/trade/quote', { body: trade });
      if (structuredContent.state.blockHash !== body.state.blockHash) continue;
      assert.deepEqual(dropVarying(structuredContent), dropVarying(body));
      assert.deepEqual(Object.keys(structuredContent), Object.keys(body));
      return;
    }
  });

  test('get_trade_status gives what GET /trade/status gives', async () => {
    const txHash = scene.env['TX_HASH'] ?? '';
    for (const hash of [txHash, `0x${'1'.repeat(64)}`]) {
      const { structuredContent } = await callTool('get_trade_status', {
        chain: 'devnet',
        txHash: hash,
      });
      const { body } = await scene.client.send('GET', `/trade/status?chain=devnet&txHash=${hash}`);
      // Blocks continue in between: a confirmed transaction may be finalized by now.
      const settle = (one: Json) => ({
        ...one,
        status: one.status.replace('finalized', 'confirmed'),
      });
      assert.deepEqual(settle(structuredContent), settle(body));
    }
  });

  test('impossible trades are tool errors', async () => {
    const trade = { chain: 'devnet', mint: WIRE, side: 'buy', amountInRaw: '-1' };
    const { content, isError } = await callTool('get_quote', trade);
    assert.deepEqual([isError, JSON.parse(content[0].text).code], [true, 'INVALID_INPUT']);
  });

  test('every tool of the contract is there, and both prompts', async () => {
    const ask = async (method: string, params: object = {}): Promise<Json> => {
      const response = await fetch(`${scene.origin}/v1/mcp`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
      });
      return ((await response.json()) as Json).result;
    };
    const { tools } = await ask('tools/list');
    assert.deepEqual(
      tools.map((tool: Json) => tool.name),
      [
        ...['get_capabilities', 'search_tokens', 'list_tokens', 'get_token', 'get_prices'],
        ...['get_klines', 'get_trades', 'get_holders', 'list_pools'],
        'get_token_safety',
        ...['get_wallet_balances', 'get_wallet_positions'],
        ...['get_quote', 'get_trade_status', 'get_entitlements'],
      ],
    );
    for (const { name, description } of tools) {
      assert.match(description, /\bUse it\b.*Example: \{/s, name);
    }
    const { prompts } = await ask('prompts/list');
    assert.deepEqual(
      prompts.map((prompt: Json) => prompt.name),
      ['token_due_diligence', 'compare_quotes'],
    );
    const given = { mint: 'WIRE', amountInRaw: '100 WIRE', side: 'sell', chain: 'devnet' };
    const asked = await ask('prompts/get', { name: 'compare_quotes', arguments: given });
    const { text } = asked.messages[0].content;
    assert.match(text, /to sell the token WIRE on devnet, spending 100 WIRE at most/);
    const names = new Set(tools.map((tool: Json) => tool.name));
    for (const [name] of text.matchAll(/\b(get|search)_[a-z]+/g)) assert.ok(names.has(name), name);
  });
});

describe('the reference', () => {
  test('the page has every guide, operation and error, and every link leads somewhere', async () => {
    const response = await fetch(`${scene.origin}/v1/docs`);
    const page = await response.text();
    const ids = new Set([...page.matchAll(/ id="([^"]+)"/g)].map(([, id]) => id));
    for (const [, target = ''] of page.matchAll(/href="#([^"]+)"/g))
      assert.ok(ids.has(target), target);
    for (const code of ERROR_CODES) assert.ok(ids.has(`error-${code}`));
    for (const name of [
      'quickstart',
      'market',
      'search',
      'streams',
      'trading',
      'access',
      'limits',
      'mcp',
    ]) {
      assert.ok(ids.has(`guide-${name}`), name);
    }
    for (const { id } of operations as readonly Operation[]) assert.ok(ids.has(id), id);
    assert.doesNotMatch(page, /<script [^>]*src|<link|<img|@import|url\(/);
    const policy = response.headers.get('content-security-policy') ?? '';
    assert.match(policy, /script-src 'sha256-[^']+'; style-src 'sha256-/);
  });

  test('the type of a problem leads to its error', async () => {
    const { body } = await scene.client.send(
      'GET',
      '/token?chain=devnet&mint=0x00000000000000000000000000000000000000ff',
    );
    assert.equal(body['type'], '/v1/docs#error-TOKEN_NOT_FOUND');
  });

  test('the text for language models has every operation, guide and error', async () => {
    const text = await (await fetch(`${scene.origin}/v1/llms.txt`)).text();
    for (const { method, path } of operations as readonly Operation[]) {
      assert.ok(text.includes(`### ${method} /v1${path}\n`), path);
    }
    for (const code of ERROR_CODES) assert.ok(text.includes(`\`${code}\``));
    for (const { title } of readGuides()) assert.ok(text.includes(`\n## ${title}\n`), title);
    assert.match(text, /status before/i);
  });
});
