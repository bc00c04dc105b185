// Finds the pepper: in the settings, or in a file of the data folder that is created at the first
// start.

import { randomBytes, randomUUID } from 'node:crypto';
import {
  chmodSync,
  linkSync,
  mkdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { type Config, ConfigError } from '../config.ts';
import type { Clock } from '../lib/clock.ts';
import {
  parseVersionedSecrets,
  toVersionedSecretText,
  type VersionedSecret,
} from '../lib/versioned-secret.ts';
import type { Store } from '../store/store.ts';
import type { Logger } from '../telemetry/logger.ts';
import { Peppers } from './peppers.ts';

const FILE = 'key-pepper';
const SECRET_BYTES = 32;
const PRIVATE_MODE = 0o600;

function readFile(path: string): string | null {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw error;
  }
}

/**
 * Written to a temporary file and linked to its name, so that it is never read half-written and
 * only one process creates it.
 */
function createFile(path: string): void {
  const draft = `${path}.${randomUUID()}`;
  const text = toVersionedSecretText({ version: 1, secret: randomBytes(SECRET_BYTES) });
  writeFileSync(draft, `${text}\n`, { mode: PRIVATE_MODE, flag: 'wx', flush: true });
  try {
    linkSync(draft, path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  } finally {
    rmSync(draft);
  }
}

function readSecrets(path: string): readonly VersionedSecret[] {
  const text = readFile(path);
  if (text === null) {
    createFile(path);
    return readSecrets(path);
  }
  const secrets = parseVersionedSecrets(text.trim());
  if (typeof secrets === 'string') throw new ConfigError([`The file ${path} ${secrets}`]);
  // A restored backup may be readable by everybody; only the owner can change that.
  if (process.getuid?.() === statSync(path).uid) chmodSync(path, PRIVATE_MODE);
  return secrets;
}

function loadPeppers(config: Pick<Config, 'access' | 'store'>): Peppers {
  const { keyPepper } = config.access;
  if (keyPepper !== null) return new Peppers(keyPepper);
  mkdirSync(config.store.dataDir, { recursive: true, mode: 0o700 });
  return new Peppers(readSecrets(join(config.store.dataDir, FILE)));
}

export interface OpenPeppersOptions {
  readonly config: Config;
  readonly store: Store;
  readonly clock: Clock;
  readonly logger: Logger;
}

/** Throws if the store's keys were hashed with a different pepper. */
export async function openPeppers(options: OpenPeppersOptions): Promise<Peppers> {
  const { config, clock, logger } = options;
  const store = options.store.access;
  const peppers = loadPeppers(config);
  await peppers.checkAgainst(store);
  const active = await store.countKeysByPepper(clock.nowMs());
  for (const [version, keys] of active) {
    if (peppers.versions.includes(version)) continue;
    logger.warn({ version, keys }, 'active keys cannot be verified: their pepper is missing');
  }
  return peppers;
}
