// The transactions of some tokens and pools, found by their signatures: for plans that cannot read
// whole blocks.
//
// A node lists the transactions that name an account. Every swap names its pool, or what stands for
// it. A plain transfer does not name its token, so holders of a watched token are not complete.

import type { BoundedMap } from '../../../lib/bounded-map.ts';
import type { BlockHeader } from '../../../model/block-header.ts';
import type { RpcCall } from '../../rpc/rpc-dialect.ts';
import type { RpcEndpoint } from '../../rpc/rpc-endpoint.ts';
import { RpcError } from '../../rpc/rpc-error.ts';
import { isTransaction, type SolanaBlockTransaction } from '../rpc/parse-solana-block.ts';
import { addTime, HEADER, listSlots, readExistingBlock, SIGNATURES } from '../rpc/slot-blocks.ts';
import { CONFIRMED, type Commitment, refuseReply } from '../rpc/solana-node.ts';
import type { TransactionVersions } from '../rpc/transaction-versions.ts';
import { readSlotRange } from './read-slot-range.ts';

interface WatchedRange {
  readonly fromSlot: number;
  readonly toSlot: number;
  readonly linked: boolean;
  /** The accounts that wanted transactions name. */
  readonly accounts: readonly string[];
  readonly blockCountMax: number;
  /** By account; grows. */
  readonly seen: SeenSignatures;
  readonly versions: TransactionVersions;
  /** `CONFIRMED` by default. */
  readonly commitment?: Commitment | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** How far an account's transactions were listed. Nodes list from the newest one down. */
interface AccountCursor {
  /** The newest one that was read, or is older than what was: the next list ends there. */
  readonly until: Pick<SignatureRow, 'signature' | 'slot'> | null;
  /** Where full lists ended, the newest first: an older range is listed from the last of them. */
  readonly ends: readonly ListEnd[];
}

interface ListEnd extends Pick<SignatureRow, 'signature' | 'slot'> {
  /** The signature after it. If a node has another one there, the branch was left. */
  readonly next: string;
}

export type SeenSignatures = BoundedMap<string, AccountCursor>;

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
/** Full lists of one account in one range; with more, the range ends earlier. */
const LISTS_MAX = 4;
/** Blocks that are read at once. */
const BLOCKS_AT_ONCE = 4;

interface SignatureRow {
  readonly signature: string;
  readonly slot: number;
  readonly err: unknown;
}

export function isSignatureRow(value: unknown): value is SignatureRow {
  const { signature, slot } = (value ?? {}) as Partial<SignatureRow>;
  return typeof signature === 'string' && typeof slot === 'number';
}

/** Lists the transactions of one account, a page at a time, down to the range's first slot. */
class AccountList {
  readonly account: string;
  /** Newest first; all of the range's up to `toSlot`. */
  rows: SignatureRow[] = [];
  toSlot: number;
  isWhole = false;
  readonly #range: WatchedRange;
  #ends: readonly ListEnd[];
  #before: ListEnd | Pick<ListEnd, 'signature' | 'slot'> | null;
  #until: AccountCursor['until'];
  /** The newest one before the range. */
  #older: SignatureRow | null = null;

  constructor(account: string, range: WatchedRange) {
    const { fromSlot, toSlot, seen } = range;
    const cursor = seen.get(account) ?? { until: null, ends: [] };
    // After a rollback, what was read must be read again. What was newest may be on no branch any
    // more, and a later list must not end there.
    const isPast = cursor.until !== null && cursor.until.slot < fromSlot;
    this.account = account;
    this.#range = range;
    this.#until = isPast ? cursor.until : null;
    const above = cursor.ends.filter(({ slot }) => slot > toSlot);
    // Where a list was broken off, it goes on.
    const inside = cursor.ends.filter(({ slot }) => slot > fromSlot && slot <= toSlot);
    const cut = inside.at(-LISTS_MAX);
    this.#before = cut ?? above.at(-1) ?? null;
    this.#ends = cut === undefined ? above : [...above, ...inside.slice(0, 1 - LISTS_MAX)];
    // The transactions of one slot may be on both sides of an end.
    this.toSlot = cut === undefined ? toSlot : cut.slot - 1;
  }

