// Asks a chain which addresses have code.

import type { Address } from '../../../model/ids.ts';
import type { RpcClient } from '../../rpc/rpc-client.ts';

/** A wallet that delegates to a contract (EIP-7702) is still controlled by its key. */
const DELEGATION = /^0xef0100/i;

/** True for contracts. Fails if no endpoint responds for all of them. */
export async function readContractAccounts(
  client: RpcClient,
  addresses: readonly Address[],
  signal: AbortSignal,
): Promise<ReadonlyMap<Address, boolean>> {
  const calls = addresses.map((address) => ({
    method: 'eth_getCode' as const,
    params: [address, 'latest'],
  }));
  return client.at(
    async (endpoint) => {
      const outcomes = await endpoint.batch(calls, { signal });
      return new Map(
        addresses.map((address, index) => {
          const code = String(endpoint.unwrap(outcomes[index]));
          return [address, code.length > 2 && !DELEGATION.test(code)];
        }),
      );
    },
    { signal },
  );
}
