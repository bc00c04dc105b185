// A service that begins to index late, asked for tokens that it has never seen.

import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { test } from 'node:test';
import { promisify } from 'node:util';
import { MAKER, TRADERS } from '../../devnet/accounts.ts';
import { findPool, findToken } from '../../devnet/deployment.ts';
import { type ChaosProxy, startChaosProxy } from '../chaos-proxy.ts';
import { stopService, untilAtHead } from '../indexed-service.ts';
import { createIndexingScene } from '../indexing-scene.ts';
import { type RunningService, startServiceProcess } from '../start-service-process.ts';

const run = promisify(execFile);
const WAIT_MAX_MS = 120_000;

interface Answered<T> {
  readonly status: number;
  readonly body: T & { readonly code?: string };
  readonly headers: Headers;
}

/** Asks again, as clients do, while a lookup takes longer than a request waits. */
async function send<T>(
  service: RunningService,
  path: string,
  init?: RequestInit,
): Promise<Answered<T>> {
  const deadlineMs = Date.now() + WAIT_MAX_MS;
  for (;;) {
    const response = await fetch(`${service.origin}/v1${path}`, init);
    const { status, headers } = response;
    const body = (await response.json()) as Answered<T>['body'];
    if (body.code !== 'LOOKUP_PENDING' || Date.now() > deadlineMs) return { status, headers, body };
  }
}

function read<T = object>(service: RunningService, path: string): Promise<Answered<T>> {
  return send(service, path);
}

function quote<T = object>(service: RunningService, body: object): Promise<Answered<T>> {
  return send(service, '/trade/quote', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ chain: 'devnet', ...body }),
  });
}

