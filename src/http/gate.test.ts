// Pins limits as a caller sees them: consistent headers, sufficient waits, separate budgets.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ManualClock } from '../../test/fakes/manual-clock.ts';
import { buildLimits, getThing, startTestServer } from '../../test/start-http-server.ts';
import { walletId } from '../../test/test-ids.ts';
import type { Identity } from '../contract/identity.ts';
import { COSTS } from '../contract/operation.ts';
import { AppError } from '../errors/app-error.ts';
import { Limiter } from '../lib/limiter.ts';
import { KEY_SCOPES } from '../model/key-limits.ts';
import { Metrics } from '../telemetry/metrics.ts';
import { Gate } from './gate.ts';

const SMALL = { policy: 'anonymous', perMinute: 120, burst: 3 };

test('the budget counts down, is refused with 429, and Retry-After suffices', async (t) => {
  const clock = new ManualClock();
  const server = await startTestServer(t, { clock, limits: buildLimits({ anonymous: SMALL }) });
  const seen: (string | null)[] = [];
  for (let i = 0; i < 3; i += 1) {
    const response = await server.get('/v1/thing');
    assert.equal(response.status, 200);
    assert.equal(response.headers.get('ratelimit-policy'), '"anonymous";q=3;w=2');
    seen.push(response.headers.get('ratelimit'));
  }
  assert.deepEqual(seen, ['"anonymous";r=2;t=1', '"anonymous";r=1;t=1', '"anonymous";r=0;t=2']);
  const refused = await server.get('/v1/thing');
  assert.equal(refused.status, 429);
  const retryAfter = refused.headers.get('retry-after');
  assert.equal(refused.headers.get('ratelimit'), `"anonymous";r=0;t=${retryAfter}`);
  const problem = (await refused.json()) as { code: string; detail: string };
  assert.equal(problem.code, 'RATE_LIMITED');
  assert.match(problem.detail, new RegExp(`anonymous.* ${retryAfter} s`));
  clock.advance(Number(retryAfter) * 1000);
  assert.equal((await server.get('/v1/thing')).status, 200);
});

test('budget and address ceiling are charged what the operation costs', async (t) => {
  const clock = new ManualClock();
  const cost = COSTS.build;
  const start = (small: Parameters<typeof buildLimits>[0]) =>
    startTestServer(t, {
      clock,
      limits: buildLimits(small),
      operations: [{ ...getThing, cost: 'build' }],
      handlers: { getThing: () => ({ ok: true }) },
    });
  const anonymous = { policy: 'anonymous', perMinute: 60, burst: 2 * cost + 1 };
  const ip = { ...anonymous, policy: 'ip' };
  const own = await start({ anonymous });
  const address = await start({ ip });
  for (const [server, policy] of [
    [own, 'anonymous'],
    [address, 'ip'],
  ] as const) {
    const statuses: number[] = [];
    let field = '';
    for (let i = 0; i < 3; i += 1) {
      const response = await server.get('/v1/thing');
      statuses.push(response.status);
      field = response.headers.get('ratelimit') ?? '';
    }
    assert.deepEqual(statuses, [200, 200, 429], policy);
    assert.match(field, new RegExp(`^"${policy}";r=1;t=`));
  }
});

test('the address limit comes first and also counts unknown routes', async (t) => {
  const clock = new ManualClock();
  const ip = { policy: 'ip', perMinute: 60, burst: 3 };
  const server = await startTestServer(t, { clock, limits: buildLimits({ ip }) });
  assert.equal((await server.get('/v1/thing')).status, 200);
  assert.equal((await server.get('/v1/nope')).status, 404);
  assert.equal((await server.get('/v1/thing', { method: 'OPTIONS' })).status, 204);
  const refused = await server.get('/v1/thing');
  assert.equal(refused.status, 429);
  assert.match(refused.headers.get('ratelimit') ?? '', /^"ip";r=0/);
  // Path and method are checked before the address budget.
  assert.equal((await server.get('/v1/nope')).status, 404);
  assert.equal((await server.get('/v1/thing', { method: 'PUT' })).status, 405);
});

