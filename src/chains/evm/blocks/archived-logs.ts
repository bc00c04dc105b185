// Logs of chosen contracts from archives, with the transactions that they are of, for work that
// asks a node for logs and receipts: it is given an endpoint that answers from an archive what the
// archive has, in the node's form, and asks the node for the rest.
//
// No hash binds a filtered answer, because a root covers all receipts of a block. So it is compared
// with the node: transactions by their receipts, and all logs of parts of the range, which shows
// what was left out (docs/history.md says how many and what they find).

import type { Clock } from '../../../lib/clock.ts';
import type { Random } from '../../../lib/retry.ts';
import { ArchiveError } from '../../archives/archive-error.ts';
import type { ArchivePlace, ArchiveRange } from '../../archives/archive-sources.ts';
import type { RpcOutcome } from '../../rpc/parse-rpc-reply.ts';
import type { RpcClient } from '../../rpc/rpc-client.ts';
import type { RpcCall } from '../../rpc/rpc-dialect.ts';
import type { LogEndpoint, RpcEndpoint } from '../../rpc/rpc-endpoint.ts';
import { isRpcError, RpcError } from '../../rpc/rpc-error.ts';
import {
  type EvmArchive,
  type EvmArchives,
  UNPROVED_SAMPLES_MIN,
} from '../archives/archive-reader.ts';
import type { FilteredBlock, FilteredTransaction } from '../archives/parse-portal-block.ts';
import { isSameTime } from '../data/block-time.ts';
import { type LogFilter, matchesFilter } from '../data/evm-log.ts';
import { toQuantity } from '../data/hex-data.ts';
import { parseBlock } from '../data/parse-block.ts';
import { parseLogs } from '../data/parse-logs.ts';
import { LogSpan } from './log-span.ts';
import { parseReceipts } from './parse-receipts.ts';

interface ArchivedLogsOptions {
  readonly sources: EvmArchives;
  readonly client: RpcClient;
  /** Of a hundred transactions, and of a hundred blocks, so many are compared with the node. */
  readonly samplePct: number;
  readonly clock: Pick<Clock, 'monotonicMs'>;
  readonly random: Random;
}

/** How one piece of work reads: it will ask for ranges one after the other. */
export interface LogsPlan {
  /** No block outside will be asked for. */
  readonly bounds: ArchiveRange;
  readonly direction: 'forward' | 'back';
  /** Whether it needs the receipts of the logs' transactions. */
  readonly isWhole: boolean;
  readonly signal: AbortSignal | undefined;
  /** Told of calls to the node: more for samples, fewer (below zero) for what was answered here. */
  onCalls?(count: number): void;
}

interface LogsQuery extends LogsPlan {
  readonly filters: readonly LogFilter[];
  readonly range: ArchiveRange;
}

interface PlacedTransaction extends FilteredTransaction {
  readonly block: FilteredBlock;
}

/** What an archive has of a range for some filters. */
interface LogWindow extends ArchiveRange {
  readonly source: string;
  readonly transactions: ReadonlyMap<string, PlacedTransaction>;
  /** In chain order. */
  readonly logs: readonly PlacedLog[];
}

interface PlacedLog {
  readonly of: PlacedTransaction;
  readonly log: FilteredTransaction['logs'][number];
}

/** A window is for as many readings as it has logs for; all of them are in memory. */
const LOGS_MAX = 100_000;
const WINDOWS_MIN = 2;
const BLOCKS_START = 50_000;
const BLOCKS_MAX = 500_000;
const LATER_MS = 300_000;
/** Blocks of which all logs are compared at once, if the node takes so many. */
const COMPARED_BLOCKS = 1000;

/** In the form of a node. */
function toRawLog({ of: { block, txHash }, log }: PlacedLog) {
  return {
    ...{ address: log.address, topics: [...log.topics], data: log.data },
    ...{ blockNumber: toQuantity(block.position), blockHash: block.hash },
    ...{ transactionHash: txHash, logIndex: toQuantity(log.logIndex) },
    blockTimestamp: toQuantity(block.timestampMs / 1000),
  };
}

