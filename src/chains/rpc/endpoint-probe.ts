// What `plan` asks an endpoint: calls that wait out a rate limit, their bytes, batches and bursts.
// And the measuring of each endpoint of a chain, one after the other.

import type { Clock } from '../../lib/clock.ts';
import { type Sleep, sleep } from '../../lib/retry.ts';
import type { EndpointMeasurement, EndpointReport } from '../endpoint-measurement.ts';
import type { ChainSource, NodeParts } from '../family.ts';
import { EndpointPool } from './endpoint-pool.ts';
import type { RpcCall, RpcDialect } from './rpc-dialect.ts';
import { RpcEndpoint } from './rpc-endpoint.ts';
import { isRpcError } from './rpc-error.ts';
import type { RpcMeter } from './rpc-meter.ts';

const LIMITS = {
  timeoutMs: 20_000,
  replyBytesMax: 64 * 1024 * 1024,
  batchCallsMax: 100,
  batchesMax: 1,
  chainCheckMs: Number.POSITIVE_INFINITY,
};

const BATCH_SIZE = 20;
const ATTEMPTS = 3;
const LIMITED_MS = 1500;
const LIMITED_MAX_MS = 10_000;

interface ProbeParts {
  readonly endpoint: RpcEndpoint;
  readonly meter: RpcMeter;
  readonly clock: Pick<Clock, 'monotonicMs'>;
  readonly sleep: Sleep;
  readonly signal: AbortSignal;
}

/** The bytes that a call took, over the network and unpacked. */
interface WeighedResult {
  readonly result: unknown;
  readonly bytes: number;
  readonly unpacked: number;
}

export class EndpointProbe {
  readonly endpoint: RpcEndpoint;
  readonly meter: RpcMeter;
  readonly signal: AbortSignal;
  readonly #parts: ProbeParts;

  constructor(parts: ProbeParts) {
    this.endpoint = parts.endpoint;
    this.meter = parts.meter;
    this.signal = parts.signal;
    this.#parts = parts;
  }

  /** Waits and asks again if the endpoint limits the rate: that says nothing about the call. */
  async ask(call: RpcCall): Promise<unknown> {
    const { endpoint, sleep, signal } = this.#parts;
    for (let attempt = 1; ; attempt += 1) {
      try {
        return await endpoint.request(call, signal);
      } catch (error) {
        if (attempt === ATTEMPTS || !isRpcError(error, 'rateLimited')) throw error;
        await sleep(Math.min(LIMITED_MAX_MS, error.retryAfterMs ?? LIMITED_MS), signal);
      }
    }
  }

  /** Whether the call is answered; errors other than lost connections count as a no. */
  async answers(call: RpcCall, isRight: (result: unknown) => boolean = () => true) {
    try {
      return isRight(await this.ask(call));
    } catch (error) {
      this.signal.throwIfAborted();
      if (isRpcError(error)) return false;
      throw error;
    }
  }

  async weigh(call: RpcCall): Promise<WeighedResult> {
    const before = this.#sumBytes();
    const result = await this.ask(call);
    const after = this.#sumBytes();
    return {
      result,
      bytes: after.bytes - before.bytes,
      unpacked: after.unpacked - before.unpacked,
    };
  }

  #sumBytes(): { bytes: number; unpacked: number } {
    const usage = this.meter.listUsage();
    return {
      bytes: usage.reduce((sum, one) => sum + one.bytes, 0),
      unpacked: usage.reduce((sum, one) => sum + one.unpackedBytes, 0),
    };
  }

  /** How many calls one request may have; 1 if batches are refused. */
  async measureBatch(call: RpcCall): Promise<number> {
    const { endpoint, signal } = this;
    try {
      await endpoint.batch(new Array<RpcCall>(BATCH_SIZE).fill(call), { signal });
      // It learns from refusals.
      return Math.min(BATCH_SIZE, endpoint.health.batchCallsMax);
    } catch (error) {
      signal.throwIfAborted();
      if (!isRpcError(error)) throw error;
      return 1;
    }
  }

  /** Sends all at once. */
  async measureBurst(
    calls: readonly RpcCall[],
  ): Promise<{ readonly burst: EndpointMeasurement['burst']; readonly results: unknown[] }> {
    const { clock } = this.#parts;
    const { endpoint, signal } = this;
    const beganMs = clock.monotonicMs();
    const sent = calls.map((call) => endpoint.request(call, signal));
    const settled = await Promise.allSettled(sent);
    signal.throwIfAborted();
    const seconds = (clock.monotonicMs() - beganMs) / 1000;
    const results = settled.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []));
    return { burst: { sent: calls.length, answered: results.length, seconds }, results };
  }
}

export async function probeEndpoints(
  source: ChainSource,
  { clock, dialect }: Pick<NodeParts, 'clock'> & { readonly dialect: RpcDialect },
  run: {
    /** Throws an `RpcError` if the endpoint does not serve the chain at all. */
    readonly measure: (probe: EndpointProbe) => Promise<EndpointMeasurement>;
    readonly signal: AbortSignal;
  },
): Promise<EndpointReport[]> {
  const { measure, signal } = run;
  const reports: EndpointReport[] = [];
  for (const [index, url] of source.endpoints.entries()) {
    // A pool for each, so that its calls are counted separately.
    const pool = new EndpointPool([url], {
      ...{ clock, random: Math.random },
      budget: source.budget && { ...source.budget, creditsPerDay: null, creditsPerSecond: null },
    });
    pool.join();
    const pooled = pool.endpoints[0];
    if (pooled === undefined) continue;
    const name = pooled.name.replace(/#\d+$/, `#${index}`);
    // Its limits are what is measured.
    const use = { isUrgent: false, sleep, staysWhenLimited: () => false };
    const endpoint = new RpcEndpoint(pooled, { dialect, limits: LIMITS, use });
    try {
      const probe = new EndpointProbe({ endpoint, meter: pool.meter, clock, sleep, signal });
      reports.push({ kind: 'measured', measurement: { ...(await measure(probe)), name } });
    } catch (error) {
      signal.throwIfAborted();
      if (!isRpcError(error)) throw error;
      reports.push({ kind: 'failed', name, reason: error.message });
    } finally {
      pool.leave();
    }
  }
  return reports;
}
