// One node behind one URL: sends reads, single or in batches, and tracks its health.

import type { Sleep } from '../../lib/retry.ts';
import type { ChainSourceStatus } from '../adapter.ts';
import type { EndpointHealth } from './endpoint-health.ts';
import type { EndpointLimitations } from './endpoint-limitations.ts';
import type { PooledEndpoint } from './endpoint-pool.ts';
import { type HttpReply, postHttp } from './http-post.ts';
import { BatchRefused, parseRpcReply, type RpcOutcome } from './parse-rpc-reply.ts';
import type { RpcCall, RpcDialect } from './rpc-dialect.ts';
import { isRpcError, RpcError } from './rpc-error.ts';

// How an endpoint is used: by whom, and how patiently.

/** Who asks, and how patiently. */
interface EndpointUse {
  /** Whether a client waits: then it goes first, and does not wait for long. */
  readonly isUrgent: boolean;
  readonly sleep: Sleep;
  /** Whether calls that were refused for their rate, the others not, are repeated here. */
  staysWhenLimited(hasAnswers: boolean): boolean;
}

interface BatchOptions {
  readonly signal?: AbortSignal | undefined;
  /**
   * If replies may be long: how many calls the first requests have. Later ones have as many as a
   * reply of `LONG_REPLY_BYTES` answers, by what came back last.
   */
  readonly callsAtFirst?: number;
  /**
   * What is needed of a result, picked as soon as its request is answered: results of many requests
   * need not all be in memory until the last one is.
   */
  readonly pick?: ((result: unknown, call: RpcCall) => unknown) | undefined;
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

const LONG_REPLY_BYTES = 512 * 1024;
/** Refusals in a row, with nothing answered in between, after which the rate is not the reason. */
const REFUSALS_MAX = 6;
/** Failures in a row, after which the endpoint is taken to be down. */
const FAILURES_MAX = 2;

interface ExchangeOptions extends Pick<BatchOptions, 'signal' | 'pick'> {
  readonly onReply?: (bytes: number, calls: number) => void;
}

interface SentCalls {
  readonly calls: readonly RpcCall[];
  readonly firstId: number;
  readonly methods: readonly string[];
  readonly reply: HttpReply;
  readonly sentAtMs: number;
}

/** It may also mean that the request asked for too much: then to repeat it is in vain. */
function isDoubtful({ ambiguous }: RpcError): boolean {
  return ambiguous;
}

/** What log queries need of an endpoint: something else may answer in its place. */
export type LogEndpoint = Pick<
  RpcEndpoint,
  'name' | 'limitations' | 'request' | 'batch' | 'unwrap' | 'assertChain'
>;

/** One use of an endpoint: health is shared, limits are specific to this use. */
export class RpcEndpoint {
  readonly #pooled: PooledEndpoint;
  readonly #dialect: RpcDialect;
  readonly #limits: EndpointLimits;
  readonly #use: EndpointUse;