function toReceipt(of: PlacedTransaction) {
  const { txHash: transactionHash, from, block } = of;
  const logs = of.logs.map((log) => toRawLog({ of, log }));
  const at = { blockNumber: toQuantity(block.position), blockHash: block.hash };
  return { transactionHash, from, ...at, logs };
}

function covers(window: LogWindow, range: ArchiveRange): boolean {
  return window.fromBlock <= range.fromBlock && window.toBlock >= range.toBlock;
}

function findLogs(window: LogWindow, filter: LogFilter, range: ArchiveRange) {
  return window.logs.flatMap((placed) => {
    const { position } = placed.of.block;
    const isWanted = position >= range.fromBlock && position <= range.toBlock;
    return isWanted && matchesFilter(filter, placed.log) ? [toRawLog(placed)] : [];
  });
}

/** Two windows side by side, without what will not be asked for any more. */
function joinWindows(one: LogWindow, other: LogWindow, kept: ArchiveRange): LogWindow {
  const isKept = (block: number) => block >= kept.fromBlock && block <= kept.toBlock;
  return {
    source: one.source,
    fromBlock: Math.max(one.fromBlock, kept.fromBlock),
    toBlock: Math.min(other.toBlock, kept.toBlock),
    logs: [...one.logs, ...other.logs].filter(({ of }) => isKept(of.block.position)),
    transactions: new Map(
      [...one.transactions, ...other.transactions].filter(([, { block }]) =>
        isKept(block.position),
      ),
    ),
  };
}

function buildWindow(source: string, range: ArchiveRange, blocks: readonly FilteredBlock[]) {
  const placed = blocks.flatMap((block) => block.transactions.map((one) => ({ ...one, block })));
  const logs = placed.flatMap((of) => of.logs.map((log) => ({ of, log })));
  const transactions = new Map(placed.map((one) => [one.txHash, one]));
  return { ...range, source, transactions, logs };
}

export class ArchivedLogs {
  readonly #options: ArchivedLogsOptions;
  /** By filters; the one that was asked for last is the last. */
  readonly #windows = new Map<string, LogWindow>();
  readonly #spans = new Map<string, LogSpan>();
  /** From this block on no archive has blocks yet. */
  #missing: { readonly fromBlock: number; readonly untilMs: number } | null = null;
  #comparedBlocks = COMPARED_BLOCKS;
  /** Where blocks share a second the node has milliseconds: times are asked there. */
  #hasTimes = true;
  #turn: Promise<unknown> = Promise.resolve();

  constructor(options: ArchivedLogsOptions) {
    this.#options = options;
  }

