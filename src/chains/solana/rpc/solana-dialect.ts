// JSON-RPC as Solana's nodes speak it: which methods read, and what their errors mean.

import type { NodeError, RpcDialect } from '../../rpc/rpc-dialect.ts';
import { RpcError, type RpcErrorKind } from '../../rpc/rpc-error.ts';

/** The only methods that may be called. Nothing here can send. */
const READ_METHODS: ReadonlySet<string> = new Set([
  ...['getAccountInfo', 'getBlock', 'getBlocks', 'getGenesisHash', 'getLatestBlockhash'],
  ...[
    'getFirstAvailableBlock',
    'getMinimumBalanceForRentExemption',
    'getMultipleAccounts',
    'getRecentPrioritizationFees',
  ],
  ...['getSignaturesForAddress', 'getSignatureStatuses', 'getSlot', 'getTokenAccountsByOwner'],
  ...['getTokenLargestAccounts', 'getBlockHeight', 'getProgramAccounts'],
  ...['getTransaction', 'simulateTransaction'],
]);

export function isSolanaRead(method: string): boolean {
  return READ_METHODS.has(method);
}

/** Codes that mean the same at every node (agave, `rpc_custom_error.rs`). */
const KINDS: Readonly<Record<number, RpcErrorKind>> = {
  // The node no longer has blocks that far back.
  [-32001]: 'stateUnavailable',
  // The block is not available yet.
  [-32004]: 'lagging',
  // The node is behind the others.
  [-32005]: 'lagging',
  // The slot was skipped, or is missing after a jump to a snapshot.
  [-32007]: 'skipped',
  // The same, in long-term storage.
  [-32009]: 'skipped',
  // The account is not in the node's index.
  [-32010]: 'unsupported',
  // The node keeps no history of transactions.
  [-32011]: 'stateUnavailable',
  // A scan of accounts found more than the node sends.
  [-32012]: 'replyTooLarge',
  // The block's transactions are not available yet.
  [-32014]: 'lagging',
  // The request has no `maxSupportedTransactionVersion`, or a lower one.
  [-32015]: 'rejected',
  // The node has not reached `minContextSlot`.
  [-32016]: 'lagging',
  // Long-term storage does not answer.
  [-32019]: 'network',
  [-32429]: 'rateLimited',
  [-32601]: 'unsupported',
  [-32602]: 'rejected',
  401: 'denied',
  403: 'denied',
  429: 'rateLimited',
};

/** Providers put their own limits into any code. */
const RATE_WORDING = /rate.?limit|too many requests|throttl|quota|credits|requests? per second/i;
const UNSUPPORTED_WORDING = /excluded from account secondary index/i;
const DENIED_WORDING = /unauthori[sz]ed|forbidden|invalid api key|access denied|api key/i;

/**
 * How providers refuse scans of accounts. Of another method the same words may be about a plan, or
 * about a while, so that the next endpoint must be asked.
 */
const SCAN_METHOD = 'getProgramAccounts';
const SCAN_UNSUPPORTED_WORDING = /method .*(unavailable|not (available|supported)|disabled)/i;
const SCAN_LARGE_WORDING =
  /too many accounts|exceeded the limit|(response|result).*too (large|big)/i;

function classifyScan(message: string): RpcErrorKind | null {
  if (SCAN_UNSUPPORTED_WORDING.test(message)) return 'unsupported';
  return SCAN_LARGE_WORDING.test(message) ? 'replyTooLarge' : null;
}

function classify({ code, message, method }: NodeError): RpcErrorKind {
  if (RATE_WORDING.test(message)) return 'rateLimited';
  const known = KINDS[code ?? 0];
  if (known !== undefined) return known;
  if (UNSUPPORTED_WORDING.test(message)) return 'unsupported';
  const ofScan = method === SCAN_METHOD ? classifyScan(message) : null;
  if (ofScan !== null) return ofScan;
  return DENIED_WORDING.test(message) ? 'denied' : 'network';
}

/** How much of a genesis hash names a chain in CAIP-2. */
const REFERENCE_LENGTH = 32;

/** `genesis`: its hash, or the part of it in the chain's CAIP-2 identifier. */
export function createSolanaDialect(genesis: string): RpcDialect {
  return {
    chain: genesis.slice(0, REFERENCE_LENGTH),
    chainCall: { method: 'getGenesisHash', params: [] },
    headCall: { method: 'getSlot', params: [{ commitment: 'confirmed' }] },
    parseChain: (result) => (typeof result === 'string' ? result.slice(0, REFERENCE_LENGTH) : null),
    parseHead: parseSlot,
    assertReadMethod(method) {
      if (!isSolanaRead(method)) throw new TypeError(`the method ${method} is not a read`);
    },
    classifyError(error) {
      const { code, endpoint, retryAfterMs, data } = error;
      const suffix = code === null ? '' : ` (${code})`;
      const details = { code, endpoint, retryAfterMs, data };
      return new RpcError(classify(error), `${endpoint}: ${error.message}${suffix}`, details);
    },
  };
}

/** Null if it is not a slot's number. */
export function parseSlot(value: unknown): number | null {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0 ? value : null;
}
