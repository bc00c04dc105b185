// Reads blocks of the past from the Portals of `HISTORY_SOLANA`, in their order.
//
// No hash of Solana covers what a transaction did, so nothing is proved here. A reading is used if
// its blocks link to one that the operator's node has, every balance adds up and goes on from the
// one before, and the node tells the same of some transactions. What cannot be had from any archive
// now is the node's to give, from the same slot on.
//
// Where only some pools and tokens are wanted, only their transactions are read. Blocks do not link
// then; what is compared instead are the balances of the pools' vaults, which are asked for, too,
// and the node's lists of signatures, which show what was left out.

import { BoundedMap } from '../../../lib/bounded-map.ts';
import type { Clock } from '../../../lib/clock.ts';
import type { Random } from '../../../lib/retry.ts';
import type { BlockHeader } from '../../../model/block-header.ts';
import { ArchiveError } from '../../archives/archive-error.ts';
import {
  type ArchivePlace,
  type ArchiveRange,
  ArchiveSources,
} from '../../archives/archive-sources.ts';
import type { Log, RpcClient } from '../../rpc/rpc-client.ts';
import { findImbalance } from '../archives/find-imbalance.ts';
import type { PortalBlock } from '../archives/portal-block.ts';
import {
  FILTERED_ACCOUNTS_MAX,
  FILTERED_PLACES,
  type SolanaPortal,
} from '../archives/solana-portal.ts';
import { listAccountKeys, type RawTransaction } from '../data/raw-transaction.ts';
import { isTransaction, type SolanaBlockTransaction } from '../rpc/parse-solana-block.ts';
import { listSlots, readExistingBlock, SIGNATURES } from '../rpc/slot-blocks.ts';
import { FINALIZED, refuseReply } from '../rpc/solana-node.ts';
import type { TransactionVersions } from '../rpc/transaction-versions.ts';
import { VENUES_BY_PROGRAM } from '../venues/solana-venues.ts';
import type { VenueTrade } from '../venues/venue-trade.ts';
import { decodeTrades } from './decode-trades.ts';
import { readHolderChanges } from './holder-changes.ts';
import { isSignatureRow } from './read-watched-blocks.ts';

interface SolanaArchivesOptions {
  readonly sources: readonly SolanaPortal[];
  readonly client: RpcClient;
  readonly versions: TransactionVersions;
  /** The header of a slot as the nodes have it; null if none has. */
  readonly readHeader: (slot: number, signal?: AbortSignal) => Promise<BlockHeader | null>;
  /** Of a hundred blocks, so many transactions are compared with the node. */
  readonly samplePct: number;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
}

interface ArchivedSlots {
  readonly source: string;
  /** Linked by hash. */
  readonly blocks: readonly {
    readonly header: BlockHeader;
    readonly transactions: readonly SolanaBlockTransaction[];
  }[];
  readonly last: BlockHeader;
}

type Place = ArchivePlace<SolanaPortal>;

/** Where a stream stands: each block goes on from there. */
interface Passed {
  /** What token accounts held after the last block that was read. */
  readonly held: Map<string, string>;
  /** The last block that was read; null before the first. */
  last: PortalBlock['header'] | null;
}

interface SlotRange extends ArchiveRange {
  readonly blockCountMax: number;
  readonly transactionCountMax: number;
}

interface FilteredRange extends ArchiveRange {
  /** Whose transactions are wanted: pools, tokens, makers. */
  readonly accounts: ReadonlySet<string>;
  /** Whose trades are wanted: some pools are asked for by another account than their own. */
  readonly pools: ReadonlySet<string>;
  readonly transactionCountMax: number;
}

/** What archives gave of a range; blocks that have nothing wanted are left out. */
interface FilteredSlots extends Omit<ArchivedSlots, 'last'> {
  /** All up to here was searched. */
  readonly toBlock: number;
  /** Those that were sent, also without anything wanted. */
  readonly blockCount: number;
}

type Held = ReadonlyMap<string, string>;

/** What the vaults that were asked for held before and after a filtered reading. */
interface FilteredEnds {
  readonly source: SolanaPortal;
  readonly from: number;
  readonly start: Held;
  readonly next: number;
  readonly end: Held;
}

