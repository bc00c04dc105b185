// What /metrics shows of chains.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Metrics } from '../telemetry/metrics.ts';
import type { ChainReport } from './indexer-message.ts';
import { measureChains } from './measure-chains.ts';

test('calls that are not decoded are shown by venue and instruction', async () => {
  const metrics = new Metrics();
  const undecoded = [
    { venue: 'raydium-cpmm', discriminator: '0102030405060708', count: 3 },
    { venue: 'malformed', discriminator: '', count: 1 },
  ];
  const report = { undecoded } as unknown as ChainReport;
  measureChains(metrics, {
    listOwn: () => [['solana', report] as const],
    listSeen: () => [],
    isReady: () => true,
    listUsage: () => [],
    countWaiting: () => 0,
  });
  const text = await metrics.render();
  const lines = text.split('\n').filter((line) => line.includes('calls_undecoded_total{'));
  assert.deepEqual(lines, [
    'mintwire_chain_calls_undecoded_total{chain="solana",venue="raydium-cpmm",instruction="0102030405060708"} 3',
    'mintwire_chain_calls_undecoded_total{chain="solana",venue="malformed",instruction=""} 1',
  ]);
});
