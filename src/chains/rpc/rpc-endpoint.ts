// One node behind one URL: sends reads, single or in batches, and tracks its health.

import type { ChainSourceStatus } from '../adapter.ts';
import type { EndpointHealth } from './endpoint-health.ts';
import type { EndpointLimitations } from './endpoint-limitations.ts';
import type { PooledEndpoint } from './endpoint-pool.ts';
import { type HttpReply, postHttp } from './http-post.ts';
import { ListSplitError, splitListReply } from './list-reply.ts';
import { BatchRefused, parseRpcReply, type RpcOutcome } from './parse-rpc-reply.ts';
import type { RpcCall, RpcDialect } from './rpc-dialect.ts';
import { isRpcError, RpcError } from './rpc-error.ts';

interface BatchOptions {
  readonly signal?: AbortSignal | undefined;
  /** Fewer calls per request than the endpoint would accept. */
  readonly callsMax?: number;
  /**
   * What to keep of a result, read as soon as its request is answered: results of many requests
   * need not all be in memory until the last one is.
   */
  readonly digest?: (result: unknown, index: number) => unknown;
}

export interface EndpointLimits {
  readonly timeoutMs: number;
  readonly replyBytesMax: number;
  readonly batchCallsMax: number;
  /** Concurrent batches. */
  readonly batchesMax: number;
  /** How long a checked chain id stays valid. */
  readonly chainCheckMs: number;
}

interface SentCalls {
  readonly calls: readonly RpcCall[];
  readonly firstId: number;
  readonly methods: readonly string[];
  readonly reply: HttpReply;
}

/** One use of an endpoint: health is shared, limits are specific to this use. */
export class RpcEndpoint {
  readonly #pooled: PooledEndpoint;
  readonly #dialect: RpcDialect;
  readonly #limits: EndpointLimits;

  constructor(pooled: PooledEndpoint, dialect: RpcDialect, limits: EndpointLimits) {
    this.#pooled = pooled;
    this.#dialect = dialect;
    this.#limits = limits;
  }

  /** Host and index: safe to show. */
  get name(): string {
    return this.#pooled.name;
  }

  get health(): EndpointHealth {
    return this.#pooled.health;
  }

  get limitations(): EndpointLimitations {
    return this.#pooled.limitations;
  }

  /** What a call of the method costs here. */
  creditsOf(method: string): number {
    return this.#pooled.meter.creditsOf(method);
  }

  get #batchCallsMax(): number {
    return Math.min(this.health.batchCallsMax, this.#limits.batchCallsMax);
  }

  /** One call; throws its error. */
  async request(call: RpcCall, signal?: AbortSignal): Promise<unknown> {
    const [outcome] = await this.#exchange([call], signal);
    return this.unwrap(outcome);
  }

  /**
   * One call whose result is a long list. `read` gets it in parts, each parsed when it is asked
   * for, so that a part need not outlive what is read of it. It may be called twice.
   */
  async requestList<T>(
    call: RpcCall,
    read: (parts: Iterable<unknown>) => T,
    signal?: AbortSignal,
  ): Promise<T> {
    const sent = await this.#post([call], signal);
    const list = splitListReply(sent.reply.text);
    if (list !== null) {
      const [outcome] = this.#parse(sent, list.envelope);
      this.unwrap(outcome);
      try {
        return read(list.parts);
      } catch (error) {
        if (!(error instanceof ListSplitError)) throw error;
      }
    }
    const [outcome] = this.#parse(sent);
    return read([this.unwrap(outcome)]);
  }

