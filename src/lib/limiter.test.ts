// Pins the arithmetic of budgets against a model, and that memory stays bounded.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ManualClock } from '../../test/fakes/manual-clock.ts';
import { fc } from '../../test/fast-check.ts';
import { Limiter } from './limiter.ts';

function createLimiter(options: { perMinute?: number; burst?: number; max?: number } = {}) {
  const clock = new ManualClock();
  const limiter = new Limiter({
    budget: {
      policy: 'test',
      perMinute: options.perMinute ?? 120,
      burst: options.burst ?? 60,
    },
    identitiesMax: options.max ?? 1000,
    clock,
  });
  return { clock, limiter };
}

test('the burst is allowed at once, then the steady rate', () => {
  const { clock, limiter } = createLimiter();
  for (let i = 0; i < 60; i += 1) {
    assert.deepEqual(limiter.take('a', 1), {
      allowed: true,
      remaining: 59 - i,
      resetMs: (i + 1) * 500,
    });
  }
  assert.deepEqual(limiter.take('a', 1), { allowed: false, remaining: 0, resetMs: 500 });
  clock.advance(499);
  assert.equal(limiter.take('a', 1).allowed, false);
  clock.advance(1);
  assert.equal(limiter.take('a', 1).allowed, true);
  assert.equal(limiter.take('b', 1).allowed, true);
});

test('waiting as long as a refusal says is enough, and less is not', () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 1, max: 100_000 }),
      fc.integer({ min: 1, max: 1000 }),
      fc.array(fc.tuple(fc.integer({ min: 0, max: 5000 }), fc.integer({ min: 1, max: 10 })), {
        maxLength: 60,
      }),
      (perMinute, burst, steps) => {
        const { clock, limiter } = createLimiter({ perMinute, burst });
        for (const [waitMs, rawCost] of steps) {
          const cost = Math.min(rawCost, burst);
          clock.advance(waitMs);
          const decision = limiter.take('a', cost);
          if (decision.allowed) continue;
          const early = decision.resetMs * 0.99 - 0.01;
          if (early > 0) {
            clock.advance(early);
            assert.equal(limiter.take('a', cost).allowed, false);
            clock.advance(decision.resetMs - early + 1e-3);
          } else {
            clock.advance(decision.resetMs + 1e-3);
          }
          assert.equal(limiter.take('a', cost).allowed, true);
        }
      },
    ),
  );
});

test('never more than burst plus rate times time is spent', () => {
  fc.assert(
    fc.property(
      fc.array(fc.tuple(fc.integer({ min: 0, max: 3000 }), fc.integer({ min: 1, max: 5 })), {
        maxLength: 200,
      }),
      (steps) => {
        const { clock, limiter } = createLimiter({ perMinute: 600, burst: 20 });
        let spent = 0;
        let elapsedMs = 0;
        for (const [waitMs, cost] of steps) {
          clock.advance(waitMs);
          elapsedMs += waitMs;
          if (limiter.take('a', cost).allowed) spent += cost;
          assert.ok(spent <= 20 + elapsedMs / 100 + 1e-6);
        }
      },
    ),
  );
});

test('a debt survives idle time', () => {
  const { clock, limiter } = createLimiter();
  for (let i = 0; i < 60; i += 1) limiter.take('a', 1);
  for (let waitedMs = 0; waitedMs < 29_000; waitedMs += 1000) {
    clock.advance(1000);
    limiter.take('other', 1);
  }
  // 29 s refill 58 of 60.
  assert.equal(limiter.take('a', 58).allowed, true);
  assert.equal(limiter.take('a', 1).allowed, false);
});

test('a refund can be spent again, and never exceeds what was spent', () => {
  const { clock, limiter } = createLimiter();
  for (let i = 0; i < 60; i += 1) limiter.take('a', 1);
  limiter.giveBack('a', 2);
  assert.equal(limiter.take('a', 3).allowed, false);
  assert.equal(limiter.take('a', 2).allowed, true);
  clock.advance(60_000);
  limiter.giveBack('a', 10);
  limiter.giveBack('b', 10);
  for (const one of ['a', 'b']) assert.equal(limiter.take(one, 61).allowed, false);
});

test('a million distinct identities stay within the bound', () => {
  const { clock, limiter } = createLimiter({ max: 10_000 });
  for (let i = 0; i < 1_000_000; i += 1) {
    if (i % 1000 === 0) clock.advance(1);
    limiter.take(`10.${i >> 16}.${(i >> 8) & 255}.${i & 255}`, 1);
    if (i % 50_000 === 0) assert.ok(limiter.size <= 10_001, String(limiter.size));
  }
  assert.ok(limiter.size <= 10_001);
  clock.advance(120_000);
  limiter.take('x', 1);
  clock.advance(120_000);
  limiter.take('x', 1);
  assert.ok(limiter.size <= 2, 'what was refilled is forgotten');
});

test('finished work is charged beyond the budget, up to one more burst', () => {
  const { clock, limiter } = createLimiter();
  assert.deepEqual(limiter.settle('a', 50), { allowed: true, remaining: 10, resetMs: 25_000 });
  assert.deepEqual(limiter.settle('a', 30), { allowed: true, remaining: 0, resetMs: 40_000 });
  // The debt is 20: it and the requested unit must be refilled first.
  assert.deepEqual(limiter.take('a', 1), { allowed: false, remaining: 0, resetMs: 10_500 });
  assert.equal(limiter.settle('a', 1_000).resetMs, 60_000);
  // Idle time does not shorten the debt.
  clock.advance(30_499);
  assert.equal(limiter.take('a', 1).allowed, false);
  clock.advance(1);
  assert.equal(limiter.take('a', 1).allowed, true);
});

test('unused advance payments are refunded, never more than was paid', () => {
  const { clock, limiter } = createLimiter();
  assert.equal(limiter.take('a', 50).allowed, true);
  assert.deepEqual(limiter.settle('a', -30), { allowed: true, remaining: 40, resetMs: 10_000 });
  // The rest was refilled meanwhile.
  clock.advance(10_000);
  assert.deepEqual(limiter.settle('a', -30), { allowed: true, remaining: 60, resetMs: 0 });
  assert.equal(limiter.take('a', 61).allowed, false);
});
