// Who may call the endpoint, and what each message costs.

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { COSTS } from '../../src/contract/operation.ts';
import type { Json } from '../market-scene.ts';
import { setUp } from '../root-hooks.ts';
import { OWN_PAGE } from '../start-http-server.ts';
import { createEvmWallet } from '../wallets.ts';
import { type McpServer, MINT, startMcp } from './start-mcp.ts';

const BURST = 20;

let mcp: McpServer;

setUp(async (t) => {
  mcp = await startMcp(t, {
    env: { LIMIT_ANONYMOUS_PER_MINUTE: '60', LIMIT_ANONYMOUS_BURST: String(BURST) },
  });
});

const toolCall = (name: string, input: object = {}, id: number | string = 1) => ({
  jsonrpc: '2.0',
  id,
  method: 'tools/call',
  params: { name, arguments: input },
});

const PING = { jsonrpc: '2.0', id: 1, method: 'ping' };
const SEARCH = toolCall('search_tokens', { q: MINT });

/** Refills the budget. */
function rest(): void {
  mcp.clock.advance(3_600_000);
}

function readRemaining(headers: Headers): number {
  return Number(/;r=(\d+)/.exec(headers.get('ratelimit') ?? '')?.[1]);
}

describe('access', () => {
  test('all reads work without a credential', async () => {
    rest();
    const { json, headers } = await mcp.post(toolCall('get_entitlements'));
    assert.equal(json.result.structuredContent.level, 'anonymous');
    assert.match(headers.get('ratelimit-policy') ?? '', /^"anonymous"/);
  });

  test('an API key raises the tier, and a revoked one is refused', async () => {
    rest();
    const { token } = await mcp.signIn(createEvmWallet());
    const { id, key } = await mcp.issueKey(token);
    const bearer = { authorization: `Bearer ${key}` };
    const { json, headers } = await mcp.post(toolCall('get_entitlements'), bearer);
    assert.equal(json.result.structuredContent.level, 'key');
    assert.match(headers.get('ratelimit-policy') ?? '', /^"key"/);
    const deep = toolCall('get_trades', { chain: 'devnet', mint: MINT, limit: 500 });
    assert.equal((await mcp.post(deep, bearer)).json.result.isError, undefined);
    await mcp.send('DELETE', `/keys?id=${id}`, { bearer: token });
    const refused = await mcp.post(toolCall('get_entitlements'), bearer);
    assert.deepEqual([refused.status, refused.json.code], [401, 'INVALID_API_KEY']);
  });

  test('tools of a wallet are listed to its keys with the scope, and open to no other', async () => {
    rest();
    const { token } = await mcp.signIn(createEvmWallet());
    const issue = async (scopes: readonly string[]) => {
      const body = { name: 'agent', scopes };
      const issued = await mcp.send('POST', '/keys', { body, bearer: token });
      return { authorization: `Bearer ${issued.body['key']}` };
    };
    const list = { ...PING, method: 'tools/list' };
    const OWNED = ['list_alerts', 'create_alert'];
    const listOwned = ({ json }: Awaited<ReturnType<typeof mcp.post>>) =>
      json.result.tools
        .map((tool: Json) => tool.name)
        .filter((name: string) => OWNED.includes(name));
    const owner = await issue(['mcp', 'webhooks']);
    const create = toolCall('create_alert', {
      ...{ chain: 'devnet', mint: MINT, when: { priceUsd: { above: '1.5' } } },
    });
    for (const headers of [{}, await issue(['mcp', 'data'])]) {
      assert.deepEqual(listOwned(await mcp.post(list, headers)), []);
      const refused = await mcp.post(create, headers);
      assert.match(refused.text, /KEY_NOT_PERMITTED/);
    }
    assert.deepEqual(listOwned(await mcp.post(list, owner)), OWNED);
    const { json } = await mcp.post(create, owner);
    assert.equal(json.result.structuredContent.status, 'pending', JSON.stringify(json));
    const listed = await mcp.post(toolCall('list_alerts'), owner);
    assert.deepEqual(listed.json.result.structuredContent.alerts, [json.result.structuredContent]);
  });

  test('a bad bearer is 401 for every method, never a silent downgrade', async () => {
    for (const method of ['initialize', 'tools/list', 'ping', 'tools/call']) {
      rest();
      const message = { ...PING, method };
      const { status, json, headers } = await mcp.post(message, { authorization: 'Bearer nope' });
      assert.deepEqual([status, json.code], [401, 'INVALID_API_KEY'], method);
      assert.match(headers.get('www-authenticate') ?? '', /^Bearer realm="mintwire"/);
    }
  });

  test('a session does not work here: its token is refused, its cookie ignored', async () => {
    rest();
    const { token } = await mcp.signIn(createEvmWallet());
    const refused = await mcp.post(PING, { authorization: `Bearer ${token}` });
    assert.deepEqual([refused.status, refused.json.code], [401, 'INVALID_API_KEY']);
    assert.match(refused.headers.get('www-authenticate') ?? '', /^Bearer realm=/);
    rest();
    const cookie = await mcp.signInByCookie(createEvmWallet(), OWN_PAGE);
    const asked = await mcp.post(toolCall('get_entitlements'), { cookie, origin: OWN_PAGE });
    assert.equal(asked.json.result.structuredContent.level, 'anonymous');
    assert.equal(asked.headers.get('set-cookie'), null);
  });

  test('pages of other origins are refused, our own are not', async () => {
    rest();
    for (const origin of ['https://evil.example', 'null', 'http://localhost:1']) {
      const { status, json, headers } = await mcp.post(PING, { origin });
      assert.deepEqual([status, json.code], [403, 'ORIGIN_NOT_ALLOWED'], origin);
      assert.equal(headers.get('access-control-allow-origin'), null);
    }
    for (const origin of [OWN_PAGE, mcp.server.origin]) {
      const { status, headers } = await mcp.post(PING, { origin });
      assert.deepEqual([status, headers.get('access-control-allow-origin')], [200, origin]);
    }
  });

  test('a page of ours may send the headers of the protocol', async () => {
    const response = await fetch(mcp.url, { method: 'OPTIONS', headers: { origin: OWN_PAGE } });
    const allowed = response.headers.get('access-control-allow-headers') ?? '';
    for (const name of ['Content-Type', 'MCP-Protocol-Version', 'Mcp-Method', 'Mcp-Name']) {
      assert.ok(allowed.split(', ').includes(name), name);
    }
  });
});

