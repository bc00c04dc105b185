// Endpoints that limit the rate: all is read at about that rate, and what was answered is kept. The
// clock moves only when somebody waits, so that times are exact.

import assert from 'node:assert/strict';
import { afterEach, test } from 'node:test';
import {
  createSceneAdapter,
  endScene,
  LINKED,
  PAIR,
  recordChain,
  startNode,
  TOKEN,
} from '../../../../test/fakes/chain-scene.ts';
import { limitRate } from '../../../../test/fakes/limit-rate.ts';
import { ManualClock } from '../../../../test/fakes/manual-clock.ts';
import { poolId } from '../../../../test/test-ids.ts';
import type { BlockRange } from '../../adapter.ts';
import type { EvmAdapterOptions } from '../create-evm-adapter.ts';

afterEach(endScene);

/** On a busy machine a node may take long, which is no failure here. */
const PATIENT = { limits: { timeoutMs: 60_000 } };
const WATCHED = { tokens: new Set([TOKEN]), pools: new Set([poolId(PAIR)]) };

type Limit = Omit<Parameters<typeof limitRate>[0], 'clock'>;

async function createScene(limit: Limit, options: Partial<EvmAdapterOptions> = {}) {
  const clock = new ManualClock();
  const node = await startNode(recordChain());
  const mischief = limitRate({ ...limit, clock });
  node.misbehave(mischief);
  const sleep = async (ms: number) => clock.advance(ms);
  const adapter = createSceneAdapter([node], { ...PATIENT, clock, sleep, ...options });
  return { clock, node, adapter, mischief };
}

/** The range, read at an endpoint with a limit, is what one without gives; with as many calls. */
async function readLimited(limit: Limit, range: BlockRange) {
  const scene = await createScene(limit);
  const free = await createScene({ ...limit, callsPerSecond: Number.POSITIVE_INFINITY });
  for (const { adapter } of [scene, free]) await adapter.readHead();
  const { blocks } = await scene.adapter.readBlocks(range);
  assert.deepEqual(blocks, (await free.adapter.readBlocks(range)).blocks);
  const answeredCount = scene.node.calls.length - scene.mischief.refusedCount;
  assert.ok(answeredCount <= free.node.calls.length + 2, `${answeredCount}: all else was kept`);
  return { ...scene, answeredCount, seconds: scene.clock.monotonicMs() / 1000 };
}

const LIMITS: readonly [string, Limit][] = [
  ['50 calls/s, whole requests refused', { callsPerSecond: 50, over: 'status', retryAfter: '1' }],
  ['50 calls/s, no word of when', { callsPerSecond: 50, over: 'status' }],
  ['50 calls/s, single calls refused', { callsPerSecond: 50, over: 'items' }],
  ['25 calls/s', { callsPerSecond: 25, over: 'status' }],
  ['15 calls/s', { callsPerSecond: 15, over: 'items' }],
  ['6 calls/s', { callsPerSecond: 6, over: 'status' }],
];

for (const [name, limit] of LIMITS) {
  for (const [what, range] of [
    ['61 blocks with default checks', LINKED],
    ['watched tokens in 61 blocks', { ...LINKED, only: WATCHED }],
  ] as const) {
    test(`${what} are read at ${name}`, async () => {
      const { seconds, answeredCount } = await readLimited(limit, range);
      const least = answeredCount / limit.callsPerSecond;
      assert.ok(seconds <= 3 * least + 5, `${seconds} s, at best ${least} s`);
    });
  }
}

test('the rate is held: once it is known, little is refused', async () => {
  const { adapter, mischief, clock, node } = await readLimited(
    { callsPerSecond: 25, over: 'status' },
    LINKED,
  );
  const [refusedBefore, callsBefore, beganMs] = [
    mischief.refusedCount,
    node.calls.length,
    clock.monotonicMs(),
  ];
  for (let n = 0; n < 10; n += 1) await adapter.readBlocks(LINKED);
  const refused = mischief.refusedCount - refusedBefore;
  const answered = node.calls.length - callsBefore - refused;
  const perSecond = (answered * 1000) / (clock.monotonicMs() - beganMs);
  assert.ok(refused < answered / 10, `${refused} refused of ${answered}`);
  assert.ok(perSecond > 25 * 0.6, `${perSecond} a second`);
  assert.equal(adapter.status?.().endpoints[0]?.failures, 0);
  assert.match(adapter.status?.().limitations.join() ?? '', /limits the rate of requests; \d+/);
});