/** What an archive sent of one account, to be compared with a node's list. */
interface Listing extends ArchiveRange {
  readonly account: string;
  readonly own: readonly Sample[];
  readonly sent: ReadonlyMap<string, Sample>;
  readonly pools: ReadonlySet<string>;
}

/** Where a node's list begins, downwards: below a slot, by a signature; from its newest one. */
interface ListStart {
  readonly before: string | null;
  readonly slot: number;
}

interface PlacedSignature {
  readonly signature: string;
  readonly slot: number;
}

/** A transaction that may be compared with the node's. */
interface Sample extends PlacedSignature {
  readonly raw: RawTransaction;
  readonly timestampMs: number | null;
  readonly hasLog: boolean;
}

/** One reading is held in memory until it is compared. */
const BLOCKS_MAX = 50;
const TRANSACTIONS_MAX = 20_000;
/** Accounts whose balance is remembered from block to block; older ones are not compared. */
const HELD_MAX = 200_000;
/** Transactions whose lost log is read from a node at once. */
const BATCH_MAX = 20;

/** Slots of a filtered reading; a quiet account's year has 79 million. */
const FILTERED_SLOTS_MAX = 500_000;
/** They are compared one by one, and held in memory until then. */
const FILTERED_TRANSACTIONS_MAX = 5000;
/** After so long a filtered reading ends early, however slow the archive is. */
const FILTERED_MS = 10_000;
/** Of one filtered reading, at least so many transactions are compared, if it has them. */
const FILTERED_SAMPLES_MIN = 20;
/** The most that nodes list at once. */
const SIGNATURES_MAX = 1000;
/** Pools whose vaults are known. */
const VAULTS_MAX = 20_000;
/** Gaps of slots without a block that a node is asked to confirm. */
const SKIPPED_MAX = 5_000;
/** Blocks after a reading that are searched for a signature; all of mainnet have votes. */
const ENDS_MAX = 16;

/**
 * What the index stores of a transaction; null if it cannot be decoded. With `pools`, of these
 * alone: a filtered answer has no log of other calls.
 */
function describeRows(
  raw: RawTransaction,
  { hasLog, pools }: { readonly hasLog: boolean; readonly pools: ReadonlySet<string> | null },
): string | null {
  try {
    const [wallet] = raw.transaction.message.accountKeys;
    const { trades, poolCalls } = hasLog ? decodeTrades(raw) : { trades: [], poolCalls: [] };
    const isTold = ({ pool }: { readonly pool: string }) => pools === null || pools.has(pool);
    const rows = {
      ...{ wallet, poolCalls: poolCalls.filter(isTold), changes: readHolderChanges(raw) },
      trades: trades.filter(isTold).map(({ fold: _, ...trade }) => trade),
    };
    return JSON.stringify(rows, (_, value) => (typeof value === 'bigint' ? `${value}n` : value));
  } catch (error) {
    if (error instanceof RangeError) return null;
    throw error;
  }
}

function signatureOf({ transaction }: RawTransaction): string {
  return transaction.signatures[0] ?? '';
}

function listSamples(blocks: readonly PortalBlock[]): Sample[] {
  return blocks.flatMap(({ header, transactions }) =>
    transactions.map(({ raw, hasLostLog }) => ({
      ...{ raw, signature: signatureOf(raw), hasLog: !hasLostLog },
      ...{ slot: header.position, timestampMs: header.timestampMs },
    })),
  );
}

function pick<T>(of: readonly T[], random: Random): T | undefined {
  return of[Math.floor(random() * of.length)];
}

/** Takes so many out of them. */
function draw<T>(rest: T[], count: number, random: Random): T[] {
  return Array.from({ length: Math.min(count, rest.length) }, () =>
    rest.splice(Math.floor(random() * rest.length), 1),
  ).flat();
}

function listTrades(raw: RawTransaction): readonly VenueTrade[] {
  try {
    return decodeTrades(raw).trades;
  } catch (error) {
    if (error instanceof RangeError) return [];
    throw error;
  }
}

/** By a trade of the pool; null for tokens and makers, and pools that have none. */
function findVaults(account: string, blocks: readonly PortalBlock[]): readonly string[] | null {
  const all = blocks.flatMap(({ transactions }) => transactions);
  const last = all.findLast(({ raw }) => listAccountKeys(raw).includes(account));
  const trades = last === undefined ? [] : listTrades(last.raw);
  const own = trades.find(({ pool }) => (pool as string) === account);
  return own === undefined ? null : [own.vaultIn, own.vaultOut];
}

