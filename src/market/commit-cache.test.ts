// Pins when what is kept holds, for cases that a random test would rarely hit.

import assert from 'node:assert/strict';
import { describe, type TestContext, test } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import Type from 'typebox';
import { buildCheckpoint, toAddress } from '../../test/conformance/store-samples.ts';
import { ManualClock } from '../../test/fakes/manual-clock.ts';
import { address } from '../../test/test-ids.ts';
import { createOpenSerializer } from '../contract/create-serializer.ts';
import { asOfSchema } from '../contract/schemas/market-schemas.ts';
import { decodeBatch, encodeBatch } from '../live/encode-batch.ts';
import { LocalFeed } from '../live/local-feed.ts';
import type { Checkpoint } from '../model/market-record.ts';
import {
  ALWAYS,
  CommitCache,
  type MadeAnswer,
  toAnswerKey,
  type Validity,
} from './commit-cache.ts';
import { ChainCommits, ChainStates, type StateChange } from './state/chain-states.ts';

const TOKEN = toAddress(1);
const REFERENCE = { chain: 'devnet', token: TOKEN } as const;
const KEY = toAnswerKey(REFERENCE, 'q');

interface Scene {
  readonly states: ChainStates;
  readonly cache: CommitCache;
  readonly clock: ManualClock;
  readonly changes: StateChange[];
  /** What the store holds, whether or not the feed has published it. */
  stored: Checkpoint;
  /** Of the store; with another one its index was begun anew. */
  epoch: string;
  commit(version: number, tokens: readonly string[], complete?: boolean): void;
}

async function createScene(t: TestContext, bytesMax = 1_000_000): Promise<Scene> {
  const onError = (error: unknown) => {
    throw error;
  };
  const feed = new LocalFeed({ onError });
  const clock = new ManualClock();
  const states = new ChainStates({
    reader: {
      readCheckpoint: async () => scene.stored,
      readEpoch: async () => ({
        ...{ epoch: scene.epoch, server: null, forgottenVersion: 0, newsForgottenVersion: 0 },
      }),
    },
    feed,
    clock,
    listChains: () => ['devnet'],
    onError,
  });
  const scene: Scene = {
    states,
    cache: new CommitCache(states, { bytesMax }),
    clock,
    changes: [],
    stored: buildCheckpoint(1),
    epoch: 'e',
    commit: (version, tokens, complete = true) => {
      scene.stored = buildCheckpoint(version);
      const blocks = { fromBlock: version, toBlock: version, checkpoint: scene.stored };
      const rows = { trades: [], tokens: tokens.map(address), pools: [], listed: [], complete };
      feed.publish(
        decodeBatch(
          encodeBatch({ chain: 'devnet', epoch: scene.epoch, version, ...blocks, ...rows }),
        ),
      );
    },
  };
  states.subscribe((change) => scene.changes.push(change));
  await states.start();
  t.after(() => states.stop());
  scene.changes.length = 0;
  return scene;
}

const answerSchema = Type.Object({ n: Type.String(), asOf: asOfSchema });
const serializeOpen = createOpenSerializer(answerSchema, 'asOf', asOfSchema);

function buildMade(text: string, version: number, validity: Validity = ALWAYS): MadeAnswer {
  return { text: serializeOpen({ n: text }), validity, checkpoint: buildCheckpoint(version) };
}

async function ask(scene: Scene, made: MadeAnswer | Promise<MadeAnswer>) {
  let isMade = false;
  const answer = await scene.cache.answer(KEY, async () => {
    isMade = true;
    return made;
  });
  const { n, asOf } = JSON.parse(answer.bytes.toString());
  return { n, block: asOf.block, isMade, etag: answer.etag };
}

test('an answer is built once, and its asOf moves on with commits that do not change it', async (t) => {
  const scene = await createScene(t);
  const first = await ask(scene, buildMade('a', 1));
  scene.commit(2, [toAddress(2)]);
  const second = await ask(scene, buildMade('b', 2));
  assert.deepEqual(first, { n: 'a', block: 1, isMade: true, etag: first.etag });
  assert.deepEqual(second, { n: 'a', block: 2, isMade: false, etag: first.etag });
  scene.commit(3, [TOKEN]);
  const third = await ask(scene, buildMade('c', 3));
  assert.equal(third.n, 'c');
  assert.notEqual(third.etag, first.etag);
});

test('an answer that changed while it was read is sent but not cached', async (t) => {
  const scene = await createScene(t);
  const { promise, resolve } = Promise.withResolvers<MadeAnswer>();
  const early = ask(scene, promise);
  scene.commit(2, [TOKEN]);
  // A request after the change must not share the older build.
  const late = await ask(scene, buildMade('new', 2));
  assert.equal(late.n, 'new');
  resolve(buildMade('old', 1));
  assert.deepEqual(await early, { n: 'old', block: 1, isMade: true, etag: (await early).etag });
  assert.equal((await ask(scene, buildMade('again', 2))).n, 'new');
});

