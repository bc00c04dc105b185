// `npm run devnet`: the devnet as a program of its own, or as a child of the service.

import { join } from 'node:path';
import { toTestAccounts } from './accounts.ts';
import { CHAIN_ID, findPort } from './anvil-node.ts';
import { type Devnet, startDevnet } from './start-devnet.ts';

/** What a parent with an IPC channel is told. */
export type DevnetMessage =
  | { readonly type: 'progress'; readonly line: string }
  | { readonly type: 'ready'; readonly rpcUrl: string; readonly deploymentPath: string }
  | { readonly type: 'failed'; readonly message: string };

const DEFAULT_PORT = 8_545;
const DEFAULT_HISTORY_HOURS = 24;

interface Settings {
  readonly dataDir: string;
  readonly port: number;
  readonly traders: 'on' | 'off';
  readonly seed: string;
  readonly historyHours: number;
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
  };
}

/** The service starts us as a child with a channel; then it alone hears what we have to say. */
const isChild = process.connected;

function tellParent(message: DevnetMessage): void {
  // A parent that has just died is noticed by its closed channel, not by a failing message.
  if (process.connected) process.send?.(message, undefined, undefined, () => undefined);
}

function log(line: string): void {
  if (isChild) tellParent({ type: 'progress', line });
  else console.log(line);
}

function printScene({ rpcUrl, deployment }: Devnet): void {
  const rows = (entries: readonly (readonly [string, string])[]) =>
    entries.map(([name, value]) => `  ${name.padEnd(24)}${value}`);
  const accounts = toTestAccounts().map(
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

/** Resolves when somebody wants the devnet to end. Later wishes change nothing: it is ending. */
function untilToldToEnd(): Promise<'told'> {
  return new Promise((resolve) => {
    process.on('SIGINT', () => resolve('told'));
    process.on('SIGTERM', () => resolve('told'));
    // A parent that is gone, even by SIGKILL, takes the channel with it.
    process.on('disconnect', () => resolve('told'));
  });
}

async function main(): Promise<void> {
  const told = untilToldToEnd();
  const { historyHours, ...settings } = await readSettings(process.env);
  const starting = startDevnet({ ...settings, history: { hours: historyHours }, log });
  const devnet = await Promise.race([starting, told]);
  // The node's guard ends and saves what there is; a half-written chain is begun anew next time.
  if (devnet === 'told') process.exit(0);
  const { rpcUrl, deploymentPath } = devnet;
  if (isChild) tellParent({ type: 'ready', rpcUrl, deploymentPath });
  else printScene(devnet);
  const died = devnet.node.exited.then(() => 'died' as const);
  if ((await Promise.race([told, died])) === 'died') {
    throw new Error('the node of the devnet has ended unexpectedly');
  }
  log('saving the chain');
  await devnet.stop();
  process.exit(0);
}

try {
  await main();
} catch (error) {
  const message = error instanceof Error ? error.message : String(error);
  // Whatever still runs (traders, a heartbeat) must not keep a devnet without a node alive.
  if (isChild && process.connected) {
    process.send?.({ type: 'failed', message } satisfies DevnetMessage, () => process.exit(1));
  } else {
    console.error(`devnet: ${message}`);
    process.exit(1);
  }
}
