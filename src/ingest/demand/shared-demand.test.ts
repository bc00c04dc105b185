// Lookups of several processes: one budget, kept by the process that indexes.

import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { ManualClock } from '../../../test/fakes/manual-clock.ts';
import { address } from '../../../test/test-ids.ts';
import type { Address } from '../../model/ids.ts';
import type { LookupOutcome } from '../../model/lookup-outcome.ts';
import { TokenDemand } from './token-demand.ts';

const CHAIN = 'devnet';
const PER_MINUTE = 20;
/** What may begin at once. */
const BURST = 10;
const OTHERS = 2;

function toToken(n: number): Address {
  return address(`0x${n.toString(16).padStart(40, '0')}`);
}

/** Messages between processes come later. */
async function settleMessages(): Promise<void> {
  for (let turn = 0; turn < 10; turn += 1) await new Promise((resolve) => setImmediate(resolve));
}

/** The process that indexes, and others that ask it. */
function createScene(t: TestContext) {
  const clock = new ManualClock();
  let sleeping: { readonly endsAtMs: number; readonly end: () => void }[] = [];
  const sleep = (ms: number) =>
    new Promise<void>((end) => sleeping.push({ endsAtMs: clock.monotonicMs() + ms, end }));
  const parts = { perMinute: PER_MINUTE, clock, sleep };
  const begun: Address[] = [];
  const askedBy = new Map<Address, Set<TokenDemand>>();
  const keeper = new TokenDemand({
    ...parts,
    hasBudget: () => true,
    onOutcome: (chain, token, outcome) => {
      for (const one of askedBy.get(token) ?? []) {
        setImmediate(() => one.settle(chain, token, outcome));
      }
      askedBy.delete(token);
    },
    send: (_chain, token) => begun.push(token) > 0,
  });
  const others = Array.from({ length: OTHERS }, () => {
    const demand: TokenDemand = new TokenDemand({
      ...parts,
      hasBudget: () => false,
      onOutcome: () => undefined,
      send: (chain, token, caller) => {
        askedBy.set(token, (askedBy.get(token) ?? new Set()).add(demand));
        setImmediate(() => keeper.accept(chain, token, caller));
        return true;
      },
    });
    return demand;
  });
  t.after(() => {
    for (const demand of [keeper, ...others]) demand.stop();
  });
  const advance = async (ms: number) => {
    clock.advance(ms);
    const due = sleeping.filter(({ endsAtMs }) => endsAtMs <= clock.monotonicMs());
    sleeping = sleeping.filter((one) => !due.includes(one));
    for (const { end } of due) end();
    await settleMessages();
  };
  const end = async (outcome: LookupOutcome) => {
    for (const token of begun) keeper.settle(CHAIN, token, outcome);
    await settleMessages();
  };
  return { keeper, others, begun, advance, end };
}

function find(demand: TokenDemand, n: number, key: string) {
  const caller = { key, charge: () => 10, refund: () => undefined };
  return demand.find({ chain: CHAIN, token: toToken(n), isKnown: false }, caller);
}

test('all processes together begin as many lookups as one may', async (t) => {
  const { keeper, others, begun, advance, end } = createScene(t);
  const all = [keeper, ...others];
  for (let n = 0; n < 90; n += 1) {
    const demand = all[n % all.length] ?? keeper;
    void find(demand, n, `caller ${n}`);
  }
  await settleMessages();
  for (let turn = 0; turn < BURST; turn += 1) await end('noToken');
  assert.equal(begun.length, BURST);
  for (let second = 0; second < 60; second += 1) {
    await advance(1000);
    await end('noToken');
  }
  assert.equal(begun.length, BURST + PER_MINUTE);
});

test('the outcome reaches whoever asked, also if the answer was known already', async (t) => {
  const { others, begun, end } = createScene(t);
  const [one, two] = [others[0] ?? assert.fail(), others[1] ?? assert.fail()];
  const asked = [find(one, 1, 'a'), find(two, 1, 'b')];
  await settleMessages();
  assert.deepEqual(begun, [toToken(1)], 'once for all processes');
  await end('noToken');
  assert.deepEqual(await Promise.all(asked), ['noToken', 'noToken']);
  const third = find(two, 2, 'a');
  await settleMessages();
  await end('noToken');
  assert.equal(await third, 'noToken');
  const before = begun.length;
  assert.equal(await find(one, 2, 'c'), 'noToken');
  assert.equal(begun.length, before, 'the process with the budget remembers it');
});

test('a caller that floods one process is turned away there and by the one with the budget', async (t) => {
  const { others, begun } = createScene(t);
  const [one, two] = [others[0] ?? assert.fail(), others[1] ?? assert.fail()];
  const greedy = Array.from({ length: 100 }, (_, n) => find(one, n, 'greedy'));
  await settleMessages();
  void find(two, 500, 'modest');
  await settleMessages();
  // Of one caller four run, and eight wait.
  const busy = await Promise.all(greedy.map((asked) => Promise.race([asked, settleMessages()])));
  assert.equal(busy.filter((outcome) => outcome === 'busy').length, 100 - 4 - 8);
  assert.equal(begun.length, 4);
});

test('what nobody waits for is passed on slowly', async (t) => {
  const { others, begun, advance, end } = createScene(t);
  const [one] = others;
  for (let n = 0; n < 50; n += 1) one?.noteKnown(CHAIN, toToken(n));
  await settleMessages();
  assert.equal(begun.length, 1);
  for (let second = 0; second < 60; second += 1) {
    await advance(1000);
    await end('found');
  }
  // A fifth of the budget.
  assert.ok(begun.length <= 1 + PER_MINUTE / 5, `${begun.length}`);
  assert.ok(begun.length >= PER_MINUTE / 5, `${begun.length}`);
});
