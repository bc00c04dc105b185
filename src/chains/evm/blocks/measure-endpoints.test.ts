// Endpoints with caps, missing methods and little state are measured as such, in few calls.

import assert from 'node:assert/strict';
import { afterEach, describe, test } from 'node:test';
import {
  buildSwapLogs,
  endScene,
  PAIR,
  recordChain,
  SCENE_DEPLOYMENT,
  startNode,
  TRADER,
  transfer,
} from '../../../../test/fakes/chain-scene.ts';
import { MemoryChain } from '../../../../test/fakes/memory-chain.ts';
import type { Mischief, TrueAnswer } from '../../../../test/fakes/misbehaving-rpc.ts';
import { systemClock } from '../../../lib/clock.ts';
import type { EvmMeasurement } from '../../endpoint-measurement.ts';
import { type ArchiveEstimate, estimateArchives, estimateHistory } from '../../estimate-history.ts';
import { estimateScopes } from '../../estimate-scopes.ts';
import { measureEndpoints } from './measure-endpoints.ts';

afterEach(endScene);

const CALLS_MAX = 120;
const FORTY_TWO = `0x${(42).toString(16).padStart(64, '0')}`;

/** A node that can do everything. */
function answerAll(chain: MemoryChain): TrueAnswer {
  return (method, params) => {
    if (method === 'eth_call') return params[2] === undefined ? '0x' : FORTY_TWO;
    if (method === 'eth_getBalance') return '0x0';
    if (method === 'eth_feeHistory') return { baseFeePerGas: ['0x7'] };
    if (['eth_simulateV1', 'debug_traceCall', 'trace_call'].includes(method)) return [];
    return chain.answer(method, params);
  };
}

function longChain(): MemoryChain {
  const chain = new MemoryChain({ chainId: 1337, blockTimestamps: true });
  while (chain.head < 2000) chain.add([]);
  return chain;
}

async function measure(chain: MemoryChain, mischief: Mischief | null = null) {
  const node = await startNode(answerAll(chain));
  node.misbehave(mischief);
  const source = {
    ...{ chain: 'devnet' as const, endpoints: [node.url], devnet: null },
    ...{ startBlock: null, instance: null },
  };
  const log = { info: () => undefined, warn: () => undefined };
  const parts = { clock: systemClock, log, deployment: SCENE_DEPLOYMENT };
  const [report] = await measureEndpoints(source, parts, AbortSignal.timeout(60_000));
  assert.ok(node.calls.length <= CALLS_MAX, `${node.calls.length} calls`);
  return report;
}

async function measureWell(chain: MemoryChain, mischief?: Mischief): Promise<EvmMeasurement> {
  const report = await measure(chain, mischief);
  assert.equal(report?.kind, 'measured');
  assert.equal(report.measurement.family, 'evm');
  return report.measurement;
}

test('a node that can do everything', async () => {
  const measured = await measureWell(longChain());
  assert.equal(measured.head, 2000);
  assert.equal(measured.blockSeconds, 2);
  assert.equal(measured.logBlocksMax, 2001);
  assert.equal(measured.stateDepth, null);
  assert.equal(measured.batchCallsMax, 20);
  assert.deepEqual(measured.burst.answered, measured.burst.sent);
  const { gzip, ...abilities } = measured.abilities;
  assert.equal(gzip, false);
  assert.ok(Object.values(abilities).every(Boolean), JSON.stringify(abilities));
});

test('a node of a free plan', async () => {
  const isTooOld = (block: unknown) => Number(block) < 2000 - 128;
  const measured = await measureWell(longChain(), ({ method, params, batch }) => {
    if (batch > 3) return { do: 'refuseBatch', message: 'batch of more than 3' };
    if (method === 'eth_getBalance' && isTooOld(params[1])) {
      return { do: 'error', code: -32000, message: 'missing trie node' };
    }
    if (/Receipts|simulate|trace/.test(method)) {
      return { do: 'error', code: -32601, message: 'method not found' };
    }
    if (method !== 'eth_getLogs') return null;
    const { fromBlock, toBlock } = params[0] as { fromBlock: string; toBlock: string };
    const blocks = Number(toBlock) - Number(fromBlock) + 1;
    const message = 'eth_getLogs is limited to a 10 block range';
    return blocks > 10 ? { do: 'error', code: -32600, message } : null;
  });
  assert.equal(measured.logBlocksMax, 10);
  assert.equal(measured.stateDepth, 128);
  assert.equal(measured.batchCallsMax, 3);
  assert.equal(measured.blockBytes.receipts, null);
  const { receipts, simulation, debug, trace, overrides, hashes } = measured.abilities;
  assert.deepEqual([receipts, simulation, debug, trace], [false, false, false, false]);
  assert.deepEqual([overrides, hashes], [true, true]);
});

