// A real chain, a real service, and everything that can go wrong between them.

import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, type TestContext, test } from 'node:test';
import { promisify } from 'node:util';
import { startTestChain, type TestChain } from '../../devnet/test-chain.ts';
import { type Fault, startChaosProxy } from '../chaos-proxy.ts';
import { createTestDatabase } from '../postgres.ts';
import { createTempFolder, type RunningService, startService } from '../start-service.ts';

const run = promisify(execFile);

interface Scene {
  readonly chain: TestChain;
  readonly env: Readonly<Record<string, string>>;
}

type Engine = 'sqlite' | 'postgres';

/** A chain with a little past, and the settings with which a service follows it. */
async function createScene(
  t: TestContext,
  options: { readonly engine: Engine; readonly rpcUrl?: (real: string) => Promise<string> },
): Promise<Scene> {
  const chain = await startTestChain({ history: { blocks: 12, actionsPerBlock: 4 } });
  t.after(() => chain.stop());
  const folder = createTempFolder(t);
  const rpcUrl = (await options.rpcUrl?.(chain.rpcUrl)) ?? chain.rpcUrl;
  const file = join(folder, 'deployment.json');
  writeFileSync(file, JSON.stringify({ ...chain.deployment, rpcUrl }));
  const env = { DEVNET: 'on', DEVNET_DEPLOYMENT: file, DATA_DIR: folder, STALL_SECONDS: '3' };
  if (options.engine === 'sqlite') return { chain, env };
  const database = await createTestDatabase();
  t.after(() => database.drop());
  return { chain, env: { ...env, DATABASE_URL: database.url } };
}

/** A few trades on every venue, some of them in one block. */
async function trade(chain: TestChain, rounds: number): Promise<void> {
  for (let i = 0; i < rounds; i += 1) {
    const amountInRaw = 10n ** 16n * BigInt(1 + (i % 7));
    await chain.buy({ token: 'wire', venue: 'uniswap-v2', amountInRaw });
    await chain.buy({ token: 'wire', venue: 'uniswap-v3', amountInRaw });
    await chain.mine(1);
  }
}

async function readJson<T>(url: string): Promise<T> {
  return (await (await fetch(url)).json()) as T;
}

/** Waits until the service has indexed the chain's newest block and says that it is ready. */
async function untilAtHead(service: RunningService, chain: TestChain): Promise<void> {
  for (;;) {
    const head = await chain.readHead();
    const { chains } = await readJson<{ chains: { head: number | null }[] }>(
      `${service.origin}/v1/chains`,
    );
    const ready = (await fetch(`${service.origin}/v1/ready`)).status === 200;
    if (chains[0]?.head === head && ready) return;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

async function stopService(service: RunningService): Promise<void> {
  service.child.kill('SIGTERM');
  assert.equal(await service.exited, 0, service.output());
}

/** Runs the operator's own command, which recomputes everything from the chain. */
async function assertVerified(env: Scene['env']): Promise<void> {
  const { stdout } = await run(
    process.execPath,
    ['src/cli/main.ts', 'verify', '--chain', 'devnet'],
    { env: { ...process.env, ...env } },
  );
  assert.match(stdout, /no differences/);
  assert.match(stdout, /[1-9]\d* trades/);
}

async function untilReadyIs(service: RunningService, wanted: number): Promise<string> {
  for (;;) {
    const response = await fetch(`${service.origin}/v1/ready`);
    const text = await response.text();
    if (response.status === wanted) return text;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

for (const engine of ['sqlite', 'postgres'] as const) {
  describe(`on ${engine}`, () => {
    test('behavior: killed at random moments while indexing, nothing is lost or doubled', async (t) => {
      const { chain, env } = await createScene(t, { engine });
      for (let i = 0; i < 4; i += 1) {
        const service = await startService(t, { env });
        const moving = trade(chain, 1);
        await new Promise((resolve) => setTimeout(resolve, 20 + Math.random() * 600));
        process.kill(-(service.child.pid ?? 0), 'SIGKILL');
        await Promise.all([service.exited, moving]);
      }
      const service = await startService(t, { env });
      await untilAtHead(service, chain);
      await stopService(service);
      await assertVerified(env);
    });

    test('behavior: reorganisations of any depth leave what a fresh index would have', async (t) => {
      const { chain, env } = await createScene(t, { engine });
      const service = await startService(t, { env });
      await chain.mine(50);
      for (const depth of [1, 7, 50, 1 + Math.floor(Math.random() * 50)]) {
        await trade(chain, 1);
        await untilAtHead(service, chain);
        await chain.reorg(depth);
        await trade(chain, 1);
      }
      await untilAtHead(service, chain);
      assert.match(service.output(), /"msg":"reorganisation"/);
      await stopService(service);
      await assertVerified(env);
    });
  });
}

test('behavior: an endpoint that fails in every way loses nothing, and /ready tells', async (t) => {
  let proxyOf: Awaited<ReturnType<typeof startChaosProxy>> | undefined;
  const { chain, env } = await createScene(t, {
    engine: 'sqlite',
    rpcUrl: async (real) => {
      proxyOf = await startChaosProxy(real);
      return proxyOf.url;
    },
  });
  const proxy = proxyOf ?? assert.fail();
  t.after(() => proxy.stop());
  const service = await startService(t, { env });
  await untilAtHead(service, chain);
  for (const fault of ['limit', 'cut', 'partial', 'lag', 'switch'] satisfies Fault[]) {
    const before = proxy.spoilt();
    proxy.setFault(fault);
    await trade(chain, 1);
    while (proxy.spoilt() < before + 3) await new Promise((resolve) => setTimeout(resolve, 20));
    proxy.setFault('none');
    await untilAtHead(service, chain);
  }
  proxy.setFault('hang');
  await chain.mine(1);
  assert.match(await untilReadyIs(service, 503), /devnet/);
  proxy.setFault('none');
  await untilAtHead(service, chain);
  await stopService(service);
  await assertVerified(env);
});
