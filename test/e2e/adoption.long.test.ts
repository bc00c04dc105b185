// A service that begins to index late, as on a real chain: it adopts the pools that it meets.

import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { test } from 'node:test';
import { promisify } from 'node:util';
import { type DevnetPool, findPool, findToken } from '../../devnet/deployment.ts';
import type { TestChain } from '../../devnet/test-chain.ts';
import { openCurvePools } from '../curve-scene.ts';
import { createRandom } from '../fakes/create-random.ts';
import { stopService, untilAtHead } from '../indexed-service.ts';
import { createIndexingScene, trade } from '../indexing-scene.ts';
import { RUN_SEED } from '../run-seed.ts';
import { type RunningService, startServiceProcess } from '../start-service-process.ts';

const run = promisify(execFile);
const WAIT_MAX_MS = 120_000;

async function readMetric(service: RunningService, name: string): Promise<number> {
  const text = await (await fetch(service.metricsUrl)).text();
  const line = text.split('\n').find((one) => one.startsWith(`${name}{chain="devnet"}`));
  return line === undefined ? Number.NaN : Number(line.split(' ').at(-1));
}

async function until(isDone: () => Promise<boolean>, service: RunningService): Promise<void> {
  const deadlineMs = Date.now() + WAIT_MAX_MS;
  while (!(await isDone())) {
    if (Date.now() > deadlineMs) throw new Error(service.output().slice(-4000));
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}

/** A pool without an event since a block: an index that began there has not met it. */
async function findQuietPool(chain: TestChain, fromBlock: number): Promise<DevnetPool> {
  for (const pool of chain.deployment.pools) {
    if (pool.venue !== 'uniswap-v3' || pool.quote !== 'weth') continue;
    const filter = { address: pool.id, fromBlock: `0x${fromBlock.toString(16)}` };
    const body = { jsonrpc: '2.0', id: 1, method: 'eth_getLogs', params: [filter] };
    const answer = await fetch(chain.rpcUrl, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
    const { result } = (await answer.json()) as { result: readonly unknown[] };
    if (result.length === 0) return pool;
  }
  return assert.fail('every pool has had an event');
}

test('pools older than the first block are adopted, through kills and reorganisations', async (t) => {
  const { chain, env } = await createIndexingScene(t, { engine: 'sqlite' });
  const startBlock = (await chain.readHead()) - 2;
  const late = { ...env, START_BLOCK_DEVNET: String(startBlock) };
  const random = createRandom(RUN_SEED);
  for (let life = 0; life < 2; life += 1) {
    const killed = await startServiceProcess(t, { env: late });
    const moving = trade(chain, 1);
    await new Promise((resolve) => setTimeout(resolve, 200 + random() * 1500));
    process.kill(-(killed.child.pid ?? 0), 'SIGKILL');
    await Promise.all([killed.exited, moving]);
  }
  const service = await startServiceProcess(t, { env: late });
  await trade(chain, 1);
  await untilAtHead(service, chain);
  await chain.reorg(2);
  await trade(chain, 1);
  // Those that were traded before may have been adopted before a kill; this one was not.
  const { token, venue, quote } = await findQuietPool(chain, startBlock);
  await chain.buy({ token, venue, quote, amountInRaw: 10n ** 16n });
  await untilAtHead(service, chain);
  await until(async () => (await readMetric(service, 'mintwire_adoption_adopted')) > 0, service);
  await until(async () => (await readMetric(service, 'mintwire_adoption_waiting')) === 0, service);
  const pool = findPool(chain.deployment, { token: 'wire', venue: 'uniswap-v3' });
  const body = JSON.stringify({
    ...{ chain: 'devnet', mint: pool.tokenAddress, side: 'buy', amountInRaw: `${10n ** 17n}` },
  });
  await until(async () => {
    const answer = await fetch(`${service.origin}/v1/trade/quote`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body,
    });
    const quote = (await answer.json()) as { exact: boolean; warnings: { code: string }[] };
    if (answer.status !== 200) return false;
    return quote.exact && quote.warnings.every(({ code }) => code !== 'TICKS_UNKNOWN');
  }, service);
  await stopService(service);
  const args = ['src/cli/main.ts', 'verify', '--chain', 'devnet'];
  const { stdout } = await run(process.execPath, args, { env: { ...process.env, ...late } });
  assert.match(stdout, /no differences/);
  assert.match(stdout, /^ {2}tick of contract +[1-9]/m);
});

/** Answers of a server that may know more a moment later. */
const UNTIL_THEN = new Set(['LOOKUP_PENDING', 'NOT_READY']);

interface QuoteReply {
  readonly status: number;
  readonly answer: { readonly code?: string; readonly detail?: string; readonly exact?: boolean };
}

async function quoteLone(service: RunningService, { deployment }: TestChain): Promise<QuoteReply> {
  const [mint, quoteMint] = ['lone', 'usdc'].map((key) => findToken(deployment, key).address);
  const trade = { chain: 'devnet', mint, quoteMint, side: 'sell', amountInRaw: `${10n ** 18n}` };
  const response = await fetch(`${service.origin}/v1/trade/quote`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(trade),
  });
  if (response.status === 503) assert.ok(Number(response.headers.get('retry-after')) > 0);
  return { status: response.status, answer: (await response.json()) as QuoteReply['answer'] };
}

/** The first answer that is not to be asked for again. */
async function untilTold(service: RunningService, chain: TestChain): Promise<QuoteReply> {
  let reply: QuoteReply | null = null;
  await until(async () => {
    reply = await quoteLone(service, chain);
    return !UNTIL_THEN.has(reply.answer.code ?? '');
  }, service);
  return reply ?? assert.fail();
}

test('a token in a pool that is not read yet has a market: later, or never if none are read', async (t) => {
  const computed = [{ kind: 'stable', coins: { usdc: 900_000n, lone: 800_000n } }] as const;
  const prepare = (chain: TestChain) => openCurvePools(chain, { computed, called: [] });
  const { chain, env } = await createIndexingScene(t, { engine: 'sqlite', prepare });
  const off = await startServiceProcess(t, { env: { ...env, ADOPT_CALLS_PER_MINUTE: '0' } });
  await untilAtHead(off, chain);
  const told = await untilTold(off, chain);
  assert.deepEqual([told.status, told.answer.code], [404, 'POOLS_NOT_QUOTED']);
  assert.match(told.answer.detail ?? '', /on curve, this server does not read .*\(unread\)/);
  await stopService(off);
  const service = await startServiceProcess(t, { env });
  await untilAtHead(service, chain);
  const quoted = await untilTold(service, chain);
  assert.equal(quoted.status, 200, JSON.stringify(quoted.answer));
  await stopService(service);
});