function namesTokens({ meta }: RawTransaction): boolean {
  return (meta?.preTokenBalances ?? []).length + (meta?.postTokenBalances ?? []).length > 0;
}

function names(raw: RawTransaction, accounts: ReadonlySet<string>): boolean {
  return listAccountKeys(raw).some((key) => accounts.has(key));
}

/** Whether a filter by accounts of instructions finds it. */
function isFindable({ transaction, meta }: RawTransaction, account: string): boolean {
  const place = listAccountKeys({ transaction, meta }).indexOf(account);
  const inner = (meta?.innerInstructions ?? []).flatMap(({ instructions }) => instructions);
  return [...transaction.message.instructions, ...inner].some(({ accounts }) =>
    accounts.slice(0, FILTERED_PLACES).includes(place),
  );
}

function callsVenue(raw: RawTransaction): boolean {
  return listAccountKeys(raw).some((key) => VENUES_BY_PROGRAM.has(key));
}

export class SolanaArchives {
  readonly #options: SolanaArchivesOptions;
  readonly #sources: ArchiveSources<SolanaPortal, PortalBlock, Passed>;
  /** By archive: transactions whose log neither it nor the node has. */
  readonly #lostLogs = new Map<string, number>();
  /** By pool, or whoever else stands for it: what is asked for with it. */
  readonly #vaults = new BoundedMap<string, readonly string[]>(VAULTS_MAX);
  /** By archive: filtered readings that a node had no lists of signatures for, from their end. */
  readonly #unlisted = new Map<string, number>();
  /** The last filtered reading: the next one goes on from there, or reads it again. */
  #filtered: FilteredEnds | null = null;

  constructor(options: SolanaArchivesOptions) {
    this.#options = options;
    this.#sources = new ArchiveSources(options.sources, options);
  }

  /** The first part of a range of final slots; null if no archive has any of it now. */
  async read(range: SlotRange, signal?: AbortSignal): Promise<ArchivedSlots | null> {
    return await this.#sources.ask((place) => this.#readFrom(place, range, signal), signal);
  }

  /** The first part of a range of final slots; null if no archive has any of it now. */
  async readFiltered(range: FilteredRange, signal?: AbortSignal): Promise<FilteredSlots | null> {
    if (range.accounts.size > FILTERED_ACCOUNTS_MAX) return null;
    return await this.#sources.ask((place) => this.#readSome(place, range, signal), signal);
  }

