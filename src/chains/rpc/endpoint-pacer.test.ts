// When requests may begin, by a clock that moves only while somebody waits.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ManualClock } from '../../../test/fakes/manual-clock.ts';
import { createEndpointMemory, EndpointCells } from '../endpoint-memory.ts';
import { EndpointPacer } from './endpoint-pacer.ts';
import { isRpcError } from './rpc-error.ts';

function createPacers(creditsPerSecond: number | null = null) {
  const clock = new ManualClock();
  const memory = createEndpointMemory(1);
  const open = (thread: 'main' | 'indexer') =>
    new EndpointPacer({ clock, cells: new EndpointCells(0, { memory, thread }), creditsPerSecond });
  const sleep = async (ms: number) => clock.advance(ms);
  const turn = { credits: 1, isUrgent: false, waitMaxMs: 10_000, sleep };
  return { clock, main: open('main'), indexer: open('indexer'), turn };
}

test('without a limit nothing waits but for the number of requests under way', async () => {
  const { main, turn, clock } = createPacers();
  for (let n = 0; n < 500; n += 1) {
    await main.enter(turn);
    main.leave();
  }
  assert.equal(clock.monotonicMs(), 0);
  assert.equal(main.rate, Number.POSITIVE_INFINITY);
});

test('a rate that is set holds for all threads together', async () => {
  const { main, indexer, turn, clock } = createPacers(20);
  for (let n = 0; n < 100; n += 1) {
    const pacer = n % 2 === 0 ? main : indexer;
    await pacer.enter({ ...turn, credits: 2 });
    pacer.leave();
  }
  const seconds = clock.monotonicMs() / 1000;
  assert.ok(seconds >= 9.8 && seconds <= 10.2, `${seconds}`);
});

test('a refusal lowers the rate to what was answered, for all threads', () => {
  const { main, indexer, clock } = createPacers();
  const sentAtMs = clock.monotonicMs();
  main.answered(40);
  main.refused({ credits: 60, calls: 60, sentAtMs, retryAfterMs: 500 });
  assert.ok(indexer.rate >= 36 && indexer.rate <= 50, `${indexer.rate}`);
  assert.equal(indexer.pauseMs, 500);
  assert.ok(indexer.creditsAtOnce < 15);
  // What was under way then says nothing new.
  const { rate } = main;
  indexer.refused({ credits: 60, calls: 60, sentAtMs, retryAfterMs: null });
  assert.equal(main.rate, rate);
});

test('while requests wait for it the rate rises again, never above what is set', async () => {
  const { main, turn, clock } = createPacers(50);
  main.refused({ credits: 1, calls: 1, sentAtMs: 0, retryAfterMs: 0 });
  assert.equal(main.rate, 25);
  clock.advance(600_000);
  assert.equal(main.rate, 25, 'nothing has shown that more is needed');
  for (let n = 0; n < 1000; n += 1) {
    await main.enter(turn);
    main.leave();
    main.answered(turn.credits);
  }
  assert.equal(main.rate, 50);
});

test('a rate that was refused is approached slowly', async () => {
  const { main, turn, clock } = createPacers();
  main.answered(10);
  main.refused({ credits: 10, calls: 10, sentAtMs: 0, retryAfterMs: 0 });
  const run = async (seconds: number) => {
    const untilMs = clock.monotonicMs() + seconds * 1000;
    while (clock.monotonicMs() < untilMs) {
      await main.enter(turn);
      main.leave();
      main.answered(turn.credits);
    }
  };
  await run(3);
  const refused = main.rate;
  main.refused({ credits: 1, calls: 1, sentAtMs: clock.monotonicMs(), retryAfterMs: 0 });
  assert.ok(main.rate < refused);
  await run(10);
  assert.ok(main.rate > refused * 0.8 && main.rate < refused, `${main.rate} of ${refused}`);
  await run(70);
  assert.ok(main.rate > refused, 'a limit may be raised');
});

test('a rate that is not used does not rise, however often somebody waits a moment', async () => {
  const { main, turn, clock } = createPacers();
  main.answered(10);
  main.refused({ credits: 10, calls: 10, sentAtMs: 0, retryAfterMs: 0 });
  // Two requests at once and then a pause: the second one waits, for half an hour.
  for (let n = 0; n < 900; n += 1) {
    for (let at = 0; at < 2; at += 1) {
      await main.enter(turn);
      main.leave();
      main.answered(turn.credits);
    }
    clock.advance(1000);
  }
  assert.ok(main.rate < 50, `${main.rate}`);
});

test('what a client waits for goes first, in either thread', async () => {
  const { main, indexer, turn, clock } = createPacers(10);
  const order: string[] = [];
  const enter = async (name: string, pacer: EndpointPacer, isUrgent: boolean, credits = 5) => {
    await pacer.enter({ ...turn, isUrgent, credits });
    order.push(name);
    pacer.leave();
  };
  await enter('batch', indexer, false);
  const all = [
    enter('background', indexer, false),
    enter('client', main, true),
    enter('lookup', indexer, true),
  ];
  await Promise.all(all);
  assert.deepEqual(order, ['batch', 'client', 'lookup', 'background']);
  assert.ok(clock.monotonicMs() >= 1500, 'it waited for the debt of the clients');
});

test('a client does not wait for long, and nobody for a pause that is longer than allowed', async () => {
  const { main, turn } = createPacers(1);
  await main.enter({ ...turn, credits: 60 });
  const limited = (error: unknown) => isRpcError(error, 'rateLimited');
  await assert.rejects(main.enter({ ...turn, isUrgent: true, waitMaxMs: 2000 }), limited);
  main.refused({ credits: 1, calls: 1, sentAtMs: 0, retryAfterMs: 3_600_000 });
  await assert.rejects(main.enter(turn), limited);
});

test('who no longer waits is not in the way', async () => {
  const { main, turn } = createPacers(1);
  await main.enter({ ...turn, credits: 5 });
  const controller = new AbortController();
  const given = main.enter({ ...turn, signal: controller.signal });
  const kept = main.enter(turn);
  controller.abort(new Error('enough'));
  await assert.rejects(given, /enough/);
  await kept;
  assert.equal(main.isBusy, false);
});

test('pauses grow while nothing is answered', () => {
  const { main, clock } = createPacers();
  const pauses = [1, 2, 3, 4].map(() => {
    clock.advance(20_000);
    main.refused({
      ...{ credits: 9, calls: 9, sentAtMs: clock.monotonicMs(), retryAfterMs: null },
    });
    return main.pauseMs;
  });
  assert.deepEqual(pauses, [250, 500, 1000, 2000]);
  main.answered(1);
  clock.advance(20_000);
  main.refused({ credits: 9, calls: 9, sentAtMs: clock.monotonicMs(), retryAfterMs: null });
  assert.equal(main.pauseMs, 250);
});