async function until(isDone: () => Promise<boolean>, service: RunningService): Promise<void> {
  const deadlineMs = Date.now() + WAIT_MAX_MS;
  while (!(await isDone())) {
    if (Date.now() > deadlineMs) throw new Error(service.output().slice(-4000));
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}

interface TokenAnswer {
  readonly symbol: string;
  readonly decimals: number;
  readonly totalSupplyRaw: string;
  readonly liquidityUsd: string | null;
  readonly pools: readonly { address: string; venue: string; liquidityUsd: string | null }[];
}

interface QuoteAnswer {
  readonly exact: boolean;
  readonly output: { readonly amountRaw: string };
  readonly route: readonly { readonly hops: readonly { readonly pool: string }[] }[];
}

test('tokens older than the first block are answered when somebody asks for them', async (t) => {
  const { chain, env } = await createIndexingScene(t, { engine: 'sqlite' });
  await chain.mine(3);
  const start = await chain.readHead();
  // No pool is adopted or probed but for what is asked for here.
  const late = { ...env, START_BLOCK_DEVNET: String(start) };
  const service = await startServiceProcess(t, { env: late });
  await untilAtHead(service, chain);
  const wire = findToken(chain.deployment, 'wire').address;
  const path = `/token?chain=devnet&mint=${wire}`;

  const first = await read<TokenAnswer>(service, path);
  assert.equal(first.status, 200, JSON.stringify(first.body));
  assert.deepEqual([first.body.symbol, first.body.decimals], ['WIRE', 18]);
  assert.ok(BigInt(first.body.totalSupplyRaw) > 0n);
  assert.equal(first.body.pools.length, 4);
  await until(async () => {
    const { body } = await read<TokenAnswer>(service, path);
    return body.liquidityUsd !== null && body.pools.every((pool) => pool.liquidityUsd !== null);
  }, service);

  // Every read of a token looks it up: each of these asks for one that nobody has asked for.
  const toMint = (key: string) => findToken(chain.deployment, key).address;
  for (const query of [
    `/token/klines?chain=devnet&interval=1m&mint=${toMint('cent')}`,
    `/token/trades?chain=devnet&mint=${toMint('olde')}`,
    `/token/holders?chain=devnet&mint=${toMint('seat')}`,
  ]) {
    assert.equal((await read(service, query)).status, 200, query);
  }
  const found = await read<{ tokens: { symbol: string }[] }>(
    service,
    `/tokens/search?q=${toMint('spark')}`,
  );
  assert.deepEqual(
    found.body.tokens.map(({ symbol }) => symbol),
    ['SPRK'],
  );
  // By its name too, once the index has it.
  await until(async () => {
    const named = await read<{ tokens: { symbol: string }[] }>(service, '/tokens/search?q=sprk');
    return named.body.tokens.some(({ symbol }) => symbol === 'SPRK');
  }, service);

  // A quote finds a token and its pools, and pays what it says.
  const nano = toMint('nano');
  const wanted = { mint: nano, side: 'buy', amountInRaw: `${10n ** 17n}` };
  let answer = await quote<QuoteAnswer>(service, wanted);
  assert.equal(answer.status, 200, JSON.stringify(answer.body));
  await until(async () => {
    answer = await quote<QuoteAnswer>(service, wanted);
    return answer.status === 200 && answer.body.exact;
  }, service);
  const pool = findPool(chain.deployment, { token: 'nano', venue: 'uniswap-v2' });
  assert.equal(answer.body.route[0]?.hops[0]?.pool.toLowerCase(), pool.id.toLowerCase());
  const before = await readBalance(chain, nano);
  await chain.buy({ token: 'nano', venue: 'uniswap-v2', amountInRaw: 10n ** 17n });
  assert.equal((await readBalance(chain, nano)) - before, BigInt(answer.body.output.amountRaw));

  await untilAtHead(service, chain);
  await stopService(service);
  const args = ['src/cli/main.ts', 'verify', '--chain', 'devnet'];
  const { stdout } = await run(process.execPath, args, { env: { ...process.env, ...late } });
  assert.match(stdout, /no differences/);
  for (const what of ['trade', 'supply', 'pool of contract', 'tick of contract']) {
    assert.match(stdout, new RegExp(`^  ${what} +[1-9]`, 'm'));
  }
});

async function readBalance(
  chain: Awaited<ReturnType<typeof createIndexingScene>>['chain'],
  token: string,
): Promise<bigint> {
  const owner = (TRADERS[0] ?? '').slice(2).toLowerCase().padStart(64, '0');
  const data = `0x70a08231${owner}`;
  return BigInt(await chain.rpc.call<string>('eth_call', { to: token, data }, 'latest'));
}

test('what is no token stays 404, and a node that fails is 503 until it is back', async (t) => {
  let proxy: ChaosProxy | null = null;
  const { chain, env } = await createIndexingScene(t, {
    engine: 'sqlite',
    rpcUrl: async (real) => {
      proxy = await startChaosProxy(real);
      return proxy.url;
    },
  });
  const chaos = (proxy as ChaosProxy | null) ?? assert.fail();
  t.after(() => chaos.stop());
  await chain.mine(3);
  const late = { ...env, START_BLOCK_DEVNET: String(await chain.readHead()), STALL_SECONDS: '60' };
  const service = await startServiceProcess(t, { env: late });
  await untilAtHead(service, chain);
  const ask = (mint: string) => read(service, `/token?chain=devnet&mint=${mint}`);
  for (const mint of [MAKER, chain.deployment.contracts.v2Factory]) {
    for (let times = 0; times < 3; times += 1) {
      const { status, body } = await ask(mint);
      assert.deepEqual([status, body.code], [404, 'TOKEN_NOT_FOUND']);
    }
  }
  const metrics = await (await fetch(service.metricsUrl)).text();
  assert.match(metrics, /^mintwire_lookups_found\{chain="devnet"\} 0$/m);

  const wire = findToken(chain.deployment, 'wire').address;
  chaos.setFault('cut');
  const failed = await ask(wire);
  assert.equal(failed.status, 503, JSON.stringify(failed.body));
  assert.ok(Number(failed.headers.get('retry-after')) > 0);
  chaos.setFault('none');
  await until(async () => (await ask(wire)).status === 200, service);
  await stopService(service);
});

test("a caller's tier bounds its lookups, of quotes as of reads", async (t) => {
  const { chain, env } = await createIndexingScene(t, { engine: 'sqlite' });
  await chain.mine(3);
  const start = await chain.readHead();
  const late = { ...env, START_BLOCK_DEVNET: String(start), LIMIT_ANONYMOUS_LOOKUPS: '0' };
  const service = await startServiceProcess(t, { env: late });
  await untilAtHead(service, chain);
  const limits = await read<{ limits: { lookups: number } }>(service, '/entitlements');
  assert.equal(limits.body.limits.lookups, 0);
  const { address: mint } = findToken(chain.deployment, 'wire');
  for (const ask of [
    () => read(service, `/token?chain=devnet&mint=${mint}`),
    () => read(service, `/tokens/search?q=${mint}`),
    () => quote(service, { mint, side: 'buy', amountInRaw: '1000' }),
  ]) {
    let refused = await ask();
    await until(async () => {
      refused = await ask();
      return refused.body.code !== 'NOT_READY';
    }, service);
    assert.deepEqual([refused.status, refused.body.code], [403, 'LOOKUPS_NOT_INCLUDED']);
  }
  await stopService(service);
});
