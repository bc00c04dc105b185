// Which tokens are looked up, when, and for whom: nobody can flood it.

import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, it } from 'node:test';
import { ManualClock } from '../../../test/fakes/manual-clock.ts';
import { address } from '../../../test/test-ids.ts';
import type { Address } from '../../model/ids.ts';
import { TokenDemand } from './token-demand.ts';

const CHAIN = 'devnet';
const MINUTE_MS = 60_000;

let clock: ManualClock;
let sent: Address[];
let charged: Map<string, number>;
let demand: TokenDemand;
/** Sleeps of the demand that have not ended. */
let sleeping: { endsAtMs: number; end: () => void }[];

function toToken(n: number): Address {
  return address(`0x${n.toString(16).padStart(40, '0')}`);
}

function sleep(ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const one = { endsAtMs: clock.monotonicMs() + ms, end: resolve };
    sleeping.push(one);
    signal?.addEventListener('abort', () => {
      sleeping = sleeping.filter((other) => other !== one);
      reject(signal.reason);
    });
  });
}

/** Lets pending promises run. */
async function turn(): Promise<void> {
  await new Promise((resolve) => setImmediate(resolve));
}

async function advance(ms: number): Promise<void> {
  clock.advance(ms);
  const due = sleeping.filter(({ endsAtMs }) => endsAtMs <= clock.monotonicMs());
  sleeping = sleeping.filter((one) => !due.includes(one));
  for (const { end } of due) end();
  await turn();
}

function createDemand(perMinute: number, isSent = true): TokenDemand {
  return new TokenDemand({
    perMinute,
    clock,
    sleep,
    hasBudget: () => true,
    onOutcome: () => undefined,
    send: (_chain, token) => {
      sent.push(token);
      return isSent;
    },
  });
}

function find(n: number, key = 'anonymous 1', isKnown = false) {
  const caller = {
    key,
    charge: () => {
      charged.set(key, (charged.get(key) ?? 0) + 10);
      return 10;
    },
    refund: (cost: number) => void charged.set(key, (charged.get(key) ?? 0) - cost),
  };
  return demand.find({ chain: CHAIN, token: toToken(n), isKnown }, caller);
}

beforeEach(() => {
  clock = new ManualClock();
  sent = [];
  charged = new Map();
  sleeping = [];
  demand = createDemand(60);
});

afterEach(() => demand.stop());

describe('a lookup', () => {
  it('is one for all who ask for the same address, and the first pays', async () => {
    const both = [find(1, 'a'), find(1, 'b')];
    await turn();
    assert.deepEqual(sent, [toToken(1)]);
    demand.settle(CHAIN, toToken(1), 'found');
    assert.deepEqual(await Promise.all(both), ['found', 'found']);
    assert.deepEqual([...charged], [['a', 10]]);
  });

  it('answers that it is pending when it takes long, and goes on', async () => {
    const first = find(1);
    await turn();
    await advance(8_000);
    assert.equal(await first, 'pending');
    const second = find(1);
    demand.settle(CHAIN, toToken(1), 'found');
    assert.equal(await second, 'found');
    assert.deepEqual([sent.length, charged.get('anonymous 1')], [1, 10]);
  });

  it('that no node answers is given back, and tried again when somebody asks', async () => {
    for (const count of [1, 2]) {
      const asked = find(1);
      await turn();
      demand.settle(CHAIN, toToken(1), 'failed');
      assert.equal(await asked, 'failed');
      assert.deepEqual([sent.length, charged.get('anonymous 1')], [count, 0]);
    }
  });

  it('ends when whoever runs it has gone', async () => {
    const asked = [find(1), find(2)];
    await turn();
    demand.abandon();
    assert.deepEqual(await Promise.all(asked), ['failed', 'failed']);
  });

  it('is not begun where nobody can run it', async () => {
    demand = createDemand(60, false);
    assert.equal(await find(1), 'notReady');
    assert.equal(charged.get('anonymous 1'), 0);
  });

  it('is not made at all when lookups are off', async () => {
    demand = createDemand(0);
    assert.equal(await find(1), 'noToken');
    assert.deepEqual([sent, charged.size], [[], 0]);
  });
});

