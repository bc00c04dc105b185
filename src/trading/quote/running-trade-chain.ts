// A followed chain for pricing, with its pools in memory as of the last commit.

import { toPoolMoment } from '../../amm/pool-moment.ts';
import type { ChainMarket, ChainNodes } from '../../chains/chain-nodes.ts';
import type { TokenPowers } from '../../chains/chain-transactions.ts';
import type { ChainSource, FamilyMarkets } from '../../chains/family.ts';
import { isLoggedOutage } from '../../errors/unavailable-error.ts';
import type { Clock } from '../../lib/clock.ts';
import { sleep } from '../../lib/retry.ts';
import type { Feed, FeedBatch } from '../../live/feed.ts';
import type { AddressCodec } from '../../model/address-codec.ts';
import type { PoolDemand } from '../../model/adoption.ts';
import type { ChainSlug } from '../../model/chain.ts';
import type { ChainRegistry } from '../../model/chain-registry.ts';
import type { TokenFacts } from '../../model/contract-facts.ts';
import type { Address, PoolId } from '../../model/ids.ts';
import type { Store } from '../../store/store.ts';
import type { Logger } from '../../telemetry/logger.ts';
import { isPartial, listAskedPools, listPartialPools } from '../graph/list-token-pools.ts';
import { type GraphAtCommit, PoolGraphFollower } from '../graph/pool-graph-follower.ts';
import { SafetyCache } from '../graph/safety-cache.ts';
import { createProbe } from '../safety/probe-pools.ts';
import { SafetyEvidence } from '../safety/safety-evidence.ts';
import { SafetyKeeper } from '../safety/safety-keeper.ts';
import { SafetyWatch } from '../safety/safety-watch.ts';
import { AwaitedPools } from './awaited-pools.ts';
import { explainUnquotable } from './explain-unquotable.ts';
import { FeeWatch } from './fee-watch.ts';
import { OfferedRouters } from './offered-routers.ts';
import { OnChainQuotes } from './on-chain-quotes.ts';
import { PoolFeeWatch } from './pool-fee-watch.ts';
import type { TradeChain } from './trade-chain.ts';
import { TradeTokens } from './trade-tokens.ts';

/** Requested pools that moved are probed at most five a second, with two requests each. */
const PROBE_PAUSE_MS = 400;
/** How long a caller waits for what is at an unknown address. */
const NON_TOKENS_MS = 3000;
/** What a slowed chain's age counts as, at most. */
const SLOWED_AGE_MAX_MS = 10_000;

/** The followed chains, as their index knows them. */
interface IndexedChains {
  readonly known: ChainRegistry;
  readonly slugs: readonly ChainSlug[];
  /** Whether this process indexes the chain. */
  isIndexing(chain: ChainSlug): boolean;
  /** Whether answers about the chain are older than they should be. */
  isLate(chain: ChainSlug): boolean;
  readAge(chain: ChainSlug): { readonly ageMs: number; readonly isSlowed: boolean };
  findSource(chain: ChainSlug): ChainSource | null;
  isAdopting(chain: ChainSlug): boolean;
  adopt(chain: ChainSlug, pools: readonly PoolId[], demand: PoolDemand): void;
  readonly tokens: { noteKnown(chain: ChainSlug, token: Address): void };
}

/** A chain and its family. */
interface ConnectedChain {
  readonly market: ChainMarket;
  readonly nodes: ChainNodes;
  readonly addresses: AddressCodec;
  readonly rules: FamilyMarkets;
}

export interface TradeChainsOptions {
  readonly chains: IndexedChains;
  readonly store: Pick<Store, 'market'>;
  /** Whether other processes use the store, too. */
  readonly isShared: boolean;
  readonly feed: Feed;
  readonly states: {
    /** How long ago the store had nothing newer than a version. */
    readAgeMs(chain: ChainSlug, version: number): number;
    subscribe(
      listener: (change: {
        readonly chain: ChainSlug;
        readonly jump: 'none' | 'ahead' | 'rebuilt';
      }) => void,
    ): () => void;
  };
  readonly connections: { connect(source: ChainSource): ConnectedChain };
  readonly findAddresses: (slug: ChainSlug) => AddressCodec;
  /** What was read of a mint; absent if nothing is. */
  readonly findFacts?: (
    asked: {
      readonly slug: ChainSlug;
      readonly readContractFacts: ChainNodes['readContractFacts'] | undefined;
    },
    token: Address,
  ) => TokenFacts | null;
  readonly clock: Clock;
  readonly logger: Pick<Logger, 'info' | 'warn'>;
}

