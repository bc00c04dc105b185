// Reads the history of chosen pools and tokens, by address. Only what trades need is read besides:
// the receipts of their transactions (senders, other swaps) and the times of their blocks.

import { BoundedMap } from '../../../lib/bounded-map.ts';
import type { Address } from '../../../model/ids.ts';
import {
  type ChainHistory,
  HistoryUnavailableError,
  type PoolEventsQuery,
  type PoolEventsReading,
  type TransfersQuery,
  type TransfersReading,
} from '../../chain-history.ts';
import type { RpcClient } from '../../rpc/rpc-client.ts';
import type { RpcCall } from '../../rpc/rpc-dialect.ts';
import type { LogEndpoint, RpcEndpoint } from '../../rpc/rpc-endpoint.ts';
import { isRpcError, RpcError } from '../../rpc/rpc-error.ts';
import { toQuantity } from '../data/hex-data.ts';
import type { ArchivedLogs, LogsPlan } from './archived-logs.ts';
import { type CountedCall, countCalls } from './count-calls.ts';
import { doubtRanges } from './doubt-ranges.ts';
import { HistoryLogs, type HistoryLogsOptions } from './history-logs.ts';
import { LogSpan, type LogSpanOptions } from './log-span.ts';

interface EvmHistoryOptions extends HistoryLogsOptions {
  readonly client: RpcClient;
  /** In place of nodes for logs and receipts; null without any. */
  readonly archives: ArchivedLogs | null;
}

/** A busy range costs a receipt for each transaction, so its replies are kept small. */
const TRADES_SPAN: LogSpanOptions = { blocksStart: 2_000, blocksMax: 100_000, logsTarget: 400 };
const STATES_SPAN: LogSpanOptions = { blocksStart: 2_000, blocksMax: 100_000, logsTarget: 5_000 };
/** Spans are learnt for each set of contracts, because some are far busier than others. */
const SPANS_MAX = 500;

export class EvmHistory implements ChainHistory {
  readonly #client: RpcClient;
  readonly #archives: ArchivedLogs | null;
  readonly #logs: HistoryLogs;
  readonly #spans = new BoundedMap<string, LogSpan>(SPANS_MAX);

  constructor(options: EvmHistoryOptions) {
    this.#client = options.client;
    this.#archives = options.archives;
    this.#logs = new HistoryLogs(options);
  }

