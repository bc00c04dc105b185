// An index with a scope, of a recorded chain that a node serves.

import { setImmediate } from 'node:timers/promises';
import type { EvmAdapter } from '../../src/chains/evm/create-evm-adapter.ts';
import type { EvmDeployment } from '../../src/chains/evm/data/deployments/evm-deployment.ts';
import { Indexer } from '../../src/ingest/follow/indexer.ts';
import { LiquidScope } from '../../src/ingest/scope/liquid-scope.ts';
import { WatchScope } from '../../src/ingest/scope/watch-scope.ts';
import type { Address } from '../../src/model/ids.ts';
import type { MarketStore } from '../../src/store/store.ts';
import { createSqlitePlace } from '../conformance/store-place.ts';
import { createSceneAdapter, endScene, startNode } from './chain-scene.ts';
import { type CommitFault, createFailingStore } from './failing-store.ts';
import { ManualClock } from './manual-clock.ts';
import type { MemoryChain } from './memory-chain.ts';
import type { MisbehavingRpc } from './misbehaving-rpc.ts';

export type ScopeOptions =
  | { readonly name: 'all' }
  | { readonly name: 'watch'; readonly readWatched: () => Promise<readonly Address[]> }
  | { readonly name: 'liquid'; readonly floorUsdE18: bigint };

export interface ScopedIndex {
  readonly indexer: Indexer;
  readonly adapter: EvmAdapter;
  readonly node: MisbehavingRpc;
  readonly store: MarketStore;
  readonly warnings: readonly string[];
  /** Waits until the index is at the chain's head, and has nothing more to do. */
  settle(): Promise<void>;
  /** The node has blocks up to this one; the chain's head by default. */
  setHead(block: number): void;
  /** Stops the indexer; the store stays open. */
  stop(): Promise<void>;
}

const SETTLE_MAX_MS = 300_000;

function createScope(
  options: ScopeOptions,
  parts: { readonly adapter: EvmAdapter; readonly store: MarketStore; readonly clock: ManualClock },
) {
  const { assets } = parts.adapter;
  if (options.name === 'all') return null;
  if (options.name === 'watch') return new WatchScope({ ...parts, ...options });
  return new LiquidScope({ ...options, assets });
}

/** Waits take no time; `countIdle` says how often there was nothing to do. */
function startIndexer(
  scope: ScopeOptions,
  parts: {
    readonly adapter: EvmAdapter;
    readonly store: MarketStore;
    readonly warnings: string[];
    readonly blockCountMax?: number | undefined;
  },
) {
  const { store, warnings } = parts;
  // Without it the indexer waits with our `sleep`.
  const { waitForHead: _, ...adapter } = parts.adapter;
  const clock = new ManualClock();
  let idle = 0;
  const indexer = new Indexer({
    ...{ adapter, store, startBlock: 0, pollIntervalMs: 1000 },
    sizes: { blockCountMax: parts.blockCountMax ?? 5000, eventCountMax: 20_000 },
    backoff: { baseMs: 100, maxMs: 1000 },
    ...{ failureCountMax: 5, stallAfterMs: 60_000, headStallAfterMs: null, clock },
    scope: createScope(scope, { adapter, store, clock }),
    sleep: async (ms, signal) => {
      clock.advance(ms);
      idle += 1;
      await setImmediate();
      signal?.throwIfAborted();
    },
    random: () => 0.5,
    log: {
      info: () => undefined,
      warn: (fields, message) => {
        const cause = 'err' in fields && fields.err instanceof Error ? fields.err.message : '';
        warnings.push(`${message} ${cause}`.trim());
      },
    },
    onCommitted: () => undefined,
  });
  indexer.start();
  return { indexer, countIdle: () => idle };
}

interface ScopedIndexOptions {
  readonly deployment: EvmDeployment;
  readonly scope: ScopeOptions;
  /** Of each batch. */
  readonly blockCountMax?: number;
  /** Asked for every commit. */
  readonly nextFault?: () => CommitFault | Promise<CommitFault>;
}

/** An index of a chain behind an address; `findHead` is the block that it has to reach. */
export async function openScopedIndex(
  t: { after(work: () => unknown): void },
  node: { readonly url: string },
  options: ScopedIndexOptions & { readonly findHead: () => number },
): Promise<Omit<ScopedIndex, 'node' | 'setHead'>> {
  const { deployment, findHead } = options;
  const place = await createSqlitePlace();
  const opened = await place.open();
  const store = createFailingStore(opened.market, options.nextFault ?? (() => null));
  const adapter = createSceneAdapter([node], {
    deployment,
    verification: 'all',
    knownPools: (pools) => store.readPools('devnet', pools),
    limits: { timeoutMs: 20_000 },
  });
  const warnings: string[] = [];
  const { indexer, countIdle } = startIndexer(options.scope, {
    ...{ adapter, store, warnings },
    blockCountMax: options.blockCountMax,
  });
  const stop = () => indexer.stop();
  t.after(async () => {
    await stop();
    await opened.close();
    await place.remove();
    await endScene();
  });
  const settle = async (): Promise<void> => {
    const deadline = Date.now() + SETTLE_MAX_MS;
    const isThere = async () => (await store.readCheckpoint('devnet'))?.block === findHead();
    for (let since = countIdle(); ; ) {
      if (!(await isThere())) since = countIdle();
      // Twice idle at the head: once may have been before the last block was added.
      else if (countIdle() >= since + 2) return;
      if (Date.now() > deadline) {
        throw new Error(`not at the head: ${JSON.stringify(indexer.status())} ${warnings.at(-1)}`);
      }
      await setImmediate();
    }
  };
  return { indexer, adapter, store, warnings, settle, stop };
}

export async function startScopedIndex(
  t: { after(work: () => unknown): void },
  chain: MemoryChain,
  options: ScopedIndexOptions & { readonly head?: number },
): Promise<ScopedIndex> {
  let limit = options.head ?? Number.POSITIVE_INFINITY;
  const findHead = () => Math.min(limit, chain.head);
  const node = await startNode((method, params) => chain.answerUpTo(findHead())(method, params));
  const setHead = (block: number) => {
    limit = block;
  };
  return { ...(await openScopedIndex(t, node, { ...options, findHead })), node, setHead };
}
