// Starts the real service as a process, like `npm start` or the command line.

import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** A test's own `t`, or a drill's list of what to undo. */
export interface Cleanup {
  after(work: () => unknown): void;
}

export interface ServiceProcess {
  readonly child: ChildProcess;
  /** Everything written so far, to both outputs. */
  output(): string;
  /** Resolves with the exit code, or the signal that ended the process. */
  readonly exited: Promise<number | NodeJS.Signals | null>;
}

export interface RunningService extends ServiceProcess {
  /** `http://127.0.0.1:<port>` */
  readonly origin: string;
  readonly metricsUrl: string;
}

export interface StartServiceOptions {
  readonly env?: Readonly<Record<string, string>>;
  /** `npm` uses `npm start`; the default runs the command itself; `terminal` at a pty (Linux). */
  readonly through?: 'npm' | 'node' | 'terminal';
  /** Instead of the command in this project. */
  readonly command?: readonly [string, ...string[]];
  /** The folder of another version of the service. */
  readonly root?: string | undefined;
  /** Whether settings have the service's own defaults, not those of tests. */
  readonly isPlain?: boolean;
}

const TEST_SETTINGS = {
  // Most tests need no chain, and starting one takes seconds.
  DEVNET: 'off',
  DEVNET_PORT: '0',
  // A second embedded chain, for the tests that are about it.
  DEVNET_SOLANA: 'off',
  DEVNET_SOLANA_PORT: '0',
  // Tests may poll as often as they like.
  LIMIT_ANONYMOUS_PER_MINUTE: '1000000',
  LIMIT_ANONYMOUS_BURST: '1000000',
  LIMIT_IP_PER_MINUTE: '1000000',
  LIMIT_IP_BURST: '1000000',
  // Event-loop lag on a loaded test machine must not affect most tests.
  OVERLOAD_LAG_MS: '60000',
};

export function createTempFolder(t: Cleanup): string {
  const folder = mkdtempSync(join(tmpdir(), 'mintwire-test-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

const SERVE = [process.execPath, 'src/cli/main.ts', 'serve'] as const;

/** `script` of util-linux gives the command a terminal of 80 columns. */
const COMMANDS: Readonly<Record<string, readonly [command: string, ...args: string[]]>> = {
  npm: ['npm', 'start'],
  terminal: ['script', '-qefc', `stty cols 80 rows 24; exec ${SERVE.join(' ')}`, '/dev/null'],
};

/** Starts the process without waiting for it to serve. */
export function spawnService(t: Cleanup, options: StartServiceOptions = {}): ServiceProcess {
  const [command, ...args] = options.command ?? COMMANDS[options.through ?? 'node'] ?? SERVE;
  const child = spawn(command, args, {
    cwd: options.root,
    // A separate process group, so that a test can signal npm alone or everything, like a terminal.
    detached: true,
    stdio: [options.through === 'terminal' ? 'pipe' : 'ignore', 'pipe', 'pipe'],
    env: {
      ...process.env,
      PORT: '0',
      METRICS_PORT: '0',
      ...(options.isPlain === true ? {} : TEST_SETTINGS),
      DATA_DIR: createTempFolder(t),
      ...options.env,
    },
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream?.setEncoding('utf8').on('data', (text: string) => {
      output += text;
    });
  }
  const exited = new Promise<number | NodeJS.Signals | null>((resolve) => {
    child.on('close', (code, signal) => resolve(code ?? signal));
  });
  t.after(async () => {
    if (child.exitCode === null && child.signalCode === null && child.pid !== undefined) {
      process.kill(-child.pid, 'SIGKILL');
    }
    await exited;
  });
  return { child, output: () => output, exited };
}

/** Starts the process and waits until it prints its address. */
export async function startServiceProcess(
  t: Cleanup,
  options: StartServiceOptions = {},
): Promise<RunningService> {
  const service = spawnService(t, options);
  let ended = false;
  void service.exited.then(() => {
    ended = true;
  });
  for (;;) {
    const origin = /serves on (http:\/\/\S+)\n/.exec(service.output())?.[1];
    const metricsUrl = /(http:\/\/\S+\/metrics)/.exec(service.output())?.[1];
    if (origin && metricsUrl) return { ...service, origin, metricsUrl };
    if (ended) throw new Error(`the service ended before it served:\n${service.output()}`);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}
