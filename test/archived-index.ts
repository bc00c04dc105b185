// An index of a chain in memory whose old blocks come from Portals that may fail and lie, and what
// `verify`, which asks the node alone, finds in it.

import assert from 'node:assert/strict';
import { Indexer } from '../src/ingest/follow/indexer.ts';
import { DEFAULT_INDEXER_OPTIONS } from '../src/ingest/follow/indexer-options.ts';
import { listArchiveProblems, verifyChain } from '../src/ingest/verify/verify-chain.ts';
import { systemClock } from '../src/lib/clock.ts';
import type { ArchivedRange } from '../src/model/market-record.ts';
import { createSqliteStore } from '../src/store/sqlite/create-sqlite-store.ts';
import type { Store } from '../src/store/store.ts';
import { createSqlitePlace } from './conformance/store-place.ts';
import {
  buildSwapLogs,
  createSceneAdapter,
  endScene,
  PAIR,
  recordChain,
  startNode,
  TRADER,
  transfer,
} from './fakes/chain-scene.ts';
import { type FakePortal, startFakePortal } from './fakes/fake-portal.ts';
import { FAULTS, LIES, UNPROVED_LIES } from './fakes/portal-lies.ts';
import { proveChain } from './fakes/proved-chain.ts';

export const ARCHIVED_BLOCKS = 400;

function recordLongChain() {
  const call = () => `0x${'3e8'.padStart(64, '0')}`;
  const chain = recordChain({ call });
  for (let n = chain.head + 1; n <= ARCHIVED_BLOCKS; n += 1) {
    const swaps = n % 3 === 0 ? buildSwapLogs(PAIR, n) : [];
    chain.add([{ from: TRADER, logs: [transfer(n), transfer(n + 1), ...swaps] }]);
  }
  return proveChain(chain);
}

const { lines, answer } = recordLongChain();

export const ARCHIVED_LINES = lines;

interface Indexed {
  readonly differences: readonly string[];
  readonly archived: ArchivedRange | undefined;
  readonly limitations: readonly string[];
  /** What `verify` compared, and what it says of the archives that it read. */
  readonly checked: Readonly<Record<string, number>>;
  readonly opinions: readonly string[];
  /** Why that is no second opinion. */
  readonly problems: readonly string[];
}

interface IndexOptions {
  /** What `verify` reads before the node; none by default. */
  readonly opinions?: readonly FakePortal[];
  /** Looks at the store once all is indexed. */
  readonly inspect?: (store: Store) => Promise<void>;
}

export async function indexFrom(
  portals: readonly FakePortal[],
  samplePct: number,
  { opinions = [], inspect }: IndexOptions = {},
): Promise<Indexed> {
  const node = await startNode(answer);
  const openAdapter = (of: readonly FakePortal[]) => {
    const places = of.map(({ url }) => ({ kind: 'portal', place: url }) as const);
    return createSceneAdapter([node], { archives: { places, samplePct } });
  };
  const adapter = openAdapter(portals);
  const verifier = openAdapter(opinions);
  const place = await createSqlitePlace();
  const store = await place.open();
  const { promise: arrived, resolve } = Promise.withResolvers<void>();
  const indexer = new Indexer({
    ...DEFAULT_INDEXER_OPTIONS,
    ...{ adapter, store: store.market, startBlock: 0, clock: systemClock, random: () => 0.5 },
    sleep: (_, signal) => {
      signal?.throwIfAborted();
      return new Promise((done) => setImmediate(done));
    },
    log: { info: () => undefined, warn: () => undefined },
    onCommitted: ({ toBlock }) => {
      if (toBlock >= ARCHIVED_BLOCKS) resolve();
    },
  });
  try {
    indexer.start();
    await arrived;
    await indexer.stop();
    await inspect?.(store);
    const { differences, checked } = await verifyChain({
      ...{ adapter: verifier, store: store.market, attemptCountMax: 3 },
      openScratchStore: () => createSqliteStore({ file: ':memory:' }),
      sizes: { blockCountMax: 200, eventCountMax: 5_000 },
      signal: new AbortController().signal,
    });
    const checkpoint = await store.market.readCheckpoint('devnet');
    const { limitations } = adapter.status!();
    const { archived } = checkpoint ?? {};
    const told = verifier.status!().limitations;
    const problems = listArchiveProblems({ checked }, told);
    return { differences, archived, limitations, checked, opinions: told, problems };
  } finally {
    await indexer.stop();
    await store.close();
    await place.remove();
  }
}

export async function withPortals<T>(
  count: number,
  work: (portals: readonly FakePortal[]) => Promise<T>,
): Promise<T> {
  const portals = await Promise.all(Array.from({ length: count }, () => startFakePortal(lines)));
  try {
    return await work(portals);
  } finally {
    await Promise.all(portals.map((portal) => portal.stop()));
  }
}

/** Rounds of Portals that lie and fail at random: in how many blocks came from one. */
export async function indexMixtures(rounds: number, seed: number): Promise<number> {
  // A linear congruential generator (Numerical Recipes): the same mixtures for a seed.
  let state = seed >>> 0;
  const random = () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
  const choices = [LIES, UNPROVED_LIES, FAULTS].flatMap((some) => Object.values(some));
  let archived = 0;
  for (let round = 0; round < rounds; round += 1) {
    const result = await withPortals(1 + Math.floor(random() * 3), async (portals) => {
      for (const portal of portals) {
        portal.behave(() => {
          if (random() < 0.8) return null;
          return choices[Math.floor(random() * choices.length)] ?? null;
        });
      }
      return await indexFrom(portals, 100);
    });
    assert.deepEqual(result.differences, [], `seed ${seed}, round ${round}`);
    if (result.archived !== undefined) archived += 1;
    await endScene();
  }
  return archived;
}