  /** The endpoint, with archives before it; `onSource` is told when one answered. */
  before(endpoint: RpcEndpoint, plan: LogsPlan, onSource: (name: string) => void): LogEndpoint {
    const batch: LogEndpoint['batch'] = async (calls, options = {}) => {
      const window = await this.#findFor(calls, plan);
      if (window !== null) {
        onSource(window.source);
        windows.push(window);
      }
      const own = calls.map((call) => this.#answer(call, { window, windows }));
      const left = calls.filter((_, index) => own[index] === null);
      plan.onCalls?.(left.length - calls.length);
      const replies = left.length === 0 ? [] : await endpoint.batch(left, options);
      return own.map((outcome) => outcome ?? replies.shift() ?? noReply(endpoint));
    };
    const windows: LogWindow[] = [];
    return {
      ...{ name: endpoint.name, limitations: endpoint.limitations, batch },
      request: async (call, signal) => endpoint.unwrap((await batch([call], { signal }))[0]),
      unwrap: (outcome) => endpoint.unwrap(outcome),
      assertChain: (result, signal) => endpoint.assertChain(result, signal),
    };
  }

  /** Null for what only the node can answer. */
  #answer(
    { method, params }: RpcCall,
    { window, windows }: { window: LogWindow | null; windows: readonly LogWindow[] },
  ): RpcOutcome | null {
    if (method === 'eth_getTransactionReceipt') {
      const of = windows.findLast(({ transactions }) => transactions.has(String(params[0])));
      const found = of?.transactions.get(String(params[0]));
      return found?.from == null ? null : { ok: true, result: toReceipt(found) };
    }
    if (window === null) return null;
    // The archive has the whole range.
    if (method === 'eth_blockNumber') return { ok: true, result: toQuantity(window.toBlock) };
    if (method !== 'eth_getLogs') return null;
    const logs = findLogs(window, params[0] as LogFilter, toRange(params[0]));
    if (this.#hasTimes) return { ok: true, result: logs };
    return { ok: true, result: logs.map(({ blockTimestamp: _, ...log }) => log) };
  }

  /** What the log queries among these calls ask for; null if no archive has it now. */
  async #findFor(calls: readonly RpcCall[], plan: LogsPlan): Promise<LogWindow | null> {
    const asked = calls.flatMap(({ method, params }) =>
      method === 'eth_getLogs' ? [params[0] as LogFilter & { readonly blockHash?: string }] : [],
    );
    const [first] = asked;
    if (first === undefined || first.blockHash !== undefined) return null;
    const filters = asked.map(({ address, topics }) => ({ address, topics }));
    const query = { ...plan, filters, range: toRange(first) };
    // One at a time: what the first reads is often what the next ones need.
    const found = this.#turn.then(() => this.#find(query));
    this.#turn = found.catch(() => undefined);
    return await found;
  }