  listLimitations(): string[] {
    const lost = [...this.#lostLogs].map(
      ([name, count]) => `archive ${name}: ${count} transactions had no log, nor had a node`,
    );
    const unlisted = [...this.#unlisted].map(
      ([name, count]) =>
        `archive ${name}: ${count} readings could not be compared with a node's lists of ` +
        'signatures as a whole: what was left out may not be noticed',
    );
    return [...this.#sources.listLimitations(), ...lost, ...unlisted];
  }

  close(): void {
    this.#sources.close();
  }

  async #readFrom(place: Place, range: SlotRange, signal: AbortSignal | undefined) {
    const blockCountMax = Math.min(BLOCKS_MAX, range.blockCountMax);
    const transactionCountMax = Math.min(TRANSACTIONS_MAX, range.transactionCountMax);
    let count = 0;
    const { blocks: pulled, fault } = await this.#sources.pull({
      ...{ place, range, begin: () => ({ held: new Map(), last: null }) },
      accept: (block, stream) => {
        assertFits(block, stream, place);
        count += block.transactions.length;
        return block.header.position;
      },
      isEnough: ({ length }) => length >= blockCountMax || count >= transactionCountMax,
    });
    const last = await this.#assertLast(place, pulled, signal);
    await this.#assertAll(place, pulled, { ...range, toBlock: last.position }, signal);
    await this.#compareSamples(place, pulled, signal);
    const blocks = [];
    for (const block of pulled) {
      const header =
        block.header.position === last.position ? last : await this.#addTime(block.header, signal);
      blocks.push({ header, transactions: await this.#addLogs(place, block, signal) });
    }
    return { source: place.source.name, blocks, last, fault };
  }

  async #readSome(place: Place, range: FilteredRange, signal: AbortSignal | undefined) {
    const { accounts, fromBlock } = range;
    const asked = new Set(accounts);
    const { source } = place;
    const start = this.#heldBefore(source, fromBlock);
    const learned = new Map<string, readonly string[]>();
    const isAsked = (key: string) => asked.has(key);
    const query = { ...range, accounts: asked };
    const read = async () => {
      for (const account of accounts) {
        const vaults = learned.get(account) ?? this.#vaults.get(account) ?? [];
        if (asked.size + vaults.length > FILTERED_ACCOUNTS_MAX) break;
        for (const vault of vaults) asked.add(vault);
      }
      const held = new Map([...start].filter(([key]) => isAsked(key.split(' ')[0] ?? '')));
      return { ...(await this.#pullSome(place, query, { held, isAsked, signal })), held };
    };
    let reading: Awaited<ReturnType<typeof read>> | null = await read();
    for (const account of accounts) {
      const vaults = this.#vaults.has(account) ? null : findVaults(account, reading.blocks);
      if (vaults !== null) learned.set(account, vaults);
    }
    if (learned.size > 0) {
      // With the vaults that it names it is read again, so that their balances go on from its
      // start. Only one of the two is held in memory.
      reading = null;
      reading = await read();
    }
    const { blocks: pulled, blockCount, last, toBlock, fault, held } = reading;
    if (last !== null) await this.#assertLast(place, [last], signal);
    await this.#compareSome(place, pulled, { ...query, toBlock }, signal);
    // An archive that lied leaves nothing behind.
    for (const [account, vaults] of learned) this.#vaults.set(account, vaults);
    this.#filtered = { source, from: fromBlock, start, next: toBlock + 1, end: held };
    const blocks = [];
    for (const block of pulled) {
      // Vaults are asked for their balances alone.
      const wanted = block.transactions.filter(({ raw }) => names(raw, accounts));
      if (wanted.length === 0) continue;
      const header = await this.#addTime(block.header, signal);
      const transactions = await this.#addLogs(place, { ...block, transactions: wanted }, signal);
      blocks.push({ header, transactions });
    }
    return { source: source.name, blocks, toBlock, blockCount, fault };
  }

  /** What it left the vaults with before a slot, where its last reading ended, or began. */
  #heldBefore(source: SolanaPortal, fromBlock: number): Held {
    const known = this.#filtered?.source === source ? this.#filtered : null;
    if (known?.next === fromBlock) return known.end;
    return known?.from === fromBlock ? known.start : new Map();
  }

  /** A stream may end anywhere: it is asked again from the next slot on. */
  async #pullSome(
    { source }: Place,
    { fromBlock, accounts, ...range }: FilteredRange,
    {
      held,
      isAsked,
      signal,
    }: {
      readonly held: Map<string, string>;
      readonly isAsked: (key: string) => boolean;
      readonly signal: AbortSignal | undefined;
    },
  ) {
    const toBlock = Math.min(range.toBlock, fromBlock + FILTERED_SLOTS_MAX - 1);
    const transactionCountMax = Math.min(FILTERED_TRANSACTIONS_MAX, range.transactionCountMax);
    const { clock } = this.#options;
    const endAtMs = clock.monotonicMs() + FILTERED_MS;
    const isLate = () => next > fromBlock && clock.monotonicMs() >= endAtMs;
    const abort = new AbortController();
    const both = AbortSignal.any([abort.signal, ...(signal ? [signal] : [])]);
    const blocks: PortalBlock[] = [];
    let last: PortalBlock | null = null;
    let next = fromBlock;
    let [count, blockCount] = [0, 0];
    let fault: ArchiveError | null = null;
    try {
      while (next <= toBlock && count < transactionCountMax && !isLate()) {
        const begun = next;
        for await (const block of source.readFiltered(
          { fromBlock: next, toBlock },
          accounts,
          both,
        )) {
          const { position } = block.header;
          const lie = (problem: string) =>
            new ArchiveError('wrong', `${source.name}, slot ${position}: ${problem}`);
          if (position < next || position > toBlock) throw lie('it was not asked for');
          const transactions = block.transactions.filter(({ raw }) => names(raw, accounts));
          for (const { raw } of transactions) {
            const problem = judgeBalances(raw, held, isAsked);
            if (problem !== null) throw lie(problem);
          }
          next = position + 1;
          count += transactions.length;
          blockCount += 1;
          last = block;
          if (transactions.length > 0) blocks.push({ ...block, transactions });
          if (count >= transactionCountMax || isLate()) break;
        }
        if (next > begun || next > toBlock) continue;
        if (!(await this.#isSkipped({ fromBlock: next, toBlock }, signal))) {
          throw new ArchiveError('dry', `${source.name} sent no blocks`);
        }
        next = toBlock + 1;
      }
    } catch (error) {
      // What came before a broken connection is as good as any; of a lie nothing is.
      const isKept = error instanceof ArchiveError && error.kind !== 'wrong' && next > fromBlock;
      signal?.throwIfAborted();
      if (!isKept) throw error;
      fault = error;
    } finally {
      abort.abort();
    }
    return { blocks, blockCount, last, toBlock: next - 1, fault };
  }

  /** Of slots that have no block, a Portal sends nothing at all. */
  async #isSkipped(range: ArchiveRange, signal: AbortSignal | undefined): Promise<boolean> {
    const { fromBlock: fromSlot, toBlock: toSlot } = range;
    if (toSlot - fromSlot >= SKIPPED_MAX) return false;
    const listed = await this.#options.client.at(
      (endpoint) => listSlots(endpoint, { fromSlot, toSlot, commitment: FINALIZED }, signal),
      { signal },
    );
    return listed.length === 0;
  }

  /** With the node: transactions, and by its lists whether any was left out. */
  async #compareSome(
    place: Place,
    blocks: readonly PortalBlock[],
    { accounts, pools: own, fromBlock, toBlock }: Omit<FilteredRange, 'transactionCountMax'>,
    signal: AbortSignal | undefined,
  ): Promise<void> {
    const { samplePct, random } = this.#options;
    const all = listSamples(blocks);
    const pools = new Set([...accounts, ...own]);
    const share = Math.floor((all.length * samplePct) / 100 + random());
    const count = Math.max(FILTERED_SAMPLES_MIN, share);
    await this.#assertDrawn(place, all, { count, pools, signal });
    const sent = new Map(all.map((one) => [signatureOf(one.raw), one]));
    const end = await this.#findEnd(toBlock, signal);
    const drawn = pick([...accounts], random);
    let isWhole = true;
    for (const account of samplePct >= 100 || drawn === undefined ? accounts : [drawn]) {
      const listing = { account, sent, pools, fromBlock, toBlock };
      const found = all.filter(({ raw }) => isFindable(raw, account));
      if (!(await this.#assertListed(place, { ...listing, own: found }, end, signal))) {
        isWhole = false;
      }
    }
    if (isWhole) return;
    const { name } = place.source;
    this.#unlisted.set(name, (this.#unlisted.get(name) ?? 0) + 1);
  }

  /**
   * A list that ends here may begin at any signature of the ledger, whatever that names (agave,
   * `get_confirmed_signatures_for_address2`): the node's own, not one that the archive chose.
   */
  async #findEnd(toBlock: number, signal: AbortSignal | undefined): Promise<ListStart> {
    const range = { fromSlot: toBlock + 1, toSlot: toBlock + SKIPPED_MAX, commitment: FINALIZED };
    return await this.#options.client.at(
      async (endpoint) => {
        const listed = await listSlots(endpoint, range, signal);
        for (const slot of listed.slice(0, ENDS_MAX)) {
          const query = { slot, detail: SIGNATURES, commitment: FINALIZED };
          const block = await readExistingBlock(endpoint, query, signal);
          const [before] = block?.content ?? [];
          if (before !== undefined) return { before, slot };
        }
        return { before: null, slot: toBlock + 1 };
      },
      { signal },
    );
  }

  /**
   * One account's list, from the reading's end. Some nodes, such as Old Faithful, begin only at the
   * account's own signatures, or at the newest one: then it may begin at one that was sent, so that
   * what is after it is not compared. False if anything was not, unless it is not to be.
   */
  async #assertListed(
    place: Place,
    listing: Listing,
    end: ListStart,
    signal: AbortSignal | undefined,
  ): Promise<boolean> {
    const { samplePct, random } = this.#options;
    const { own, toBlock } = listing;
    const newest = { before: null, slot: toBlock + 1 };
    const reached =
      (await this.#assertBelow(place, listing, end, signal)) ??
      (end.before === null ? null : await this.#assertBelow(place, listing, newest, signal));
    if (reached === 'all') return true;
    // What is far from the end is drawn, too.
    const from = samplePct >= 100 ? own.at(-1) : pick(own, random);
    if (from !== undefined && (reached === null || samplePct < 100)) {
      const start = { before: signatureOf(from.raw), slot: from.slot };
      await this.#assertBelow(place, listing, start, signal);
    }
    return reached !== null && samplePct < 100;
  }

  /**
   * All of the range that the node lists from there down, or a page of it; null if its list is
   * shorter than that, or empty, which may be because it does not know where to begin.
   */
  async #assertBelow(
    place: Place,
    { account, own, sent, pools, fromBlock, toBlock }: Listing,
    start: ListStart,
    signal: AbortSignal | undefined,
  ): Promise<'all' | 'part' | null> {
    const listed = new Set<string>();
    const { samplePct } = this.#options;
    let before = start.before;
    let low = Number.POSITIVE_INFINITY;
    let isLast = false;
    while (!isLast) {
      const page = await this.#listBefore(account, before, signal);
      const last = page.at(-1);
      if (last === undefined) {
        if (before === start.before) return null;
        break;
      }
      ({ signature: before, slot: low } = last);
      const asked = page.filter(
        ({ slot, err }) => slot >= fromBlock && slot <= toBlock && err == null,
      );
      for (const { signature } of asked) listed.add(signature);
      const hidden = asked.filter(({ signature, slot }) => sent.get(signature)?.slot !== slot);
      await this.#assertHidden(place, account, hidden, signal);
      isLast = page.length < SIGNATURES_MAX || low < fromBlock;
      // Newer ones than the range's are no answer.
      if (!isLast && low > toBlock && start.before === null) return null;
      if (samplePct < 100) break;
    }
    // One slot may be on both sides of where a list begins and ends. A node's list may have gaps:
    // it is a lie if the transaction is not there, either.
    const unlisted = own.filter(
      ({ slot, raw }) => slot > low && slot < start.slot && !listed.has(signatureOf(raw)),
    );
    await this.#assertDrawn(place, unlisted, { count: BATCH_MAX, pools, signal });
    if (!isLast) return 'part';
    // A node may not go back so far: what is older than its list is not compared.
    return own.some(({ slot }) => slot < low) ? null : 'all';
  }

  /** Newest first. */
  async #listBefore(account: string, before: string | null, signal: AbortSignal | undefined) {
    const at = before === null ? {} : { before };
    const config = { ...FINALIZED, limit: SIGNATURES_MAX, ...at };
    const call = { method: 'getSignaturesForAddress', params: [account, config] };
    return await this.#options.client.at(
      async (endpoint) => {
        const reply = await endpoint.request(call, signal);
        if (Array.isArray(reply) && reply.every(isSignatureRow)) return reply;
        return refuseReply(endpoint, `signatures of ${account} are malformed`);
      },
      { signal },
    );
  }

  /** Transactions that the archive did not send must be some that its filter does not find. */
  async #assertHidden(
    { source }: Place,
    account: string,
    asked: readonly PlacedSignature[],
    signal: AbortSignal | undefined,
  ): Promise<void> {
    const { samplePct, random } = this.#options;
    const rest = [...asked];
    for (let left = samplePct < 100 ? BATCH_MAX : rest.length; left > 0; left -= BATCH_MAX) {
      const some = draw(rest, Math.min(left, BATCH_MAX), random);
      const known = await this.#readTransactions(some, signal);
      const at = known.findIndex((raw) => raw != null && isFindable(raw, account));
      const found = some[at];
      if (found === undefined) continue;
      const problem = `it left out ${found.signature}`;
      throw new ArchiveError('wrong', `${source.name}, slot ${found.slot}: ${problem}`);
    }
  }

  /** The node must have the last block, to which all the others link. */
  async #assertLast(
    place: Place,
    pulled: readonly PortalBlock[],
    signal: AbortSignal | undefined,
  ): Promise<BlockHeader> {
    const { name } = place.source;
    const { position, hash, parentHash } = pulled.at(-1)?.header ?? {};
    if (position === undefined) throw new Error('a reading without blocks');
    const header = await this.#options.readHeader(position, signal);
    if (header === null) {
      throw new ArchiveError('refused', `no endpoint has slot ${position} to compare ${name} with`);
    }
    if (header.position !== position || header.hash !== hash || header.parentHash !== parentHash) {
      throw new ArchiveError('wrong', `${name}, slot ${position}: the node has another block`);
    }
    return header;
  }

  /** No hash binds the links in between: a block may be left out with them. A node lists slots. */
  async #assertAll(
    place: Place,
    pulled: readonly PortalBlock[],
    { fromBlock: fromSlot, toBlock: toSlot }: ArchiveRange,
    signal: AbortSignal | undefined,
  ): Promise<void> {
    const listed = await this.#options.client.at(
      (endpoint) => listSlots(endpoint, { fromSlot, toSlot, commitment: FINALIZED }, signal),
      { signal },
    );
    const sent = new Set(pulled.map(({ header }) => header.position));
    const missing = listed.find((slot) => !sent.has(slot));
    if (missing === undefined) return;
    throw new ArchiveError('wrong', `${place.source.name}: the node has a block at ${missing}`);
  }

  async #addTime(
    header: PortalBlock['header'],
    signal: AbortSignal | undefined,
  ): Promise<BlockHeader> {
    const { timestampMs, position } = header;
    if (timestampMs !== null) return { ...header, timestampMs };
    const known = await this.#options.readHeader(position, signal);
    if (known !== null) return known;
    throw new ArchiveError('refused', `no endpoint has the time of slot ${position}`);
  }

  /** Of those that name tokens, because the others are no rows. */
  async #compareSamples(
    place: Place,
    pulled: readonly PortalBlock[],
    signal: AbortSignal | undefined,
  ): Promise<void> {
    const { samplePct, random } = this.#options;
    const moved = listSamples(pulled).filter(({ raw }) => namesTokens(raw));
    const count = Math.max(1, Math.floor((pulled.length * samplePct) / 100 + random()));
    await this.#assertDrawn(place, moved, { count, pools: null, signal });
  }

  /** So many of them, chosen at random, are the same in the node. */
  async #assertDrawn(
    place: Place,
    samples: readonly Sample[],
    {
      count,
      pools,
      signal,
    }: {
      readonly count: number;
      readonly pools: ReadonlySet<string> | null;
      readonly signal: AbortSignal | undefined;
    },
  ): Promise<void> {
    const { random } = this.#options;
    const rest = [...samples];
    for (let left = Math.min(count, rest.length); left > 0; left -= BATCH_MAX) {
      const drawn = draw(rest, Math.min(left, BATCH_MAX), random);
      const known = await this.#readTransactions(drawn, signal);
      for (const [at, sample] of drawn.entries()) {
        const own = known[at];
        if (own == null) {
          await this.#assertMayHave(place, sample, signal);
          continue;
        }
        const { raw, hasLog, timestampMs } = sample;
        const isSame =
          describeRows(own, { hasLog, pools }) === describeRows(raw, { hasLog, pools }) &&
          (own.blockTime == null || timestampMs === null || own.blockTime * 1000 === timestampMs);
        if (!isSame) throw lieOf(place, sample);
      }
    }
  }

  /** A node may keep no old transactions, or blocks: then it contradicts nothing. */
  async #assertMayHave(
    place: Place,
    { raw, slot }: Pick<Sample, 'raw' | 'slot'>,
    signal: AbortSignal | undefined,
  ): Promise<void> {
    const query = { slot, detail: SIGNATURES, commitment: FINALIZED };
    const block = await this.#options.client.at(
      (endpoint) => readExistingBlock(endpoint, query, signal),
      { signal },
    );
    const isThere = block?.content.includes(signatureOf(raw)) ?? true;
    if (!isThere) throw lieOf(place, { raw, slot });
  }

  /** Events may be in a log that the archive does not have: the node is asked for it. */
  async #addLogs(
    place: Place,
    { header, transactions }: PortalBlock,
    signal: AbortSignal | undefined,
  ): Promise<SolanaBlockTransaction[]> {
    for (const { raw } of transactions) this.#options.versions.noteUnknown(raw);
    const lost = transactions.filter(({ raw, hasLostLog }) => hasLostLog && callsVenue(raw));
    const whole = new Map<number, RawTransaction>();
    for (let from = 0; from < lost.length; from += BATCH_MAX) {
      const some = lost.slice(from, from + BATCH_MAX);
      const asked = some.map(({ raw }) => ({
        ...{ signature: signatureOf(raw), slot: header.position },
      }));
      const known = await this.#readTransactions(asked, signal);
      for (const [at, { index, raw }] of some.entries()) {
        const found = known[at];
        if (found != null) {
          whole.set(index, found);
          continue;
        }
        await this.#assertMayHave(place, { raw, slot: header.position }, signal);
        const { name } = place.source;
        this.#lostLogs.set(name, (this.#lostLogs.get(name) ?? 0) + 1);
      }
    }
    return transactions.map(({ index, raw }) => ({ index, raw: whole.get(index) ?? raw }));
  }

  /** As a node has them; null for what it does not have. */
  async #readTransactions(
    asked: readonly PlacedSignature[],
    signal: AbortSignal | undefined,
  ): Promise<((RawTransaction & { readonly blockTime?: number | null }) | null)[]> {
    const { client, versions } = this.#options;
    const replies = await client.at(
      (endpoint) =>
        versions.ask(async (maxSupportedTransactionVersion) => {
          const config = { encoding: 'json', maxSupportedTransactionVersion, ...FINALIZED };
          const calls = asked.map(({ signature }) => ({
            method: 'getTransaction',
            params: [signature, config],
          }));
          const outcomes = await endpoint.batch(calls, { signal });
          return outcomes.map((outcome) => endpoint.unwrap(outcome));
        }),
      { signal },
    );
    return asked.map(({ signature, slot }, at) => {
      const reply = replies[at];
      const isSame =
        isTransaction(reply) &&
        signatureOf(reply) === signature &&
        (reply as { readonly slot?: unknown }).slot === slot;
      return isSame ? reply : null;
    });
  }
}

