// Reads ranges of slots as events. Every part comes from one endpoint and moves to another one if
// that fails; whole blocks for all pools, or the transactions of some tokens and pools.

import { BoundedMap } from '../../../lib/bounded-map.ts';
import type { Clock } from '../../../lib/clock.ts';
import type { BlockEvents } from '../../../model/block-events.ts';
import type { BlockHeader } from '../../../model/block-header.ts';
import type { Address, PoolId } from '../../../model/ids.ts';
import type { BlockFilter, BlockRange, BlockRangeReading } from '../../adapter.ts';
import type { RpcClient } from '../../rpc/rpc-client.ts';
import type { RpcEndpoint } from '../../rpc/rpc-endpoint.ts';
import { RpcError } from '../../rpc/rpc-error.ts';
import type { SolanaPoolDirectory } from '../pools/solana-pool-directory.ts';
import type { SolanaBlockTransaction } from '../rpc/parse-solana-block.ts';
import { addTime, describeWhole, readSlotBlock, SIGNATURES } from '../rpc/slot-blocks.ts';
import { CONFIRMED, type Commitment, FINALIZED, refuseReply } from '../rpc/solana-node.ts';
import type { TransactionVersions } from '../rpc/transaction-versions.ts';
import type { MintNames } from '../tokens/mint-names.ts';
import { isNamedByVaults } from '../venues/by-transfers/transfer-venue.ts';
import { type BalanceCheck, checkTradeBalances } from './check-balances.ts';
import { readSlotRange } from './read-slot-range.ts';
import { readWatchedBlocks, type SeenSignatures } from './read-watched-blocks.ts';
import type { SolanaArchives } from './solana-archives.ts';
import {
  buildTransactionEvents,
  type DecodedTransaction,
  decodeTransaction,
  listNamedPools,
} from './solana-events.ts';
import type { UndecodedCalls } from './undecoded-calls.ts';

interface SolanaBlockReaderOptions {
  readonly client: RpcClient;
  readonly clock: Pick<Clock, 'monotonicMs'>;
  readonly directory: SolanaPoolDirectory;
  readonly undecoded: UndecodedCalls;
  readonly versions: TransactionVersions;
  readonly names: Pick<MintNames, 'note'>;
  /** Assets that price others. */
  readonly quotes: ReadonlySet<Address>;
  /** In place of nodes for whole blocks that are final; null without any. */
  readonly archives?: SolanaArchives | null;
}

/** Whole blocks of one part: they are in memory together, at several megabytes each. */
const BLOCKS_PER_PART = 8;
/** Rounds in which an archive is asked again with the pools that the one before has found. */
const FILTERED_ROUNDS_MAX = 3;
/** After so long a range ends early: what was read is stored, however slow the endpoints are. */
const READ_MS = 10_000;
/** Slots of one part in which only some transactions are read. */
const WATCHED_SLOTS_PER_PART = 5000;
/** Accounts whose newest transaction is remembered; others are listed from the head. */
const WATCHED_ACCOUNTS_MAX = 20_000;

interface RawBlock {
  readonly header: BlockHeader;
  readonly transactions: readonly SolanaBlockTransaction[];
}

/** What was read of a range, before it is decoded. */
interface RawPart {
  /** Those with transactions of interest, at least. */
  readonly blocks: readonly RawBlock[];
  /** All of the part, linked by hash; empty if they were not asked for. */
  readonly headers: readonly BlockHeader[];
  readonly toSlot: number;
  readonly blockCount: number;
}

interface Part extends Pick<BlockRange, 'linked' | 'only' | 'audited'> {
  readonly fromSlot: number;
  readonly toSlot: number;
  readonly blockCountMax: number;
  readonly signal?: AbortSignal | undefined;
}

function commitmentOf({ audited }: Pick<Part, 'audited'>): Commitment {
  return audited === 'final' ? FINALIZED : CONFIRMED;
}

