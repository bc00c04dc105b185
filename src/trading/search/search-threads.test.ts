// Searches on real threads: the same results as on the main thread, callers in turn, and nothing
// that hangs.

import assert from 'node:assert/strict';
import { describe, it, type TestContext } from 'node:test';
import { Worker } from 'node:worker_threads';
import { createRandomQuestion } from '../../../test/fakes/random-trade.ts';
import { AppError } from '../../errors/app-error.ts';
import { startSearchThread } from '../../runtime/open-search-threads.ts';
import { searchTrade } from '../routing/find-trade-route.ts';
import { SearchWork } from '../routing/search-work.ts';
import { planTrade, type RouteQuestion, toWholePlan } from '../routing/trade-plan.ts';
import type { SentRoute } from './search-message.ts';
import {
  type SearchThread,
  SearchThreads,
  type SearchThreadsOptions,
  type ThreadEvents,
} from './search-threads.ts';

interface Scene {
  readonly threads: SearchThreads;
  readonly started: SearchThread[];
  readonly logged: string[];
  advance(ms: number): void;
}

const CALLER = { caller: 'test' };

function createScene(t: TestContext, options: Partial<SearchThreadsOptions> = {}): Scene {
  const started: SearchThread[] = [];
  const logged: string[] = [];
  let nowMs = 0;
  const { startThread = startSearchThread, ...rest } = options;
  const threads = new SearchThreads({
    threadCountMax: 1,
    queue: { lengthMax: 100, perCallerMax: 100 },
    clock: { nowMs: () => nowMs, monotonicMs: () => nowMs },
    log: { error: (_fields, message) => logged.push(message) },
    startThread: (events: ThreadEvents) => {
      const thread = startThread(events);
      started.push(thread);
      return thread;
    },
    ...rest,
  });
  t.after(() => threads.stop());
  return {
    ...{ threads, started, logged },
    advance: (ms) => {
      nowMs += ms;
    },
  };
}

function searchHere(question: RouteQuestion) {
  const work = new SearchWork();
  const search = searchTrade(planTrade(question), work);
  return { search, work: work.count };
}

const planWhole = (question: RouteQuestion) => toWholePlan(planTrade(question));
const SMALL = { poolCount: 20, worth: 1_000 };

function isOverloaded(error: unknown): boolean {
  assert.ok(error instanceof AppError);
  assert.deepEqual([error.code, error.status], ['OVERLOADED', 503]);
  return error.retryAfterSeconds === 1;
}

describe('a search on a thread', () => {
  it('finds the same as on the main thread, with the same work, in random markets', async (t) => {
    const { threads, started } = createScene(t);
    let divided = 0;
    for (let seed = 1; seed <= 12; seed += 1) {
      const poolCount = [8, 40, 120][seed % 3] ?? 40;
      for (const worth of [1e-9, 10, 100_000, 3e7, 1e30, 1e60]) {
        const question = createRandomQuestion({ seed, poolCount, worth });
        const here = searchHere(question);
        const there = await threads.search(planWhole(question), CALLER);
        assert.deepEqual(there, here, `seed ${seed}, worth ${worth}`);
        if (here.search.kind !== 'found') continue;
        const { swapPaths } = here.search.found.route;
        if (swapPaths.length > 10) divided += 1;
      }
    }
    assert.ok(divided > 10, `${divided} trades were divided among many pools`);
    assert.equal(started.length, 1);
  });

  it('finds the same if the output is given, with what each pool is asked for', async (t) => {
    const { threads } = createScene(t);
    let asked = 0;
    for (let seed = 1; seed <= 6; seed += 1) {
      const question = createRandomQuestion({ seed, poolCount: 40, worth: 100_000 });
      const size = { ...question.size, fixed: 'output' as const };
      const here = searchHere({ ...question, size });
      const there = await threads.search(planWhole({ ...question, size }), CALLER);
      assert.deepEqual(there, here, `seed ${seed}`);
      if (here.search.kind !== 'found') continue;
      const hops = here.search.found.route.swapPaths.flatMap((swapPath) => swapPath.hops);
      asked += hops.filter(({ askedOut }) => askedOut !== undefined).length;
    }
    assert.ok(asked > 0, 'no pool was asked for an amount');
  });

  it('names the very pools of the graph', async (t) => {
    const { threads } = createScene(t);
    const question = createRandomQuestion({ seed: 3, poolCount: 60, worth: 100_000 });
    const { search } = await threads.search(planWhole(question), CALLER);
    assert.ok(search.kind === 'found');
    for (const { pool } of search.found.route.swapPaths.flatMap(({ hops }) => hops)) {
      assert.equal(pool, question.graph.get(pool.pool));
    }
  });

  it('follows pools that move, and uses the state of its plan', async (t) => {
    const { threads } = createScene(t);
    const question = createRandomQuestion({ seed: 5, poolCount: 40, worth: 50_000 });
    const { graph } = question;
    for (let round = 0; round < 5; round += 1) {
      const plan = planWhole(question);
      const here = searchHere(question);
      const searching = threads.search(plan, CALLER);
      assert.ok(here.search.kind === 'found');
      for (const { pool, zeroForOne, amountIn } of here.search.found.route.legs.flatMap(
        ({ hops }) => hops,
      )) {
        const moved = graph.get(pool.pool) ?? assert.fail();
        graph.set({ ...moved, curve: moved.curve.swapAndMove(zeroForOne, amountIn).after });
      }
      assert.deepEqual(await searching, here, `round ${round}`);
    }
  });
});

