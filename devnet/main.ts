// `npm run devnet`: the devnet as a program, or as a child of the service.

import { join } from 'node:path';
import { deriveTestAccounts } from './accounts.ts';
import { NoAnvilError } from './anvil-binary.ts';
import { CHAIN_ID, findPort, SAVE_MAX_MS } from './anvil-node.ts';
import type { DevnetMessage } from './devnet-message.ts';
import { FolderInUseError } from './folder-lease.ts';
import { type Devnet, startDevnet } from './start-devnet.ts';

const HELP = `usage: npm run devnet [-- --solana]

Starts a local chain with exchanges, tokens and traders, and prints where it is; Ctrl-C saves and
stops it. Settings come from the environment: DEVNET_DIR, DEVNET_PORT, DEVNET_TRADERS, DEVNET_SEED
and DEVNET_HISTORY_HOURS. --solana starts the embedded Solana chain instead; its folder and port are
DEVNET_SOLANA_DIR and DEVNET_SOLANA_PORT.
`;

const DEFAULT_PORT = 8_545;
const DEFAULT_HISTORY_HOURS = 24;

interface Settings {
  readonly dataDir: string;
  readonly port: number;
  readonly traders: 'on' | 'off';
  readonly seed: string;
  readonly historyHours: number;
  readonly saveMaxMs: number;
}

async function choosePort(text: string | undefined): Promise<number> {
  if (text === undefined || text === '') return (await findPort(DEFAULT_PORT)) ?? 0;
  const port = Number(text);
  if (Number.isInteger(port) && port >= 0 && port < 65_536) return port;
  throw new Error(`DEVNET_PORT must be a port number, not ${text}`);
}

async function readSettings(env: NodeJS.ProcessEnv): Promise<Settings> {
  const traders = env['DEVNET_TRADERS'] || 'on';
  if (traders !== 'on' && traders !== 'off') {
    throw new Error(`DEVNET_TRADERS must be on or off, not ${traders}`);
  }
  const historyHours = Number(env['DEVNET_HISTORY_HOURS'] || DEFAULT_HISTORY_HOURS);
  if (!(historyHours >= 0 && historyHours <= 24 * 30)) {
    throw new Error('DEVNET_HISTORY_HOURS must be a number from 0 to 720');
  }
  return {
    dataDir: env['DEVNET_DIR'] || join('data', 'devnet'),
    port: await choosePort(env['DEVNET_PORT']),
    traders,
    seed: env['DEVNET_SEED'] || 'mintwire',
    historyHours,
    // Set by the service, which waits longer than this before it kills us.
    saveMaxMs: Number(env['DEVNET_SAVE_MAX_MS'] || SAVE_MAX_MS),
  };
}

/**
 * The service starts us as a child with a channel; then only the channel gets our output. The flag
 * is explicit, because a service that was killed while we loaded has already closed the channel.
 */
const isChild = process.argv.includes('--child') || process.connected;

function sendToParent(message: DevnetMessage): void {
  // A dead parent is noticed by its closed channel, not by a failing message.
  if (process.connected) process.send?.(message, undefined, undefined, () => undefined);
}

function log(line: string): void {
  if (isChild) sendToParent({ type: 'progress', line });
  else console.log(line);
}

function printScene({ rpcUrl, deployment }: Devnet): void {
  const rows = (entries: readonly (readonly [string, string])[]) =>
    entries.map(([name, value]) => `  ${name.padEnd(24)}${value}`);
  const accounts = deriveTestAccounts().map(
    ({ address, privateKey }) => [address, privateKey] as const,
  );
  const lines = [
    '',
    `RPC URL   ${rpcUrl}`,
    `Chain id  ${CHAIN_ID}`,
    '',
    'Test accounts, 10000 ETH each. Their keys are public: never use them on another chain.',
    ...accounts.map(([address, key]) => `  ${address}  ${key}`),
    '',
    'Contracts',
    ...rows(Object.entries(deployment.contracts)),
    '',
    'Tokens',
    ...rows(deployment.tokens.map(({ key, address, quirk }) => [key, `${address}  ${quirk}`])),
    '',
  ];
  console.log(lines.join('\n'));
}

/** Resolves when the devnet is asked to stop; later requests are ignored. */
function untilStopped(): Promise<'stopped'> {
  return new Promise((resolve) => {
    process.on('SIGINT', () => resolve('stopped'));
    process.on('SIGTERM', () => resolve('stopped'));
    // A parent that died, even by SIGKILL, closes the channel.
    process.on('disconnect', () => resolve('stopped'));
    if (isChild && !process.connected) resolve('stopped');
  });
}

async function main(): Promise<void> {
  const stopped = untilStopped();
  const { historyHours, ...settings } = await readSettings(process.env);
  let stopNode: () => Promise<void> = async () => undefined;
  const starting = startDevnet({
    ...settings,
    history: { hours: historyHours },
    log,
    onNode: (stop) => {
      stopNode = stop;
    },
  });
  const devnet = await Promise.race([starting, stopped]);
  if (devnet === 'stopped') {
    // A start in progress fails when its node ends; an incomplete chain is replaced by a new one.
    starting.catch(() => undefined);
    await stopNode();
    process.exit(0);
  }
  const { rpcUrl, deploymentPath } = devnet;
  if (isChild) sendToParent({ type: 'ready', rpcUrl, deploymentPath });
  else printScene(devnet);
  const died = devnet.ended.then(() => 'died' as const);
  if ((await Promise.race([stopped, died])) === 'died') {
    throw new Error('the node of the devnet has ended unexpectedly');
  }
  log('saving the chain');
  await devnet.stop();
  process.exit(0);
}

function findReason(error: unknown): 'folder in use' | 'no node' | null {
  if (error instanceof FolderInUseError) return 'folder in use';
  return error instanceof NoAnvilError ? 'no node' : null;
}

/** A person typed it: only --help is known here. */
function answerTyped(typed: readonly string[]): void {
  const unknown = typed.find((word) => word !== '--help');
  if (unknown === undefined) console.log(HELP);
  else
    console.error(
      `npm run devnet: no flag or argument ${unknown}; known: --help, --solana\n\n${HELP}`,
    );
  process.exit(unknown === undefined ? 0 : 2);
}

const typed = process.argv.slice(2);
const isSolana = !isChild && typed.length === 1 && typed[0] === '--solana';
if (!isChild && !isSolana && typed.length > 0) answerTyped(typed);
try {
  if (isSolana) await import('./solana/main.ts');
  else await main();
} catch (error) {
  const message = error instanceof Error ? error.message : String(error);
  const reason = findReason(error);
  // Anything that still runs (traders, a heartbeat) must not keep a devnet without a node alive.
  if (isChild && process.connected) {
    const failed = { type: 'failed', message, reason } satisfies DevnetMessage;
    process.send?.(failed, () => process.exit(1));
  } else {
    console.error(`devnet: ${message}`);
    process.exit(1);
  }
}
