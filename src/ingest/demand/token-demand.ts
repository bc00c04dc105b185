// Decides which of the tokens that clients ask for are looked up, and when: one lookup per address
// at a time, callers in turn, within a budget for each chain. An address that is no token is
// remembered for a while.
//
// The budget of a chain is kept by the process that indexes it; the others pass their lookups on.

import type { LookupCaller, LookupDesk, TokenRequest } from '../../contract/look-up-token.ts';
import { BoundedMap } from '../../lib/bounded-map.ts';
import type { Clock } from '../../lib/clock.ts';
import { FairQueue } from '../../lib/fair-queue.ts';
import { Limiter } from '../../lib/limiter.ts';
import type { Sleep } from '../../lib/retry.ts';
import type { ChainSlug } from '../../model/chain.ts';
import type { Address } from '../../model/ids.ts';
import type { LookupOutcome } from '../../model/lookup-outcome.ts';

interface TokenDemandOptions {
  /** How many lookups a minute, on average and for each chain; 0 for none. */
  readonly perMinute: number;
  /**
   * Begins a lookup or passes it on; it ends with `settle`. False if that is not possible now.
   * Without a caller nobody waits for it.
   */
  readonly send: (chain: ChainSlug, token: Address, caller: string | null) => boolean;
  /** Whether this process keeps the chain's budget. */
  readonly hasBudget: (chain: ChainSlug) => boolean;
  /** Called with every outcome, for other processes that asked. */
  readonly onOutcome: (chain: ChainSlug, token: Address, outcome: LookupOutcome) => void;
  readonly clock: Pick<Clock, 'monotonicMs'>;
  readonly sleep: Sleep;
  readonly waitMs?: number;
}

interface WaitingLookup {
  readonly token: Address;
  /** Null if nobody waits for it. */
  readonly caller: string | null;
  readonly promise: Promise<LookupOutcome>;
  readonly resolve: (outcome: LookupOutcome) => void;
}

/** How long a request waits before it is answered with what is known. */
const WAIT_MS = 8_000;
const NO_TOKEN_MS = 10 * 60_000;
const REMEMBERED_MAX = 10_000;
/** How often the pools of a known token are looked for. */
const AGAIN_AFTER_MS = 6 * 60 * 60_000;
/** Lookups of one chain that run at once. */
const RUNNING_MAX = 4;
/** Lookups of one chain that wait in the process with its budget. */
const PASSED_ON_MAX = 256;
const BURST_MAX = 10;
const CHAINS_MAX = 1000;
const QUEUE_LIMITS = { lengthMax: 256, perCallerMax: 8 } as const;
/** Known tokens that wait until nobody waits for an unknown one. */
const IDLE_WORK_MAX = 256;
/** The part of the budget that they may use. */
const IDLE_DIVISOR = 5;
const MINUTE_MS = 60_000;

function createLookup(token: Address, caller: string | null): WaitingLookup {
  return { token, caller, ...Promise.withResolvers<LookupOutcome>() };
}

/** The lookups of one chain. */
class ChainDemand {
  readonly waiting = new Map<Address, WaitingLookup>();
  readonly queue = new FairQueue<WaitingLookup & { refuse(): void }>(QUEUE_LIMITS);
  readonly idleWork = new Map<Address, WaitingLookup>();
  readonly running = new Set<Address>();
  readonly passedOn = new Set<Address>();
  /** When the next lookup that nobody waits for may begin. */
  idleAtMs = Number.NEGATIVE_INFINITY;
  /** When the next look at the queues is due. */
  pumpAtMs = Number.POSITIVE_INFINITY;
}

export class TokenDemand implements LookupDesk {
  readonly #options: TokenDemandOptions;
  readonly #abort = new AbortController();
  readonly #chains = new Map<ChainSlug, ChainDemand>();
  readonly #noTokens = new BoundedMap<string, number>(REMEMBERED_MAX);
  readonly #lookedUp = new BoundedMap<string, number>(REMEMBERED_MAX);

  /** By chain. */
  readonly #limiter: Limiter;

  constructor(options: TokenDemandOptions) {
    this.#options = options;
    const { perMinute, clock } = options;
    const budget = { policy: 'lookups', perMinute, burst: Math.min(BURST_MAX, perMinute) };
    this.#limiter = new Limiter({ budget, identitiesMax: CHAINS_MAX, clock });
  }

  get isOn(): boolean {
    return this.#options.perMinute > 0;
  }

