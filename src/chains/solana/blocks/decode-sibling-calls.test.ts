// Calls of DAMM v2 under an aggregator, made here: their events, transfers and order.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { encodeBase58 } from '../../../lib/base58.ts';
import { encodeBase58Data } from '../data/base58-data.ts';
import type { RawInstruction, RawTransaction } from '../data/raw-transaction.ts';
import { TOKEN_2022_PROGRAM, TOKEN_PROGRAM } from '../data/solana-ids.ts';
import { decodeTrades } from './decode-trades.ts';

const DAMM = 'cpamdpZCGKUy5JxQXB4dcpGPiikHawvSWAd6mEn1sGG';
const SIGNATURE = encodeBase58(Buffer.alloc(64, 7));

function buildKey(number: number): string {
  return encodeBase58(Buffer.alloc(32, number));
}

/** Aggregator, venue, token programs, pool, its vaults, the user and its accounts. */
const KEYS = [
  ...[buildKey(200), DAMM, TOKEN_PROGRAM, TOKEN_2022_PROGRAM],
  ...[buildKey(4), buildKey(5), buildKey(6), buildKey(7), buildKey(8), buildKey(9)],
];
const [POOL, VAULT_A, VAULT_B, USER, USER_A, USER_B] = [4, 5, 6, 7, 8, 9] as const;
const [MINT_A, MINT_B] = [buildKey(100), buildKey(101)];
const SWAP2 = '414b3f4ceb5b5b88';

interface MadeSwap {
  /** What the user sends. */
  readonly sent: bigint;
  /** What the pool counts: less, if the mint takes a fee. */
  readonly amountIn: bigint;
  readonly amountOut: bigint;
  readonly priceX64: bigint;
}

function buildEvent({ amountIn, amountOut, priceX64 }: MadeSwap): Buffer {
  const event = Buffer.alloc(8 + 160);
  event.write('e445a52e51cb9a1d', 0, 'hex');
  const body = event.subarray(8);
  body.write('bd4233a826507599', 0, 'hex');
  body.fill(POOL, 8, 40);
  // What was asked for, then the input with and without the fee, what is left, the output.
  body.writeBigUInt64LE(amountIn, 43);
  body.writeBigUInt64LE(1n, 51);
  [amountIn, amountIn - 3n, 0n, amountOut, priceX64].forEach((value, index) => {
    body.writeBigUInt64LE(value, 60 + 8 * index);
  });
  return event;
}

function encodeTransfer(amount: bigint): Buffer {
  const data = Buffer.alloc(10);
  data.writeUInt8(12);
  data.writeBigUInt64LE(amount, 1);
  return data;
}

/** A swap of token A for token B, called by the aggregator. */
function buildCalls(swap: MadeSwap): RawInstruction[] {
  const call = (
    programIdIndex: number,
    accounts: readonly number[],
    data: Buffer,
    height: number,
  ) => ({ programIdIndex, accounts, data: encodeBase58Data(data), stackHeight: height }) as const;
  const places = [0, POOL, USER_A, USER_B, VAULT_A, VAULT_B, 0, 0, USER];
  return [
    call(1, places, Buffer.concat([Buffer.from(SWAP2, 'hex'), Buffer.alloc(17)]), 2),
    call(3, [USER_A, 0, VAULT_A, USER], encodeTransfer(swap.sent), 3),
    call(2, [VAULT_B, 0, USER_B, USER], encodeTransfer(swap.amountOut), 3),
    call(1, [0], buildEvent(swap), 3),
  ];
}

function buildTransaction(swaps: readonly MadeSwap[]): RawTransaction {
  const sum = (pick: (swap: MadeSwap) => bigint) =>
    swaps.reduce((all, swap) => all + pick(swap), 0n);
  const row = (accountIndex: number, mint: string, amount: bigint) => ({
    ...{ accountIndex, mint, owner: null, uiTokenAmount: { amount: String(amount) } },
  });
  const held = 10n ** 12n;
  return {
    transaction: {
      signatures: [SIGNATURE],
      message: {
        accountKeys: KEYS,
        instructions: [{ programIdIndex: 0, accounts: [], data: '1', stackHeight: 1 }],
      },
    },
    meta: {
      err: null,
      innerInstructions: [{ index: 0, instructions: swaps.flatMap(buildCalls) }],
      logMessages: [],
      preTokenBalances: [row(VAULT_A, MINT_A, held), row(VAULT_B, MINT_B, held)],
      postTokenBalances: [
        row(VAULT_A, MINT_A, held + sum(({ amountIn }) => amountIn)),
        row(VAULT_B, MINT_B, held - sum(({ amountOut }) => amountOut)),
      ],
    },
  };
}

const PLAIN: MadeSwap = { sent: 5000n, amountIn: 5000n, amountOut: 700n, priceX64: 11n };
const LATER: MadeSwap = { sent: 3000n, amountIn: 3000n, amountOut: 400n, priceX64: 12n };

describe('a swap2 of DAMM v2', () => {
  it('has input, output and price of its event, which the transfers confirm', () => {
    const { trades, unknown } = decodeTrades(buildTransaction([PLAIN]));
    assert.deepEqual(unknown, []);
    const [trade = assert.fail()] = trades;
    assert.deepEqual([trade.amountIn, trade.amountOut], [5000n, 700n]);
    assert.deepEqual([trade.mintIn, trade.mintOut], [MINT_A, MINT_B]);
    assert.deepEqual([trade.source, trade.isVerified], ['event', true]);
    assert.deepEqual(trade.change, { poolKind: 'singleRange', set: { sqrtPriceX64: 11n } });
  });

  it('of a token that takes a fee of transfers is believed by what the vault got', () => {
    const levied = { ...PLAIN, amountIn: 4900n };
    const [trade = assert.fail()] = decodeTrades(buildTransaction([levied])).trades;
    assert.deepEqual([trade.amountIn, trade.amountOut], [4900n, 700n]);
    assert.deepEqual([trade.source, trade.isVerified], ['event', true]);
    assert.equal(trade.change?.poolKind, 'singleRange');
  });
});

describe('two calls of one pool under an aggregator', () => {
  it('are two trades, each with its own transfers and event', () => {
    const { trades } = decodeTrades(buildTransaction([PLAIN, LATER]));
    const seen = trades.map(({ amountIn, amountOut, source }) => [amountIn, amountOut, source]);
    assert.deepEqual(seen, [
      [5000n, 700n, 'event'],
      [3000n, 400n, 'event'],
    ]);
    assert.deepEqual(
      trades.map(({ inner }) => inner),
      [0, 4],
    );
  });

  it('are the same without their events', () => {
    const raw = buildTransaction([PLAIN, LATER]);
    const innerInstructions = (raw.meta?.innerInstructions ?? []).map((group) => ({
      ...group,
      instructions: group.instructions.filter(({ accounts }) => accounts.length > 1),
    }));
    const meta = { ...(raw.meta ?? assert.fail()), innerInstructions };
    const { trades } = decodeTrades({ ...raw, meta });
    const seen = trades.map(({ amountIn, amountOut, source }) => [amountIn, amountOut, source]);
    assert.deepEqual(seen, [
      [5000n, 700n, 'transfers'],
      [3000n, 400n, 'transfers'],
    ]);
  });
});
