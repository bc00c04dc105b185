// Pins that logs read from the bytes of a reply are those that the parser reads, or left to it.

import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import { createRandom } from '../../../../test/fakes/create-random.ts';
import type { EvmLog } from '../evm-log.ts';
import { BALANCER_SWAP_TOPICS } from '../venues/balancer/decode-vault-logs.ts';
import { toPlaceKey } from '../venues/unbacked-swaps.ts';
import { dropUnbacked } from './decode-backed.ts';
import { parseLogs } from './parse-logs.ts';
import { scanLogs } from './scan-logs.ts';

const RANGE = { fromBlock: 1, toBlock: 99, endpoint: 'node' };
const FIXTURE = new URL(
  '../../../../../shared/fixtures/evm-blocks-receipts/ethereum-18000000.getLogs-batch.json',
  import.meta.url,
);
const skip = existsSync(FIXTURE) ? false : 'fixtures/evm-blocks-receipts is absent';

function toWord(number: number): string {
  return `0x${number.toString(16).padStart(64, '0')}`;
}

type RawLog = Readonly<Record<string, unknown>>;

/** As Geth orders it. */
function buildLog(block: number, logIndex: number, more: RawLog = {}): RawLog {
  return {
    address: `0x${(block % 3).toString(16).repeat(40)}`,
    topics: Array.from({ length: logIndex % 5 }, (_, index) => toWord(block + index)),
    data: `0x${'0f'.repeat(logIndex)}`,
    blockNumber: `0x${block.toString(16)}`,
    transactionHash: toWord(100 * block + (logIndex >> 1)),
    transactionIndex: '0x1',
    blockHash: toWord(block),
    blockTimestamp: `0x${(1000 + block).toString(16)}`,
    logIndex: `0x${logIndex.toString(16)}`,
    removed: false,
    ...more,
  };
}

function buildLogs(more: RawLog = {}): RawLog[] {
  return Array.from({ length: 40 }, (_, index) => buildLog(1 + (index >> 3), index % 8, more));
}

function scan(text: string, range = RANGE): EvmLog[] | null {
  // Behind a head and before a tail, as in a reply.
  const body = Buffer.from(`"result":[${text}]}`);
  return scanLogs({ body, start: 10, end: body.length - 2 }, range);
}

function scanAll(raw: readonly unknown[], range = RANGE): EvmLog[] | null {
  return scan(JSON.stringify(raw).slice(1, -1), range);
}

function toPlain(logs: readonly EvmLog[] | null) {
  return logs?.map(({ address, topics, data, block, blockHash, txHash, logIndex, timestampMs }) => {
    return { address, topics: [...topics], data, block, blockHash, txHash, logIndex, timestampMs };
  });
}

function assertSame(raw: readonly unknown[], range = RANGE): void {
  assert.deepEqual(toPlain(scanAll(raw, range)), toPlain(parseLogs(raw, range)));
}

/** The fields in another order, and with one that nobody knows. */
function reorder(log: RawLog): RawLog {
  const entries = Object.entries(log).reverse();
  return { l1Fee: null, proof: [{ a: ['}'] }], ...Object.fromEntries(entries) };
}

