// Connects access to the nodes that check signatures of contract wallets.

import type { VerifyContractSignature } from '../access/contract-signatures.ts';
import type { ChainSource } from '../chains/family.ts';
import type { ChainSlug } from '../model/chain.ts';
import type { ChainConnections } from './chain-connections.ts';

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
