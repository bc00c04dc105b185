// Opens access with its store, its pepper and the chains' nodes.

import type { VerifyContractSignature } from '../access/contract-signatures.ts';
import { type Access, createAccess } from '../access/create-access.ts';
import type { OpenPeppersOptions } from '../access/open-peppers.ts';
import type { Peppers } from '../access/peppers.ts';
import type { ChainSource } from '../chains/family.ts';
import { operations } from '../contract/operations.ts';
import type { ChainConnections } from '../engines/chain-connections.ts';
import { findFamily } from '../engines/chain-families.ts';
import type { ChainSlug } from '../model/chain.ts';
import type { ChainFollower } from '../runtime/chain-follower.ts';

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

interface OpenAccessOptions extends OpenPeppersOptions {
  readonly peppers: Peppers;
  readonly chains: ChainFollower;
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
