// An endpoint that behaves as its profile says, in front of anything that answers like a node.

import type { Clock } from '../../src/lib/clock.ts';
import type { Random, Sleep } from '../../src/lib/retry.ts';
import {
  type Misdeed,
  RpcFault,
  replyTo,
  type TrueAnswer,
  type WireCall,
  type WireReply,
} from '../fakes/misbehaving-rpc.ts';
import { answerBehind } from './answer-behind.ts';
import { FILTER_VALUES_MAX, type Profile, type Refusal } from './profiles.ts';

export interface Outage {
  readonly fromMs: number;
  readonly toMs: number;
  /** Connections are refused, nothing answers, or a gateway says so. */
  readonly kind: 'close' | 'hang' | 'gateway';
}

interface ProviderOptions {
  readonly profile: Profile;
  readonly answer: TrueAnswer;
  /** The same chain on its other branch, while it has one. */
  readonly side?: () => TrueAnswer | null;
  readonly clock: Clock;
  readonly sleep: Sleep;
  readonly random: Random;
}

/** Errors of nodes that a reader must take for the node's trouble, not for its own. */
const FAILURE_TEXTS: readonly {
  readonly code: number;
  readonly message: string;
  readonly methods?: readonly string[];
}[] = [
  { code: -32002, message: 'request timed out' },
  { code: 30, message: 'Request timeout on the free tier, please upgrade your tier' },
  { code: -32603, message: 'Internal error' },
  { code: -32000, message: 'no backend is currently healthy to serve traffic' },
  {
    ...{ code: -32016, message: 'eth_getLogs request was canceled due to enabled timeout.' },
    methods: ['eth_getLogs'],
  },
  {
    code: -32000,
    message:
      'One of the blocks specified in filter (fromBlock, toBlock or blockHash) cannot be found.',
    methods: ['eth_getLogs'],
  },
  {
    ...{ code: -32000, message: 'execution aborted (timeout = 5s)' },
    methods: ['eth_call'],
  },
];

/** Of the standard normal distribution, at its 99th percentile. */
const Z99 = 2.326;
const DAY_MS = 86_400_000;
/** How long a backend stays as far behind as it is. */
const LAG_KEPT_MS = 5000;
const HTML = '<!DOCTYPE html><html><head><title>429 Too Many Requests</title></head></html>';

/** So many a second, of which one second's worth may be spent at once. */
class Allowance {
  readonly #perSecond: number;
  readonly #clock: Clock;
  #left: number;
  #atMs: number;

  constructor(perSecond: number, clock: Clock) {
    this.#perSecond = perSecond;
    this.#clock = clock;
    this.#left = perSecond;
    this.#atMs = clock.monotonicMs();
  }

