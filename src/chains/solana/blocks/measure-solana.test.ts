// An endpoint of Solana is measured in few calls, and the estimate is what the indexer then asks.

import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import {
  type MisbehavingRpc,
  type Mischief,
  startMisbehavingRpc,
} from '../../../../test/fakes/misbehaving-rpc.ts';
import { followSolana, TRADED_START, TradedSolana } from '../../../../test/fakes/traded-solana.ts';
import { systemClock } from '../../../lib/clock.ts';
import type { SolanaMeasurement } from '../../endpoint-measurement.ts';
import { estimateHistory } from '../../estimate-history.ts';
import { estimateScopes } from '../../estimate-scopes.ts';
import { measureSolana } from './measure-solana.ts';

const CALLS_MAX = 60;
const BLOCKS = 200;
const FINAL_DEPTH = 32;

async function startNode(t: TestContext, scene: TradedSolana): Promise<MisbehavingRpc> {
  const node = await startMisbehavingRpc(scene.chain.answer);
  t.after(() => node.stop());
  return node;
}

function createScene(blocks = BLOCKS): TradedSolana {
  const scene = new TradedSolana();
  for (let count = 0; count < blocks; count += 1) scene.trade();
  scene.chain.finalized = scene.chain.head - FINAL_DEPTH;
  return scene;
}

async function measure(
  t: TestContext,
  scene: TradedSolana,
  mischief: Mischief | null = null,
): Promise<SolanaMeasurement> {
  const node = await startNode(t, scene);
  node.misbehave(mischief);
  const source = {
    ...{ chain: 'devnet-solana' as const, endpoints: [node.url], devnet: null },
    ...{ startBlock: null, instance: null },
  };
  const log = { info: () => undefined, warn: () => undefined };
  const parts = { clock: systemClock, log, genesis: scene.chain.genesis };
  const [report] = await measureSolana(source, parts, AbortSignal.timeout(60_000));
  assert.ok(report?.kind === 'measured', JSON.stringify(report));
  assert.ok(node.calls.length <= CALLS_MAX, `${node.calls.length} calls`);
  assert.equal(report.measurement.family, 'solana');
  return report.measurement;
}

test('speed, size and trades of whole blocks are measured', async (t) => {
  const scene = createScene();
  const measured = await measure(t, scene);
  assert.equal(measured.head, scene.chain.head);
  assert.equal(measured.blockSeconds, 1);
  assert.equal(measured.slotsPerBlock, 1);
  assert.equal(measured.swapsPerBlock, 1);
  assert.equal(measured.poolTransactionsPerBlock, 1);
  assert.equal(measured.firstSlot, TRADED_START - 1);
  assert.equal(measured.batchCallsMax, 20);
  assert.deepEqual(measured.abilities, { scans: true, gzip: false });
  assert.deepEqual([measured.burst.sent, measured.burst.answered], [8, 8]);
  assert.ok(measured.blockBytes.full > measured.blockBytes.signatures);
});

test('an endpoint that limits whole blocks, lists no accounts and tells no first block', async (t) => {
  let whole = 0;
  const measured = await measure(t, createScene(), ({ method, params }) => {
    if (method === 'getProgramAccounts' || method === 'getFirstAvailableBlock') {
      return { do: 'error', code: -32601, message: 'Method not found' };
    }
    const { transactionDetails = '' } = (params[1] ?? {}) as { transactionDetails?: string };
    if (transactionDetails !== 'full') return null;
    whole += 1;
    return whole > 4 ? { do: 'reply', status: 429, text: '' } : null;
  });
  assert.deepEqual(measured.abilities, { scans: false, gzip: false });
  assert.equal(measured.firstSlot, null);
  assert.equal(measured.burst.answered, 3);
  const of = { fromBlock: 101, credits: null, creditsPerDay: null, checksLogs: true };
  // Three blocks a second.
  const { days, blocks } = estimateHistory(measured, of);
  assert.ok(Math.abs(days - blocks / 3 / 86_400) < 1e-9, `${days}`);
});

test('the estimate is what the indexer asks, for history and at the head', async (t) => {
  const scene = createScene();
  const measured = await measure(t, scene);
  const node = await startNode(t, scene);
  const { until, isAtHead } = await followSolana(t, scene, [node]);
  await until(isAtHead, 'not at the head');
  const of = { fromBlock: TRADED_START + 1, credits: null, creditsPerDay: null, checksLogs: true };
  const history = estimateHistory(measured, of);
  const isNear = (counted: number, estimated: number) =>
    assert.ok(Math.abs(counted / estimated - 1) < 0.15, `${counted}, not ${estimated}`);
  isNear(node.calls.length, history.calls);
  const before = node.calls.length;
  const looks = 40;
  for (let look = 0; look < looks; look += 1) {
    // Two slots a look.
    scene.trade();
    scene.trade();
    scene.chain.finalized = scene.chain.head - FINAL_DEPTH;
    await until(isAtHead, 'not at the head');
  }
  const fast = { ...measured, blockSeconds: 0.4 };
  const options = { credits: null, isAnnounced: false, watchedTokens: 20 };
  const [all, , watch] = estimateScopes(fast, options);
  const looksPerDay = 86_400 / 0.8;
  isNear((node.calls.length - before) / looks, (all?.callsPerDay ?? 0) / looksPerDay);
  // Forty accounts are listed at each look.
  assert.ok((watch?.callsPerDay ?? 0) > looksPerDay * 45);
  assert.equal(all?.callsPerDay, all?.creditsPerDay, 'one credit a call');
});
