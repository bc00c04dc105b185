// The page of a token equals a fresh load after losses, reorganisations and restarts.

import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import { connection } from '../../console/src/api/event-stream.ts';
import { TapeReader, type TapeState } from '../../console/src/pages/token/tape-reader.ts';
import { parseTokenChoices } from '../../console/src/pages/token/token-choices.ts';
import { TokenFeed } from '../../console/src/pages/token/token-feed.ts';
import { openFakePage } from './fake-page.ts';
import { startScriptedApi } from './scripted-api.ts';

const TIMEOUT = { timeout: 60_000 };
const SNAPSHOT = { token: { priceUsd: '1' }, asOf: { block: 5 } };

const kline = (openTime: number, close: string) => ({
  openTime,
  open: close,
  high: close,
  low: close,
  close,
  filled: false,
});

/** Longer than any test: the stream comes first, however slow the machine is. */
const LONG_MS = 600_000;

async function openFeed(t: TestContext, streamWaitMs = LONG_MS) {
  const choices = parseTokenChoices(new URLSearchParams('chain=devnet&mint=0xA&interval=1m'));
  assert.ok(choices !== null);
  const feed = new TokenFeed(choices, streamWaitMs);
  // Hooks run in this order: the feed closes while its page is still there.
  t.after(() => feed.close());
  const api = await startScriptedApi(t);
  const page = openFakePage(t, api.origin);
  feed.open();
  const show = () => feed.book.rows.map(({ openTime, close }) => `${openTime}:${close}`).join(' ');
  return { api, page, feed, show };
}

/** Long for any machine, and shorter than a test may take: what is waited for is named. */
const WAIT_MAX_MS = 30_000;

