// Short searches run at once, long ones on a thread, with limited work per turn.

import assert from 'node:assert/strict';
import { describe, it, type TestContext } from 'node:test';
import { createRandomQuestion } from '../../../test/fakes/random-trade.ts';
import { startSearchThread } from '../../runtime/open-search-threads.ts';
import { searchTrade } from '../routing/find-trade-route.ts';
import { SearchWork } from '../routing/search-work.ts';
import { planTrade, type RouteQuestion } from '../routing/trade-plan.ts';
import { RouteScheduler, type SearchMeter, SHORT_EVALUATIONS_MAX } from './route-scheduler.ts';
import { SearchThreads } from './search-threads.ts';

interface Scene {
  readonly scheduler: RouteScheduler;
  readonly threads: SearchThreads;
  countThreads(): number;
}

function createScene(t: TestContext): Scene {
  let count = 0;
  const threads = new SearchThreads({
    threadCountMax: 1,
    queue: { lengthMax: 100, perCallerMax: 100 },
    clock: { nowMs: () => 0, monotonicMs: () => 0 },
    log: { error: (_fields, message) => assert.fail(message) },
    startThread: (events) => {
      count += 1;
      return startSearchThread(events);
    },
  });
  t.after(() => threads.stop());
  return { scheduler: new RouteScheduler(threads), threads, countThreads: () => count };
}

function searchHere(question: RouteQuestion) {
  const work = new SearchWork();
  const search = searchTrade(planTrade(question), work);
  return { search, work: work.count };
}

const SHORT = createRandomQuestion({ seed: 2, poolCount: 12, worth: 10 });
const LONG = createRandomQuestion({ seed: 9, poolCount: 200, worth: 3e6 });

/** What a caller was charged, and its budget; without limit by default. */
class Bill implements SearchMeter {
  readonly prepaid: number[] = [];
  readonly settled: number[] = [];
  readonly #limit: number;

  constructor(limit = Number.POSITIVE_INFINITY) {
    this.#limit = limit;
  }

