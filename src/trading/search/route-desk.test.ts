// Short searches run at once, long ones on a thread, and no more than a little in one turn.

import assert from 'node:assert/strict';
import { describe, it, type TestContext } from 'node:test';
import { createRandomQuestion } from '../../../test/fakes/random-trade.ts';
import { startSearchThread } from '../../compose/open-search-threads.ts';
import { searchTrade } from '../routing/find-trade-route.ts';
import { SearchWork } from '../routing/search-work.ts';
import { planTrade, type RouteQuestion } from '../routing/trade-plan.ts';
import { RouteDesk, SHORT_EVALUATIONS_MAX } from './route-desk.ts';
import { SearchThreads } from './search-threads.ts';

interface Scene {
  readonly desk: RouteDesk;
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
  return { desk: new RouteDesk(threads), countThreads: () => count };
}

function searchHere(question: RouteQuestion) {
  const work = new SearchWork();
  const search = searchTrade(planTrade(question), work);
  return { search, work: work.count };
}

const SHORT = createRandomQuestion({ seed: 2, poolCount: 12, worth: 10 });
const LONG = createRandomQuestion({ seed: 9, poolCount: 200, worth: 3e6 });

function ask(desk: RouteDesk, question: RouteQuestion, caller = 'test', onPlan = () => {}) {
  return desk.search({
    caller,
    market: `${question.tokenIn} ${question.tokenOut}`,
    amountIn: question.amountIn,
    plan: () => {
      onPlan();
      return planTrade(question);
    },
  });
}

describe('RouteDesk', () => {
  it('searches here what takes little work', async (t) => {
    const { desk, countThreads } = createScene(t);
    const expected = searchHere(SHORT);
    assert.ok(expected.work < SHORT_EVALUATIONS_MAX);
    assert.deepEqual(await ask(desk, SHORT), expected);
    assert.equal(countThreads(), 0);
  });

  it('searches on a thread what takes more, and answers the same', async (t) => {
    const { desk, countThreads } = createScene(t);
    const expected = searchHere(LONG);
    assert.ok(expected.work > SHORT_EVALUATIONS_MAX);
    for (let time = 0; time < 2; time += 1) assert.deepEqual(await ask(desk, LONG), expected);
    assert.equal(countThreads(), 1);
  });

  it('begins few searches in one turn of the event loop, so that others come in between', async (t) => {
    const { desk } = createScene(t);
    let planned = 0;
    const searches = Array.from({ length: 20 }, () =>
      ask(desk, LONG, 'test', () => {
        planned += 1;
      }),
    );
    // The first is begun here, which is enough for one turn.
    assert.equal(planned, 1);
    // Its like go to the thread without that, but have to be laid out for it.
    let turns = 0;
    for (; planned < 20; turns += 1) {
      const before = planned;
      await new Promise((resolve) => setImmediate(resolve));
      assert.ok(planned - before <= 8, `${planned - before} in one turn`);
    }
    assert.ok(turns > 2, `${turns} turns`);
    assert.equal((await Promise.all(searches)).length, 20);
  });

  it('serves callers in turn', async (t) => {
    const { desk } = createScene(t);
    const order: string[] = [];
    const plan = (caller: string) => ask(desk, LONG, caller, () => order.push(caller));
    const searches = Array.from({ length: 10 }, () => plan('flood'));
    await Promise.all([...searches, plan('other')]);
    assert.ok(order.indexOf('other') <= 2, order.join(' '));
  });

  it('rejects with what the plan throws, and goes on', async (t) => {
    const { desk } = createScene(t);
    const question = {
      caller: 'test',
      market: '',
      amountIn: 1n,
      plan: () => {
        throw new RangeError('no graph');
      },
    };
    await assert.rejects(desk.search(question), RangeError);
    assert.equal((await ask(desk, SHORT)).search.kind, 'found');
  });
});

describe('the budget of a search', () => {
  it('ends it with the best so far, which is still exact', () => {
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
