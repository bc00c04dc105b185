// Opens access with its store, its pepper and the chains' nodes.

import { type Access, createAccess } from '../access/create-access.ts';
import type { Peppers } from '../access/peppers.ts';
import type { Config } from '../config.ts';
import { operations } from '../contract/operations.ts';
import type { Clock } from '../lib/clock.ts';
import type { Store } from '../store/store.ts';
import type { Logger } from '../telemetry/logger.ts';
import type { ChainConnections } from './chain-connections.ts';
import { findFamily } from './chain-families.ts';
import { createContractVerifier } from './contract-verifier.ts';
import { loadPeppers } from './load-peppers.ts';
import type { FollowedChains } from './start-chains.ts';

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
