// Round trips through pools, by the mints of their tokens.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { TransferFee } from '../../../amm/transfer-fee.ts';
import { encodeBase58 } from '../../../lib/base58.ts';
import type { Address } from '../../../model/ids.ts';
import type { PoolDescription } from '../../../model/pool.ts';
import { TOKEN_2022_PROGRAM, TOKEN_PROGRAM, toSolanaAddress } from '../data/solana-ids.ts';
import type { SolanaNode } from '../rpc/solana-node.ts';
import { EPOCH_ACCOUNTS } from '../tokens/mint-fees.ts';
import { checkRoundTrip } from './check-round-trip.ts';

const [PLAIN, LEVIED] = [nameKey(1), nameKey(2)];
const LIMIT = 2n ** 60n;
const WHOLE = 1_000_000_000n;

function nameKey(fill: number): Address {
  return toSolanaAddress(encodeBase58(Buffer.alloc(32, fill)));
}

function buildMint(extension: number, value: Buffer): Buffer {
  const head = Buffer.alloc(166 + 4);
  head.writeUInt8(1, 165);
  head.writeUInt16LE(extension, 166);
  head.writeUInt16LE(value.length, 168);
  return Buffer.concat([head, value]);
}

function buildFee(bps: number): Buffer {
  const fee = Buffer.alloc(108);
  fee.writeBigUInt64LE(LIMIT, 90 + 8);
  fee.writeUInt16LE(bps, 90 + 16);
  return buildMint(1, fee);
}

async function check(mint: Buffer, included: TransferFee | null) {
  const [clock = assert.fail(), schedule = assert.fail()] = EPOCH_ACCOUNTS;
  const accounts: Record<string, { owner: string; data: Buffer }> = {
    [PLAIN]: { owner: TOKEN_PROGRAM, data: Buffer.alloc(82) },
    [LEVIED]: { owner: TOKEN_2022_PROGRAM, data: mint },
    [clock]: { owner: TOKEN_PROGRAM, data: Buffer.alloc(40) },
    [schedule]: { owner: TOKEN_PROGRAM, data: Buffer.alloc(33) },
  };
  const node: SolanaNode = {
    name: 'node',
    async request({ params: [keys] }) {
      const value = (keys as string[]).map((key) => {
        const account = accounts[key];
        const data = [account?.data.toString('base64'), 'base64'];
        return account === undefined ? null : { owner: account.owner, data, lamports: 1 };
      });
      return { context: { slot: 9 }, value };
    },
  };
  const transferFees = included && { fee0: null, fee1: included, untilBlock: 5 };
  const pool = { token0: PLAIN, token1: LEVIED, transferFees } as unknown as PoolDescription;
  const views = await checkRoundTrip(node, { hops: [{ pool, zeroForOne: true }], minBlock: 0 });
  return views?.asWallet ?? assert.fail();
}

test('a fee that the swaps include is no loss', async () => {
  const { there, back } = await check(buildFee(300), { bps: 300, maxRaw: LIMIT });
  assert.deepEqual([there?.arrived, there?.received], [WHOLE, WHOLE]);
  assert.deepEqual([back?.arrived, back?.received], [WHOLE, WHOLE]);
});

test('what differs from the included fee is lost, or gained', async () => {
  const higher = await check(buildFee(500), { bps: 300, maxRaw: LIMIT });
  const left = WHOLE - (WHOLE * 200n) / 10_000n;
  // It is bought there, and paid in on the way back.
  assert.deepEqual([higher.there?.arrived, higher.there?.received], [WHOLE, left]);
  assert.deepEqual([higher.back?.arrived, higher.back?.received], [left, WHOLE]);
  const lower = await check(buildFee(0), { bps: 300, maxRaw: LIMIT });
  assert.ok((lower.back?.arrived ?? 0n) > WHOLE);
  const unknown = await check(buildFee(100), null);
  assert.equal(unknown.back?.arrived, WHOLE - WHOLE / 100n);
});

test('a token that is paused, frozen by default or calls a program cannot be traded', async () => {
  const paused = Buffer.concat([Buffer.alloc(32, 7), Buffer.from([1])]);
  const running = Buffer.concat([Buffer.alloc(32, 7), Buffer.from([0])]);
  for (const [extension, value] of [
    [26, paused],
    [6, Buffer.from([2])],
    [14, Buffer.alloc(64, 7)],
  ] as const) {
    const { there, back } = await check(buildMint(extension, value), null);
    assert.deepEqual([there?.isDone, back], [false, null], String(extension));
  }
  assert.equal((await check(buildMint(26, running), null)).there?.isDone, true);
});