function checkBalances({ blocks }: Pick<RawPart, 'blocks'>): BalanceCheck[] {
  return blocks.flatMap(({ transactions }) =>
    transactions.map(({ raw }) => checkTradeBalances(raw)),
  );
}

function summarize(checks: readonly BalanceCheck[]) {
  return {
    compared: checks.reduce((sum, { compared }) => sum + compared, 0),
    contradictions: checks.flatMap(({ contradictions }) => contradictions),
  };
}

type ReaderParts = Pick<SolanaBlockReaderOptions, 'client' | 'versions'>;

/**
 * A block without any transaction is rare where there are votes, and some nodes lose what is in a
 * block: it is believed if no node has the signature of one.
 */
async function assertEmpty(
  endpoint: RpcEndpoint,
  { position: slot, hash }: BlockHeader,
  { client, signal }: Pick<ReaderParts, 'client'> & Pick<Part, 'signal'>,
): Promise<void> {
  const answers = await client.atEach(
    (each) => readSlotBlock(each, { slot, detail: SIGNATURES }, signal),
    signal,
  );
  const isOther = answers.some(
    ({ value }) => value !== null && value.header.hash === hash && value.content.length > 0,
  );
  if (isOther) refuseReply(endpoint, `block ${slot}: its transactions are missing`);
}

async function readWholeBlocks(
  endpoint: RpcEndpoint,
  part: Part,
  { client, versions }: ReaderParts,
): Promise<RawPart> {
  const { signal } = part;
  const blockCountMax = Math.min(part.blockCountMax, BLOCKS_PER_PART);
  const commitment = commitmentOf(part);
  const range = { ...part, blockCountMax, commitment, detail: describeWhole(versions) };
  const { blocks, toSlot } = await readSlotRange(endpoint, range, signal);
  // All at once: one after the other they would take a trip each.
  const timed = await Promise.all(
    blocks.map(async ({ header, content: { transactions, isEmpty } }): Promise<RawBlock> => {
      const block = { header: await addTime(endpoint, header, signal), transactions };
      if (isEmpty) await assertEmpty(endpoint, block.header, { client, signal });
      return block;
    }),
  );
  const headers = timed.map(({ header }) => header);
  return { blocks: timed, headers, toSlot, blockCount: blocks.length };
}

export class SolanaBlockReader {
  readonly #options: SolanaBlockReaderOptions;
  readonly #seen: SeenSignatures = new BoundedMap(WATCHED_ACCOUNTS_MAX);

  constructor(options: SolanaBlockReaderOptions) {
    this.#options = options;
  }

