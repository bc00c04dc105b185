// Runs one node as a child that never outlives this process and saves its state when it ends.

import { type ChildProcess, spawn } from 'node:child_process';
import { closeSync, existsSync, fstatSync, ftruncateSync, openSync } from 'node:fs';
import { mkdir, readFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { type AnvilCommand, resolveAnvil } from './anvil-binary.ts';
import { createJsonRpc, type JsonRpc } from './json-rpc.ts';

export const CHAIN_ID = 1337;
/** Public knowledge: funds under it on a real chain are stolen at once. */
export const TEST_MNEMONIC = 'test test test test test test test test test test test junk';

const BOOT_TIMEOUT_MS = 60_000;
/** The default time for a node to save its state. */
export const SAVE_MAX_MS = 120_000;
/** Extra time of the guard, to notice the end and to move the state into place. */
const GUARD_EXTRA_MS = 5_000;
/** Effectively never: otherwise the node would write its state every minute for nobody. */
const SAVE_INTERVAL_S = 1_000_000_000;
/**
 * eth_call works this far back: twice as far as blocks can be taken back. Each is a copy of the
 * whole state, a quarter of a megabyte and more.
 */
export const STATES_KEPT = 128;
/**
 * The contract that every block stores its parent's hash in, up to 8,191 of them (EIP-2935). Nobody
 * reads them here, and they would be in every state that is kept: without code the contract stores
 * nothing.
 */
export const HISTORY_CONTRACT = '0x0000F90827F1C53a10cb7A02335B175320002935';
const LOG_BYTES_MAX = 1024 ** 2;
const BLOCK_GAS_LIMIT = 60_000_000;

/**
 * A shell is between us and the node. Its standard input is a pipe from this process, so when we
 * end in any way, even by SIGKILL, the read returns. Once mining is paused (pause-mining.ts) the
 * node is stopped; it then writes its state to a new file, which replaces the last one only
 * when it is complete. The lease file (folder-lease.ts) is removed with it: if it is still there,
 * the state was not saved. A node that the lease does not name is being replaced, or has been: it
 * ends without saving.
 *
 * Two processes of one group watch. The guard waits for the node. The watch waits for us; it
 * outlives a killed guard and, if the node does not end in time, kills the whole group.
 */
const GUARD_SCRIPT = `
exec 3<&0
saved="$1"; limit="$2"; lease="$3"; runtime="$4"; pause="$5"; port="$6"; shift 6
next="$saved.$port.next"
# Of two nodes on one chain, only the one that the lease names saves it.
owns() { [ -z "$lease" ] || grep -q "\\"nodePort\\": $port\\$" "$lease"; }
"$@" 3<&- </dev/null & node=$!
{
  read -r miners <&3; exec 3<&-
  # A state that may have been saved in the middle of a block is worse than an earlier one.
  { owns && "$runtime" "$pause" "$port" "$miners" && kill -TERM "$node" || kill -KILL "$node"; } &
  while [ "$limit" -gt 0 ] && kill -0 "$node"; do sleep 1; limit=$((limit - 1)); done
  [ "$limit" -gt 0 ] || kill -KILL 0
} 2>/dev/null & watch=$!
exec 3<&-
wait "$node"; code=$?
# On a full disk the node writes what fits and still reports success.
[ "$code" -eq 0 ] && owns && [ "$(tail -c 1 "$next")" = "}" ] &&
  mv -f "$next" "$saved" && [ -n "$lease" ] && rm -f "$lease"
rm -f "$next"
# It ends before us: what comes next may look for processes that were left.
kill "$watch" 2>/dev/null; wait "$watch" 2>/dev/null
exit "$code"
`;
const PAUSE_SCRIPT = fileURLToPath(new URL('./pause-mining.ts', import.meta.url));

/** Whether a requested block may still be in progress. */
export type Miners = 'at rest' | 'perhaps mining';

export interface AnvilNode {
  readonly rpc: JsonRpc;
  readonly port: number;
  readonly emulated: boolean;
  /** Where its executable comes from, in a few words. */
  readonly origin: string;
  /** The guard's process id: while it lives, the state file is not final. */
  readonly guardPid: number;
  /** Resolves when the node has ended, for any reason. */
  readonly exited: Promise<void>;
  /**
   * Ends the node after it has saved its state. Waits for blocks that are still being mined, unless
   * all who requested any are at rest.
   */
  stop(miners?: Miners): Promise<void>;
  /** Ends the node at once; everything since it was loaded is lost. */
  discard(): Promise<void>;
}

export interface AnvilOptions {
  readonly dataDir: string;
  /** The chain is loaded from this file, if it exists, and saved to it. */
  readonly stateFile: string;
  /** The file to load instead of `stateFile`: a template that is not changed. */
  readonly loadFrom?: string;
  /** 0 or absent picks a free one. */
  readonly port?: number;
  /** Names the node that saves the chain; by default every node does. */
  readonly leaseFile?: string;
  /** The node drops the transactions of blocks further back; by default it keeps all. */
  readonly transactionBlocksKept?: number;
  /**
   * Of block 0, in seconds; when a state is loaded, that of the loaded chain. Otherwise the node
   * makes another block 0 before it loads one and saves both, and a later load takes either.
   */
  readonly genesisTimestamp: number;
  /** How long the node may take to save its state before it is killed. */
  readonly saveMaxMs?: number;
}

/** The port itself if it is free, any free one for 0; null if it is in use. */
export async function findPort(wanted: number): Promise<number | null> {
  const server = createServer();
  const listening = await new Promise<boolean>((resolve) => {
    server.once('error', () => resolve(false));
    server.listen(wanted, '127.0.0.1', () => resolve(true));
  });
  if (!listening) return null;
  const address = server.address();
  await new Promise((resolve) => server.close(resolve));
  if (address === null || typeof address === 'string') throw new Error('no free port');
  return address.port;
}

function buildNodeArgs(options: AnvilOptions, port: number): string[] {
  const loadFrom = options.loadFrom ?? options.stateFile;
  return [
    ...['--host', '127.0.0.1', '--port', String(port), '--quiet', '--no-mining'],
    ...['--chain-id', String(CHAIN_ID), '--mnemonic', TEST_MNEMONIC, '--accounts', '10'],
    ...['--balance', '10000', '--timestamp', String(options.genesisTimestamp)],
    ...['--gas-limit', String(BLOCK_GAS_LIMIT), '--no-request-size-limit'],
    // Without a number every run leaves gigabytes of states on disk; a bare flag breaks eth_call.
    ...['--prune-history', String(STATES_KEPT), '--cache-path', join(options.dataDir, 'cache')],
    ...(options.transactionBlocksKept === undefined
      ? []
      : ['--transaction-block-keeper', String(options.transactionBlocksKept)]),
    ...(existsSync(loadFrom) ? ['--load-state', loadFrom] : []),
    ...['--dump-state', `${options.stateFile}.${port}.next`],
    ...['--state-interval', String(SAVE_INTERVAL_S)],
  ];
}

/** Added to the log of the nodes before, which may still write to it. */
function openLog(dataDir: string): { readonly fd: number; readonly start: number } {
  const fd = openSync(buildLogPath(dataDir), 'a');
  if (fstatSync(fd).size > LOG_BYTES_MAX) ftruncateSync(fd, 0);
  return { fd, start: fstatSync(fd).size };
}

function buildLogPath(dataDir: string): string {
  return join(dataDir, 'anvil.log');
}

function spawnGuarded(
  options: AnvilOptions,
  anvil: AnvilCommand,
  { port, logFd }: { readonly port: number; readonly logFd: number },
): ChildProcess {
  const nodeArgs = [anvil.command, ...anvil.args, ...buildNodeArgs(options, port)];
  const limitS = String(Math.ceil((options.saveMaxMs ?? SAVE_MAX_MS) / 1_000));
  const pauseArgs = [process.execPath, PAUSE_SCRIPT, String(port)];
  const { stateFile, leaseFile = '' } = options;
  const guardArgs = [GUARD_SCRIPT, 'devnet', stateFile, limitS, leaseFile, ...pauseArgs];
  const child = spawn('/bin/sh', ['-c', ...guardArgs, ...nodeArgs], {
    stdio: ['pipe', logFd, logFd],
    // A separate process group: Ctrl-C at a terminal reaches only us, and we decide when the node
    // ends.
    detached: true,
    env: { ...process.env, HOME: options.dataDir, XDG_CONFIG_HOME: options.dataDir },
  });
  return child;
}

async function waitUntilAnswering(node: {
  readonly rpc: JsonRpc;
  readonly isGone: () => boolean;
  readonly dataDir: string;
  /** Where the node's own lines begin in the log. */
  readonly logStart: number;
}) {
  const deadline = Date.now() + BOOT_TIMEOUT_MS;
  while (Date.now() < deadline && !node.isGone()) {
    const chainId = await node.rpc.call<string>('eth_chainId').catch(() => null);
    if (chainId !== null) {
      if (Number(chainId) === CHAIN_ID) return;
      throw new Error(`another node (chain ${Number(chainId)}) answers at ${node.rpc.url}`);
    }
    await sleep(20);
  }
  const log = await readFile(buildLogPath(node.dataDir)).catch(() => Buffer.alloc(0));
  const own = log.subarray(node.logStart).toString('utf8').trim();
  throw new Error(`the devnet's node did not start: ${own.slice(-600) || 'no output'}`);
}

export async function startAnvil(options: AnvilOptions): Promise<AnvilNode> {
  const anvil = await resolveAnvil();
  await mkdir(options.dataDir, { recursive: true });
  const port = await findPort(options.port ?? 0);
  if (port === null) throw new Error(`port ${options.port} is in use: set DEVNET_PORT to another`);
  const { fd: logFd, start: logStart } = openLog(options.dataDir);
  const child = spawnGuarded(options, anvil, { port, logFd });
  closeSync(logFd);
  let gone = false;
  const exited = new Promise<void>((resolve) => {
    const settle = () => {
      gone = true;
      // A killed guard leaves its node running.
      killGroup(child);
      resolve();
    };
    child.once('exit', settle);
    child.once('error', settle);
  });
  // The guard may already be gone; closing its pipe then fails, which is harmless.
  child.stdin?.on('error', () => undefined);
  const rpc = createJsonRpc(`http://127.0.0.1:${port}`);
  const discard = async () => {
    rpc.close();
    killGroup(child);
    await exited;
  };
  const stop = async (miners: Miners = 'at rest') => {
    rpc.close();
    child.stdin?.end(`${miners}\n`);
    const killAfterMs = (options.saveMaxMs ?? SAVE_MAX_MS) + GUARD_EXTRA_MS;
    const timer = setTimeout(() => killGroup(child), killAfterMs);
    await exited;
    clearTimeout(timer);
  };
  try {
    await waitUntilAnswering({ rpc, isGone: () => gone, dataDir: options.dataDir, logStart });
    await rpc.call('anvil_setCode', HISTORY_CONTRACT, '0x');
  } catch (error) {
    await discard();
    throw error;
  }
  const { emulated, origin } = anvil;
  return { rpc, port, emulated, origin, guardPid: child.pid ?? 0, exited, stop, discard };
}

function killGroup(child: ChildProcess): void {
  try {
    if (child.pid !== undefined) process.kill(-child.pid, 'SIGKILL');
  } catch {
    // It ended by itself in the meantime.
  }
}
