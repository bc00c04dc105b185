// Connects access to the nodes that can tell whether a contract wallet signed.

import type { VerifyContractSignature } from '../access/contract-signatures.ts';
import type { RpcClient } from '../chains/evm/rpc/rpc-client.ts';
import { verifyContractSignature } from '../chains/evm/verify-contract-signature.ts';
import { CHAINS, type ChainSlug } from '../model/chain.ts';
import type { ChainConnections, ConnectionUse } from './chain-connections.ts';

interface ContractVerifierOptions {
  /** The endpoints of a chain's nodes as they are now; none where it is not followed. */
  readonly findEndpoints: (chain: ChainSlug) => readonly string[];
  readonly connections: ChainConnections;
}

interface ContractVerifier {
  readonly verify: VerifyContractSignature;
  close(): void;
}

/** A person waits: an endpoint that does not answer soon counts as not answering. */
const USE: ConnectionUse = {
  budgetMs: 4500,
  limits: {
    timeoutMs: 4000,
    replyBytesMax: 256 * 1024,
    batchCallsMax: 2,
    batchesMax: 1,
    chainCheckMs: 15_000,
  },
};

interface Connection {
  readonly endpoints: readonly string[];
  readonly client: RpcClient;
}

export function createContractVerifier(options: ContractVerifierOptions): ContractVerifier {
  const connections = new Map<ChainSlug, Connection>();
  function connect(chain: ChainSlug): RpcClient | null {
    const endpoints = options.findEndpoints(chain);
    const { chainId } = CHAINS[chain];
    const connection = connections.get(chain);
    if (connection && connection.endpoints.join() === endpoints.join()) return connection.client;
    // The devnet may come back at another port.
    connection?.client.close();
    connections.delete(chain);
    if (endpoints.length === 0 || chainId === null) return null;
    const client = options.connections.open({ chain, chainId, endpoints }, USE);
    connections.set(chain, { endpoints, client });
    return client;
  }
  return {
    verify: async (query, signal) => {
      const client = connect(query.chain);
      return client === null ? null : verifyContractSignature(client, query, signal);
    },
    close: () => {
      for (const { client } of connections.values()) client.close();
    },
  };
}
