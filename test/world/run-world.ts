// One world: a chain that makes blocks, providers with their habits in front of it, and the
// service's own indexer behind them, for hours of virtual time. What must hold is checked at the
// end; what is measured is the report.

import { existsSync, mkdtempSync, rmSync, statfsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import type { ChainAdapter } from '../../src/chains/adapter.ts';
import { REQUESTS_MAX } from '../../src/chains/endpoint-memory.ts';
import { EndpointPool } from '../../src/chains/rpc/endpoint-pool.ts';
import { Indexer } from '../../src/ingest/follow/indexer.ts';
import { DEFAULT_INDEXER_OPTIONS } from '../../src/ingest/follow/indexer-options.ts';
import { RateNeed } from '../../src/ingest/follow/rate-need.ts';
import type { ChainScope } from '../../src/ingest/scope/chain-scope.ts';
import { LiquidScope } from '../../src/ingest/scope/liquid-scope.ts';
import { WatchScope } from '../../src/ingest/scope/watch-scope.ts';
import { verifyChain } from '../../src/ingest/verify/verify-chain.ts';
import { pow10 } from '../../src/lib/decimal.ts';
import { decodeBatch, encodeBatch } from '../../src/live/encode-batch.ts';
import type { FeedBatch } from '../../src/live/feed.ts';
import { LocalFeed } from '../../src/live/local-feed.ts';
import type { Address } from '../../src/model/ids.ts';
import { createSqliteStore } from '../../src/store/sqlite/create-sqlite-store.ts';
import type { MarketStore } from '../../src/store/store.ts';
import { createRandom } from '../fakes/create-random.ts';
import { EvmMarket } from './evm-market.ts';
import { findHistoryEnds } from './history-ends.ts';
import type { Profile } from './profiles.ts';
import { type Outage, Provider } from './provider.ts';
import { QuoteDesk } from './quote-desk.ts';
import { SolanaMarket } from './solana-market.ts';
import { StreamReaders } from './stream-readers.ts';
import { installNetwork, type Respond } from './virtual-network.ts';
import { VirtualTime } from './virtual-time.ts';
import type { WorldChain } from './world-chain.ts';

export const CHAIN_NAMES = ['ethereum', 'rollup', 'base', 'solana'] as const;
export const SCOPE_NAMES = ['all', 'liquid', 'watch'] as const;

export interface WorldPlan {
  readonly seed: number;
  readonly chain: (typeof CHAIN_NAMES)[number];
  readonly scope: (typeof SCOPE_NAMES)[number];
  /** One for each endpoint, the preferred one first. */
  readonly profiles: readonly Profile[];
  readonly hours: number;
  /** By their distance from the start. */
  readonly outages?: readonly Outage[];
  /** How often the chain replaces its newest blocks; never by default. */
  readonly forksPerHour?: number;
  /** Whether to measure what the service keeps in memory; that is not the same each time. */
  readonly isWeighed?: boolean;
}

export interface WorldReport {
  /** What did not hold; empty if all is well. */
  readonly faults: readonly string[];
  /** Milliseconds from the start until the index was at the head; null if it never was. */
  readonly readyMs: number | null;
  /** How long it took until a block was indexed, once ready and outside outages. */
  readonly lagMs: { readonly p50: number; readonly p99: number } | null;
  /** After each outage, how long it took to be at the head again; null if it did not. */
  readonly recoveredMs: readonly (number | null)[];
  /** In which part of the time that it was at the head, but for outages, a quote was given. */
  readonly quotable: number;
  /** For each block, at the head: from ready until the first outage. */
  readonly perBlock: { readonly calls: number; readonly credits: number } | null;
  /** Calls a second that would carry the chain: told at the end, or last if never at the head. */
  readonly neededPerSecond: number | null;
  readonly blocks: number;
  readonly calls: number;
  readonly credits: number;
  /** Requests that a provider refused for its rate. */
  readonly refused: number;
  readonly limitations: readonly string[];
  readonly warnings: ReadonlyMap<string, number>;
  /** What the service kept in memory at the end, without the world around it; null: not weighed. */
  readonly keptBytes: number | null;
}

/** A Tuesday morning. */
const START_MS = 1_790_000_000_000;
const LOOK_MS = 250;
/** How long the index may take to be at the head once all is well again. */
const SETTLE_MAX_MS = 2 * 3_600_000;
/** How long names and pools may take after that, in seconds. */
const READ_MAX_S = 20 * 60;
const WEIGH_LOOKS = 10;
/** In real time. */
const WEIGH_PAUSE_MS = 20;
/** How long an endpoint may be left out that gave one wrong answer. */
const ENABLED_MAX_MS = 15 * 60_000;
const FLOOR_USD = 1000n;
const WATCHED_COUNT = 2;
const MEMORY_FOLDER = '/dev/shm';
const MEMORY_FOLDER_MIN_BYTES = 1024 ** 3;
/** Each is a request or a part that waits for its next turn. */
const SLEEPING_MAX = 50;
const HOUR_MS = 3_600_000;
/** One look in so many asks for a quote, too. */
const LOOKS_PER_QUOTE = 40;

function createChain(plan: WorldPlan): WorldChain {
  const random = createRandom(plan.seed ^ 0x5eed);
  const place = { random, startMs: START_MS };
  switch (plan.chain) {
    case 'ethereum':
      return new EvmMarket({
        ...{ ...place, blockMs: 12_000, finalityDepth: 64, history: 100, swapsPerBlock: 4 },
      });
    case 'rollup':
      return new EvmMarket({
        ...{ ...place, blockMs: 2000, finalityDepth: 64, history: 100, swapsPerBlock: 1 },
      });
    case 'base':
      return new EvmMarket({
        ...{ ...place, blockMs: 200, finalityDepth: 600, history: 700, swapsPerBlock: 0.3 },
      });
    case 'solana':
      return new SolanaMarket({
        ...{ ...place, seed: plan.seed, blockMs: 400, history: 60, actionsPerBlock: 0.15 },
      });
  }
}

/** What the scope `watch` is told of: tokens that are older than the index. */
function listWatched(chain: WorldChain): readonly Address[] {
  return chain.listTokens().slice(0, WATCHED_COUNT);
}

function createScope(
  plan: WorldPlan,
  parts: {
    readonly chain: WorldChain;
    readonly adapter: ReturnType<WorldChain['createAdapter']>;
    readonly store: MarketStore;
    readonly time: VirtualTime;
  },
): ChainScope | null {
  const { adapter, store, time, chain } = parts;
  if (plan.scope === 'all') return null;
  if (plan.scope === 'liquid') {
    return new LiquidScope({ floorUsdE18: FLOOR_USD * pow10(18), assets: adapter.assets });
  }
  const watched = listWatched(chain);
  return new WatchScope({ adapter, store, clock: time, readWatched: async () => watched });
}

/** A reader of the feed that was there all the time: what it must have got is what is stored. */
class FeedReader {
  readonly faults: string[] = [];
  readonly #trades = new Map<string, unknown>();
  #version: number | null = null;

  read(batch: FeedBatch): void {
    if (this.#version !== null && batch.version !== this.#version + 1) {
      this.faults.push(`commit ${batch.version} follows ${this.#version} on the feed`);
    }
    this.#version = batch.version;
    for (const trade of batch.readReverted()) {
      const key = toKey(trade);
      if (!this.#trades.delete(key)) this.faults.push(`trade ${key} was reverted, never sent`);
    }
    for (const trade of batch.readTrades()) {
      const key = toKey(trade);
      if (this.#trades.has(key)) this.faults.push(`trade ${key} was sent twice`);
      this.#trades.set(key, trade);
    }
  }

  /** A reader is told of one before its first commit, too. */
  noteGap(): void {
    if (this.#version !== null) this.faults.push(`the feed has a gap after ${this.#version}`);
  }

  /** History that was filled in later is not on the feed. */
  async compare(store: MarketStore, chain: WorldChain, fromBlock: number): Promise<void> {
    const left = new Set(this.#trades.keys());
    for await (const rows of store.scanTrades(chain.slug)) {
      const ends = await findHistoryEnds(store, chain.slug, rows);
      for (const row of rows) {
        const key = toKey(row);
        const isSent = left.delete(key);
        const endBlock = Math.max(fromBlock, ends.get(row.token) ?? 0);
        if (!isSent && row.block >= endBlock) {
          this.faults.push(`trade ${key} is stored, was never sent`);
        }
      }
    }
    for (const key of left) this.faults.push(`trade ${key} was sent, is not stored`);
  }
}

function toKey(row: { block: number; logIndex: number; token: string; txHash: string }): string {
  return [row.block, row.txHash, row.logIndex, row.token].join(' ');
}

function pickQuantile(sorted: readonly number[], share: number): number {
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0;
}

/** What the providers had answered when the chain was at a block. */
interface Tally {
  readonly position: number;
  readonly calls: number;
  readonly credits: number;
}

type RateCounts = Pick<Parameters<RateNeed['observe']>[0], 'calls' | 'refusals'>;

/** All that runs in one world, and what is seen of it. */
class World {
  readonly time = new VirtualTime(START_MS + HOUR_MS);
  readonly chain: WorldChain;
  readonly hosts = new Map<string, Respond>();
  readonly providers: Provider[];
  readonly feed = new LocalFeed({
    onError: (error) => {
      throw error;
    },
  });
  readonly reader = new FeedReader();
  readonly warnings = new Map<string, number>();
  /** The memory in use at the end, while the service is still there. */
  heapBytes = 0;
  /** What the checks keep, and not the service. */
  kept: unknown[] = [];
  readonly log = {
    info: () => undefined,
    warn: (fields: object, message: string) => {
      const cause = 'err' in fields && fields.err instanceof Error ? `: ${fields.err.message}` : '';
      const reason = 'reason' in fields ? `: ${String(fields.reason)}` : '';
      const text = `${message}${cause}${reason}`;
      this.warnings.set(text, (this.warnings.get(text) ?? 0) + 1);
    },
  };
  readonly #plan: WorldPlan;
  readonly #random: () => number;
  /** The time of each block of the chain, by its position. */
  readonly #minedMs = new Map<number, number>();
  readonly #lags: number[] = [];
  readonly #recovered: (number | null)[] = [];
  /** The last block that was indexed. */
  #indexed: number | null = null;
  /** Since when the index is at the head, but for outages. */
  #steadyFromMs = Number.POSITIVE_INFINITY;
  #readyMs: number | null = null;
  #atHead: WorldReport['perBlock'] = null;
  #neededPerSecond: number | null = null;
  readonly #looks = { atHead: 0, asked: 0, quoted: 0 };
  #isOver = false;

  constructor(plan: WorldPlan) {
    this.#plan = plan;
    this.#random = createRandom(plan.seed);
    this.chain = createChain(plan);
    const { position } = this.chain.head;
    for (let block = this.chain.finalized; block <= position; block += 1) {
      const ageMs = (position - block) * this.chain.blockMs;
      this.#minedMs.set(block, this.time.monotonicMs() - ageMs);
    }
    this.providers = plan.profiles.map((profile, index) => {
      const provider = new Provider({
        ...{ profile, answer: this.chain.answer, side: () => this.chain.side() },
        ...{ clock: this.time, sleep: this.time.sleep },
        random: createRandom(plan.seed + 1000 * (index + 1)),
      });
      provider.outages = (plan.outages ?? []).map(({ fromMs, toMs, kind }) => {
        const startMs = this.time.nowMs();
        return { kind, fromMs: startMs + fromMs, toMs: startMs + toMs };
      });
      this.hosts.set(this.#nameHost(profile, index), provider.respond);
      return provider;
    });
    // What nobody else asks, for checking.
    const honest = { name: 'honest', family: this.chain.family, rate: null, batchCallsMax: null };
    const latency = { p50Ms: 1, p99Ms: 2 };
    this.hosts.set(
      'honest.world',
      new Provider({
        ...{ profile: { ...honest, latency }, answer: this.chain.answer },
        ...{ clock: this.time, sleep: this.time.sleep, random: createRandom(1) },
      }).respond,
    );
  }

  openEndpoints(urls = this.#plan.profiles.map((one, at) => this.#nameHost(one, at))) {
    const options = { clock: this.time, random: this.#random };
    return new EndpointPool(
      urls.map((host) => `http://${host}/`),
      options,
    );
  }

  createAdapter(endpoints: EndpointPool, store: MarketStore) {
    const { time, chain } = this;
    return chain.createAdapter({
      ...{ endpoints, clock: time, sleep: time.sleep, random: this.#random, log: this.log },
      knownPools: (pools) => store.readPools(chain.slug, pools),
    });
  }

  #nameHost({ name }: Profile, index: number): string {
    return `${name}-${index}.world`;
  }

  /** Makes blocks until it is over. */
  async mine(): Promise<void> {
    const { blockMs } = this.chain;
    const forkChance = ((this.#plan.forksPerHour ?? 0) * blockMs) / HOUR_MS;
    while (!this.#isOver) {
      await this.time.sleep(blockMs);
      if (this.#random() < forkChance) this.chain.fork(1 + Math.floor(this.#random() * 2));
      else this.chain.mine();
      this.#minedMs.set(this.chain.head.position, this.time.monotonicMs());
    }
  }

  /** Notes how long each block took to be indexed. */
  noteCommit(toBlock: number): void {
    const nowMs = this.time.monotonicMs();
    for (let block = (this.#indexed ?? toBlock) + 1; block <= toBlock; block += 1) {
      const minedMs = this.#minedMs.get(block);
      // History, and what an outage held up, is not lag.
      const isLive = minedMs !== undefined && minedMs >= this.#steadyFromMs;
      if (isLive) this.#lags.push(nowMs - minedMs);
    }
    this.#indexed = toBlock;
  }

  /** Looks four times a second whether the index is at the head, until the plan is over. */
  async watch(
    indexer: Indexer,
    { readers, desk }: { readonly readers: StreamReaders; readonly desk: QuoteDesk },
    count: () => RateCounts,
  ): Promise<void> {
    const need = new RateNeed();
    const startedMs = this.time.monotonicMs();
    let atReady: Tally | null = null;
    const outages = this.#plan.outages ?? [];
    const patienceMs = 3 * this.chain.blockMs + 2 * this.#findPatienceMs();
    for (;;) {
      await this.time.sleep(LOOK_MS);
      await this.time.halt(readers.open());
      const passedMs = this.time.monotonicMs() - startedMs;
      const isOut = outages.some((one) => passedMs >= one.fromMs && passedMs < one.toMs);
      const isAtHead = !isOut && this.#findLagMs() <= patienceMs;
      if (isOut) this.#steadyFromMs = Number.POSITIVE_INFINITY;
      if (isAtHead) this.#readyMs ??= passedMs;
      if (isAtHead) atReady ??= this.#count();
      if (!isOut && this.#recovered.length === 0) this.#atHead = this.#perBlock(atReady);
      if (this.#steadyFromMs < Number.POSITIVE_INFINITY) {
        this.#looks.atHead += 1;
        if (this.#looks.atHead % LOOKS_PER_QUOTE === 0) await this.#askQuote(desk);
      }
      const over = outages.filter(({ toMs }) => passedMs >= toMs);
      const last = over.at(-1);
      if (isAtHead && last !== undefined && this.#recovered.length < over.length) {
        while (this.#recovered.length < over.length - 1) this.#recovered.push(null);
        this.#recovered.push(passedMs - last.toMs);
      }
      if (isAtHead) this.#steadyFromMs = Math.min(this.#steadyFromMs, this.time.monotonicMs());
      const shortage = need.observe({ nowMs: passedMs, status: indexer.status(), ...count() });
      if (shortage !== null || this.#readyMs !== null) {
        this.#neededPerSecond = shortage?.neededPerSecond ?? null;
      }
      if (passedMs >= this.#plan.hours * HOUR_MS) break;
    }
    while (this.#recovered.length < outages.length) this.#recovered.push(null);
    this.#isOver = true;
  }

  async #askQuote(desk: QuoteDesk): Promise<void> {
    this.#looks.asked += 1;
    const answer = await desk.ask();
    if (answer === true) this.#looks.quoted += 1;
    else this.log.warn({ reason: answer }, 'no quote');
  }

  #count(): Tally {
    const sum = (pick: (provider: Provider) => number) =>
      this.providers.reduce((total, provider) => total + pick(provider), 0);
    const { position } = this.chain.head;
    return { position, calls: sum((one) => one.calls), credits: sum((one) => one.credits) };
  }

  #perBlock(from: Tally | null): WorldReport['perBlock'] {
    if (from === null) return null;
    const to = this.#count();
    const blocks = Math.max(1, to.position - from.position);
    return {
      calls: (to.calls - from.calls) / blocks,
      credits: (to.credits - from.credits) / blocks,
    };
  }

  /** For how long the chain has had a block that the index has not. */
  #findLagMs(): number {
    if (this.#indexed === null) return Number.POSITIVE_INFINITY;
    // Slots may be skipped.
    for (let next = this.#indexed + 1; next <= this.chain.head.position; next += 1) {
      const minedMs = this.#minedMs.get(next);
      if (minedMs !== undefined) return this.time.monotonicMs() - minedMs;
    }
    return 0;
  }

  #findPatienceMs(): number {
    return Math.max(
      ...this.#plan.profiles.map(({ latency, blockLatencyMs }) => {
        return latency.p99Ms + (blockLatencyMs?.to ?? 0);
      }),
    );
  }

  /** Waits until the index is at the head, which no longer moves. */
  async settle(indexer: Indexer, store: MarketStore): Promise<string[]> {
    const { chain, time } = this;
    let [endMs, lastBlock] = [time.monotonicMs() + SETTLE_MAX_MS, -1];
    for (;;) {
      const checkpoint = await store.readCheckpoint(chain.slug);
      // Below the rate that was told to be needed it takes its time, as long as it goes on.
      const isShort = this.#neededPerSecond !== null;
      if (isShort && checkpoint !== null && checkpoint.block > lastBlock) {
        [endMs, lastBlock] = [time.monotonicMs() + SETTLE_MAX_MS, checkpoint.block];
      }
      const isThere =
        checkpoint?.blockHash === chain.head.hash && checkpoint.finalizedBlock >= chain.finalized;
      if (isThere) break;
      if (time.monotonicMs() > endMs) {
        const { state, block, error } = indexer.status();
        return [`not at the head ${chain.head.position} but at ${block}: ${state}, ${error ?? ''}`];
      }
      await time.sleep(1000);
    }
    // Names, supplies and pools are read beside the blocks, and what failed often, again only ten
    // minutes later.
    for (let look = 0; look < READ_MAX_S; look += 1) {
      await time.sleep(1000);
      if ((await this.#listUnread(store)).length === 0) return [];
    }
    return await this.#listUnread(store);
  }

  async #listUnread(store: MarketStore): Promise<string[]> {
    const { slug } = this.chain;
    const unread: string[] = [];
    for await (const rows of store.scanTokens(slug)) {
      for (const { token, decimals, symbol } of rows) {
        if (decimals === null) unread.push(`token ${token} has no decimals`);
        if (symbol === null) unread.push(`token ${token} has no symbol`);
      }
    }
    const traded = new Set<Address>();
    for await (const rows of store.scanPools(slug)) {
      for (const { pool, kind, complete, token0, token1 } of rows) {
        // Of a pool without a formula nothing is read.
        if (!complete && kind !== 'tradesOnly') unread.push(`pool ${pool} is not adopted`);
        traded.add(token0).add(token1);
      }
    }
    const wanted = this.#plan.scope === 'watch' ? listWatched(this.chain) : [];
    const lacking = wanted.filter((token) => !traded.has(token));
    return [...unread, ...lacking.map((token) => `watched token ${token} has no pool`)];
  }

  /** Endpoints that are still not used long after all is well. */
  async listDisabled({ status }: Pick<ChainAdapter, 'status'>): Promise<string[]> {
    const endMs = this.time.monotonicMs() + ENABLED_MAX_MS;
    for (;;) {
      const endpoints = status?.().endpoints ?? [];
      const disabled = endpoints.filter(({ state }) => state === 'refused');
      if (disabled.length === 0) return [];
      if (this.time.monotonicMs() > endMs) return disabled.map(({ name }) => `${name} is disabled`);
      await this.time.sleep(10_000);
    }
  }

  /** What may not grow with time: requests under way, and what waits. */
  listUnbounded(): string[] {
    const { sleeping } = this.time;
    const most = Math.max(...this.providers.map(({ underWayMax }) => underWayMax));
    return [
      ...(most > REQUESTS_MAX ? [`${most} requests were under way at one endpoint`] : []),
      ...(sleeping > SLEEPING_MAX ? [`${sleeping} parts wait`] : []),
    ];
  }

  get measured(): Pick<
    WorldReport,
    'readyMs' | 'recoveredMs' | 'lagMs' | 'quotable' | 'perBlock' | 'neededPerSecond'
  > {
    const lags = this.#lags.toSorted((a, b) => a - b);
    const lagMs =
      lags.length === 0 ? null : { p50: pickQuantile(lags, 0.5), p99: pickQuantile(lags, 0.99) };
    const { asked, quoted } = this.#looks;
    const quotable = asked === 0 ? 0 : quoted / asked;
    const measured = { readyMs: this.#readyMs, recoveredMs: this.#recovered, lagMs };
    const neededPerSecond = this.#neededPerSecond;
    return { ...measured, quotable, perBlock: this.#atHead, neededPerSecond };
  }
}

function startIndexer(
  world: World,
  plan: WorldPlan,
  parts: {
    readonly adapter: ReturnType<WorldChain['createAdapter']>;
    readonly store: MarketStore;
    readonly startBlock: number;
  },
): Indexer {
  const { time, chain, log, feed, reader } = world;
  feed.subscribe({
    onBatch: (batch) => reader.read(batch),
    onGap: () => reader.noteGap(),
  });
  const indexer = new Indexer({
    ...{ ...DEFAULT_INDEXER_OPTIONS, ...parts, log },
    ...{ clock: time, sleep: time.sleep, random: createRandom(plan.seed + 7) },
    scope: createScope(plan, { ...parts, chain, time }),
    adoption: { callsPerMinute: 300 },
    backfill: { callsPerMinute: 60, tokensMax: 100 },
    onCommitted: (event) => {
      world.noteCommit(event.checkpoint.block);
      feed.publish(decodeBatch(encodeBatch(event)));
    },
  });
  indexer.start();
  return indexer;
}

/** What is in use once everything that nobody needs is gone: what is on its way ends meanwhile. */
async function weighHeap(): Promise<number> {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as () => void;
  let least = Number.POSITIVE_INFINITY;
  for (let look = 0; look < WEIGH_LOOKS; look += 1) {
    await sleep(WEIGH_PAUSE_MS);
    collect();
    least = Math.min(least, process.memoryUsage().heapUsed);
  }
  return least;
}

/** In memory where there is room: tens of thousands of commits would wait for a disk. */
function makeFolder(): string {
  const hasRoom =
    existsSync(MEMORY_FOLDER) &&
    statfsSync(MEMORY_FOLDER).bavail * statfsSync(MEMORY_FOLDER).bsize > MEMORY_FOLDER_MIN_BYTES;
  return mkdtempSync(join(hasRoom ? MEMORY_FOLDER : tmpdir(), 'mintwire-world-'));
}

async function live(world: World, plan: WorldPlan, folder: string): Promise<WorldReport> {
  const { chain, providers, reader } = world;
  const opened = await createSqliteStore({ file: join(folder, 'market.sqlite') });
  const store = opened.market;
  const endpoints = world.openEndpoints();
  const adapter = world.createAdapter(endpoints, store);
  const startBlock = chain.finalized;
  const readers = new StreamReaders({ chain, store: opened, feed: world.feed, adapter });
  await readers.start();
  const indexer = startIndexer(world, plan, { adapter, store, startBlock });
  const readCurrentAtMs = () => indexer.status().currentAtMs;
  const { assets } = adapter;
  const desk = new QuoteDesk({ ...{ chain, assets, store, readCurrentAtMs }, time: world.time });
  world.feed.subscribe({ onBatch: (batch) => desk.onBatch(batch), onGap: () => undefined });
  const mining = world.mine();
  const count = () => ({
    calls: endpoints.meter.listUsage().reduce((total, { calls }) => total + calls, 0),
    refusals: (adapter.status?.().endpoints ?? []).reduce(
      (sum, one) => sum + one.rateLimited + one.failures,
      0,
    ),
  });
  await world.watch(indexer, { readers, desk }, count);
  await mining;
  for (const provider of providers) provider.isCalm = true;
  const faults = [...(await world.settle(indexer, store))];
  faults.push(...(await world.listDisabled(adapter)));
  faults.push(...world.listUnbounded());
  const limitations = adapter.status?.().limitations ?? [];
  faults.push(...(await readers.listFaults()));
  if (plan.isWeighed) {
    world.kept = readers.listFolds();
    world.heapBytes = await weighHeap();
  }
  await readers.stop();
  await desk.stop();
  await indexer.stop();
  await adapter.close();
  faults.push(...(await verify(world, store, folder)));
  await reader.compare(store, chain, startBlock);
  faults.push(...reader.faults.slice(0, 10));
  await opened.close();
  const sum = (pick: (provider: Provider) => number) =>
    providers.reduce((total, provider) => total + pick(provider), 0);
  return {
    ...{ faults, ...world.measured, warnings: world.warnings },
    blocks: chain.head.position - startBlock,
    calls: count().calls,
    credits: sum(({ credits }) => credits),
    refused: sum(({ refused }) => refused),
    limitations,
    keptBytes: null,
  };
}

/** An attempt begins with an empty one. */
function openScratchStore(folder: string) {
  return createSqliteStore({ file: join(mkdtempSync(join(folder, 'scratch-')), 'market.sqlite') });
}

async function verify(world: World, store: MarketStore, folder: string): Promise<string[]> {
  const adapter = world.createAdapter(world.openEndpoints(['honest.world']), store);
  try {
    const { differences, checked } = await verifyChain({
      ...{ adapter, store, attemptCountMax: 3, sizes: DEFAULT_INDEXER_OPTIONS.sizes },
      openScratchStore: () => openScratchStore(folder),
      signal: new AbortController().signal,
    });
    const nothing = (checked['trade'] ?? 0) === 0 ? ['verify compared no trade'] : [];
    return [...nothing, ...differences.slice(0, 10).map((line) => `verify: ${line}`)];
  } catch (error) {
    return [`verify: ${String(error)}`];
  } finally {
    await adapter.close();
  }
}

/** Runs a world to its end; the same plan gives the same report. */
export async function runWorld(plan: WorldPlan): Promise<WorldReport> {
  const world = new World(plan);
  const uninstall = installNetwork(world.time, world.hosts);
  const folder = makeFolder();
  try {
    const report = await world.time.run(live(world, plan, folder));
    if (!plan.isWeighed) return report;
    // The service is gone; what is left is the world's.
    const keptBytes = world.heapBytes - (await weighHeap());
    world.kept.length = 0;
    return { ...report, keptBytes };
  } finally {
    uninstall();
    rmSync(folder, { recursive: true, force: true });
  }
}
