// Several worker processes on one port and one PostgreSQL: they behave as one.

import assert from 'node:assert/strict';
import { readdirSync, statSync } from 'node:fs';
import { type IncomingHttpHeaders, request } from 'node:http';
import { type AddressInfo, createServer } from 'node:net';
import { join } from 'node:path';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import { createAccessClient } from '../access-client.ts';
import type { FakeChain } from '../fakes/fake-chain.ts';
import { FAKE_TOKENS } from '../fakes/fake-market.ts';
import { showTestAddress } from '../fakes/test-family.ts';
import { assertVerified } from '../indexed-service.ts';
import type { Json } from '../market-scene.ts';
import { openHttpStream } from '../open-http-stream.ts';
import { findTree } from '../process-tree.ts';
import { startSilentDatabase } from '../silent-database.ts';
import { type Cleanup, createTempFolder, spawnService } from '../start-service-process.ts';
import { dropFinality } from '../stream-fold.ts';
import { createSolanaWallet } from '../wallets.ts';
import { type ClusterNode, createClusterScene, readMetric, untilSo } from './cluster-scene.ts';
import { startHoppingReader } from './hopping-reader.ts';

interface Answer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly json: Json;
}

/** On a connection of its own, which any of the workers may accept. */
function ask(node: ClusterNode, path: string, bearer?: string): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const headers = bearer === undefined ? {} : { authorization: `Bearer ${bearer}` };
    const sent = request(`${node.origin}/v1/${path}`, { agent: false, headers }, (response) => {
      let text = '';
      response.setEncoding('utf8').on('data', (chunk: string) => {
        text += chunk;
      });
      response.on('error', reject);
      response.on('end', () => {
        const { statusCode = 0, headers: got } = response;
        resolve({ status: statusCode, headers: got, json: JSON.parse(text) });
      });
    });
    sent.on('error', reject);
    sent.setTimeout(20_000, () => sent.destroy(new Error(`no answer to ${path}`)));
    sent.end();
  });
}

/** The worker that indexes first: it was started first. */
function listWorkers(node: ClusterNode): number[] {
  const root = node.child.pid ?? assert.fail();
  const children = findTree(root).filter(({ parentPid }) => parentPid === root);
  return children.map(({ pid }) => pid).sort((a, b) => a - b);
}

/** As `untilThere`; connections to a worker that is killed break. */
async function untilServed(chain: FakeChain, node: ClusterNode): Promise<void> {
  const { position } = chain.head;
  const isThere = async () => {
    const { json } = await ask(node, 'chains');
    return json.chains[0].head >= position && (await ask(node, 'ready')).status === 200;
  };
  await untilSo(`at block ${position}`, () => isThere().catch(() => false), [node]);
}

async function untilReplaced(node: ClusterNode, gone: number): Promise<void> {
  const isReplaced = async () => {
    const text = await (await fetch(node.metricsUrl)).text();
    return !listWorkers(node).includes(gone) && /^mintwire_workers_serving 2$/m.test(text);
  };
  await untilSo('replaced', isReplaced, [node]);
}

async function findBusyMint(node: ClusterNode): Promise<string> {
  const counts = await Promise.all(
    FAKE_TOKENS.map(showTestAddress).map(async (mint) => {
      const { status, json } = await ask(node, `token/trades?chain=devnet&mint=${mint}`);
      return { mint, count: status === 200 ? (json.trades as Json[]).length : 0 };
    }),
  );
  counts.sort((a, b) => b.count - a.count);
  return counts[0]?.mint ?? assert.fail();
}

async function readTrades(node: ClusterNode, mint: string): Promise<Json[]> {
  return (await ask(node, `token/trades?chain=devnet&mint=${mint}&limit=100`)).json.trades;
}

const BURST = 30;

/** A session and a key made on one connection work on all, and end on all. */
async function checkCredentials(node: ClusterNode): Promise<void> {
  const client = createAccessClient(node.origin);
  const { token } = await client.signIn(createSolanaWallet());
  const revoked = await client.issueKey(token);
  for (let turn = 0; turn < 4; turn += 1) {
    assert.equal((await ask(node, 'me', token)).status, 200);
    assert.equal((await ask(node, 'entitlements', revoked.key)).status, 200);
  }
  const answer = await client.send('DELETE', `/keys?id=${revoked.id}`, { bearer: token });
  assert.ok(answer.status < 300, JSON.stringify(answer.body));
  await untilSo('revoked everywhere', async () => {
    const answers = [];
    for (let turn = 0; turn < 4; turn += 1) {
      answers.push(await ask(node, 'entitlements', revoked.key));
    }
    return answers.every(({ status }) => status === 401);
  });
}

