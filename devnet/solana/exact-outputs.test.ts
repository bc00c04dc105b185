// Swaps that are told what to pay, as the service encodes them, executed by the venues' own
// binaries on recorded pools: they take and pay what was computed, to the unit. They run where
// `SOLANA_PROGRAMS_DIR` names a folder that has them (programs/README.md says from where).

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { AccountBytes } from '../../src/chains/solana/data/account-bytes.ts';
import { findHeldAccount } from '../../src/chains/solana/data/token-instructions.ts';
import { SWAP_ENCODERS, VENUES_BY_PROGRAM } from '../../src/chains/solana/venues/solana-venues.ts';
import type { Address } from '../../src/model/ids.ts';
import { createRandom } from '../../test/fakes/create-random.ts';
import { findRealProgram } from '../../test/real-programs.ts';
import { readSolanaFixture } from '../../test/solana-fixtures.ts';
import {
  createRecordedSwapPool,
  type RecordedPool,
  readPoolAt,
  readRecordedPool,
} from '../../test/solana-pools.ts';
import {
  amountOf,
  createProgramSvm,
  RICH,
  setAccount,
  setTokens,
  simulateAlone,
  USER,
} from '../../test/solana-programs.ts';
import { address } from '../../test/test-ids.ts';
import { setComputeLimit } from './instructions.ts';
import type { Svm } from './svm.ts';
import { TOKEN_PROGRAM } from './token-balance.ts';

const SWAPS = 150;
const UNITS_MAX = 1_400_000;
const USER_KEY = address(USER.address);

const POOLS = [
  { folder: 'meteora-dlmm-lia-sol', binary: 'lb_clmm.so' },
  { folder: 'meteora-damm-v2-sol-usdc', binary: 'damm_v2.so' },
  { folder: 'meteora-damm-v2-jup-studio', binary: 'damm_v2.so' },
  { folder: 'meteora-dbc-fee-in-quote', binary: 'dynamic_bonding_curve.so' },
  { folder: 'meteora-dbc-fee-in-both', binary: 'dynamic_bonding_curve.so' },
] as const;

const SEGMENT_COUNT = 10;

/** Both recorded curves have one segment that can be reached: it becomes ten. */
function splitSegments({ accounts }: RecordedPool): void {
  const config = [...accounts.values()][1] ?? assert.fail();
  const bytes = new AccountBytes(config);
  const [start, end, wide] = [bytes.u128(392), bytes.u128(408), bytes.u128(424)];
  const last = Buffer.from(config.subarray(440, 472));
  const set = (at: number, value: bigint) => {
    config.writeBigUInt64LE(BigInt.asUintN(64, value), at);
    config.writeBigUInt64LE(value >> 64n, at + 8);
  };
  for (let index = 0; index < SEGMENT_COUNT; index += 1) {
    const part = BigInt(index + 1);
    set(408 + 32 * index, start + ((end - start) * part) / BigInt(SEGMENT_COUNT));
    set(424 + 32 * index, (wide * BigInt(5 + ((index * 7) % 10))) / 10n + part);
  }
  config.set(last, 408 + 32 * SEGMENT_COUNT);
}

type Dump = Record<string, { pubkey: string; lamports: string; owner: string }>;

/** What the recording lacks is set by hand: mints, vaults with plenty, the user's accounts. */
function setPool(svm: Svm, recorded: RecordedPool, venue: string): void {
  const dump = readSolanaFixture(`pools/${recorded.folder}/accounts.json`) as Dump;
  for (const { pubkey, lamports, owner } of Object.values(dump)) {
    const data = recorded.accounts.get(pubkey) ?? assert.fail();
    setAccount(svm, pubkey, { lamports: BigInt(lamports), owner, data });
  }
  const { token0, token1, vault0, vault1 } = readPoolAt(recorded);
  const vaultOwner =
    [...VENUES_BY_PROGRAM.values()].find(({ name }) => name === venue)?.vaultAuthority ??
    address(recorded.pool);
  for (const [mint, vault] of new Map([
    [token0, vault0],
    [token1, vault1],
  ])) {
    if (svm.read(mint) === null) {
      const data = Buffer.alloc(82);
      data.set([6, 1], 44);
      setAccount(svm, mint, { owner: TOKEN_PROGRAM, data });
    }
    const held = { mint, amount: RICH, program: svm.read(mint)?.owner ?? assert.fail() };
    if (svm.read(vault) === null) setTokens(svm, { ...held, address: vault, owner: vaultOwner });
    const own = findHeldAccount({ ...held, owner: USER_KEY, tokenProgram: address(held.program) });
    setTokens(svm, { ...held, address: own, owner: USER.address });
  }
}

