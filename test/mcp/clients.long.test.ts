// The endpoint with other clients: the official one, the conformance suite, the inspector.

import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { describe, test } from 'node:test';
import { promisify } from 'node:util';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import type { Json } from '../market-scene.ts';
import { before, setUp } from '../root-hooks.ts';
import { createTempFolder } from '../start-service-process.ts';
import { createEvmWallet } from '../wallets.ts';
import { CONFORMANCE_FIXTURES } from './conformance-fixtures.ts';
import { installInspector } from './install-inspector.ts';
import { type McpServer, MINT, startMcp } from './start-mcp.ts';

const run = promisify(execFile);

let mcp: McpServer;
let fixtures: McpServer;
/** The inspector writes to the user's folder. */
let home: string;

setUp(async (t) => {
  home = createTempFolder(t);
  mcp = await startMcp(t);
  fixtures = await startMcp(t, CONFORMANCE_FIXTURES);
});

const GENERATIONS = [
  { name: 'with a handshake', mode: 'legacy', version: '2025-11-25', era: 'legacy' },
  { name: 'without one', mode: { pin: '2026-07-28' }, version: '2026-07-28', era: 'modern' },
] as const;

describe('the official client', () => {
  async function connect(
    mode: (typeof GENERATIONS)[number]['mode'] | 'auto',
    key?: string,
  ): Promise<Client> {
    const client = new Client({ name: 'test', version: '1' }, { versionNegotiation: { mode } });
    const headers = key === undefined ? {} : { Authorization: `Bearer ${key}` };
    await client.connect(
      new StreamableHTTPClientTransport(new URL(mcp.url), { requestInit: { headers } }),
    );
    return client;
  }

  for (const { name, mode, version } of GENERATIONS) {
    test(`${name} it lists, calls, reads and asks`, async () => {
      const client = await connect(mode);
      try {
        assert.equal(client.getNegotiatedProtocolVersion(), version);
        assert.equal(client.getServerVersion()?.name, 'mintwire');
        const { tools } = await client.listTools();
        assert.ok(tools.some((tool) => tool.name === 'get_token'));
        // The client checks structured content against the listed schema.
        const input = { chain: 'devnet', mint: MINT };
        const result: Json = await client.callTool({ name: 'get_token', arguments: input });
        const twin = await mcp.get(`/token?chain=devnet&mint=${MINT}`);
        assert.deepEqual(result.structuredContent, twin);
        const wrong: Json = await client.callTool({ name: 'get_token', arguments: {} });
        assert.equal(wrong.isError, true);
        await assert.rejects(client.callTool({ name: 'nope', arguments: {} }), /Unknown tool/);
        const { contents } = await client.readResource({ uri: 'mintwire://chains' });
        assert.match(JSON.stringify(contents), /eip155:1337/);
        const asked = await client.getPrompt({
          name: 'token_due_diligence',
          arguments: { mint: 'PEPE' },
        });
        assert.match(JSON.stringify(asked.messages), /PEPE/);
      } finally {
        await client.close();
      }
    });
  }

  test('by default it finds the newest revision', async () => {
    const client = await connect('auto');
    assert.equal(client.getNegotiatedProtocolVersion(), '2026-07-28');
    await client.close();
  });

  test('a key gives its tier, an invalid key is rejected', async () => {
    const { token } = await mcp.signIn(createEvmWallet());
    const { key } = await mcp.issueKey(token);
    const client = await connect('legacy', key);
    const { structuredContent }: Json = await client.callTool({ name: 'get_entitlements' });
    assert.equal(structuredContent.level, 'key');
    await client.close();
    await assert.rejects(connect('legacy', 'mw_live_nonsense'));
  });
});

describe('the conformance suite', { concurrency: 2 }, () => {
  const RUNS = [
    { name: 'the service', server: () => mcp, baseline: 'conformance.yml' },
    { name: "the suite's fixtures", server: () => fixtures, baseline: 'conformance-fixtures.yml' },
  ];
  for (const { name, server, baseline } of RUNS) {
    for (const revision of ['2026-07-28', '2025-11-25']) {
      test(`${revision} passes on ${name}, but for what is listed`, async () => {
        const { stdout } = await run('node_modules/.bin/conformance', [
          ...['server', '--url', server().url, '--requirements', revision],
          ...['--expected-failures', `test/mcp/${baseline}`],
        ]).catch((error) => assert.fail(`${error.stdout}`.split('=== SUMMARY ===')[1] ?? error));
        assert.match(stdout, /Baseline check passed/);
      });
    }
  }
});

describe("the inspector's command line", { concurrency: 2 }, () => {
  let command: string;

  before(async () => {
    command = await installInspector();
  });

  async function inspect(era: string, args: readonly string[]): Promise<Json> {
    const { stdout } = await run(
      command,
      [...['--cli', mcp.url, '--transport', 'http', '--protocol-era', era, ...args]],
      { env: { ...process.env, HOME: home } },
    );
    return JSON.parse(stdout);
  }

  for (const { name, era } of GENERATIONS) {
    test(`${name} it lists tools that any model can take, and calls one`, async () => {
      // Strict: schemas that some model provider would reject are an error.
      const { tools } = await inspect(era, ['--method', 'tools/list', '--strict']);
      assert.ok(tools.length >= 7);
      const call = ['--method', 'tools/call', '--tool-name', 'search_tokens'];
      const { structuredContent } = await inspect(era, [...call, '--tool-arg', `q=${MINT}`]);
      assert.equal(structuredContent.tokens.length, 1);
    });

    test(`${name} it reads a resource that is listed, and asks for a prompt`, async () => {
      const { resources } = await inspect(era, ['--method', 'resources/list']);
      const uri = 'mintwire://chains';
      assert.ok(resources.some((one: Json) => one.uri === uri));
      const { contents } = await inspect(era, ['--method', 'resources/read', '--uri', uri]);
      assert.match(JSON.stringify(contents), /eip155:1337/);
      const { prompts } = await inspect(era, ['--method', 'prompts/list']);
      const [prompt] = prompts.filter((one: Json) => one.name === 'token_due_diligence');
      const get = ['--method', 'prompts/get', '--prompt-name', prompt.name];
      const { messages } = await inspect(era, [...get, '--prompt-args', 'mint=PEPE']);
      assert.match(JSON.stringify(messages), /PEPE/);
    });
  }
});