  /** How many requests wait for their lookup to begin. */
  get waiting(): number {
    return this.#sum((demand) => demand.queue.length + demand.idleWork.size);
  }

  /** How many addresses are remembered as being no token, or as looked up. */
  get remembered(): number {
    return this.#noTokens.size + this.#lookedUp.size;
  }

  /** `pending` if the wait was too short: the lookup goes on. */
  async find(request: TokenRequest, caller: LookupCaller): Promise<LookupOutcome | 'pending'> {
    const { chain, token, isKnown } = request;
    const key = `${chain} ${token}`;
    if (!this.isOn || this.#isRecent(this.#noTokens, key, NO_TOKEN_MS)) return 'noToken';
    if (isKnown && this.#isRecent(this.#lookedUp, key, AGAIN_AFTER_MS)) return 'unchanged';
    const demand = this.#findDemand(chain);
    let lookup = demand.waiting.get(token);
    let paid = 0;
    // One that nobody has waited for so far is no longer put off.
    if (lookup === undefined || demand.idleWork.has(token)) {
      paid = caller.charge();
      lookup = this.#enqueue(chain, token, caller.key);
    }
    const outcome = await this.#await(lookup);
    if (outcome !== 'found' && outcome !== 'noToken' && outcome !== 'pending') caller.refund(paid);
    return outcome;
  }

  /** Looks for older pools of a known token when there is time; nobody waits for it. */
  noteKnown(chain: ChainSlug, token: Address): void {
    const key = `${chain} ${token}`;
    const demand = this.#findDemand(chain);
    if (!this.isOn || demand.waiting.has(token) || demand.idleWork.size >= IDLE_WORK_MAX) return;
    if (this.#isRecent(this.#lookedUp, key, AGAIN_AFTER_MS)) return;
    const lookup = createLookup(token, null);
    demand.waiting.set(token, lookup);
    demand.idleWork.set(token, lookup);
    this.#pump(chain);
  }

  /** Another process passes a lookup on; without a caller nobody waits for it. */
  accept(chain: ChainSlug, token: Address, caller: string | null): void {
    const { onOutcome } = this.#options;
    const key = `${chain} ${token}`;
    const demand = this.#findDemand(chain);
    if (!this.isOn) onOutcome(chain, token, 'notReady');
    else if (this.#isRecent(this.#noTokens, key, NO_TOKEN_MS)) {
      onOutcome(chain, token, 'noToken');
    } else if (caller === null && this.#isRecent(this.#lookedUp, key, AGAIN_AFTER_MS)) {
      onOutcome(chain, token, 'found');
    } else if (caller === null) {
      this.noteKnown(chain, token);
      if (!demand.waiting.has(token)) onOutcome(chain, token, 'busy');
    } else if (!demand.waiting.has(token) || demand.idleWork.has(token)) {
      this.#enqueue(chain, token, caller);
    }
  }

  /** A lookup has ended. */
  settle(chain: ChainSlug, token: Address, outcome: LookupOutcome): void {
    const key = `${chain} ${token}`;
    const { running, passedOn } = this.#findDemand(chain);
    running.delete(token);
    passedOn.delete(token);
    if (outcome === 'noToken') this.#remember(this.#noTokens, key);
    if (outcome === 'found') this.#remember(this.#lookedUp, key);
    this.#resolve(chain, token, outcome);
    this.#pump(chain);
  }

  /** Whoever looks tokens up has gone, with all that it had begun. */
  abandon(): void {
    for (const [chain, demand] of this.#chains) {
      for (const token of demand.running) this.settle(chain, token, 'failed');
    }
  }

  stop(): void {
    this.#abort.abort();
    for (const [chain, { waiting }] of this.#chains) {
      for (const token of waiting.keys()) this.#resolve(chain, token, 'notReady');
    }
  }

  #enqueue(chain: ChainSlug, token: Address, caller: string): WaitingLookup {
    const demand = this.#findDemand(chain);
    // Whoever awaits one that was put off awaits the same promise.
    const known = demand.waiting.get(token) ?? createLookup(token, caller);
    const refuse = () => this.#resolve(chain, token, 'busy');
    const lookup = { ...known, caller, refuse };
    demand.idleWork.delete(token);
    demand.waiting.set(token, lookup);
    demand.queue.push({ caller }, lookup);
    this.#pump(chain);
    return lookup;
  }

  async #await({ promise }: WaitingLookup): Promise<LookupOutcome | 'pending'> {
    const { sleep, waitMs = WAIT_MS } = this.#options;
    const done = new AbortController();
    const late = sleep(waitMs, done.signal).then(() => 'pending' as const);
    try {
      return await Promise.race([promise, late]);
    } finally {
      done.abort();
      late.catch(() => undefined);
    }
  }

  #resolve(chain: ChainSlug, token: Address, outcome: LookupOutcome): void {
    const { waiting } = this.#findDemand(chain);
    const lookup = waiting.get(token);
    waiting.delete(token);
    lookup?.resolve(outcome);
    this.#options.onOutcome(chain, token, outcome);
  }

