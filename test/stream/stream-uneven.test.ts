// Streams of a chain whose blocks may be older than the one before: late trades change klines that
// were sent as closed, and these are sent again.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { isDeepStrictEqual } from 'node:util';
import type { Json } from '../market-scene.ts';
import { PAGES_MAX, readPages } from '../read-pages.ts';
import { dropFinality, type StreamEvent, StreamFold } from '../stream-fold.ts';
import type { TestStream } from '../stream-scene.ts';
import { waitUntil } from '../wait-until.ts';
import { startStreamServer } from './stream-server.ts';
import { buildTrades, createTradedScene, INPUT, type TradedScene, visit } from './traded-scene.ts';

const MINUTE_MS = 60_000;
const HOUR_MS = 3_600_000;
const WANTED = { events: 'trade,kline', interval: '1s' };
const FILTERS = [WANTED, { events: 'kline', interval: '1s' }];

async function readKlines(scene: TradedScene, interval: string): Promise<Json[]> {
  const { json } = await scene.ask('getKlines', {
    ...{ ...INPUT, interval, limit: 1000 },
    ...{ currency: 'native', outliers: 'include' },
  });
  return json.klines;
}

/** What a client holds after these events, in order. */
function foldAll(...parts: readonly (readonly StreamEvent[])[]): StreamFold {
  const fold = new StreamFold();
  for (const event of parts.flat()) fold.apply(event);
  return fold;
}

/** Waits until the reader's last kline is the one that the read gives. */
async function untilSame(scene: TradedScene, fold: () => StreamFold, interval = '1s') {
  const klines = await readKlines(scene, interval);
  await waitUntil(() => {
    const held = fold().klines;
    const expected = klines.filter(({ openTime }) => held.has(openTime));
    return (
      held.has(klines.at(-1).openTime) &&
      isDeepStrictEqual([...held.values()].sort(byTime), expected)
    );
  });
}

function byTime(a: Json, b: Json): number {
  return a.openTime - b.openTime;
}

function klinesOf(stream: Pick<TestStream, 'events'>): Json[] {
  return stream.events.filter(({ event }) => event === 'kline');
}

/** One trade, whose kline of a second the chain's time has passed by a minute. */
async function closeKline(scene: TradedScene): Promise<void> {
  await scene.trade(1, 5000);
  scene.chain.extend(1, [], MINUTE_MS);
  await scene.settle();
}

/** In one commit: another trade in that kline, then a block that is the newest again. */
async function tradeLate(scene: TradedScene): Promise<void> {
  scene.chain.extend(1, buildTrades(1), -MINUTE_MS);
  scene.chain.extend(1, [], MINUTE_MS + 1000);
  await scene.settle();
}

/** With whatever id a reader of these events leaves, it gets the rest, and no trade twice. */
async function assertResumable(
  scene: TradedScene,
  events: readonly StreamEvent[],
  filter: Readonly<Record<string, string>>,
): Promise<void> {
  for (let count = 1; count <= events.length; count += 1) {
    const heard = events.slice(0, count);
    const { id } = heard.findLast((event) => event.id !== null)!;
    const rest = await scene.open({ lastEventId: id }, filter);
    await untilSame(scene, () => foldAll(heard, rest.events));
    assert.deepEqual(foldAll(heard, rest.events).problems, []);
    rest.leave();
  }
}

describe('a late trade', () => {
  for (const filter of FILTERS) {
    it(`has its closed kline sent again, once, to readers of ${filter.events}`, async (t) => {
      const scene = await createTradedScene(t);
      const stream = await scene.open({}, filter);
      await closeKline(scene);
      await waitUntil(() => klinesOf(stream).some(({ data }) => data.kline.closed));
      const sentCount = klinesOf(stream).length;
      await tradeLate(scene);
      await untilSame(scene, () => foldAll(stream.events));
      const again = klinesOf(stream).slice(sentCount);
      assert.deepEqual(
        again.map(({ id, data }) => [id !== null, data.kline.closed, data.kline.trades]),
        [[true, true, 2]],
      );
    });

    it(`is sent to readers of ${filter.events} who were away, its kline once`, async (t) => {
      const scene = await createTradedScene(t);
      const stream = await scene.open({}, filter);
      await closeKline(scene);
      await waitUntil(() => klinesOf(stream).some(({ data }) => data.kline.closed));
      stream.leave();
      const { events } = stream;
      const lastEventId = events.findLast(({ id }) => id !== null)!.id;
      await tradeLate(scene);
      const back = await scene.open({ lastEventId }, filter);
      await untilSame(scene, () => foldAll(events, back.events));
      const closed = klinesOf(back).filter(({ id }) => id !== null);
      assert.deepEqual(
        closed.map(({ data }) => [data.kline.closed, data.kline.trades]),
        [[true, 2]],
      );
      back.leave();
      await assertResumable(scene, [...events, ...back.events], filter);
    });
  }

  it('opens its kline again while the chain has an earlier time', async (t) => {
    const scene = await createTradedScene(t);
    const stream = await scene.open({}, WANTED);
    await closeKline(scene);
    await waitUntil(() => klinesOf(stream).some(({ data }) => data.kline.closed));
    await scene.trade(1, -MINUTE_MS);
    await untilSame(scene, () => foldAll(stream.events));
    assert.equal(klinesOf(stream).at(-1).data.kline.closed, false);
    stream.leave();
    scene.chain.extend(1, [], 2 * MINUTE_MS);
    await scene.settle();
    const lastEventId = stream.events.findLast(({ id }) => id !== null)!.id;
    const back = await scene.open({ lastEventId }, WANTED);
    await untilSame(scene, () => foldAll(stream.events, back.events));
    assert.equal(klinesOf(back).at(-1).data.kline.closed, true);
  });

  it('that is rolled back leaves its kline as it was', async (t) => {
    const scene = await createTradedScene(t);
    const stream = await scene.open({}, WANTED);
    await closeKline(scene);
    await tradeLate(scene);
    await untilSame(scene, () => foldAll(stream.events));
    const lastEventId = stream.events.findLast(({ id }) => id !== null)!.id;
    scene.chain.reorganise(2, 3);
    await scene.settle();
    await waitUntil(() => stream.events.some(({ event }) => event === 'revert'));
    await untilSame(scene, () => foldAll(stream.events));
    const back = await scene.open({ lastEventId }, { events: 'kline', interval: '1s' });
    await untilSame(scene, () => foldAll(back.events));
    assert.equal(back.events[0]?.event, 'revert');
    assert.equal(klinesOf(back).at(-1).data.kline.trades, 1);
    // The revert's own id is valid, too.
    const heard = back.events.slice(0, 1);
    const rest = await scene.open({ lastEventId: heard[0]!.id }, WANTED);
    await untilSame(scene, () => foldAll(heard, rest.events));
  });

  it('is not lost, however far the clock went back', async (t) => {
    const scene = await createTradedScene(t);
    scene.chain.extend(1, [], 30 * HOUR_MS);
    await scene.settle();
    const lastEventId = await visit(scene);
    await scene.trade(2, -20 * HOUR_MS);
    scene.chain.extend(1, [], 21 * HOUR_MS);
    await scene.settle();
    for (const filter of FILTERS) {
      const stream = await scene.open({ lastEventId }, filter);
      await untilSame(scene, () => foldAll(stream.events));
      const { trades } = foldAll(stream.events);
      assert.equal(trades.size, filter === WANTED ? 2 : 0);
    }
  });
});