  has(cost: number): boolean {
    const nowMs = this.#clock.monotonicMs();
    const earned = ((nowMs - this.#atMs) * this.#perSecond) / 1000;
    this.#left = Math.min(this.#perSecond, this.#left + earned);
    this.#atMs = nowMs;
    return this.#left >= cost;
  }

  take(cost: number): void {
    this.#left -= cost;
  }
}

function error(code: number, message: string): Misdeed {
  return { do: 'error', code, message };
}

interface LogFilter {
  readonly fromBlock?: string;
  readonly toBlock?: string;
  readonly blockHash?: string;
  readonly address?: string | readonly string[];
  readonly topics?: readonly (string | readonly string[] | null)[];
}

/** Why a query of logs is refused before it is answered; null if it is not. */
function refuseLogs(filter: LogFilter, limits: NonNullable<Profile['logs']>): Misdeed | null {
  const { address, topics = [] } = filter;
  const hasAddress = address !== undefined && [address].flat().length > 0;
  if (limits.needsAddress && !hasAddress && filter.blockHash === undefined) {
    return error(
      -32701,
      'Please specify an address in your request or, to remove restrictions, order a dedicated full node',
    );
  }
  const places = [address, ...topics].map((place) => (Array.isArray(place) ? place.length : 1));
  if (places.some((count) => count > FILTER_VALUES_MAX)) {
    return error(-32602, 'exceed max addresses or topics per search position');
  }
  const blocks = Number(filter.toBlock) - Number(filter.fromBlock) + 1;
  const { blocksMax } = limits;
  if (blocksMax === undefined || !(blocks > blocksMax)) return null;
  return blocksMax < 100
    ? error(
        -32600,
        `Under the Free tier plan, you can make eth_getLogs requests with up to a ${blocksMax} block range.`,
      )
    : error(-32005, `exceed maximum block range: ${blocksMax}`);
}

export class Provider {
  /** Nothing is answered meanwhile. */
  outages: Outage[] = [];
  /** Nothing fails any more; the limits stay. */
  isCalm = false;
  /** Requests and calls that arrived, and requests that were refused for the rate. */
  requests = 0;
  calls = 0;
  refused = 0;
  /** What its plan counts for the calls that it did not refuse. */
  credits = 0;
  /** The most requests that were under way at once. */
  underWayMax = 0;
  #underWay = 0;
  readonly #options: ProviderOptions;
  readonly #rate: Allowance | null;
  readonly #methodRates: ReadonlyMap<string, Allowance>;
  readonly #lags: { blocks: number; untilMs: number }[] = [];
  #creditsOfDay = { day: -1, spent: 0 };

  constructor(options: ProviderOptions) {
    const { clock, profile } = options;
    const { rate } = profile;
    this.#options = options;
    this.#rate = rate === null ? null : new Allowance(rate.perSecond, clock);
    const methods = Object.entries(rate?.methods ?? {});
    this.#methodRates = new Map(
      methods.map(([method, perSecond]) => [method, new Allowance(perSecond, clock)]),
    );
  }

  /** Gets the body of a request. */
  readonly respond = async (body: string): Promise<WireReply> => {
    this.requests += 1;
    this.#underWay += 1;
    this.underWayMax = Math.max(this.underWayMax, this.#underWay);
    return await this.#respond(body).finally(() => {
      this.#underWay -= 1;
    });
  };

  async #respond(body: string): Promise<WireReply> {
    const { sleep } = this.#options;
    const outage = this.#findOutage();
    if (outage?.kind === 'hang') return { kind: 'hang' };
    const latencyMs = this.#drawLatencyMs(body);
    await sleep(latencyMs / 2);
    if (outage?.kind === 'close') return { kind: 'close' };
    if (outage?.kind === 'gateway') return this.#replyWith(503, 'no healthy upstream');
    const node = { answer: this.#pickBackend(), decide: this.#decide };
    const reply = await replyTo(body, node);
    await sleep(latencyMs / 2);
    // Whoever asks waits as long as the outage that began meanwhile.
    if (this.#findOutage() !== undefined) return { kind: 'close' };
    return reply;
  }

  #replyWith(status: number, text: string): WireReply {
    return { kind: 'text', status, headers: {}, text };
  }

