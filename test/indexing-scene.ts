// A real chain for a service to follow, and trades on it.

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startTestChain, type TestChain } from '../devnet/test-chain.ts';
import { createTestDatabase } from './postgres.ts';
import { startRpcRecorder } from './rpc-recorder.ts';
import type { Cleanup } from './start-service-process.ts';

export type Engine = 'sqlite' | 'postgres';

export interface IndexingScene {
  readonly chain: TestChain;
  /** The settings with which a service follows the chain. */
  readonly env: Readonly<Record<string, string>>;
}

export async function createIndexingScene(
  t: Cleanup,
  options: {
    readonly engine: Engine;
    readonly rpcUrl?: (real: string) => Promise<string>;
    /** Changes the chain before a service follows it. */
    readonly prepare?: (chain: TestChain) => Promise<void>;
    /** Whether the chain has other exchanges than Uniswap. */
    readonly hasOthers?: boolean | undefined;
  },
): Promise<IndexingScene> {
  const { hasOthers = false } = options;
  const chain = await startTestChain({ hasOthers, history: { blocks: 12, actionsPerBlock: 4 } });
  t.after(() => chain.stop());
  await options.prepare?.(chain);
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
