// Real blocks of three chains: independently verified counts, amounts of the receipts, and the
// headers' blooms.

import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { test } from 'node:test';
import { decodeEventLog, type Hex, parseAbi } from 'viem';
import { address } from '../../../../test/test-ids.ts';
import type { MarketEvent } from '../../../model/block-events.ts';
import type { DecodedEvent, EvmLog } from '../data/evm-log.ts';
import { judgeLogs, parseBloom } from '../data/logs-bloom.ts';
import { parseBlock } from '../data/parse-block.ts';
import { parseLogs } from '../data/parse-logs.ts';
import { EVM_DEPLOYMENTS } from '../venues/deployments.ts';
import { createLogDecoding } from '../venues/log-decoding.ts';
import { parseReceipts } from './parse-receipts.ts';

const FOLDER = new URL('../../../../../shared/fixtures/evm-blocks-receipts/', import.meta.url);
const skip = existsSync(FOLDER) ? false : 'fixtures/evm-blocks-receipts is absent';

const ABI = parseAbi([
  'event Transfer(address indexed from, address indexed to, uint256 value)',
  'event Sync(uint112 reserve0, uint112 reserve1)',
  'event Swap(address indexed sender, uint256 amount0In, uint256 amount1In, uint256 amount0Out, uint256 amount1Out, address indexed to)',
  'event Swap(address indexed sender, address indexed recipient, int256 amount0, int256 amount1, uint160 sqrtPriceX96, uint128 liquidity, int24 tick)',
]);

function readFixture(name: string): unknown {
  return JSON.parse(readFileSync(new URL(name, FOLDER), 'utf8'));
}

function readBlock(name: string) {
  const block = parseBlock(readFixture(`${name}.block.json`), 'fixture')!;
  const { position } = block.header;
  const range = { fromBlock: position, toBlock: position, endpoint: 'fixture' };
  return { block, ...parseReceipts(readFixture(`${name}.receipts.json`), range) };
}

function decode(chain: 'ethereum' | 'polygon' | 'arbitrum', logs: readonly EvmLog[]) {
  const { blocks } = createLogDecoding(EVM_DEPLOYMENTS[chain]!).decode(logs);
  return blocks.flatMap((block) => block.events);
}

function countKinds(events: readonly DecodedEvent[]): Partial<Record<MarketEvent['kind'], number>> {
  const counts: Partial<Record<MarketEvent['kind'], number>> = {};
  for (const { kind } of events) counts[kind] = (counts[kind] ?? 0) + 1;
  return counts;
}

function countTopic(logs: readonly EvmLog[], topic: string): number {
  return logs.filter((log) => log.topics[0] === topic).length;
}

const TRANSFER = '0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef';

test('Ethereum 18000000 has 291 logs, 143 transfers, 27 V2 and 2 V3 swaps', {
  skip,
}, () => {
  const { logs, block } = readBlock('ethereum-18000000');
  assert.equal(logs.length, 291);
  assert.equal(countTopic(logs, TRANSFER), 143);
  const events = decode('ethereum', logs);
  const swaps = events.filter((event) => event.kind === 'swap');
  assert.equal(swaps.filter((swap) => swap.change === null).length, 27);
  assert.equal(swaps.filter((swap) => swap.change !== null).length, 2);
  assert.equal(countKinds(events).poolChanged, 27);
  assert.equal(block.header.timestampMs, 1_693_066_895_000);
});

test('a recorded eth_getLogs reply equals the receipts', { skip }, () => {
  const batch = readFixture('ethereum-18000000.getLogs-batch.json') as { result: unknown }[];
  const range = { fromBlock: 18_000_000, toBlock: 18_000_000, endpoint: 'fixture' };
  const fromLogs = decode('ethereum', parseLogs(batch[1]!.result, range));
  assert.deepEqual(fromLogs, decode('ethereum', readBlock('ethereum-18000000').logs));
});

