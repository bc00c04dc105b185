// A real chain, a service that follows it, and functions that drive and check both.

import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { startTestChain, type TestChain } from '../devnet/test-chain.ts';
import { createTestDatabase } from './postgres.ts';
import { startRpcRecorder } from './rpc-recorder.ts';
import type { Cleanup, RunningService } from './start-service-process.ts';

const run = promisify(execFile);

/** A generous limit: a stuck service must fail, not hang the suite. */
const AT_HEAD_MAX_MS = 180_000;

export type Engine = 'sqlite' | 'postgres';

export interface IndexingScene {
  readonly chain: TestChain;
  /** The settings with which a service follows the chain. */
  readonly env: Readonly<Record<string, string>>;
}

export async function createIndexingScene(
  t: Cleanup,
  options: { readonly engine: Engine; readonly rpcUrl?: (real: string) => Promise<string> },
): Promise<IndexingScene> {
  const chain = await startTestChain({ history: { blocks: 12, actionsPerBlock: 4 } });
  t.after(() => chain.stop());
  const folder = mkdtempSync(join(tmpdir(), 'mintwire-test-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  const recorder = await startRpcRecorder(chain.rpcUrl);
  t.after(() => recorder.stop());
  const rpcUrl = (await options.rpcUrl?.(recorder.url)) ?? recorder.url;
  const file = join(folder, 'deployment.json');
  writeFileSync(file, JSON.stringify({ ...chain.deployment, rpcUrl }));
  const env = { DEVNET: 'on', DEVNET_DEPLOYMENT: file, DATA_DIR: folder, STALL_SECONDS: '3' };
  if (options.engine === 'sqlite') return { chain, env };
  const database = await createTestDatabase();
  t.after(() => database.drop());
  const KEY_PEPPER = `1:${Buffer.alloc(32, 7).toString('base64')}`;
  return { chain, env: { ...env, DATABASE_URL: database.url, KEY_PEPPER } };
}

/** A few trades on two venues, and an empty block after each. */
export async function trade(chain: TestChain, rounds: number): Promise<void> {
  for (let i = 0; i < rounds; i += 1) {
    const amountInRaw = 10n ** 16n * BigInt(1 + (i % 7));
    await chain.buy({ token: 'wire', venue: 'uniswap-v2', amountInRaw });
    await chain.buy({ token: 'wire', venue: 'uniswap-v3', amountInRaw });
    await chain.mine(1);
  }
}

/** Waits until the service has indexed the chain's newest block and says that it is ready. */
export async function untilAtHead(service: RunningService, chain: TestChain): Promise<void> {
  const deadlineMs = Date.now() + AT_HEAD_MAX_MS;
  for (;;) {
    const head = await chain.readHead();
    const answer = await (await fetch(`${service.origin}/v1/chains`)).json();
    const { chains } = answer as { chains: { head: number | null }[] };
    const ready = (await fetch(`${service.origin}/v1/ready`)).status === 200;
    if (chains?.[0]?.head === head && ready) return;
    if (Date.now() > deadlineMs) {
      throw new Error(`the service is not at block ${head}:\n${service.output().slice(-4000)}`);
    }
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}

export async function stopService(service: RunningService): Promise<void> {
  service.child.kill('SIGTERM');
  assert.equal(await service.exited, 0, service.output());
}

/** Runs the operator's own command, which recomputes everything from the chain. */
export async function assertVerified(env: IndexingScene['env']): Promise<string> {
  const args = ['src/cli/main.ts', 'verify', '--chain', 'devnet'];
  const { stdout } = await run(process.execPath, args, { env: { ...process.env, ...env } });
  assert.match(stdout, /no differences/);
  // What was not compared proves nothing.
  for (const what of ['trade', 'candle', 'supply', 'balance of contract', 'pool of contract']) {
    assert.match(stdout, new RegExp(`^  ${what} +[1-9]`, 'm'));
  }
  assert.doesNotMatch(stdout, /without answer +[1-9]/);
  return stdout;
}