  get call(): RpcCall {
    const config = {
      ...(this.#range.commitment ?? CONFIRMED),
      ...{ limit: SIGNATURES_PER_CALL, minContextSlot: this.#range.toSlot },
      // If a fork took it away, the node lists more, and the slots end the search.
      ...(this.#until === null ? {} : { until: this.#until.signature }),
      ...(this.#before === null ? {} : { before: this.#before.signature }),
    };
    return { method: 'getSignaturesForAddress', params: [this.account, config] };
  }

  add(page: readonly SignatureRow[]): void {
    const { fromSlot, toSlot } = this.#range;
    const before = this.#before;
    const [first] = page;
    const last = page.at(-1);
    if (before !== null && 'next' in before && before.next !== first?.signature) {
      this.#ends = [];
      this.#before = null;
      this.toSlot = toSlot;
      return;
    }
    if (before !== null && !('next' in before) && first !== undefined && before.slot > fromSlot) {
      this.#ends = [...this.#ends, { ...before, next: first.signature }];
      if (this.rows.length > LISTS_MAX * SIGNATURES_PER_CALL) {
        this.toSlot = before.slot - 1;
        this.rows = this.rows.filter(({ slot }) => slot <= this.toSlot);
      }
    }
    this.rows.push(...page.filter(({ slot }) => slot >= fromSlot && slot <= this.toSlot));
    this.#older ??= page.find(({ slot }) => slot < fromSlot) ?? null;
    this.isWhole = page.length < SIGNATURES_PER_CALL || last === undefined || last.slot < fromSlot;
    this.#before = last === undefined ? null : { signature: last.signature, slot: last.slot };
    this.#range.seen.set(this.account, { until: this.#until, ends: this.#ends });
  }

  /** Those that succeeded. The next list ends where this one began. */
  finish(toSlot: number): SignatureRow[] {
    const rows = this.rows.filter(({ slot }) => slot <= toSlot);
    const until = rows[0] ?? this.#older ?? this.#until;
    const ends = this.#ends.filter(({ slot }) => slot > toSlot);
    if (until === null && ends.length === 0) this.#range.seen.delete(this.account);
    else this.#range.seen.set(this.account, { until, ends });
    return rows.filter(({ err }) => err == null);
  }
}

/** Signatures of the range by slot, and the slot up to which they are complete. */
async function findSignatures(
  endpoint: RpcEndpoint,
  range: WatchedRange,
): Promise<{ readonly bySlot: Map<number, Set<string>>; readonly toSlot: number }> {
  const lists = range.accounts.map((account) => new AccountList(account, range));
  for (let open = lists; open.length > 0; open = open.filter(({ isWhole }) => !isWhole)) {
    const calls = open.map(({ call }) => call);
    const outcomes = await endpoint.batch(calls, { signal: range.signal });
    for (const [index, list] of open.entries()) {
      const page = endpoint.unwrap(outcomes[index]);
      if (!Array.isArray(page) || !page.every(isSignatureRow)) {
        return refuseReply(endpoint, `signatures of ${list.account} are malformed`);
      }
      list.add(page);
    }
  }
  const toSlot = Math.min(range.toSlot, ...lists.map((list) => list.toSlot));
  const bySlot = new Map<number, Set<string>>();
  for (const { slot, signature } of lists.flatMap((list) => list.finish(toSlot))) {
    bySlot.set(slot, (bySlot.get(slot) ?? new Set()).add(signature));
  }
  return { bySlot, toSlot };
}

interface WantedBlock {
  readonly slot: number;
  readonly wanted: ReadonlySet<string>;
}

/** The transactions of one block, with their places in it. */
async function readTransactions(
  endpoint: RpcEndpoint,
  { slot, wanted, order }: WantedBlock & { readonly order: readonly string[] },
  { versions, commitment = CONFIRMED, signal }: WatchedRange,
): Promise<SolanaBlockTransaction[]> {
  const places = order.flatMap((signature, index) =>
    wanted.has(signature) ? [{ signature, index }] : [],
  );
  if (places.length < wanted.size) {
    // The signatures are of another branch than the block: only this read fails.
    throw new RpcError('unavailable', `block ${slot} changed while it was read`);
  }
  const replies = await versions.ask(async (maxSupportedTransactionVersion) => {
    const config = { encoding: 'json', maxSupportedTransactionVersion, ...commitment };
    const calls = places.map(({ signature }) => ({
      method: 'getTransaction',
      params: [signature, config],
    }));
    const outcomes = await endpoint.batch(calls, { signal });
    return outcomes.map((outcome) => endpoint.unwrap(outcome));
  });
  return places.flatMap(({ signature, index }, at) => {
    const reply = replies[at];
    if (reply === null) {
      const problem = `${endpoint.name}: does not serve transaction ${signature} yet`;
      throw new RpcError('lagging', problem, { endpoint: endpoint.name });
    }
    const isUnknown = versions.noteUnknown(reply);
    if (!isTransaction(reply)) {
      return isUnknown ? [] : refuseReply(endpoint, `${signature} is malformed`);
    }
    const isAsked = reply.transaction.signatures[0] === signature;
    if (!isAsked || (reply as { slot?: unknown }).slot !== slot) {
      return refuseReply(endpoint, `sent another transaction than ${signature}`);
    }
    return [{ index, raw: reply }];
  });
}

async function readBlock(
  endpoint: RpcEndpoint,
  wish: WantedBlock,
  range: WatchedRange,
): Promise<WatchedBlock> {
  const { slot } = wish;
  const { commitment, signal } = range;
  const query = { slot, detail: SIGNATURES, commitment };
  const block = await readExistingBlock(endpoint, query, signal);
  if (block === null) {
    const problem = `${endpoint.name}: does not serve block ${slot} yet`;
    throw new RpcError('lagging', problem, { endpoint: endpoint.name });
  }
  return {
    header: await addTime(endpoint, block.header, signal),
    transactions: await readTransactions(endpoint, { ...wish, order: block.content }, range),
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
  const end = isCut ? (listed.at(-1) ?? range.toSlot) : range.toSlot;
  const found = await findSignatures(endpoint, { ...range, toSlot: end });
  // A busy account may end the range early; linked, it must end at a block.
  const kept = listed.filter((slot) => slot <= found.toSlot);
  const toSlot = linked ? (kept.at(-1) ?? found.toSlot) : found.toSlot;
  const wishes = Array.from(found.bySlot, ([slot, wanted]) => ({ slot, wanted }));
  wishes.sort((a, b) => a.slot - b.slot);
  const blocks: WatchedBlock[] = [];
  for (let from = 0; from < wishes.length; from += BLOCKS_AT_ONCE) {
    const some = wishes.slice(from, from + BLOCKS_AT_ONCE);
    blocks.push(...(await Promise.all(some.map((wish) => readBlock(endpoint, wish, range)))));
  }
  for (const { header } of linked ? blocks : []) {
    if (headers.find(({ position }) => position === header.position)?.hash === header.hash)
      continue;
    throw new RpcError('unavailable', `block ${header.position} changed while it was read`);
  }
  const upTo = headers.filter(({ position }) => position <= toSlot);
  return { blocks, headers: upTo, toSlot, blockCount: kept.length };
}
