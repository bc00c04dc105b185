// Two fake chains in one store, and nodes that serve them.

import { setImmediate } from 'node:timers/promises';
import { decodeBatch, encodeBatch } from '../src/live/encode-batch.ts';
import { LocalFeed } from '../src/live/local-feed.ts';
import type { Market } from '../src/market/create-market.ts';
import type { ChainSlug } from '../src/model/chain.ts';
import type { Store } from '../src/store/store.ts';
import { FakeChain, type FakeChainOptions } from './fakes/fake-chain.ts';
import { startIndexer } from './fakes/indexed-chain.ts';
import {
  type Ask,
  createAsk,
  createTestMarket,
  FAKE_MARKET_CHAIN,
  openTestStore,
  type SceneCleanup,
  type SceneEngine,
} from './market-scene.ts';

const TWO_CHAINS = ['base', 'devnet'] as const satisfies readonly ChainSlug[];

export interface TwoChainsScene {
  readonly store: Store;
  readonly chains: readonly { readonly slug: ChainSlug; readonly chain: FakeChain }[];
  /** Each has a market of its own; all hear the same feed. */
  readonly nodes: readonly Market[];
  readonly ask: Ask;
  /** Stops the last node, and starts another in its place on the same store. */
  restartLast(): Promise<Market>;
  settle(): Promise<void>;
}

export async function createTwoChainsScene(
  t: SceneCleanup,
  options: FakeChainOptions & { readonly engine: SceneEngine; readonly blocks: number },
): Promise<TwoChainsScene> {
  const { engine, blocks, seed, ...more } = options;
  const { store, remove } = await openTestStore(engine);
  const feed = new LocalFeed({
    onError: (error) => {
      throw error;
    },
  });
  const moreChains = [{ ...FAKE_MARKET_CHAIN, slug: 'base' as const }];
  const createNode = () => createTestMarket({ store, feed, moreChains });
  const nodes = [createNode(), createNode()];
  const followed = TWO_CHAINS.map((slug, index) => {
    const chain = new FakeChain({ ...more, seed: seed * 10 + index });
    chain.extend(blocks);
    const indexed = startIndexer(chain, store.market, {
      slug,
      startBlock: 0,
      adoption: { callsPerMinute: 0 },
      backfill: { callsPerMinute: 0, tokensMax: 10 },
      onCommitted: (event) => feed.publish(decodeBatch(encodeBatch(event))),
    });
    return { slug, chain, indexed };
  });
  t.after(async () => {
    for (const node of nodes) await node.stop();
    for (const { indexed } of followed) await indexed.indexer.stop();
    await remove();
  });
  const [first] = nodes;
  if (first === undefined) throw new Error('a scene has nodes');
  for (const { indexed } of followed) await indexed.settle();
  for (const node of nodes) await node.start();
  const settle = async () => {
    for (const { slug, indexed } of followed) {
      await indexed.settle();
      const stored = (await store.market.readCheckpoint(slug))?.version ?? 0;
      for (const { states } of nodes) {
        while ((states.current(slug)?.version ?? 0) < stored) await setImmediate();
      }
    }
  };
  await settle();
  const chains = followed.map(({ slug, chain }) => ({ slug, chain }));
  const restartLast = async () => {
    await nodes.pop()?.stop();
    const node = createNode();
    nodes.push(node);
    await node.start();
    return node;
  };
  return { store, chains, nodes, ask: createAsk(first), restartLast, settle };
}