  constructor(
    pooled: PooledEndpoint,
    options: {
      readonly dialect: RpcDialect;
      readonly limits: EndpointLimits;
      readonly use: EndpointUse;
    },
  ) {
    this.#pooled = pooled;
    this.#dialect = options.dialect;
    this.#limits = options.limits;
    this.#use = options.use;
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

  /** Whether requests of this thread wait for their turn here. */
  get isBusy(): boolean {
    return this.#pooled.pacer.isBusy;
  }

  /** Whether no other endpoint could be asked now. */
  get isOnly(): boolean {
    return this.#use.staysWhenLimited(false);
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
    const [outcome] = await this.batch([call], { signal });
    return this.unwrap(outcome);
  }

  /**
   * Several calls in as few requests as the endpoint accepts; one outcome each, in order. What was
   * refused because of the rate is asked again, in smaller requests, and so is a request that fails
   * among others that do not; what was answered is kept.
   */
  async batch(calls: readonly RpcCall[], options: BatchOptions = {}): Promise<RpcOutcome[]> {
    const outcomes = new Array<RpcOutcome>(calls.length);
    const open = Array.from(calls.keys());
    let refusals = 0;
    let failures = 0;
    let hasAnswers = false;
    let callsMax = options.callsAtFirst ?? calls.length;
    const onReply = (bytes: number, count: number) => {
      if (options.callsAtFirst === undefined) return;
      callsMax = Math.max(options.callsAtFirst, Math.floor((LONG_REPLY_BYTES * count) / bytes));
    };
    const { signal, pick } = options;
    const lane = async () => {
      while (open.length > 0) {
        const indexes = open.splice(0, this.#countNext(calls, open, callsMax));
        const part = indexes.flatMap((index) => calls[index] ?? []);
        let done: RpcOutcome[];
        try {
          done = await this.#exchangeOrSplit(part, { signal, onReply, pick });
        } catch (error) {
          failures += 1;
          const isSingle = failures <= FAILURES_MAX && hasAnswers && isRpcError(error, 'network');
          if (!isSingle || !this.#use.staysWhenLimited(hasAnswers)) throw error;
          this.health.observeFailure();
          open.unshift(...indexes);
          continue;
        }
        failures = 0;
        const refused = indexes.filter((index, at) => {
          const outcome = done[at];
          if (outcome !== undefined) outcomes[index] = outcome;
          return outcome?.ok === false && isRpcError(outcome.error, 'rateLimited');
        });
        if (refused.length < indexes.length) {
          refusals = 0;
          hasAnswers = true;
        }
        const error = refused.map((index) => outcomes[index]).find((one) => one?.ok === false);
        if (error === undefined) continue;
        refusals += 1;
        if (!this.#mayRepeat(error.error, { refusals, hasAnswers })) throw error.error;
        if (refused.length === indexes.length) callsMax = Math.ceil(indexes.length / 2);
        open.unshift(...refused);
      }
    };
    const lanes = Math.min(this.#limits.batchesMax, calls.length);
    await Promise.all(Array.from({ length: lanes }, lane));
    return outcomes;
  }

  /** How many of the next calls fit into one request. */
  #countNext(calls: readonly RpcCall[], open: readonly number[], callsMax: number): number {
    const most = Math.min(open.length, this.#batchCallsMax, callsMax);
    const { creditsAtOnce } = this.#pooled.pacer;
    let count = 0;
    let credits = 0;
    while (count < most) {
      credits += this.creditsOf(calls[open[count] ?? 0]?.method ?? '');
      if (count > 0 && credits > creditsAtOnce) break;
      count += 1;
    }
    return count;
  }

  /** Whether to ask again here, when the pacer says so. */
  #mayRepeat(
    error: RpcError,
    soFar: { readonly refusals: number; readonly hasAnswers: boolean },
  ): boolean {
    if (!isRpcError(error, 'rateLimited') || isDoubtful(error)) return false;
    if (soFar.refusals >= REFUSALS_MAX) return false;
    if (!this.#use.staysWhenLimited(soFar.hasAnswers)) return false;
    return this.#pooled.pacer.pauseMs <= this.#limits.timeoutMs;
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
    await this.assertChain(this.unwrap(chain), signal);
    this.observeBlockNumber(this.unwrap(head));
  }

  /**
   * Throws if it serves another chain. It is disabled for a while only if it says so again: one
   * reply may be from a machine that is not its own.
   */
  async assertChain(result: unknown, signal?: AbortSignal): Promise<void> {
    const { chain, chainCall } = this.#dialect;
    const { name } = this;
    if (this.#parseChain(result) === chain) {
      this.health.observeChain();
      return;
    }
    const served = this.#parseChain(await this.request(chainCall, signal));
    if (served === chain) {
      throw new RpcError('network', `${name}: named another chain once`, { endpoint: name });
    }
    const reason = `${name}: serves chain ${served}, not ${chain}`;
    this.health.refuse(reason);
    throw new RpcError('wrongChain', reason, { endpoint: name });
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

  #parseChain(result: unknown) {
    return this.#dialect.parseChain(result) ?? this.#refuseReply('chain id expected');
  }

  #refuseReply(problem: string): never {
    throw new RpcError('invalidReply', `${this.name}: ${problem}`, { endpoint: this.name });
  }

  async #exchangeOrSplit(
    calls: readonly RpcCall[],
    options: ExchangeOptions,
  ): Promise<RpcOutcome[]> {
    try {
      return await this.#exchange(calls, options);
    } catch (error) {
      // A whole request that was refused for its rate: the caller asks again for less.
      if (isRpcError(error, 'rateLimited') && !isDoubtful(error)) {
        return calls.map(() => ({ ok: false, error }));
      }
      const refused = error instanceof BatchRefused;
      if (!refused && !isRpcError(error, 'replyTooLarge')) throw error;
      // A single call whose reply is too large fails alone.
      if (!refused && calls.length === 1) return [{ ok: false, error }];
      const half = Math.ceil(calls.length / 2);
      // A refused batch is remembered; a reply that was too large is an accident of its content.
      if (refused) {
        const callsMax = Math.max(1, Math.min(this.#batchCallsMax, half));
        this.#noteBatchRefused(callsMax, error.isSure);
      }
      const outcomes: RpcOutcome[] = [];
      while (outcomes.length < calls.length) {
        // The first part may have shown that even fewer are accepted.
        const end = outcomes.length + Math.min(half, this.#batchCallsMax);
        const part = calls.slice(outcomes.length, end);
        outcomes.push(...(await this.#exchangeOrSplit(part, options)));
      }
      return outcomes;
    }
  }

  #noteBatchRefused(callsMax: number, isSure: boolean): void {
    this.health.observeBatchCallsMax(callsMax, isSure);
    this.limitations.note(
      'batch',
      `refuses large batches; at most ${callsMax} calls are sent at once`,
    );
  }

  async #exchange(calls: readonly RpcCall[], options: ExchangeOptions): Promise<RpcOutcome[]> {
    const sent = await this.#post(calls, options.signal);
    const outcomes = this.#parse(sent);
    if (outcomes.every(({ ok }) => ok)) options.onReply?.(sent.reply.bytes, calls.length);
    const { pick } = options;
    if (pick === undefined) return outcomes;
    return outcomes.map((outcome, index) => {
      const call = calls[index];
      if (!outcome.ok || call === undefined) return outcome;
      return { ok: true, result: pick(outcome.result, call) };
    });
  }

  async #post(calls: readonly RpcCall[], signal?: AbortSignal): Promise<SentCalls> {
    const { url, agent, pacer, meter } = this.#pooled;
    const { isUrgent, sleep } = this.#use;
    const firstId = this.#pooled.takeIds(calls.length);
    const items = calls.map(({ method, params }, index) => {
      this.#dialect.assertReadMethod(method);
      return { jsonrpc: '2.0', id: firstId + index, method, params };
    });
    const methods = calls.map(({ method }) => method);
    const { timeoutMs, replyBytesMax: bytesMax } = this.#limits;
    const credits = this.#sumCredits(methods);
    await pacer.enter({ credits, isUrgent, waitMaxMs: timeoutMs, sleep, signal });
    try {
      const sentAtMs = pacer.nowMs;
      const observeAnswer = this.health.observeRequest();
      meter.countCalls(methods);
      const body = JSON.stringify(items.length === 1 ? items[0] : items);
      const post = { url, agent, name: this.name, body, timeoutMs, bytesMax, signal };
      const reply = await postHttp(post);
      observeAnswer();
      meter.countBytes(methods, reply);
      return { calls, firstId, methods, reply, sentAtMs };
    } finally {
      pacer.leave();
    }
  }

  #sumCredits(methods: readonly string[]): number {
    return methods.reduce((sum, method) => sum + this.creditsOf(method), 0);
  }

  #parse(sent: SentCalls): RpcOutcome[] {
    const { calls, firstId, methods, reply } = sent;
    let outcomes: RpcOutcome[];
    try {
      outcomes = parseRpcReply(reply, {
        ...{ name: this.name, firstId, methods },
        redact: (words) => this.#pooled.redact(words),
        classifyError: (error) => this.#dialect.classifyError(error),
      });
    } catch (error) {
      // The whole request was refused.
      if (isRpcError(error, 'rateLimited')) this.#noteRate(sent, methods, error);
      throw error;
    }
    const limited: string[] = [];
    let limit: RpcError | null = null;
    for (const [index, outcome] of outcomes.entries()) {
      const call = calls[index];
      if (outcome.ok || call === undefined) continue;
      this.limitations.noteCall(call, outcome.error);
      if (isRpcError(outcome.error, 'rateLimited')) {
        limited.push(call.method);
        limit = outcome.error;
      }
    }
    this.#pooled.pacer.answered(this.#sumCredits(methods) - this.#sumCredits(limited));
    if (limit !== null) this.#noteRate(sent, limited, limit);
    for (const outcome of outcomes) {
      // If one part failed, the whole is worth repeating, here or elsewhere.
      if (!outcome.ok && isRpcError(outcome.error, 'network', 'invalidReply')) throw outcome.error;
    }
    return outcomes;
  }

  /** Calls of these methods were refused because of the rate. */
  #noteRate({ sentAtMs }: SentCalls, methods: readonly string[], error: RpcError): void {
    const { retryAfterMs } = error;
    const { pacer } = this.#pooled;
    this.health.observeRateLimit();
    if (isDoubtful(error)) return;
    const credits = this.#sumCredits(methods);
    pacer.refused({ credits, calls: methods.length, sentAtMs, retryAfterMs });
    this.limitations.noteRate(pacer.rate);
  }
}
