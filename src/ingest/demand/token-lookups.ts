// Looks up tokens that clients ask for and the index does not have: reads them and their pools at
// an indexed block, adds them between two commits, and waits a while for the pools' adoption.

import type { ChainAdapter, TokenFinding } from '../../chains/adapter.ts';
import { BoundedMap } from '../../lib/bounded-map.ts';
import type { Sleep } from '../../lib/retry.ts';
import type { Discovery } from '../../model/discovery.ts';
import type { Address, PoolId } from '../../model/ids.ts';
import type { LookupOutcome } from '../../model/lookup-outcome.ts';
import type { TokenMetadata } from '../../model/token-metadata.ts';
import type { MarketReader } from '../../store/store.ts';
import type { AdoptionJournal, BranchPoint } from '../adopt/adoption-journal.ts';

// What fills in the history of a token that was looked up.

interface BackfillRequests {
  /** Called after each lookup that found the token; must be cheap if nothing is due. */
  request(token: Address): void;
}

interface FoundTokens {
  readonly discoveries: readonly Discovery[];
  readonly metadata: readonly TokenMetadata[];
}

/** Adds tokens and pools as of the last indexed block, which is returned. */
type Discover = (found: FoundTokens) => Promise<number>;

interface TokenLookupsOptions {
  readonly adapter: ChainAdapter;
  readonly store: MarketReader;
  readonly journal: AdoptionJournal;
  /** The first block from which on pools of the token are seen with their creation. */
  readonly readStartBlock: (token: Address) => number;
  /** Whether the index is near the chain's head. */
  readonly isAtHead: () => boolean;
  /** Called with pools that were added, to adopt them first; false if pools are not adopted. */
  readonly adopt: (pools: readonly PoolId[]) => boolean;
  readonly backfill: BackfillRequests;
  readonly sleep: Sleep;
  readonly log: { warn(fields: object, message: string): void };
}

interface ReadyLookup {
  readonly found: FoundTokens;
  readonly point: BranchPoint;
  /** Called with the block that it was added with; null if it was not. */
  readonly settle: (block: number | null) => void;
}

export interface LookupStatus {
  readonly running: number;
  readonly found: number;
  readonly failed: number;
  readonly calls: number;
}

/** How often a lookup begins again because its block was reorganised away. */
const ATTEMPTS_MAX = 4;
const AGAIN_AFTER_MS = 500;
/** How long a lookup waits for its pools; they are adopted in any case. */
const ADOPTION_WAIT_MS = 4_000;
const REMEMBERED_MAX = 20_000;
/** Lookups at once, including those that a rollback repeats. */
const RUNNING_MAX = 16;

export class TokenLookups {
  readonly #options: TokenLookupsOptions;
  readonly #abort = new AbortController();
  readonly #running = new Map<Address, Promise<LookupOutcome>>();
  #ready: ReadyLookup[] = [];
  /** Pools whose adoption somebody waits for. */
  readonly #awaited = new Map<PoolId, (() => void)[]>();
  /** How far back logs were searched, by token. */
  readonly #searchedFrom = new BoundedMap<Address, number>(REMEMBERED_MAX);
  /** The block that tokens were added with: a rollback below it removes them. */
  readonly #addedAt = new BoundedMap<Address, number>(REMEMBERED_MAX);
  #found = 0;
  #failed = 0;
  #calls = 0;

  constructor(options: TokenLookupsOptions) {
    this.#options = options;
  }

