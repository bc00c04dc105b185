// The transactions of some tokens and pools, found by their signatures: for plans that cannot read
// whole blocks.
//
// A node lists the transactions that name an account. Every swap names its pool. A plain transfer
// does not name its token, so holders of a watched token are not complete.

import type { BoundedMap } from '../../../lib/bounded-map.ts';
import type { BlockHeader } from '../../../model/block-header.ts';
import type { BlockFilter } from '../../adapter.ts';
import type { RpcEndpoint } from '../../rpc/rpc-endpoint.ts';
import { RpcError } from '../../rpc/rpc-error.ts';
import { CONFIRMED, refuseReply } from '../rpc/solana-node.ts';
import { isTransaction, type SolanaBlockTransaction } from './parse-solana-block.ts';
import { readSlotRange } from './read-slot-range.ts';
import { addTime, HEADER, listSlots, readExistingBlock, SIGNATURES } from './slot-blocks.ts';

interface WatchedRange {
  readonly fromSlot: number;
  readonly toSlot: number;
  readonly linked: boolean;
  readonly only: BlockFilter;
  readonly blockCountMax: number;
  /** By account; grows. */
  readonly seen: SeenSignatures;
  readonly signal?: AbortSignal | undefined;
}

/** The newest transaction of an account that was read, so that the next list ends there. */
export type SeenSignatures = BoundedMap<string, Pick<SignatureRow, 'signature' | 'slot'>>;

interface WatchedBlock {
  readonly header: BlockHeader;
  readonly transactions: readonly SolanaBlockTransaction[];
}

interface WatchedReading {
  readonly blocks: readonly WatchedBlock[];
  readonly headers: readonly BlockHeader[];
  readonly toSlot: number;
  readonly blockCount: number;
}

/** The most that nodes list at once. */
const SIGNATURES_PER_CALL = 1000;
/** Lists of one account; with more transactions a range must be read in whole blocks. */
const PAGES_MAX = 100;

interface SignatureRow {
  readonly signature: string;
  readonly slot: number;
  readonly err: unknown;
}

function isRow(value: unknown): value is SignatureRow {
  const { signature, slot } = (value ?? {}) as Partial<SignatureRow>;
  return typeof signature === 'string' && typeof slot === 'number';
}

/** Newest first, down to the range's first slot. Failed transactions are left out. */
async function listSignatures(
  endpoint: RpcEndpoint,
  account: string,
  range: WatchedRange,
): Promise<SignatureRow[]> {
  const found: SignatureRow[] = [];
  const known = range.seen.get(account);
  // After a rollback, what was read must be read again. What was newest may be on no branch any
  // more, and a later list must not end there.
  const isPast = known !== undefined && known.slot < range.fromSlot;
  if (!isPast) range.seen.delete(account);
  const shared = {
    ...{ ...CONFIRMED, limit: SIGNATURES_PER_CALL, minContextSlot: range.toSlot },
    // If a fork took it away, the node lists more, and the slots end the search.
    ...(isPast ? { until: known.signature } : {}),
  };
  let before: string | undefined;
  for (let page = 0; page < PAGES_MAX; page += 1) {
    const config = before === undefined ? shared : { ...shared, before };
    const call = { method: 'getSignaturesForAddress', params: [account, config] };
    const rows = await endpoint.request(call, range.signal);
    if (!Array.isArray(rows) || !rows.every(isRow)) {
      return refuseReply(endpoint, `signatures of ${account} are malformed`);
    }
    for (const row of rows) {
      const isInside = row.slot >= range.fromSlot && row.slot <= range.toSlot;
      if (isInside && row.err == null) found.push(row);
    }
    const last = rows.at(-1);
    if (rows.length < SIGNATURES_PER_CALL || last === undefined) return found;
    if (last.slot < range.fromSlot) return found;
    before = last.signature;
  }
  throw new RpcError('rangeTooLarge', `${account} has too many transactions to be watched`);
}

/** Signatures of the range by slot. */
async function findSignatures(
  endpoint: RpcEndpoint,
  range: WatchedRange,
): Promise<Map<number, Set<string>>> {
  const bySlot = new Map<number, Set<string>>();
  for (const account of [...range.only.pools, ...range.only.tokens]) {
    const rows = await listSignatures(endpoint, account, range);
    const [newest] = rows;
    if (newest !== undefined) range.seen.set(account, newest);
    for (const { slot, signature } of rows) {
      const signatures = bySlot.get(slot) ?? new Set();
      bySlot.set(slot, signatures.add(signature));
    }
  }
  return bySlot;
}

