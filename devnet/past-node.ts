// The node before the current one: for a while it alone has the states of the last blocks.
//
// A node that loads a chain has its blocks, but states and fees only from then on. The node before
// it mines no more and stays until the states that it has would have been dropped anyway.

import type { Hex } from 'viem';
import { parseBlockTag } from './archive-answers.ts';
import { toHexQuantity } from './block-writer.ts';
import type { JsonRpc } from './json-rpc.ts';

export interface PastNode {
  readonly rpc: JsonRpc;
  /** Its last block; the current node has the states from this one on. */
  readonly head: number;
  /** Of the blocks before, as far back as there are states. */
  readonly hashes: ReadonlySet<string>;
}

interface Call {
  readonly method: string;
  readonly params: readonly unknown[];
}

/** Methods that read a state, and which of their parameters is the block. */
const BLOCK_AT: Readonly<Record<string, number>> = {
  eth_call: 1,
  eth_estimateGas: 1,
  eth_createAccessList: 1,
  eth_simulateV1: 1,
  eth_getAccount: 1,
  eth_getAccountInfo: 1,
  eth_getBalance: 1,
  eth_getCode: 1,
  eth_getTransactionCount: 1,
  eth_getStorageAt: 2,
  eth_getProof: 2,
  debug_traceCall: 1,
};
const TAGS = new Set<unknown>(['safe', 'finalized']);

function isBefore(past: PastNode, block: unknown): boolean {
  if (typeof block === 'object' && block !== null) {
    const { blockHash, blockNumber } = block as Record<string, unknown>;
    return isBefore(past, blockHash ?? blockNumber);
  }
  const number = parseBlockTag(block);
  if (number !== null) return number < past.head;
  return past.hashes.has(String(block).toLowerCase());
}

async function callAtTag(past: PastNode, current: JsonRpc, call: Call): Promise<unknown> {
  const at = BLOCK_AT[call.method] ?? 0;
  const block = await current.call<{ number: Hex }>('eth_getBlockByNumber', call.params[at], false);
  const params = call.params.with(at, block.number);
  const node = isBefore(past, block.number) ? past.rpc : current;
  return node.call(call.method, ...params);
}

interface FeeHistory {
  readonly oldestBlock: Hex;
  readonly baseFeePerGas: readonly Hex[];
  readonly gasUsedRatio: readonly number[];
  readonly [more: string]: unknown;
}

/** The past node's part without its last fees, which are those of the next block, and the rest. */
function joinFees(before: FeeHistory, after: FeeHistory): FeeHistory {
  const joined = Object.keys(before).map((name) => {
    const [one, other] = [before[name], after[name]];
    if (!Array.isArray(one) || !Array.isArray(other)) return [name, one];
    const hasNext = name.startsWith('baseFee');
    return [name, [...(hasNext ? one.slice(0, -1) : one), ...other]];
  });
  return Object.fromEntries(joined) as FeeHistory;
}

async function readFees(past: PastNode, current: JsonRpc, call: Call): Promise<unknown> {
  const [count, newest, percentiles = []] = call.params;
  const ask = (node: JsonRpc, range: { from: number; to: number }) =>
    node.call<FeeHistory>(
      call.method,
      toHexQuantity(range.to - range.from + 1),
      toHexQuantity(range.to),
      percentiles,
    );
  const tag = newest === 'pending' ? 'latest' : newest;
  const block = await current.call<{ number: Hex } | null>('eth_getBlockByNumber', tag, false);
  const to = Number(block?.number);
  const from = Math.max(0, to - Number(count) + 1);
  if (!(from <= past.head)) return current.call(call.method, ...call.params);
  const before = await ask(past.rpc, { from, to: Math.min(to, past.head) });
  if (to < past.head) return before;
  // Of one block that it has not, the current node tells only the fees of the next.
  return joinFees(before, await ask(current, { from: Math.max(past.head + 1, from), to }));
}

/** Null if the current node can answer. */
export function planPast(
  past: PastNode,
  current: JsonRpc,
  call: Call,
): (() => Promise<unknown>) | null {
  if (call.method === 'eth_feeHistory') return () => readFees(past, current, call);
  const at = Object.hasOwn(BLOCK_AT, call.method) ? BLOCK_AT[call.method] : undefined;
  const block = at === undefined ? undefined : call.params[at];
  if (TAGS.has(block)) return () => callAtTag(past, current, call);
  return isBefore(past, block) ? () => past.rpc.call(call.method, ...call.params) : null;
}
