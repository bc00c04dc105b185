// Swaps in recorded pools of Orca as the service computes and encodes them, executed by Orca's own
// program: with ticks in arrays of both kinds, and with a token that deducts a fee from transfers.
// They run where `SOLANA_PROGRAMS_DIR` names a folder that has it (programs/README.md says from
// where). That build is of the twin that cannot be upgraded, so the pools get addresses under it.

import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { test } from 'node:test';
import { kindOf } from '../../src/amm/pool-kinds.ts';
import type { SwapPool } from '../../src/amm/swap-pool.ts';
import { encodeTransferFees, type TransferFee } from '../../src/amm/transfer-fee.ts';
import { AccountBytes } from '../../src/chains/solana/data/account-bytes.ts';
import { findProgramAddress, toSeed } from '../../src/chains/solana/data/program-address.ts';
import { findHeldAccount } from '../../src/chains/solana/data/token-instructions.ts';
import { SWAP_ENCODERS } from '../../src/chains/solana/venues/solana-venues.ts';
import { findTickArray } from '../../src/chains/solana/venues/whirlpool/whirlpool-accounts.ts';
import { decodeBase58 } from '../../src/lib/base58.ts';
import type { Address } from '../../src/model/ids.ts';
import { createRandom } from '../../test/fakes/create-random.ts';
import { packTicks } from '../../test/packed-ticks.ts';
import { findRealProgram } from '../../test/real-programs.ts';
import {
  buildPoolRecord,
  type RecordedPool,
  readPoolAt,
  readRecordedPool,
} from '../../test/solana-pools.ts';
import {
  amountOf,
  createProgramSvm,
  RICH,
  setAccount,
  simulateAlone,
  USER,
} from '../../test/solana-programs.ts';
import { address } from '../../test/test-ids.ts';
import { setComputeLimit } from './instructions.ts';
import { buildLeviedMint, buildTokenAccount } from './levied-tokens.ts';
import type { Svm } from './svm.ts';
import { TOKEN_2022, TOKEN_PROGRAM } from './token-balance.ts';

const PROGRAM = address('iwhrLHdsgrvmnwU8GF2FSmyabSMjfHwFGJAX2ufJ3ZN');
const BINARY = 'whirlpool_immutable.so';
const FOLDERS = ['whirlpool-sol-usdc', 'whirlpool-samo-usdc'] as const;
const SWAPS = 150;
const UNITS_MAX = 1_400_000;
const USER_KEY = address(USER.address);
const ARRAY_POOL_OFFSET = 12 + 88 * 113;

const keyBytes = (key: string) => decodeBase58(key) ?? assert.fail(key);

/** The number that makes the seeds an address. */
function findBump(seeds: readonly (Uint8Array | string)[], wanted: string): number {
  for (let bump = 255; bump >= 0; bump -= 1) {
    const hash = createHash('sha256');
    for (const seed of seeds) hash.update(seed);
    const digest = hash.update(Uint8Array.of(bump)).update(keyBytes(PROGRAM));
    const found = digest.update('ProgramDerivedAddress').digest();
    if (found.equals(Buffer.from(keyBytes(wanted)))) return bump;
  }
  return assert.fail('no bump');
}

/** The pool as if the twin had made it. */
function moveToTwin(recorded: RecordedPool, isPacked: boolean): RecordedPool {
  const data: Buffer = Buffer.from(recorded.accounts.get(recorded.pool) ?? assert.fail());
  const slice = (at: number, length: number) => data.subarray(at, at + length);
  const seeds = ['whirlpool', slice(8, 32), slice(101, 32), slice(181, 32), slice(43, 2)];
  const pool = findProgramAddress(PROGRAM, seeds);
  data.writeUInt8(findBump(seeds, pool), 40);
  const accounts = new Map<string, Buffer>([[pool, data]]);
  for (const [key, bytes] of recorded.accounts) {
    if (key === recorded.pool) continue;
    if (bytes.toString('hex', 0, 8) !== '4561bdbe6e0742bb') {
      accounts.set(key, bytes);
      continue;
    }
    const own = Buffer.from(bytes);
    own.set(toSeed(pool), ARRAY_POOL_OFFSET);
    const at = findTickArray(PROGRAM, pool, own.readInt32LE(8));
    accounts.set(at, isPacked ? packTicks(own) : own);
  }
  return { ...recorded, program: PROGRAM, pool, accounts };
}

interface OrcaScene {
  readonly svm: Svm;
  readonly recorded: RecordedPool;
  readonly pool: SwapPool;
  readonly mints: readonly [Address, Address];
}

