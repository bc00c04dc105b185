// Reads blocks of the past from the Portals of `HISTORY_SOLANA`, in their order.
//
// No hash of Solana covers what a transaction did, so nothing is proved here. A reading is used if
// its blocks link to one that the operator's node has, every balance adds up and goes on from the
// one before, and the node tells the same of some transactions. What cannot be had from any archive
// now is the node's to give, from the same slot on.

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
import type { SolanaPortal } from '../archives/solana-portal.ts';
import { listAccountKeys, type RawTransaction } from '../data/raw-transaction.ts';
import { isTransaction, type SolanaBlockTransaction } from '../rpc/parse-solana-block.ts';
import { listSlots, readExistingBlock, SIGNATURES } from '../rpc/slot-blocks.ts';
import { FINALIZED } from '../rpc/solana-node.ts';
import type { TransactionVersions } from '../rpc/transaction-versions.ts';
import { VENUES_BY_PROGRAM } from '../venues/solana-venues.ts';
import { decodeTrades } from './decode-trades.ts';
import { readHolderChanges } from './holder-changes.ts';

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

interface PlacedTransaction {
  readonly raw: RawTransaction;
  readonly slot: number;
}

/** One reading is held in memory until it is compared. */
const BLOCKS_MAX = 50;
const TRANSACTIONS_MAX = 20_000;
/** Accounts whose balance is remembered from block to block; older ones are not compared. */
const HELD_MAX = 200_000;
/** Transactions whose lost log is read from a node at once. */
const BATCH_MAX = 20;

/** What the index stores of a transaction; null if it cannot be decoded. */
function describeRows(raw: RawTransaction, hasLog: boolean): string | null {
  try {
    const [wallet] = raw.transaction.message.accountKeys;
    const { trades, poolCalls } = hasLog ? decodeTrades(raw) : { trades: [], poolCalls: [] };
    const rows = {
      ...{ wallet, poolCalls, changes: readHolderChanges(raw) },
      trades: trades.map(({ fold: _, ...trade }) => trade),
    };
    return JSON.stringify(rows, (_, value) => (typeof value === 'bigint' ? `${value}n` : value));
  } catch (error) {
    if (error instanceof RangeError) return null;
    throw error;
  }
}

function namesTokens({ meta }: RawTransaction): boolean {
  return (meta?.preTokenBalances ?? []).length + (meta?.postTokenBalances ?? []).length > 0;
}

function callsVenue(raw: RawTransaction): boolean {
  return listAccountKeys(raw).some((key) => VENUES_BY_PROGRAM.has(key));
}

export class SolanaArchives {
  readonly #options: SolanaArchivesOptions;
  readonly #sources: ArchiveSources<SolanaPortal, PortalBlock, Passed>;
  /** By archive: transactions whose log neither it nor the node has. */
  readonly #lostLogs = new Map<string, number>();

  constructor(options: SolanaArchivesOptions) {
    this.#options = options;
    this.#sources = new ArchiveSources(options.sources, options);
  }

  /** The first part of a range of final slots; null if no archive has any of it now. */
  async read(range: SlotRange, signal?: AbortSignal): Promise<ArchivedSlots | null> {
    return await this.#sources.ask((place) => this.#readFrom(place, range, signal), signal);
  }

  listLimitations(): string[] {
    const lost = [...this.#lostLogs].map(
      ([name, count]) => `archive ${name}: ${count} transactions had no log, nor had a node`,
    );
    return [...this.#sources.listLimitations(), ...lost];
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
    const moved = pulled.flatMap(({ header, transactions }) =>
      transactions
        .filter(({ raw }) => namesTokens(raw))
        .map(({ raw, hasLostLog }) => ({ raw, hasLog: !hasLostLog, slot: header.position })),
    );
    const count = Math.max(1, Math.floor((pulled.length * samplePct) / 100 + random()));
    for (let drawn = 0; drawn < count && moved.length > 0; drawn += 1) {
      const [sample] = moved.splice(Math.floor(random() * moved.length), 1);
      if (sample === undefined) break;
      const { raw, slot, hasLog } = sample;
      const [known] = await this.#readTransactions([{ raw, slot }], signal);
      if (known == null) await this.#assertMayHave(place, { raw, slot }, signal);
      else if (describeRows(known, hasLog) !== describeRows(raw, hasLog)) {
        throw lieOf(place, { raw, slot });
      }
    }
  }

  /** A node may keep no old transactions, or blocks: then it contradicts nothing. */
  async #assertMayHave(
    place: Place,
    { raw, slot }: PlacedTransaction,
    signal: AbortSignal | undefined,
  ): Promise<void> {
    const query = { slot, detail: SIGNATURES, commitment: FINALIZED };
    const block = await this.#options.client.at(
      (endpoint) => readExistingBlock(endpoint, query, signal),
      { signal },
    );
    const isThere = block?.content.includes(raw.transaction.signatures[0] ?? '') ?? true;
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
      const asked = some.map(({ raw }) => ({ raw, slot: header.position }));
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
    asked: readonly PlacedTransaction[],
    signal: AbortSignal | undefined,
  ): Promise<(RawTransaction | null)[]> {
    const { client, versions } = this.#options;
    const replies = await client.at(
      (endpoint) =>
        versions.ask(async (maxSupportedTransactionVersion) => {
          const config = { encoding: 'json', maxSupportedTransactionVersion, ...FINALIZED };
          const calls = asked.map(({ raw }) => ({
            method: 'getTransaction',
            params: [raw.transaction.signatures[0], config],
          }));
          const outcomes = await endpoint.batch(calls, { signal });
          return outcomes.map((outcome) => endpoint.unwrap(outcome));
        }),
      { signal },
    );
    return asked.map(({ raw, slot }, at) => {
      const reply = replies[at];
      const isSame =
        isTransaction(reply) &&
        reply.transaction.signatures[0] === raw.transaction.signatures[0] &&
        (reply as { readonly slot?: unknown }).slot === slot;
      return isSame ? reply : null;
    });
  }
}

function lieOf({ source }: Place, { raw, slot }: PlacedTransaction): ArchiveError {
  const problem = `the node has otherwise ${raw.transaction.signatures[0]}`;
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

function judgeBalances(raw: RawTransaction, held: Map<string, string>): string | null {
  try {
    return findImbalance(raw) ?? findBreak(raw, held);
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    return `${raw.transaction.signatures[0]}: its calls cannot be read: ${error.message}`;
  }
}

/** Whether a token account begins with another balance than it was left with. */
function findBreak(raw: RawTransaction, held: Map<string, string>): string | null {
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
    held.set(`${keys[accountIndex]} ${mint}`, uiTokenAmount.amount);
  }
  return null;
}
