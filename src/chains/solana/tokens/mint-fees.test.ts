// Which of a mint's two transfer fees holds, and until when that is certain.

import assert from 'node:assert/strict';
import { it } from 'node:test';
import type { Address } from '../../../model/ids.ts';
import { TOKEN_2022_PROGRAM, TOKEN_PROGRAM, toSolanaAddress } from '../data/solana-ids.ts';
import type { SolanaAccount } from '../rpc/read-accounts.ts';
import { EPOCH_ACCOUNTS, readTransferFees } from './mint-fees.ts';

const LEVIED = toSolanaAddress('2b1kV6DkPAnxd5ixfnxCpjxmKwqjjaYmCZfHsFu24GXo');
const PLAIN = toSolanaAddress('So11111111111111111111111111111111111111112');
const SLOTS_PER_EPOCH = 432_000n;

function asAccount(data: Buffer, owner = TOKEN_PROGRAM): SolanaAccount {
  return { owner, data, lamports: 1n };
}

/** Epochs of a chain that begins with short ones: the first of full length, and its first slot. */
interface WarmUp {
  readonly firstNormal: bigint;
  readonly firstSlot: bigint;
}

const NO_WARM_UP: WarmUp = { firstNormal: 0n, firstSlot: 0n };

function encodeEpoch(epoch: bigint, warmUp: WarmUp): [Address, SolanaAccount][] {
  const clock = Buffer.alloc(40);
  clock.writeBigUInt64LE(epoch, 16);
  const schedule = Buffer.alloc(33);
  schedule.writeBigUInt64LE(SLOTS_PER_EPOCH, 0);
  schedule.writeBigUInt64LE(warmUp.firstNormal, 17);
  schedule.writeBigUInt64LE(warmUp.firstSlot, 25);
  const [first = assert.fail(), second = assert.fail()] = EPOCH_ACCOUNTS;
  return [
    [first, asAccount(clock)],
    [second, asAccount(schedule)],
  ];
}

interface FeeSpec {
  readonly from: bigint;
  readonly most: bigint;
  readonly bps: number;
}

function encodeMint(older: FeeSpec, newer: FeeSpec): Buffer {
  const data = Buffer.alloc(166 + 4 + 108);
  data.writeUInt8(1, 165);
  data.writeUInt16LE(1, 166);
  data.writeUInt16LE(108, 168);
  for (const [at, fee] of [
    [170 + 72, older],
    [170 + 90, newer],
  ] as const) {
    data.writeBigUInt64LE(fee.from, at);
    data.writeBigUInt64LE(fee.most, at + 8);
    data.writeUInt16LE(fee.bps, at + 16);
  }
  return data;
}

function readAt(epoch: bigint, mint: Buffer, warmUp = NO_WARM_UP) {
  const accounts = new Map([
    ...encodeEpoch(epoch, warmUp),
    [LEVIED, asAccount(mint, TOKEN_2022_PROGRAM)] as const,
    [PLAIN, asAccount(Buffer.alloc(82))] as const,
  ]);
  return readTransferFees(accounts, { token0: PLAIN, token1: LEVIED });
}

it('the newer fee holds from its epoch on, the older one before', () => {
  const mint = encodeMint({ from: 3n, most: 900n, bps: 100 }, { from: 12n, most: 50n, bps: 250 });
  const older = { bps: 100, maxRaw: 900n };
  const untilOf = (epoch: bigint) => Number(epoch * SLOTS_PER_EPOCH);
  // A fee that is set now holds two epochs later at the earliest.
  assert.deepEqual(readAt(9n, mint), { fee0: null, fee1: older, untilBlock: untilOf(11n) });
  assert.deepEqual(readAt(10n, mint), { fee0: null, fee1: older, untilBlock: untilOf(12n) });
  assert.deepEqual(readAt(11n, mint), { fee0: null, fee1: older, untilBlock: untilOf(12n) });
  const newer = { bps: 250, maxRaw: 50n };
  assert.deepEqual(readAt(12n, mint), { fee0: null, fee1: newer, untilBlock: untilOf(14n) });
});

it('a fee that begins later is none until then', () => {
  const mint = encodeMint({ from: 0n, most: 0n, bps: 0 }, { from: 6n, most: 50n, bps: 250 });
  assert.equal(readAt(5n, mint)?.fee1, null);
  assert.equal(readAt(5n, mint)?.untilBlock, Number(6n * SLOTS_PER_EPOCH));
  assert.deepEqual(readAt(6n, mint)?.fee1, { bps: 250, maxRaw: 50n });
});

it('slots are counted from the short epochs that a chain began with', () => {
  const mint = encodeMint({ from: 0n, most: 0n, bps: 0 }, { from: 16n, most: 50n, bps: 250 });
  // Fourteen epochs of 32 slots and twice as many each time.
  const warmUp = { firstNormal: 14n, firstSlot: 524_256n };
  const until = 524_256n + 2n * SLOTS_PER_EPOCH;
  assert.equal(readAt(15n, mint, warmUp)?.untilBlock, Number(until));
  const early = encodeMint({ from: 0n, most: 0n, bps: 0 }, { from: 3n, most: 50n, bps: 250 });
  assert.equal(readAt(2n, early, warmUp)?.untilBlock, (2 ** 3 - 1) * 32);
});

it('nothing is known without the epoch', () => {
  assert.equal(readTransferFees(new Map(), { token0: PLAIN, token1: LEVIED }), null);
});