/** `fee`: what the second token deducts; null for two plain ones. */
function openScene(
  program: Uint8Array,
  of: { readonly folder: string; readonly isPacked: boolean; readonly fee: TransferFee | null },
): OrcaScene {
  const { folder, isPacked, fee } = of;
  const recorded = moveToTwin(readRecordedPool(folder), isPacked);
  const svm = createProgramSvm();
  svm.addProgram(PROGRAM, program);
  const reading = readPoolAt(recorded);
  const { token0, token1, vault0, vault1 } = reading;
  for (const [key, data] of recorded.accounts) {
    if (key !== vault0 && key !== vault1) setAccount(svm, key, { owner: PROGRAM, data });
  }
  const pool = address(recorded.pool);
  for (const [mint, vault, levy] of [
    [token0, vault0, null],
    [token1, vault1, fee],
  ] as const) {
    const owner = levy === null ? TOKEN_PROGRAM : TOKEN_2022;
    setAccount(svm, mint, { owner, data: buildLeviedMint(levy) });
    const held = findHeldAccount({ owner: USER_KEY, mint, tokenProgram: address(owner) });
    for (const [at, of] of [
      [vault, pool],
      [held, USER_KEY],
    ] as const) {
      const data = buildTokenAccount({ mint, owner: of, amount: RICH, isLevied: levy !== null });
      setAccount(svm, at, { owner, data });
    }
  }
  const fees = fee === null ? '' : encodeTransferFees({ fee0: null, fee1: fee, untilBlock: 9 });
  const state = { ...reading.state, transferFees: fees };
  const record = buildPoolRecord({ ...reading, state } as typeof reading);
  const ticks = reading.ticks.map((tick) => ({ ...tick, pool: record.pool }));
  const swapPool = kindOf(record).createSwapPool(record, ticks, undefined) ?? assert.fail();
  return { svm, recorded, pool: swapPool, mints: [token0, token1] };
}

interface Amounts {
  readonly fixed: 'input' | 'output';
  readonly amountIn: bigint;
  readonly amountOut: bigint;
}

/** Null if the program refused; otherwise what the wallet lost and got. */
function execute({ svm, recorded, mints }: OrcaScene, zeroForOne: boolean, amounts: Amounts) {
  const [mintIn, mintOut] = zeroForOne ? mints : ([mints[1], mints[0]] as const);
  const programOf = (mint: Address) => address(svm.read(mint)?.owner ?? assert.fail());
  const [tokenProgramIn, tokenProgramOut] = [programOf(mintIn), programOf(mintOut)];
  const owner = { owner: USER_KEY };
  const accountIn = findHeldAccount({ ...owner, mint: mintIn, tokenProgram: tokenProgramIn });
  const accountOut = findHeldAccount({ ...owner, mint: mintOut, tokenProgram: tokenProgramOut });
  const { encode } = SWAP_ENCODERS.get('orca-whirlpool') ?? assert.fail();
  const call = encode({
    ...{ program: PROGRAM, pool: address(recorded.pool), user: USER_KEY, ...amounts },
    data: new AccountBytes(recorded.accounts.get(recorded.pool) ?? assert.fail()),
    ...{ mintIn, mintOut, tokenProgramIn, tokenProgramOut, accountIn, accountOut },
    open: () => null,
  });
  const run = simulateAlone(svm, setComputeLimit(UNITS_MAX), call);
  if (run.err !== null) return { refused: run.logs.join('\n') };
  return { took: RICH - amountOf(run, accountIn), paid: amountOf(run, accountOut) - RICH };
}

function compare(scene: OrcaScene, random: () => number) {
  const counts = { input: 0, output: 0, crossed: 0, refused: 0 };
  for (let count = 0; count < SWAPS; count += 1) {
    const [zeroForOne, isIn] = [random() < 0.5, random() < 0.5];
    const amount = BigInt(Math.ceil(10 ** (1 + 13 * random())));
    const { pool } = scene;
    const swap = isIn ? pool.swapIn(zeroForOne, amount) : pool.swapOut(zeroForOne, amount);
    const fixed = isIn ? 'input' : 'output';
    const limits = isIn
      ? { amountIn: amount, amountOut: 0n }
      : { amountIn: RICH, amountOut: amount };
    const done = execute(scene, zeroForOne, { fixed, ...limits });
    const told = `${zeroForOne} ${fixed} ${amount} ${'refused' in done ? done.refused : ''}`;
    if (!swap.isFilled || swap.amountIn > RICH) {
      counts.refused += 1;
      continue;
    }
    assert.deepEqual(done, { took: swap.amountIn, paid: swap.amountOut }, told);
    counts[fixed] += 1;
    if (swap.ticksCrossed > 0) counts.crossed += 1;
  }
  return counts;
}

const FEES: readonly (TransferFee | null)[] = [
  null,
  { bps: 100, maxRaw: 2n ** 64n - 1n },
  { bps: 250, maxRaw: 5000n },
];

for (const folder of FOLDERS) {
  for (const isPacked of [false, true]) {
    for (const fee of FEES) {
      const form = `${isPacked ? 'packed' : 'plain'} ticks, ${fee === null ? 'no fee' : `${fee.bps} bps`}`;
      test(`${folder}, ${form}: random swaps pay what was computed`, (t) => {
        const real = findRealProgram(t, BINARY, 'swaps were not executed by');
        if (real === null) return;
        const scene = openScene(real, { folder, isPacked, fee });
        const counts = compare(scene, createRandom(41));
        assert.ok(counts.input > 20 && counts.output > 20, JSON.stringify(counts));
        t.diagnostic(JSON.stringify(counts));
      });
    }
  }
}
