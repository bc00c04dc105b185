// One caller who spends his default budget on the dearest reads does not make others' reads fail.

import assert from 'node:assert/strict';
import { request } from 'node:http';
import { type TestContext, test } from 'node:test';
import {
  buildMarketAddress,
  makePool,
  makeToken,
  makeTrade,
  writeDeployment,
} from '../../bench/market-store.ts';
import { createSeededRandom } from '../../devnet/random.ts';
import { foldTrades } from '../../src/candles/derive-klines.ts';
import { loadConfig } from '../../src/config.ts';
import { openStore } from '../../src/engines/open-store.ts';
import { STORED_INTERVALS } from '../../src/model/market-record.ts';
import { createAccessClient } from '../access-client.ts';
import {
  createTempFolder,
  type RunningService,
  startServiceProcess,
} from '../start-service-process.ts';
import { createEvmWallet } from '../wallets.ts';

const TOKENS = 100;
const TRADES = 6_000;
const START_MS = Date.UTC(2026, 0, 1);
const AT_ONCE = 32;
const REFUSED_WANTED = 200;

interface Sent {
  readonly path: string;
  /** Sent by POST. */
  readonly body?: object;
  readonly bearer?: string;
  /** The address that it comes from: each has a budget of its own. */
  readonly from?: string;
}

interface Answer {
  readonly status: number;
  readonly text: string;
}

interface Scene {
  readonly service: RunningService;
  readonly mints: readonly string[];
  /** Of a caller with the limits of every caller. */
  readonly key: string;
}

async function send({ service }: Pick<Scene, 'service'>, sent: Sent): Promise<Answer> {
  const { path, body, bearer, from = '127.0.0.1' } = sent;
  const headers = {
    ...(body === undefined ? {} : { 'content-type': 'application/json' }),
    ...(bearer === undefined ? {} : { authorization: `Bearer ${bearer}` }),
    accept: 'application/json, text/event-stream',
  };
  const method = body === undefined ? 'GET' : 'POST';
  const options = { method, headers, localAddress: from, agent: false } as const;
  return await new Promise((resolve, reject) => {
    const asked = request(new URL(path, service.origin), options, (answer) => {
      let text = '';
      answer.setEncoding('utf8').on('data', (part: string) => {
        text += part;
      });
      answer.on('end', () => resolve({ status: answer.statusCode ?? 0, text }));
    });
    asked.on('error', reject).end(body === undefined ? undefined : JSON.stringify(body));
  });
}

/** A store with a long history of its first token, as the service is going to find it. */
async function fillStore(folder: string): Promise<void> {
  const store = await openStore(loadConfig({ DATA_DIR: folder }).store);
  const random = createSeededRandom('one caller');
  const rows = Array.from({ length: TOKENS }, (_, number) =>
    makeToken(number, { random, trades: 1, holders: 0 }),
  );
  const trades = Array.from({ length: TRADES }, (_, index) => {
    const place = { index, block: 1 + index, timestampMs: START_MS + index * 5_000 };
    return makeTrade(0, { ...place, logIndex: 0 });
  });
  const { block, timestampMs } = trades.at(-1)!;
  await store.market.transaction('devnet', async (transaction) => {
    await transaction.setCheckpoint({
      ...{ startBlock: 0, block, blockHash: `0x${'1'.repeat(64)}`, timestampMs, version: 1 },
      ...{ finalizedBlock: block, startAtMs: START_MS },
    });
    await transaction.putTokens(rows);
    await transaction.putPools(rows.map((row, number) => makePool(row, number)));
    await transaction.insertTrades(trades);
    for (const interval of STORED_INTERVALS) {
      const { token } = trades[0]!;
      await transaction.putCandles(foldTrades({ token, pool: null, interval }, trades));
    }
  });
  await store.close();
}

