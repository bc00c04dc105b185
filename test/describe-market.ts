// The reads of a real service on a real chain agree with each other and with the chain.

import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { after, before, describe, test } from 'node:test';
import { promisify } from 'node:util';
import { KLINE_INTERVALS } from '../src/model/market-record.ts';
import { foldAsClient } from './client-fold.ts';
import { untilAtHead } from './indexed-service.ts';
import { createIndexingScene, type IndexingScene, trade } from './indexing-scene.ts';
import type { Json } from './market-scene.ts';
import { PAGES_MAX, readPages } from './read-pages.ts';
import { type RunningService, startServiceProcess } from './start-service-process.ts';

const run = promisify(execFile);

const LIMITS = {
  LIMIT_ANONYMOUS_PER_MINUTE: '10000000',
  LIMIT_ANONYMOUS_BURST: '10000000',
  LIMIT_IP_PER_MINUTE: '10000000',
  LIMIT_IP_BURST: '10000000',
};

interface Scene extends IndexingScene {
  service: RunningService;
  get(path: string): Promise<{ status: number; json: Json }>;
  mintOf(key: string): string;
}

async function startScene(
  t: { after(work: () => unknown): void },
  engine: 'sqlite' | 'postgres',
): Promise<Scene> {
  const scene = await createIndexingScene(t as never, { engine });
  const env = { ...scene.env, ...LIMITS };
  const service = await startServiceProcess(t as never, { env });
  await trade(scene.chain, 3);
  await untilAtHead(service, scene.chain);
  const whole: Scene = {
    ...scene,
    env,
    service,
    get: async (path) => {
      const response = await fetch(`${whole.service.origin}/v1${path}`);
      return { status: response.status, json: await response.json() };
    },
    mintOf: (key) => scene.chain.deployment.tokens.find((token) => token.key === key)!.address,
  };
  return whole;
}

async function readTrades(scene: Scene, mint: string): Promise<Json[]> {
  const trades = await readPages(PAGES_MAX, async (cursor: string | null) => {
    const next = cursor === null ? '' : `&cursor=${cursor}`;
    const { json } = await scene.get(`/token/trades?chain=devnet&mint=${mint}&limit=17${next}`);
    return { rows: json.trades as Json[], next: json.nextCursor };
  });
  return trades.reverse();
}

async function assertFolds(
  scene: Scene,
  series: { mint: string; trades: readonly Json[]; pool?: string },
): Promise<void> {
  for (const interval of KLINE_INTERVALS) {
    for (const currency of ['usd', 'native'] as const) {
      const pool = series.pool === undefined ? '' : `&pool=${series.pool}`;
      const { json } = await scene.get(
        `/token/klines?chain=devnet&mint=${series.mint}&interval=${interval}&currency=${currency}&outliers=include&limit=1000${pool}`,
      );
      const answered = json.klines.map(
        ({ closeTime: _t, closed: _c, filled: _f, ...rest }: Json) => rest,
      );
      assert.deepEqual(answered, foldAsClient(series.trades as never, interval, currency));
    }
  }
}

/** A number that the node returns, in decimal. */
async function askNode(scene: Scene, method: string, params: unknown): Promise<string> {
  const response = await fetch(scene.chain.rpcUrl, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
  });
  const { result } = (await response.json()) as { result: string };
  return BigInt(result).toString();
}