  prepay(evaluations: number): void {
    if (evaluations > this.#limit) throw new RangeError('cannot pay');
    this.prepaid.push(evaluations);
  }

  settle(evaluations: number): void {
    this.settled.push(evaluations);
  }
}

interface Asking {
  readonly caller?: string;
  readonly meter?: SearchMeter;
  readonly signal?: AbortSignal;
  readonly onPlan?: () => void;
}

function ask(scheduler: RouteScheduler, question: RouteQuestion, asking: Asking = {}) {
  const { caller = 'test', meter = new Bill(), signal, onPlan } = asking;
  return scheduler.search({
    ...{ caller, meter },
    watchCaller: signal && (() => signal),
    market: `${question.tokenIn} ${question.tokenOut}`,
    size: question.size,
    plan: () => {
      onPlan?.();
      return planTrade(question);
    },
  });
}

/** A request that is similar to a known long search, and its cost. */
async function searchOnce(scheduler: RouteScheduler, question: RouteQuestion): Promise<number> {
  return (await ask(scheduler, question)).work;
}

describe('RouteScheduler', () => {
  it('runs short searches on the main thread', async (t) => {
    const { scheduler, countThreads } = createScene(t);
    const expected = searchHere(SHORT);
    assert.ok(expected.work < SHORT_EVALUATIONS_MAX);
    assert.deepEqual(await ask(scheduler, SHORT), expected);
    assert.equal(countThreads(), 0);
  });

  it('runs long searches on a thread, with the same answer', async (t) => {
    const { scheduler, countThreads } = createScene(t);
    const expected = searchHere(LONG);
    assert.ok(expected.work > SHORT_EVALUATIONS_MAX);
    for (let time = 0; time < 2; time += 1) {
      const { search, work } = await ask(scheduler, LONG);
      assert.deepEqual(search, expected.search);
      assert.ok(work > expected.work, 'laying out the plan is work, too');
    }
    assert.equal(countThreads(), 1);
  });

  it('begins few searches per turn of the event loop, so that other work runs', async (t) => {
    const { scheduler } = createScene(t);
    let planned = 0;
    const searches = Array.from({ length: 20 }, () =>
      ask(scheduler, LONG, {
        onPlan: () => {
          planned += 1;
        },
      }),
    );
    // The first begins here, which is enough for one turn.
    assert.equal(planned, 1);
    // Similar ones go directly to the thread, but have to be prepared for it.
    let turns = 0;
    for (; planned < 20; turns += 1) {
      const before = planned;
      await new Promise((resolve) => setImmediate(resolve));
      assert.ok(planned - before <= 8, `${planned - before} in one turn`);
    }
    assert.ok(turns > 2, `${turns} turns`);
    assert.equal((await Promise.all(searches)).length, 20);
  });

  it('lets all begin at once whose searches are not known to be long, and few of the others', async (t) => {
    const { scheduler } = createScene(t);
    await searchOnce(scheduler, LONG);
    await searchOnce(scheduler, SHORT);
    for (const [question, expected] of [
      [SHORT, 20],
      [LONG, 2],
    ] as const) {
      const market = `${question.tokenIn} ${question.tokenOut}`;
      const request = { caller: 'test', market, size: question.size };
      const { promise: ended, resolve: end } = Promise.withResolvers<void>();
      let begun = 0;
      const all = Array.from({ length: 20 }, () =>
        scheduler.inTurn(request, () => {
          begun += 1;
          return ended;
        }),
      );
      await new Promise((resolve) => setImmediate(resolve));
      assert.equal(begun, expected);
      end();
      await Promise.all(all);
      assert.equal(begun, 20);
    }
  });

  it('serves callers in turn', async (t) => {
    const { scheduler } = createScene(t);
    const order: string[] = [];
    const plan = (caller: string) =>
      ask(scheduler, LONG, { caller, onPlan: () => void order.push(caller) });
    const searches = Array.from({ length: 10 }, () => plan('flood'));
    await Promise.all([...searches, plan('other')]);
    assert.ok(order.indexOf('other') <= 2, order.join(' '));
  });

  it('rejects with the error of the plan, and continues', async (t) => {
    const { scheduler } = createScene(t);
    const question = {
      caller: 'test',
      meter: new Bill(),
      market: '',
      size: { fixed: 'input' as const, amountRaw: 1n, reserveBps: 0 },
      plan: () => {
        throw new RangeError('no graph');
      },
    };
    await assert.rejects(scheduler.search(question), RangeError);
    assert.equal((await ask(scheduler, SHORT)).search.kind, 'found');
  });
});

describe('the bill of a search', () => {
  it('charges a short search afterwards only', async (t) => {
    const { scheduler } = createScene(t);
    const bill = new Bill();
    const { work } = await ask(scheduler, SHORT, { meter: bill });
    assert.deepEqual([bill.prepaid, bill.settled], [[], [work]]);
  });

  it('charges in advance what a similar long search took', async (t) => {
    const { scheduler } = createScene(t);
    const first = new Bill();
    const { work } = await ask(scheduler, LONG, { meter: first });
    assert.deepEqual([first.prepaid, first.settled], [[], [work]]);
    const second = new Bill();
    // A unit more is another question of about the same size.
    const size = { ...LONG.size, amountRaw: LONG.size.amountRaw + 1n };
    const like = { ...LONG, size };
    const again = await ask(scheduler, like, { meter: second });
    assert.deepEqual([second.prepaid, second.settled], [[work], [again.work]]);
  });

  it('charges in advance once a similar search was too long for the main thread', async (t) => {
    const { scheduler } = createScene(t);
    const bill = new Bill();
    const searches = [ask(scheduler, LONG), ask(scheduler, LONG, { meter: bill })];
    await Promise.all(searches);
    assert.equal(bill.prepaid.length, 1);
    assert.ok((bill.prepaid[0] ?? 0) > SHORT_EVALUATIONS_MAX);
  });

  it('does no work for a caller who cannot pay in advance', async (t) => {
    const { scheduler } = createScene(t);
    const work = await searchOnce(scheduler, LONG);
    const bill = new Bill(work - 1);
    const onPlan = () => assert.fail('planned');
    await assert.rejects(ask(scheduler, LONG, { meter: bill, onPlan }), /cannot pay/);
    assert.deepEqual(bill.settled, [0]);
  });
});

describe('a caller who has disconnected', () => {
  it('cancels a search that waits for its turn', async (t) => {
    const { scheduler } = createScene(t);
    const begun = ask(scheduler, LONG);
    const gone = new AbortController();
    const onPlan = () => assert.fail('planned');
    const waiting = [1, 2, 3].map(() => ask(scheduler, LONG, { signal: gone.signal, onPlan }));
    gone.abort();
    for (const one of waiting) await assert.rejects(one, { code: 'OVERLOADED' });
    assert.equal((await begun).search.kind, 'found');
  });

  it('cancels a search that waits for a thread, and pays for the plan only', async (t) => {
    const { scheduler, threads } = createScene(t);
    const work = await searchOnce(scheduler, LONG);
    const running = ask(scheduler, LONG);
    const gone = new AbortController();
    const bill = new Bill();
    const waiting = ask(scheduler, LONG, { signal: gone.signal, meter: bill });
    while (threads.waiting === 0) await new Promise((resolve) => setImmediate(resolve));
    gone.abort();
    await assert.rejects(waiting, { code: 'OVERLOADED' });
    assert.equal(threads.waiting, 0);
    const [settled = 0] = bill.settled;
    assert.ok(settled > 0 && settled < work, `${settled} of ${work}`);
    assert.equal((await running).work, work);
  });

  it('pays for a search that a thread has begun', async (t) => {
    const { scheduler, threads } = createScene(t);
    const work = await searchOnce(scheduler, LONG);
    const gone = new AbortController();
    const bill = new Bill();
    const running = ask(scheduler, LONG, { signal: gone.signal, meter: bill });
    assert.equal(threads.waiting, 0);
    gone.abort();
    await running;
    assert.deepEqual(bill.settled, [work]);
  });
});

describe('the budget of a search', () => {
  it('ends it with the best result so far, which is still exact', () => {
    const whole = searchHere(LONG);
    for (const share of [0.02, 0.2, 0.6]) {
      const work = new SearchWork({ max: Math.floor(whole.work * share) });
      const search = searchTrade(planTrade(LONG), work);
      assert.ok(search.kind === 'found' && whole.search.kind === 'found');
      assert.ok(work.count < whole.work, `${work.count} of ${whole.work}`);
      const { route } = search.found;
      const sum = route.legs.reduce((out, leg) => out + leg.amountOut, 0n);
      assert.equal(sum, route.amountOut);
      const { route: best } = whole.search.found;
      assert.ok(route.amountOut - route.cost <= best.amountOut - best.cost);
    }
  });
});