describe('scanLogs', () => {
  it('reads what the parser reads, whatever the order of the fields', () => {
    const logs = buildLogs();
    assertSame(logs);
    assertSame(logs.map(reorder));
    assertSame(logs.slice(0, 1));
  });

  it('reads logs of nodes that do not know the time', () => {
    assertSame(buildLogs({ blockTimestamp: '0x0' }));
    assertSame(buildLogs().map(({ blockTimestamp: _, ...log }) => log));
  });

  it('reads milliseconds that are of the second, and no others', () => {
    const inBlock = (ms: number) => (log: RawLog) => {
      const second = Number(log['blockTimestamp']);
      return { ...log, blockTimestampMs: `0x${(second * 1000 + ms).toString(16)}` };
    };
    const fitting = buildLogs().map(inBlock(600));
    assertSame(fitting);
    assertSame(fitting.map(reorder));
    assert.ok(scanAll(fitting)?.every(({ timestampMs }) => (timestampMs ?? 0) % 1000 === 600));
    const other = buildLogs().map(inBlock(1200));
    assertSame(other);
    assert.ok(scanAll(other)?.every(({ timestampMs }) => (timestampMs ?? 1) % 1000 === 0));
    for (const unusual of ['0x', null]) {
      const logs = buildLogs({ blockTimestampMs: unusual });
      assert.equal(scanAll(logs), null);
      assert.deepEqual(toPlain(parseLogs(logs, RANGE)), toPlain(parseLogs(buildLogs(), RANGE)));
    }
  });

  it('reads the logs of a real block', { skip }, () => {
    const batch = JSON.parse(readFileSync(FIXTURE, 'utf8')) as { result: unknown[] }[];
    const logs = batch[1]!.result;
    assert.ok(logs.length > 200);
    assertSame(logs, { fromBlock: 18_000_000, toBlock: 18_000_000, endpoint: 'fixture' });
  });

  const unusual: readonly [string, readonly unknown[]][] = [
    ['in upper case', [buildLog(1, 0, { address: `0x${'AB'.repeat(20)}` })]],
    ['with data in upper case', [buildLog(1, 0, { data: '0xAB' })]],
    ['that was removed', [buildLog(1, 0, { removed: true })]],
    ['with half a byte of data', [buildLog(1, 0, { data: '0x1' })]],
    ['with five topics', [buildLog(1, 0, { topics: [1, 2, 3, 4, 5].map(toWord) })]],
    ['with a short hash', [buildLog(1, 0, { blockHash: '0x12' })]],
    ['with a long number', [buildLog(1, 0, { blockTimestamp: `0x${'1'.repeat(14)}` })]],
    ['with a long zero', [buildLog(1, 0, { blockTimestamp: '0x00' })]],
    ['without a number', [buildLog(1, 0, { blockNumber: '0x' })]],
    ['of a block that was not asked for', [buildLog(100, 0)]],
    ['that comes twice', [buildLog(1, 0), buildLog(1, 0)]],
    ['that comes too late', [buildLog(2, 0), buildLog(1, 0)]],
    ['of a block with two hashes', [buildLog(1, 0), buildLog(1, 1, { blockHash: toWord(9) })]],
    ['of a block with two times', [buildLog(1, 0), buildLog(1, 1, { blockTimestamp: '0x1' })]],
    ['with other fields than the first', [buildLog(1, 0), reorder(buildLog(1, 1))]],
    ['with a field less', [{ ...buildLog(1, 0), topics: undefined }]],
    ['that is none', [buildLog(1, 0), null]],
    ['that is the only one, and none', ['0x']],
  ];
  for (const [what, raw] of unusual) {
    it(`leaves a reply to the parser for a log ${what}`, () => {
      assert.equal(scanAll(raw), null);
    });
  }

  it('leaves a reply to the parser that is written with spaces, or cut', () => {
    const text = JSON.stringify(buildLogs()).slice(1, -1);
    assert.equal(scan(text.replaceAll(':', ': ')), null);
    assert.equal(scan(text.replaceAll('},{', '}, {')), null);
    assert.equal(scan(text.slice(0, -1)), null);
    assert.equal(scan(`${text},`), null);
    assert.equal(scan(''), null);
  });

  it('reads nothing else than the parser from replies with a wrong byte', () => {
    const random = createRandom(7);
    const text = JSON.stringify(buildLogs()).slice(1, -1);
    const bytes = '0123456789abcdefABxX"\\{}[],: \u00e9';
    let scanned = 0;
    for (let round = 0; round < 5000; round += 1) {
      const at = Math.floor(random() * text.length);
      const byte = bytes[Math.floor(random() * bytes.length)]!;
      const changed = text.slice(0, at) + byte + text.slice(at + 1);
      const logs = scan(changed);
      if (logs === null) continue;
      scanned += 1;
      assert.deepEqual(toPlain(logs), toPlain(parseLogs(JSON.parse(`[${changed}]`), RANGE)));
    }
    assert.ok(scanned > 500, `${scanned} were scanned`);
  });

  it('tells topics apart that differ only where no hash looks', () => {
    const many = Array.from({ length: 100 }, (_, index) => {
      const head = index.toString(16).padStart(24, '0');
      return buildLog(1, index, { topics: [`0x${head}${'ab'.repeat(20)}`] });
    });
    assertSame(many);
    assertSame(many);
  });

  it("keeps the data of a vault's swap that moved nothing", () => {
    const topics = [BALANCER_SWAP_TOPICS[2]];
    const logs = scanAll([buildLog(1, 2, { topics }), buildLog(1, 3, { topics })]) ?? [];
    const kept = dropUnbacked(logs, new Set([toPlaceKey(logs[0]!)]), {
      unbackedTopics: new Set([BALANCER_SWAP_TOPICS[2]]),
    });
    assert.deepEqual(
      kept.map(({ data, isUnbacked }) => [data, isUnbacked]),
      [
        ['0x0f0f', true],
        ['0x0f0f0f', undefined],
      ],
    );
  });

  it('shares the texts that logs repeat, also after more of them than it keeps', () => {
    const [first] = scanAll([buildLog(1, 3)]) ?? [];
    for (let round = 0; round < 3; round += 1) {
      const many = Array.from({ length: 9000 }, (_, index) => {
        const topics = [toWord(1e6 * (round + 1) + index)];
        return buildLog(1 + Math.floor(index / 100), index % 100, { topics });
      });
      assertSame(many);
    }
    assert.deepEqual(toPlain(scanAll([buildLog(1, 3)])), toPlain([first!]));
  });
});
