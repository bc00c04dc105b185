// Servers that end with the process that started them.

import { type ChildProcess, type SpawnOptions, spawn } from 'node:child_process';
import { createServer, type Socket } from 'node:net';

/**
 * Runs the server until the input ends, which is when this process closes it or dies, even by `kill
 * -9`; then removes the folder. The server's last output goes to the error output.
 */
const GUARD_SCRIPT = `
  folder=$1; shift
  exec 3<&0
  "$@" >"$folder/log" 2>&1 </dev/null 3<&- &
  server=$!
  { cat <&3 >/dev/null; kill -INT $server; } 2>/dev/null &
  wait $server
  tail -c 2000 "$folder/log" >&2
  rm -rf "$folder"
`;

/** Runs a command in a guard of its own. */
export function spawnGuarded(server: {
  /** Gets the output, and is removed when the server ends. */
  readonly folder: string;
  readonly command: readonly string[];
  readonly options?: SpawnOptions;
}): ChildProcess {
  const { folder, command, options } = server;
  const args = ['-c', GUARD_SCRIPT, 'server-guard', folder, ...command];
  // A separate process group: Ctrl-C in the terminal must not reach it before its input ends.
  const guard = spawn('/bin/sh', args, {
    ...options,
    stdio: ['pipe', 'ignore', 'pipe'],
    detached: true,
  });
  // Neither the process nor an open pipe to it may keep a finished test from ending.
  guard.unref();
  for (const pipe of [guard.stdin, guard.stderr]) (pipe as unknown as Socket).unref();
  return guard;
}

export async function stopGuarded(guard: ChildProcess): Promise<void> {
  if (guard.exitCode !== null || guard.signalCode !== null) return;
  const exited = new Promise((done) => guard.once('exit', done));
  guard.ref();
  guard.stdin?.end();
  await exited;
}

export async function findFreePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  const address = server.address();
  await new Promise((done) => server.close(done));
  if (address === null || typeof address === 'string') throw new Error('No free port');
  return address.port;
}