export function describeMarket(engine: 'sqlite' | 'postgres'): void {
  describe(`on ${engine}`, () => {
    const cleanups: (() => unknown)[] = [];
    let scene: Scene;
    before(async () => {
      scene = await startScene({ after: (work) => cleanups.unshift(work) }, engine);
    });
    after(async () => {
      for (const cleanup of cleanups) await cleanup();
    });

    test('the trades of every token fold to its klines, over all pools and over each', async () => {
      let count = 0;
      for (const { address: mint } of scene.chain.deployment.tokens) {
        const trades = await readTrades(scene, mint);
        count += trades.length;
        await assertFolds(scene, { mint, trades });
        for (const pool of new Set(trades.map((one) => one.pool as string))) {
          const ofPool = trades.filter((one) => one.pool === pool);
          await assertFolds(scene, { mint, trades: ofPool, pool });
        }
      }
      assert.ok(count > 30, `only ${count} trades`);
    });

    test('holders add up to the supply and equal the balances on the chain', async () => {
      const { contracts, tokens } = scene.chain.deployment;
      const kinds = new Map<string, string>();
      for (const { address, key } of tokens) {
        const path = `/token/holders?chain=devnet&mint=${address}&limit=100`;
        const { json } = await scene.get(path);
        assert.equal(json.nextCursor, null);
        assert.equal(json.holders.length, json.total, key);
        assert.equal(json.coverage.holdersComplete, true, key);
        const sum = json.holders.reduce(
          (all: bigint, one: Json) => all + BigInt(one.amountRaw),
          0n,
        );
        assert.equal(sum.toString(), json.totalSupplyRaw, key);
        for (const { owner, kind } of json.holders) kinds.set(owner.toLowerCase(), kind);
      }
      assert.equal(kinds.get(contracts.v4PoolManager), 'pool');
      for (const pool of scene.chain.deployment.pools) {
        if (pool.venue !== 'uniswap-v4') assert.equal(kinds.get(pool.id), 'pool');
      }
      for (const account of scene.chain.deployment.accounts) {
        const kind = kinds.get(account.toLowerCase());
        if (kind !== undefined) assert.equal(kind, 'wallet');
      }
    });

    test("a wallet's balances are those of the chain at that block", async () => {
      let held = 0;
      for (const wallet of scene.chain.deployment.accounts.slice(0, 4)) {
        const { json } = await scene.get(`/wallet/balances?chain=devnet&wallet=${wallet}`);
        assert.equal(json.coverage.node, 'answered');
        const call = (method: string, first: unknown) =>
          askNode(scene, method, [first, `0x${json.asOf.block.toString(16)}`]);
        assert.equal(json.native.amountRaw, await call('eth_getBalance', wallet));
        const amounts = new Map(
          json.balances.map((one: Json) => [one.mint.toLowerCase(), one.amountRaw]),
        );
        for (const { address: to, key } of scene.chain.deployment.tokens) {
          const data = `0x70a08231${wallet.slice(2).toLowerCase().padStart(64, '0')}`;
          const balance = await call('eth_call', { to, data });
          assert.equal(amounts.get(to) ?? '0', balance, key);
          if (balance !== '0') held += 1;
        }
      }
      assert.ok(held > 0);
    });

    test('every token of the chain is found by its address, symbol and name', async () => {
      for (const { address, symbol, name, key } of scene.chain.deployment.tokens) {
        const byAddress = await scene.get(`/tokens/search?q=${address}`);
        assert.equal(byAddress.json.tokens[0]?.mint.toLowerCase(), address, key);
        for (const text of [symbol, name].filter((one) => one !== '')) {
          const { json } = await scene.get(`/tokens/search?q=${encodeURIComponent(text)}`);
          const mints = json.tokens.map(({ mint }: Json) => mint.toLowerCase());
          assert.ok(mints.includes(address), `${text} finds ${key}`);
        }
      }
      const { json } = await scene.get('/tokens/search?q=TWIN');
      const [first, second] = json.tokens;
      assert.deepEqual([first.symbol, second.symbol], ['TWIN', 'TWIN']);
      assert.ok(Number(first.liquidityUsd) > Number(second.liquidityUsd));
    });

    test('liquidity is about what the pools were given, and each side counts once', async () => {
      const { json } = await scene.get(`/token?chain=devnet&mint=${scene.mintOf('wire')}`);
      const given: Record<string, number> = { weth: 0.9e6 + 1.2e6, usdc: 0.3e6, eth: 0.7e6 };
      const total = 2 * Object.values(given).reduce((sum, one) => sum + one, 0);
      // The deployment adds narrow positions on top of the full range.
      assert.ok(Number(json.liquidityUsd) > total * 0.9, json.liquidityUsd);
      assert.ok(Number(json.liquidityUsd) < total * 1.5, json.liquidityUsd);
      // Its pool was opened before the other token had a price; the next event values it.
      await scene.chain.buy({ token: 'kin', venue: 'uniswap-v3', amountInRaw: 10n ** 18n });
      await untilAtHead(scene.service, scene.chain);
      const paired = await scene.get(`/token?chain=devnet&mint=${scene.mintOf('kin')}`);
      assert.ok(Number(paired.json.liquidityUsd) > 200_000, 'a token that only another one prices');
      const lone = await scene.get(`/token?chain=devnet&mint=${scene.mintOf('lone')}`);
      assert.equal(lone.json.liquidityUsd, null);
      assert.deepEqual(lone.json.pools, []);
      assert.equal(lone.json.topPool, null);
    });

    test('a pause takes effect within a second, everywhere, and outlives a restart', async (t) => {
      const mint = scene.mintOf('cent');
      const cli = (command: string) =>
        run(process.execPath, ['src/cli/main.ts', command, 'devnet', mint], {
          env: { ...process.env, ...scene.env },
        });
      const paths = ['', '/klines', '/trades', '/holders'].map(
        (route) =>
          `/token${route}?chain=devnet&mint=${mint}${route === '/klines' ? '&interval=1m' : ''}`,
      );
      for (const path of paths) assert.equal((await scene.get(path)).status, 200, path);
      await cli('pause');
      await new Promise((resolve) => setTimeout(resolve, 900));
      for (const path of paths) {
        const { status, json } = await scene.get(path);
        assert.deepEqual([status, json.code], [404, 'TOKEN_PAUSED'], path);
      }
      for (const q of ['cent', 'centime', mint]) {
        const { json } = await scene.get(`/tokens/search?q=${q}`);
        const mints = json.tokens.map((token: Json) => token.mint.toLowerCase());
        assert.ok(!mints.includes(mint), q);
      }
      scene.service.child.kill('SIGTERM');
      assert.equal(await scene.service.exited, 0);
      scene.service = await startServiceProcess(t, { env: scene.env });
      await untilAtHead(scene.service, scene.chain);
      assert.equal((await scene.get(paths[0]!)).json.code, 'TOKEN_PAUSED');
      await cli('resume');
      await new Promise((resolve) => setTimeout(resolve, 900));
      for (const path of paths) assert.equal((await scene.get(path)).status, 200, path);
    });
  });
}
