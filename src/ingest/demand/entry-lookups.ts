// Looks for the older pools of tokens that come into scope: the node is asked for the events of
// known pools only, and their creation was not seen. Their history is requested with it.

import type { ChainAdapter } from '../../chains/adapter.ts';
import { findRank, RANK_TOKEN } from '../../chains/quote-rule.ts';
import type { Clock } from '../../lib/clock.ts';
import type { Random, Sleep } from '../../lib/retry.ts';
import { runSteps } from '../../lib/run-steps.ts';
import type { Discovery } from '../../model/discovery.ts';
import type { Address, PoolId } from '../../model/ids.ts';
import type { PoolDescription } from '../../model/pool.ts';
import type { MarketReader } from '../../store/store.ts';
import { applyPoolCreated } from '../apply/apply-pool-event.ts';
import { valuePools } from '../apply/value-pools.ts';
import { CallBudget } from '../read/call-budget.ts';
import type { ChainScope } from '../scope/chain-scope.ts';
import type { MarketState } from '../state/market-state.ts';
import { openTokenEntry } from '../state/token-entry.ts';
import type { TokenLookups } from './token-lookups.ts';

// Adds tokens and pools that were looked up, as a change of the last indexed block.

/** Only what the index does not have; without discoveries that bring anything. */
export function pickNew(
  state: MarketState,
  discoveries: readonly Discovery[],
): readonly Discovery[] {
  const seen = new Set<PoolId>();
  const isNew = ({ pool }: PoolDescription): boolean => {
    if (state.pools.get(pool) !== undefined || seen.has(pool)) return false;
    seen.add(pool);
    return true;
  };
  const byToken = Map.groupBy(discoveries, ({ token }) => token);
  return Array.from(byToken, ([token, found]) => ({
    token,
    pools: found.flatMap(({ pools }) => pools.filter(isNew)),
  })).filter(({ token, pools }) => pools.length > 0 || state.tokens.get(token) === undefined);
}

/** Everything must be loaded, and `beginBlock` called. */
export function applyDiscoveries(state: MarketState, discoveries: readonly Discovery[]): void {
  for (const { token, pools } of discoveries) {
    openTokenEntry(state, token);
    for (const description of pools) {
      applyPoolCreated(state, { kind: 'poolCreated', description, complete: false });
    }
  }
  valuePools(state);
}

interface EntryLookupsOptions {
  readonly adapter: ChainAdapter;
  readonly store: Pick<MarketReader, 'readBackfills'>;
  readonly scope: Pick<ChainScope, 'takeEntered' | 'findEntry'>;
  readonly lookups: Pick<TokenLookups, 'lookUp' | 'status'>;
  /** Average requests to the node per minute. */
  readonly callsPerMinute: number;
  /** Whether the index is near the chain's head. */
  readonly isAtHead: () => boolean;
  readonly clock: Clock;
  readonly sleep: Sleep;
  readonly random: Random;
  readonly log: { warn(fields: object, message: string): void };
  /** How often to look for work while there is none. */
  readonly idleMs?: number | undefined;
}

export class EntryLookups {
  readonly #options: EntryLookupsOptions;
  readonly #budget: CallBudget;
  readonly #abort = new AbortController();
  readonly #due = new Set<Address>();
  /** The entries that were answered, by token: whenever the index is loaded all are told again. */
  readonly #answered = new Map<Address, number>();
  #running: Promise<void> | null = null;

  constructor(options: EntryLookupsOptions) {
    this.#options = options;
    this.#budget = new CallBudget(options);
  }

  start(): void {
    const { log, adapter } = this.#options;
    this.#running ??= runSteps(() => this.#step(), {
      ...this.#options,
      signal: this.#abort.signal,
      onError: (error) =>
        log.warn({ chain: adapter.chain, err: error }, 'older pools could not be looked for'),
    });
  }

  async stop(): Promise<void> {
    this.#abort.abort();
    await this.#running;
  }

  /** True if there may be more to do at once. */
  async #step(): Promise<boolean> {
    const { scope, lookups, isAtHead } = this.#options;
    for (const { token } of scope.takeEntered()) this.#due.add(token);
    const [token] = this.#due;
    if (token === undefined || !isAtHead()) return false;
    // Last, in case it has to be tried again.
    this.#due.delete(token);
    if (!(await this.#isDue(token))) return true;
    this.#due.add(token);
    await this.#budget.wait(this.#abort.signal);
    const before = lookups.status().calls;
    const outcome = await lookups.lookUp(token);
    this.#budget.spend(Math.max(1, lookups.status().calls - before));
    const isAnswered = outcome === 'found' || outcome === 'noToken';
    if (isAnswered) {
      this.#due.delete(token);
      this.#answered.set(token, scope.findEntry(token)?.fromBlock ?? 0);
    }
    return isAnswered;
  }

  /** Not if all of its pools were seen, it has left, or that was done before a restart. */
  async #isDue(token: Address): Promise<boolean> {
    const { scope, adapter, store } = this.#options;
    const entry = scope.findEntry(token);
    if (entry === null || entry.leftBlock !== null || entry.fromBlock <= 1) return false;
    if (findRank(adapter.assets, token) !== RANK_TOKEN) return false;
    if (this.#answered.get(token) === entry.fromBlock) return false;
    const jobs = await store.readBackfills(adapter.chain, [token]);
    return !jobs.some(({ toBlock }) => toBlock >= entry.fromBlock);
  }
}
