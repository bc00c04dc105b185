// Pricing and building on pools in memory and a scripted node, without a chain.

import assert from 'node:assert/strict';
import type { TestContext } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import { toPoolMoment } from '../src/amm/pool-moment.ts';
import type { NetworkFees } from '../src/chains/chain-nodes.ts';
import { EvmTransactions } from '../src/chains/evm/trading/evm-transactions.ts';
import type { SwapRouter, VenueRouter } from '../src/chains/evm/venues/swap-routers.ts';
import type { UniversalRouter } from '../src/chains/evm/venues/universal-router/universal-router.ts';
import type { HandlerContext } from '../src/contract/handler.ts';
import { findFamily } from '../src/engines/chain-families.ts';
import { type Sleep, sleep } from '../src/lib/retry.ts';
import type { TokenLists } from '../src/market/lists/token-lists.ts';
import type { ChainSlug } from '../src/model/chain.ts';
import { ChainRegistry } from '../src/model/chain-registry.ts';
import type { Address, PoolId } from '../src/model/ids.ts';
import { openSearchThreads } from '../src/runtime/open-search-threads.ts';
import type { MarketStore } from '../src/store/store.ts';
import type { BuildAnswer } from '../src/trading/build/build-answer.ts';
import { createBuildTrade } from '../src/trading/build/create-build-trade.ts';
import { PoolGraph } from '../src/trading/graph/pool-graph.ts';
import type { GraphPool } from '../src/trading/graph/pool-graph-pool.ts';
import { SafetyCache } from '../src/trading/graph/safety-cache.ts';
import { AwaitedPools } from '../src/trading/quote/awaited-pools.ts';
import type { TradeInput } from '../src/trading/quote/create-pricing.ts';
import { createPricing, type Pricing } from '../src/trading/quote/create-pricing.ts';
import { explainUnquotable } from '../src/trading/quote/explain-unquotable.ts';
import type { PricedTrade, PriceOptions, TradeRequest } from '../src/trading/quote/priced-trade.ts';
import type { TradeChain } from '../src/trading/quote/trade-chain.ts';
import { TradeTokens } from '../src/trading/quote/trade-tokens.ts';
import { RouteScheduler } from '../src/trading/search/route-scheduler.ts';
import { buildToken } from './conformance/store-samples.ts';
import { buildFakeAddress, COIN } from './fakes/fake-market.ts';
import { ManualClock } from './fakes/manual-clock.ts';
import {
  createNodeScript,
  type NodeScript,
  type ScriptedNode,
  startScriptedNode,
} from './fakes/scripted-node.ts';
import { TRADE_COSTS } from './fakes/trade-costs.ts';
import { createTestLists, openTestStore } from './market-scene.ts';
import { walletId } from './test-ids.ts';
import { TEST_SEALER } from './test-sealer.ts';

export const WETH = buildFakeAddress('eeee', 5);
export const TOKEN = buildFakeAddress('aaaa', 16);
export const WALLET = buildFakeAddress('cccc', 9);
export const ROUTER: UniversalRouter = {
  ...{ kind: 'universal', name: 'universal', venues: new Set(['uniswap-v2', 'curve']) },
  ...{ canDivide: true, canTax: true, isProven: true, outputCall: 'commands' },
  address: buildFakeAddress('ffff', 1),
  version: '2.0',
  permit2: buildFakeAddress('ffff', 2),
  wrapped: WETH,
};

/** Never executed on its own contract. */
export const OTHER_ROUTER: VenueRouter = {
  ...{ kind: 'camelot', name: 'other', venues: new Set(['other-v2']), factory: null },
  ...{ canDivide: false, canTax: true, isProven: false, permit2: null, wrapped: WETH },
  outputCall: 'input',
  address: buildFakeAddress('ffff', 3),
};

