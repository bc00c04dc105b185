// A service that begins to index late, as on a real chain: it adopts the pools that it meets.

import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { test } from 'node:test';
import { promisify } from 'node:util';
import { findPool } from '../../devnet/deployment.ts';
import { stopService, untilAtHead } from '../indexed-service.ts';
import { createIndexingScene, trade } from '../indexing-scene.ts';
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

test('pools older than the first block are adopted, through kills and reorganisations', async (t) => {
  const { chain, env } = await createIndexingScene(t, { engine: 'sqlite' });
  const late = { ...env, START_BLOCK_DEVNET: String((await chain.readHead()) - 2) };
  for (let life = 0; life < 2; life += 1) {
    const killed = await startServiceProcess(t, { env: late });
    const moving = trade(chain, 1);
    await new Promise((resolve) => setTimeout(resolve, 200 + Math.random() * 1500));
    process.kill(-(killed.child.pid ?? 0), 'SIGKILL');
    await Promise.all([killed.exited, moving]);
  }
  const service = await startServiceProcess(t, { env: late });
  await trade(chain, 1);
  await untilAtHead(service, chain);
  await chain.reorg(2);
  await trade(chain, 1);
  await untilAtHead(service, chain);
  await until(async () => (await readMetric(service, 'mintwire_adoption_waiting')) === 0, service);
  assert.ok((await readMetric(service, 'mintwire_adoption_adopted')) >= 0);
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