test('the order is ceiling, credentials, budget, input', async (t) => {
  const clock = new ManualClock();
  const anonymous = { policy: 'anonymous', perMinute: 60, burst: 1 };
  const ip = { policy: 'ip', perMinute: 60, burst: 4 };
  const server = await startTestServer(t, { clock, limits: buildLimits({ anonymous, ip }) });
  const bad = { headers: { authorization: 'Bearer nonsense' } };
  assert.equal((await server.get('/v1/thing?x=1')).status, 400);
  assert.equal((await server.get('/v1/thing?x=1')).status, 429);
  assert.equal((await server.get('/v1/thing?x=1', bad)).status, 401);
  assert.equal((await server.get('/v1/thing', bad)).status, 401);
  // The failed credentials were charged to the address.
  assert.equal((await server.get('/v1/thing', bad)).status, 429);
});

test('a rejected credential gets the remaining budget of its own address', async (t) => {
  const ip = { policy: 'ip', perMinute: 60, burst: 9 };
  const server = await startTestServer(t, {
    clock: new ManualClock(),
    limits: buildLimits({ ip }),
    trustedProxies: ['127.0.0.0/8'],
  });
  async function refuse(client: string): Promise<string | null> {
    const headers = { authorization: 'Bearer nonsense', 'x-forwarded-for': client };
    const response = await server.get('/v1/thing', { headers });
    assert.equal(response.status, 401);
    return response.headers.get('ratelimit');
  }
  const [first, second] = ['203.0.113.1', '203.0.113.2'];
  assert.equal(await refuse(first), '"ip";r=8;t=1');
  assert.equal(await refuse(first), '"ip";r=7;t=2');
  assert.equal(await refuse(second), '"ip";r=8;t=1');
});

test('a forged X-Forwarded-For changes nothing', async (t) => {
  const server = await startTestServer(t, {
    clock: new ManualClock(),
    limits: buildLimits({ anonymous: SMALL }),
  });
  const statuses: number[] = [];
  for (let i = 0; i < 4; i += 1) {
    const headers = { 'x-forwarded-for': `203.0.113.${i}` };
    statuses.push((await server.get('/v1/thing', { headers })).status);
  }
  assert.deepEqual(statuses, [200, 200, 200, 429]);
});

test('behind a trusted proxy each client has its own budget', async (t) => {
  const server = await startTestServer(t, {
    clock: new ManualClock(),
    limits: buildLimits({ anonymous: SMALL }),
    trustedProxies: ['127.0.0.0/8'],
  });
  async function statusFor(client: string): Promise<number> {
    const headers = { 'x-forwarded-for': client };
    return (await server.get('/v1/thing', { headers })).status;
  }
  for (let i = 0; i < 3; i += 1) assert.equal(await statusFor('2001:db8:0:1::1'), 200);
  assert.equal(await statusFor('2001:db8:0:1:ffff::2'), 429, 'the same /64');
  assert.equal(await statusFor('2001:db8:0:2::1'), 200, 'another /64');
  assert.equal(await statusFor('203.0.113.9'), 200);
});

test('work is charged in advance, and a refusal gives all of it back', async () => {
  const clock = new ManualClock();
  const identity = { kind: 'anonymous', key: 'a' } as const;
  const gate = new Gate({
    ...buildLimits({
      ip: { policy: 'ip', perMinute: 60, burst: 40 },
      anonymous: { policy: 'anonymous', perMinute: 60, burst: 20 },
    }),
    ...{ identify: () => identity, countUse: () => undefined, clock, metrics: new Metrics() },
  });
  const visitor = {
    ...{ addressGroup: 'g', authorization: undefined, sessionCookie: undefined },
    ...{ isFromPage: false, isFromOwnPage: false },
  };
  const caller = { identity, addressGroup: 'g' };
  const passage = { cost: 5, access: 'public', scope: 'data', isWrite: false } as const;
  for (let time = 0; time < 2; time += 1) await gate.admit(visitor, passage);
  // 15 remain after the refund of 5, and 16 are needed: one more is refilled in a second.
  const refused = { code: 'RATE_LIMITED', retryAfterSeconds: 1 };
  assert.throws(() => gate.chargeAhead(caller, { cost: 11, paid: 5 }), refused);
  assert.equal(gate.chargeAhead(caller, { cost: 15, paid: 0 }).charged, 15);
  // The remaining budget of the address: 40, less the first 5 and these 15.
  for (let time = 0; time < 20; time += 1) gate.chargeOrRefuse('g');
  assert.throws(() => gate.chargeOrRefuse('g'), { code: 'RATE_LIMITED' });
  clock.advance(60_000);
  // More than the budget can hold is charged as all that it can hold.
  await gate.admit(visitor, passage);
  assert.equal(gate.chargeAhead(caller, { cost: 1_000, paid: 5 }).charged, 15);
});

