// Pins that a block read from the bytes of a reply is the one that the parser reads.

import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { test } from 'node:test';
import { createRandom } from '../../../../test/fakes/create-random.ts';
import { parseBlock } from './parse-block.ts';
import { scanBlock } from './scan-block.ts';

const FIXTURE = new URL(
  '../../../../../shared/fixtures/evm-blocks-receipts/ethereum-18000000.block.json',
  import.meta.url,
);
const skip = existsSync(FIXTURE) ? false : 'fixtures/evm-blocks-receipts is absent';

function toWord(number: number): string {
  return `0x${number.toString(16).padStart(64, '0')}`;
}

function buildTransaction(index: number) {
  return {
    blockHash: toWord(5),
    from: `0x${index.toString(16).repeat(40)}`,
    hash: toWord(index),
    input: '0xab',
    accessList: [{ address: '0x', storageKeys: [], from: 'nobody', hash: 'none' }],
  };
}

const BLOCK = {
  number: '0x5',
  hash: toWord(5),
  parentHash: toWord(4),
  timestamp: '0x64',
  logsBloom: `0x${'0'.repeat(512)}`,
  gasUsed: '0x5208',
  transactions: [1, 2, 3].map(buildTransaction),
  uncles: [],
};

function scanText(text: string) {
  const body = Buffer.from(`[${text}]`);
  return scanBlock({ body, start: 1, end: body.length - 1 }, 'node');
}

function scan(block: unknown) {
  return scanText(JSON.stringify(block));
}

test('a full block has its header, its transactions and their senders', () => {
  assert.deepEqual(scan(BLOCK), parseBlock(BLOCK, 'node'));
  assert.equal(scan(BLOCK)?.senders.size, 3);
  const empty = { ...BLOCK, transactions: [] };
  assert.deepEqual(scan(empty), parseBlock(empty, 'node'));
});

test('a real full block is read as the parser reads it', { skip }, () => {
  const block = JSON.parse(readFileSync(FIXTURE, 'utf8'));
  const scanned = scan(block);
  assert.ok((scanned?.txHashes.length ?? 0) > 50);
  assert.deepEqual(scanned, parseBlock(block, 'node'));
});

test('anything but a full block is left to the parser', () => {
  const [first, ...others] = BLOCK.transactions;
  for (const transactions of [
    [toWord(1), toWord(2)],
    [{ ...first, from: undefined }, ...others],
    [{ ...first, hash: undefined }, ...others],
    [{ ...first, from: '0x12' }, ...others],
    [{ ...first, hash: toWord(1).slice(0, -1) }, ...others],
    [{ ...first, from: `0x${'AB'.repeat(20)}` }, ...others],
    {},
    undefined,
  ]) {
    assert.equal(scan({ ...BLOCK, transactions }), undefined, JSON.stringify(transactions));
  }
  assert.equal(scan(null), undefined);
});

test('a wrong header is refused as by the parser', () => {
  assert.throws(() => scan({ ...BLOCK, hash: '0x1' }), { kind: 'invalidReply' });
});

// What is nested in a transaction is skipped by its brackets alone.
test('nothing else than the parser reads is read from a block with a wrong byte', () => {
  const random = createRandom(3);
  const transactions = BLOCK.transactions.map(({ accessList: _, ...flat }) => flat);
  const text = JSON.stringify({ ...BLOCK, transactions });
  const bytes = '0123456789abcdefABxX"\\{}[],: ';
  let scanned = 0;
  for (let round = 0; round < 3000; round += 1) {
    const at = Math.floor(random() * text.length);
    const byte = bytes[Math.floor(random() * bytes.length)]!;
    const changed = text.slice(0, at) + byte + text.slice(at + 1);
    let block: ReturnType<typeof scanText>;
    try {
      block = scanText(changed);
    } catch {
      assert.throws(() => parseBlock(JSON.parse(changed), 'node'));
      continue;
    }
    if (block === undefined) continue;
    scanned += 1;
    assert.deepEqual(block, parseBlock(JSON.parse(changed), 'node'), changed);
  }
  assert.ok(scanned > 500, `${scanned} were scanned`);
});