/** Limits are the service's own; how late a loaded machine is says nothing of them. */
async function startScene(t: TestContext): Promise<Scene> {
  const folder = createTempFolder(t);
  await fillStore(folder);
  // Nobody listens there: what is stored stays as it is.
  const deployment = writeDeployment(folder, { rpcUrl: 'http://127.0.0.1:9' });
  const env = { DEVNET: 'on', DEVNET_DEPLOYMENT: deployment, DEVNET_SOLANA: 'off' };
  const service = await startServiceProcess(t, {
    ...{ isPlain: true, env: { ...env, DATA_DIR: folder, OVERLOAD_LAG_MS: '60000' } },
  });
  const scene = { service, mints: [], key: '' };
  // Its waiting spends the budget of another address.
  const path = '/v1/tokens?chain=devnet&sort=volume&window=24h&limit=1';
  while ((await send(scene, { path, from: '127.0.0.9' })).status !== 200) {
    assert.equal(service.child.exitCode, null, service.output());
    await new Promise((resolve) => setTimeout(resolve, 1_000));
  }
  const client = createAccessClient(service.origin);
  const { token } = await client.signIn(createEvmWallet('devnet'));
  const { key } = await client.issueKey(token);
  const mints = Array.from({ length: TOKENS }, (_, number) => buildMarketAddress('aa', number));
  return { service, mints, key };
}

/** The reads that cost the service most, of the caller with a key. */
function listDear({ mints, key }: Scene): Sent[] {
  const of = `chain=devnet&mint=${mints[0]}`;
  const at = START_MS + 3_600_000;
  const tokens = Array.from({ length: 100 }, (_, index) => {
    return { chain: 'devnet', mint: mints[index % mints.length] };
  });
  const callTool = (name: string, args: object): Sent => ({
    path: '/v1/mcp',
    body: { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name, arguments: args } },
  });
  const reads: Sent[] = [
    { path: `/v1/token/klines?${of}&interval=5s&limit=5000` },
    { path: `/v1/token/klines?${of}&interval=1m&limit=5000&outliers=include` },
    { path: `/v1/token/trades?${of}&limit=500` },
    { path: '/v1/prices', body: { tokens, at } },
    callTool('get_klines', { chain: 'devnet', mint: mints[0], interval: '5s', limit: 1000 }),
    callTool('get_trades', { chain: 'devnet', mint: mints[0], limit: 500, fields: 'all' }),
    callTool('get_prices', { tokens, at }),
  ];
  return reads.map((read) => ({ ...read, bearer: key }));
}

function listCheap({ mints }: Scene): string[] {
  const of = `chain=devnet&mint=${mints[0]}`;
  return [
    `/v1/token?${of}`,
    `/v1/token/price?${of}`,
    `/v1/token/trades?${of}&limit=20`,
    `/v1/token/klines?${of}&interval=1m&limit=100`,
    '/v1/tokens?chain=devnet&limit=10',
  ];
}

/** As many at once as a browser would not, until most of them are refused. */
async function spend(scene: Scene): Promise<Map<number, number>> {
  const counts = new Map<number, number>();
  const dear = listDear(scene);
  let next = 0;
  const work = async () => {
    while ((counts.get(429) ?? 0) < REFUSED_WANTED) {
      const answer = await send(scene, dear[next++ % dear.length]!);
      counts.set(answer.status, (counts.get(answer.status) ?? 0) + 1);
      assert.ok([200, 429].includes(answer.status), answer.text.slice(0, 500));
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
  return counts;
}

test('whoever spends his whole budget on the dearest reads makes no read of others fail', async (t) => {
  const scene = await startScene(t);
  // Otherwise there would be nothing dear to read.
  const [first, , trades] = listDear(scene).slice(0, 3);
  assert.equal(JSON.parse((await send(scene, first!)).text).klines.length, 5_000);
  assert.ok(JSON.parse((await send(scene, trades!)).text).trades.length === 500);
  const spent = spend(scene);
  const others = ['127.0.0.2', '127.0.0.3', '127.0.0.4'].map(async (from) => {
    const statuses: number[] = [];
    // Each has the budget of a caller without credentials: its burst is spent on more than this.
    for (const path of [...listCheap(scene), ...listCheap(scene), ...listCheap(scene)]) {
      statuses.push((await send(scene, { path, from })).status);
    }
    return statuses;
  });
  const read = await Promise.all(others);
  const counts = await spent;
  t.diagnostic(`the caller got ${[...counts].map((one) => one.join(' × ')).join(', ')}`);
  assert.ok((counts.get(200) ?? 0) > 10, 'the dear reads were answered until the budget was spent');
  for (const statuses of read) {
    assert.deepEqual(
      statuses.filter((status) => status !== 200),
      [],
    );
  }
});