  async read(range: BlockRange, signal?: AbortSignal): Promise<BlockRangeReading> {
    return (await this.#readArchives(range, signal)) ?? (await this.#readNodes(range, signal));
  }

  /** Null if no archive has the next slots now, or the range is not one for archives. */
  async #readArchives(range: BlockRange, signal?: AbortSignal): Promise<BlockRangeReading | null> {
    const { archives = null, client } = this.#options;
    const { linked, only, audited, fromBlock, toBlock } = range;
    if (archives === null || linked || audited === 'newest') return null;
    if (only !== undefined) return await this.#readFiltered(archives, { ...range, only }, signal);
    const { blockCountMax = Number.POSITIVE_INFINITY } = range;
    const transactionCountMax = range.eventCountMax ?? Number.POSITIVE_INFINITY;
    const limits = { blockCountMax, transactionCountMax };
    const read = await archives.read({ fromBlock, toBlock, ...limits }, signal);
    if (read === null) return null;
    const { blocks: raws, last, source } = read;
    const raw = { blocks: raws, headers: [], toSlot: last.position, blockCount: raws.length };
    const context = { only: undefined, described: new Set<PoolId>(), signal };
    const decoded = await client.at((endpoint) => this.#decode(endpoint, raw, context), { signal });
    return {
      blocks: decoded.filter(({ events }) => events.length > 0),
      ...{ headers: [], toBlock: last.position, blockCount: raws.length, notices: [] },
      ...{ last, archive: { source, isProved: false } },
      ...(audited === undefined ? {} : { audit: summarize(checkBalances(raw)) }),
    };
  }

  /** A pool that comes in with a token has to be asked for, too. */
  async #readFiltered(
    archives: SolanaArchives,
    {
      only,
      fromBlock,
      toBlock,
      eventCountMax,
      audited,
    }: BlockRange & { readonly only: BlockFilter },
    signal: AbortSignal | undefined,
  ): Promise<BlockRangeReading | null> {
    const { client } = this.#options;
    const transactionCountMax = eventCountMax ?? Number.POSITIVE_INFINITY;
    const pools = new Set(only.pools);
    for (let round = 0; round < FILTERED_ROUNDS_MAX; round += 1) {
      const accounts = new Set(await this.#listWatched({ ...only, pools }));
      const asked = { fromBlock, toBlock, accounts, pools, transactionCountMax };
      const read = await archives.readFiltered(asked, signal);
      if (read === null) return null;
      const raw = { ...read, headers: [], toSlot: read.toBlock };
      const context = { only, described: new Set<PoolId>(), signal };
      const decoded = await client.at((endpoint) => this.#decode(endpoint, raw, context), {
        signal,
      });
      const known = pools.size;
      for (const pool of context.described) pools.add(pool);
      if (pools.size > known) continue;
      return {
        blocks: decoded.filter(({ events }) => events.length > 0),
        ...{ headers: [], toBlock: read.toBlock, blockCount: read.blockCount },
        ...{ notices: [], archive: { source: read.source, isProved: false } },
        ...(audited === undefined ? {} : { audit: summarize(checkBalances(raw)) }),
      };
    }
    return null;
  }

