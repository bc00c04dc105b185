// The packages that only the embedded chains need. In a clone they are development dependencies;
// the published package names them in `devnet/parts`, and fetches them when a chain first starts.

import { type ChildProcess, spawn } from 'node:child_process';
import { createHash, randomUUID } from 'node:crypto';
import { cpSync, existsSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import type { EmbeddedSlug } from '../model/chain.ts';
import { openCodeFolder } from './open-code-folder.ts';

/** A package of each chain's. */
const NEEDS = { devnet: 'mintwire-devnet', 'devnet-solana': 'litesvm' } as const;
const LISTED = fileURLToPath(new URL('../../devnet/parts', import.meta.url));
/** What npm prints of each package that it has. */
const FETCHED = /^npm http (?:cache|fetch GET 200) .*\.tgz/;
const LINES_KEPT = 5;

/** Whether the chain can be run: its packages are installed, or may be fetched. */
export function isAvailable(chain: EmbeddedSlug, listed = LISTED): boolean {
  if (existsSync(listed)) return true;
  try {
    createRequire(import.meta.url).resolve(`${NEEDS[chain]}/package.json`);
    return true;
  } catch {
    return false;
  }
}

/** One for all embedded chains of a process. */
export class DevnetParts {
  readonly #listed: string;
  #npm: ChildProcess | null = null;
  #fetching: Promise<void> | null = null;

  readonly #cacheDir: string;

  constructor(cacheDir: string | null, listed = LISTED) {
    this.#cacheDir = cacheDir ?? join(homedir(), '.cache', 'mintwire');
    this.#listed = listed;
  }

  /** Fetches what is missing; returns the settings with which a chain's process finds it. */
  async open(onProgress: (text: string) => void): Promise<Readonly<Record<string, string>>> {
    if (!existsSync(this.#listed)) return {};
    const lock = readFileSync(join(this.#listed, 'package-lock.json'));
    const hash = createHash('sha256').update(lock).digest('hex').slice(0, 12);
    const folder = join(this.#cacheDir, `devnet-${hash}`);
    if (!openCodeFolder(this.#cacheDir)) {
      throw new Error(`${this.#cacheDir} must be a folder that only this user can write`);
    }
    if (!existsSync(folder)) {
      this.#fetching ??= this.#fetch(folder, onProgress).finally(() => {
        this.#fetching = null;
      });
      await this.#fetching;
    }
    return { NODE_PATH: join(folder, 'node_modules'), DEVNET_CACHE_DIR: join(folder, 'cache') };
  }

  stop(): void {
    this.#npm?.kill();
  }

  /** Into a folder of its own, so that another process never sees a part of it. */
  async #fetch(folder: string, onProgress: (text: string) => void): Promise<void> {
    const attempt = `${folder}-${randomUUID()}`;
    try {
      cpSync(this.#listed, attempt, { recursive: true });
      await this.#install(attempt, onProgress);
      renameSync(attempt, folder);
    } catch (error) {
      if (!existsSync(folder)) throw error;
    } finally {
      rmSync(attempt, { recursive: true, force: true });
    }
  }

  async #install(cwd: string, onProgress: (text: string) => void): Promise<void> {
    onProgress('fetching the packages of the embedded chains, once');
    const args = ['ci', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=http'];
    const npm = spawn('npm', args, { cwd, stdio: ['ignore', 'ignore', 'pipe'] });
    this.#npm = npm;
    const lines: string[] = [];
    let count = 0;
    createInterface({ input: npm.stderr }).on('line', (line) => {
      lines.push(line);
      if (lines.length > LINES_KEPT) lines.shift();
      if (!FETCHED.test(line)) return;
      count += 1;
      onProgress(`fetching the packages of the embedded chains, once: ${count} so far`);
    });
    const code = await new Promise<number | null>((resolve, reject) => {
      npm.once('error', reject);
      npm.once('close', resolve);
    });
    this.#npm = null;
    if (code !== 0) {
      throw new Error(
        `npm could not fetch the packages of the embedded chains: ${lines.join(' ')}. ` +
          'Without them, name a chain of your own (RPC_ETHEREUM=https://…)',
      );
    }
  }
}