/** How many of the requests were allowed, of those that `send` makes until the budget is spent. */
async function checkBudget(send: () => Promise<readonly Answer[]>): Promise<void> {
  const startedAtMs = Date.now();
  let allowed = 0;
  for (let answers = await send(); ; answers = await send()) {
    const statuses = answers.map(({ status }) => status);
    assert.ok(
      statuses.every((status) => status === 200 || status === 429),
      String(statuses),
    );
    const count = statuses.filter((status) => status === 200).length;
    allowed += count;
    if (count === 0) break;
  }
  const refilled = (Date.now() - startedAtMs) / 60_000;
  const most = 1.05 * BURST + refilled;
  assert.ok(allowed >= BURST && allowed <= most, `${allowed} of ${BURST}`);
}

/** While one worker is stopped, the other accepts every connection. */
async function askEachWorker(node: ClusterNode, path: string, bearer: string): Promise<Answer[]> {
  const answers: Answer[] = [];
  for (const stopped of listWorkers(node)) {
    process.kill(stopped, 'SIGSTOP');
    try {
      for (let turn = 0; turn < 4; turn += 1) answers.push(await ask(node, path, bearer));
    } finally {
      process.kill(stopped, 'SIGCONT');
    }
  }
  return answers;
}

/** What the budget allows is allowed over all workers: not more, and not less. */
async function checkBudgets(node: ClusterNode): Promise<void> {
  const client = createAccessClient(node.origin);
  // A wallet for each, because all keys of a wallet spend one budget.
  const tokens = await Promise.all(
    Array.from({ length: 3 }, async () => (await client.signIn(createSolanaWallet())).token),
  );
  const [first = '', second = '', session = ''] = tokens;
  const [key, flooded] = [await client.issueKey(first), await client.issueKey(second)];
  await checkBudget(() => askEachWorker(node, 'entitlements', key.key));
  await checkBudget(() => askEachWorker(node, 'entitlements', session));
  const flood = () =>
    Array.from({ length: 2 * BURST }, () => ask(node, 'entitlements', flooded.key));
  await checkBudget(() => Promise.all(flood()));
}

async function checkStreamCap(node: ClusterNode, mint: string): Promise<void> {
  const url = `${node.origin}/v1/token/stream?chain=devnet&mint=${mint}`;
  const streams = await Promise.all(Array.from({ length: 8 }, () => openHttpStream(url)));
  const statuses = streams.map(({ status }) => status).sort();
  for (const stream of streams) stream.leave();
  assert.deepEqual(statuses, [200, 200, 200, 200, 429, 429, 429, 429]);
  await untilSo('slots are free again', async () => {
    const again = await openHttpStream(url);
    again.leave();
    return again.status === 200;
  });
}

/** Asks all the time; connections may break, but no answer may be a failure. */
function startLoad(node: ClusterNode, paths: readonly string[]) {
  const statuses = new Map<number, number>();
  let isStopped = false;
  const run = async (path: string) => {
    while (!isStopped) {
      const { status } = await ask(node, path).catch(() => ({ status: 0 }));
      statuses.set(status, (statuses.get(status) ?? 0) + 1);
      await sleep(10);
    }
  };
  const running = paths.map(run);
  return {
    statuses,
    stop: async () => {
      isStopped = true;
      await Promise.all(running);
    },
  };
}

async function checkKills(
  t: Cleanup,
  node: ClusterNode,
  of: {
    readonly extend: () => Promise<void>;
    readonly mint: string;
    readonly places: readonly number[];
  },
): Promise<void> {
  const { extend, mint, places } = of;
  const about = `chain=devnet&mint=${mint}`;
  const load = startLoad(node, [
    `token/trades?${about}`,
    `token/klines?${about}&interval=1m`,
    'tokens/search?q=a',
    'chains',
  ]);
  t.after(() => load.stop());
  for (const place of places) {
    const gone = listWorkers(node)[place] ?? assert.fail();
    process.kill(gone, 'SIGKILL');
    await extend();
    await untilReplaced(node, gone);
    await extend();
  }
  await load.stop();
  const failures = [...load.statuses].filter(([status]) => status >= 500);
  assert.deepEqual(failures, [], node.output().slice(-3000));
  assert.ok((load.statuses.get(200) ?? 0) > 20);
}

/** All workers drain: streams end as they should, and the exit code is 0. */
async function endByDrain(node: ClusterNode, mint: string): Promise<void> {
  const open = await openHttpStream(`${node.origin}/v1/token/stream?chain=devnet&mint=${mint}`);
  node.child.kill('SIGTERM');
  assert.equal(await open.ended, 'clean', 'streams end, others finish');
  assert.equal(await node.exited, 0, node.output().slice(-3000));
}

