// Pricing on a real node's markets, composed as in the service, without HTTP.

import assert from 'node:assert/strict';
import { setTimeout as delay } from 'node:timers/promises';
import { findToken } from '../devnet/deployment.ts';
import type { TestChain } from '../devnet/test-chain.ts';
import type { ChainSource } from '../src/chains/family.ts';
import { createBuildChains } from '../src/compose/open-trading.ts';
import type { HandlerContext } from '../src/contract/handler.ts';
import { ChainConnections } from '../src/engines/chain-connections.ts';
import { findFamily } from '../src/engines/chain-families.ts';
import { systemClock } from '../src/lib/clock.ts';
import { sleep } from '../src/lib/retry.ts';
import { ChainRegistry } from '../src/model/chain-registry.ts';
import type { Address } from '../src/model/ids.ts';
import { openSearchThreads } from '../src/runtime/open-search-threads.ts';
import type { BuildAnswer } from '../src/trading/build/build-answer.ts';
import { type BuildParts, createBuildTrade } from '../src/trading/build/create-build-trade.ts';
import type { TradeInput } from '../src/trading/quote/create-pricing.ts';
import {
  createPricing,
  createQuoteTrade,
  type Pricing,
} from '../src/trading/quote/create-pricing.ts';
import type { QuoteAnswer } from '../src/trading/quote/quote-answer.ts';
import type { TradeChain } from '../src/trading/quote/trade-chain.ts';
import { createTradeChains } from '../src/trading/quote/trade-chains.ts';
import { RouteScheduler } from '../src/trading/search/route-scheduler.ts';
import {
  type IndexedDevnet,
  type IndexedDevnetOptions,
  startIndexedDevnet,
} from './indexed-devnet.ts';
import { address } from './test-ids.ts';
import { TEST_SEALER } from './test-sealer.ts';

export type SceneInput = Partial<TradeInput> & { readonly mint: string };

export interface TradingScene {
  readonly devnet: IndexedDevnet;
  readonly pricing: Pricing;
  readonly chain: TradeChain;
  /** Advances the clock of pricing and its caches. */
  advance(ms: number): void;
  /** Tokens that are paused from now on. */
  readonly paused: Set<Address>;
  mintOf(key: string): Address;
  quote(input: SceneInput): Promise<QuoteAnswer>;
  /** For a wallet that counts as signed in. */
  build(input: SceneInput, wallet: Address): Promise<BuildAnswer>;
  /** Waits until pricing is at the newest block and every pool has been probed. */
  settle(): Promise<void>;
  stop(): Promise<void>;
}

const STRICT = {
  error: (_fields: object, message: string) => assert.fail(message),
};

const CONTEXT: HandlerContext = {
  identity: { kind: 'anonymous', key: 'test' },
  requestId: 'test',
  addressGroup: 'test',
  origin: null,
  idempotencyKey: null,
};

const SETTLE_MAX_MS = 60_000;

function buildInput(input: SceneInput) {
  const trade = { chain: 'devnet', side: 'buy', amountInRaw: '10000000000000000' } as const;
  return { ...trade, slippageBps: 50, priority: 'medium' as const, ...input };
}

/** Builds for any wallet, as if it were signed in. */
function createBuilder(
  source: ChainSource,
  connections: ChainConnections,
  parts: Pick<BuildParts, 'pricing' | 'chains' | 'clock'>,
) {
  const silent = () => undefined;
  const builders = createBuildChains({
    chains: { findSource: () => source },
    connections,
  });
  const buildTrade = createBuildTrade({ ...parts, builders, sleep, log: { error: silent } });
  return (input: ReturnType<typeof buildInput>, address: Address) => {
    const wallet = { id: `eip155:${address}`, address };
    const context = { identity: { kind: 'session', wallet } } as unknown as HandlerContext;
    return buildTrade({ ...input, deadlineSeconds: 600, approval: 'onchain' }, context);
  };
}

interface TradingSceneOptions extends IndexedDevnetOptions {
  /** Changes the chain before it is indexed. */
  readonly prepare?: (chain: TestChain) => Promise<void>;
}

export async function startTradingScene(options: TradingSceneOptions = {}): Promise<TradingScene> {
  const devnet = await startIndexedDevnet(options, options.prepare);
  const source: ChainSource = {
    chain: 'devnet',
    endpoints: [devnet.recorder.url],
    devnet: devnet.chain.deployment,
    startBlock: devnet.chain.deployment.startBlock,
    instance: devnet.chain.deployment.instance,
  };
  const looked = new Set<Address>();
  const noteKnown = (_: unknown, token: Address) => {
    if (options.isLate !== true || looked.has(token)) return;
    looked.add(token);
    void devnet.indexer.lookUp(token);
  };
  let aheadMs = 0;
  const clock = {
    nowMs: () => systemClock.nowMs() + aheadMs,
    monotonicMs: () => systemClock.monotonicMs() + aheadMs,
  };
  const logger = { info: () => undefined, warn: () => undefined };
  const connections = new ChainConnections({ clock, log: logger });
  const chains = createTradeChains({
    connections,
    chains: {
      ...{ known: new ChainRegistry(), slugs: ['devnet'] as const },
      ...{ isLate: () => false, isIndexing: () => true, isAdopting: () => true },
      ...{ findSource: () => source, readAge: () => ({ ageMs: 0, isSlowed: false }) },
      ...{ adopt: () => undefined, tokens: { noteKnown } },
    },
    store: { market: devnet.store },
    findAddresses: (slug) => findFamily(slug).addresses,
    isShared: false,
    ...{ feed: devnet.feed, clock, logger },
    states: { readAgeMs: () => 0, subscribe: () => () => undefined },
  });
  chains.start();
  const paused = new Set<Address>();
  const isPaused = (_: unknown, token: Address) => paused.has(token);
  const threads = openSearchThreads({ clock, logger: STRICT });
  const scheduler = new RouteScheduler(threads);
  const pricing = createPricing({ chains, clock, isPaused, sealer: TEST_SEALER, scheduler });
  const chain = chains.find('devnet') as TradeChain;
  const quoteTrade = createQuoteTrade(pricing);
  const build = createBuilder(source, connections, { pricing, chains, clock });
  const settle = async () => {
    await devnet.settle();
    const { block } = devnet.follower.current?.checkpoint ?? { block: 0 };
    const deadlineMs = Date.now() + SETTLE_MAX_MS;
    for (;;) {
      const at = chain.readGraph();
      const isMeasured = [...(at?.graph.pools() ?? [])].every(({ pool }) =>
        chain.safetyCache.get(pool),
      );
      if (at?.checkpoint.block === block && isMeasured && chain.readFees() !== null) return;
      if (Date.now() > deadlineMs) throw new Error(`pricing is not at ${block}`);
      await delay(20);
    }
  };
  return {
    devnet,
    pricing,
    chain,
    advance: (ms) => {
      aheadMs += ms;
    },
    paused,
    mintOf: (key) => address(findToken(devnet.chain.deployment, key).address),
    quote: async (input) => (await quoteTrade(buildInput(input), CONTEXT)).take(),
    build: (input, address) => build(buildInput(input), address),
    settle,
    stop: async () => {
      await threads.stop();
      await chains.stop();
      connections.close();
      await devnet.stop();
    },
  };
}
