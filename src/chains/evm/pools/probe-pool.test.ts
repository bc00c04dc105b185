// The probe on nodes with fewer methods, or faulty ones: what cannot be measured is null, never
// invented.

import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import type { TrueAnswer } from '../../../../test/fakes/misbehaving-rpc.ts';
import { startClientOn } from '../../../../test/fakes/start-client-on.ts';
import { address } from '../../../../test/test-ids.ts';
import { type ProbeTrip, probePool } from './probe-pool.ts';

const cleanups: (() => unknown)[] = [];
after(async () => {
  for (const cleanup of cleanups) await cleanup();
});

const TOKEN = address(`0x${'aa'.repeat(20)}`);
const WRAPPED = address(`0x${'ee'.repeat(20)}`);
const TRIP: ProbeTrip = {
  hops: [
    {
      kind: 2,
      pool: address(`0x${'dd'.repeat(20)}`),
      tokenIn: WRAPPED,
      tokenOut: TOKEN,
      fee: 3000,
      tickSpacing: 0,
      hooks: address(`0x${'00'.repeat(20)}`),
    },
  ],
  amountIn: 10n ** 16n,
  amountInMax: 10n ** 16n,
  wrapped: WRAPPED,
  feePerGas: 7n,
  minBlock: 5,
  block: null,
};

const HEADER = {
  ...{ number: '0x5', hash: `0x${'b5'.repeat(32)}`, parentHash: `0x${'b4'.repeat(32)}` },
  ...{ timestamp: '0x6ab13480', transactions: [], miner: `0x${'77'.repeat(20)}` },
  ...{ gasLimit: '0x1c9c380', baseFeePerGas: '0x3b9aca00' },
};

function createClient(answer: TrueAnswer) {
  const withHeader: TrueAnswer = (method, params) =>
    method === 'eth_getBlockByNumber' ? HEADER : answer(method, params);
  return startClientOn({ after: (work) => void cleanups.push(work) }, withHeader, 500);
}

function toWord(value: bigint | number): string {
  return value.toString(16).padStart(64, '0');
}

interface ProbeReply {
  readonly status: number;
  readonly amounts: readonly [bigint, bigint, bigint, bigint, bigint, bigint];
  /** Slot 0 and liquidity of a V4 pool. */
  readonly pool?: readonly [bigint, bigint];
}

function encodeMeasures({ status, amounts, pool = [0n, 0n] }: ProbeReply): string {
  return [toWord(1), toWord(status), ...amounts.map(toWord), ...pool.map(toWord)].join('');
}

/** Three lists of one measure each, as the contract encodes them. */
function encodeRoundTrip(there: ProbeReply, back: ProbeReply): string {
  const lists = [there, back, back].map(encodeMeasures).join('');
  return `0x${toWord(0x60)}${toWord(0x1a0)}${toWord(0x2e0)}${lists}`;
}

/** A purchase, and two sales of it in later blocks. */
function buildBlocks(there: ProbeReply, back: ProbeReply) {
  const sale = { calls: [{ status: '0x1', returnData: encodeList(back) }] };
  const bought = [{ status: '0x1', returnData: encodeList(there) }, { status: '0x1' }];
  return [{ calls: bought }, sale, sale];
}

function encodeList(reply: ProbeReply): string {
  return `0x${toWord(0x20)}${encodeMeasures(reply)}`;
}

const THERE: ProbeReply = { status: 1, amounts: [100n, 100n, 200n, 194n, 3n, 299_999n] };
const BACK: ProbeReply = {
  status: 1,
  amounts: [194n, 190n, 90n, 90n, 0n, 300_000n],
  // A tick of 5 and fees stand above the price.
  pool: [(5n << 160n) | 79n, 12n],
};
const signal = new AbortController().signal;

test('both views are decoded from the reply', async () => {
  const { client, node } = await createClient((method) =>
    method === 'eth_call' ? encodeRoundTrip(THERE, BACK) : buildBlocks(THERE, BACK),
  );
  const views = await probePool(client, TRIP, signal);
  const there = {
    ...{ isDone: true, sent: 100n, arrived: 100n, paid: 200n, received: 194n, stray: 3n },
    ...{ unusualUnits: 0n, before: null },
  };
  const back = {
    ...{ isDone: true, sent: 194n, arrived: 190n, paid: 90n, received: 90n, stray: 0n },
    ...{ unusualUnits: 300_000n, before: { sqrtPriceX96: 79n, liquidity: 12n } },
  };
  assert.deepEqual(views, {
    asContract: { there, back, rest: [back] },
    asWallet: { there, back, rest: [back] },
  });
  const [call, simulation] = node.calls.slice(-2);
  const transaction = call?.params[0] as Record<string, string>;
  // Not below the block's base fee, or the network's usual price.
  assert.ok(BigInt(transaction['gasPrice'] ?? 0) > 10n ** 9n);
  const overrides = call?.params[2] as Record<string, { code?: string }>;
  assert.match(overrides[transaction['to'] ?? '']?.code ?? '', /^0x[0-9a-f]{2000,}$/);
  // Three blocks: what was bought in the first is sold in the second, and in one much later.
  const request = simulation?.params[0] as {
    readonly validation: boolean;
    readonly blockStateCalls: readonly { readonly blockOverrides: Record<string, string> }[];
  };
  assert.equal(request.validation, true);
  const [first, , last] = request.blockStateCalls.map((one) => one.blockOverrides);
  const { miner: feeRecipient, gasLimit, baseFeePerGas } = HEADER;
  const prevRandao = String(first?.['prevRandao']);
  assert.match(prevRandao, /^0x(?!0{64})[0-9a-f]{64}$/);
  assert.deepEqual(first, { feeRecipient, prevRandao, gasLimit, baseFeePerGas });
  assert.ok(Number(last?.['number']) > 60 && Number(last?.['number']) < 255);
  assert.ok(Number(last?.['time']) > Number(HEADER.timestamp) + 3600);
});