async function endByKill(node: ClusterNode): Promise<void> {
  const workers = listWorkers(node);
  await node.kill('SIGKILL');
  await untilSo('the workers ended', () => !workers.some(isAlive));
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

test('two workers serve as one, also when one is killed', async (t) => {
  const { chain, startNode } = await createClusterScene(t, { seed: 8, blocks: 40 });
  const limits = {
    ...{ LIMIT_KEY_PER_MINUTE: '1', LIMIT_KEY_BURST: String(BURST) },
    ...{ LIMIT_SESSION_PER_MINUTE: '1', LIMIT_SESSION_BURST: String(BURST) },
  };
  const node = await startNode({ WORKERS: '2', ...limits });
  await untilServed(chain, node);
  assert.equal(listWorkers(node).length, 2);
  const mint = await findBusyMint(node);
  await checkCredentials(node);
  await checkBudgets(node);
  await checkStreamCap(node, mint);

  const reader = startHoppingReader(() => [node], `chain=devnet&mint=${mint}&interval=5s`);
  t.after(() => reader.stop());
  await untilSo('a snapshot', () => reader.fold.trades.size > 0);
  const since = Math.max(...Array.from(reader.fold.trades.values(), ({ block }) => block));
  const extend = async () => {
    chain.extend(2);
    await untilServed(chain, node);
  };
  await extend();
  chain.reorganise(3, 3);
  await extend();
  for (let turn = 0; turn < 4; turn += 1) {
    const { status, json } = await ask(node, 'ready');
    assert.equal(status, 200, JSON.stringify(json));
    assert.equal(await readMetric(node, 'mintwire_chain_indexing'), 1);
  }
  assert.equal(await readMetric(node, 'mintwire_feed_reloads'), 0);
  await checkKills(t, node, { extend, mint, places: [1, 0] });

  const trades = (await readTrades(node, mint)).filter(({ block }) => block > since);
  assert.ok(trades.length > 5, `${trades.length}`);
  await untilSo('the stream has every trade', () => {
    const told = [...reader.fold.trades.values()].filter(({ block }) => block > since);
    return isDeepStrictEqual(dropFinality(told), dropFinality(trades));
  });
  assert.deepEqual(reader.fold.problems, []);
  await reader.stop();
  await endByDrain(node, mint);
  await assertVerified(node.env);
});

test('no worker outlives the process that watches over them', async (t) => {
  const { startNode } = await createClusterScene(t, { seed: 8, blocks: 5 });
  await endByKill(await startNode({ WORKERS: '2' }));
});

/** Modules that load late, as with loaders of telemetry: nobody listens at first. */
const LATE_START = '--import=data:text/javascript,await(new(Promise)(r=>setTimeout(r,500)))';

test('workers that load late are told to begin, and a stop while they start ends all', async (t) => {
  const database = await startSilentDatabase(t);
  const options = `${process.env['NODE_OPTIONS'] ?? ''} ${LATE_START}`.trim();
  const keyPepper = { KEY_PEPPER: `1:${Buffer.alloc(32, 7).toString('base64')}` };
  const env = {
    ...{ WORKERS: '2', DEVNET: 'off', DATABASE_URL: database.url, NODE_OPTIONS: options },
    ...keyPepper,
  };
  const service = spawnService(t, { env });
  const { child, output } = service;
  await untilSo('a worker opens the store', () => {
    assert.equal(child.exitCode, null, output());
    return database.sockets.size > 0;
  });
  child.kill('SIGTERM');
  assert.equal(await service.exited, 0, output());
});

test('a worker that cannot start ends all, and the reason is told once', async (t) => {
  const other = createServer();
  t.after(() => other.close());
  await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve));
  const { port } = other.address() as AddressInfo;
  const folder = join(createTempFolder(t), 'data');
  const { url } = await startSilentDatabase(t);
  const env = {
    ...{ DATA_DIR: folder, PORT: String(port), DEVNET: 'off', NODE_COMPILE_CACHE: '' },
    ...{ DATABASE_URL: url, KEY_PEPPER: `1:${Buffer.alloc(32, 7).toString('base64')}` },
  };
  const service = spawnService(t, { env: { WORKERS: '2', ...env } });
  assert.equal(await service.exited, 1);
  assert.equal(service.output().split(`Port ${port} is in use`).length, 2, service.output());
  // The next start need not compile again, and nobody else may put code there.
  assert.equal(readdirSync(join(folder, 'compiled')).length, 1);
  for (const one of [folder, join(folder, 'compiled')]) {
    assert.equal(statSync(one).mode & 0o777, 0o700);
  }
});
