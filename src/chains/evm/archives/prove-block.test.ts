// The hashes of real blocks of several chains, from recordings; and what is found of changes.

import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { describe, test } from 'node:test';
import { keccak256 } from 'viem';
import {
  type PortalLine,
  readArchiveFixture,
  readPortalLine,
  skipWithoutArchives as skip,
} from '../../../../test/archive-fixtures.ts';
import { fc } from '../../../../test/fast-check.ts';
import type { Address, TransactionId } from '../../../model/ids.ts';
import { keccak, nativeKeccak, toHex } from '../data/keccak.ts';
import { type ArchivedBlock, type ArchivedReceipt, parseHeader } from './archived-block.ts';
import { computeListRoot } from './list-root.ts';
import { parsePortalBlock } from './parse-portal-block.ts';
import { computeHeaderHash, proveBlock } from './prove-block.ts';
import { asBytes, asList, decodeRlp, encodeRlp, RlpError, type RlpItem } from './rlp.ts';

const BLOCKS = new URL('../../../../../shared/fixtures/evm-blocks-receipts/', import.meta.url);
const skipBlocks = existsSync(BLOCKS) ? false : 'fixtures/evm-blocks-receipts is absent';

const PORTAL = [
  'ethereum-18000000.ndjson',
  'arbitrum-150000000.ndjson',
  'polygon-50000000.ndjson.gz',
];

interface RpcReceipt {
  readonly transactionHash: TransactionId;
  readonly from: Address;
  readonly type?: string;
  readonly status?: string | null;
  readonly root?: string;
  readonly cumulativeGasUsed: string;
  readonly depositNonce?: string;
  readonly logs: ArchivedReceipt['logs'];
}

function toReceipt(raw: RpcReceipt): ArchivedReceipt {
  return {
    txHash: raw.transactionHash,
    from: raw.from,
    type: Number(raw.type ?? 0),
    outcome: raw.root ?? (raw.status == null ? null : Number(raw.status)),
    cumulativeGas: BigInt(raw.cumulativeGasUsed),
    logs: raw.logs,
    nonce: raw.depositNonce === undefined ? null : Number(raw.depositNonce),
  };
}

function readRpcBlock(name: string): ArchivedBlock {
  const read = (part: string) => {
    const json = JSON.parse(readFileSync(new URL(`${name}.${part}.json`, BLOCKS), 'utf8'));
    return json.result ?? json;
  };
  return {
    header: parseHeader(read('block')),
    absent: new Set(),
    receipts: read('receipts').map(toReceipt),
  };
}

describe('what is hashed', () => {
  test("Node's Keccak, where it has one, is viem's", (t) => {
    if (nativeKeccak === null) t.diagnostic("this Node has no keccak-256: viem's is used");
    for (const hashes of [keccak, nativeKeccak ?? keccak]) {
      fc.assert(
        fc.property(fc.uint8Array({ maxLength: 700 }), (bytes) =>
          assert.equal(toHex(hashes(bytes)), keccak256(bytes)),
        ),
      );
    }
  });

  test('RLP is read as it was written, and nothing else', () => {
    const item: fc.Arbitrary<unknown> = fc.letrec((tie) => ({
      item: fc.oneof(
        { maxDepth: 3 },
        fc.uint8Array({ maxLength: 80 }).map((bytes) => Buffer.from(bytes)),
        fc.array(tie('item'), { maxLength: 5 }),
      ),
    })).item;
    fc.assert(
      fc.property(item, (one) => {
        const bytes = encodeRlp(one as RlpItem);
        assert.deepEqual(decodeRlp(bytes), one);
        assert.throws(() => decodeRlp(Buffer.concat([bytes, Buffer.from([1])])), RlpError);
        assert.throws(() => asList(decodeRlp(bytes.subarray(0, -1))), RlpError);
      }),
    );
    assert.throws(() => asBytes([]), RlpError);
  });

  test('the root of a list depends on each item and on their order', () => {
    const items = Array.from({ length: 300 }, (_, index) => Buffer.from(`item ${index}`));
    const root = computeListRoot(items);
    const swapped = items.with(200, items[201]!).with(201, items[200]!);
    const roots = [items.slice(1), items.slice(0, -1), swapped].map(computeListRoot);
    assert.equal(new Set([root, ...roots]).size, 4);
  });
});

