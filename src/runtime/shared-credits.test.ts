// One daily budget of credits for all processes: what one spends slows the others down.

import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { ManualClock } from '../../test/fakes/manual-clock.ts';
import { createEndpointMemory } from '../chains/endpoint-memory.ts';
import type { ChainSource } from '../chains/family.ts';
import { RpcMeter } from '../chains/rpc/rpc-meter.ts';
import { CALLS_AS_CREDITS } from '../model/rpc-usage.ts';
import type { SignalStore } from '../store/feed-store.ts';
import { SharedCredits } from './shared-credits.ts';

const CREDITS_PER_DAY = 24_000;
const SOURCE: ChainSource = {
  ...{ chain: 'base', endpoints: ['http://node.test'], startBlock: 0 },
  ...{ devnet: null, instance: null },
  budget: { credits: CALLS_AS_CREDITS, creditsPerDay: CREDITS_PER_DAY },
};

/** Delivers in order, to all, later. */
class Signals implements SignalStore {
  isDown = false;
  deliveredCount = 0;
  readonly #listeners = new Set<(text: string) => void>();

  async send(_channel: string, text: string): Promise<void> {
    if (this.isDown) throw new Error('down');
    setImmediate(() => {
      for (const listener of this.#listeners) listener(text);
      this.deliveredCount += 1;
    });
  }

  listen(_channel: string, onText: (text: string) => void): () => Promise<void> {
    this.#listeners.add(onText);
    return async () => void this.#listeners.delete(onText);
  }
}

function createScene(t: TestContext) {
  const clock = new ManualClock();
  const signals = new Signals();
  const errors: unknown[] = [];
  const start = (node: string) => {
    const memory = createEndpointMemory(1);
    const credits = new SharedCredits({
      ...{ signals, node, clock, everyMs: 1 },
      listConnected: () => [{ source: SOURCE, memory }],
      onError: (error) => errors.push(error),
    });
    t.after(() => credits.stop());
    // Two threads of a process count in one memory.
    const create = (thread: 'main' | 'indexer') =>
      new RpcMeter({ clock, budget: SOURCE.budget, shared: { memory, thread } });
    return { main: create('main'), indexer: create('indexer') };
  };
  return { clock, signals, errors, start };
}

async function untilSo(isSo: () => boolean): Promise<void> {
  const deadlineMs = Date.now() + 60_000;
  while (!isSo()) {
    if (Date.now() > deadlineMs) throw new Error('it did not come');
    await new Promise((resolve) => setTimeout(resolve, 2));
  }
}

test('the time that messages take does not spend the budget', () => {
  const clock = new ManualClock();
  const meters = ['a', 'b'].map(() => new RpcMeter({ clock, budget: SOURCE.budget }));
  for (const meter of meters) spend(meter, 2000);
  const aheadMs = meters[0]?.aheadMs ?? 0;
  for (let second = 0; second < 600; second += 1) {
    for (const [index, meter] of meters.entries()) {
      const sent = { credits: 0, aheadMs: meter.aheadMs };
      clock.advance(20);
      meters[1 - index]?.countElsewhere(sent);
    }
  }
  for (const meter of meters) assert.ok(Math.abs(meter.aheadMs - (aheadMs - 24_000)) < 1);
});

/** A number of calls, each of one credit. */
function spend(meter: RpcMeter, credits: number): void {
  meter.countCalls(new Array<string>(credits).fill('eth_call'));
}

test('what other processes spend counts in the budget of the one that indexes, once', async (t) => {
  const { start } = createScene(t);
  const [a, b, c] = [start('a'), start('b'), start('c')];
  spend(a.indexer, 300);
  spend(a.main, 100);
  spend(b.main, 300);
  spend(c.main, 200);
  const alone = new RpcMeter({ clock: new ManualClock(), budget: SOURCE.budget });
  spend(alone, 900);
  const isSame = (one: number) => Math.abs(one - alone.aheadMs) < 1;
  await untilSo(() => [a, b, c].every(({ main }) => main.aheadMs >= alone.aheadMs - 1));
  await new Promise((resolve) => setTimeout(resolve, 50));
  for (const { main, indexer } of [a, b, c]) {
    assert.ok(isSame(main.aheadMs), `${main.aheadMs} of ${alone.aheadMs}`);
    assert.equal(indexer.waitMs, main.waitMs);
  }
  assert.equal(a.indexer.waitMs, 0, 'a burst may be spent at once');
  spend(b.main, 500);
  await untilSo(() => a.indexer.waitMs > 0);
  assert.match(a.indexer.describeSlowed() ?? '', /24,000 credits a day/);
});

test('a process that starts learns what was spent, and a lost message is made up for', async (t) => {
  const { clock, signals, errors, start } = createScene(t);
  const first = start('a');
  spend(first.main, 2000);
  await untilSo(() => signals.deliveredCount > 0);
  const second = start('b');
  assert.equal(second.indexer.waitMs, 0);
  clock.advance(5000);
  await untilSo(() => second.indexer.waitMs > 0);
  assert.ok(Math.abs(second.indexer.waitMs - first.indexer.waitMs) < 1);
  signals.isDown = true;
  spend(first.main, 1000);
  await untilSo(() => errors.length > 0);
  signals.isDown = false;
  await untilSo(() => Math.abs(second.indexer.waitMs - first.indexer.waitMs) < 1);
});

test('a message that is not about credits is reported, and changes nothing', async (t) => {
  const { signals, errors, start } = createScene(t);
  const { main } = start('a');
  const texts = ['no', '{"from":"b","chain":"base","credits":-1,"aheadMs":0}', '{"from":"b"}'];
  for (const text of texts) await signals.send('', text);
  await untilSo(() => errors.length === texts.length);
  assert.equal(main.aheadMs, 0);
});