  status(): LookupStatus {
    const running = this.#running.size;
    return { running, found: this.#found, failed: this.#failed, calls: this.#calls };
  }

  /** Never rejects. Lookups of one token at the same time are one. */
  lookUp(token: Address): Promise<LookupOutcome> {
    const running = this.#running.get(token);
    if (running !== undefined) return running;
    if (this.#running.size >= RUNNING_MAX) return Promise.resolve('busy');
    const lookup = this.#lookUp(token).finally(() => this.#running.delete(token));
    this.#running.set(token, lookup);
    return lookup;
  }

  /** A pool was adopted, or that failed. */
  noteAdoption(pool: PoolId): void {
    for (const resolve of this.#awaited.get(pool) ?? []) resolve();
    this.#awaited.delete(pool);
  }

  /** A rollback may have removed tokens that were looked up: they are looked up again. */
  noteRollback(toBlock: number): void {
    for (const [token, block] of [...this.#addedAt]) {
      if (block <= toBlock) continue;
      this.#addedAt.delete(token);
      // The pools that logs told of are gone, too.
      this.#searchedFrom.delete(token);
      void this.lookUp(token);
    }
  }

  /** Must be called between two commits; false if there was nothing to add. */
  async commit(discover: Discover): Promise<boolean> {
    if (this.#ready.length === 0) return false;
    const jobs = this.#ready;
    this.#ready = [];
    let block: number | null = null;
    const current = jobs.filter(({ point }) => !point.isGone);
    try {
      const discoveries = current.flatMap(({ found }) => found.discoveries);
      const metadata = current.flatMap(({ found }) => found.metadata);
      if (current.length > 0) block = await discover({ discoveries, metadata });
    } finally {
      for (const job of jobs) job.settle(job.point.isGone ? null : block);
    }
    return current.length > 0;
  }

  async stop(): Promise<void> {
    this.#abort.abort();
    for (const job of this.#ready) job.settle(null);
    this.#ready = [];
    for (const pool of [...this.#awaited.keys()]) this.noteAdoption(pool);
    await Promise.all(this.#running.values());
  }

  async #lookUp(token: Address): Promise<LookupOutcome> {
    const { adapter, log } = this.#options;
    try {
      for (let attempt = 0; attempt < ATTEMPTS_MAX; attempt += 1) {
        if (this.#abort.signal.aborted || !this.#options.isAtHead()) return 'notReady';
        const outcome = await this.#attempt(token);
        if (outcome !== 'again') return outcome;
        // The index needs a moment to follow the chain to its new branch.
        await this.#options.sleep(AGAIN_AFTER_MS, this.#abort.signal);
      }
      log.warn({ chain: adapter.chain, token }, 'a token was not looked up: its block was lost');
    } catch (error) {
      if (this.#abort.signal.aborted) return 'notReady';
      log.warn({ chain: adapter.chain, token, err: error }, 'a token could not be looked up');
    }
    this.#failed += 1;
    return 'failed';
  }

  async #attempt(token: Address): Promise<LookupOutcome | 'again'> {
    const { journal, backfill } = this.#options;
    const point = journal.openPoint();
    if (point === null) return 'notReady';
    try {
      const finding = await this.#find(token, point);
      if (finding.kind === 'blockGone') return 'again';
      if (finding.kind === 'noToken') return 'noToken';
      const found = await this.#collect(finding, point);
      if (found === null) return 'again';
      const pools = found.discoveries.flatMap((one) => one.pools.map(({ pool }) => pool));
      if (!(await this.#hasAll(found))) {
        const block = await this.#add({ found, point });
        if (block === null) return 'again';
        this.#addedAt.delete(token);
        this.#addedAt.set(token, block);
      }
      this.#searchedFrom.set(token, finding.searchedFrom);
      this.#found += 1;
      backfill.request(token);
      await this.#awaitAdoption(pools);
      return 'found';
    } finally {
      journal.closePoint(point);
    }
  }

  async #find(token: Address, { block, blockHash }: BranchPoint): Promise<TokenFinding> {
    const { adapter, readStartBlock } = this.#options;
    if (adapter.findToken === undefined) throw new Error('the chain cannot look tokens up');
    const indexedFrom = readStartBlock(token);
    const searchedFrom = this.#searchedFrom.get(token) ?? indexedFrom;
    const query = { token, indexedFrom, searchedFrom };
    const at = { position: block, hash: blockHash };
    const finding = await adapter.findToken(query, at, this.#abort.signal);
    this.#calls += finding.callCount;
    return finding;
  }

  /** With the pools that price the native coin, if none of them is known yet; null if lost. */
  async #collect(
    finding: Extract<TokenFinding, { kind: 'token' }>,
    point: BranchPoint,
  ): Promise<FoundTokens | null> {
    const { adapter, store } = this.#options;
    const { chain, assets } = adapter;
    const { token } = finding.metadata;
    const discoveries: Discovery[] = [{ token, pools: finding.pools }];
    const metadata = [finding.metadata];
    const anchors = await store.readPools(chain, assets.anchorPools);
    const isUnpriced = assets.anchorPools.length > 0 && anchors.length === 0;
    const wrapped = [...assets.native].find((asset) => asset !== assets.coin);
    if (isUnpriced && wrapped !== undefined && wrapped !== token) {
      const second = await this.#find(wrapped, point);
      if (second.kind === 'blockGone') return null;
      if (second.kind === 'token') {
        discoveries.push({ token: wrapped, pools: second.pools });
        metadata.push(second.metadata);
      }
    }
    const read = new Set(metadata.map((one) => one.token));
    const sides = new Set(
      discoveries.flatMap(({ pools }) => pools.flatMap(({ token0, token1 }) => [token0, token1])),
    );
    const others = [...sides].filter((one) => one !== assets.coin && !read.has(one));
    const stored = new Set((await store.readTokens(chain, others)).map((row) => row.token));
    const unknown = others.filter((one) => !stored.has(one));
    if (unknown.length > 0) {
      const from = { block: point.block, signal: this.#abort.signal };
      metadata.push(...(await adapter.readTokenMetadata(unknown, from)));
    }
    return { discoveries, metadata };
  }

  async #hasAll({ discoveries }: FoundTokens): Promise<boolean> {
    const { adapter, store } = this.#options;
    const tokens = discoveries.map(({ token }) => token);
    const pools = new Set(discoveries.flatMap((one) => one.pools.map(({ pool }) => pool)));
    const [tokenRows, poolRows] = await Promise.all([
      store.readTokens(adapter.chain, tokens),
      store.readPools(adapter.chain, [...pools]),
    ]);
    return tokenRows.length === tokens.length && poolRows.length === pools.size;
  }

  /** The block that they were added with; null if the one they were read at is gone. */
  async #add({ found, point }: Pick<ReadyLookup, 'found' | 'point'>): Promise<number | null> {
    if (this.#abort.signal.aborted) return null;
    return await new Promise((settle) => this.#ready.push({ found, point, settle }));
  }

  async #awaitAdoption(pools: readonly PoolId[]): Promise<void> {
    const { adapter, store, adopt, sleep } = this.#options;
    const rows = await store.readPools(adapter.chain, pools);
    const partial = rows.filter(({ complete }) => !complete).map(({ pool }) => pool);
    if (partial.length === 0 || this.#abort.signal.aborted || !adopt(partial)) return;
    const adopted = partial.map(
      (pool) =>
        new Promise<void>((resolve) => {
          this.#awaited.set(pool, [...(this.#awaited.get(pool) ?? []), resolve]);
        }),
    );
    const late = new AbortController();
    const wait = sleep(ADOPTION_WAIT_MS, AbortSignal.any([late.signal, this.#abort.signal]));
    await Promise.race([Promise.all(adopted), wait.catch(() => undefined)]);
    late.abort();
    await wait.catch(() => undefined);
    for (const pool of partial) this.noteAdoption(pool);
  }
}