function lieOf({ source }: Place, { raw, slot }: Pick<Sample, 'raw' | 'slot'>): ArchiveError {
  const problem = `the node has otherwise ${signatureOf(raw)}`;
  return new ArchiveError('wrong', `${source.name}, slot ${slot}: ${problem}`);
}

/** Throws an `ArchiveError` of a block that does not go on from the one before. */
function assertFits(
  { header, transactions }: PortalBlock,
  {
    next,
    toBlock,
    passed,
  }: {
    readonly next: number;
    readonly toBlock: number;
    readonly passed: Passed;
  },
  { source }: Place,
): void {
  const lie = (problem: string) =>
    new ArchiveError('wrong', `${source.name}, slot ${header.position}: ${problem}`);
  const { last, held } = passed;
  if (header.position < next || header.position > toBlock) throw lie('it was not asked for');
  const isLinked =
    last === null
      ? header.parentPosition < next
      : header.parentPosition === last.position && header.parentHash === last.hash;
  if (!isLinked) throw lie('it does not follow the block before');
  for (const { raw } of transactions) {
    const problem = judgeBalances(raw, held);
    if (problem !== null) throw lie(problem);
  }
  if (held.size > HELD_MAX) held.clear();
  passed.last = header;
}

/** With `isFollowed`, only these accounts are compared with the transaction before. */
function judgeBalances(
  raw: RawTransaction,
  held: Map<string, string>,
  isFollowed: (account: string) => boolean = () => true,
): string | null {
  try {
    return findImbalance(raw) ?? findBreak(raw, held, isFollowed);
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    return `${raw.transaction.signatures[0]}: its calls cannot be read: ${error.message}`;
  }
}

/** Whether a token account begins with another balance than it was left with. */
function findBreak(
  raw: RawTransaction,
  held: Map<string, string>,
  isFollowed: (account: string) => boolean,
): string | null {
  const { meta } = raw;
  const keys = listAccountKeys(raw);
  for (const { accountIndex, mint, uiTokenAmount } of meta?.preTokenBalances ?? []) {
    const known = held.get(`${keys[accountIndex]} ${mint}`);
    if (known === undefined || known === uiTokenAmount.amount) continue;
    return `${raw.transaction.signatures[0]}: a balance does not go on from the one before`;
  }
  for (const { accountIndex, mint } of meta?.preTokenBalances ?? []) {
    held.delete(`${keys[accountIndex]} ${mint}`);
  }
  for (const { accountIndex, mint, uiTokenAmount } of meta?.postTokenBalances ?? []) {
    if (!isFollowed(keys[accountIndex] ?? '')) continue;
    held.set(`${keys[accountIndex]} ${mint}`, uiTokenAmount.amount);
  }
  return null;
}
