// Keeps a chain's pool graph at the last committed state: read from the store at start, then
// updated by the feed, which names the pools that a commit or rollback touched.
//
// Rows are read from the store rather than carried by the feed: a rollback restores them inside the
// store. Each read must reflect one commit, so it is applied only if the feed has announced the
// version of its snapshot; a snapshot that is ahead waits for the feed.

import { kindOf } from '../../amm/pool-kinds.ts';
import { toPoolMoment } from '../../amm/pool-moment.ts';
import type { DirectionFees } from '../../amm/swap-pool.ts';
import { type Backoff, computeBackoffMs, type Random, type Sleep } from '../../lib/retry.ts';
import type { ChainSlug } from '../../model/chain.ts';
import type { Address, PoolId } from '../../model/ids.ts';
import type { Checkpoint, TickRecord } from '../../model/market-record.ts';
import type { PoolRecord } from '../../model/pool.ts';
import type { MarketStore } from '../../store/store.ts';
import { AskedPools } from './asked-pools.ts';
import { type NativeCoin, PoolGraph } from './pool-graph.ts';
import { createGraphPool, type GraphPool, type PoolRules } from './pool-graph-pool.ts';
import { type CreatePool, readDepth, readPoolGraph } from './read-pool-graph.ts';

/** The parts of a commit that the graph needs; the feed's batch has them. */
interface PoolsCommitted {
  readonly version: number;
  /** The pools whose rows or ticks changed. */
  readonly pools: readonly PoolId[];
  /** False if pools that are not listed may have changed, too. */
  readonly complete: boolean;
}

interface PoolGraphFollowerOptions {
  readonly chain: ChainSlug;
  readonly rules: PoolRules;
  readonly store: MarketStore;
  readonly native: NativeCoin;
  /** The venues that can be traded in; all of them by default. */
  readonly venues?: ReadonlySet<string>;
  /** The fees that a pool charges although no log told them; null if unknown. */
  readonly silentFees?: (pool: GraphPool) => DirectionFees | null;
  /** The maximum number of pools in memory; above that the deepest are kept. */
  readonly poolCountMax?: number;
  /** The maximum number of tokens whose pools are kept because somebody asked for them. */
  readonly askedTokensMax?: number;
  /** How long a quote waits for the pools of its tokens. */
  readonly loadMaxMs?: number;
  /** What most tokens are traded against. */
  readonly trusted: ReadonlySet<Address>;
  readonly sleep: Sleep;
  readonly random: Random;
  readonly log: { warn(fields: object, message: string): void };
}

const BACKOFF: Backoff = { baseMs: 100, maxMs: 10_000 };
/** Above this many touched pools, reading everything once is cheaper. */
const TOUCHED_COUNT_MAX = 5_000;
/** About 700 bytes each. Those beyond hold the least, and are read when they are asked for. */
const POOL_COUNT_MAX = 100_000;
const PAUSE_MS = 20;
const LOAD_MAX_MS = 2000;
/** If the graph exceeds its limit by this factor, it is reloaded with a new threshold. */
const OVERFULL = 1.1;

/** A graph and the commit that it reflects. */
export interface GraphAtCommit {
  readonly graph: PoolGraph;
  readonly checkpoint: Checkpoint;
}

export class PoolGraphFollower {
  readonly #options: PoolGraphFollowerOptions;
  readonly #abort = new AbortController();
  #current: GraphAtCommit | null = null;
  #heardVersion = 0;
  #touched = new Set<PoolId>();
  #mustReload = true;
  /** Whether there were events since the last read of the store. */
  #hasNews = false;
  /** The minimum liquidity of a pool to be kept; null while all fit. */
  #floorUsdE18: bigint | null = null;
  #running: Promise<void> | null = null;
  readonly #asked: AskedPools;
  /** Called after each read of the store. */
  readonly #onRead = new Set<() => void>();

  constructor(options: PoolGraphFollowerOptions) {
    this.#options = options;
    this.#asked = new AskedPools(options.askedTokensMax);
  }

  /** Null until the store has been read, or while it does not have the chain. */
  get current(): GraphAtCommit | null {
    return this.#current;
  }

  start(): void {
    this.#work();
  }

