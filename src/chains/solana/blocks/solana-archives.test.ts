// Slots of the past from a Portal on loopback: the rows are those of the nodes, whatever the Portal
// gets wrong, and what is wrong ends its use.

import assert from 'node:assert/strict';
import { afterEach, describe, it } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import {
  ASSETS,
  buildChain,
  endArchivedScene,
  FAULTS,
  LIES,
  onSceneEnd,
  openScene,
  readByNodes,
  START,
  toText,
} from '../../../../test/archived-solana.ts';
import { createSqlitePlace, type StorePlace } from '../../../../test/conformance/store-place.ts';
import { readIndex } from '../../../../test/fakes/indexed-chain.ts';
import { ManualClock } from '../../../../test/fakes/manual-clock.ts';
import type { MemorySolana } from '../../../../test/fakes/memory-solana.ts';
import { startMisbehavingRpc } from '../../../../test/fakes/misbehaving-rpc.ts';
import { startSolanaPortal } from '../../../../test/fakes/solana-portal.ts';
import { Indexer } from '../../../ingest/follow/indexer.ts';
import { createSolanaAdapter } from '../create-solana-adapter.ts';

afterEach(endArchivedScene);

/** All rows of an index from `START` to the head. */
async function indexAll(chain: MemorySolana, archive: string | null) {
  const place = await createSqlitePlace();
  const { market, close } = await openStore(place);
  const asked: string[] = [];
  const node = await startMisbehavingRpc((method, params) => {
    const { transactionDetails = '' } = (params.at(-1) ?? {}) as { transactionDetails?: string };
    asked.push(`${method} ${transactionDetails}`.trim());
    return chain.answer(method, params);
  });
  const clock = new ManualClock();
  const sleep = async (ms: number, signal?: AbortSignal) => {
    clock.advance(ms);
    await setImmediate();
    signal?.throwIfAborted();
  };
  const adapter = createSolanaAdapter({
    ...{ chain: 'devnet', genesis: chain.genesis, endpoints: [node.url] },
    ...{ clock, random: () => 0.5, sleep },
    knownPools: (pools) => market.readPools('devnet', pools),
    archives: {
      ...{ places: archive === null ? [] : [{ kind: 'portal', place: archive }], samplePct: 2 },
    },
    assets: ASSETS,
  });
  const log = { info: () => undefined, warn: () => undefined };
  const indexer = new Indexer({
    ...{ adapter, store: market, startBlock: START, pollIntervalMs: 400, clock, sleep, log },
    ...{ sizes: { blockCountMax: 50, eventCountMax: 50 }, backoff: { baseMs: 100, maxMs: 1000 } },
    ...{ failureCountMax: 5, stallAfterMs: 60_000, headStallAfterMs: null, random: () => 0.5 },
    onCommitted: () => undefined,
  });
  onSceneEnd(() => node.stop(), close);
  indexer.start();
  const head = chain.blocks.get(chain.head)?.blockhash;
  const endAtMs = Date.now() + 60_000;
  while ((await market.readCheckpoint('devnet'))?.blockHash !== head) {
    assert.ok(Date.now() < endAtMs, 'the index did not reach the head');
    await setImmediate();
  }
  await indexer.stop();
  await adapter.close();
  const { tokens, checkpoint, ...rows } = await readIndex(market);
  const counts = tokens.map(({ token, holders, tradeCount, balanceSumRaw }) => ({
    ...{ token, holders, tradeCount, balanceSumRaw },
  }));
  const whole = asked.filter((call) => call === 'getBlock full').length;
  return { rows: { ...rows, counts, hash: checkpoint?.blockHash }, whole };
}

async function openStore(place: StorePlace) {
  const store = await place.open();
  const close = async () => {
    await store.close();
    await place.remove();
  };
  return { market: store.market, close };
}

it('an index from the past through a Portal equals one by nodes, which take over near the head', async () => {
  const chain = buildChain(420);
  chain.finalized = [...chain.blocks.keys()].at(-30) ?? assert.fail();
  const portal = await startSolanaPortal(chain);
  onSceneEnd(() => portal.stop());
  const archived = await indexAll(chain, portal.url);
  const byNodes = await indexAll(chain, null);
  assert.deepEqual(archived.rows, byNodes.rows);
  assert.ok(archived.rows.trades.length > 300);
  assert.equal(byNodes.whole >= 420, true);
  assert.ok(archived.whole >= 29 && archived.whole < 60, `${archived.whole} whole blocks`);
});

describe('slots from a Portal', () => {
  it('give the rows of the nodes, without a whole block of theirs', async () => {
    const scene = await openScene({ samplePct: 2 });
    const { blocks, archived, limitations } = await scene.read();
    assert.equal(toText(blocks), await readByNodes());
    assert.ok(archived > 1);
    assert.deepEqual(limitations, []);
    assert.equal(scene.asked.filter((call) => call === 'getBlock full').length, 0);
    assert.ok(scene.asked.includes('getTransaction'));
  });

  it('have the log from the node where the Portal has none', async () => {
    const scene = await openScene({ samplePct: 2 });
    scene.portals[0]!.behave(() => ({
      change: (lines) => {
        for (const line of lines) {
          for (const row of line.transactions ?? []) row['hasDroppedLogMessages'] = true;
        }
        return lines;
      },
    }));
    const { blocks, limitations } = await scene.read();
    assert.equal(toText(blocks), await readByNodes());
    assert.deepEqual(limitations, []);
    const swaps = [...scene.chain.blocks.values()].flatMap(({ transactions }) => transactions);
    const calls = scene.asked.filter((call) => call === 'getTransaction');
    // And those that are compared.
    assert.ok(calls.length >= swaps.length, `${calls.length} of ${swaps.length}`);
  });

  for (const [name, behaviour] of FAULTS) {
    it(`are the node's after ${name}`, async () => {
      const scene = await openScene();
      scene.portals[0]!.behave(behaviour);
      const { blocks, limitations } = await scene.read();
      assert.equal(toText(blocks), await readByNodes());
      // One that only lacks the blocks is not named.
      assert.ok(limitations.every((text) => text.startsWith('archive 127.0.0.1 is paused: ')));
      assert.ok(scene.asked.includes('getBlock full'));
    });
  }

  for (const [name, reason, change] of LIES) {
    it(`end the use of a Portal that sends ${name}`, async () => {
      const scene = await openScene();
      scene.portals[0]!.behave(() => ({ change }));
      const { blocks, limitations } = await scene.read();
      assert.equal(toText(blocks), await readByNodes());
      assert.equal(limitations.length, 1, limitations.join());
      assert.match(limitations[0] ?? '', /^archive 127\.0\.0\.1 sent false data/);
      assert.match(limitations[0] ?? '', reason);
      const before = scene.portals[0]!.queries.length;
      await scene.read();
      assert.equal(scene.portals[0]!.queries.length, before);
    });
  }
});
