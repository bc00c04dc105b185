// A Solana node with blocks of mainnet's size, made from recorded transactions: two votes for each.
// Runs in a process of its own, so that its CPU is not counted.

import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { gzipSync } from 'node:zlib';
import type { RawTransaction } from '../src/chains/solana/data/raw-transaction.ts';
import { encodeBase58 } from '../src/lib/base58.ts';
import { readSolanaFixture, readSolanaTransaction } from '../test/solana-fixtures.ts';
import { BENCH_GENESIS, BENCH_SLOTS } from './solana-slots.ts';

const BLOCK_BYTES = 6_000_000;
const FIRST_TIME = 1_780_000_000;
/** Stands in for a signature until the slot is known. */
const PLACEHOLDER = '§';

const VOTE = {
  transaction: {
    signatures: [PLACEHOLDER],
    message: {
      header: { numReadonlySignedAccounts: 0, numReadonlyUnsignedAccounts: 1 },
      accountKeys: [1, 2, 3].map((key) => encodeBase58(Buffer.alloc(32, key))),
      recentBlockhash: encodeBase58(Buffer.alloc(32, 9)),
      instructions: [
        { programIdIndex: 3, accounts: [1, 0], data: encodeBase58(Buffer.alloc(148, 7)) },
      ],
    },
  },
  meta: {
    ...{ err: null, fee: 5000, innerInstructions: [], preTokenBalances: [], postTokenBalances: [] },
    ...{ preBalances: [5e9, 3e7, 1], postBalances: [5e9, 3e7, 1], computeUnitsConsumed: 2100 },
    logMessages: [
      'Program Vote111111111111111111111111111111111111111 invoke [1]',
      'Program Vote111111111111111111111111111111111111111 success',
    ],
  },
};
VOTE.transaction.message.accountKeys.push('Vote111111111111111111111111111111111111111');

function withPlaceholder(raw: RawTransaction): RawTransaction {
  return { ...raw, transaction: { ...raw.transaction, signatures: [PLACEHOLDER] } };
}

/** Transactions as JSON, until there are as many bytes as in a large block. */
function buildTransactions(): string[] {
  const { transactions } = readSolanaFixture('expected.json') as {
    transactions: { file: string }[];
  };
  const recorded = transactions.map(({ file }) =>
    JSON.stringify(withPlaceholder(readSolanaTransaction(file))),
  );
  const vote = JSON.stringify(VOTE);
  const texts: string[] = [];
  for (let bytes = 0, at = 0; bytes < BLOCK_BYTES; at += 1) {
    const next = [vote, vote, recorded[at % recorded.length] ?? vote];
    texts.push(...next);
    bytes += next.reduce((sum, text) => sum + text.length, 0);
  }
  return texts;
}

const TEXTS = buildTransactions();

function buildSignature(slot: number, index: number): string {
  const bytes = Buffer.alloc(64, 1);
  bytes.writeUInt32LE(slot, 56);
  bytes.writeUInt32LE(index, 60);
  return encodeBase58(bytes);
}

function buildHeader(slot: number) {
  const hashOf = (at: number) => encodeBase58(Buffer.concat([Buffer.alloc(28, 1), toBytes(at)]));
  return {
    ...{ blockhash: hashOf(slot), previousBlockhash: hashOf(slot - 1), parentSlot: slot - 1 },
    blockTime: FIRST_TIME + Math.floor(slot * 0.4),
  };
}

function toBytes(number: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(number);
  return bytes;
}

function writeBlock(slot: number): string {
  const transactions = TEXTS.map((text, index) =>
    text.replace(PLACEHOLDER, buildSignature(slot, index)),
  );
  const header = JSON.stringify(buildHeader(slot)).slice(0, -1);
  return `${header},"transactions":[${transactions.join(',')}]}`;
}

const { first, last } = BENCH_SLOTS;
/** Made before anything is measured. */
const BLOCKS = new Map(
  Array.from({ length: last - first + 1 }, (_, index) => [
    first + index,
    writeBlock(first + index),
  ]),
);

function answer(method: string, params: readonly unknown[]): string {
  const [asked, second] = params;
  if (method === 'getGenesisHash') return JSON.stringify(BENCH_GENESIS);
  if (method === 'getSlot') return String(last);
  if (method === 'getBlocks') {
    const slots = [...BLOCKS.keys()].filter(
      (slot) => slot >= Number(asked) && slot <= Number(second),
    );
    return JSON.stringify(slots);
  }
  if (method === 'getMultipleAccounts') {
    const value = (asked as unknown[]).map(() => null);
    return JSON.stringify({ context: { slot: last }, value });
  }
  const { transactionDetails } = second as { transactionDetails: string };
  const whole = transactionDetails === 'full' ? BLOCKS.get(Number(asked)) : undefined;
  return whole ?? JSON.stringify(buildHeader(Number(asked)));
}

interface WireCall {
  readonly id: unknown;
  readonly method: string;
  readonly params: readonly unknown[];
}

const server = createServer((request, response) => {
  let body = '';
  request.on('data', (chunk) => {
    body += chunk;
  });
  request.on('end', () => {
    const calls = JSON.parse(body) as WireCall | WireCall[];
    const reply = ({ id, method, params }: WireCall) =>
      `{"jsonrpc":"2.0","id":${JSON.stringify(id)},"result":${answer(method, params)}}`;
    const text = Array.isArray(calls) ? `[${calls.map(reply).join(',')}]` : reply(calls);
    response.writeHead(200, { 'content-encoding': 'gzip' }).end(gzipSync(text, { level: 1 }));
  });
});
server.listen(0, '127.0.0.1', () => {
  const { port } = server.address() as AddressInfo;
  const bytes = BLOCKS.get(first)?.length ?? 0;
  process.send?.({ port, bytes, transactions: TEXTS.length });
});
process.on('disconnect', () => process.exit());
