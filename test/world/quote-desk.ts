// Asks for quotes in a world: the service's own pricing, on the pools that the index has stored.

import type { ChainAdapter } from '../../src/chains/adapter.ts';
import { findFamily, requireMarkets } from '../../src/engines/chain-families.ts';
import { AppError } from '../../src/errors/app-error.ts';
import type { FeedBatch } from '../../src/live/feed.ts';
import { ChainRegistry } from '../../src/model/chain-registry.ts';
import type { MarketStore } from '../../src/store/store.ts';
import { PoolGraphFollower } from '../../src/trading/graph/pool-graph-follower.ts';
import { SafetyCache } from '../../src/trading/graph/safety-cache.ts';
import { createPriceTrade } from '../../src/trading/quote/create-price-trade.ts';
import type { PriceTrade } from '../../src/trading/quote/priced-trade.ts';
import type { TradeChain } from '../../src/trading/quote/trade-chain.ts';
import { TradeTokens } from '../../src/trading/quote/trade-tokens.ts';
import { RouteScheduler } from '../../src/trading/search/route-scheduler.ts';
import { SearchThreads } from '../../src/trading/search/search-threads.ts';
import { SOLANA_TRADE_COSTS, TRADE_COSTS } from '../fakes/trade-costs.ts';
import type { VirtualTime } from './virtual-time.ts';
import type { WorldChain } from './world-chain.ts';

interface QuoteDeskParts {
  readonly chain: WorldChain;
  readonly assets: ChainAdapter['assets'];
  readonly store: MarketStore;
  readonly time: VirtualTime;
  /** When the index was last known to be at the chain's newest state. */
  readonly readCurrentAtMs: () => number | null;
}

const AMOUNT_RAW = 1_000_000n;

export class QuoteDesk {
  readonly #chain: WorldChain;
  readonly #follower: PoolGraphFollower;
  readonly #tokens: TradeTokens;
  readonly #price: PriceTrade;

  constructor({ chain, assets, store, time, readCurrentAtMs }: QuoteDeskParts) {
    const { slug, family } = chain;
    const { addresses } = findFamily(slug);
    const trusted = new Set([...assets.native, ...assets.stable]);
    const [wrapped = assets.coin] = [...assets.native].filter((one) => one !== assets.coin);
    const fail = () => {
      throw new Error('a search of a world is short');
    };
    const threads = new SearchThreads({
      ...{ startThread: fail, threadCountMax: 1, clock: time, log: { error: fail } },
      queue: { lengthMax: 1, perCallerMax: 1 },
    });
    this.#chain = chain;
    this.#tokens = new TradeTokens(slug, store);
    this.#follower = new PoolGraphFollower({
      ...{ chain: slug, store, trusted, rules: requireMarkets(slug) },
      ...{ native: { coin: assets.coin, wrapped }, sleep: time.sleep, random: () => 0.5 },
      log: { warn: () => undefined },
    });
    const trade: TradeChain = {
      ...{ slug, addresses, coinUnit: assets.coinUnit, wrapped, assets, trusted },
      costs: family === 'evm' ? TRADE_COSTS : SOLANA_TRADE_COSTS,
      ...{ tokens: this.#tokens, safetyCache: new SafetyCache() },
      readGraph: () => this.#follower.current,
      readFees: () => null,
      readAgeMs: () => time.monotonicMs() - (readCurrentAtMs() ?? 0),
      ...{ isBehind: () => false, settle: () => this.#follower.settled().then(() => true) },
      loadPools: (tokens) => this.#follower.load(tokens),
      explainUnquotable: async () => null,
      ...{ noteAsked: () => undefined, noteUse: () => undefined, noteFailure: () => undefined },
    };
    this.#price = createPriceTrade({
      chains: {
        ...{
          list: () => [slug],
          known: new ChainRegistry(),
          canTrade: () => true,
          listVenues: () => null,
        },
        ...{ findAddresses: () => addresses, find: () => trade },
      },
      ...{ isPaused: () => false, clock: time, scheduler: new RouteScheduler(threads) },
    });
    this.#follower.start();
  }

  onBatch(batch: FeedBatch): void {
    this.#tokens.onBatch(batch);
    this.#follower.onBatch(batch);
  }

  /** Whether the sale of a token for the chain's coin is priced; otherwise why not. */
  async ask(): Promise<true | string> {
    const { slug } = this.#chain;
    const [mint] = this.#chain.listTokens();
    if (mint === undefined) return 'no token';
    const quoteMint = findFamily(slug).addresses.native;
    const request = {
      ...({ chain: slug, mint, quoteMint, side: 'sell', fixed: 'input' } as const),
      ...({ amountRaw: AMOUNT_RAW, slippageBps: 50, priority: 'medium' } as const),
    };
    const none = () => undefined;
    const caller = { key: 'world', identity: {} as never, chargeAhead: () => 0, charge: none };
    try {
      const { amountOutRaw } = await this.#price(request, caller);
      return amountOutRaw > 0n || 'nothing is paid';
    } catch (error) {
      if (!(error instanceof AppError)) throw error;
      return error.code;
    }
  }

  async stop(): Promise<void> {
    await this.#follower.stop();
  }
}