test('4369999, Polygon and Arbitrum have the verified counts', { skip }, () => {
  const old = readBlock('ethereum-4369999');
  assert.equal(old.logs.length, 171);
  assert.equal(countTopic(old.logs, TRANSFER), 158);
  assert.equal(countKinds(decode('ethereum', old.logs)).swap, undefined);
  const polygon = readBlock('polygon-50000000');
  assert.equal(polygon.logs.length, 877);
  assert.equal(countTopic(polygon.logs, TRANSFER), 71);
  assert.equal(countKinds(decode('polygon', polygon.logs)).swap, 4);
  const arbitrum = readBlock('arbitrum-150000000');
  assert.equal(decode('arbitrum', arbitrum.logs).length > 0, true);
});

/** viem's decoding of a log, in our terms; null if the ABI does not match. */
function decodeOracleEvent(log: EvmLog): object | null {
  let decoded: { eventName: string; args: Record<string, unknown> };
  try {
    decoded = decodeEventLog({
      abi: ABI,
      data: log.data as Hex,
      topics: log.topics as [Hex, ...Hex[]],
      strict: true,
    }) as typeof decoded;
  } catch {
    return null;
  }
  const { eventName, args } = decoded;
  const lower = (value: unknown) => String(value).toLowerCase();
  if (eventName === 'Transfer') {
    const toHolder = (value: unknown) => (BigInt(String(value)) === 0n ? null : lower(value));
    const { from, to, value } = args;
    const token = log.address;
    return { kind: 'transfer', token, from: toHolder(from), to: toHolder(to), amountRaw: value };
  }
  if (eventName === 'Sync') {
    const { reserve0, reserve1 } = args;
    const change = { poolKind: 'constantProduct', reserve0, reserve1 };
    return { kind: 'poolChanged', pool: log.address, change };
  }
  const origin = { txHash: log.txHash, logIndex: log.logIndex, pool: log.address };
  if (args['sqrtPriceX96'] === undefined) {
    const inOut = args as Record<string, bigint>;
    const amount0 = inOut['amount0In']! - inOut['amount0Out']!;
    const amount1 = inOut['amount1In']! - inOut['amount1Out']!;
    return { kind: 'swap', ...origin, amount0, amount1, change: null };
  }
  const { amount0, amount1, sqrtPriceX96, liquidity, tick } = args;
  const after = { sqrtPriceX96, liquidity, tick, feePips: null };
  const change = { poolKind: 'concentrated', type: 'swapped', ...after };
  return { kind: 'swap', ...origin, amount0, amount1, change };
}

test('amounts are those of the receipts, as viem decodes them', { skip }, () => {
  for (const name of ['ethereum-18000000', 'ethereum-4369999', 'polygon-50000000'] as const) {
    const { logs } = readBlock(name);
    const chain = name.startsWith('polygon') ? 'polygon' : 'ethereum';
    let compared = 0;
    for (const log of logs) {
      const expected = decodeOracleEvent(log);
      if (expected === null) continue;
      assert.deepEqual(decode(chain, [log]), [expected]);
      compared += 1;
    }
    assert.ok(compared >= 60, `${name}: ${compared} compared`);
  }
});

test('every block has exactly the logs in its bloom filter', { skip }, () => {
  for (const name of [
    'ethereum-18000000',
    'ethereum-4369999',
    'polygon-50000000',
    'arbitrum-150000000',
  ]) {
    const { logs, block } = readBlock(name);
    const bloom = parseBloom(block.logsBloom!);
    assert.equal(judgeLogs(logs, bloom), 'complete', name);
    assert.deepEqual(
      logs.map((log) => log.logIndex),
      logs.map((_, index) => index),
    );
    assert.equal(judgeLogs([], bloom), 'missing', name);
    assert.equal(judgeLogs(logs.slice(0, Math.floor(logs.length / 2)), bloom), 'missing', name);
    const foreign = { ...logs[0]!, address: address(`0x${'ab'.repeat(20)}`) };
    assert.notEqual(judgeLogs([...logs, foreign], bloom), 'missing', name);
  }
});

test('receipts and full blocks agree on every sender', { skip }, () => {
  for (const name of ['ethereum-18000000', 'polygon-50000000']) {
    const { senders, block } = readBlock(name);
    if (block.senders.size === 0) continue;
    for (const [txHash, sender] of senders) assert.equal(block.senders.get(txHash), sender);
  }
});
