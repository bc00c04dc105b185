// The invariant: whatever happened, the index equals a fresh one of the same branch.

import assert from 'node:assert/strict';
import { describe, it, test } from 'node:test';
import {
  type CreatePlace,
  createPostgresPlace,
  createSqlitePlace,
} from '../../../test/conformance/store-place.ts';
import { createRandom } from '../../../test/fakes/create-random.ts';
import { FakeChain } from '../../../test/fakes/fake-chain.ts';
import { createFaults } from '../../../test/fakes/fake-faults.ts';
import { readIndex, startIndexer } from '../../../test/fakes/indexed-chain.ts';
import type { BlockEvents } from '../../model/block-events.ts';
import type { MarketStore } from '../../store/store.ts';

const ENGINES: readonly { name: string; createPlace: CreatePlace; seeds: number }[] = [
  { name: 'sqlite', createPlace: createSqlitePlace, seeds: 12 },
  { name: 'postgres', createPlace: createPostgresPlace, seeds: 3 },
];

async function withStore<T>(
  createPlace: CreatePlace,
  work: (store: MarketStore) => Promise<T>,
): Promise<T> {
  const place = await createPlace();
  const store = await place.open();
  try {
    return await work(store.market);
  } finally {
    await store.close();
    await place.remove();
  }
}

function readHash({ header }: BlockEvents): string {
  return header.hash;
}

/** Indexes the current branch at once, in large pieces. */
function indexAfresh(chain: FakeChain) {
  return withStore(createSqlitePlace, async (store) => {
    const sizes = { blockCountMax: 1000, eventCountMax: 10_000 };
    const { indexer, settle } = startIndexer(chain, store, { sizes });
    await settle();
    await indexer.stop();
    return await readIndex(store);
  });
}

for (const { name, createPlace, seeds } of ENGINES) {
  describe(`Indexer on ${name}`, () => {
    for (let seed = 1; seed <= seeds; seed += 1) {
      it(`equals a fresh index after growth and reorganisations, seed ${seed}`, async () => {
        const random = createRandom(seed * 7919);
        const finalityDepth = 1 + Math.floor(random() * 12);
        const clock = seed % 3 === 0 ? 'wild' : 'uneven';
        const chain = new FakeChain({ seed, finalityDepth, clock, gaps: seed % 2 === 1 });
        chain.extend(Math.floor(random() * 40));
        await withStore(createPlace, async (store) => {
          // Small caches, so that rows are evicted and read again all the time.
          const limits = {
            tokenCountMax: 6,
            poolCountMax: 6,
            balanceCountMax: 12,
            positionBytesMax: 6000,
          };
          const { indexer, settle, warnings } = startIndexer(chain, store, { limits });
          let reorganisations = 0;
          for (let round = 0; round < 12; round += 1) {
            if (random() < 0.5) {
              chain.extend(1 + Math.floor(random() * 6));
            } else {
              const depth = 1 + Math.floor(random() * 12);
              reorganisations += chain.reorganise(depth, depth + Math.floor(random() * 3)) && 1;
            }
            if (random() < 0.7) await settle();
          }
          await settle();
          await indexer.stop();
          assert.deepEqual(await readIndex(store), await indexAfresh(chain));
          assert.deepEqual(
            warnings.filter((warning) => warning.startsWith('indexing failed')),
            [],
          );
          assert.ok(reorganisations > 0);
        });
      });
    }
  });
}

test('an operator is told once that the history takes over a week, and how long', async () => {
  const chain = new FakeChain({ seed: 6, finalityDepth: 3 });
  chain.extend(400);
  await withStore(createSqlitePlace, async (store) => {
    const faults = createFaults();
    let eachMs = 5 * 3_600_000;
    const left: number[] = [];
    const running = startIndexer(chain, store, { faults });
    faults.beforeRequest = (method) => {
      if (method !== 'readBlocks') return;
      running.clock.advance(eachMs);
      left.push(running.indexer.status().historyLeftMs ?? 0);
    };
    await running.settle();
    assert.ok(Math.max(...left) > 7 * 86_400_000, 'some 57 readings of five hours');
    assert.equal(running.indexer.status().historyLeftMs, undefined);
    const listTold = () => running.warnings.filter((text) => text.includes('over a week'));
    assert.equal(listTold().length, 1);
    eachMs = 0;
    chain.extend(10);
    await running.settle();
    await running.indexer.stop();
    assert.equal(listTold().length, 1);
  });
});

test('blocks are published with their token notices, a long history as not searched', async () => {
  const chain = new FakeChain({ seed: 5, finalityDepth: 3 });
  chain.extend(20);
  await withStore(createSqlitePlace, async (store) => {
    const first = startIndexer(chain, store);
    await first.settle();
    chain.extend(2);
    await first.settle();
    await first.indexer.stop();
    const listSearched = (events: typeof first.events) =>
      events.flatMap(({ fromBlock, toBlock, notices }) =>
        fromBlock > toBlock ? [] : [notices?.map(({ token }) => token) ?? null],
      );
    const hashesOf = (from: number, to: number) => chain.blocks(from, to).map(readHash);
    const searched = listSearched(first.events);
    assert.ok(searched.includes(null), 'the history of a first start');
    assert.deepEqual(
      searched.flatMap((hashes) => hashes ?? []),
      hashesOf(18, 22),
    );
    // Final by the time they are read, but few: read as if they had been followed.
    chain.extend(30);
    const second = startIndexer(chain, store);
    await second.settle();
    await second.indexer.stop();
    const later = listSearched(second.events);
    assert.ok(!later.includes(null));
    assert.deepEqual(
      later.flatMap((hashes) => hashes ?? []),
      hashesOf(23, 52),
    );
    chain.extend(250);
    const third = startIndexer(chain, store);
    await third.settle();
    await third.indexer.stop();
    assert.ok(listSearched(third.events).includes(null));
  });
});
