// The market reads on a store that an indexer fills from a fake chain, called like a transport
// does.

import assert from 'node:assert/strict';
import { setImmediate } from 'node:timers/promises';
import { Compile } from 'typebox/compile';
import { BURN_ADDRESSES } from '../src/chains/evm/data/burn-addresses.ts';
import type { HandlerContext, ReadyAnswer } from '../src/contract/handler.ts';
import type { Level } from '../src/contract/identity.ts';
import type { LookupDesk } from '../src/contract/look-up-token.ts';
import type { Operation } from '../src/contract/operation.ts';
import { operations } from '../src/contract/operations.ts';
import { createInputParser } from '../src/contract/parse-input.ts';
import { findFamily } from '../src/engines/chain-families.ts';
import type { RetentionDays } from '../src/ingest/commit/row-retention.ts';
import { systemClock } from '../src/lib/clock.ts';
import { sleep } from '../src/lib/retry.ts';
import { decodeBatch, encodeBatch } from '../src/live/encode-batch.ts';
import type { Feed } from '../src/live/feed.ts';
import { LocalFeed } from '../src/live/local-feed.ts';
import { createMarket, type Market } from '../src/market/create-market.ts';
import type { TokenList } from '../src/market/lists/parse-token-list.ts';
import { TokenLists } from '../src/market/lists/token-lists.ts';
import { TokenLogos } from '../src/market/lists/token-logos.ts';
import type { MarketChain } from '../src/market/market-parts.ts';
import { buildSegment } from '../src/market/search/segment.ts';
import { toListing } from '../src/market/token-search.ts';
import type { ChainSlug } from '../src/model/chain.ts';
import { ChainRegistry } from '../src/model/chain-registry.ts';
import type { Store } from '../src/store/store.ts';
import { createPostgresPlace, createSqlitePlace } from './conformance/store-place.ts';
import { FakeChain, type FakeChainOptions } from './fakes/fake-chain.ts';
import { FAKE_ASSETS } from './fakes/fake-market.ts';
import { type IndexedChain, startIndexer } from './fakes/indexed-chain.ts';

export type ReadId = keyof Market['handlers'];
/** Texts and numbers for a query; anything for a body. */
export type ReadInput = Readonly<Record<string, unknown>>;

// biome-ignore lint/suspicious/noExplicitAny: answers are looked into freely.
export type Json = any;

export interface Asked {
  readonly json: Json;
  readonly answer: ReadyAnswer;
}

export type Ask = (id: ReadId, input: ReadInput, level?: Level) => Promise<Asked>;

const DEPTHS = {
  anonymous: { trades: 300, holders: 100, klines: 1000, prices: 30, alerts: 0 },
  key: { trades: 500, holders: 1000, klines: 5000, prices: 100, alerts: 100 },
  session: { trades: 500, holders: 1000, klines: 5000, prices: 100, alerts: 100 },
};

function buildContext(level: Level): HandlerContext {
  return {
    identity: { kind: level, key: 'test' } as HandlerContext['identity'],
    requestId: 'test',
    addressGroup: 'test',
    origin: null,
    idempotencyKey: null,
  };
}

function createParser({ input, method }: Operation): (given: ReadInput) => unknown {
  if (method === 'POST') return createInputParser(input, 'json');
  const parse = createInputParser(input, 'text');
  return (given) =>
    parse(Object.fromEntries(Object.entries(given).map(([name, value]) => [name, String(value)])));
}

const bound = new Map(
  operations.map((operation: Operation) => [
    operation.id,
    { parse: createParser(operation), output: Compile(operation.output) },
  ]),
);

/** Calls through the operation's own parser; every answer must match its schema. */
export function createAsk(market: Market): Ask {
  return async (id, input, level = 'key') => {
    const { parse, output } = bound.get(id)!;
    const handler = market.handlers[id] as (input: unknown, context: HandlerContext) => unknown;
    const answer = (await handler(parse(input), buildContext(level))) as ReadyAnswer;
    const json = JSON.parse(answer.bytes.toString('utf8'));
    assert.ok(output.Check(json), `${id} ${JSON.stringify([...output.Errors(json)].slice(0, 3))}`);
    return { json, answer };
  };
}

/** Every second owner is a contract. */
export const FAKE_MARKET_CHAIN: MarketChain = {
  slug: 'devnet',
  addresses: findFamily('devnet').addresses,
  assets: FAKE_ASSETS,
  tradedVenues: new Set(['uniswap-v2', 'uniswap-v3']),
  vaults: new Set(),
  burnAddresses: BURN_ADDRESSES,
  findHook: () => null,
  findLogoUrl: (token) => `http://localhost/logo/${token}`,
  noteIncomplete: () => undefined,
  requestHistory: () => undefined,
  findContracts: async (addresses) =>
    new Map(
      addresses.map((address) => [address, Number.parseInt(address.slice(-1), 16) % 2 === 0]),
    ),
  readHoldings: async () => null,
};

export interface TestMarketOptions {
  readonly store: Store;
  readonly feed?: Feed;
  readonly chain?: MarketChain;
  /** Further chains. */
  readonly moreChains?: readonly MarketChain[];
  readonly cacheBytesMax?: number;
  readonly lists?: TokenLists;
  /** Chains that are followed as well, of which nothing is indexed yet. */
  readonly unready?: readonly ChainSlug[];
  readonly lookups?: LookupDesk;
  readonly findSafety?: Market['parts']['findSafety'];
}

