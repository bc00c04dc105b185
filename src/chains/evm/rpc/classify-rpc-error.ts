// Classifies a node's error: codes mean different things at different providers, so the wording
// decides first.

import type { NodeError } from '../../rpc/rpc-dialect.ts';
import { RpcError, type RpcErrorKind } from '../../rpc/rpc-error.ts';
import type { RpcMethod } from './rpc-method.ts';

/** The query names more addresses or topics than the node compares. */
const FILTER_WORDINGS: readonly RegExp[] = [
  /max(?:imum)?(?: of [\d,.]+)? (?:addresses|topics)/i,
  /(?:too many|less number of|fewer|number of) (?:addresses|topics)/i,
  /query contains [\d,.]+ filters/i,
];

/** Logs only of given contracts. */
const UNFILTERED_WORDING = /specify an address|address (?:is )?required|without an? address/i;

/** The node gave up, which says nothing about the contract that was called. */
const OVERLOAD_WORDING = /execution aborted \(timeout/i;

/** Too much was asked of `eth_getLogs`. */
const SLOW_WORDING = /timed? ?out|canceled|cancelled|deadline exceeded/i;
/** Of these it is certain; a timeout in other words may also be an endpoint that is down. */
const SLOW_LOGS_WORDINGS: readonly RegExp[] = [
  /eth_getlogs.*(?:canceled|timed? ?out|timeout)/i,
  /timeout on the free tier/i,
];

const RANGE_WORDINGS: readonly RegExp[] = [
  /too wide blocks? range/i,
  /range is too (?:wide|large|big)|range too (?:wide|large|big)/i,
  /block range (?:limit )?(?:exceed|greater than|exceeds)/i,
  /range (?:limit|threshold) exceeded/i,
  /exceeds? (?:the )?(?:max(?:imum)? )?(?:allowed )?(?:block )?range/i,
  /max(?:imum)?(?: allowed)?(?: block)? range/i,
  /max range: ?\d/i,
  /exceeded max allowed/i,
  /limited to (?:a |0 ?- ?)?[\d,.]+k? ?-?(?:block|range)/i,
  /limit the query to at most [\d,.]+ blocks/i,
  /range allowed for your plan/i,
  /block range should work|try with this block range|retry with the range/i,
  /maximum allowed number of requested blocks/i,
  /requested too many blocks/i,
  /blocks distance/i,
  /query must be smaller than size/i,
  /up to a [\d,.]+k? block range/i,
  /ranges? (?:over|of more than) [\d,.]+k? blocks/i,
  /too many blocks|block count (?:exceeds|too)/i,
  /query returned more than|more than [\d,.]+ (?:results|logs|events)/i,
  /(?:logs matched by query|query) exceeds (?:limit|max(?:imum)? results)/i,
  /too many (?:results|logs|events)/i,
  /(?:backend )?response (?:is )?too (?:large|big)|response size (?:exceed|should not|is larger|is too)/i,
  /log response size exceeded|result (?:set )?(?:is )?too large|exceeds? max(?:imum)? (?:results|response)/i,
  /query timeout exceeded|query execution timed? ?out/i,
  /eth_getlogs (?:is|range|and eth_newfilter are) (?:limited|is too large)/i,
];

const RATE_WORDING =
  /rate.?limit|too many requests|throttl|quota|compute units|capacity|requests? per (?:second|minute|day)|request (?:count|rate|limit)|(?:credits|daily).*(?:exceed|limit|exhaust)|exceeded.*credits|slow down|limit reached/i;

/** Also used for ranges that are too large: if it persists, a smaller one is worth trying. */
const AMBIGUOUS_WORDING = /limit exceeded|exceeds? (?:defined )?limit|no backend is currently/i;

const LAGGING_WORDING =
  /blocks? specified in filter.{0,60}cannot be found|header not found|unknown block|block not found|(?:beyond|after|above|exceeds?).{0,20}(?:head|latest|last).{0,10}block|blockoutofrange|block height is|block number is out of range|could not find block|cannot query unfinalized|invalid block range params|range extends beyond/i;

const STATE_WORDING =
  /missing trie node|(?:historical )?state.{0,20}(?:not|un)avail|state (?:is )?pruned|pruned|archive|no state (?:available|found)|state (?:not found|already discarded)|distance to target block exceeds|not currently canonical|header for hash not found/i;

/** Some nodes say only this of a block that they do not have, and of state that they pruned. */
const MISSING_WORDING = /resource not found/i;

/** Methods that need the state of a block, not only the block. */
const STATE_METHODS: ReadonlySet<string> = new Set<RpcMethod>([
  ...(['debug_traceCall', 'eth_call', 'eth_createAccessList', 'eth_estimateGas'] as const),
  ...(['eth_getBalance', 'eth_getCode', 'eth_getStorageAt', 'eth_getTransactionCount'] as const),
  ...(['eth_simulateV1', 'trace_call'] as const),
]);

const REVERT_WORDING =
  /execution (?:reverted|aborted)|vm execution|revert|invalid opcode|invalid jump|out of gas|stack (?:underflow|limit)|return data out of bounds|write protection|evm error/i;

/** A simulated transaction that a block could not hold; the codes are those of `eth_simulateV1`. */
const INVALID_WORDING =
  /insufficient funds|(?:less|lower) than (?:the )?block base fee|sender (?:is )?not an? eoa|nonce too (?:low|high)|block gas limit reached/i;

function isInvalidTransaction({ code, message }: NodeError): boolean {
  return (code !== null && code > -38100 && code <= -38000) || INVALID_WORDING.test(message);
}

const UNSUPPORTED_WORDING =
  /method .{0,60}(?:not (?:found|supported|available|allowed|exist)|disabled)|does not exist\/is not available|unsupported method/i;

const DENIED_WORDING =
  /unauthori[sz]ed|forbidden|invalid (?:api )?key|access denied|not whitelisted|project id|must be authenticated/i;

const SUGGESTIONS: readonly RegExp[] = [
  /range, the limit is ([\d,.]+k?)/i,
  /max(?:imum)? (?:is set to|is|range:?|block range:?|allowed number of requested blocks is)\s*([\d,.]+k?)/i,
  /limited to (?:a |0 ?- ?)?([\d,.]+k?)/i,
  /at most ([\d,.]+k?) blocks/i,
  /for your plan \(\d+ > (\d+)\)/i,
  /(?:exceeds? max(?:imum)? block range|range exceeds|range greater than):? ([\d,.]+k?)/i,
  /smaller than size ([\d,.]+k?)/i,
  /up to a ([\d,.]+k?) block/i,
  /blocks distance: ?([\d,.]+k?)/i,
  /wide \(maximum ([\d,.]+k?)\)/i,
  /(?:over|of more than) ([\d,.]+k?) blocks/i,
  /max: ?([\d,.]+k?)/i,
];

const SUGGESTED_BOUNDS = /(0x[0-9a-f]{1,14})\s*(?:,|-|to)\s*(0x[0-9a-f]{1,14})/i;

function parseCount(text: string): number | null {
  const thousands = /k$/i.test(text);
  const digits = text.replace(/[^\d]/g, '');
  if (digits === '' || digits.length > 12) return null;
  const count = Number(digits) * (thousands ? 1_000 : 1);
  return count >= 1 ? count : null;
}

/** How many blocks the wording says would work; null if it says nothing usable. */
function parseSuggestedBlocks(message: string): number | null {
  const bounds = SUGGESTED_BOUNDS.exec(message);
  if (bounds?.[1] !== undefined && bounds[2] !== undefined) {
    const blocks = Number(bounds[2]) - Number(bounds[1]) + 1;
    return blocks >= 1 ? blocks : null;
  }
  for (const pattern of SUGGESTIONS) {
    const match = pattern.exec(message);
    if (match?.[1] !== undefined) return parseCount(match[1]);
  }
  return null;
}

function classifyLogs({ message }: NodeError): RpcErrorKind | null {
  if (FILTER_WORDINGS.some((wording) => wording.test(message))) return 'filterTooLarge';
  if (UNFILTERED_WORDING.test(message)) return 'unsupported';
  if (SLOW_LOGS_WORDINGS.some((wording) => wording.test(message))) return 'rangeTooLarge';
  return null;
}

function classifyError(error: NodeError): { kind: RpcErrorKind; ambiguous: boolean } {
  const { code, message, method } = error;
  const sure = (kind: RpcErrorKind) => ({ kind, ambiguous: false });
  // Of a whole batch it is not known which call is meant.
  const mayBeLogs = method === null || method === 'eth_getLogs';
  const doubtful = (kind: RpcErrorKind) => ({ kind, ambiguous: mayBeLogs });
  if (OVERLOAD_WORDING.test(message)) return sure('network');
  if (code === 3 || (code === -32000 && REVERT_WORDING.test(message))) return sure('reverted');
  if (isInvalidTransaction(error)) return sure('rejected');
  if (LAGGING_WORDING.test(message)) return sure('lagging');
  const ofLogs = mayBeLogs ? classifyLogs(error) : null;
  if (ofLogs !== null) return sure(ofLogs);
  if (RANGE_WORDINGS.some((wording) => wording.test(message))) return sure('rangeTooLarge');
  if (RATE_WORDING.test(message)) return sure('rateLimited');
  if (AMBIGUOUS_WORDING.test(message)) return doubtful('rateLimited');
  if (STATE_WORDING.test(message)) return sure('stateUnavailable');
  if (MISSING_WORDING.test(message)) {
    return sure(method !== null && STATE_METHODS.has(method) ? 'stateUnavailable' : 'lagging');
  }
  if (SLOW_WORDING.test(message)) return doubtful('network');
  if (code === -32005) return doubtful('rateLimited');
  if (code === -32029 || code === 429) return sure('rateLimited');
  if (code === -32601 || code === -32004 || UNSUPPORTED_WORDING.test(message)) {
    return sure('unsupported');
  }
  if (DENIED_WORDING.test(message)) return sure('denied');
  if (REVERT_WORDING.test(message)) return sure('reverted');
  if (code === -32602) return sure('rejected');
  // In words that nobody has told us: another endpoint, then less of it.
  return doubtful('network');
}

export function classifyRpcError(error: NodeError): RpcError {
  const { kind, ambiguous } = classifyError(error);
  const code = error.code === null ? '' : ` (${error.code})`;
  return new RpcError(kind, `${error.endpoint}: ${error.message}${code}`, {
    endpoint: error.endpoint,
    code: error.code,
    retryAfterMs: error.retryAfterMs,
    suggestedBlocks: kind === 'rangeTooLarge' ? parseSuggestedBlocks(error.message) : null,
    ambiguous,
    data: error.data,
  });
}