  async #find(query: LogsQuery): Promise<LogWindow | null> {
    const { range, bounds, direction, filters, isWhole } = query;
    query.signal?.throwIfAborted();
    const key = JSON.stringify([isWhole, filters]);
    const known = this.#windows.get(key) ?? null;
    this.#windows.delete(key);
    const window =
      known !== null && covers(known, range) ? known : await this.#readOn(query, known, key);
    if (window === null) return null;
    const isLast =
      direction === 'back'
        ? range.fromBlock <= Math.max(window.fromBlock, bounds.fromBlock)
        : range.toBlock >= Math.min(window.toBlock, bounds.toBlock);
    if (!isLast) this.#keep(key, window);
    return window;
  }

  #keep(key: string, window: LogWindow): void {
    this.#windows.set(key, window);
    let count = [...this.#windows.values()].reduce((sum, { logs }) => sum + logs.length, 0);
    for (const [oldest, { logs }] of this.#windows) {
      if (count <= LOGS_MAX || oldest === key) break;
      this.#windows.delete(oldest);
      count -= logs.length;
    }
  }

  /** The next window, with what is left of the one before. */
  async #readOn(query: LogsQuery, known: LogWindow | null, key: string): Promise<LogWindow | null> {
    const { range, direction } = query;
    const isBack = direction === 'back';
    const left =
      known !== null &&
      (isBack ? range.toBlock : range.fromBlock) >= known.fromBlock &&
      (isBack ? range.toBlock : range.fromBlock) <= known.toBlock
        ? known
        : null;
    if (left === null) return await this.#readWindow(query, range, key);
    const rest = isBack
      ? { fromBlock: range.fromBlock, toBlock: left.fromBlock - 1 }
      : { fromBlock: left.toBlock + 1, toBlock: range.toBlock };
    const fresh = await this.#readWindow(query, rest, key);
    if (fresh === null) return null;
    return isBack
      ? joinWindows(fresh, left, { fromBlock: 0, toBlock: range.toBlock })
      : joinWindows(left, fresh, { fromBlock: range.fromBlock, toBlock: fresh.toBlock });
  }

  /** At least `needed`; more of the bounds in the direction of the reading. */
  async #readWindow(
    query: LogsQuery,
    needed: ArchiveRange,
    key: string,
  ): Promise<LogWindow | null> {
    const { sources, clock } = this.#options;
    const missing = this.#missing;
    const isLater = missing !== null && clock.monotonicMs() < missing.untilMs;
    const end = isLater ? missing.fromBlock - 1 : Number.MAX_SAFE_INTEGER;
    if (needed.toBlock > end) return null;
    const logsMax = Math.floor(LOGS_MAX / Math.max(WINDOWS_MIN, this.#windows.size + 1));
    const span = this.#spans.get(key) ?? createSpan(logsMax);
    this.#spans.set(key, span);
    if (this.#spans.size > 500) this.#spans.clear();
    for (;;) {
      const range = this.#planRange(
        query,
        needed,
        Math.min(end, query.bounds.toBlock),
        span.blocks,
      );
      const isLeast = range.fromBlock === needed.fromBlock && range.toBlock === needed.toBlock;
      const places = sources.places.filter(({ source }) => source.readLogs !== undefined);
      const answer = await sources.ask(
        async (place) => {
          const read = await this.#read(place, { ...query, range }, { logsMax, needed });
          if (read.kind === 'read') await this.#assertSame(place, read.window, query);
          return { ...read, fault: null };
        },
        query.signal,
        places,
      );
      if (answer === null || answer.kind === 'missing') return null;
      const blocks = range.toBlock - range.fromBlock + 1;
      if (answer.kind === 'read') {
        const { window } = answer;
        const readBlocks = window.toBlock - window.fromBlock + 1;
        span.succeeded({ blocks: readBlocks, logs: window.logs.length });
        return window;
      }
      if (isLeast && blocks > 1) {
        const reason = `${answer.source}: more logs than fit into memory`;
        throw new RpcError('rangeTooLarge', reason, { ambiguous: true });
      }
      span.tooLarge({ blocks, suggestedBlocks: answer.fittingBlocks, isSure: false });
    }
  }

  #planRange(
    { bounds, direction }: LogsQuery,
    needed: ArchiveRange,
    end: number,
    blocks: number,
  ): ArchiveRange {
    if (direction === 'back') {
      const from = Math.max(bounds.fromBlock, needed.toBlock - blocks + 1);
      return { fromBlock: Math.min(needed.fromBlock, from), toBlock: needed.toBlock };
    }
    const to = Math.min(end, needed.fromBlock + blocks - 1);
    return { fromBlock: needed.fromBlock, toBlock: Math.max(needed.toBlock, to) };
  }

  /** A stream may end anywhere: it is asked again from the next block on. */
  async #read(
    { source }: ArchivePlace<EvmArchive>,
    query: LogsQuery,
    { logsMax, needed }: { readonly logsMax: number; readonly needed: ArchiveRange },
  ): Promise<
    | { readonly kind: 'read'; readonly window: LogWindow }
    | { readonly kind: 'missing' }
    | { readonly kind: 'tooMany'; readonly source: string; readonly fittingBlocks: number }
  > {
    const { filters, isWhole, range } = query;
    // Forward the first part is as good as all of it.
    const takePart = (toBlock: number) => {
      if (query.direction === 'back' || toBlock < needed.toBlock) return null;
      const part = { fromBlock: range.fromBlock, toBlock };
      return { kind: 'read', window: buildWindow(source.name, part, blocks) } as const;
    };
    const abort = new AbortController();
    const signal = AbortSignal.any([abort.signal, ...(query.signal ? [query.signal] : [])]);
    const blocks: FilteredBlock[] = [];
    let next = range.fromBlock;
    let logs = 0;
    const isSingle = range.fromBlock === range.toBlock;
    try {
      while (next <= range.toBlock) {
        const asked = { filters, isWhole, fromBlock: next, toBlock: range.toBlock };
        const begun = next;
        for await (const block of source.readLogs?.(asked, signal) ?? []) {
          if (block.position < next || block.position > range.toBlock) {
            throw new ArchiveError('wrong', `block ${block.position} was not asked for`);
          }
          next = block.position + 1;
          for (const one of block.transactions) logs += one.logs.length;
          if (logs > logsMax && !isSingle) {
            const part = takePart(block.position - 1);
            if (part !== null) return part;
            const fittingBlocks = Math.max(1, Math.floor((next - range.fromBlock) / 2));
            return { kind: 'tooMany', source: source.name, fittingBlocks };
          }
          blocks.push(block);
        }
        if (next === begun) throw new ArchiveError('dry', `${source.name} sent no blocks`);
      }
    } catch (error) {
      if (!(error instanceof ArchiveError) || error.kind !== 'dry') throw error;
      // It is behind the node: older blocks are asked for all the same.
      const untilMs = this.#options.clock.monotonicMs() + LATER_MS;
      this.#missing = { fromBlock: next, untilMs };
      return takePart(next - 1) ?? { kind: 'missing' };
    } finally {
      abort.abort();
    }
    return { kind: 'read', window: buildWindow(source.name, range, blocks) };
  }

  async #assertSame(
    { source }: ArchivePlace<EvmArchive>,
    window: LogWindow,
    query: LogsQuery,
  ): Promise<void> {
    try {
      const different = await this.#compare(window, query);
      if (different === null) return;
      throw new ArchiveError('wrong', `${source.name}: the node has otherwise ${different}`);
    } catch (error) {
      if (!isRpcError(error, 'stateUnavailable', 'unsupported')) throw error;
      const reason = `no endpoint has what ${source.name} is compared with`;
      throw new ArchiveError('refused', reason);
    }
  }

  /** What of it the node has otherwise; null if nothing. */
  async #compare(window: LogWindow, query: LogsQuery): Promise<string | null> {
    const { samplePct, random } = this.#options;
    const share = (count: number) => Math.floor((count * samplePct) / 100 + random());
    const rest = [...window.transactions.values()];
    if (query.isWhole) {
      const drawn: PlacedTransaction[] = [];
      const count = Math.max(UNPROVED_SAMPLES_MIN, share(rest.length));
      while (drawn.length < count && rest.length > 0) {
        drawn.push(...rest.splice(Math.floor(random() * rest.length), 1));
      }
      const different = await this.#findDifferent(drawn, query);
      if (different !== null) return different;
    }
    const blocks = window.toBlock - window.fromBlock + 1;
    const parts = Math.max(1, share(Math.ceil(blocks / this.#comparedBlocks)));
    const first = [...window.transactions.values()][
      Math.floor(random() * window.transactions.size)
    ];
    for (let part = 0; part < parts; part += 1) {
      // All of them in their order if all are compared; the first draw is where there are logs.
      const at = samplePct >= 100 ? part * this.#comparedBlocks : Math.floor(random() * blocks);
      const from =
        part === 0 && samplePct < 100 ? (first?.block.position ?? at) : window.fromBlock + at;
      const different = await this.#findLeftOut(window, from, query);
      if (different !== null) return different;
    }
    return null;
  }

  /** By their receipts and headers. */
  async #findDifferent(
    drawn: readonly PlacedTransaction[],
    { signal, onCalls }: LogsQuery,
  ): Promise<string | null> {
    if (drawn.length === 0) return null;
    const calls = drawn.flatMap(({ txHash, block }): RpcCall[] => [
      { method: 'eth_getTransactionReceipt', params: [txHash] },
      { method: 'eth_getBlockByNumber', params: [toQuantity(block.position), false] },
    ]);
    onCalls?.(calls.length);
    const minBlock = drawn.reduce((max, { block }) => Math.max(max, block.position), 0);
    return await this.#options.client.at(
      async (endpoint) => {
        const outcomes = await endpoint.batch(calls, { signal });
        for (const [index, one] of drawn.entries()) {
          const { position, hash, timestampMs } = one.block;
          const range = { fromBlock: position, toBlock: position, endpoint: endpoint.name };
          const raw = endpoint.unwrap(outcomes[2 * index]);
          const known = parseBlock(endpoint.unwrap(outcomes[2 * index + 1]), endpoint.name);
          if (known !== null && !known.txHashes.includes(one.txHash)) {
            return `the transactions of block ${position}`;
          }
          if (raw === null || known === null) {
            const reason = `${endpoint.name}: has no receipt of ${one.txHash}`;
            throw new RpcError('stateUnavailable', reason, { endpoint: endpoint.name });
          }
          const { header } = known;
          if (header.hash !== hash) return `the hash of block ${position}`;
          if (!isSameTime(header.timestampMs, timestampMs)) return `the time of block ${position}`;
          if (header.timestampMs !== timestampMs) this.#hasTimes = false;
          const receipt = parseReceipts([raw], range);
          const told = parseReceipts([toReceipt(one)], range);
          const isSame =
            receipt.senders.get(one.txHash) === told.senders.get(one.txHash) &&
            JSON.stringify(receipt.logs.map(toText)) === JSON.stringify(told.logs.map(toText));
          if (!isSame) return `transaction ${one.txHash}`;
        }
        return null;
      },
      { signal, minBlock },
    );
  }

  /** Of some blocks all logs that the filters find; fewer blocks where the node refuses. */
  async #findLeftOut(window: LogWindow, from: number, query: LogsQuery): Promise<string | null> {
    const { filters, signal, onCalls } = query;
    for (;;) {
      const fromBlock = Math.min(from, window.toBlock);
      const toBlock = Math.min(window.toBlock, fromBlock + this.#comparedBlocks - 1);
      const range = { fromBlock: toQuantity(fromBlock), toBlock: toQuantity(toBlock) };
      const calls = filters.map((filter): RpcCall => {
        return { method: 'eth_getLogs', params: [{ ...range, ...filter }] };
      });
      onCalls?.(calls.length);
      try {
        return await this.#options.client.at(
          async (endpoint) => {
            const outcomes = await endpoint.batch(calls, { signal });
            const at = { fromBlock, toBlock, endpoint: endpoint.name };
            for (const [index, filter] of filters.entries()) {
              const known = parseLogs(endpoint.unwrap(outcomes[index]), at).map(toText);
              const told = parseLogs(findLogs(window, filter, { fromBlock, toBlock }), at).map(
                toText,
              );
              if (known.join() !== told.join()) return `logs of blocks ${fromBlock} to ${toBlock}`;
            }
            return null;
          },
          { signal, minBlock: toBlock },
        );
      } catch (error) {
        const isTooLarge = isRpcError(error, 'rangeTooLarge', 'replyTooLarge', 'rejected');
        if (!isTooLarge || this.#comparedBlocks === 1) throw error;
        this.#comparedBlocks = Math.ceil(this.#comparedBlocks / 4);
      }
    }
  }
}

function createSpan(logsMax: number): LogSpan {
  const logsTarget = Math.floor(logsMax * 0.8);
  return new LogSpan({ blocksStart: BLOCKS_START, blocksMax: BLOCKS_MAX, logsTarget });
}

function toRange(query: unknown): ArchiveRange {
  const { fromBlock, toBlock } = query as { fromBlock: string; toBlock: string };
  return { fromBlock: Number(fromBlock), toBlock: Number(toBlock) };
}

/** Without the time, which not every node has. */
function toText(log: ReturnType<typeof parseLogs>[number]): string {
  const { block, blockHash, txHash, logIndex, address, topics, data } = log;
  return [block, blockHash, txHash, logIndex, address, ...topics, data].join(' ');
}

function noReply({ name }: RpcEndpoint): RpcOutcome {
  return {
    ok: false,
    error: new RpcError('invalidReply', `${name}: no reply`, { endpoint: name }),
  };
}
