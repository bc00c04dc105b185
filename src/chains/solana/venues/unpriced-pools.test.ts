// Curves that are paid in lamports and not computed: a trade is what its event, the coin's transfer
// and the lamports say together.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { encodeBase58 } from '../../../lib/base58.ts';
import { decodeTrades } from '../blocks/decode-trades.ts';
import { decodeBase58Data } from '../data/base58-data.ts';
import type { RawTransaction } from '../data/raw-transaction.ts';
import { SELF_EVENT } from '../data/self-events.ts';
import { TOKEN_PROGRAM, WRAPPED_SOL } from '../data/solana-ids.ts';

const key = (number: number) => encodeBase58(Buffer.alloc(32, number));
const [USER, COIN, CURVE, VAULT, HOLDER, FUNDS] = [1, 2, 3, 4, 5, 6].map(key) as [
  string,
  string,
  string,
  string,
  string,
  string,
];

const bytesOf = (address: string) => decodeBase58Data(address) ?? assert.fail();

function words(...values: readonly bigint[]): Buffer {
  const data = Buffer.alloc(8 * values.length);
  for (const [index, value] of values.entries()) data.writeBigUInt64LE(value, 8 * index);
  return data;
}

interface CurveTrade {
  readonly program: string;
  readonly call: string;
  readonly accounts: readonly string[];
  readonly event: Buffer;
  readonly isBuy: boolean;
  readonly coins: bigint;
  /** The account that holds what was paid, and what it gained. */
  readonly holder: string;
  readonly gained: number;
}

function build(trade: CurveTrade): RawTransaction {
  const { program, call, accounts, event, isBuy, coins, holder, gained } = trade;
  const keys = [...new Set([USER, ...accounts, COIN, TOKEN_PROGRAM, program])];
  const at = (account: string) => keys.indexOf(account);
  const transfer = Buffer.concat([Uint8Array.of(3), words(coins)]);
  const ends = isBuy ? [VAULT, HOLDER, CURVE] : [HOLDER, VAULT, USER];
  const self = Buffer.concat([Buffer.from(SELF_EVENT, 'hex'), event]);
  return {
    transaction: {
      signatures: [encodeBase58(Buffer.alloc(64, 9))],
      message: {
        accountKeys: keys,
        instructions: [
          {
            programIdIndex: at(program),
            accounts: accounts.map(at),
            data: encodeBase58(Buffer.from(call, 'hex')),
            stackHeight: 1,
          },
        ],
      },
    },
    meta: {
      err: null,
      innerInstructions: [
        {
          index: 0,
          instructions: [
            {
              ...{ programIdIndex: at(TOKEN_PROGRAM), accounts: ends.map(at), stackHeight: 2 },
              data: encodeBase58(transfer),
            },
            {
              ...{ programIdIndex: at(program), accounts: [], stackHeight: 2 },
              data: encodeBase58(self),
            },
          ],
        },
      ],
      preBalances: keys.map(() => 1_000_000_000),
      postBalances: keys.map((one) => 1_000_000_000 + (one === holder ? gained : 0)),
      preTokenBalances: [],
      postTokenBalances: [
        { accountIndex: at(VAULT), mint: COIN, uiTokenAmount: { amount: '5' } },
        { accountIndex: at(HOLDER), mint: COIN, uiTokenAmount: { amount: '5' } },
      ],
    },
  };
}

/** The same with the event in the log. */
function logEvent(raw: RawTransaction): RawTransaction {
  const { meta } = raw;
  const [inner = assert.fail()] = meta?.innerInstructions ?? [];
  const [transfer = assert.fail(), self = assert.fail()] = inner.instructions;
  const event = (decodeBase58Data(self.data) ?? assert.fail()).subarray(8);
  return {
    ...raw,
    meta: {
      ...(meta ?? assert.fail()),
      innerInstructions: [{ index: 0, instructions: [transfer] }],
      logMessages: [
        `Program ${MOONSHOT} invoke [1]`,
        `Program ${TOKEN_PROGRAM} invoke [2]`,
        `Program ${TOKEN_PROGRAM} success`,
        `Program data: ${event.toString('base64')}`,
        `Program ${MOONSHOT} success`,
      ],
    },
  };
}

const MOONSHOT = 'MoonCVVNZFSYkqNXP6bxHLPL6QQJiMagDL3qcqUQTrG';
const BOOP = 'boop8hVGQGqehUK2iVEMEnMrL5RbjywRzHKBmBE7ry4';

function moonshot(isBuy: boolean, gained: number): RawTransaction {
  const event = Buffer.concat([
    Buffer.from('bddb7fd34ee661ee', 'hex'),
    ...[words(700n, 1000n, 8n, 2n, 0n), bytesOf(CURVE), bytesOf(WRAPPED_SOL), bytesOf(USER)],
    Uint8Array.of(isBuy ? 0 : 1),
  ]);
  return build({
    ...{ program: MOONSHOT, call: isBuy ? '66063d1201daebea' : '33e685a4017f83ad' },
    accounts: [USER, HOLDER, CURVE, VAULT, key(10), key(11), COIN],
    ...{ event, isBuy, coins: 700n, holder: CURVE, gained },
  });
}

function boop(isBuy: boolean, gained: number): RawTransaction {
  const [paid, got] = isBuy ? [1000n, 700n] : [700n, 1000n];
  const event = Buffer.concat([
    Buffer.from(isBuy ? '4759de7cd7c0e68a' : 'ccefb64df1334d42', 'hex'),
    ...[bytesOf(COIN), words(paid, got, 10n), bytesOf(USER), bytesOf(USER)],
  ]);
  return build({
    ...{ program: BOOP, call: isBuy ? '8a7f0e5b26577369' : '6d3d28bbe6b087ae' },
    accounts: [COIN, CURVE, key(10), VAULT, FUNDS, HOLDER, USER],
    ...{ event, isBuy, coins: 700n, holder: FUNDS, gained },
  });
}

describe('a curve that is paid in lamports', () => {
  it('of moonshot may tell its trade in the log', () => {
    const sent = moonshot(true, 1000);
    const [trade, ...more] = decodeTrades(logEvent(sent)).trades;
    assert.deepEqual(more, []);
    assert.deepEqual(trade, decodeTrades(sent).trades[0]);
  });

  for (const [venue, create] of Object.entries({ moonshot, boop })) {
    it(`of ${venue} got what its lamports say, with the fee in the event or without`, () => {
      for (const gained of [1000, 990]) {
        const [trade, ...more] = decodeTrades(create(true, gained)).trades;
        assert.deepEqual(more, []);
        assert.deepEqual(
          [trade?.venue, trade?.pool, trade?.mintIn, trade?.amountIn, trade?.mintOut],
          [venue, CURVE, WRAPPED_SOL, BigInt(gained), COIN],
        );
        assert.equal(trade?.amountOut, 700n);
      }
    });

    it(`of ${venue} gave what its lamports say`, () => {
      const [trade] = decodeTrades(create(false, -1010)).trades;
      assert.deepEqual([trade?.mintIn, trade?.amountIn], [COIN, 700n]);
      assert.deepEqual([trade?.mintOut, trade?.amountOut], [WRAPPED_SOL, 1010n]);
    });

    it(`of ${venue} has no trade that its lamports contradict`, () => {
      for (const gained of [0, -1000, 5000, 1005]) {
        const { trades, unknown } = decodeTrades(create(true, gained));
        assert.deepEqual([trades.length, unknown.length], [0, 1], `${gained}`);
      }
    });
  }
});
