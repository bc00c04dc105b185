// Several endpoints as one: work runs at one of them, and moves to the next if it fails there.

import type { Clock } from '../../lib/clock.ts';
import { type Backoff, computeBackoffMs, type Random, type Sleep } from '../../lib/retry.ts';
import { EndpointPool } from './endpoint-pool.ts';
import type { RpcCall, RpcDialect } from './rpc-dialect.ts';
import { type EndpointLimits, RpcEndpoint } from './rpc-endpoint.ts';
import { isRpcError, RpcError } from './rpc-error.ts';
import type { RpcMeter } from './rpc-meter.ts';

/** A minimal logger interface, independent of the library. */
export interface Log {
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
}

interface RpcClientOptions {
  /** URLs, for the client's own pool, or a pool that it shares. */
  readonly endpoints: readonly string[] | EndpointPool;
  readonly dialect: RpcDialect;
  readonly clock: Clock;
  readonly random: Random;
  readonly sleep: Sleep;
  readonly log: Log;
  /** How long one unit of work may look for an endpoint before it fails. */
  readonly budgetMs: number;
  readonly limits: EndpointLimits;
  /** Work in the background, which waits for its pace and for the chain's daily budget. */
  readonly isPaced?: boolean | undefined;
}

interface WorkOptions {
  readonly signal?: AbortSignal | undefined;
  /** An endpoint that has not reached this block is skipped. */
  readonly minBlock?: number;
}

/** Endpoints that only lag have no wait of their own: they are polled, ever less often. */
const POLL: Backoff = { baseMs: 100, maxMs: 2000 };

/** Errors that are about the request, or about all endpoints, so that a retry would not help. */
const FINAL_KINDS = [
  'rangeTooLarge',
  'filterTooLarge',
  'replyTooLarge',
  'reverted',
  'rejected',
  'skipped',
  'unavailable',
] as const;

/** Errors that will not change during the work, and are not faults. */
const INCAPABLE_KINDS = ['unsupported', 'stateUnavailable'] as const;

/** A lagging or pruned node is not faulty, only unsuitable for this work. */
const UNSUITABLE_KINDS = ['lagging', ...INCAPABLE_KINDS] as const;

export class RpcClient {
  readonly endpoints: readonly RpcEndpoint[];
  readonly #options: RpcClientOptions;
  readonly #pool: EndpointPool;
  #repliesRefused = 0;
  #isClosed = false;