  async #readNodes(range: BlockRange, signal?: AbortSignal): Promise<BlockRangeReading> {
    const { linked, only, audited, toBlock } = range;
    const { eventCountMax = Number.POSITIVE_INFINITY } = range;
    const { blockCountMax = Number.POSITIVE_INFINITY } = range;
    const blocks: BlockEvents[] = [];
    const headers: BlockHeader[] = [];
    const described = new Set<PoolId>();
    const checks: BalanceCheck[] = [];
    let fromSlot = range.fromBlock;
    let [eventCount, blockCount] = [0, 0];
    const { clock } = this.#options;
    const endAtMs = clock.monotonicMs() + READ_MS;
    while (fromSlot <= toBlock && eventCount < eventCountMax && blockCount < blockCountMax) {
      if (blockCount > 0 && clock.monotonicMs() >= endAtMs) break;
      const left = blockCountMax - blockCount;
      const wanted = {
        fromSlot,
        toSlot: toBlock,
        linked,
        only,
        audited,
        blockCountMax: left,
        signal,
      };
      const part = await this.#readPart(wanted, described);
      const [first] = part.headers;
      const last = headers.at(-1);
      if (first !== undefined && last !== undefined && first.parentHash !== last.hash) {
        // Two replies from different branches: neither is wrong, so only this read fails.
        throw new RpcError('unavailable', `block ${first.position} is from another branch`);
      }
      for (const block of part.events) {
        eventCount += block.events.length;
        if (block.events.length > 0) blocks.push(block);
      }
      headers.push(...part.headers);
      if (audited !== undefined) checks.push(...checkBalances(part));
      blockCount += part.blockCount;
      fromSlot = part.toSlot + 1;
    }
    const kept = linked ? headers : [];
    const reading = { blocks, headers: kept, toBlock: fromSlot - 1, blockCount, notices: [] };
    return audited === undefined ? reading : { ...reading, audit: summarize(checks) };
  }

  async #readPart(
    part: Part,
    described: Set<PoolId>,
  ): Promise<RawPart & { readonly events: readonly BlockEvents[] }> {
    const { only, signal } = part;
    const isWatched = only !== undefined;
    const end = isWatched ? part.fromSlot + WATCHED_SLOTS_PER_PART - 1 : part.toSlot;
    const toSlot = Math.min(part.toSlot, end);
    // A node that has not reached the range would have no signatures of it, and not say so.
    const at = { signal, ...(isWatched ? { minBlock: toSlot } : {}) };
    const { client, versions } = this.#options;
    const accounts = isWatched ? await this.#listWatched(only) : [];
    const watched = { toSlot, versions, commitment: commitmentOf(part), accounts };
    return await client.at(async (endpoint) => {
      const raw = isWatched
        ? await readWatchedBlocks(endpoint, { ...part, ...watched, seen: this.#seen })
        : await readWholeBlocks(endpoint, part, this.#options);
      return { ...raw, events: await this.#decode(endpoint, raw, { only, described, signal }) };
    }, at);
  }

  /** A pool without an account of its own is found by its maker, who signs what it pays. */
  async #listWatched({ pools, tokens }: BlockFilter): Promise<string[]> {
    const { directory } = this.#options;
    await directory.load(pools);
    const named = [...pools].map((pool) => {
      const known = directory.get(pool);
      return known !== undefined && isNamedByVaults(known.venue) ? known.vault : pool;
    });
    return [...new Set([...named, ...tokens])];
  }

  async #decode(
    endpoint: RpcEndpoint,
    raw: RawPart,
    context: {
      readonly only: BlockFilter | undefined;
      readonly described: Set<PoolId>;
      readonly signal: AbortSignal | undefined;
    },
  ): Promise<BlockEvents[]> {
    const { directory, undecoded, quotes, names } = this.#options;
    const { signal, only = null } = context;
    for (const { header, transactions } of raw.blocks) {
      for (const transaction of transactions) names.note(transaction.raw, header.position);
    }
    const decoded = raw.blocks.map(({ header, transactions }) => ({
      header,
      transactions: transactions
        .map((transaction) => decodeTransaction(transaction, { node: endpoint, undecoded }))
        .filter((one) => one !== null),
    }));
    await this.#lookUp(endpoint, decoded, signal);
    // Kept apart, so that nothing counts as described if this endpoint fails.
    const described = new Set(context.described);
    const events = decoded.map(({ header, transactions }) => ({
      header,
      events: transactions.flatMap((transaction) =>
        buildTransactionEvents(transaction, {
          ...{ find: (pool) => directory.get(pool), only, quotes, described, undecoded },
          nowSeconds: Math.floor(header.timestampMs / 1000),
        }),
      ),
    }));
    for (const pool of described) context.described.add(pool);
    return events;
  }

  async #lookUp(
    endpoint: RpcEndpoint,
    blocks: readonly {
      readonly header: BlockHeader;
      readonly transactions: readonly DecodedTransaction[];
    }[],
    signal: AbortSignal | undefined,
  ): Promise<void> {
    const { directory, client } = this.#options;
    const last = blocks.at(-1)?.header;
    if (last === undefined) return;
    const named = listNamedPools(blocks.flatMap(({ transactions }) => transactions));
    const unknown = new Map([...named].filter(([pool]) => directory.isUnknown(pool)));
    if (unknown.size === 0) return;
    const nowSeconds = Math.floor(last.timestampMs / 1000);
    const at = { minSlot: last.position, nowSeconds, signal };
    await directory.lookUp(endpoint, unknown, at);
    const isMissing = [...unknown.keys()].some((pool) => directory.isUnknown(pool));
    // One endpoint alone cannot hide a pool.
    if (isMissing && client.endpoints.length > 1) {
      await client.atEach((other) => directory.lookUp(other, unknown, at), signal);
    }
    directory.ignoreUnknown(unknown.keys());
  }
}