  /** Must be called with every batch of the chain's feed, in order. */
  onBatch(event: PoolsCommitted): void {
    const known = Math.max(this.#heardVersion, this.#current?.checkpoint.version ?? 0);
    if (event.version <= (this.#current?.checkpoint.version ?? 0)) return;
    // A batch was missed, so its pools are unknown.
    if (event.version > known + 1) this.#mustReload = true;
    if (!event.complete) this.#mustReload = true;
    this.#heardVersion = event.version;
    for (const pool of event.pools) this.#touched.add(pool);
    if (this.#touched.size > TOUCHED_COUNT_MAX) this.#mustReload = true;
    this.#work();
  }

  /**
   * Reads the pools of tokens that were left out because others are deeper. False if they could not
   * be read in time: they are read later.
   */
  async load(tokens: readonly Address[]): Promise<boolean> {
    if (this.#current === null || this.#floorUsdE18 === null) return true;
    const { graph, checkpoint } = this.#current;
    const isRead = (token: Address) => this.#asked.has(token, checkpoint.version);
    // Of trusted assets and hubs the deep pools are enough, and there are very many others.
    const missing = tokens.filter(
      (token) =>
        !this.#options.trusted.has(token) &&
        !graph.hubs.has(graph.toAsset(token)) &&
        !isRead(token),
    );
    if (missing.length === 0) return true;
    if (this.#abort.signal.aborted || !this.#asked.want(missing)) return false;
    this.#work();
    return this.#waitUntil(() => missing.every(isRead));
  }

  /** Waits until the graph is that of this commit or a later one; false if that takes too long. */
  async reach(version: number): Promise<boolean> {
    const isReached = () => (this.#current?.checkpoint.version ?? 0) >= version;
    return isReached() || (await this.#waitUntil(isReached));
  }

  /** False if it does not happen in time. */
  async #waitUntil(isDone: () => boolean): Promise<boolean> {
    const { sleep, loadMaxMs = LOAD_MAX_MS } = this.#options;
    const end = new AbortController();
    const done = new Promise<boolean>((resolve) => {
      const check = () => {
        if (isDone()) resolve(true);
      };
      this.#onRead.add(check);
      end.signal.addEventListener('abort', () => this.#onRead.delete(check));
    });
    const signal = AbortSignal.any([end.signal, this.#abort.signal]);
    const isLate = () => false;
    try {
      return await Promise.race([done, sleep(loadMaxMs, signal).then(isLate, isLate)]);
    } finally {
      end.abort();
    }
  }

  /** Batches were lost: everything is read again. */
  onGap(): void {
    this.#mustReload = true;
    this.#work();
  }

  /** Resolves when all batches are applied, or the store is ahead of the feed. */
  async settled(): Promise<void> {
    while (this.#running !== null) await this.#running;
  }

  async stop(): Promise<void> {
    this.#abort.abort();
    await this.settled();
  }

  /** Applies the newly read fees of a pool. */
  refit(id: PoolId): void {
    const pool = this.#current?.graph.getStored(id);
    if (pool !== undefined) this.#current?.graph.set(this.#refit(pool));
  }

  get #poolCountMax(): number {
    return this.#options.poolCountMax ?? POOL_COUNT_MAX;
  }

  #isKept(row: PoolRecord): boolean {
    const floor = this.#floorUsdE18;
    return floor === null || readDepth(row) >= floor || this.#asked.isKept(row.pool);
  }

  #isTradable(venue: string): boolean {
    return this.#options.venues?.has(venue) !== false;
  }

  #refit(pool: GraphPool): GraphPool {
    const fees = this.#options.silentFees?.(pool) ?? null;
    return fees === null ? pool : { ...pool, curve: pool.curve.withFees(fees) };
  }

  readonly #createPool: CreatePool = (row, ticks, previous) => {
    if (!this.#isTradable(row.venue)) return null;
    const pool = createGraphPool(row, ticks, { ...this.#options.rules, previous });
    return pool && this.#refit(pool);
  };

  #work(): void {
    this.#hasNews = true;
    if (this.#running !== null || this.#abort.signal.aborted) return;
    this.#running = this.#run().finally(() => {
      this.#running = null;
    });
  }

  async #run(): Promise<void> {
    const { sleep, random, log, chain } = this.#options;
    const { signal } = this.#abort;
    for (let failures = 0; !signal.aborted; ) {
      try {
        this.#hasNews = false;
        const isDone = this.#mustReload ? await this.#reload() : await this.#refresh();
        failures = 0;
        for (const check of this.#onRead) check();
        if (!isDone) continue;
        // During backfill there are hundreds of commits: they are applied together.
        await sleep(PAUSE_MS, signal).catch(() => undefined);
        if (!this.#hasNews) return;
      } catch (error) {
        failures += 1;
        // Once for each outage; that of the store also has a line where it ends.
        if (failures === 1) log.warn({ chain, err: error }, 'the pools could not be read');
        await sleep(computeBackoffMs(failures, BACKOFF, random), signal).catch(() => undefined);
      }
    }
  }

  /** Reads every pool of the chain. */
  async #reload(): Promise<boolean> {
    const { store, chain, native } = this.#options;
    this.#mustReload = false;
    const touchedBefore = this.#touched;
    this.#touched = new Set();
    try {
      const graph = new PoolGraph({ native });
      const kept = new Set(this.#asked.pools());
      const limits = { poolCountMax: this.#poolCountMax, kept };
      const into = {
        ...{ graph, createPool: this.#createPool, ...limits },
        isTradable: ({ venue }: Pick<PoolRecord, 'venue'>) => this.#isTradable(venue),
      };
      let floor: bigint | null = null;
      const checkpoint = await store.snapshot(async (reader) => {
        const found = await reader.readCheckpoint(chain);
        if (found !== null) floor = await readPoolGraph(reader, { chain, ...into });
        return found;
      });
      // A store without the chain is read again after its first commit.
      if (checkpoint === null) {
        this.#mustReload = true;
        return true;
      }
      graph.moveTo(toPoolMoment(checkpoint));
      this.#current = { graph, checkpoint };
      if (floor !== this.#floorUsdE18) this.#asked.expire();
      this.#floorUsdE18 = floor;
    } catch (error) {
      this.#mustReload = true;
      for (const pool of touchedBefore) this.#touched.add(pool);
      throw error;
    }
    return this.#isUpToDate() && this.#asked.wanted.length === 0;
  }

  /** Reads the touched pools; true if there is nothing more to do for now. */
  async #refresh(): Promise<boolean> {
    const { store, chain } = this.#options;
    const current = this.#current;
    const asked = this.#asked.wanted;
    if (current === null || (this.#isUpToDate() && asked.length === 0)) return true;
    const touched = [...this.#touched];
    const heard = Math.max(this.#heardVersion, current.checkpoint.version);
    const read = await store.snapshot(async (reader) => {
      const checkpoint = await reader.readCheckpoint(chain);
      // The snapshot includes later commits whose pools are unknown; the feed will name them.
      if (checkpoint === null || checkpoint.version !== heard) return null;
      const found = await this.#asked.find(reader, asked, {
        ...{ chain, graph: current.graph, trusted: this.#options.trusted },
        floorUsdE18: this.#floorUsdE18 ?? 0n,
      });
      const pools = [...new Set([...touched, ...[...found.values()].flat()])];
      const rows = await reader.readPools(chain, pools);
      const ticked = rows.filter((row) => row.complete && kindOf(row).hasTicks);
      const ids = ticked.map((row) => row.pool);
      const ticks = ids.length === 0 ? [] : await reader.readTicks(chain, ids);
      return { checkpoint, found, pools, rows, ticks };
    });
    if (read === null) return this.#heardVersion <= heard;
    const floor = this.#floorUsdE18 ?? 0n;
    for (const row of read.rows) if (readDepth(row) >= floor) this.#asked.promote(row.pool);
    const dropped = this.#asked.add(read.found, read.checkpoint.version);
    this.#apply(current.graph, read);
    for (const pool of dropped) current.graph.delete(pool);
    current.graph.moveTo(toPoolMoment(read.checkpoint));
    this.#current = { graph: current.graph, checkpoint: read.checkpoint };
    if (this.#heardVersion <= heard) this.#touched.clear();
    const sizeMax = this.#poolCountMax * OVERFULL + this.#asked.size;
    if (current.graph.size > sizeMax) this.#mustReload = true;
    return this.#isUpToDate() && this.#asked.wanted.length === 0;
  }

  /** All at once, so that no quote sees pools from different commits. */
  #apply(
    graph: PoolGraph,
    read: {
      readonly pools: readonly PoolId[];
      readonly rows: readonly PoolRecord[];
      readonly ticks: readonly TickRecord[];
    },
  ): void {
    const rows = new Map(read.rows.map((row) => [row.pool, row]));
    const ticks = Map.groupBy(read.ticks, (row) => row.pool);
    for (const id of read.pools) {
      const row = rows.get(id);
      const known = graph.getStored(id);
      const isWanted = row !== undefined && (known !== undefined || this.#isKept(row));
      const pool = isWanted ? this.#createPool(row, ticks.get(id) ?? [], known) : null;
      if (pool === null) graph.delete(id);
      else graph.set(pool);
    }
  }

  #isUpToDate(): boolean {
    return this.#heardVersion <= (this.#current?.checkpoint.version ?? 0) && !this.#mustReload;
  }
}