  async readPoolEvents(query: PoolEventsQuery, signal?: AbortSignal): Promise<PoolEventsReading> {
    const { pools, detail, toBlock } = query;
    const span = this.#findSpan(
      `${detail} ${pools.map(({ pool }) => pool).join()}`,
      detail === 'trades' ? TRADES_SPAN : STATES_SPAN,
    );
    return await this.#readSpan(span, query, {
      plan: (count) => ({ fromBlock: Math.max(query.fromBlock, toBlock - count + 1), toBlock }),
      read: async (endpoint, range, counted) => {
        const part = { ...query, ...range };
        return await this.#logs.readPools(endpoint, part, { counted, signal });
      },
      // Logs alone, of the few blocks around trades, are a call each at a node, too.
      archived: detail === 'trades' ? { direction: 'back', isWhole: true } : null,
      signal,
    });
  }

  async readTransfers(query: TransfersQuery, signal?: AbortSignal): Promise<TransfersReading> {
    const { fromBlock } = query;
    const span = this.#findSpan(`transfers ${query.token}`, STATES_SPAN);
    return await this.#readSpan(span, query, {
      plan: (count) => ({ fromBlock, toBlock: Math.min(query.toBlock, fromBlock + count - 1) }),
      read: async (endpoint, range, counted) => {
        const transfers = await this.#logs.readTransfers(
          endpoint,
          { ...query, ...range },
          { counted, signal },
        );
        return { transfers, toBlock: range.toBlock, logCount: transfers.length };
      },
      archived: { direction: 'forward', isWhole: false },
      signal,
    });
  }

  async findFirstBlock(contract: Address, toBlock: number, signal?: AbortSignal) {
    let callCount = 0;
    const hasCode = (block: number): Promise<boolean> => {
      callCount += 1;
      const params = [contract, toQuantity(block)];
      const call = { method: 'eth_getCode', params } as const;
      return this.#client.at((endpoint) => this.#hasCode(endpoint, call, signal), { signal });
    };
    try {
      let low = 0;
      let high = toBlock;
      if (!(await hasCode(high))) return { block: toBlock + 1, callCount };
      while (low < high) {
        const middle = Math.floor((low + high) / 2);
        if (await hasCode(middle)) high = middle;
        else low = middle + 1;
      }
      return { block: low, callCount };
    } catch (error) {
      // A pruned node cannot tell; the range is then read down to the first block.
      const kinds = ['stateUnavailable', 'unsupported', 'rejected', 'lagging'] as const;
      if (!isRpcError(error, ...kinds)) throw error;
      return { block: null, callCount };
    }
  }

  /** Nodes refuse old states in many words; a refusal is not held against them. */
  async #hasCode(endpoint: RpcEndpoint, call: RpcCall, signal?: AbortSignal): Promise<boolean> {
    const [outcome] = await endpoint.batch([call], { signal });
    if (outcome?.ok === true && typeof outcome.result === 'string')
      return outcome.result.length > 2;
    if (outcome?.ok === false && isRpcError(outcome.error, 'rateLimited')) throw outcome.error;
    throw new RpcError('stateUnavailable', `${endpoint.name}: has no old states`);
  }

  #findSpan(key: string, options: LogSpanOptions): LogSpan {
    const span = this.#spans.get(key) ?? new LogSpan(options);
    this.#spans.set(key, span);
    return span;
  }

  /** Reads as many blocks as the node accepts at once; fewer after each refusal. */
  async #readSpan<Range extends { fromBlock: number; toBlock: number }, Result>(
    span: LogSpan,
    query: Range,
    work: {
      plan(count: number): { fromBlock: number; toBlock: number };
      read(
        endpoint: LogEndpoint,
        range: { fromBlock: number; toBlock: number },
        counted: CountedCall,
      ): Promise<Result & { readonly logCount: number }>;
      archived: Pick<LogsPlan, 'direction' | 'isWhole'> | null;
      signal: AbortSignal | undefined;
    },
  ): Promise<Result & { readonly callCount: number; readonly archive?: string }> {
    const counted = countCalls();
    const { signal, archived } = work;
    const at = { signal, minBlock: query.toBlock };
    let archive: string | undefined;
    const onSource = (name: string) => {
      archive = name;
    };
    const before = (endpoint: RpcEndpoint): LogEndpoint => {
      archive = undefined;
      if (this.#archives === null || archived === null) return endpoint;
      const onCalls = (count: number) => counted.add(count);
      const plan = { ...archived, bounds: query, signal, onCalls };
      return this.#archives.before(endpoint, plan, onSource);
    };
    for (;;) {
      const range = work.plan(span.blocks);
      const blocks = range.toBlock - range.fromBlock + 1;
      try {
        const read = doubtRanges(range, (endpoint) => work.read(before(endpoint), range, counted));
        const result = await this.#client.at(read, at);
        span.succeeded({ blocks, logs: result.logCount });
        const told = archive === undefined ? {} : { archive };
        return { ...result, ...told, callCount: counted.count };
      } catch (error) {
        if (isRpcError(error, 'stateUnavailable', 'unsupported')) {
          throw new HistoryUnavailableError('no node has the history', { cause: error });
        }
        if (!isRpcError(error, 'rangeTooLarge', 'replyTooLarge') || blocks === 1) throw error;
        const { suggestedBlocks, ambiguous } = error;
        span.tooLarge({ blocks, suggestedBlocks, isSure: !ambiguous });
      }
    }
  }
}
