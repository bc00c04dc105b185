// The only RPC methods that this service may call: all of them read. Nothing here can send.

const READ_METHODS = [
  // Called only by `npx mintwire plan`, as `trace_call` is: it traces a call and changes nothing.
  'debug_traceCall',
  'eth_blockNumber',
  'eth_call',
  'eth_chainId',
  'eth_createAccessList',
  'eth_estimateGas',
  'eth_feeHistory',
  'eth_gasPrice',
  'eth_getBalance',
  'eth_getBlockByHash',
  'eth_getBlockByNumber',
  'eth_getBlockReceipts',
  'eth_getCode',
  'eth_getLogs',
  'eth_getStorageAt',
  'eth_getTransactionByHash',
  'eth_getTransactionCount',
  'eth_getTransactionReceipt',
  'eth_maxPriorityFeePerGas',
  'eth_simulateV1',
  'trace_call',
  'web3_clientVersion',
] as const;

export type RpcMethod = (typeof READ_METHODS)[number];

const ALLOWED: ReadonlySet<string> = new Set(READ_METHODS);

export function isReadMethod(method: string): method is RpcMethod {
  return ALLOWED.has(method);
}

/** Throws for any method that is not known to be read-only, before anything is sent. */
export function assertReadMethod(method: string): asserts method is RpcMethod {
  if (!isReadMethod(method)) throw new TypeError(`the method ${method} is not a read`);
}
