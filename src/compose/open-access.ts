// Opens access with its store, its pepper and the chains' nodes.

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
import type { VerifyContractSignature } from '../access/contract-signatures.ts';
import { type Access, createAccess } from '../access/create-access.ts';
import { Peppers } from '../access/peppers.ts';
import type { ChainSource } from '../chains/family.ts';
import { type Config, ConfigError } from '../config.ts';
import { operations } from '../contract/operations.ts';
import type { ChainConnections } from '../engines/chain-connections.ts';
import { findFamily } from '../engines/chain-families.ts';
import type { Clock } from '../lib/clock.ts';
import {
  parseVersionedSecrets,
  toVersionedSecretText,
  type VersionedSecret,
} from '../lib/versioned-secret.ts';
import type { ChainSlug } from '../model/chain.ts';
import type { Store } from '../store/store.ts';
import type { Logger } from '../telemetry/logger.ts';
import type { FollowedChains } from './start-chains.ts';

// Finds the pepper: in the settings, or in a file of the data folder that is created at the first
// start.

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

// Connects access to the nodes that check signatures of contract wallets.

interface ContractVerifierOptions {
  /** Null for a chain that is not followed. */
  readonly findSource: (chain: ChainSlug) => ChainSource | null;
  readonly connections: ChainConnections;
}

export function createContractVerifier(options: ContractVerifierOptions): VerifyContractSignature {
  return async ({ chain, ...signed }, signal) => {
    const source = options.findSource(chain);
    if (source === null) return null;
    return options.connections.connect(source).nodes.verifyContractSignature(signed, signal);
  };
}

interface OpenPeppersOptions {
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

interface OpenAccessOptions extends OpenPeppersOptions {
  readonly peppers: Peppers;
  readonly chains: FollowedChains;
  readonly connections: ChainConnections;
}

export function openAccess(options: OpenAccessOptions): Access {
  const { config, peppers, chains, clock, logger } = options;
  const verifyContractSignature = createContractVerifier({
    findSource: (chain) => chains.findSource(chain),
    connections: options.connections,
  });
  const access = createAccess({
    config,
    store: options.store.access,
    peppers,
    operations,
    listChains: () => [...chains.slugs],
    findFamily,
    verifyContractSignature,
    clock,
    log: logger,
  });
  access.start();
  return access;
}
