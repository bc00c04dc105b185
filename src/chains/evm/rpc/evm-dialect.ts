// JSON-RPC as the nodes of EVM chains speak it.

import type { RpcDialect } from '../../rpc/rpc-dialect.ts';
import { classifyRpcError } from './classify-rpc-error.ts';
import { assertReadMethod } from './rpc-method.ts';

function parseQuantity(value: unknown): number | null {
  return typeof value === 'string' && /^0x[0-9a-f]{1,13}$/i.test(value) ? Number(value) : null;
}

export function createEvmDialect(chainId: number): RpcDialect {
  return {
    chain: String(chainId),
    chainCall: { method: 'eth_chainId', params: [] },
    headCall: { method: 'eth_blockNumber', params: [] },
    parseChain: (result) => parseQuantity(result)?.toString() ?? null,
    parseHead: parseQuantity,
    assertReadMethod,
    classifyError: classifyRpcError,
  };
}
