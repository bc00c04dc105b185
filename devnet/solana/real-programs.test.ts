// The stand-in programs against the venues' own binaries, swap by swap, where `SOLANA_PROGRAMS_DIR`
// names a folder that has them (programs/README.md says from where).

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createRandom } from '../../test/fakes/create-random.ts';
import { findRealProgram, REAL_PROGRAMS_FOLDER } from '../../test/real-programs.ts';
import {
  amountOf,
  buildCpmmSwapCall,
  type CpmmOrder,
  type CurveFields,
  createProgramSvm,
  executeAlone,
  findCurveGain,
  RICH,
  setAccount,
  setCurve,
  setRecordedPool,
  simulateAlone,
  USER,
} from '../../test/solana-programs.ts';
import {
  discriminate,
  findAddress,
  findTokenAccount,
  keyBytes,
  PUMP,
  SYSTEM,
  u64,
} from './instructions.ts';
import { type CurveCoin, PUMP_GLOBAL, tradeCurve } from './pump-instructions.ts';
import { describeScene } from './scene.ts';
import type { Execution, SimulatedRun, Svm } from './svm.ts';
import { TOKEN_2022, TOKEN_PROGRAM } from './token-balance.ts';
import { type Instruction, use } from './wire-transaction.ts';

const FOLDER = REAL_PROGRAMS_FOLDER;
const NOT_COMPARED = 'the stand-in was not compared with';
const SWAPS = 500;
const CURVE_TRADES = 300;
const RENT = 'SysvarRent111111111111111111111111111111111';
const ASSOCIATED = 'ATokenGPvbdGVxr1b2hvZbsiqW5xWH25efTNsLJA8knL';

/** Steps of all sizes: a few units as often as most of a pool. */
function pickAmount(random: () => number, digits: number): bigint {
  return BigInt(Math.max(1, Math.floor(10 ** (random() * digits))));
}

/** Where a pool has the epoch of its last use, which the stand-in does not write. */
const RECENT_EPOCH = { start: 381, end: 389 };

function readPool(svm: Svm, pool: string): Buffer | null {
  const { start, end } = RECENT_EPOCH;
  return svm.read(pool)?.data.fill(0, start, end) ?? null;
}

/** What a transaction did to the pool and its user, and what it told. */
function describeRun(
  svm: Svm,
  run: Execution,
  { pool, accounts }: { readonly pool: string; readonly accounts: readonly string[] },
) {
  return {
    pool: readPool(svm, pool),
    // Of two reasons to refuse, the programs may name either.
    isRefused: run.err !== null,
    events: run.logs.filter((line) => line.startsWith('Program data: ')),
    inner: run.err === null ? run.inner : [],
    accounts: accounts.map((address) => svm.read(address)),
  };
}

test('CPMM: 500 random swaps leave the same accounts, events and calls', (t) => {
  const real = findRealProgram(t, 'raydium_cpmm.so', NOT_COMPARED);
  if (real === null) return;
  const random = createRandom(7);
  const machines = [createProgramSvm(), createProgramSvm({ cpmm: real })];
  const [keys = {}] = machines.map(setRecordedPool);
  const mints = [keys['mint0'] ?? '', keys['mint1'] ?? ''] as const;
  const accounts = [
    ...[keys['vault0'] ?? '', keys['vault1'] ?? ''],
    ...mints.map((mint) => findTokenAccount(USER.address, { mint, program: TOKEN_PROGRAM })),
  ];
  const watched = { pool: keys['pool'] ?? '', accounts };
  let refused = 0;
  for (let count = 0; count < SWAPS; count += 1) {
    const [inputMint, outputMint] = random() < 0.5 ? mints : mints.toReversed();
    const mode = random() < 0.5 ? 'exactIn' : 'exactOut';
    const amount = pickAmount(random, 13).toString();
    const order = { inputMint, outputMint, mode, amount } as CpmmOrder;
    const limit = random() < 0.2 ? pickAmount(random, 13) : undefined;
    const call = buildCpmmSwapCall(keys, order, limit);
    const [own, theirs] = machines.map((svm) => describeRun(svm, executeAlone(svm, call), watched));
    assert.deepEqual(
      own,
      theirs,
      `swap ${count}: ${JSON.stringify({ ...order, limit: `${limit}` })}`,
    );
    if (own?.isRefused) refused += 1;
  }
  assert.ok(refused > SWAPS / 50 && refused < SWAPS / 2, `${refused} were refused`);
  t.diagnostic(`${SWAPS} swaps compared with ${FOLDER}, ${refused} of them refused`);
});

/** As the build of January 2025 has it: 100 bps for all. */
function setOldGlobal(svm: Svm, feeRecipient: string): void {
  const data = Buffer.alloc(113);
  data.set(discriminate('account', 'Global'));
  data.writeUInt8(1, 8);
  data.set(keyBytes(feeRecipient), 41);
  data.set(u64(100n), 105);
  setAccount(svm, PUMP_GLOBAL, { owner: PUMP, data });
  setAccount(svm, feeRecipient, {});
}

