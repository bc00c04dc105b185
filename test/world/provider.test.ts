// What an endpoint does by its profile.

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { createRandom } from '../fakes/create-random.ts';
import { MemoryChain } from '../fakes/memory-chain.ts';
import { forwardTo, startMisbehavingRpc, type WireReply } from '../fakes/misbehaving-rpc.ts';
import { findProfile, type Profile } from './profiles.ts';
import { Provider } from './provider.ts';
import { startFront } from './start-front.ts';
import { VirtualTime } from './virtual-time.ts';

const CHAIN = new MemoryChain({ chainId: 1337, blockTimestamps: true });
for (let block = 0; block < 20; block += 1) CHAIN.add([]);

function open(given: string | Profile, more: Partial<Profile> = {}) {
  const time = new VirtualTime(1_790_000_000_000);
  const profile = { ...(typeof given === 'string' ? findProfile(given) : given), ...more };
  const { answer } = CHAIN;
  const timing = { clock: time, sleep: time.sleep, random: createRandom(1) };
  const provider = new Provider({ profile, answer, ...timing });
  const ask = (calls: readonly (readonly [string, ...unknown[]])[]) => {
    const list = calls.map(([method, ...params], id) => ({ jsonrpc: '2.0', id, method, params }));
    return time.run(provider.respond(JSON.stringify(list.length === 1 ? list[0] : list)));
  };
  return { time, provider, ask };
}

function repeat(count: number): readonly (readonly [string])[] {
  return Array.from({ length: count }, () => ['eth_blockNumber'] as const);
}

function parse(reply: WireReply) {
  assert.equal(reply.kind, 'text');
  return reply.kind === 'text' ? JSON.parse(reply.text) : null;
}

describe('rates', () => {
  test('each call of a batch counts, and a second later there is room again', async () => {
    const { ask, time } = open('paid-small', { latency: { p50Ms: 1, p99Ms: 2 } });
    assert.equal(parse(await ask(repeat(50))).length, 50);
    const refused = await ask(repeat(2));
    assert.ok(refused.kind === 'text' && refused.status === 429);
    assert.equal(refused.headers['retry-after'], '1');
    await time.run(time.sleep(1000));
    assert.equal(parse(await ask(repeat(50))).length, 50);
  });

  test('credits: so many calls, however they come', async () => {
    const { ask } = open('free-credits', { latency: { p50Ms: 1, p99Ms: 2 } });
    const refused = await ask(repeat(7));
    assert.ok(refused.kind === 'text' && refused.status === 429);
    assert.equal(parse(await ask(repeat(6))).length, 6);
  });

  test('single calls of a batch are refused, the others answered', async () => {
    const { ask, provider } = open('paid-large', { batchCallsMax: null });
    const items: { error?: { code: number } }[] = parse(await ask(repeat(310)));
    const refused = items.filter(({ error }) => error !== undefined);
    assert.equal(refused.length, 10);
    assert.ok(refused.every(({ error }) => [-32005, 429].includes(error?.code ?? 0)));
    assert.equal(provider.refused, 10);
  });

  test('one page of HTML, or an error with status 200, or nothing', async () => {
    const { ask } = open('free-rate', { batchCallsMax: null });
    const page = await ask(repeat(16));
    assert.ok(page.kind === 'text' && page.status === 429 && page.text.startsWith('<!DOCTYPE'));
    const { ask: askPublic } = open('public', { failures: { oneIn: 1e9, kinds: ['cut'] } });
    const replies: WireReply[] = [];
    for (let count = 0; count < 20; count += 1) replies.push(await askPublic(repeat(40)));
    assert.ok(replies.some(({ kind }) => kind === 'close'));
    assert.ok(replies.some((reply) => reply.kind === 'text' && reply.status === 200));
  });

  test('a method may have a rate of its own', async () => {
    const { ask } = open('solana-paid', { latency: { p50Ms: 1, p99Ms: 2 } });
    const refused = await ask(Array.from({ length: 11 }, (_, slot) => ['getBlock', slot]));
    assert.ok(refused.kind === 'text' && refused.status === 429);
  });

  test('a day has so many credits, and the next one has them again', async () => {
    const { ask, time } = open('free-credits', { creditsPerDay: 100 });
    parse(await ask(repeat(1)));
    const refused = await ask(repeat(1));
    assert.ok(refused.kind === 'text' && refused.text.includes('daily request count exceeded'));
    await time.run(time.sleep(86_400_000));
    assert.ok('result' in parse(await ask(repeat(1))));
  });
});

describe('caps', () => {
  const logs = (filter: object) => [['eth_getLogs', filter]] as const;

  test('of batches', async () => {
    const { ask } = open('free-rate');
    assert.match(parse(await ask(repeat(4))).error.message, /batch/);
  });

  test('of ranges, of values in a filter, and queries without an address', async () => {
    const wide = logs({ fromBlock: '0x1', toBlock: '0x6' });
    assert.match(parse(await open('free-rate').ask(wide)).error.message, /5 block range/);
    const topics = [Array.from({ length: 1001 }, (_, value) => `0x${value}`)];
    const many = logs({ fromBlock: '0x1', toBlock: '0x2', topics });
    assert.match(parse(await open('own-near').ask(many)).error.message, /max addresses or topics/);
    const calm = { failures: { oneIn: 1e9, kinds: ['cut'] } } as const;
    assert.equal(parse(await open('public', calm).ask(wide)).error.code, -32701);
  });
});

describe('backends', () => {
  test('one that is behind does not have the newest blocks', async () => {
    const { ask, time } = open('own-near', { backends: [{ lagBlocksMax: 3 }] });
    const heads = new Set<number>();
    for (let count = 0; count < 40; count += 1) {
      heads.add(Number(parse(await ask(repeat(1))).result));
      await time.run(time.sleep(6000));
    }
    const { head } = CHAIN;
    assert.deepEqual(heads, new Set([head, head - 1, head - 2, head - 3]));
  });
});

describe('time', () => {
  test('latencies have the median and the 99th percentile of the profile', async () => {
    const { ask, time } = open('paid-small', { rate: null });
    const took: number[] = [];
    for (let count = 0; count < 1000; count += 1) {
      const startMs = time.monotonicMs();
      await ask(repeat(1));
      took.push(time.monotonicMs() - startMs);
    }
    took.sort((a, b) => a - b);
    assert.ok(Math.abs(took[500]! - 100) < 15, String(took[500]));
    assert.ok(Math.abs(took[990]! - 800) < 250, String(took[990]));
  });

  test('during an outage nothing is answered, and afterwards all is', async () => {
    const { ask, time, provider } = open('own-near');
    const fromMs = time.nowMs() + 1000;
    provider.outages = [{ fromMs, toMs: fromMs + 18_000, kind: 'close' }];
    assert.equal((await ask(repeat(1))).kind, 'text');
    await time.run(time.sleep(1000));
    assert.equal((await ask(repeat(1))).kind, 'close');
    await time.run(time.sleep(18_000));
    assert.equal((await ask(repeat(1))).kind, 'text');
  });
});

test('the same on a socket, in real time, before any node', async (t) => {
  const node = await startMisbehavingRpc(CHAIN.answer);
  t.after(() => node.stop());
  const front = await startFront(findProfile('own-near'), forwardTo(node.url), { seed: 1 });
  t.after(() => front.stop());
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'eth_blockNumber', params: [] });
  const reply = await fetch(front.url, { method: 'POST', body });
  assert.equal(Number(((await reply.json()) as { result: string }).result), CHAIN.head);
  assert.deepEqual([front.provider.calls, node.count('eth_blockNumber')], [1, 1]);
});