/** Lists that are never read again. */
export function createTestLists(lists: readonly TokenList[]): TokenLists {
  return new TokenLists({
    sources: lists.map((list) => ({ label: list.name, list })),
    sleep,
    random: Math.random,
    onFailure: () => undefined,
    onRecovered: () => undefined,
  });
}

export function createTestMarket(options: TestMarketOptions): Market {
  const { store, chain = FAKE_MARKET_CHAIN, moreChains = [] } = options;
  const chains = [chain, ...moreChains];
  const fail = (error: unknown) => {
    throw error;
  };
  return createMarket({
    store,
    feed: options.feed ?? new LocalFeed({ onError: fail }),
    chains: {
      list: () => [...(options.unready ?? []), ...chains.map(({ slug }) => slug)],
      known: new ChainRegistry(),
      findAddresses: (slug) => findFamily(slug).addresses,
      find: (slug) => chains.find((one) => one.slug === slug) ?? null,
    },
    clock: systemClock,
    depthOf: ({ kind }) => DEPTHS[kind],
    lists: options.lists ?? createTestLists([]),
    lookups: options.lookups,
    findSafety: options.findSafety ?? (() => null),
    logos: new TokenLogos({
      ...{ cache: null, ipfsGateway: null, clock: systemClock, onFailure: fail },
      fetchLogo: () => assert.fail('nothing is fetched'),
    }),
    buildSegment: async (slug, facts) => {
      const listings = [];
      for await (const page of store.market.scanListings(slug)) listings.push(...page);
      return buildSegment(listings.map((record) => toListing(record, facts)));
    },
    cacheBytesMax: options.cacheBytesMax ?? 16 * 1024 * 1024,
    onError: fail,
  });
}

/** Asks a fresh market without caches. */
export async function openFreshly(store: Store, chain?: MarketChain): Promise<Ask> {
  const market = createTestMarket({ store, cacheBytesMax: 0, ...(chain ? { chain } : {}) });
  await market.pauses.poll();
  await market.states.poll();
  return createAsk(market);
}

export async function askFreshly(
  store: Store,
  id: ReadId,
  input: ReadInput,
  chain?: MarketChain,
): Promise<Asked> {
  const ask = await openFreshly(store, chain);
  return ask(id, input);
}

export interface MarketScene {
  readonly store: Store;
  readonly feed: Feed;
  readonly market: Market;
  readonly chain: FakeChain;
  readonly indexed: IndexedChain;
  readonly ask: Ask;
  /** Resolves when everything on the chain is indexed and published. */
  settle(): Promise<void>;
}

export interface SceneCleanup {
  after(work: () => Promise<void> | void): void;
}

export type SceneEngine = 'sqlite' | 'postgres';

/** The returned function closes and removes it. */
export async function openTestStore(
  engine: SceneEngine,
): Promise<{ readonly store: Store; remove(): Promise<void> }> {
  const place = await (engine === 'sqlite' ? createSqlitePlace() : createPostgresPlace());
  const store = await place.open();
  return {
    store,
    remove: async () => {
      await store.close();
      await place.remove();
    },
  };
}

export async function createMarketScene(
  t: SceneCleanup,
  options: FakeChainOptions & {
    readonly engine: SceneEngine;
    readonly blocks: number;
    /** The first block to index; 0 by default. */
    readonly startBlock?: number;
    readonly lists?: TokenLists;
    /** What the reads know of the chain, and ask of its node. */
    readonly node?: MarketChain;
    readonly retention?: RetentionDays;
    /** How long rollback records are kept, by a clock that runs with every look for a block. */
    readonly rollbacksKeptMs?: number;
    /** Whether pools are adopted and history is filled in, without a limit. */
    readonly isFilledIn?: boolean;
  },
): Promise<MarketScene> {
  const { engine, blocks, startBlock = 0, lists, node, retention, ...more } = options;
  const { isFilledIn = false, rollbacksKeptMs, ...chainOptions } = more;
  const callsPerMinute = isFilledIn ? Number.POSITIVE_INFINITY : 0;
  const { store, remove } = await openTestStore(engine);
  const feed = new LocalFeed({
    onError: (error) => {
      throw error;
    },
  });
  const seen = { ...(lists ? { lists } : {}), ...(node ? { chain: node } : {}) };
  const market = createTestMarket({ store, feed, ...seen });
  const chain = new FakeChain(chainOptions);
  chain.extend(blocks);
  const indexed = startIndexer(chain, store.market, {
    startBlock,
    retention,
    ...(rollbacksKeptMs === undefined ? {} : { rollbacksKeptMs }),
    adoption: { callsPerMinute },
    backfill: { callsPerMinute, tokensMax: 10 },
    onCommitted: (event) => feed.publish(decodeBatch(encodeBatch(event))),
  });
  t.after(async () => {
    await market.stop();
    await indexed.indexer.stop();
    await remove();
  });
  await indexed.settle();
  await market.start();
  const settle = async () => {
    await indexed.settle();
    const stored = await store.market.readCheckpoint('devnet');
    while ((market.states.current('devnet')?.version ?? 0) < (stored?.version ?? 0)) {
      await setImmediate();
    }
  };
  await settle();
  return { store, feed, market, chain, indexed, ask: createAsk(market), settle };
}