/** V2's own, which pays a given output to the unit. */
export const PAIR_ROUTER: VenueRouter = {
  ...{ kind: 'router02', name: 'pairs', venues: new Set(['uniswap-v2']), factory: null },
  ...{ canDivide: false, canTax: true, isProven: true, permit2: null, wrapped: WETH },
  ...{ outputCall: 'exactPath', onlyOutputs: true, address: buildFakeAddress('ffff', 4) },
};

const ROUTERS: readonly SwapRouter[] = [ROUTER, OTHER_ROUTER];

/** Always prices for the same caller. */
export type ScenePricing = Omit<Pricing, 'price'> & {
  price(request: TradeRequest, options?: PriceOptions): Promise<PricedTrade>;
};

export interface BuildScene {
  readonly pricing: ScenePricing;
  readonly chain: TradeChain;
  readonly store: MarketStore;
  /** The network's fees; tests may change them. */
  readonly fees: { current: NetworkFees | null };
  /** Whether pools that are not known in full are read, and those that were asked for. */
  readonly adoption: { isOn: boolean; readonly asked: PoolId[] };
  readonly node: ScriptedNode;
  readonly clock: ManualClock;
  /** Lines of the log. */
  readonly errors: string[];
  /** Empty; tests may add some. */
  readonly lists: TokenLists;
  build(
    input: Partial<TradeInput> & { quoteId?: string; approval?: 'onchain' | 'permit' },
  ): Promise<BuildAnswer>;
}

/** A sale of tokens for the native coin unless the input says otherwise. */
export const SALE: TradeInput = {
  chain: 'devnet',
  mint: TOKEN,
  side: 'sell',
  amountInRaw: '1000000000000000000',
  slippageBps: 50,
  priority: 'medium',
};

export function buildFees(baseFeePerGas: bigint): NetworkFees {
  const data = { kind: 'none' } as const;
  return { perUnit: baseFeePerGas + 1n, perUnitMax: 2n * baseFeePerGas + 1n, data };
}

const CONTEXT: HandlerContext = {
  identity: {
    kind: 'session',
    key: `eip155:${WALLET}`,
    wallet: { id: walletId(`eip155:${WALLET}`), address: WALLET },
    chain: 'devnet',
    sessionId: 'test',
    tier: null,
    transport: 'token',
    createdAtMs: 0,
    expiresAtMs: Number.MAX_SAFE_INTEGER,
  },
  requestId: 'test',
  addressGroup: 'test',
  origin: null,
  idempotencyKey: null,
};

async function createTradeChain(
  t: TestContext,
  pools: readonly GraphPool[],
  { block }: NodeScript,
  {
    fees,
    adoption,
    clock,
    routers,
  }: Pick<BuildScene, 'fees' | 'adoption' | 'clock'> & { readonly routers: readonly SwapRouter[] },
): Promise<{ chain: TradeChain; store: MarketStore }> {
  const { store, remove } = await openTestStore('sqlite');
  t.after(remove);
  await store.market.transaction('devnet', (transaction) =>
    transaction.putTokens([
      buildToken({ token: TOKEN, name: 'Token' }),
      buildToken({ token: WETH }),
    ]),
  );
  const graph = new PoolGraph({ native: { coin: COIN, wrapped: WETH } });
  const safetyCache = new SafetyCache();
  const clean = { outBps: 0, inBps: 0, sellable: true };
  for (const pool of pools) {
    graph.set(pool);
    const { token0, token1 } = pool;
    const sides = { side0: clean, side1: clean, hookFees: null };
    safetyCache.set({ pool: pool.pool, token0, token1, ...sides, checkedAtMs: block.timestampMs });
  }
  const checkpoint = {
    ...{ startBlock: 0, block: block.number, blockHash: block.hash },
    ...{ timestampMs: block.timestampMs, finalizedBlock: 0, version: 1 },
  };
  graph.moveTo(toPoolMoment(checkpoint));
  const awaited = new AwaitedPools({
    ...{ clock, isAdopting: () => adoption.isOn },
    adopt: (asked) => adoption.asked.push(...asked),
  });
  const trusted = new Set([WETH]);
  const tradedVenues = new Set(['uniswap-v2']);
  const chain: TradeChain = {
    slug: 'devnet',
    addresses: findFamily('devnet').addresses,
    coinUnit: { symbol: 'ETH', decimals: 18 },
    wrapped: WETH,
    assets: { native: new Set([COIN, WETH]), stable: new Set() },
    costs: TRADE_COSTS,
    listRouters: () => routers,
    trusted,
    tokens: new TradeTokens('devnet', store.market),
    safetyCache,
    readGraph: () => ({ graph, checkpoint }),
    readFees: () => fees.current,
    readAgeMs: () => 0,
    isBehind: () => false,
    settle: async () => true,
    loadPools: async () => true,
    noteAsked: () => undefined,
    noteUse: () => undefined,
    noteFailure: () => undefined,
    explainUnquotable: (trade) =>
      explainUnquotable(store.market, {
        ...{ chain: 'devnet', ...trade, trusted, tradedVenues, native: new Set([COIN, WETH]) },
        awaitPools: (asked) => awaited.ask(asked),
        moment: toPoolMoment(checkpoint),
        findHook: () => null,
      }),
  };
  return { chain, store: store.market };
}