test('parts of a budget are kept for a bounded number of sizes, the last used ones', async () => {
  const created: number[] = [];
  const clock = new ManualClock();
  let perMinute = 0;
  const identify = () => ({
    ...({
      kind: 'key',
      key: 'w',
      walletId: walletId('w'),
      keyId: `${perMinute}`,
      tier: null,
    } as const),
    limits: { scopes: new Set(KEY_SCOPES), isAllowedFrom: () => true, perMinute },
  });
  const whole = { perMinute: 1_000_000, burst: 1_000_000 };
  const limits = buildLimits({ ip: { policy: 'ip', ...whole } });
  const gate = new Gate({
    ...limits,
    budgets: { ...limits.budgets, key: { policy: 'key', ...whole } },
    ...{ identify, countUse: () => undefined, clock, metrics: new Metrics() },
    createLimiter: (of) => {
      if (of.budget.policy === 'key-share') created.push(of.budget.perMinute);
      return new Limiter(of);
    },
  });
  const visitor = {
    ...{ addressGroup: 'g', authorization: undefined, sessionCookie: undefined },
    ...{ isFromPage: false, isFromOwnPage: false },
  };
  const passage = { cost: 1, access: 'public', scope: 'data', isWrite: false } as const;
  const use = async (size: number) => {
    perMinute = size;
    await gate.admit(visitor, passage);
  };
  for (let size = 1; size <= 1000; size += 1) await use(size);
  await use(1);
  await use(1001);
  assert.equal(created.length, 1001);
  // The second one was used longest ago.
  await use(1);
  await use(2);
  assert.deepEqual(created.slice(1001), [2]);
});

test('an answer costs its price, also without the work that was refused in it', async (t) => {
  let isFirst = true;
  const server = await startTestServer(t, {
    clock: new ManualClock(),
    limits: buildLimits({ anonymous: { policy: 'anonymous', perMinute: 60, burst: 20 } }),
    operations: [{ ...getThing, costBy: 'tokens' }],
    handlers: {
      getThing: async (_, context) => {
        if (isFirst) context.chargeAhead?.({ cost: 10, paid: 1 });
        isFirst = false;
        // As a search of an address on several chains: each is refused, and says it paid for more.
        for (let chain = 0; chain < 3; chain += 1) {
          assert.throws(() => context.chargeAhead?.({ cost: 20, paid: 2 }), {
            code: 'RATE_LIMITED',
          });
        }
        return { ok: true };
      },
    },
  });
  const left: (string | undefined)[] = [];
  for (let time = 0; time < 4; time += 1) {
    const response = await server.get('/v1/thing');
    assert.equal(response.status, 200);
    left.push(/r=(\d+)/.exec(response.headers.get('ratelimit') ?? '')?.[1]);
  }
  // The first paid 11, the others 1 each; what refusals gave back was charged again.
  assert.deepEqual(left, ['9', '8', '7', '6']);
});