describe('what is charged', () => {
  test('many rows cost more, as over HTTP', async () => {
    for (const [limit, cost] of [
      [100, 1],
      [1000, 3],
    ] as const) {
      rest();
      const input = { chain: 'devnet', mint: MINT, interval: '1m', limit };
      const { json, headers } = await mcp.post(toolCall('get_klines', input));
      assert.equal(json.result.isError, undefined);
      assert.equal(BURST - readRemaining(headers), cost);
    }
  });

  test('a message costs as much as its HTTP operation, and 1 without one', async () => {
    const cases: readonly [Json, number][] = [
      [PING, 1],
      [{ ...PING, method: 'tools/list' }, 1],
      [{ jsonrpc: '2.0', method: 'notifications/initialized' }, 1],
      [toolCall('get_entitlements'), 1],
      [toolCall('no_such_tool'), 1],
      [SEARCH, 2],
    ];
    for (const [message, cost] of cases) {
      rest();
      const { headers } = await mcp.post(message);
      assert.equal(BURST - readRemaining(headers), cost, JSON.stringify(message));
    }
  });

  test('a message above the budget is 429 with Retry-After', async () => {
    rest();
    for (let spent = 0; spent < BURST - 1; spent += 1) await mcp.post(PING);
    const refused = await mcp.post(SEARCH);
    assert.deepEqual([refused.status, refused.json.code], [429, 'RATE_LIMITED']);
    assert.ok(Number(refused.headers.get('retry-after')) >= 1);
    assert.match(refused.headers.get('ratelimit') ?? '', /^"anonymous";r=1;/);
    assert.equal((await mcp.post(PING)).status, 200, 'a refusal costs nothing');
    assert.equal((await mcp.post(PING)).status, 429);
  });

  test('a client whose message was read and who waits for Retry-After is let in', async () => {
    rest();
    for (let spent = 0; spent < BURST - 1; spent += 1) await mcp.post(PING);
    const refused = await mcp.post(SEARCH);
    assert.equal(refused.status, 429);
    mcp.clock.advance(Number(refused.headers.get('retry-after')) * 1000);
    assert.equal((await mcp.post(SEARCH)).status, 200);
  });

  test('a client without budget gets the wait for its own message, as over HTTP', async () => {
    rest();
    for (let spent = 0; spent < BURST; spent += 1) await mcp.post(PING);
    const readWait = async (sent: Json) => {
      const { status, json, headers } = await mcp.post(sent);
      assert.deepEqual([status, json.code], [429, 'RATE_LIMITED']);
      const wait = headers.get('retry-after');
      assert.equal(headers.get('ratelimit'), `"anonymous";r=0;t=${wait}`);
      assert.ok(json.detail.includes(` ${wait} `), json.detail);
      return Number(wait);
    };
    const twin = await fetch(`${mcp.server.origin}/v1/tokens/search?q=${MINT}`);
    assert.equal(twin.status, 429);
    assert.equal(await readWait(SEARCH), Number(twin.headers.get('retry-after')));
    assert.equal(await readWait(PING), 1);
    assert.equal(await readWait([PING, SEARCH, { ...PING, id: 2 }]), 2);
    assert.equal(await readWait({ ...SEARCH, params: 'none' }), 1, 'what is no call costs 1');
    // A body that is too long to be read for free gets the wait of the most expensive tool.
    const dearest = Math.max(...mcp.operations.map((one) => (one.mcp ? COSTS[one.cost] : 0)));
    const long = { ...PING, params: { text: 'x'.repeat(5000) } };
    assert.equal(await readWait(long), dearest);
    mcp.clock.advance(2000);
    assert.equal((await mcp.post(SEARCH)).status, 200, 'the wait was enough');
  });

  test('a batch is charged message by message, and only those that pay are answered', async () => {
    rest();
    for (let spent = 0; spent < BURST - 5; spent += 1) await mcp.post(PING);
    const batch = [
      { ...PING, id: 'a' },
      toolCall('search_tokens', { q: MINT }, 'b'),
      { jsonrpc: '2.0', method: 'notifications/initialized' },
      { ...PING, id: 'c' },
      toolCall('get_entitlements', {}, 'd'),
      { ...PING, id: 'e' },
    ];
    const { status, json, headers } = await mcp.post(batch);
    assert.equal(status, 200);
    const byId = new Map<string, Json>(json.map((one: Json) => [one.id, one]));
    assert.deepEqual([...byId.keys()], ['a', 'b', 'c', 'd', 'e']);
    assert.ok(byId.get('a').result && byId.get('b').result.structuredContent);
    assert.ok(byId.get('c').result);
    const refused = JSON.parse(byId.get('d').result.content[0].text);
    assert.deepEqual([byId.get('d').result.isError, refused.code], [true, 'RATE_LIMITED']);
    assert.ok(refused.retryAfterSeconds >= 1);
    const { data } = byId.get('e').error;
    assert.equal(data.code, 'RATE_LIMITED');
    const waits = [refused.retryAfterSeconds, data.retryAfterSeconds];
    assert.equal(Number(headers.get('retry-after')), Math.max(...waits));
  });

  test("each message counts as a use of the caller's key", async () => {
    rest();
    const { token } = await mcp.signIn(createEvmWallet());
    const { key } = await mcp.issueKey(token);
    const bearer = { authorization: `Bearer ${key}` };
    await mcp.post([PING, { ...PING, id: 2 }, toolCall('search_tokens', { q: MINT }, 3)], bearer);
    await mcp.post(SEARCH, bearer);
    const { body } = await mcp.send('GET', '/keys', { bearer: token });
    assert.equal((body['keys'] as Json[])[0].requests24h, 4);
  });
});