/** Short pauses only advance the clock; longer waits are real. */
const PAUSE_MAX_MS = 1000;

function createSleep(clock: ManualClock): Sleep {
  return async (ms, signal) => {
    if (ms > PAUSE_MAX_MS) return sleep(ms, signal);
    clock.advance(ms);
    await setImmediate();
  };
}

export async function createBuildScene(
  t: TestContext,
  pools: readonly GraphPool[],
  script: Partial<NodeScript> = {},
  paused: readonly string[] = [],
  routers: readonly SwapRouter[] = ROUTERS,
): Promise<BuildScene> {
  const node = await startScriptedNode(createNodeScript(script));
  t.after(() => node.stop());
  const fees = { current: buildFees(7n) };
  const adoption = { isOn: true, asked: [] };
  const clock = new ManualClock(node.script.block.timestampMs);
  const { chain, store } = await createTradeChain(t, pools, node.script, {
    ...{ fees, adoption, clock, routers },
  });
  const chains = {
    list: () => ['devnet' as const],
    known: new ChainRegistry(),
    findAddresses: () => findFamily('devnet').addresses,
    canTrade: () => true,
    listVenues: () => null,
    find: () => chain,
  };
  const isPaused = (_: unknown, token: string) => paused.includes(token);
  const logger = { error: (_fields: object, message: string) => assert.fail(message) };
  const threads = openSearchThreads({ clock, logger });
  t.after(() => threads.stop());
  const scheduler = new RouteScheduler(threads);
  const lists = createTestLists([]);
  const findLookalike = lists.findLookalike.bind(lists);
  const isListed = (slug: ChainSlug, token: Address) =>
    lists.directory.get(slug)?.has(token) ?? false;
  const parts = {
    chains,
    clock,
    isPaused,
    findLookalike,
    isListed,
    sealer: TEST_SEALER,
    scheduler,
  };
  const pricing = createPricing(parts);
  const { identity } = CONTEXT;
  const none = () => undefined;
  const caller = { key: 'test', identity, chargeAhead: () => 0, charge: none };
  const { client } = node;
  const builder = new EvmTransactions({
    ...{ chainId: 1337, routers, rollup: null, client, clock },
  });
  const errors: string[] = [];
  const build = createBuildTrade({
    ...{ pricing, chains, clock, sleep: createSleep(clock) },
    builders: { findFamily, find: () => builder },
    log: { error: (_, message) => errors.push(message) },
  });
  return {
    ...{ chain, store, fees, adoption, node, clock, errors, lists },
    pricing: { ...pricing, price: (request, options) => pricing.price(request, caller, options) },
    build: (input) =>
      build({ ...SALE, deadlineSeconds: 120, approval: 'onchain', ...input } as never, CONTEXT),
  };
}
