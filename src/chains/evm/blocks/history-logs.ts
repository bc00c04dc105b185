// One range at one endpoint: the logs of chosen contracts, with what their trades need.

import type { Clock } from '../../../lib/clock.ts';
import type { MarketEvent, TransferEvent } from '../../../model/block-events.ts';
import type { BlockHeader } from '../../../model/block-header.ts';
import type { Address, PoolId, TransactionId } from '../../../model/ids.ts';
import type { PoolDescription } from '../../../model/pool.ts';
import type {
  HistoryBlock,
  HistoryLog,
  PoolEventsQuery,
  TransfersQuery,
} from '../../chain-history.ts';
import type { LogEndpoint } from '../../rpc/rpc-endpoint.ts';
import { RpcError } from '../../rpc/rpc-error.ts';
import type { DecodedEvent, EvmLog, LogFilter } from '../data/evm-log.ts';
import { addressWord, toQuantity } from '../data/hex-data.ts';
import { parseBlock } from '../data/parse-block.ts';
import { parseLogs } from '../data/parse-logs.ts';
import type { PoolDirectory } from '../pools/pool-directory.ts';
import { findUnbackedForks } from '../pools/unbacked-forks.ts';
import type { CallContracts } from '../rpc/multicall.ts';
import { TRANSFER_TOPICS } from '../tokens/decode-transfer.ts';
import type { LogDecoding } from '../venues/log-decoding.ts';
import type { UnbackedSwaps } from '../venues/unbacked-swaps.ts';
import { fitToKind } from './accept-events.ts';
import type { CountedCall } from './count-calls.ts';
import { dropUnbacked } from './decode-backed.ts';
import { FilterSizes } from './filter-sizes.ts';
import { mayBeTruncated } from './may-be-truncated.ts';
import { parseReceipts } from './parse-receipts.ts';

export interface HistoryLogsOptions {
  readonly clock: Pick<Clock, 'monotonicMs'>;
  readonly decoding: LogDecoding;
  readonly directory: PoolDirectory;
  /** By venue: the contract that emits the logs of all its pools, with their id. */
  readonly singletons: ReadonlyMap<string, Address>;
  /** Vaults whose swaps name both tokens in their topics, and which topic the first one is. */
  readonly tokenVaults: ReadonlyMap<Address, number>;
  /** Vaults whose swaps are found by the transfers of a pool's first token. */
  readonly transferVaults: ReadonlySet<Address>;
  createCallContracts(at: { minBlock: number; signal?: AbortSignal | undefined }): CallContracts;
}

interface ReadContext {
  readonly counted: CountedCall;
  readonly signal: AbortSignal | undefined;
}

type Range = Pick<TransfersQuery, 'fromBlock' | 'toBlock'>;

/** What the receipts of the trades' transactions add to the logs. */
interface Receipts {
  readonly senders: ReadonlyMap<TransactionId, Address>;
  readonly logs: readonly EvmLog[];
}

/** How many receipts one reading may take, unless a single block has more trades. */
const TRANSACTIONS_MAX = 300;

/** The block from which on the newest trades are few enough to be read at once. */
function findCut(trades: readonly EvmLog[]): number {
  const hashes = new Set<TransactionId>();
  let block = Number.POSITIVE_INFINITY;
  for (const log of trades.toReversed()) {
    hashes.add(log.txHash);
    if (hashes.size > TRANSACTIONS_MAX && log.block < block) return block;
    block = log.block;
  }
  return 0;
}

/** A sender stands in every swap; where none was read, no trade is made of it. */
function refuse(endpoint: LogEndpoint, reason: string): RpcError {
  const { name } = endpoint;
  return new RpcError('invalidReply', `${name}: ${reason}`, { endpoint: name });
}

/** The node is not at fault: it keeps only the last blocks. */
function tellPruned(endpoint: LogEndpoint, what: string): RpcError {
  const { name } = endpoint;
  return new RpcError('stateUnavailable', `${name}: has no ${what}`, { endpoint: name });
}

function compare(a: EvmLog, b: EvmLog): number {
  return a.block - b.block || a.logIndex - b.logIndex;
}

export class HistoryLogs {
  readonly #options: HistoryLogsOptions;
  readonly #venueTopics: readonly string[];
  readonly #transferTopics: readonly string[];
  readonly #sizes: FilterSizes;