describe('the queue of searches', () => {
  it('serves callers in turn: a flood of one does not hold up another', async (t) => {
    const { threads } = createScene(t);
    const plan = planWhole(createRandomQuestion({ seed: 1, ...SMALL }));
    const order: string[] = [];
    const ask = (caller: string) => threads.search(plan, { caller }).then(() => order.push(caller));
    const asked = [...Array.from({ length: 12 }, () => ask('flood')), ask('other')];
    await Promise.all(asked);
    // One of the flood is already running, and one more may come first.
    assert.ok(order.indexOf('other') <= 2, order.join(' '));
    assert.equal(order.length, 13);
  });

  it('is bounded, of one caller and in all: more is 503 with Retry-After', async (t) => {
    const { threads } = createScene(t, { queue: { lengthMax: 3, perCallerMax: 2 } });
    const plan = planWhole(createRandomQuestion({ seed: 1, ...SMALL }));
    const ask = (caller: string) => threads.search(plan, { caller });
    const accepted = [ask('a'), ask('a'), ask('a')];
    await assert.rejects(ask('a'), isOverloaded);
    accepted.push(ask('b'));
    await assert.rejects(ask('b'), isOverloaded);
    assert.equal(threads.waiting, 3);
    await Promise.all(accepted);
    assert.equal(threads.waiting, 0);
  });
});

describe('a full queue of searches', () => {
  it('makes room for a new caller: the one with most waiting loses one, with 503', async (t) => {
    const { threads } = createScene(t, { queue: { lengthMax: 4, perCallerMax: 4 } });
    const plan = planWhole(createRandomQuestion({ seed: 1, ...SMALL }));
    const ask = (caller: string) => threads.search(plan, { caller });
    const flood = Array.from({ length: 5 }, () => ask('flood'));
    const refused = assert.rejects(flood.pop() ?? assert.fail(), isOverloaded);
    const other = ask('other');
    await refused;
    assert.equal(threads.waiting, 4);
    assert.equal((await Promise.all([...flood, other])).length, 5);
  });
});

