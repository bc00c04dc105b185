// The embedded chain as a child process: starts, watches, restarts and stops it.

import { type ChildProcess, fork } from 'node:child_process';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { buildChildEnvironment } from '../config.ts';
import { type Backoff, computeBackoffMs } from '../lib/retry.ts';
import type { EmbeddedSlug } from '../model/chain.ts';
import type { Logger } from '../telemetry/logger.ts';
import type { DevnetParts } from './devnet-parts.ts';

/**
 * Failures that a retry would not fix: another process runs the devnet of our folder, or there is
 * no node for this machine.
 */
export type GiveUpReason = 'folder in use' | 'no node';

/** Messages from the devnet to its parent. */
type DevnetMessage =
  | { readonly type: 'progress'; readonly line: string }
  | {
      readonly type: 'failed';
      readonly message: string;
      readonly reason: GiveUpReason | null;
    }
  | { readonly type: 'ready'; readonly rpcUrl: string; readonly deploymentPath: string };

interface DevnetOptions {
  readonly chain: EmbeddedSlug;
  readonly parts: DevnetParts;
  readonly dataDir: string;
  /** Null picks the usual port, or a free one if that is in use. */
  readonly port: number | null;
  readonly traders: 'on' | 'off';
  readonly historyHours: number;
  readonly logger: Logger;
  /** What it is doing until it is ready; what it says later is only logged. */
  readonly onProgress: (text: string) => void;
  readonly onReady: (deploymentPath: string) => void;
  /** There will be no devnet until the next start. */
  readonly onGiveUp: (reason: GiveUpReason, message: string) => void;
  /** How long the node may take to save its chain on exit. */
  readonly saveMaxMs?: number;
}

const RESTART_BACKOFF: Backoff = { baseMs: 1000, maxMs: 60_000 };
/** Saving a chain takes seconds, or tens of seconds on a busy machine; beyond this it hangs. */
const SAVE_MAX_MS = 120_000;
/**
 * Extra time on exit: traders finish, the node's guard notices. Killing it earlier would leave its
 * node running in the middle of saving.
 */
const STOP_EXTRA_MS = 30_000;

/** A chain's program, and what the names of its settings begin with. */
const PROGRAMS = {
  devnet: { entry: '../../devnet/main.ts', prefix: 'DEVNET' },
  'devnet-solana': { entry: '../../devnet/solana/main.ts', prefix: 'DEVNET_SOLANA' },
} as const;

export class DevnetProcess {
  readonly #options: DevnetOptions;
  #child: ChildProcess | null = null;
  #restart: NodeJS.Timeout | null = null;
  #failures = 0;
  #isReady = false;
  #stopping = false;
  /** Whether the last failure cannot be fixed by a retry. */
  #isOver = false;

  constructor(options: DevnetOptions) {
    this.#options = options;
    void this.#start();
  }

  async stop(): Promise<void> {
    this.#stopping = true;
    if (this.#restart) clearTimeout(this.#restart);
    const child = this.#child;
    if (!child) return;
    const exited = new Promise((resolve) => child.once('exit', resolve));
    child.kill('SIGTERM');
    const { saveMaxMs = SAVE_MAX_MS } = this.#options;
    const cut = setTimeout(() => child.kill('SIGKILL'), saveMaxMs + STOP_EXTRA_MS);
    await exited;
    clearTimeout(cut);
  }

  async #start(): Promise<void> {
    const { parts, onProgress } = this.#options;
    let found: Readonly<Record<string, string>>;
    try {
      found = await parts.open(onProgress);
    } catch (error) {
      if (!this.#stopping) this.#restartLater(error);
      return;
    }
    if (!this.#stopping) this.#fork(found);
  }

  #fork(found: Readonly<Record<string, string>>): void {
    const { chain, dataDir, port, traders, historyHours } = this.#options;
    const { saveMaxMs = SAVE_MAX_MS } = this.#options;
    const { entry, prefix } = PROGRAMS[chain];
    const file = fileURLToPath(new URL(entry, import.meta.url));
    const child = fork(file, ['--child'], {
      // Its log lines arrive over the channel; we forward Ctrl-C ourselves.
      stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
      detached: true,
      env: buildChildEnvironment({
        ...found,
        [`${prefix}_DIR`]: join(dataDir, chain),
        [`${prefix}_PORT`]: port === null ? '' : String(port),
        DEVNET_TRADERS: traders,
        DEVNET_HISTORY_HOURS: String(historyHours),
        DEVNET_SAVE_MAX_MS: String(saveMaxMs),
      }),
    });
    this.#child = child;
    this.#isReady = false;
    child.on('message', (message: DevnetMessage) => this.#onMessage(message));
    child.on('exit', (code, signal) => {
      this.#child = null;
      if (this.#stopping || this.#isOver) return;
      this.#restartLater(new Error(`the devnet stopped (${signal ?? code})`));
    });
  }

  #restartLater(error: unknown): void {
    this.#failures += 1;
    const waitMs = computeBackoffMs(this.#failures, RESTART_BACKOFF, Math.random);
    const { chain, logger, onProgress } = this.#options;
    logger.error({ chain, err: error, waitMs }, 'the devnet stopped and is restarted');
    onProgress('the devnet stopped and is restarted, see the log');
    this.#restart = setTimeout(() => void this.#start(), waitMs);
  }

  #onMessage(message: DevnetMessage): void {
    if (message.type === 'progress') this.#tell(message.line);
    if (message.type === 'failed') this.#fail(message);
    if (message.type === 'ready') {
      this.#failures = 0;
      this.#isReady = true;
      this.#options.onReady(message.deploymentPath);
    }
  }

  #tell(line: string): void {
    const { chain, logger } = this.#options;
    // Until it is ready its progress is shown, and logged as the reason why it is not.
    logger[this.#isReady ? 'info' : 'debug']({ chain }, line);
    if (!this.#isReady) this.#options.onProgress(line);
  }

  #fail({ message, reason }: Extract<DevnetMessage, { type: 'failed' }>): void {
    const { chain, logger } = this.#options;
    const isOver = reason !== null && !this.#stopping;
    // The service goes on without the second embedded chain.
    logger[isOver && chain !== 'devnet' ? 'warn' : 'error']({ chain }, `${chain}: ${message}`);
    if (!isOver) return;
    this.#isOver = true;
    this.#options.onGiveUp(reason, message);
  }
}