interface CurveOrder {
  readonly side: 'buy' | 'sell';
  readonly tokens: bigint;
  /** The most that a purchase may cost; the least that a sale must pay. */
  readonly limit: bigint;
}

/** A trade as clients of that build sent it. */
function tradeOldCurve(coin: CurveCoin, feeRecipient: string, order: CurveOrder): Instruction {
  const { side, tokens, limit } = order;
  const events = findAddress(PUMP, ['__event_authority']);
  const middle = side === 'buy' ? [TOKEN_PROGRAM, RENT] : [ASSOCIATED, TOKEN_PROGRAM];
  return {
    program: PUMP,
    accounts: [
      ...[use.readonly(PUMP_GLOBAL), use.writable(feeRecipient), use.readonly(coin.mint)],
      ...[coin.curve, findTokenAccount(coin.curve, coin)].map(use.writable),
      ...[use.writable(findTokenAccount(USER.address, coin)), use.payer(USER.address)],
      ...[SYSTEM, ...middle, events, PUMP].map(use.readonly),
    ],
    data: Buffer.concat([discriminate('global', side), u64(tokens), u64(limit)]),
  };
}

function tradeNewCurve(coin: CurveCoin, feeRecipient: string, order: CurveOrder): Instruction {
  const { side, tokens, limit } = order;
  const own =
    side === 'buy'
      ? ({ kind: 'buy', tokens, mostLamports: limit } as const)
      : ({ kind: 'sell', tokens, leastLamports: limit } as const);
  return tradeCurve(USER.address, { coin, feeRecipient, order: own });
}

/** The curve's reserves, what it gained and what the user has: all that fees do not change. */
function describeCurveRun(svm: Svm, run: SimulatedRun, coin: CurveCoin): object {
  if (run.err !== null) return { isRefused: true };
  const after = run.accounts.get(coin.curve)?.data ?? Buffer.alloc(0);
  return {
    isRefused: false,
    reserves: [8, 16, 24, 32].map((at) => after.readBigUInt64LE(at)),
    gain: findCurveGain(svm, run, coin.curve),
    tokens: amountOf(run, findTokenAccount(USER.address, coin)),
  };
}

/** On the way from the first purchase to the last coin. */
function pickCurve(random: () => number): CurveFields {
  const sold = BigInt(Math.floor(random() * 700_000_000_000_000));
  const virtualToken = 1_073_000_000_000_000n - sold;
  const virtualQuote = (1_073_000_000_000_000n * 30_000_000_000n) / virtualToken;
  return {
    virtualTokenReserves: `${virtualToken}`,
    virtualQuoteReserves: `${virtualQuote}`,
    realTokenReserves: `${793_100_000_000_000n - sold}`,
    realQuoteReserves: `${virtualQuote - 30_000_000_000n}`,
  };
}

test('curve: 300 random trades move the same reserves, fees apart', (t) => {
  const real = findRealProgram(t, 'pumpfun.so', NOT_COMPARED);
  if (real === null) return;
  const random = createRandom(11);
  const feeRecipient = describeScene('test').wallets.feeRecipient.address;
  const [own, theirs] = [createProgramSvm(), createProgramSvm({ pump: real })];
  setOldGlobal(theirs, feeRecipient);
  let refused = 0;
  for (let count = 0; count < CURVE_TRADES; count += 1) {
    const fields = pickCurve(random);
    const side = random() < 0.5 ? 'buy' : 'sell';
    // Fees of smaller sales, which differ, are more than they pay.
    const tokens = 10_000_000n + pickAmount(random, 13.5);
    const isStrict = random() < 0.2;
    // A purchase for nothing and a sale for all there is must both be refused.
    const isHigh = (side === 'buy') !== isStrict;
    const order = { side, tokens, limit: isHigh ? RICH : 0n } as const;
    const coin = setCurve(own, fields, TOKEN_2022);
    const oldCoin = setCurve(theirs, fields, TOKEN_PROGRAM);
    const run = simulateAlone(own, tradeNewCurve(coin, feeRecipient, order));
    const other = simulateAlone(theirs, tradeOldCurve(oldCoin, feeRecipient, order));
    const described = describeCurveRun(own, run, coin);
    assert.deepEqual(
      described,
      describeCurveRun(theirs, other, oldCoin),
      `trade ${count}: ${side} ${tokens} ${JSON.stringify([run.err, other.err, other.logs.slice(-3)])}`,
    );
    if (run.err !== null) refused += 1;
  }
  assert.ok(refused > 0 && refused < CURVE_TRADES / 2, `${refused} were refused`);
  t.diagnostic(`${CURVE_TRADES} trades compared with ${FOLDER}, ${refused} of them refused`);
});