test('an answer that was read ahead of the feed is cached once the feed catches up', async (t) => {
  const scene = await createScene(t);
  const ahead = await ask(scene, buildMade('a', 2));
  assert.equal(ahead.block, 2, 'asOf is what was read, not what was heard');
  scene.commit(2, [TOKEN]);
  assert.deepEqual(await ask(scene, buildMade('b', 2)), { ...ahead, isMade: false });
});

test('concurrent requests share one reading', async (t) => {
  const scene = await createScene(t);
  const answers = await Promise.all([1, 2, 3].map(() => ask(scene, buildMade('a', 1))));
  assert.deepEqual(
    answers.map(({ isMade }) => isMade),
    [true, false, false],
  );
});

test('an answer is valid for its span of chain time, in both directions, and its finality', async (t) => {
  const scene = await createScene(t);
  const at = (version: number) => buildCheckpoint(version).timestampMs;
  scene.commit(2, []);
  const span = { fromMs: at(2), toMs: at(4), finalizedBelow: 5 };
  await ask(scene, buildMade('a', 2, span));
  scene.commit(3, []);
  assert.equal((await ask(scene, buildMade('b', 3, span))).n, 'a');
  scene.commit(4, []);
  assert.equal((await ask(scene, buildMade('c', 4))).n, 'c');
  for (let version = 5; version < 14; version += 1) scene.commit(version, []);
  await ask(scene, buildMade('d', 13, { ...ALWAYS, finalizedBelow: 5 }));
  scene.commit(14, [TOKEN]);
  await ask(scene, buildMade('e', 14, { ...ALWAYS, finalizedBelow: 5 }));
  scene.commit(15, []);
  assert.equal((await ask(scene, buildMade('f', 15))).n, 'f', 'block 5 is final now');
});

test('lost or incomplete steps evict everything of the chain', async (t) => {
  const scene = await createScene(t);
  await ask(scene, buildMade('a', 1));
  scene.commit(3, []);
  assert.equal((await ask(scene, buildMade('b', 3))).n, 'b');
  scene.commit(4, [], false);
  assert.equal((await ask(scene, buildMade('c', 4))).n, 'c');
  assert.deepEqual(
    scene.changes.map(({ tokens }) => tokens),
    ['all', 'all'],
  );
});

test('a feed that stays behind the store is overtaken after a second', async (t) => {
  const scene = await createScene(t);
  await ask(scene, buildMade('a', 1));
  scene.stored = buildCheckpoint(5);
  await scene.states.poll();
  assert.equal((await ask(scene, buildMade('b', 5))).n, 'a', 'the feed may be on its way');
  scene.clock.advance(1001);
  await scene.states.poll();
  assert.equal((await ask(scene, buildMade('b', 5))).n, 'b');
  scene.commit(5, [TOKEN]);
  assert.equal(scene.changes.length, 1, 'what was read from the store is not reported again');
});

test('the least recently used answers are evicted', async (t) => {
  const scene = await createScene(t, 5000);
  const keep = (query: string) =>
    scene.cache.answer(toAnswerKey(REFERENCE, query), async () => buildMade('x'.repeat(500), 1));
  for (const query of ['a', 'b', 'c']) await keep(query);
  await keep('a');
  await keep('d');
  const { entries, bytes, misses } = scene.cache.statistics;
  assert.ok(bytes <= 5000 && entries === 3, `${entries} entries of ${bytes} bytes`);
  await keep('a');
  assert.equal(scene.cache.statistics.misses, misses);
  await keep('b');
  assert.equal(scene.cache.statistics.misses, misses + 1);
});

test('an answer larger than the cache is sent but not cached', async (t) => {
  const scene = await createScene(t, 1000);
  assert.equal((await ask(scene, buildMade('x'.repeat(500), 1))).isMade, true);
  assert.equal((await ask(scene, buildMade('x'.repeat(500), 1))).isMade, true);
  const { entries, bytes } = scene.cache.statistics;
  assert.deepEqual([entries, bytes], [0, 0]);
});

test('a failure does not affect later requests', async (t) => {
  const scene = await createScene(t);
  await assert.rejects(ask(scene, Promise.reject(new Error('store'))), /store/);
  assert.equal((await ask(scene, buildMade('a', 1))).n, 'a');
});

test('all but asOf is the same object in every answer, so that it is compressed once', async (t) => {
  const scene = await createScene(t);
  const read = () => scene.cache.answer(KEY, async () => buildMade('a', 1));
  const first = await read();
  scene.commit(2, []);
  const second = await read();
  assert.notEqual(second, first);
  assert.ok(first.parts && second.parts);
  assert.equal(second.parts.long, first.parts.long);
  for (const { bytes, parts } of [first, second]) {
    assert.deepEqual(Buffer.concat([parts!.long, parts!.end]), bytes);
  }
});