  /** Begins lookups as far as the budget allows. */
  #pump(chain: ChainSlug): void {
    const demand = this.#findDemand(chain);
    while (!this.#abort.signal.aborted) {
      if (demand.queue.length + demand.idleWork.size === 0) return;
      const isKept = this.#options.hasBudget(chain);
      const begun = isKept ? demand.running : demand.passedOn;
      if (begun.size >= (isKept ? RUNNING_MAX : PASSED_ON_MAX)) return;
      const isIdle = demand.queue.length === 0;
      const nowMs = this.#options.clock.monotonicMs();
      const tooSoonMs = this.#computeTooSoonMs(chain, { isKept, isIdle, nowMs });
      if (tooSoonMs > 1e-6) {
        this.#pumpLater(chain, tooSoonMs);
        return;
      }
      const next = this.#takeNext(demand);
      if (next === undefined) return;
      if (isKept) this.#limiter.settle(chain, 1);
      if (isIdle) demand.idleAtMs = nowMs + this.#unitMs * IDLE_DIVISOR;
      begun.add(next.token);
      if (!this.#options.send(chain, next.token, next.caller)) {
        begun.delete(next.token);
        this.#resolve(chain, next.token, 'notReady');
      }
    }
  }

  get #unitMs(): number {
    return MINUTE_MS / this.#options.perMinute;
  }

  /** How long the next lookup of a chain has to wait. */
  #computeTooSoonMs(
    chain: ChainSlug,
    of: { readonly isKept: boolean; readonly isIdle: boolean; readonly nowMs: number },
  ): number {
    const { isKept, isIdle, nowMs } = of;
    const idleMs = isIdle ? this.#findDemand(chain).idleAtMs - nowMs : 0;
    if (!isKept) return idleMs;
    const { burst } = this.#limiter.budget;
    // What nobody waits for must leave half of the budget to whoever waits.
    const left = isIdle ? burst - Math.max(1, burst / 2) : 0;
    return Math.max(this.#limiter.computeWaitMs(chain, 1 + left), idleMs);
  }

  #takeNext({ queue, idleWork }: ChainDemand): WaitingLookup | undefined {
    const asked = queue.shift();
    if (asked !== undefined) return asked;
    const [idle] = idleWork.values();
    if (idle !== undefined) idleWork.delete(idle.token);
    return idle;
  }

  #pumpLater(chain: ChainSlug, waitMs: number): void {
    const demand = this.#findDemand(chain);
    const { sleep, clock } = this.#options;
    const atMs = clock.monotonicMs() + waitMs;
    if (demand.pumpAtMs <= atMs) return;
    demand.pumpAtMs = atMs;
    const pump = () => {
      if (demand.pumpAtMs === atMs) demand.pumpAtMs = Number.POSITIVE_INFINITY;
      this.#pump(chain);
    };
    sleep(waitMs, this.#abort.signal).then(pump, () => undefined);
  }

  #isRecent(memory: BoundedMap<string, number>, key: string, lifeMs: number): boolean {
    const atMs = memory.get(key);
    return atMs !== undefined && this.#options.clock.monotonicMs() - atMs < lifeMs;
  }

  #remember(memory: BoundedMap<string, number>, key: string): void {
    memory.delete(key);
    memory.set(key, this.#options.clock.monotonicMs());
  }

  #findDemand(chain: ChainSlug): ChainDemand {
    let demand = this.#chains.get(chain);
    if (demand === undefined) {
      demand = new ChainDemand();
      this.#chains.set(chain, demand);
    }
    return demand;
  }

  #sum(count: (demand: ChainDemand) => number): number {
    return [...this.#chains.values()].reduce((sum, demand) => sum + count(demand), 0);
  }
}
