// `npm run devnet -- --solana`: the embedded Solana chain as a program, or as a child of the
// service.

import { join } from 'node:path';
import { findPort } from '../anvil-node.ts';
import type { DevnetMessage } from '../devnet-message.ts';
import { FolderInUseError } from '../folder-lease.ts';
import { NoVirtualMachineError } from './chain-fault.ts';
import { createTestAccount } from './scene.ts';
import type { SolanaDevnet } from './start-solana-devnet.ts';

/** As test validators have it. */
const DEFAULT_PORT = 8_899;
const DEFAULT_HISTORY_HOURS = 24;

const isChild = process.argv.includes('--child') || process.connected;

function sendToParent(message: DevnetMessage): void {
  // A dead parent is noticed by its closed channel, not by a failing message.
  if (process.connected) process.send?.(message, undefined, undefined, () => undefined);
}

function log(line: string): void {
  if (isChild) sendToParent({ type: 'progress', line });
  else console.log(line);
}

/** Resolves when the chain is asked to stop. */
function untilStopped(): Promise<void> {
  return new Promise((resolve) => {
    process.on('SIGINT', () => resolve());
    process.on('SIGTERM', () => resolve());
    // A parent that died, even by SIGKILL, closes the channel.
    process.on('disconnect', () => resolve());
    if (isChild && !process.connected) resolve();
  });
}

async function choosePort(text: string | undefined): Promise<number> {
  if (text === undefined || text === '') return (await findPort(DEFAULT_PORT)) ?? 0;
  const port = Number(text);
  if (Number.isInteger(port) && port >= 0 && port < 65_536) return port;
  throw new Error(`DEVNET_SOLANA_PORT must be a port number, not ${text}`);
}

function printScene({ deployment }: SolanaDevnet): void {
  const { rpcUrl, genesisHash, tokens, pools, accounts } = deployment;
  const secrets = accounts.map((_, index) => createTestAccount(index).key);
  const lines = [
    '',
    `RPC URL   ${rpcUrl}`,
    `Genesis   ${genesisHash}`,
    '',
    'The exchanges here are stand-ins of ours, in the wire format of Raydium CPMM and pump.',
    'Test accounts, 20000 SOL each. Their keys are public: never use them on another chain.',
    ...accounts.map((address, index) => {
      const der = secrets[index]?.export({ format: 'der', type: 'pkcs8' });
      return `  ${address}  ${der?.subarray(-32).toString('hex')}`;
    }),
    '',
    'Tokens',
    ...tokens.map(({ symbol, mint }) => `  ${symbol.padEnd(8)}${mint}`),
    '',
    'Pools',
    ...pools.map(({ pair, pool }) => `  ${pair.padEnd(12)}${pool}`),
    '',
  ];
  console.log(lines.join('\n'));
}

async function main(): Promise<void> {
  const stopped = untilStopped();
  const { env } = process;
  const traders = env['DEVNET_TRADERS'] === 'off' ? 'off' : 'on';
  // Only now: a machine that cannot load it is told why.
  const { startSolanaDevnet } = await import('./start-solana-devnet.ts');
  const devnet = await startSolanaDevnet({
    ...{ dataDir: env['DEVNET_SOLANA_DIR'] || join('data', 'devnet-solana'), traders, log },
    port: await choosePort(env['DEVNET_SOLANA_PORT']),
    seed: env['DEVNET_SEED'] || 'mintwire',
    historyHours: Number(env['DEVNET_HISTORY_HOURS'] || DEFAULT_HISTORY_HOURS),
  });
  const { deployment, deploymentPath } = devnet;
  const ready = { type: 'ready', rpcUrl: deployment.rpcUrl, deploymentPath } as const;
  if (isChild) sendToParent(ready);
  else printScene(devnet);
  await Promise.race([stopped, devnet.ended]);
  await devnet.stop();
  process.exit(0);
}

function findReason(error: unknown): 'folder in use' | 'no node' | null {
  if (error instanceof FolderInUseError) return 'folder in use';
  return error instanceof NoVirtualMachineError ? 'no node' : null;
}

try {
  await main();
} catch (error) {
  const message = error instanceof Error ? error.message : String(error);
  const reason = findReason(error);
  if (isChild && process.connected) {
    process.send?.({ type: 'failed', message, reason } satisfies DevnetMessage, () =>
      process.exit(1),
    );
  } else {
    console.error(`devnet: ${message}`);
    process.exit(1);
  }
}
