// The Solana chain of a soak: the embedded one with its own traders, and occasional forks.

import { join } from 'node:path';
import { type SolanaDevnet, startSolanaDevnet } from '../../devnet/solana/start-solana-devnet.ts';
import { type Cleanup, createTempFolder } from '../start-service-process.ts';
import { repeat, type Stage } from './actors.ts';

const FORK_EVERY_MS = 6000;
const DEPTH_MAX = 8;

export interface SoakSolana {
  readonly env: Readonly<Record<string, string>>;
  readonly folder: string;
  readonly rpcUrl: string;
  /** Only blocks from now on, so that `verify` may ask the accounts. */
  settle(): Promise<void>;
}

export async function startSoakSolana(t: Cleanup): Promise<SoakSolana> {
  const folder = createTempFolder(t);
  const place = { dataDir: join(folder, 'devnet-solana'), seed: 'soak', historyHours: 2 };
  const start = (port: number, traders: 'on' | 'off') =>
    startSolanaDevnet({ ...place, port, traders, log: () => undefined });
  let chain: SolanaDevnet = await start(0, 'on');
  t.after(() => chain.stop());
  const { rpcUrl } = chain.deployment;
  return {
    ...{ folder, rpcUrl, env: { DEVNET_SOLANA_DEPLOYMENT: chain.deploymentPath } },
    settle: async () => {
      await chain.stop();
      chain = await start(Number(new URL(rpcUrl).port), 'off');
    },
  };
}

/** A refused fork is an error, unless the chain has just started. */
export function runForks(stage: Stage, { rpcUrl }: SoakSolana): Promise<void> {
  return repeat(stage, { kind: 'fork', restMs: FORK_EVERY_MS }, async () => {
    const params = [1 + Math.floor(Math.random() * DEPTH_MAX)];
    const response = await fetch(rpcUrl, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'devnet_fork', params }),
    });
    const { error } = (await response.json()) as { error?: { message: string } };
    if (error === undefined) stage.tally.add('fork of devnet-solana');
    else if (!error.message.includes('can be replaced')) stage.tally.fail('fork', error.message);
  });
}