  #findOutage(): Outage | undefined {
    const nowMs = this.#options.clock.nowMs();
    return this.outages.find(({ fromMs, toMs }) => nowMs >= fromMs && nowMs < toMs);
  }

  /** Log-normal, through both figures of the profile. */
  #drawLatencyMs(body: string): number {
    const { latency, blockLatencyMs } = this.#options.profile;
    const { random } = this.#options;
    const normal = Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());
    const spread = Math.log(latency.p99Ms / latency.p50Ms) / Z99;
    const ms = latency.p50Ms * Math.exp(spread * Math.min(normal, 3));
    if (blockLatencyMs === undefined || !body.includes('"full"')) return ms;
    const { from, to } = blockLatencyMs;
    return ms + from + (to - from) * random();
  }

  #pickBackend(): TrueAnswer {
    const { profile, random, answer, side, clock } = this.#options;
    const backends = profile.backends ?? [{ lagBlocksMax: 0 }];
    const index = Math.floor(random() * backends.length);
    const { lagBlocksMax, isOnSide } = backends[index]!;
    const own = (isOnSide ? side?.() : null) ?? answer;
    if (lagBlocksMax === 0) return own;
    let lag = this.#lags[index];
    if (lag === undefined || lag.untilMs <= clock.nowMs()) {
      const blocks = Math.floor(random() * (lagBlocksMax + 1));
      lag = { blocks, untilMs: clock.nowMs() + LAG_KEPT_MS };
      this.#lags[index] = lag;
    }
    return answerBehind(own, lag.blocks);
  }

  readonly #decide = (calls: readonly WireCall[]): (Misdeed | null)[] => {
    this.calls += calls.length;
    const whole = this.#refuseDay(calls) ?? this.#refuseBatch(calls) ?? this.#refuseRate(calls);
    if (whole !== null) return calls.map(() => whole);
    this.credits += calls.length * (this.#options.profile.rate?.callCost ?? 1);
    const failure = this.#failWhole();
    return calls.map((call) => {
      const own = failure === 'wrong' ? spoilCall(call) : failure;
      return own ?? this.#refuseItem(call) ?? this.#judge(call);
    });
  };

  #refuseDay(calls: readonly WireCall[]): Misdeed | null {
    const { profile, clock } = this.#options;
    const { creditsPerDay, rate } = profile;
    if (creditsPerDay === undefined) return null;
    const day = Math.floor(clock.nowMs() / DAY_MS);
    if (this.#creditsOfDay.day !== day) this.#creditsOfDay = { day, spent: 0 };
    this.#creditsOfDay.spent += calls.length * (rate?.callCost ?? 1);
    if (this.#creditsOfDay.spent <= creditsPerDay) return null;
    const message = 'daily request count exceeded, request rate limited';
    const text = JSON.stringify({ jsonrpc: '2.0', id: null, error: { code: -32005, message } });
    return { do: 'reply', status: 429, text };
  }

  #refuseBatch(calls: readonly WireCall[]): Misdeed | null {
    const { batchCallsMax } = this.#options.profile;
    if (batchCallsMax === null || calls.length <= batchCallsMax) return null;
    return {
      do: 'refuseBatch',
      message: `batch of ${calls.length} calls is over ${batchCallsMax}`,
    };
  }

  /** What is above the rate costs nothing. */
  #refuseRate(calls: readonly WireCall[]): Misdeed | null {
    const { rate } = this.#options.profile;
    if (rate === null || this.#rate === null || rate.refusal.kind === 'items') return null;
    const cost = calls.length * (rate.callCost ?? 1);
    const counts = Map.groupBy(calls, ({ method }) => method);
    const isWithin =
      this.#rate.has(cost) &&
      [...this.#methodRates].every(([method, own]) => own.has(counts.get(method)?.length ?? 0));
    if (!isWithin) {
      this.refused += 1;
      return this.#describeRefusal(rate.refusal);
    }
    this.#rate.take(cost);
    for (const [method, own] of this.#methodRates) own.take(counts.get(method)?.length ?? 0);
    return null;
  }

  #describeRefusal(refusal: Exclude<Refusal, { kind: 'items' }>): Misdeed {
    const message = 'Too many requests, please slow down';
    const text = JSON.stringify({ jsonrpc: '2.0', id: null, error: { code: 429, message } });
    if (refusal.kind === 'rude') {
      const isCut = this.#options.random() < 0.5;
      return isCut ? { do: 'close' } : { do: 'reply', status: 200, text };
    }
    const { retryAfterS, isHtml } = refusal;
    const headers = retryAfterS === null ? {} : { 'retry-after': String(retryAfterS) };
    return { do: 'reply', status: 429, headers, text: isHtml ? HTML : text };
  }

  #refuseItem({ method }: WireCall): Misdeed | null {
    const { profile, random } = this.#options;
    const { rate } = profile;
    if (rate !== null && this.#rate !== null && rate.refusal.kind === 'items') {
      const cost = rate.callCost ?? 1;
      if (!this.#rate.has(cost)) {
        this.refused += 1;
        return random() < 0.5
          ? error(-32005, 'limit exceeded')
          : error(429, 'Your app has exceeded its compute units per second capacity');
      }
      this.#rate.take(cost);
    }
    if (!profile.missing?.includes(method)) return null;
    return error(-32601, `the method ${method} does not exist/is not available`);
  }

  /** A failure of the whole reply. */
  #failWhole(): Misdeed | 'wrong' | null {
    const { failures } = this.#options.profile;
    const { random } = this.#options;
    if (failures === undefined || this.isCalm || random() * failures.oneIn >= 1) return null;
    const kind = failures.kinds[Math.floor(random() * failures.kinds.length)];
    if (kind === 'gateway') {
      const status = [502, 503, 504][Math.floor(random() * 3)] ?? 502;
      return { do: 'reply', status, text: '<html>Bad gateway</html>' };
    }
    if (kind === 'hang') return { do: 'hang' };
    if (kind === 'cut') {
      return random() < 0.5
        ? { do: 'close' }
        : { do: 'cut', after: 10 + Math.floor(random() * 90) };
    }
    if (kind === 'wrong') return kind;
    const texts = FAILURE_TEXTS.filter(({ methods }) => methods === undefined);
    const { code, message } = texts[Math.floor(random() * texts.length)]!;
    return error(code, message);
  }

  /** What the profile says of one call. */
  #judge({ method, params }: WireCall): Misdeed | null {
    const { logs, failures } = this.#options.profile;
    const { random } = this.#options;
    const isFailing = !this.isCalm && failures !== undefined && failures.kinds.includes('error');
    if (isFailing && random() * failures.oneIn < 0.2) {
      const own = FAILURE_TEXTS.filter(({ methods }) => methods?.includes(method));
      const text = own[Math.floor(random() * own.length)];
      if (text !== undefined) return error(text.code, text.message);
    }
    if (method !== 'eth_getLogs') return null;
    const refused = refuseLogs(params[0] as LogFilter, logs ?? {});
    if (refused !== null) return refused;
    const logsMax = logs?.logsMax;
    if (logsMax === undefined) return null;
    return {
      do: 'change',
      change: (result) => {
        if (!Array.isArray(result) || result.length <= logsMax) return result;
        throw new RpcFault(-32005, `query returned more than ${logsMax} results`);
      },
    };
  }
}

/** Lists that are checked: the header, or the next block, says that a part is missing. */
const CHECKED_LISTS = ['eth_getBlockReceipts', 'getBlocks'];
/** Headers of longer ranges are not read. */
const CHECKED_LOGS_BLOCKS = 3;

function isCheckedList({ method, params }: WireCall): boolean {
  if (method !== 'eth_getLogs') return CHECKED_LISTS.includes(method);
  const { address, fromBlock, toBlock } = params[0] as LogFilter;
  // Nothing tells that some of a few contracts' logs are missing (docs/operating.md, `watch`).
  if (address !== undefined) return false;
  return Number(toBlock) - Number(fromBlock) < CHECKED_LOGS_BLOCKS;
}

/** A reply that looks right: half of a list, another chain, nothing. */
function spoilCall(call: WireCall): Misdeed | null {
  const change = (result: unknown) => {
    if (Array.isArray(result)) return result.filter((_, index) => index % 2 === 0);
    if (call.method === 'eth_chainId') return '0x1';
    return typeof result === 'object' ? null : result;
  };
  const isList = call.method.startsWith('get') || call.method === 'eth_getLogs';
  return isList && !isCheckedList(call) ? null : { do: 'change', change };
}