/** The parts of one chain, while its source stays the same. */
export class RunningTradeChain {
  readonly source: ChainSource;
  readonly trade: TradeChain;
  readonly #options: TradeChainsOptions;
  readonly #connected: ConnectedChain;
  readonly #fees: FeeWatch;
  /** Null if no pool of the chain changes its fee without a log. */
  readonly #poolFees: PoolFeeWatch | null;
  readonly #tokens: TradeTokens;
  readonly #awaited: AwaitedPools;
  readonly #safety: SafetyWatch;
  readonly #safetyCache: SafetyCache;
  readonly #evidence: SafetyEvidence;
  readonly #keeper: SafetyKeeper;
  readonly #routers: OfferedRouters;
  #follower: PoolGraphFollower;
  #loading: Promise<void> = Promise.resolve();
  #isLoaded = false;
  /** Of the last commit that the feed delivered. */
  #epoch: string | null = null;
  /** Pools of commits that the graph may not have yet. */
  readonly #moved = new Set<PoolId>();
  /** The last block announced by the feed. */
  #heardBlock: number | null = null;

  constructor(source: ChainSource, options: TradeChainsOptions) {
    const { clock, store, chains } = options;
    const { chain: slug } = source;
    this.source = source;
    this.#options = options;
    this.#connected = options.connections.connect(source);
    const { market, nodes, addresses } = this.#connected;
    this.#fees = new FeeWatch({
      readFees: nodes.readFees,
      clock,
      onError: (error) => this.#warn(error, 'fees could not be read'),
    });
    this.#poolFees = this.#createPoolFees();
    this.#tokens = new TradeTokens(slug, store.market);
    this.#awaited = new AwaitedPools({
      clock,
      isAdopting: () => chains.isAdopting(slug),
      adopt: (pools) => chains.adopt(slug, pools, 'awaited'),
    });
    // The chain's own coin and the assets that its family vouches for.
    const trusted = new Set([...market.assets.native, ...market.assets.stable]);
    const safetyCache = new SafetyCache();
    this.#safetyCache = safetyCache;
    this.#keeper = this.#createKeeper(safetyCache);
    this.#follower = this.#createFollower(trusted);
    this.#safety = this.#createSafety(trusted);
    this.#evidence = this.#createEvidence(trusted);
    const routers = new OfferedRouters(market.routers);
    this.#routers = routers;
    const called = this.#createOnChainQuotes();
    this.trade = {
      slug,
      addresses,
      coinUnit: market.assets.coinUnit,
      ...{ wrapped: market.wrapped, assets: market.assets, costs: market.costs },
      listRouters: () => routers.list,
      trusted,
      tokens: this.#tokens,
      safetyCache,
      // Without the stored safety results the first quotes would be more cautious than necessary.
      readGraph: () => (this.#isLoaded ? this.#follower.current : null),
      readFees: () => this.#fees.read(),
      findPowers: (token) => this.#findPowers(token),
      readAgeMs: (at) => this.#readAgeMs(at),
      isBehind: () => chains.isLate(slug),
      loadPools: (tokens) => this.#follower.load(tokens),
      noteAsked: (token) => {
        const { graph, checkpoint } = this.#follower.current ?? {};
        if (graph === undefined) return;
        const partial = listPartialPools(graph, token, checkpoint?.block ?? 0);
        chains.adopt(slug, partial, 'awaited');
        this.#safety.noteAround(listAskedPools(graph, token, trusted));
        // A chain that is indexed from its beginning has no older pools.
        const { startBlock = 0, scope } = checkpoint ?? {};
        if (scope === undefined && startBlock <= 1) return;
        // Routes also lead through pools between two assets that price others. A token that is
        // watched brings its own only.
        const between = scope === 'watch' ? [] : this.#listQuotes();
        for (const one of [token, ...between]) chains.tokens.noteKnown(slug, one);
      },
      explainUnquotable: (trade) => this.#explainUnquotable(trade, trusted),
      ...{ settle: () => this.#settle(), findNonTokens: (all) => this.#findNonTokens(all) },
      isFeeSure: (pool) => this.#poolFees?.isSure(pool) ?? null,
      noteUse: (pools) => this.#noteUse(pools),
      renewSafety: (pools) => this.#safety.renewed(pools),
      noteFailure: (failure) => {
        this.#evidence.onFailure(failure);
        called?.refuse(failure);
      },
      ...(called === null ? {} : { quoteOnChain: (trade) => called.find(trade) }),
    };
  }

  /** The assets that price others, as tokens. */
  #listQuotes(): Address[] {
    const { coin, native, stable } = this.#connected.market.assets;
    return [...native, ...stable].filter((asset) => asset !== coin);
  }

  /** Only of mints: their powers are the chain's own, not a contract's. */
  #findPowers(token: Address): TokenPowers | null {
    const { market, nodes, addresses } = this.#connected;
    if (market.hasMints !== true || token === addresses.native) return null;
    const asked = { slug: this.source.chain, readContractFacts: nodes.readContractFacts };
    const facts = this.#options.findFacts?.(asked, token);
    if (facts?.kind !== 'mint') return null;
    const { mintAuthority, freezeAuthority, permanentDelegate } = facts;
    return {
      canMint: mintAuthority !== null,
      canFreeze: freezeAuthority !== null,
      canTake: permanentDelegate !== null,
    };
  }

  /** Pools of a route that was quoted: their fees, safety and whole state are worth reading. */
  #noteUse(pools: readonly PoolId[]): void {
    this.#safety.noteUse(pools);
    const { graph, checkpoint } = this.#follower.current ?? {};
    const used = pools.flatMap((pool) => graph?.get(pool) ?? []);
    this.#poolFees?.note(used);
    const partial = used.filter((pool) => isPartial(pool, checkpoint?.block ?? 0));
    this.#options.chains.adopt(
      this.source.chain,
      partial.map(({ pool }) => pool),
      'awaited',
    );
  }

  /** Null if the fees of the family's pools change only with an event. */
  #createPoolFees(): PoolFeeWatch | null {
    const { clock } = this.#options;
    const { readPoolFees } = this.#connected.nodes;
    if (readPoolFees === undefined) return null;
    return new PoolFeeWatch({
      readFees: readPoolFees,
      clock,
      onChanged: (pool) => this.#follower.refit(pool),
      onError: (error) => this.#warn(error, "pools' fees could not be read"),
    });
  }

  /** Null if the family's pools are not called. */
  #createOnChainQuotes(): OnChainQuotes | null {
    const { clock, store, logger: log } = this.#options;
    const { chain } = this.source;
    const { nodes, market, rules } = this.#connected;
    const { quotePools } = nodes;
    if (quotePools === undefined) return null;
    return new OnChainQuotes({
      ...{ chain, store: store.market, quotePools, clock, rules, log },
      assets: market.assets,
      native: { coin: market.assets.coin, wrapped: market.wrapped },
      listRouters: () => this.#routers.list ?? [],
    });
  }

  #warn(error: unknown, message: string): void {
    if (isLoggedOutage(error)) return;
    this.#options.logger.warn({ chain: this.source.chain, err: error }, message);
  }

  #createKeeper(safetyCache: SafetyCache): SafetyKeeper {
    const { clock, store, isShared } = this.#options;
    const { chain: slug } = this.source;
    return new SafetyKeeper({
      chain: slug,
      store: store.market,
      isShared,
      safetyCache,
      clock,
      onError: (error) => this.#warn(error, 'safety results could not be stored'),
    });
  }

  /** Empty if the family cannot say, or no node answers. */
  async #findNonTokens(addresses: readonly Address[]): Promise<ReadonlySet<Address>> {
    const signal = AbortSignal.timeout(NON_TOKENS_MS);
    const asked = this.#connected.nodes.findNonTokens?.(addresses, signal);
    return (await asked?.catch(() => null)) ?? new Set();
  }

  /** Where it builds trades, and where pools are called. */
  get venues(): ReadonlySet<string> {
    const { tradedVenues, onChainVenues = [] } = this.#connected.market;
    return new Set([...tradedVenues, ...onChainVenues]);
  }

  get canTrade(): boolean {
    return this.#connected.market.tradedVenues.size > 0;
  }

  start(): void {
    this.#follower.start();
    this.#fees.start();
    this.#poolFees?.start();
    const loaded = this.#keeper.load().then(() => {
      this.#isLoaded = true;
    });
    this.#loading = Promise.all([loaded, this.#follower.settled()]).then(() => {
      this.#safety.start();
      this.#keeper.start();
    });
  }

  onBatch(batch: FeedBatch): void {
    this.#tokens.onBatch(batch);
    // The index was rebuilt, and its versions start over.
    const isRebuilt = this.#epoch === null ? batch.version === 1 : this.#epoch !== batch.epoch;
    if (isRebuilt) this.#restart();
    this.#epoch = batch.epoch;
    this.#follower.onBatch(batch);
    this.#heardBlock = batch.toBlock;
    // Immediately: a promise must not outlive evidence against it.
    this.#evidence.onBatch(batch);
    this.#noteMoved(batch.pools);
  }

  /** Once the graph has them, new pools are probed, and others when due. */
  #noteMoved(pools: FeedBatch['pools']): void {
    const isFirst = this.#moved.size === 0;
    for (const pool of pools) this.#moved.add(pool);
    if (!isFirst || this.#moved.size === 0) return;
    void this.#follower.settled().then(() => {
      const moved = [...this.#moved];
      this.#moved.clear();
      this.#safety.onPools(moved);
    });
  }

  onGap(): void {
    this.#tokens.forget();
    this.#follower.onGap();
    this.#evidence.onGap();
  }

  /** The store has commits that the feed did not deliver. */
  jump(kind: 'ahead' | 'rebuilt'): void {
    if (kind === 'rebuilt') this.#restart();
    this.onGap();
  }

  async stop(): Promise<void> {
    const parts = [this.#safety, this.#follower, this.#fees, this.#poolFees];
    await Promise.all(parts.map((part) => part?.stop()));
    await this.#loading;
    await this.#keeper.stop();
  }

  #readAgeMs({ checkpoint: { version } }: GraphAtCommit): number {
    const { chains, states } = this.#options;
    const { chain } = this.source;
    const { ageMs, isSlowed } = chains.readAge(chain);
    // Its operator wants it so; such a price is never exact.
    const indexMs = isSlowed ? Math.min(ageMs, SLOWED_AGE_MAX_MS) : ageMs;
    return Math.max(indexMs, states.readAgeMs(chain, version));
  }

  #explainUnquotable(
    trade: Parameters<TradeChain['explainUnquotable']>[0],
    trusted: ReadonlySet<Address>,
  ): ReturnType<TradeChain['explainUnquotable']> {
    const { store } = this.#options;
    const { chain } = this.source;
    const { native } = this.#connected.market.assets;
    const { findHook } = this.#connected.rules;
    const offered = this.#routers.list?.flatMap(({ venues }) => [...venues]);
    const tradedVenues = offered ? new Set(offered) : this.#connected.market.tradedVenues;
    const awaitPools = (pools: readonly PoolId[]) => this.#awaited.ask(pools);
    const checkpoint = this.#follower.current?.checkpoint;
    const moment = toPoolMoment(checkpoint ?? { block: 0, timestampMs: 0 });
    const context = { chain, native, trusted, tradedVenues, awaitPools, moment, findHook };
    return explainUnquotable(store.market, { ...context, ...trade });
  }

  async #settle(): Promise<boolean> {
    const stored = await this.#options.store.market.readCheckpoint(this.source.chain);
    return this.#follower.reach(stored?.version ?? 0);
  }

  #createSafety(trusted: ReadonlySet<Address>): SafetyWatch {
    const safetyCache = this.#safetyCache;
    const { clock } = this.#options;
    const { chain } = this.source;
    const { nodes, market } = this.#connected;
    const readGraph = () => this.#follower.current?.graph ?? null;
    const readFees = () => this.#fees.peek();
    const readBlock = () => this.#heardBlock ?? this.#follower.current?.checkpoint.block ?? 0;
    const read = { readGraph: () => this.#follower.current, readFees, readBlock };
    const { decimals: coinDecimals } = market.assets.coinUnit;
    const simulateRoundTrip: typeof nodes.simulateRoundTrip = async (trip, signal) => {
      const views = await nodes.simulateRoundTrip(trip, signal);
      if (views !== null) this.#routers.onViews(views);
      return views;
    };
    const parts = {
      nodes: { simulateRoundTrip },
      trusted,
      coinDecimals,
      safetyCache,
      ...read,
      clock,
      sleep,
    };
    return new SafetyWatch({
      safetyCache,
      readGraph,
      probe: createProbe(parts),
      onMeasured: (safety, before) => {
        this.#evidence.settle(before, safety);
        this.#keeper.keep(safety);
      },
      // Nobody else uses the devnet's node, so no pause is needed.
      pauseMs: this.source.instance === null ? PROBE_PAUSE_MS : 0,
      // Of several processes on a store the one that indexes the chain probes new pools.
      probesAll: () => this.source.instance !== null && this.#options.chains.isIndexing(chain),
      ...{ clock, sleep, random: Math.random },
      onError: (error) => this.#warn(error, 'a pool could not be probed'),
    });
  }

  #createEvidence(trusted: ReadonlySet<Address>): SafetyEvidence {
    return new SafetyEvidence({
      safetyCache: this.#safetyCache,
      readGraph: () => this.#follower.current?.graph ?? null,
      trusted,
      clock: this.#options.clock,
      remeasure: (pools, isUrgent) => {
        if (isUrgent) this.#safety.recheck(pools);
        else if (pools.length > 0) this.#safety.onPools(pools);
      },
    });
  }

  #restart(): void {
    this.#safetyCache.clear();
    this.#evidence.clear();
    void this.#follower.stop();
    this.#follower = this.#createFollower(this.trade.trusted);
    this.#follower.start();
  }

  #createFollower(trusted: ReadonlySet<Address>): PoolGraphFollower {
    const { store, logger } = this.#options;
    const { chain } = this.source;
    const { market, rules } = this.#connected;
    const { assets, wrapped, tradedVenues: venues } = market;
    return new PoolGraphFollower({
      chain,
      store: store.market,
      native: { coin: assets.coin, wrapped },
      ...{ venues, trusted },
      rules,
      silentFees: (pool) => this.#poolFees?.find(pool) ?? null,
      ...{ sleep, random: Math.random, log: logger },
    });
  }
}