interface OutputOrder {
  readonly mints: readonly [Address, Address];
  readonly amountIn: bigint;
  readonly amountOut: bigint;
}

/** Null if the program refused; otherwise what it took and paid. */
function swapOut(svm: Svm, recorded: RecordedPool, order: OutputOrder) {
  const [mintIn, mintOut] = order.mints;
  const findProgram = (mint: Address) => address(svm.read(mint)?.owner ?? assert.fail());
  const [tokenProgramIn, tokenProgramOut] = [findProgram(mintIn), findProgram(mintOut)];
  const held = { owner: USER_KEY };
  const accountIn = findHeldAccount({ ...held, mint: mintIn, tokenProgram: tokenProgramIn });
  const accountOut = findHeldAccount({ ...held, mint: mintOut, tokenProgram: tokenProgramOut });
  const { name } = VENUES_BY_PROGRAM.get(recorded.program) ?? assert.fail();
  const { encode } = SWAP_ENCODERS.get(name) ?? assert.fail();
  const call = encode({
    ...{ program: address(recorded.program), pool: address(recorded.pool), user: USER_KEY },
    data: new AccountBytes(recorded.accounts.get(recorded.pool) ?? assert.fail()),
    ...{ mintIn, mintOut, tokenProgramIn, tokenProgramOut, accountIn, accountOut },
    ...{ fixed: 'output', amountIn: order.amountIn, amountOut: order.amountOut },
    open: () => null,
  });
  const run = simulateAlone(svm, setComputeLimit(UNITS_MAX), call);
  if (run.err !== null) return null;
  return { took: RICH - amountOf(run, accountIn), paid: amountOf(run, accountOut) - RICH };
}

for (const { folder, binary } of POOLS) {
  test(`${folder}: ${SWAPS} random outputs are paid for what was computed`, (t) => {
    const real = findRealProgram(t, binary, 'exact outputs were not executed by');
    if (real === null) return;
    const random = createRandom(24);
    const recorded = readRecordedPool(folder);
    const { name } = VENUES_BY_PROGRAM.get(recorded.program) ?? assert.fail();
    if (name === 'meteora-dbc') splitSegments(recorded);
    const svm = createProgramSvm();
    svm.addProgram(recorded.program, real);
    setPool(svm, recorded, name);
    const { token0, token1 } = readPoolAt(recorded);
    const pool = createRecordedSwapPool(recorded) ?? assert.fail();
    const counts = { paid: 0, crossed: 0, refused: 0 };
    for (let count = 0; count < SWAPS; count += 1) {
      const zeroForOne = random() < 0.5;
      const amountOut = BigInt(Math.floor(10 ** (random() * (zeroForOne ? 11 : 15))));
      const computed = pool.swapOut(zeroForOne, amountOut);
      const { isFilled, amountIn, ticksCrossed } = computed;
      const mints = zeroForOne ? ([token0, token1] as const) : ([token1, token0] as const);
      const swap = (most: bigint) => swapOut(svm, recorded, { mints, amountIn: most, amountOut });
      const told = `${zeroForOne} ${amountOut}`;
      if (!isFilled || amountIn > RICH) {
        // It pays nothing rather than less.
        assert.equal(swap(RICH), null, told);
        counts.refused += 1;
        continue;
      }
      assert.equal(computed.amountOut, amountOut, told);
      assert.deepEqual(swap(RICH), { took: amountIn, paid: amountOut }, told);
      assert.deepEqual(swap(amountIn), { took: amountIn, paid: amountOut }, told);
      assert.equal(swap(amountIn - 1n), null, told);
      counts.paid += 1;
      if (ticksCrossed > 0) counts.crossed += 1;
    }
    assert.ok(counts.paid > SWAPS / 3, JSON.stringify(counts));
    assert.ok(name === 'meteora-damm-v2' || counts.crossed > 0, JSON.stringify(counts));
    t.diagnostic(`${folder}: ${JSON.stringify(counts)}`);
  });
}