  constructor(options: HistoryLogsOptions) {
    this.#options = options;
    this.#sizes = new FilterSizes(options.clock);
    const transfers = new Set<string>(TRANSFER_TOPICS);
    this.#transferTopics = options.decoding.topics.filter((topic) => transfers.has(topic));
    this.#venueTopics = options.decoding.topics.filter((topic) => !transfers.has(topic));
  }

  async readTransfers(endpoint: LogEndpoint, query: TransfersQuery, context: ReadContext) {
    const filter = { address: [query.token], topics: [this.#transferTopics] };
    const logs = await this.#readLogs(endpoint, { ...query, filter }, context);
    return logs.flatMap((log) =>
      this.#decode(log)
        .filter((event): event is TransferEvent => event.kind === 'transfer')
        .map((event) => ({ block: log.block, event })),
    );
  }

  async readPools(
    endpoint: LogEndpoint,
    query: PoolEventsQuery,
    context: ReadContext,
  ): Promise<{ blocks: HistoryBlock[]; fromBlock: number; logCount: number }> {
    const { transferVaults } = this.#options;
    // The swaps of the others are in the receipts that the transfers lead to.
    const asked = query.pools.filter(({ vault }) => !transferVaults.has(vault));
    const pools = new Set(asked.map(({ pool }) => pool));
    const all = await this.#sizes.ask(endpoint, this.#buildFilters(query), async (filters) => {
      const found: EvmLog[] = [];
      for (const filter of filters) {
        const read = await this.#readLogs(endpoint, { ...query, filter }, context);
        for (const log of read) if (!this.#isOtherSwap(log, pools)) found.push(log);
      }
      return found;
    });
    const isFull = query.detail === 'trades';
    const trades = isFull ? this.#findTrades(all.sort(compare), pools) : [];
    const fromBlock = Math.max(query.fromBlock, findCut(trades));
    const logs = all.filter(({ block }) => block >= fromBlock);
    const receipts = await this.#readReceipts(
      endpoint,
      { trades, logs, fromBlock, pools },
      context,
    );
    const headers = isFull ? await this.#readHeaders(endpoint, logs, context) : null;
    const others = { pools, toBlock: query.toBlock };
    const swaps = await this.#readOtherSwaps(receipts.logs, others, context);
    const unbacked = this.#findUnbacked(receipts.logs, query);
    const backed = dropUnbacked([...logs, ...swaps], unbacked, this.#options.decoding).toSorted(
      compare,
    );
    const blocks = Map.groupBy(backed, ({ block }) => block);
    const own = new Map(query.pools.map((one) => [one.pool, one]));
    return {
      logCount: all.length,
      fromBlock,
      blocks: Array.from(blocks, ([block, ofBlock]) => ({
        header: headers?.get(block) ?? buildBareHeader(block, ofBlock),
        logs: this.#toHistoryLogs(endpoint, ofBlock, { own, receipts, isFull }),
      })).filter(({ logs: kept }) => kept.length > 0),
    };
  }