  constructor(options: RpcClientOptions) {
    const { endpoints, dialect, limits, sleep, isPaced = false } = options;
    this.#options = options;
    this.#pool =
      endpoints instanceof EndpointPool ? endpoints : new EndpointPool(endpoints, options);
    this.#pool.join();
    this.endpoints = this.#pool.endpoints.map((one) => {
      // Another endpoint is better than to wait; but the background keeps what it has.
      const staysWhenLimited = (hasAnswers: boolean) =>
        (isPaced && hasAnswers) || !this.#hasOther(one.name);
      const use = { isUrgent: !isPaced, sleep, staysWhenLimited };
      return new RpcEndpoint(one, { dialect, limits, use });
    });
  }

  get meter(): RpcMeter {
    return this.#pool.meter;
  }

  /** What endpoints cannot do; each begins with its endpoint's name. */
  listLimitations(): string[] {
    return this.endpoints.flatMap(({ name, limitations }) =>
      limitations.list().map((text) => `${name} ${text}`),
    );
  }

  get repliesRefused(): number {
    return this.#repliesRefused;
  }

  /**
   * Runs `work` at one endpoint. A failure there (no reply, a limit, false data) suspends that
   * endpoint and repeats all of `work` at the next; if none is left it waits for the first to
   * become available, as long as the budget lasts. Endpoints are preferred in the configured order.
   */
  async at<T>(work: (endpoint: RpcEndpoint) => Promise<T>, options: WorkOptions = {}): Promise<T> {
    const { isPaced, sleep } = this.#options;
    if (isPaced) await this.#pool.meter.pace(sleep, options.signal);
    const deadlineMs = this.#options.clock.monotonicMs() + this.#options.budgetMs;
    const passedOver = new Set<RpcEndpoint>();
    const incapable = new Set<RpcEndpoint>();
    let last: unknown = null;
    let waits = 0;
    for (;;) {
      options.signal?.throwIfAborted();
      const usable = this.#usable(incapable, last);
      const ready = usable.filter((one) => one.health.waitMs === 0 && !passedOver.has(one));
      // One where nothing waits for its turn; the preferred one if all are as busy.
      const endpoint = ready.find((one) => !one.isBusy) ?? ready[0];
      if (endpoint === undefined) {
        passedOver.clear();
        waits += 1;
        await this.#waitForAny(usable, { deadlineMs, last, waits, signal: options.signal });
        continue;
      }
      try {
        await endpoint.checkChain(options.signal);
        await this.#assertReaches(endpoint, options);
        const result = await work(endpoint);
        if (endpoint.health.succeeded()) {
          this.#options.log.info({ endpoint: endpoint.name }, 'endpoint has recovered');
        }
        return result;
      } catch (error) {
        options.signal?.throwIfAborted();
        if (!(error instanceof RpcError) || isRpcError(error, ...FINAL_KINDS)) throw error;
        last = error;
        passedOver.add(endpoint);
        if (isRpcError(error, ...INCAPABLE_KINDS)) incapable.add(endpoint);
        this.#settle(endpoint, error);
      }
    }
  }

  request(call: RpcCall, options: WorkOptions = {}): Promise<unknown> {
    return this.at((endpoint) => endpoint.request(call, options.signal), options);
  }

  /** Every available endpoint does `work`; those that fail are left out. */
  async atEach<T>(
    work: (endpoint: RpcEndpoint) => Promise<T>,
    signal?: AbortSignal,
  ): Promise<{ readonly endpoint: RpcEndpoint; readonly value: T }[]> {
    const usable = this.endpoints.filter(({ health }) => !health.isRefused && health.waitMs === 0);
    const settled = await Promise.all(
      usable.map(async (endpoint) => {
        try {
          await endpoint.checkChain(signal);
          return { endpoint, value: await work(endpoint) };
        } catch (error) {
          signal?.throwIfAborted();
          if (!(error instanceof RpcError)) throw error;
          if (!isRpcError(error, ...FINAL_KINDS)) this.#settle(endpoint, error);
          return null;
        }
      }),
    );
    return settled.filter((done) => done !== null);
  }

  /** Suspends an endpoint for a fault that only the caller could see. */
  reproach(endpoint: RpcEndpoint, reason: string): void {
    const { name } = endpoint;
    this.#settle(endpoint, new RpcError('invalidReply', `${name}: ${reason}`, { endpoint: name }));
  }

  close(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#pool.leave();
  }

  #hasOther(name: string): boolean {
    return this.endpoints.some(
      ({ name: other, health }) => other !== name && !health.isRefused && health.waitMs === 0,
    );
  }

  /** The endpoints that may still do the work; throws if there is none. */
  #usable(incapable: ReadonlySet<RpcEndpoint>, last: unknown): RpcEndpoint[] {
    const right = this.endpoints.filter((endpoint) => !endpoint.health.isRefused);
    if (right.length === 0) {
      throw new RpcError('wrongChain', `no endpoint serves chain ${this.#options.dialect.chain}`);
    }
    const usable = right.filter((endpoint) => !incapable.has(endpoint));
    if (usable.length === 0) throw last;
    return usable;
  }

  async #waitForAny(
    usable: readonly RpcEndpoint[],
    until: {
      readonly deadlineMs: number;
      readonly last: unknown;
      readonly waits: number;
      readonly signal?: AbortSignal | undefined;
    },
  ): Promise<void> {
    const { last } = until;
    const pollMs = computeBackoffMs(until.waits, POLL, this.#options.random);
    const waitMs = Math.max(pollMs, Math.min(...usable.map((endpoint) => endpoint.health.waitMs)));
    if (waitMs > until.deadlineMs - this.#options.clock.monotonicMs()) {
      const reason = last instanceof Error ? last.message : 'all are cooling down';
      throw new RpcError('unavailable', `no endpoint could answer: ${reason}`, {
        cause: last,
        isLoggedOutage: !isRpcError(last, ...UNSUITABLE_KINDS),
      });
    }
    await this.#options.sleep(waitMs, until.signal);
  }

  async #assertReaches(endpoint: RpcEndpoint, options: WorkOptions): Promise<void> {
    const { minBlock } = options;
    if (minBlock === undefined || (endpoint.health.head ?? -1) >= minBlock) return;
    const head = await endpoint.readBlockNumber(options.signal);
    if (head >= minBlock) return;
    throw new RpcError('lagging', `${endpoint.name}: at block ${head}, not yet at ${minBlock}`, {
      endpoint: endpoint.name,
    });
  }

  /** Suspends an endpoint according to its error. */
  #settle(endpoint: RpcEndpoint, error: RpcError): void {
    const fields = { endpoint: endpoint.name, kind: error.kind, reason: error.message };
    endpoint.limitations.noteSuspension(error);
    if (error.kind === 'invalidReply') this.#repliesRefused += 1;
    if (error.kind === 'wrongChain') {
      this.#options.log.warn(fields, 'endpoint serves another chain; it is checked again later');
      return;
    }
    if (isRpcError(error, ...UNSUITABLE_KINDS)) return;
    // Logged once until it recovers, however often it is tried again.
    if (endpoint.health.failed(error)) {
      this.#options.log.warn({ ...fields, waitMs: endpoint.health.waitMs }, 'endpoint suspended');
    }
  }
}