test('a rate limit is measured, and is not taken for a missing method', async () => {
  let seen = 0;
  const measured = await measureWell(recordChain(), ({ method }) => {
    if (method === 'eth_simulateV1') {
      seen += 1;
      const headers = { 'retry-after': '0' };
      return seen === 1 ? { do: 'reply', status: 429, text: '', headers } : null;
    }
    return null;
  });
  assert.equal(measured.abilities.simulation, true);
  const limited = await measureWell(recordChain(), ({ method, seen: before }) =>
    method === 'eth_blockNumber' && before >= 10 ? { do: 'reply', status: 429, text: '' } : null,
  );
  assert.equal(limited.burst.answered, 10);
});

test('an endpoint of another chain, or none, says why', async () => {
  const other = await measure(recordChain({ chainId: 5 }));
  assert.equal(other?.kind, 'failed');
  assert.match(other.reason, /serves chain 5, not 1337/);
  const silent = await measure(recordChain(), () => ({ do: 'reply', status: 403, text: '' }));
  assert.equal(silent?.kind, 'failed');
  assert.match(silent.reason, /HTTP status 403/);
});

describe('the cost of a day', () => {
  const options = { credits: null, isAnnounced: false, watchedTokens: 20 };

  test('is three calls a block at most, and fewer where blocks are announced', async () => {
    const measured = await measureWell(longChain());
    const blocks = 43_200;
    const rare = 3168;
    for (const { scope, callsPerDay, creditsPerDay } of estimateScopes(measured, options)) {
      assert.ok(callsPerDay <= blocks * 3.5 + rare, `${scope}: ${callsPerDay}`);
      assert.equal(callsPerDay, creditsPerDay, 'one credit a call');
    }
    const [all] = estimateScopes(measured, options);
    const [announced] = estimateScopes(measured, { ...options, isAnnounced: true });
    assert.ok((announced?.callsPerDay ?? 0) < (all?.callsPerDay ?? 0));
  });

  test('counts a call for what blocks share, where they come faster than readings', async () => {
    const measured = await measureWell(longChain());
    const fast = { ...measured, blockSeconds: 0.2 };
    const blocks = 432_000;
    const credits = { methods: new Map([['eth_getBlockReceipts', 1000]]), other: 1 };
    const find = (isAnnounced: boolean, table = options.credits as typeof credits | null) =>
      estimateScopes(fast, { ...options, credits: table, isAnnounced });
    const [all, , watch] = find(false);
    assert.ok(Math.abs((all?.callsPerDay ?? 0) - blocks * 2 - 43_200 - 3168) < 10, 'receipts');
    assert.ok((watch?.callsPerDay ?? 0) < blocks * 1.6, 'logs of a range');
    const [byLogs] = find(false, credits);
    assert.ok((byLogs?.callsPerDay ?? 0) < blocks * 3 + 86_400 + 43_200 + 4000);
    assert.ok((find(true)[0]?.callsPerDay ?? 0) < blocks * 1.2);
  });

  test('and of history: days at the daily cap or at the rate, and disk', async () => {
    const chain = longChain();
    for (let n = 0; n < 50; n += 1) {
      chain.add([{ from: TRADER, logs: [...buildSwapLogs(PAIR, n + 1), transfer(1)] }]);
    }
    const measured = await measureWell(chain);
    assert.equal(measured.swapsPerBlock, 1);
    const fast = {
      ...measured,
      ...{ head: 59_000_000, logBlocksMax: 10_000 },
      burst: { sent: 25, answered: 25, seconds: 0.25 },
    };
    const credits = { methods: new Map([['eth_getLogs', 60]]), other: 20 };
    const of = { fromBlock: 22_000_001, credits, creditsPerDay: null, checksLogs: true };
    const rated = estimateHistory(fast, of);
    assert.equal(rated.blocks, 37_000_000);
    assert.equal(Math.round(rated.credits / rated.blocks), 61);
    assert.ok(rated.days > 12.8 && rated.days < 13, `${rated.days}`);
    assert.equal(rated.limit, 'measuredRate');
    assert.equal(rated.diskBytes, 37_000_000 * 1500);
    const capped = estimateHistory(fast, { ...of, creditsPerDay: 30_000_000 });
    assert.equal(capped.limit, 'creditsPerDay');
    assert.ok(capped.days > 74 && capped.days < 76, `${capped.days}`);
    assert.ok(
      Math.abs(estimateHistory(fast, { ...of, fromBlock: rated.weekFromBlock }).days - 7) < 0.01,
    );
    const trusting = estimateHistory(fast, { ...of, checksLogs: false });
    assert.ok(trusting.credits < rated.credits / 3);
    const limited = { ...fast, burst: { sent: 25, answered: 10, seconds: 0.05 } };
    assert.ok(estimateHistory(limited, of).days > rated.days * 9, 'ten calls a second');
  });

  test('and of history from an archive: a fortieth of the calls for busy blocks', async () => {
    const measured = await measureWell(longChain());
    // A block of Base: some 1,100 logs.
    const busy = {
      ...measured,
      abilities: { ...measured.abilities, gzip: false },
      blockBytes: { ...measured.blockBytes, logs: 1100 * 540 },
      head: 1_000_000,
    };
    const of = { fromBlock: 1, credits: null, creditsPerDay: null, checksLogs: true };
    const { blocks, calls } = estimateHistory(busy, of);
    const priced = { credits: null, creditsPerDay: null };
    const estimate = (more: object): ArchiveEstimate[] => {
      const of = { ...priced, blocks, samplePct: 2, hasEraFiles: true, ...more };
      return estimateArchives(busy, of);
    };
    const [archive = assert.fail(), era = assert.fail(), rpc = assert.fail()] = estimate({});
    assert.ok(archive.calls < calls / 39 && archive.calls > calls / 41, `${archive.calls}`);
    assert.equal(archive.credits, archive.calls);
    // docs: 43,200 such blocks are 4.3 GB.
    const perDay = (archive.bytes / blocks) * 43_200;
    assert.ok(perDay > 4e9 && perDay < 4.7e9, `${perDay}`);
    const [all = assert.fail()] = estimate({ samplePct: 100 });
    assert.ok(all.calls > blocks && all.calls < calls / 2);
    // Of proving at least, and of the calls where those take longer.
    const proving = (blocks * 55) / 86_400_000;
    assert.ok(archive.days >= proving && archive.days < proving * 1.1, `${archive.days} days`);
    const [late = assert.fail()] = estimate({ creditsPerDay: 100 });
    assert.equal(Math.round(late.days), Math.round(archive.calls / 100));
    // The others: senders are computed, and two calls a block are made elsewhere.
    assert.deepEqual([era.source, rpc.source], ['era', 'rpc']);
    const senders = (blocks * busy.swapsPerBlock * 3.1) / 86_400_000;
    assert.ok(Math.abs(era.days - archive.days - senders) < 0.01 * era.days + 1e-9);
    assert.equal(Math.round(era.bytes / blocks), 113_281);
    assert.equal(rpc.callsThere, 2 * blocks);
    assert.ok(rpc.days >= archive.days && rpc.bytes > archive.bytes);
    assert.equal(estimate({ hasEraFiles: false }).length, 2);
  });

  test('counts credits, and takes logs where receipts cost more', async () => {
    const measured = await measureWell(longChain());
    const dear = new Map([['eth_getBlockReceipts', 1000]]);
    const price = (methods: Map<string, number>) =>
      estimateScopes(measured, { ...options, credits: { methods, other: 10 } })[0];
    const byReceipts = price(new Map());
    const byLogs = price(dear);
    assert.ok((byLogs?.creditsPerDay ?? 0) > (byReceipts?.creditsPerDay ?? 0));
    assert.ok((byLogs?.creditsPerDay ?? 0) < 43_200 * 100);
  });
});