describe('a thread that fails', () => {
  it('fails one search with 503, and is replaced for the waiting ones', async (t) => {
    const { threads, started, logged } = createScene(t);
    const question = createRandomQuestion({ seed: 1, ...SMALL });
    const plan = planWhole(question);
    await threads.search(plan, CALLER);
    const [hit, waiting] = [threads.search(plan, CALLER), threads.search(plan, CALLER)];
    const failed = assert.rejects(hit, isOverloaded);
    await started[0]?.end();
    await failed;
    assert.deepEqual(await waiting, searchHere(question));
    assert.equal(started.length, 2);
    assert.deepEqual(logged, ['a search thread failed']);
  });

  it('rejects all waiting searches if it cannot start, and retries a second later', async (t) => {
    let isBroken = true;
    const startThread = (events: ThreadEvents): SearchThread => {
      if (!isBroken) return startSearchThread(events);
      const worker = new Worker('throw new Error("broken")', { eval: true });
      let cause = new Error('ended');
      worker.on('error', (error: Error) => {
        cause = error;
      });
      worker.on('exit', () => events.onEnd(cause));
      return {
        post: (command) => worker.postMessage(command),
        end: async () => void (await worker.terminate()),
      };
    };
    const { threads, started, advance } = createScene(t, { startThread });
    const plan = planWhole(createRandomQuestion({ seed: 1, ...SMALL }));
    const asked = [1, 2, 3].map(() => threads.search(plan, CALLER));
    await Promise.all(asked.map((one) => assert.rejects(one, isOverloaded)));
    await assert.rejects(threads.search(plan, CALLER), isOverloaded);
    assert.equal(started.length, 1);
    isBroken = false;
    advance(1_000);
    assert.equal((await threads.search(plan, CALLER)).search.kind, 'found');
    assert.equal(started.length, 2);
  });
});

type SentHops = SentRoute['hops'];

/** A thread whose answers are changed on the way. */
function startChanged(events: ThreadEvents, change: (hops: SentHops) => SentHops): SearchThread {
  const onMessage: ThreadEvents['onMessage'] = (message) => {
    const { search } = message;
    assert.ok(search.kind === 'found');
    const { route } = search.found;
    const found = { ...search.found, route: { ...route, hops: change(route.hops) } };
    events.onMessage({ ...message, search: { kind: 'found', found } });
  };
  return startSearchThread({ ...events, onMessage });
}

describe('a thread that cannot be used', () => {
  const broken: Readonly<Record<string, (events: ThreadEvents) => SearchThread>> = {
    'cannot be started': () => {
      throw new Error('ERR_WORKER_INIT_FAILED: EAGAIN');
    },
    'cannot be sent anything': (events) => {
      const thread = startSearchThread(events);
      const post = () => {
        throw new Error('could not be cloned');
      };
      return { ...thread, post };
    },
    'answers with a pool that it was never sent': (events) =>
      startChanged(events, (hops) => ({ ...hops, pools: hops.pools.map(() => 0) })),
    'answers with a hop that has no amount': (events) =>
      startChanged(events, (hops) => ({ ...hops, amountsOut: hops.amountsOut.slice(1) })),
  };
  for (const [name, startThread] of Object.entries(broken)) {
    it(`${name}: 503 at once, and the next one is tried`, async (t) => {
      let isBroken = true;
      const { threads, logged, advance } = createScene(t, {
        startThread: (events) => (isBroken ? startThread(events) : startSearchThread(events)),
      });
      const plan = planWhole(createRandomQuestion({ seed: 1, ...SMALL }));
      await assert.rejects(threads.search(plan, CALLER), isOverloaded);
      assert.deepEqual(logged, ['a search thread failed']);
      isBroken = false;
      advance(1_000);
      assert.equal((await threads.search(plan, CALLER)).search.kind, 'found');
    });
  }
});

describe('stopping', () => {
  it('ends the threads and rejects waiting searches at once', async (t) => {
    let ended = 0;
    const { threads } = createScene(t, {
      startThread: (events) =>
        startSearchThread({
          ...events,
          onEnd: (cause) => {
            ended += 1;
            events.onEnd(cause);
          },
        }),
    });
    const plan = planWhole(createRandomQuestion({ seed: 1, ...SMALL }));
    const asked = [1, 2, 3].map(() => threads.search(plan, CALLER));
    const refused = Promise.all(asked.map((one) => assert.rejects(one, isOverloaded)));
    await threads.stop();
    await refused;
    assert.deepEqual([threads.threadCount, threads.waiting, ended], [0, 0, 1]);
    await assert.rejects(threads.search(plan, CALLER), isOverloaded);
  });
});