  /** Of the transactions whose receipts were read. */
  #findUnbacked(logs: readonly EvmLog[], { pools }: PoolEventsQuery): UnbackedSwaps {
    const { decoding, directory } = this.#options;
    const sorted = logs.toSorted(compare);
    const own = new Map(pools.map((one) => [one.pool, one]));
    const findPool = (pool: PoolId) => own.get(pool) ?? directory.get(pool)?.description;
    const ofForks = findUnbackedForks(sorted, decoding.decode(sorted), findPool);
    return new Set([...decoding.findUnbacked(sorted), ...ofForks]);
  }

  /**
   * Pools that are contracts are asked for by address, those of a singleton by their id, those of a
   * vault by their tokens, and those of a launchpad by the transfers of theirs.
   */
  #buildFilters({ pools, detail }: PoolEventsQuery): LogFilter[] {
    const { singletons, tokenVaults, transferVaults } = this.#options;
    const asked = pools.filter(({ vault }) => !transferVaults.has(vault));
    const moved = pools.filter(({ vault }) => transferVaults.has(vault));
    // Without receipts a transfer says nothing.
    const byTransfers = detail === 'trades' ? moved.flatMap((one) => this.#listMoves(one)) : [];
    const byLogs = Array.from(
      Map.groupBy(asked, ({ venue, vault }) => {
        return singletons.get(venue) ?? (tokenVaults.has(vault) ? vault : null);
      }),
      ([emitter, own]) => {
        const topics: LogFilter['topics'][number][] = [this.#venueTopics];
        if (emitter === null) return { address: [...new Set(own.map((one) => one.vault))], topics };
        const firstAt = tokenVaults.get(emitter);
        if (firstAt === undefined) topics.push(own.map(({ pool }) => pool));
        else {
          const tokens = new Set(own.flatMap(({ token0, token1 }) => [token0, token1]));
          const words = Array.from(tokens, (token) => `0x${addressWord(token)}`);
          const before = Array.from({ length: firstAt - 1 }, () => null);
          topics.push(...before, words, words);
        }
        return { address: [emitter], topics };
      },
    );
    return [...byLogs, ...byTransfers];
  }

  /** What the vault was paid and sent of the pool's first token. */
  #listMoves({ token0, vault }: PoolDescription): LogFilter[] {
    const [address, party] = [[token0], [`0x${addressWord(vault)}`]];
    return [
      { address, topics: [this.#transferTopics, party] },
      { address, topics: [this.#transferTopics, null, party] },
    ];
  }

  async #readLogs(
    endpoint: LogEndpoint,
    { fromBlock, toBlock, filter }: Range & { readonly filter: LogFilter },
    { counted, signal }: ReadContext,
  ): Promise<EvmLog[]> {
    const range = { fromBlock: toQuantity(fromBlock), toBlock: toQuantity(toBlock) };
    const params = [{ ...range, ...filter }];
    const raw = await counted.request(endpoint, { method: 'eth_getLogs', params }, signal);
    const logs = parseLogs(raw, { fromBlock, toBlock, endpoint: endpoint.name });
    if (fromBlock < toBlock && mayBeTruncated(logs.length)) {
      throw new RpcError('rangeTooLarge', 'reply may have been truncated');
    }
    return logs;
  }

  #decode(log: EvmLog): readonly DecodedEvent[] {
    return this.#options.decoding.decode([log]).blocks.flatMap(({ events }) => events);
  }

  /** With the transfers that may belong to one. */
  #findTrades(logs: readonly EvmLog[], pools: ReadonlySet<PoolId>): EvmLog[] {
    return logs.filter((log) =>
      this.#decode(log).some(
        (event) => event.kind === 'transfer' || (event.kind === 'swap' && pools.has(event.pool)),
      ),
    );
  }

  /** A contract may emit the swaps of several pools. */
  #isOtherSwap(log: EvmLog, pools: ReadonlySet<PoolId>): boolean {
    return this.#decode(log).some((event) => event.kind === 'swap' && !pools.has(event.pool));
  }

  async #readReceipts(
    endpoint: LogEndpoint,
    found: {
      readonly trades: readonly EvmLog[];
      readonly logs: readonly EvmLog[];
      readonly fromBlock: number;
      readonly pools: ReadonlySet<PoolId>;
    },
    { counted, signal }: ReadContext,
  ): Promise<Receipts> {
    const trades = found.trades.filter(({ block }) => block >= found.fromBlock);
    const byHash = Map.groupBy(trades, ({ txHash }) => txHash);
    const logsByHash = Map.groupBy(found.logs, ({ txHash }) => txHash);
    const calls = [...byHash.keys()].map((txHash) => ({
      method: 'eth_getTransactionReceipt' as const,
      params: [txHash],
    }));
    const outcomes = await counted.batch(endpoint, calls, signal);
    const senders = new Map<TransactionId, Address>();
    const logs: EvmLog[] = [];
    for (const [index, txHash] of [...byHash.keys()].entries()) {
      const own = logsByHash.get(txHash) ?? [];
      const raw = endpoint.unwrap(outcomes[index]);
      if (raw === null) throw tellPruned(endpoint, `receipt of ${txHash}`);
      const block = own[0]?.block ?? 0;
      const range = { fromBlock: block, toBlock: block, endpoint: endpoint.name };
      const receipt = parseReceipts([raw], range);
      const sender = receipt.senders.get(txHash);
      if (sender === undefined || !this.#isSame(own, receipt.logs, found.pools)) {
        throw refuse(endpoint, 'logs and receipts differ');
      }
      senders.set(txHash, sender);
      logs.push(...receipt.logs);
    }
    return { senders, logs };
  }

  /** Whether a receipt has the same logs of the pools as the log query, none more and none less. */
  #isSame(
    logs: readonly EvmLog[],
    ofReceipt: readonly EvmLog[],
    pools: ReadonlySet<PoolId>,
  ): boolean {
    const told = new Map(ofReceipt.map((log) => [log.logIndex, log]));
    const asked = new Set(logs.map(({ logIndex }) => logIndex));
    const isTold = logs.every((log) => {
      const other = told.get(log.logIndex);
      return other?.blockHash === log.blockHash && other.data === log.data;
    });
    const isMissing = ofReceipt.some(
      (log) =>
        !asked.has(log.logIndex) &&
        this.#decode(log).some(
          (event) =>
            (event.kind === 'swap' || event.kind === 'poolChanged') && pools.has(event.pool),
        ),
    );
    return isTold && !isMissing;
  }

  /** The headers of blocks whose logs have no time; their hashes must be those of the logs. */
  async #readHeaders(
    endpoint: LogEndpoint,
    logs: readonly EvmLog[],
    { counted, signal }: ReadContext,
  ): Promise<ReadonlyMap<number, BlockHeader>> {
    const hashes = new Map(
      logs
        .filter(({ timestampMs }) => timestampMs === null)
        .map((log) => [log.block, log.blockHash]),
    );
    const calls = [...hashes.keys()].map((block) => ({
      method: 'eth_getBlockByNumber' as const,
      params: [toQuantity(block), false],
    }));
    const headers = new Map<number, BlockHeader>();
    for (const outcome of await counted.batch(endpoint, calls, signal)) {
      const header = parseBlock(endpoint.unwrap(outcome), endpoint.name)?.header;
      if (header !== undefined) headers.set(header.position, header);
    }
    for (const [block, hash] of hashes) {
      const header = headers.get(block);
      if (header === undefined) throw tellPruned(endpoint, `block ${block}`);
      if (header.hash === hash) continue;
      throw refuse(endpoint, `block ${block} has two hashes`);
    }
    return headers;
  }

  /** Swaps in other pools that are known or confirmed by a factory: they count for the ids. */
  async #readOtherSwaps(
    logs: readonly EvmLog[],
    { pools: own, toBlock }: { readonly pools: ReadonlySet<PoolId>; readonly toBlock: number },
    { signal }: ReadContext,
  ): Promise<EvmLog[]> {
    const { decoding, directory, createCallContracts } = this.#options;
    if (logs.length === 0) return [];
    const { emitters, created } = decoding.decode([...logs].sort(compare));
    const strangers = [...emitters].filter(([pool]) => !own.has(pool));
    await directory.lookUp(new Map(strangers), createCallContracts({ minBlock: toBlock, signal }));
    return logs.filter((log) =>
      this.#decode(log).some(
        (event) =>
          event.kind === 'swap' &&
          !own.has(event.pool) &&
          (created.has(event.pool) || directory.get(event.pool) !== undefined),
      ),
    );
  }

  #toHistoryLogs(
    endpoint: LogEndpoint,
    logs: readonly EvmLog[],
    read: {
      readonly own: ReadonlyMap<PoolId, PoolDescription>;
      readonly receipts: Receipts;
      readonly isFull: boolean;
    },
  ): HistoryLog[] {
    return logs.flatMap((log) => {
      const events = this.#decode(log).flatMap((decoded): MarketEvent[] => {
        if (decoded.kind === 'transfer' || decoded.kind === 'poolCreated') return [];
        const event = fitToKind(decoded, read.own.get(decoded.pool));
        if (event === null) return [];
        if (event.kind === 'poolChanged') return read.own.has(event.pool) ? [event] : [];
        // Without details nobody asks who sent it; the emitter is an address that is at hand.
        const wallet =
          read.receipts.senders.get(event.txHash) ?? (read.isFull ? null : log.address);
        if (wallet === null) throw refuse(endpoint, 'a swap without a receipt');
        return [{ ...event, wallet }];
      });
      return events.length === 0 ? [] : [{ logIndex: log.logIndex, events }];
    });
  }
}

function buildBareHeader(position: number, logs: readonly EvmLog[]): BlockHeader {
  const timestampMs = logs.find((log) => log.timestampMs !== null)?.timestampMs ?? 0;
  const hash = logs[0]?.blockHash ?? '';
  return { position, hash, parentPosition: position - 1, parentHash: '', timestampMs };
}
