// A service on the embedded Solana chain alone, and what the examples of docs/solana.md refer to.

import assert from 'node:assert/strict';
import { join } from 'node:path';
import { startSolanaDevnet } from '../devnet/solana/start-solana-devnet.ts';
import type { ExampleSetting } from '../docs/documented-examples.ts';
import type { Json } from './market-scene.ts';
import { type Cleanup, createTempFolder, startServiceProcess } from './start-service-process.ts';
import { waitUntil } from './wait-until.ts';

/** The page whose examples are about this chain; others show the devnet alone. */
export const SOLANA_PAGE = join('docs', 'solana.md');
const CHAIN = 'devnet-solana';

/** The busiest token with its newest trade, and a coin on a curve. */
async function findNames(origin: string): Promise<Record<string, string>> {
  const read = async (path: string) => (await (await fetch(`${origin}/v1/${path}`)).json()) as Json;
  const { tokens } = await read(`tokens?chain=${CHAIN}&sort=trades`);
  const token = tokens.find(({ launchpad }: Json) => launchpad === null);
  const [coin] = (await read(`tokens?chain=${CHAIN}&sort=new&launchpad=pump`)).tokens;
  const [trade] = (await read(`token/trades?chain=${CHAIN}&mint=${token?.mint}`)).trades;
  return {
    SOLANA_MINT: token?.mint ?? assert.fail(`${CHAIN} has no trades`),
    SOLANA_COIN: coin?.mint ?? assert.fail(`${CHAIN} has no coin on a curve`),
    SOLANA_TX_HASH: trade?.txHash ?? assert.fail('the busiest token has no trade'),
  };
}

export async function startSolanaDocsScene(t: Cleanup): Promise<ExampleSetting> {
  const dataDir = join(createTempFolder(t), CHAIN);
  const chain = await startSolanaDevnet({
    ...{ dataDir, port: 0, traders: 'off', seed: 'docs', historyHours: 6, log: () => undefined },
  });
  t.after(() => chain.stop());
  const env = { DEVNET: 'off', DEVNET_SOLANA_DEPLOYMENT: chain.deploymentPath };
  const { origin } = await startServiceProcess(t, { env });
  await waitUntil(async () => (await fetch(`${origin}/v1/ready`)).status === 200);
  return { origin, env: await findNames(origin) };
}
