// Reads the names of tokens at a block that the endpoint has, so that a node that lags does not
// answer for a token that it has not seen yet. What stays unknown can be asked of every endpoint.

import type { Address } from '../../../model/ids.ts';
import type { TokenMetadata } from '../../../model/token-metadata.ts';
import type { NamesFrom } from '../../adapter.ts';
import type { RpcClient } from '../../rpc/rpc-client.ts';
import { isRpcError, RpcError } from '../../rpc/rpc-error.ts';
import { callContracts } from '../rpc/multicall.ts';
import { readTokenMetadata } from './read-token-metadata.ts';

interface NameSource {
  readonly client: RpcClient;
  readonly multicall3: Address | null;
}

function isKnown({ symbol, name, decimals }: TokenMetadata): boolean {
  return symbol !== null && name !== null && decimals !== null;
}

function join(one: TokenMetadata, more: TokenMetadata): TokenMetadata {
  return {
    token: one.token,
    symbol: one.symbol ?? more.symbol,
    name: one.name ?? more.name,
    decimals: one.decimals ?? more.decimals,
  };
}

export async function readNames(
  tokens: readonly Address[],
  { block, isAgain = false, signal }: NamesFrom,
  { client, multicall3 }: NameSource,
): Promise<TokenMetadata[]> {
  const readAt = (asked: readonly Address[], at: number | null, by: Pick<RpcClient, 'at'>) =>
    readTokenMetadata(asked, (calls) =>
      callContracts(calls, {
        ...{ client: by, multicall3, block: at, signal },
        ...(block === undefined ? {} : { minBlock: block }),
      }),
    );
  let names: TokenMetadata[];
  try {
    names = await readAt(tokens, block ?? null, client);
  } catch (error) {
    // The block is older than the states that nodes keep.
    if (!isRpcError(error, 'stateUnavailable')) throw error;
    names = await readAt(tokens, null, client);
  }
  if (!isAgain) return names;
  for (const endpoint of client.endpoints) {
    const missing = names.filter((one) => !isKnown(one)).map(({ token }) => token);
    if (missing.length === 0) break;
    if (endpoint.health.isRefused || endpoint.health.waitMs > 0) continue;
    try {
      const found = await readAt(missing, block ?? null, { at: (work) => work(endpoint) });
      const byToken = new Map(found.map((one) => [one.token, one]));
      names = names.map((one) => join(one, byToken.get(one.token) ?? one));
    } catch (error) {
      signal?.throwIfAborted();
      if (!(error instanceof RpcError)) throw error;
    }
  }
  return names;
}