test('an index that was begun anew makes all that was kept worthless, whatever its version', async (t) => {
  const scene = await createScene(t);
  for (let version = 2; version < 9; version += 1) scene.commit(version, []);
  await ask(scene, buildMade('a', 8));
  const { promise, resolve } = Promise.withResolvers<MadeAnswer>();
  const asked = scene.cache.answer(toAnswerKey(REFERENCE, 'slow'), () => promise);
  scene.epoch = 'f';
  scene.stored = buildCheckpoint(2);
  await scene.states.poll();
  assert.equal((await ask(scene, buildMade('b', 2))).n, 'b');
  resolve(buildMade('old', 8));
  await asked;
  const made = () => Promise.resolve(buildMade('new', 2));
  const again = await scene.cache.answer(toAnswerKey(REFERENCE, 'slow'), made);
  assert.match(again.bytes.toString(), /new/);
});

test('a text that was read with others is used for its span and until its token changes', async (t) => {
  const scene = await createScene(t);
  const cache = new CommitCache(scene.states, { entriesMax: 10 });
  const at = (version: number) => buildCheckpoint(version).timestampMs;
  const keep = (version: number) => {
    const value = { text: `${version}`, checkpoint: buildCheckpoint(version) };
    const validity = { ...ALWAYS, fromMs: at(2), toMs: at(4) };
    const commits = scene.states.commits('devnet');
    cache.keep('key', { commits, token: TOKEN }, { value, validity });
  };
  const find = () => cache.find<{ text: string }>('key')?.text ?? null;
  keep(2);
  assert.equal(find(), '2', 'read before this process heard of the commit');
  scene.commit(2, []);
  scene.commit(3, []);
  assert.equal(find(), '2');
  scene.commit(4, []);
  assert.equal(find(), null, 'its figures are too old');
  scene.commit(5, [TOKEN]);
  keep(4);
  assert.equal(find(), null, 'it was read before the token changed');
});

test('of very many tokens the last changes are known; the others count as changed late', () => {
  const commits = new ChainCommits();
  commits.add({ checkpoint: buildCheckpoint(1), tokens: 'all' });
  for (let version = 2; version <= 62; version += 1) {
    const tokens = Array.from({ length: 1000 }, (_, index) => address(`${version} ${index}`));
    commits.add({ checkpoint: buildCheckpoint(version), tokens: [...tokens, TOKEN] });
  }
  assert.equal(commits.findLastChange(TOKEN), 62);
  assert.equal(commits.findLastChange(address('60 7')), 60);
  const early = commits.findLastChange(address('3 7'));
  assert.ok(early > 3 && early < 60, `${early}`);
  assert.equal(commits.findLastChange(address('never')), early);
});

describe('what is kept until the next commit', () => {
  async function createLists(t: TestContext) {
    const scene = await createScene(t);
    const cache = new CommitCache(scene.states, { entriesMax: 200 });
    let made = 0;
    const get = (key: string, isKept = true) =>
      cache.get(key, ['devnet'], async (discard) => {
        made += 1;
        if (!isKept) discard();
        return made;
      });
    return { scene, cache, get };
  }

  test('all requests at one commit get the same, made once', async (t) => {
    const { get } = await createLists(t);
    assert.deepEqual(await Promise.all([get('a'), get('a'), get('b')]), [1, 1, 2]);
    assert.equal(await get('a'), 1);
  });

  test('the next commit makes it anew, whatever it changes', async (t) => {
    const { scene, get } = await createLists(t);
    assert.equal(await get('a'), 1);
    scene.commit(2, []);
    assert.equal(await get('a'), 2);
  });

  test('what was discarded, cleared or failed is made again', async (t) => {
    const { cache, get } = await createLists(t);
    assert.equal(await get('a', false), 1);
    assert.equal(await get('a'), 2);
    const failing = cache.get('c', ['devnet'], () => Promise.reject(new Error('mine')));
    await assert.rejects(failing, /mine/);
    await setImmediate();
    assert.equal(await get('c'), 3);
    const early = get('d');
    cache.clear();
    assert.equal(await early, 4);
    assert.equal(await get('d'), 5);
    // Of no chain, so that no commit ends it.
    const discarded = (value: number) => (discard: () => void) => {
      discard();
      return Promise.resolve(value);
    };
    assert.equal(await cache.get('e', [], discarded(6)), 6);
    assert.equal(await cache.get('e', [], discarded(7)), 7);
  });

  test('very many keys stay within the bound', async (t) => {
    const { cache, get } = await createLists(t);
    for (let index = 0; index < 1000; index += 1) await get(`key ${index}`);
    assert.ok(cache.statistics.entries <= 200);
  });
});