describe('what is counted as usage', () => {
  async function createKeyOwner() {
    const { token } = await mcp.signIn(createEvmWallet());
    const { id, key } = await mcp.issueKey(token);
    const read = async () => {
      const { body } = await mcp.send('GET', `/usage?keyId=${id}`, { bearer: token });
      return (body['rows'] as Json[]).map(({ operation, requests, cost, limited, errors }) => {
        return [operation, requests, cost, limited, errors];
      });
    };
    return { bearer: { authorization: `Bearer ${key}` }, read };
  }

  test('each message of a batch, by its tool, with its cost and its outcome', async () => {
    rest();
    const { bearer, read } = await createKeyOwner();
    const revision = { 'mcp-protocol-version': '2025-03-26' };
    const missing = toolCall('get_token', { chain: 'devnet', mint: `0x${'12'.repeat(20)}` });
    const note = { jsonrpc: '2.0', method: 'notifications/initialized' };
    const batch = [SEARCH, toolCall('get_entitlements'), missing, SEARCH, PING, note];
    const { status, json } = await mcp.post(batch, { ...bearer, ...revision });
    assert.deepEqual([status, json.length], [200, 5]);
    await mcp.post(missing, bearer);
    await mcp.post(SEARCH, bearer);
    await mcp.post({ ...PING, method: 'no/such' }, bearer);
    assert.deepEqual((await read()).sort(), [
      ['callMcp', 2, 2, 0, 1],
      ['mcp get_entitlements', 1, 1, 0, 0],
      ['mcp get_token', 2, 2, 0, 2],
      ['mcp ping', 1, 1, 0, 0],
      ['mcp search_tokens', 3, 6, 0, 0],
    ]);
  });
});