it('a rollback to a block with a later time closes klines that were open again', async (t) => {
  const scene = await createTradedScene(t);
  const stream = await scene.open({}, WANTED);
  await closeKline(scene);
  scene.chain.extend(1, [], -2 * MINUTE_MS);
  await scene.settle();
  await untilSame(scene, () => foldAll(stream.events));
  assert.equal(klinesOf(stream).at(-1).data.kline.closed, false);
  scene.chain.setBack(1);
  scene.chain.extend(1, buildTrades(1), 1000);
  scene.chain.extend(1, [], MINUTE_MS);
  await scene.settle();
  await untilSame(scene, () => foldAll(stream.events));
  stream.leave();
  await assertResumable(scene, stream.events, WANTED);
});

it('over HTTP streams, klines and pages of trades agree while times and positions are uneven', async (t) => {
  const chain = { seed: 9, clock: 'wild', gaps: true } as const;
  const { scene, server, mint, open } = await startStreamServer(t, { chain });
  const get = async (path: string): Promise<Json> => {
    const response = await fetch(`${server.origin}/v1/token/${path}&chain=devnet&mint=${mint}`);
    assert.equal(response.status, 200);
    return response.json();
  };
  const fold = new StreamFold();
  const stream = await open('&events=trade,kline&interval=5s', {
    onEvent: (event) => fold.apply(event),
  });
  await stream.until(({ event }) => event === 'snapshot');
  const since = Math.max(...Array.from(fold.trades.values(), ({ block }) => block));
  for (let round = 0; round < 12; round += 1) {
    if (round % 4 === 3) scene.chain.reorganise(3, 4);
    else scene.chain.extend(4);
    await scene.settle();
  }
  assert.ok(scene.chain.stepsBack > 0 && scene.chain.skipped > 0);
  const trades = await readPages(PAGES_MAX, async (cursor: string | null) => {
    const page = await get(`trades?limit=7${cursor === null ? '' : `&cursor=${cursor}`}`);
    return { rows: page.trades as Json[], next: page.nextCursor as string | null };
  });
  const { klines } = await get('klines?interval=5s&limit=1000');
  const recent = trades.filter(({ block }) => block > since);
  assert.ok(recent.length > 10);
  await waitUntil(() => {
    const sent = [...fold.trades.values()].filter(({ block }) => block > since);
    const held = [...fold.klines.values()].sort(byTime);
    const expected = klines.filter(
      ({ openTime }: Json) => openTime >= fold.klinesFrom || fold.klines.has(openTime),
    );
    return (
      isDeepStrictEqual(dropFinality(sent), dropFinality(recent)) &&
      isDeepStrictEqual(held, expected)
    );
  });
  assert.deepEqual(fold.problems, []);
});

it('open klines are all sent to a new reader, even if later than the chain', async (t) => {
  const scene = await createTradedScene(t);
  const filter = { events: 'kline', interval: '1m' };
  for (let count = 0; count < 3; count += 1) await scene.trade(1, MINUTE_MS);
  scene.chain.extend(1, [], -5 * MINUTE_MS);
  await scene.settle();
  const open = (await readKlines(scene, '1m')).filter(({ closed }) => !closed);
  assert.ok(open.length >= 3);
  // The first reader makes the channel read them, the second finds them in the channel.
  for (let reader = 0; reader < 2; reader += 1) {
    const stream = await scene.open({}, filter);
    await waitUntil(() =>
      isDeepStrictEqual([...foldAll(stream.events).klines.values()].sort(byTime), open),
    );
  }
});