/** The transactions of one block, with their places in it. */
async function readTransactions(
  endpoint: RpcEndpoint,
  block: { readonly slot: number; readonly order: readonly string[] },
  wanted: ReadonlySet<string>,
  signal?: AbortSignal,
): Promise<SolanaBlockTransaction[]> {
  const { slot, order } = block;
  const places = order.flatMap((signature, index) =>
    wanted.has(signature) ? [{ signature, index }] : [],
  );
  if (places.length < wanted.size) {
    // The signatures are of another branch than the block: only this read fails.
    throw new RpcError('unavailable', `block ${slot} changed while it was read`);
  }
  const config = { encoding: 'json', maxSupportedTransactionVersion: 0, ...CONFIRMED };
  const calls = places.map(({ signature }) => ({
    method: 'getTransaction',
    params: [signature, config],
  }));
  const outcomes = await endpoint.batch(calls, { signal });
  return places.map(({ signature, index }, at) => {
    const reply = endpoint.unwrap(outcomes[at]);
    if (reply === null) {
      const problem = `${endpoint.name}: does not serve transaction ${signature} yet`;
      throw new RpcError('lagging', problem, { endpoint: endpoint.name });
    }
    if (!isTransaction(reply)) return refuseReply(endpoint, `${signature} is malformed`);
    const isAsked = reply.transaction.signatures[0] === signature;
    if (!isAsked || (reply as { slot?: unknown }).slot !== slot) {
      return refuseReply(endpoint, `sent another transaction than ${signature}`);
    }
    return { index, raw: reply };
  });
}

async function readBlock(
  endpoint: RpcEndpoint,
  query: { readonly slot: number; readonly wanted: ReadonlySet<string> },
  signal?: AbortSignal,
): Promise<WatchedBlock> {
  const { slot, wanted } = query;
  const block = await readExistingBlock(endpoint, { slot, detail: SIGNATURES }, signal);
  if (block === null) {
    const problem = `${endpoint.name}: does not serve block ${slot} yet`;
    throw new RpcError('lagging', problem, { endpoint: endpoint.name });
  }
  const at = { slot, order: block.content };
  return {
    header: await addTime(endpoint, block.header, signal),
    transactions: await readTransactions(endpoint, at, wanted, signal),
  };
}

/** The headers of the range, from its start; at most as many as asked for. */
async function readHeaders(endpoint: RpcEndpoint, range: WatchedRange): Promise<BlockHeader[]> {
  const { signal } = range;
  const { blocks } = await readSlotRange(endpoint, { ...range, detail: HEADER }, signal);
  const headers: BlockHeader[] = [];
  for (const { header } of blocks) headers.push(await addTime(endpoint, header, signal));
  return headers;
}

export async function readWatchedBlocks(
  endpoint: RpcEndpoint,
  range: WatchedRange,
): Promise<WatchedReading> {
  const { linked, signal, blockCountMax } = range;
  // Before the signatures. After a fork in between the header is the stale part, which the next
  // block shows. And a node that serves a block has listed its transactions; until then it would
  // leave them out.
  const headers = linked ? await readHeaders(endpoint, range) : [];
  const listed = linked
    ? headers.map(({ position }) => position)
    : (await listSlots(endpoint, range, signal)).slice(0, blockCountMax);
  const isCut = listed.length >= blockCountMax || linked;
  const toSlot = isCut ? (listed.at(-1) ?? range.toSlot) : range.toSlot;
  const bySlot = await findSignatures(endpoint, { ...range, toSlot });
  const blocks: WatchedBlock[] = [];
  for (const slot of [...bySlot.keys()].sort((a, b) => a - b)) {
    const wanted = bySlot.get(slot) ?? new Set<string>();
    const block = await readBlock(endpoint, { slot, wanted }, signal);
    const header = headers.find(({ position }) => position === slot);
    if (linked && header?.hash !== block.header.hash) {
      throw new RpcError('unavailable', `block ${slot} changed while it was read`);
    }
    blocks.push(block);
  }
  return { blocks, headers, toSlot, blockCount: listed.length };
}