for (const [name, answer] of [
  ['ignores overrides', () => '0x'],
  ['refuses them', { code: -32602, message: 'too many arguments, want at most 2' }],
  ['does not know the method', { code: -32601, message: 'method not found' }],
] as const) {
  test(`a node that ${name} shows nothing`, async () => {
    const { client, node } = await createClient(() => (answer as () => unknown)());
    if (typeof answer !== 'function') node.misbehave(buildRefusal(answer));
    const views = await probePool(client, TRIP, signal);
    assert.deepEqual(views, { asContract: null, asWallet: null });
    assert.equal(node.count('eth_simulateV1'), 0);
  });
}

function buildRefusal(error: { readonly code: number; readonly message: string }) {
  return ({ method }: { method: string }) =>
    method === 'eth_call' ? ({ do: 'error', ...error } as const) : null;
}

test('a call that reverts is not mistaken for an unsupported method', async () => {
  const { client, node } = await createClient((_, params) => {
    const { data } = params[0] as { data: string };
    return data.length === 10 ? `0x${toWord(1)}` : encodeRoundTrip(THERE, BACK);
  });
  node.misbehave(({ method, params }) => {
    const { data } = (params[0] ?? {}) as { data?: string };
    const isPing = data?.length === 10;
    if (method !== 'eth_call' || isPing) return null;
    return { do: 'error', code: 3, message: 'execution reverted' };
  });
  const views = await probePool(client, TRIP, signal);
  assert.deepEqual(views, { asContract: { there: null, back: null }, asWallet: null });
});

test('if only plain calls work, only the contract view is measured', async () => {
  const { client, node } = await createClient(() => encodeRoundTrip(THERE, BACK));
  node.misbehave(({ method }) =>
    method === 'eth_simulateV1' ? { do: 'error', code: -32601, message: 'not found' } : null,
  );
  const views = await probePool(client, TRIP, signal);
  assert.equal(views.asContract?.back?.isDone, true);
  assert.equal(views.asWallet, null);
});

test('a node that is down is an error, not an answer', async () => {
  const { client, node } = await createClient(() => null);
  node.misbehave(({ method }) =>
    method === 'eth_call' ? { do: 'reply', status: 503, text: 'down' } : null,
  );
  await assert.rejects(probePool(client, TRIP, signal));
});

test('a node that has not reached the block is not asked', async () => {
  const { client, node } = await createClient(() => encodeRoundTrip(THERE, BACK));
  await assert.rejects(probePool(client, { ...TRIP, minBlock: 6 }, signal));
  assert.equal(node.count('eth_call'), 0);
});

test('a sale that fails in the same block is retried a block later', async () => {
  const stuck: ProbeReply = { status: 2, amounts: [194n, 0n, 0n, 0n, 0n, 0n] };
  const { client, node } = await createClient((method) =>
    method === 'eth_call' ? encodeRoundTrip(THERE, stuck) : buildBlocks(THERE, BACK),
  );
  const views = await probePool(client, TRIP, signal);
  assert.equal(node.count('eth_simulateV1'), 2);
  assert.equal(views.asContract?.back?.isDone, true);
});

const BLOCK = { position: 5, hash: `0x${'b5'.repeat(32)}` };

test('a block that is named is used in all views, and the newest one without its state', async () => {
  const answer: TrueAnswer = (method) =>
    method === 'eth_call' ? encodeRoundTrip(THERE, BACK) : buildBlocks(THERE, BACK);
  const { client, node } = await createClient(answer);
  const listTags = () =>
    node.calls
      .filter(({ method }) => method === 'eth_call' || method === 'eth_simulateV1')
      .map(({ params }) => params[1]);
  await probePool(client, { ...TRIP, block: BLOCK }, signal);
  const pinned = { blockHash: BLOCK.hash, requireCanonical: true };
  assert.deepEqual(listTags(), [pinned, pinned]);
  node.misbehave(({ method, params }) =>
    method === 'eth_simulateV1' && params[1] !== 'latest'
      ? { do: 'error', code: -32000, message: 'missing trie node' }
      : null,
  );
  const views = await probePool(client, { ...TRIP, block: BLOCK }, signal);
  assert.deepEqual(listTags().slice(2), [pinned, pinned, 'latest', 'latest']);
  assert.equal(views.asWallet?.back?.isDone, true);
});

test('a node that only lacks a method is still asked by hash', async () => {
  const { client, node } = await createClient(() => encodeRoundTrip(THERE, BACK));
  node.misbehave(({ method }) =>
    method === 'eth_simulateV1' ? { do: 'error', code: -32601, message: 'not found' } : null,
  );
  for (let count = 0; count < 2; count += 1) {
    const views = await probePool(client, { ...TRIP, block: BLOCK }, signal);
    assert.equal(views.asContract?.there?.isDone, true);
  }
  const tags = node.calls.filter(({ method }) => method === 'eth_call').map((one) => one.params[1]);
  const pinned = { blockHash: BLOCK.hash, requireCanonical: true };
  assert.deepEqual(tags, [pinned, pinned]);
});