test('a response with 429 costs nothing, another error its price', async (t) => {
  let turn = 0;
  const server = await startTestServer(t, {
    clock: new ManualClock(),
    limits: buildLimits({ anonymous: { policy: 'anonymous', perMinute: 60, burst: 20 } }),
    operations: [{ ...getThing, costBy: 'tokens' }],
    handlers: {
      getThing: async (_, context) => {
        turn += 1;
        const charge = () => context.chargeAhead?.({ cost: turn === 1 ? 4 : 20, paid: 1 });
        if (turn < 3) charge();
        else assert.throws(charge, { code: 'RATE_LIMITED' });
        if (turn === 3) throw new AppError('OVERLOADED', {}, { retryAfterSeconds: 1 });
        return { ok: true };
      },
    },
  });
  const statuses: number[] = [];
  let field: string | null = null;
  for (let time = 0; time < 4; time += 1) {
    const response = await server.get('/v1/thing');
    statuses.push(response.status);
    field = response.headers.get('ratelimit');
  }
  assert.deepEqual(statuses, [200, 429, 503, 200]);
  // Of 20: the first paid 5, the third and the last 1 each.
  assert.match(field ?? '', /r=13;/);
});

test("a request that the wallet's budget refuses does not spend the key's share", async () => {
  const clock = new ManualClock();
  const identify = () => ({
    ...({ kind: 'key', key: 'w', walletId: walletId('w'), keyId: 'k', tier: null } as const),
    limits: { scopes: new Set(KEY_SCOPES), isAllowedFrom: () => true, perMinute: 60 },
  });
  const limits = buildLimits({});
  const shares: Limiter[] = [];
  const gate = new Gate({
    ...limits,
    budgets: { ...limits.budgets, key: { policy: 'key', perMinute: 120, burst: 20 } },
    ...{ identify, countUse: () => undefined, clock, metrics: new Metrics() },
    createLimiter: (of) => {
      const limiter = new Limiter(of);
      if (of.budget.policy === 'key-share') shares.push(limiter);
      return limiter;
    },
  });
  const visitor = {
    ...{ addressGroup: 'g', authorization: undefined, sessionCookie: undefined },
    ...{ isFromPage: false, isFromOwnPage: false },
  };
  const passage = { access: 'public', scope: 'data', isWrite: false } as const;
  await gate.admit(visitor, { ...passage, cost: 1 });
  const [share] = shares;
  assert.ok(share);
  // Another key of the wallet has used up the wallet's budget.
  const caller = { identity: { ...identify(), limits: null }, addressGroup: 'g' };
  gate.chargeMore(caller, { cost: 19, isRequest: false });
  const readLeft = () => share.take('k', 0).remaining;
  const left = readLeft();
  assert.ok(left > 0);
  const own = { identity: identify(), addressGroup: 'g' };
  await assert.rejects(async () => gate.admit(visitor, { ...passage, cost: 5 }), {
    code: 'RATE_LIMITED',
  });
  assert.equal(readLeft(), left);
  assert.throws(() => gate.chargeMore(own, { cost: 5, isRequest: false }), {
    code: 'RATE_LIMITED',
  });
  assert.equal(readLeft(), left);
});

test("what is the wallet's opens to a session, and to a key that has the scope", async () => {
  const limits = buildLimits({});
  const key = { kind: 'key', key: 'w', walletId: walletId('w'), keyId: 'k', tier: null } as const;
  const rules = { isAllowedFrom: () => true, perMinute: null };
  let identity: Identity = { ...key, limits: null };
  const gate = new Gate({
    ...limits,
    ...{ identify: () => identity, countUse: () => undefined, metrics: new Metrics() },
    clock: new ManualClock(),
  });
  const visitor = {
    ...{ addressGroup: 'g', authorization: undefined, sessionCookie: undefined },
    ...{ isFromPage: false, isFromOwnPage: false },
  };
  const passage = { cost: 1, access: 'owner', scope: 'webhooks', isWrite: true } as const;
  const enter = () => gate.admit(visitor, passage);
  assert.throws(enter, { code: 'KEY_NOT_PERMITTED' });
  identity = { ...key, limits: { ...rules, scopes: new Set(['data', 'mcp', 'quote']) } };
  assert.throws(enter, { code: 'KEY_NOT_PERMITTED' });
  identity = { ...key, limits: { ...rules, scopes: new Set(['webhooks']) } };
  assert.equal((await enter()).identity, identity);
  identity = { kind: 'anonymous', key: 'g' };
  assert.throws(enter, { code: 'WALLET_SESSION_REQUIRED' });
});
