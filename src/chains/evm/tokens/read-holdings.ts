// What an account holds at one block: the native coin and some tokens, in one call to a node.

import type { Address } from '../../../model/ids.ts';
import type { Holdings, HoldingsQuery } from '../../chain-nodes.ts';
import type { RpcClient } from '../../rpc/rpc-client.ts';
import { addressWord, encodeCallData } from '../data/hex-data.ts';
import { createReadAt } from '../rpc/create-read-at.ts';
import { type BlockPin, readPinned } from '../rpc/read-pinned.ts';
import { decodeUint, readBalances } from './read-token-metadata.ts';

/** Of Multicall3. */
export const GET_ETH_BALANCE_SELECTOR = '0x4d2301cc';

const QUANTITY = /^0x[0-9a-f]{1,64}$/i;

/** For a chain without Multicall3. */
function readNative(
  client: RpcClient,
  of: { readonly owner: Address; readonly block: BlockPin },
  signal: AbortSignal,
): Promise<bigint | null> {
  const read = async (endpoint: Parameters<Parameters<RpcClient['at']>[0]>[0]) =>
    readPinned(endpoint, {
      block: of.block,
      signal,
      read: async (tag) => {
        const reply = await endpoint.request(
          { method: 'eth_getBalance', params: [of.owner, tag] },
          signal,
        );
        return typeof reply === 'string' && QUANTITY.test(reply) ? BigInt(reply) : null;
      },
    });
  return client.at(read, { signal, minBlock: of.block.position });
}

/** Null if no node has the block's state, or the block was reorganised away. */
export async function readHoldings(
  client: RpcClient,
  { multicall3, query }: { readonly multicall3: Address | null; readonly query: HoldingsQuery },
  signal: AbortSignal,
): Promise<Holdings | null> {
  const { owner, tokens, block } = query;
  const keys = tokens.map((token) => ({ token, owner }));
  const found = await createReadAt(client, multicall3)(
    block,
    async (callContracts) => {
      if (multicall3 === null) {
        const nativeRaw = await readNative(client, { owner, block }, signal);
        return { nativeRaw, amountsRaw: await readBalances(keys, callContracts) };
      }
      const data = encodeCallData(GET_ETH_BALANCE_SELECTOR, addressWord(owner));
      let nativeRaw: bigint | null = null;
      const amountsRaw = await readBalances(keys, async (calls) => {
        const [native = null, ...balances] = await callContracts([
          { to: multicall3, data },
          ...calls,
        ]);
        nativeRaw = decodeUint(native);
        return balances;
      });
      return { nativeRaw, amountsRaw };
    },
    { signal },
  );
  return found?.value ?? null;
}