describe('an address that is no token', () => {
  it('is remembered for ten minutes, at no cost for whoever asks', async () => {
    const first = find(1);
    await turn();
    demand.settle(CHAIN, toToken(1), 'noToken');
    assert.equal(await first, 'noToken');
    await advance(10 * MINUTE_MS - 1);
    assert.equal(await find(1, 'other'), 'noToken');
    assert.deepEqual([sent.length, charged.get('other')], [1, undefined]);
    await advance(1);
    void find(1, 'other');
    await turn();
    assert.equal(sent.length, 2);
  });
});

describe('a known token', () => {
  it('is looked up once in a while, when nobody waits for an unknown one', async () => {
    demand.noteKnown(CHAIN, toToken(1));
    demand.noteKnown(CHAIN, toToken(1));
    await turn();
    assert.deepEqual(sent, [toToken(1)]);
    demand.settle(CHAIN, toToken(1), 'found');
    demand.noteKnown(CHAIN, toToken(1));
    assert.equal(await find(1, 'a', true), 'unchanged');
    assert.equal(sent.length, 1);
    await advance(6 * 60 * MINUTE_MS);
    demand.noteKnown(CHAIN, toToken(1));
    await turn();
    assert.equal(sent.length, 2);
  });

  it('is no longer put off when somebody waits for it', async () => {
    for (const n of [1, 2, 3]) demand.noteKnown(CHAIN, toToken(n));
    assert.deepEqual(sent, [toToken(1)]);
    void find(3, 'a', true);
    await turn();
    assert.deepEqual(sent, [toToken(1), toToken(3)]);
    // The other one comes with the part of the budget that is left for it.
    await advance(4_999);
    assert.equal(sent.length, 2);
    await advance(1);
    assert.deepEqual(sent.slice(2), [toToken(2)]);
  });

  it('never uses up what unknown tokens need', async () => {
    for (let n = 0; n < 300; n += 1) {
      demand.noteKnown(CHAIN, toToken(n));
      for (const token of sent) demand.settle(CHAIN, token, 'found');
    }
    const before = sent.length;
    assert.equal(before, 1);
    void find(1000);
    await turn();
    assert.deepEqual(sent.slice(before), [toToken(1000)]);
  });
});

describe('a flood', () => {
  const FLOOD = 10_000;

  it('of distinct addresses stays within the budget and within bounded memory', async () => {
    const asked: Promise<string>[] = [];
    for (let n = 0; n < FLOOD; n += 1) {
      asked.push(find(n, `caller ${n % 500}`));
      // As fast as a node can answer.
      for (const token of sent.slice(-4)) demand.settle(CHAIN, token, 'noToken');
    }
    assert.ok(sent.length <= 10, `${sent.length} lookups at once`);
    assert.ok(demand.waiting <= 256, `${demand.waiting} wait`);
    for (let minute = 0; minute < 2; minute += 1) {
      const before = sent.length;
      for (let second = 0; second < 60; second += 1) {
        await advance(1000);
        for (const token of sent.slice(-4)) demand.settle(CHAIN, token, 'noToken');
      }
      assert.ok(sent.length - before <= 61, `${sent.length - before} lookups in a minute`);
    }
    const outcomes = await Promise.all(asked);
    const busy = outcomes.filter((outcome) => outcome === 'busy').length;
    assert.ok(busy >= FLOOD - 256 - sent.length, `${busy} were turned away`);
    assert.ok(demand.remembered <= 20_000);
    // Whoever was turned away has paid nothing.
    const paid = [...charged.values()].reduce((sum, one) => sum + one, 0);
    assert.equal(paid, (FLOOD - busy) * 10);
  });

  it('of one caller leaves turns for the others', async () => {
    for (let n = 0; n < 1000; n += 1) void find(n, 'greedy');
    void find(5000, 'modest');
    await turn();
    demand.settle(CHAIN, toToken(0), 'noToken');
    demand.settle(CHAIN, toToken(1), 'noToken');
    await turn();
    assert.ok(sent.includes(toToken(5000)), sent.join(' '));
  });

  it('of what is remembered ends with the oldest forgotten', async () => {
    demand = createDemand(1_000_000);
    for (let n = 0; n < 12_000; n += 1) {
      clock.advance(1);
      const asked = find(n);
      demand.settle(CHAIN, toToken(n), 'noToken');
      assert.equal(await asked, 'noToken');
    }
    assert.ok(demand.remembered <= 10_000);
    const before = sent.length;
    assert.equal(await find(11_999), 'noToken');
    assert.equal(sent.length, before);
    clock.advance(1);
    void find(0);
    assert.equal(sent.length, before + 1);
  });
});
