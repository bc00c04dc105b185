// An index whose old blocks came from archives that fail and lie: `verify`, which asks the node
// alone, finds no difference.

import assert from 'node:assert/strict';
import { afterEach, test } from 'node:test';
import { createSqlitePlace } from '../../../test/conformance/store-place.ts';
import {
  buildSwapLogs,
  createSceneAdapter,
  endScene,
  PAIR,
  recordChain,
  startNode,
  TRADER,
  transfer,
} from '../../../test/fakes/chain-scene.ts';
import { type FakePortal, startFakePortal } from '../../../test/fakes/fake-portal.ts';
import { FAULTS, LIES, UNPROVED_LIES } from '../../../test/fakes/portal-lies.ts';
import { proveChain } from '../../../test/fakes/proved-chain.ts';
import { RUN_SEED } from '../../../test/run-seed.ts';
import { systemClock } from '../../lib/clock.ts';
import type { ArchivedRange } from '../../model/market-record.ts';
import { createSqliteStore } from '../../store/sqlite/create-sqlite-store.ts';
import { verifyChain } from '../verify/verify-chain.ts';
import { Indexer } from './indexer.ts';
import { DEFAULT_INDEXER_OPTIONS } from './indexer-options.ts';

afterEach(endScene);

const BLOCKS = 400;
const ROUNDS = 12;

function recordLongChain() {
  const call = () => `0x${'3e8'.padStart(64, '0')}`;
  const chain = recordChain({ call });
  for (let n = chain.head + 1; n <= BLOCKS; n += 1) {
    const swaps = n % 3 === 0 ? buildSwapLogs(PAIR, n) : [];
    chain.add([{ from: TRADER, logs: [transfer(n), transfer(n + 1), ...swaps] }]);
  }
  return proveChain(chain);
}

const { lines, answer } = recordLongChain();

interface Indexed {
  readonly differences: readonly string[];
  readonly archived: ArchivedRange | undefined;
  readonly limitations: readonly string[];
}

async function indexFrom(portals: readonly FakePortal[], samplePct: number): Promise<Indexed> {
  const node = await startNode(answer);
  const places = portals.map(({ url }) => ({ kind: 'portal', place: url }) as const);
  const adapter = createSceneAdapter([node], { archives: { places, samplePct } });
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
      if (toBlock >= BLOCKS) resolve();
    },
  });
  try {
    indexer.start();
    await arrived;
    await indexer.stop();
    const { differences } = await verifyChain({
      ...{ adapter: createSceneAdapter([node]), store: store.market, attemptCountMax: 3 },
      openScratchStore: () => createSqliteStore({ file: ':memory:' }),
      sizes: { blockCountMax: 200, eventCountMax: 5_000 },
      signal: new AbortController().signal,
    });
    const checkpoint = await store.market.readCheckpoint('devnet');
    const { limitations } = adapter.status!();
    return { differences, archived: checkpoint?.archived, limitations };
  } finally {
    await indexer.stop();
    await store.close();
    await place.remove();
  }
}

async function withPortals<T>(
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

test('what came from an archive is stored with its proof, and the node took over', async () => {
  const { differences, archived } = await withPortals(1, (portals) => indexFrom(portals, 2));
  assert.deepEqual(differences, []);
  const { toBlock = 0, ...rest } = archived ?? {};
  assert.deepEqual(rest, {
    ...{ sources: ['127.0.0.1'], isProved: true, fromBlock: 0 },
    fromMs: Number(lines[1]!.header['timestamp']) * 1000,
    toMs: Number(lines[toBlock]!.header['timestamp']) * 1000,
  });
  assert.ok(toBlock > 100 && toBlock < BLOCKS, `up to block ${toBlock}`);
});

test('a sender that is false in every answer is found where every block is compared', async () => {
  const { differences, limitations } = await withPortals(1, async (portals) => {
    portals[0]!.behave(() => ({
      change: (sent) => {
        for (const { transactions } of sent) {
          for (const one of transactions) one['from'] = `0x${'66'.repeat(20)}`;
        }
        return sent;
      },
    }));
    return await indexFrom(portals, 100);
  });
  assert.deepEqual(differences, []);
  assert.match(limitations.join(), /a transaction or its sender/);
});

test('mixtures of lies and faults leave no difference', { timeout: 600_000 }, async (t) => {
  // A linear congruential generator (Numerical Recipes): the same mixtures for a seed.
  let state = RUN_SEED >>> 0;
  const random = () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
  const choices = [LIES, UNPROVED_LIES, FAULTS].flatMap((some) => Object.values(some));
  let archived = 0;
  for (let round = 0; round < ROUNDS; round += 1) {
    const result = await withPortals(1 + Math.floor(random() * 3), async (portals) => {
      for (const portal of portals) {
        portal.behave(() => {
          if (random() < 0.8) return null;
          return choices[Math.floor(random() * choices.length)] ?? null;
        });
      }
      return await indexFrom(portals, 100);
    });
    assert.deepEqual(result.differences, [], `round ${round}`);
    if (result.archived !== undefined) archived += 1;
    await endScene();
  }
  assert.ok(archived > 0, 'no round used an archive');
  t.diagnostic(`${archived} of ${ROUNDS} rounds used archives`);
});
