// Pins how callers wait for stats, and that it follows every commit.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import { FAKE_TOKENS } from '../../../test/fakes/fake-market.ts';
import { createMarketScene, type MarketScene } from '../../../test/market-scene.ts';
import { decodeBatch, encodeBatch } from '../../live/encode-batch.ts';
import type { TradeRecord } from '../../model/market-record.ts';
import { StatsBehindError, StatsPassedError } from './chain-stats.ts';

const SCENE = { engine: 'sqlite', seed: 3, finalityDepth: 8, blocks: 20 } as const;

/** The epochs of the scenes' indexes. */
const EPOCHS = new WeakMap<MarketScene, string>();

async function untilLoaded(scene: MarketScene): Promise<number> {
  const { stats, states } = scene.market.parts;
  EPOCHS.set(scene, (await scene.store.market.readEpoch('devnet'))?.epoch ?? assert.fail());
  for (;;) {
    const version = stats.find('devnet')?.checkpoint.version ?? 0;
    if (version > 0 && version === states.current('devnet')?.version) return version;
    await setImmediate();
  }
}

/** A commit that changes nothing but the version, or adds trades. */
function publish(scene: MarketScene, version: number, trades: readonly TradeRecord[] = []): void {
  const checkpoint = { ...scene.market.parts.states.current('devnet')!, version };
  const epoch = EPOCHS.get(scene) ?? assert.fail();
  scene.feed.publish(
    decodeBatch(
      encodeBatch({
        ...{ chain: 'devnet', epoch, version, checkpoint, trades },
        ...{ tokens: [], pools: [], listed: [] },
        ...{ fromBlock: checkpoint.block + 1, toBlock: checkpoint.block, complete: true },
      }),
    ),
  );
}

test('a commit that arrives while the work on another ends is applied', async (t) => {
  const scene = await createMarketScene(t, SCENE);
  const { stats } = scene.market.parts;
  let version = await untilLoaded(scene);
  for (let microtasks = 0; microtasks < 12; microtasks += 1) {
    const first = version + 1;
    const reading = stats.read('devnet', { version: first, isInSnapshot: false }, () => {
      let turn = Promise.resolve();
      for (let count = 0; count < microtasks; count += 1) turn = turn.then(() => undefined);
      return turn.then(() => publish(scene, first + 1));
    });
    publish(scene, first);
    await await reading;
    version = first + 1;
    for (let turn = 0; turn < 50; turn += 1) await setImmediate();
    assert.equal(stats.find('devnet')?.checkpoint.version, version, `after ${microtasks}`);
  }
});

test('a caller that holds a snapshot does not wait, and learns when it may come again', async (t) => {
  const scene = await createMarketScene(t, SCENE);
  const { stats } = scene.market.parts;
  const version = await untilLoaded(scene);
  const at = { version: version + 1, isInSnapshot: true };
  const failed = await stats.read('devnet', at, () => 'read').catch((error: unknown) => error);
  assert.ok(failed instanceof StatsBehindError);
  publish(scene, version + 1);
  await failed.arrived;
  assert.equal(await stats.read('devnet', at, () => 'read'), 'read');
  const past = { version, isInSnapshot: true };
  await assert.rejects(
    stats.read('devnet', past, () => 'read'),
    StatsPassedError,
  );
});

test('callers that wait are told when it stops', async (t) => {
  const scene = await createMarketScene(t, SCENE);
  const { stats, columns } = scene.market.parts;
  const at = { version: (await untilLoaded(scene)) + 5, isInSnapshot: false };
  const waiting = [
    stats.read('devnet', at, () => undefined),
    columns.read('devnet', at, () => undefined),
  ];
  const settled = Promise.allSettled(waiting);
  await Promise.all([stats.stop(), columns.stop()]);
  for (const outcome of await settled) {
    assert.equal(outcome.status, 'rejected');
    assert.match(String(outcome.reason), /stopped/);
  }
  await assert.rejects(
    stats.read('devnet', at, () => undefined),
    /stopped/,
  );
});

test('a commit of many blocks is applied in slices, and read as a whole', async (t) => {
  const scene = await createMarketScene(t, SCENE);
  const { stats, store, states } = scene.market.parts;
  const version = await untilLoaded(scene);
  const { block, timestampMs } = states.current('devnet')!;
  const { trades } = await store.snapshot((reader) =>
    reader.readTradePage('devnet', {
      ...{
        token: FAKE_TOKENS[0]!,
        pool: null,
        side: null,
        wallet: null,
        minUsd: null,
        after: null,
      },
      ...{ range: { fromMs: 0, toMs: Number.MAX_SAFE_INTEGER }, order: 'newest', limit: 1 },
    }),
  );
  const many = Array.from({ length: 2000 }, (_, index) => ({
    ...{ ...trades[0]!, timestampMs, block: block + 1 + Math.floor(index / 100) },
    logIndex: index % 100,
  }));
  const { token } = trades[0]!;
  const count = (at: number) =>
    stats.read('devnet', { version: at, isInSnapshot: false }, (read) => {
      return read.tokens.read(token, 0)?.trades ?? 0;
    });
  const before = await count(version);
  publish(scene, version + 1, many);
  assert.equal(stats.find('devnet')?.checkpoint.version, version, 'the rest comes in later turns');
  const seen: string[] = [];
  while (stats.find('devnet')?.checkpoint.version === version) {
    seen.push(await count(version).then(String, (error: Error) => error.constructor.name));
    await setImmediate();
  }
  // As before while the trades are decoded, and nothing from the middle of the commit.
  const isBefore = seen.map((one) => one === String(before));
  assert.deepEqual(
    isBefore,
    isBefore.toSorted((a, b) => Number(b) - Number(a)),
  );
  assert.deepEqual(new Set(seen), new Set([String(before), 'StatsPassedError']));
  assert.equal(await count(version + 1), before + many.length);
});