describe('blocks of the Portal', { skip }, () => {
  for (const name of PORTAL) {
    test(`${name} is proved`, () => {
      assert.deepEqual(proveBlock(parsePortalBlock(readPortalLine(name))), { kind: 'proved' });
    });
  }

  const CHANGES: readonly [string, RegExp, (line: PortalLine) => void][] = [
    [
      'a digit of a log',
      /receipts/,
      ({ logs }) => {
        const [, , , , log] = logs;
        log!.data = `${log!.data.slice(0, -1)}${log!.data.endsWith('0') ? 1 : 0}`;
      },
    ],
    [
      'a topic',
      /receipts/,
      ({ logs }) => {
        logs[9]!.topics[1] = `0x${'1'.repeat(64)}`;
      },
    ],
    [
      'the last log left out',
      /receipts/,
      ({ logs }) => {
        logs.pop();
      },
    ],
    [
      'a log added',
      /receipts/,
      ({ logs }) => {
        logs.push({ ...logs.at(-1)!, logIndex: logs.length });
      },
    ],
    [
      'a status',
      /receipts/,
      ({ transactions }) => {
        transactions[3]!['status'] = transactions[3]!['status'] === 1 ? 0 : 1;
      },
    ],
    [
      'a time',
      /hash/,
      ({ header }) => {
        header['timestamp'] = Number(header['timestamp']) + 1;
      },
    ],
    [
      'a hash',
      /hash/,
      ({ header }) => {
        header.hash = header.parentHash;
      },
    ],
    [
      'a parent',
      /hash/,
      ({ header }) => {
        header.parentHash = header.hash;
      },
    ],
    [
      'two logs in another order',
      /receipts/,
      ({ logs }) => {
        const at = logs.findIndex(
          ({ transactionIndex }, index) =>
            transactionIndex === logs[index + 1]?.['transactionIndex'],
        );
        [logs[at], logs[at + 1]] = [
          { ...logs[at + 1]!, logIndex: at },
          { ...logs[at]!, logIndex: at + 1 },
        ];
      },
    ],
  ];
  for (const [name, reason, change] of CHANGES) {
    test(`${name}: wrong`, () => {
      const line = readPortalLine(PORTAL[0]!);
      change(line);
      const verdict = proveBlock(parsePortalBlock(line));
      assert.equal(verdict.kind, 'wrong');
      assert.match('reason' in verdict ? verdict.reason : '', reason);
    });
  }

  test('gaps in logs or transactions, and impossible values, are malformed', () => {
    const changes: readonly ((line: PortalLine) => void)[] = [
      ({ logs }) => logs.splice(5, 1),
      ({ transactions }) => transactions.splice(5, 1),
      ({ logs }) => Object.assign(logs[0]!, { data: '0x123' }),
      ({ logs }) => Object.assign(logs[0]!, { address: '0x12' }),
      ({ logs }) => Object.assign(logs.at(-1)!, { transactionIndex: 1e6 }),
      // Of two transactions: the roots stay the same, the places of the logs do not.
      ({ logs }) => Object.assign(logs[0]!, { transactionIndex: logs.at(-1)!['transactionIndex'] }),
      ({ header }) => Object.assign(header, { timestamp: 'soon' }),
      ({ header }) => Object.assign(header, { logsBloom: '0x00' }),
      (line) => Object.assign(line, { logs: 5 }),
    ];
    for (const change of changes) {
      const line = readPortalLine(PORTAL[0]!);
      change(line);
      assert.throws(() => parsePortalBlock(line), { kind: 'wrong' });
    }
  });

  test('an absent column, an unknown type, a lost status: not provable', () => {
    const absent = readPortalLine(PORTAL[0]!);
    absent.header['withdrawalsRoot'] = null;
    const kinds = [
      proveBlock(parsePortalBlock(absent, new Set(['withdrawalsRoot'] as const))),
      ...[{ type: 5 }, { status: null }].map((change) => {
        const line = readPortalLine(PORTAL[0]!);
        Object.assign(line.transactions[2]!, change);
        return proveBlock(parsePortalBlock(line));
      }),
    ].map(({ kind }) => kind);
    assert.deepEqual(kinds, ['notProvable', 'notProvable', 'notProvable']);
    // Arbitrum's headers have none of the later fields: absent columns change nothing.
    const arbitrum = parsePortalBlock(
      readPortalLine(PORTAL[1]!),
      new Set(['requestsHash'] as const),
    );
    assert.equal(proveBlock(arbitrum).kind, 'proved');
  });

  test("a state sync's receipt is outside of Polygon's root", () => {
    const line = readPortalLine(PORTAL[2]!);
    const { header, transactions, logs } = line;
    const number = header.number.toString(16).padStart(16, '0');
    const text = Buffer.from('matic-bor-receipt-').toString('hex');
    const hash = keccak256(`0x${text}${number}${header.hash.slice(2)}`);
    const transactionIndex = transactions.length;
    transactions.push({ ...transactions.at(-1)!, transactionIndex, hash });
    logs.push({ ...logs.at(-1)!, transactionIndex, logIndex: logs.length });
    assert.equal(proveBlock(parsePortalBlock(line)).kind, 'notProvable');
  });
});

describe('blocks of nodes', { skip: skipBlocks }, () => {
  for (const name of [
    'ethereum-18000000',
    'ethereum-4369999',
    'polygon-50000000',
    'arbitrum-150000000',
  ]) {
    test(`${name} is proved`, () => {
      assert.deepEqual(proveBlock(readRpcBlock(name)), { kind: 'proved' });
    });
  }
});

test('deposits of OP chains have the roots of Regolith and of Canyon', { skip }, () => {
  const { receipts, roots } = JSON.parse(
    readArchiveFixture('op/base-goerli-receipts.json').toString(),
  );
  const ethereum = readPortalLine(PORTAL[0]!);
  const { header } = parsePortalBlock(ethereum);
  for (const receiptsRoot of [roots.regolith, roots.canyon]) {
    const fields = { ...header.fields, receiptsRoot };
    const hash = computeHeaderHash(fields);
    const block = {
      header: { ...header, fields, hash },
      absent: new Set<never>(),
      receipts: receipts.map(toReceipt),
    };
    assert.equal(proveBlock(block).kind, 'proved');
    const other = { ...block, receipts: block.receipts.slice(1) };
    assert.equal(proveBlock(other).kind, 'wrong');
  }
});