async function until(isTrue: () => boolean): Promise<void> {
  const deadlineMs = performance.now() + WAIT_MAX_MS;
  while (!isTrue()) {
    if (performance.now() > deadlineMs) assert.fail(`waited in vain: ${isTrue}`);
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}

function openTape(t: TestContext, feed: TokenFeed) {
  const states: TapeState[] = [];
  const reader = new TapeReader({
    feed,
    subject: { chain: 'devnet', mint: '0xA', pool: null },
    filter: { side: null, minUsd: null, wallet: null },
    onChange: (state) => states.push(state),
  });
  t.after(() => reader.close());
  return { reader, states };
}

function showTape(states: readonly TapeState[]): string {
  const rows = states.at(-1)?.rows ?? [];
  return rows.map(({ id }) => id).join(' ');
}

test(
  'candles are read once the stream is open, and what arrived meanwhile wins',
  TIMEOUT,
  async (t) => {
    const { api, feed, show } = await openFeed(t);
    const stream = await api.next('/token/stream');
    assert.equal(stream.query.get('interval'), '1m');
    assert.equal(api.count('/token/klines'), 0);
    stream.send('snapshot', SNAPSHOT, 'a1');
    const read = await api.next('/token/klines');
    stream.send('kline', { interval: '1m', kline: kline(60, '7') });
    stream.send('price', { priceUsd: '7', block: 6 });
    await until(() => feed.price.value?.block === 6);
    read.answer({ klines: [kline(0, '1'), kline(60, '2')] });
    await until(() => feed.hasCandles.value === true);
    assert.equal(show(), '0:1 60:7');
  },
);

test(
  'a lost stream resumes from its last id, and a revert takes candles back',
  TIMEOUT,
  async (t) => {
    const { api, feed, show } = await openFeed(t);
    const stream = await api.next('/token/stream');
    stream.send('snapshot', SNAPSHOT, 'a1');
    (await api.next('/token/klines')).answer({ klines: [kline(0, '1')] });
    stream.send('kline', { interval: '1m', kline: kline(60, '2') }, 'a2');
    await until(() => show() === '0:1 60:2');
    stream.cut();
    const again = await api.next('/token/stream');
    assert.equal(again.lastEventId, 'a2');
    const lost = [{ interval: '1m', openTime: 60 }];
    again.send('revert', { fromBlock: 5, toBlock: 6, tradeIds: ['x', 'y'], klines: lost }, 'a3');
    again.send('kline', { interval: '1m', kline: kline(60, '3') });
    await until(() => show() === '0:1 60:3');
    assert.equal(feed.revertedTrades.value, 2);
    assert.equal(api.count('/token/klines'), 0, 'what was resumed is not read again');
  },
);

test('a stream that cannot resume is followed by a whole read', TIMEOUT, async (t) => {
  const { api, show } = await openFeed(t);
  const stream = await api.next('/token/stream');
  stream.send('snapshot', SNAPSHOT, 'a1');
  (await api.next('/token/klines')).answer({ klines: [kline(0, '1'), kline(60, '2')] });
  await until(() => show() === '0:1 60:2');
  stream.cut();
  const again = await api.next('/token/stream');
  again.send('reset', { reason: 'expired' });
  again.send('snapshot', SNAPSHOT, 'b1');
  (await api.next('/token/klines')).answer({ klines: [kline(60, '9')] });
  await until(() => show() === '60:9');
});

test('a revert while candles are read makes them be read again', TIMEOUT, async (t) => {
  const { api, page, show, feed } = await openFeed(t);
  const stream = await api.next('/token/stream');
  stream.send('snapshot', SNAPSHOT, 'a1');
  const old = await api.next('/token/klines');
  stream.send('revert', { fromBlock: 5, toBlock: 6, tradeIds: ['x'], klines: [] }, 'a2');
  const fresh = await api.next('/token/klines');
  fresh.answer({ klines: [kline(0, '1')] });
  await until(() => feed.hasCandles.value === true);
  // The older answer comes last, and has what was taken back.
  old.answer({ klines: [kline(0, '1'), kline(60, 'gone')] });
  await until(() => page.readCount === 2);
  await setImmediate();
  assert.equal(show(), '0:1');
});

test('a revert while trades are read makes them be read again', TIMEOUT, async (t) => {
  const { api, page, feed } = await openFeed(t);
  const { states } = openTape(t, feed);
  const stream = await api.next('/token/stream');
  stream.send('snapshot', SNAPSHOT, 'a1');
  (await api.next('/token/klines')).answer({ klines: [] });
  const old = await api.next('/token/trades');
  stream.send('revert', { fromBlock: 5, toBlock: 6, tradeIds: ['gone'], klines: [] }, 'a2');
  const fresh = await api.next('/token/trades');
  old.answer({ trades: [{ id: 'gone' }, { id: 'a' }], nextCursor: null });
  await until(() => page.readCount === 2);
  await setImmediate();
  assert.equal(showTape(states), '', 'what was taken back is not shown');
  fresh.answer({ trades: [{ id: 'a' }], nextCursor: null });
  await until(() => showTape(states) === 'a');
});

test('candles whose answer was cut off are read again', TIMEOUT, async (t) => {
  const { api, show, feed } = await openFeed(t);
  (await api.next('/token/stream')).send('snapshot', SNAPSHOT, 'a1');
  // The SDK asks once more by itself, and says nothing of it.
  for (const _ of ['unseen', 'seen']) (await api.next('/token/klines')).breakOff();
  await until(() => feed.candleProblem.value?.code === 'UNREACHABLE');
  (await api.next('/token/klines')).answer({ klines: [kline(0, '1')] });
  await until(() => show() === '0:1');
  assert.equal(feed.candleProblem.value, null);
});

test('candles that cannot be read do not stop the chart and the tape', TIMEOUT, async (t) => {
  const { api, show, feed } = await openFeed(t);
  const { states } = openTape(t, feed);
  const stream = await api.next('/token/stream');
  stream.send('snapshot', SNAPSHOT, 'a1');
  const candles = await api.next('/token/klines');
  const trades = await api.next('/token/trades');
  stream.send('kline', { interval: '1m', kline: kline(60, '7') });
  stream.send('trade', { id: 'a' }, 'a2');
  stream.send('price', { priceUsd: '7', block: 6 });
  await until(() => feed.price.value?.block === 6);
  candles.refuse(400, 'INVALID_RANGE');
  trades.refuse(400, 'INVALID_ADDRESS');
  await until(() => show() === '60:7' && showTape(states) === 'a');
  stream.send('kline', { interval: '1m', kline: kline(120, '8') });
  stream.send('trade', { id: 'b' }, 'a3');
  await until(() => show() === '60:7 120:8' && showTape(states) === 'b a');
  assert.equal(states.at(-1)?.problem?.code, 'INVALID_ADDRESS');
});

test(
  'older candles are read before the oldest, page by page, until there are none',
  TIMEOUT,
  async (t) => {
    const { api, feed } = await openFeed(t);
    const changes: string[] = [];
    t.after(feed.listen({ candles: (change) => changes.push(change) }));
    (await api.next('/token/stream')).send('snapshot', SNAPSHOT, 'a1');
    const page = (from: number, count: number) => ({
      klines: Array.from({ length: count }, (_, index) => kline((from + index) * 60, '1')),
    });
    (await api.next('/token/klines')).answer(page(1000, 500));
    await until(() => feed.hasCandles.value === true);
    const older = feed.loadOlder();
    assert.equal(feed.isLoadingOlder.value, true);
    // Scrolling on meanwhile asks for nothing more.
    await feed.loadOlder();
    const asked = await api.next('/token/klines');
    assert.equal(asked.query.get('endTime'), String(1000 * 60 - 1));
    asked.answer(page(995, 5));
    await older;
    assert.deepEqual([feed.book.rows.length, feed.book.rows[0]?.openTime], [505, 995 * 60]);
    assert.deepEqual(changes, ['all', 'all']);
    // A page that was not full was the last one.
    await feed.loadOlder();
    assert.equal(api.count('/token/klines'), 0);
  },
);

test('a hidden page closes its stream and resumes when it is seen again', TIMEOUT, async (t) => {
  const { api, page } = await openFeed(t);
  const stream = await api.next('/token/stream');
  stream.send('snapshot', SNAPSHOT, 'a1');
  await api.next('/token/klines');
  page.setHidden(true);
  assert.equal(connection.value.kind, 'off');
  page.setHidden(false);
  assert.equal((await api.next('/token/stream')).lastEventId, 'a1');
});

test(
  'too many streams: the page is filled without one, and asks again later',
  TIMEOUT,
  async (t) => {
    const { api, show } = await openFeed(t, 0);
    (await api.next('/token/stream')).refuse(429, 'TOO_MANY_STREAMS', 1);
    await until(() => connection.value.kind === 'waiting');
    (await api.next('/token/klines')).answer({ klines: [kline(0, '1')] });
    await until(() => show() === '0:1');
    const stream = await api.next('/token/stream');
    stream.send('snapshot', SNAPSHOT, 'a1');
    (await api.next('/token/klines')).answer({ klines: [kline(0, '2')] });
    await until(() => show() === '0:2');
  },
);

test('a fault of the server does not end the live page', TIMEOUT, async (t) => {
  const { api } = await openFeed(t);
  (await api.next('/token/stream')).refuse(502, 'BAD_GATEWAY');
  await until(() => connection.value.kind === 'waiting');
  (await api.next('/token/stream')).send('snapshot', SNAPSHOT, 'a1');
  await until(() => connection.value.kind === 'live');
});

test(
  'an error of ours in an event is reported, and everything is read again',
  TIMEOUT,
  async (t) => {
    const reported: unknown[] = [];
    Reflect.set(globalThis, 'reportError', (error: unknown) => reported.push(error));
    t.after(() => Reflect.deleteProperty(globalThis, 'reportError'));
    const { api, feed, show } = await openFeed(t);
    const stream = await api.next('/token/stream');
    stream.send('snapshot', SNAPSHOT, 'a1');
    (await api.next('/token/klines')).answer({ klines: [kline(0, '1')] });
    await until(() => show() === '0:1');
    const fault = new Error('a fault of the page');
    const stop = feed.listen({
      trade: () => {
        throw fault;
      },
    });
    stream.send('trade', { id: 'a' }, 'a2');
    await until(() => connection.value.kind === 'waiting');
    stop();
    assert.deepEqual(reported, [fault]);
    const again = await api.next('/token/stream');
    assert.equal(again.lastEventId, null, 'what was half handled is not resumed');
    again.send('snapshot', SNAPSHOT, 'b1');
    (await api.next('/token/klines')).answer({ klines: [kline(0, '2')] });
    await until(() => show() === '0:2');
  },
);

test('an error that asking again cannot mend is shown', TIMEOUT, async (t) => {
  const { api } = await openFeed(t);
  (await api.next('/token/stream')).refuse(404, 'TOKEN_PAUSED');
  await until(() => connection.value.kind === 'failed');
});

test('the tape has each trade once, in order, without those taken back', TIMEOUT, async (t) => {
  const { api, feed } = await openFeed(t);
  const { reader, states } = openTape(t, feed);
  const show = () => showTape(states);
  const stream = await api.next('/token/stream');
  stream.send('snapshot', SNAPSHOT, 'a1');
  const read = await api.next('/token/trades');
  stream.send('trade', { id: 'b' }, 'a2');
  stream.send('trade', { id: 'c' }, 'a3');
  stream.send('price', { block: 7 });
  await until(() => feed.price.value?.block === 7);
  read.answer({ trades: [{ id: 'b' }, { id: 'a' }], nextCursor: 'older' });
  await until(() => show() === 'c b a');
  stream.send('revert', { fromBlock: 5, toBlock: 6, tradeIds: ['b', 'c'], klines: [] }, 'a4');
  stream.send('trade', { id: 'b' }, 'a5');
  await until(() => show() === 'b a');
  const older = reader.loadOlder();
  const page = await api.next('/token/trades');
  assert.equal(page.query.get('cursor'), 'older');
  page.answer({ trades: [{ id: 'z' }], nextCursor: null });
  await older;
  assert.equal(show(), 'b a z');
});

test(
  'older trades that were asked for before a reorganisation are left out',
  TIMEOUT,
  async (t) => {
    const { api, feed } = await openFeed(t);
    const { reader, states } = openTape(t, feed);
    const stream = await api.next('/token/stream');
    stream.send('snapshot', SNAPSHOT, 'a1');
    (await api.next('/token/trades')).answer({ trades: [{ id: 'b' }], nextCursor: 'older' });
    await until(() => showTape(states) === 'b');
    const older = reader.loadOlder();
    const page = await api.next('/token/trades');
    stream.send('revert', { fromBlock: 5, toBlock: 6, tradeIds: ['b', 'a'], klines: [] }, 'a2');
    await until(() => showTape(states) === '');
    page.answer({ trades: [{ id: 'a' }, { id: 'z' }], nextCursor: null });
    await older;
    assert.equal(showTape(states), '');
    assert.equal(states.at(-1)?.hasMore, true, 'they can be asked for again');
  },
);