  /** Several calls in as few requests as the endpoint accepts; one outcome each, in order. */
  async batch(calls: readonly RpcCall[], options: BatchOptions = {}): Promise<RpcOutcome[]> {
    const outcomes = new Array<RpcOutcome>(calls.length);
    let next = 0;
    const lane = async () => {
      while (next < calls.length) {
        const start = next;
        const callsMax = Math.min(this.#batchCallsMax, options.callsMax ?? calls.length);
        const part = calls.slice(start, start + callsMax);
        next += part.length;
        const done = await this.#exchangeOrSplit(part, options.signal);
        for (const [offset, outcome] of done.entries()) {
          const index = start + offset;
          outcomes[index] =
            outcome.ok && options.digest !== undefined
              ? { ok: true, result: options.digest(outcome.result, index) }
              : outcome;
        }
      }
    };
    const lanes = Math.min(this.#limits.batchesMax, calls.length);
    await Promise.all(Array.from({ length: lanes }, lane));
    return outcomes;
  }

  /** The result of an outcome, or its error thrown. */
  unwrap(outcome: RpcOutcome | undefined): unknown {
    if (outcome === undefined) throw new RpcError('invalidReply', `${this.name}: no reply`);
    if (!outcome.ok) throw outcome.error;
    return outcome.result;
  }

  /** Checks the chain if that is due, and reads the head with it. */
  async checkChain(signal?: AbortSignal): Promise<void> {
    if (!this.health.isChainCheckDue(this.#limits.chainCheckMs)) return;
    const { chainCall, headCall } = this.#dialect;
    const [chain, head] = await this.batch([chainCall, headCall], { signal });
    this.assertChain(this.unwrap(chain));
    this.observeBlockNumber(this.unwrap(head));
  }

  /** Throws, and disables the endpoint permanently, if it serves another chain. */
  assertChain(result: unknown): void {
    const chain = this.#dialect.parseChain(result) ?? this.#refuseReply('chain id expected');
    if (chain !== this.#dialect.chain) {
      const reason = `${this.name}: serves chain ${chain}, not ${this.#dialect.chain}`;
      this.health.refuse(reason);
      throw new RpcError('wrongChain', reason, { endpoint: this.name });
    }
    this.health.observeChain();
  }

  /** Reads the endpoint's newest block number. */
  async readBlockNumber(signal?: AbortSignal): Promise<number> {
    return this.observeBlockNumber(await this.request(this.#dialect.headCall, signal));
  }

  observeBlockNumber(result: unknown): number {
    const block = this.#dialect.parseHead(result) ?? this.#refuseReply('block number expected');
    this.health.observeHead(block);
    return block;
  }

  describeStatus(): ChainSourceStatus['endpoints'][number] {
    return this.health.describeStatus(this.name);
  }

  #refuseReply(problem: string): never {
    throw new RpcError('invalidReply', `${this.name}: ${problem}`, { endpoint: this.name });
  }

  async #exchangeOrSplit(calls: readonly RpcCall[], signal?: AbortSignal): Promise<RpcOutcome[]> {
    try {
      return await this.#exchange(calls, signal);
    } catch (error) {
      const refused = error instanceof BatchRefused;
      if (!refused && !isRpcError(error, 'replyTooLarge')) throw error;
      // A single call whose reply is too large fails alone.
      if (!refused && calls.length === 1) return [{ ok: false, error }];
      const half = Math.ceil(calls.length / 2);
      // A refused batch is remembered; a reply that was too large is an accident of its content.
      if (refused) this.#noteBatchRefused(Math.max(1, Math.min(this.#batchCallsMax, half)));
      const outcomes: RpcOutcome[] = [];
      while (outcomes.length < calls.length) {
        // The first part may have shown that even fewer are accepted.
        const end = outcomes.length + Math.min(half, this.#batchCallsMax);
        const part = calls.slice(outcomes.length, end);
        outcomes.push(...(await this.#exchangeOrSplit(part, signal)));
      }
      return outcomes;
    }
  }

  #noteBatchRefused(callsMax: number): void {
    this.health.observeBatchCallsMax(callsMax);
    this.limitations.note(
      'batch',
      `refuses large batches; at most ${callsMax} calls are sent at once`,
    );
  }

  async #exchange(calls: readonly RpcCall[], signal?: AbortSignal): Promise<RpcOutcome[]> {
    return this.#parse(await this.#post(calls, signal));
  }

  async #post(calls: readonly RpcCall[], signal?: AbortSignal): Promise<SentCalls> {
    const { url, agent, gate } = this.#pooled;
    const firstId = this.#pooled.takeIds(calls.length);
    const items = calls.map(({ method, params }, index) => {
      this.#dialect.assertReadMethod(method);
      return { jsonrpc: '2.0', id: firstId + index, method, params };
    });
    const methods = calls.map(({ method }) => method);
    const observeAnswer = this.health.observeRequest();
    this.#pooled.meter.countCalls(methods);
    const reply = await postHttp({
      url,
      agent,
      gate,
      name: this.name,
      body: JSON.stringify(items.length === 1 ? items[0] : items),
      timeoutMs: this.#limits.timeoutMs,
      bytesMax: this.#limits.replyBytesMax,
      signal,
    });
    observeAnswer();
    this.#pooled.meter.countBytes(methods, reply);
    return { calls, firstId, methods, reply };
  }

  #parse({ calls, firstId, methods, reply }: SentCalls, text = reply.text): RpcOutcome[] {
    const outcomes = parseRpcReply(
      { ...reply, text },
      {
        ...{ name: this.name, firstId, methods },
        redact: (words) => this.#pooled.redact(words),
        classifyError: (error) => this.#dialect.classifyError(error),
      },
    );
    for (const [index, outcome] of outcomes.entries()) {
      const call = calls[index];
      if (!outcome.ok && call !== undefined) this.limitations.noteCall(call, outcome.error);
      // If one part was limited or failed, the whole is worth repeating, here or elsewhere.
      if (!outcome.ok && isRpcError(outcome.error, 'rateLimited', 'network', 'invalidReply')) {
        throw outcome.error;
      }
    }
    return outcomes;
  }
}
