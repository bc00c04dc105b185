// Prices of tokens that have readers: of quiet tokens, and of several chains.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { findFamily } from '../../src/engines/chain-families.ts';
import type { Market } from '../../src/market/create-market.ts';
import type { MarketStore } from '../../src/store/store.ts';
import { buildFakeAddress, FAKE_TOKENS } from '../fakes/fake-market.ts';
import { createPool } from '../fakes/index-events.ts';
import { openTestStream, startTestStreams } from '../stream-scene.ts';
import { poolId } from '../test-ids.ts';
import { createTwoChainsScene, type TwoChainsScene } from '../two-chains-scene.ts';
import { waitUntil } from '../wait-until.ts';
import { createTradedScene, namesOf, TOKEN } from './traded-scene.ts';

const DAY_MS = 86_400_000;

test('a reader of a quiet token gets the price when trades leave the 24 hours', async (t) => {
  const scene = await createTradedScene(t);
  const stream = await scene.open({}, { events: 'price' });
  await waitUntil(() => stream.events.length > 0);
  scene.chain.extend(1, [], 2 * DAY_MS);
  await scene.settle();
  await waitUntil(() => stream.events.some(({ data }) => data?.trades24h === 0));
});

/** Reads of `base` wait for what `until` returns. */
function holdBase(market: Market, until: () => Promise<void> | null): Market {
  const store = new Proxy(market.parts.store, {
    get: (target, name) => {
      const value: unknown = Reflect.get(target, name);
      if (typeof value !== 'function') return value;
      if (name !== 'readCheckpoint') return value.bind(target);
      return async (...of: Parameters<MarketStore['readCheckpoint']>) => {
        if (of[0] === 'base') await until();
        return target.readCheckpoint(...of);
      };
    },
  });
  return { ...market, parts: { ...market.parts, store } };
}

async function findTraded(scene: TwoChainsScene, chain: 'base' | 'devnet'): Promise<string> {
  const rows = await scene.store.market.readTokens(chain, FAKE_TOKENS);
  const found = rows.find(({ tradeCount }) => tradeCount > 3);
  assert.ok(found);
  return found.token;
}

test('a chain whose reads hang does not hold up the prices of another', async (t) => {
  const options = { engine: 'sqlite', blocks: 30, seed: 1, finalityDepth: 12 } as const;
  const scene = await createTwoChainsScene(t, options);
  const gate = Promise.withResolvers<void>();
  let isHeld = false;
  const market = holdBase(scene.nodes[0]!, () => (isHeld ? gate.promise : null));
  const streams = startTestStreams(market, { onError: () => undefined });
  try {
    const open = async (chain: 'base' | 'devnet') => {
      const mint = await findTraded(scene, chain);
      const stream = await openTestStream(streams, { chain, mint, events: 'price' });
      await waitUntil(() => stream.events.length > 0);
      return stream;
    };
    const [, stream] = [await open('base'), await open('devnet')];
    isHeld = true;
    // `base` is the first.
    for (const { chain } of scene.chains) {
      chain.extend(3);
      await scene.settle();
    }
    await waitUntil(() => stream.events.some(({ event }) => event === 'price'));
  } finally {
    gate.resolve();
    streams.stop();
  }
});

test('a stream that cannot get one of its channels keeps none', async (t) => {
  const scene = await createTradedScene(t);
  const { hub } = scene.streams;
  const { addresses } = findFamily('devnet');
  const name = { chain: 'devnet', token: TOKEN, addresses, epoch: 'e1' } as const;
  assert.throws(() => hub.acquireAll([name, { ...name, chain: 'base' }]), /base/);
  assert.equal(hub.channelCount, 0);
});

test('a stream of several tokens resumes without one that a reorganisation removed', async (t) => {
  const scene = await createTradedScene(t);
  const other = buildFakeAddress('aaaa', 19);
  const weth = buildFakeAddress('eeee', 5);
  scene.chain.extend(1, [createPool(poolId(buildFakeAddress('dddd', 78)), [other, weth])]);
  await scene.settle();
  const input = { chain: 'devnet', mint: `${TOKEN},${other}`, events: 'trade' };
  const stream = await openTestStream(scene.streams, input);
  await waitUntil(() => stream.events.length === 2);
  stream.leave();
  scene.chain.reorganise(1, 2);
  await scene.settle();
  await assert.rejects(openTestStream(scene.streams, input), { code: 'TOKEN_NOT_FOUND' });
  const lastEventId = stream.events[1]!.id;
  const resumed = await openTestStream(scene.streams, input, { lastEventId });
  await waitUntil(() => resumed.events.length === 2);
  assert.deepEqual(namesOf(resumed), ['reset', 'snapshot']);
  await scene.trade(1);
  await waitUntil(() => resumed.events.length === 3);
  assert.equal(resumed.events[2]!.event, 'trade');
});
