// The stand-in programs against recorded outcomes of the venues' own.

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { encodeBase58Data } from '../../src/chains/solana/transactions/base58-data.ts';
import { installPackage } from '../../test/install-package.ts';
import { readSolanaFixture, skipWithoutSolana as skip } from '../../test/solana-fixtures.ts';
import {
  compileProgram,
  findCompiler,
  hashProgram,
  PROGRAM_NAMES,
  readBuildRecord,
  readProgram,
} from './build-programs.ts';
import { buildGenesisAccounts } from './genesis.ts';
import {
  CPMM,
  CPMM_AUTHORITY,
  discriminate,
  findTokenAccount,
  keyBytes,
  PUMP,
  u64,
} from './instructions.ts';
import { describeCurve, findCreatorVault, tradeCurve } from './pump-instructions.ts';
import { describeGenesis, describeScene } from './scene.ts';
import { type ChainAccount, type SimulatedRun, Svm } from './svm.ts';
import { TOKEN_2022, TOKEN_PROGRAM } from './token-balance.ts';
import { createSigningKey, type Instruction, signTransaction, use } from './wire-transaction.ts';

const USER = createSigningKey('a user of the programs');
const HASH = encodeBase58Data(Buffer.alloc(32, 1));
const TIME = { slot: 10, seconds: 1_780_000_000 };
const RICH = 10n ** 16n;

test('the committed programs are the recorded builds', () => {
  const { sha256 } = readBuildRecord();
  for (const name of PROGRAM_NAMES) assert.equal(hashProgram(readProgram(name)), sha256[name]);
});

test('the recorded compiler makes the same programs again', (t) => {
  const { compiler } = readBuildRecord();
  if (findCompiler() === null) installPackage('clang');
  const found = findCompiler();
  assert.ok(found !== null, `install ${compiler}, or set CLANG to its path`);
  if (found !== compiler) {
    t.skip(`NOT RUN: needs ${compiler}, found ${found}`);
    return;
  }
  for (const name of PROGRAM_NAMES) {
    assert.deepEqual(compileProgram(name), readProgram(name), name);
  }
});

function createSvm(): Svm {
  const svm = new Svm();
  svm.addProgram(CPMM, readProgram('cpmm'));
  svm.addProgram(PUMP, readProgram('pump'));
  for (const [address, account] of buildGenesisAccounts(svm, describeGenesis('test'))) {
    svm.write(address, account);
  }
  svm.setTime(TIME, { slot: 9, hash: HASH });
  setAccount(svm, USER.address, { lamports: RICH });
  return svm;
}

function setAccount(svm: Svm, address: string, account: Partial<ChainAccount>): void {
  const rest = { owner: '1'.repeat(32), data: Buffer.alloc(0), isExecutable: false };
  svm.write(address, { ...rest, lamports: RICH, ...account });
}

/** A token account by hand. */
function setTokens(
  svm: Svm,
  account: { address: string; mint: string; owner: string; amount: bigint; program: string },
): void {
  const data = Buffer.alloc(165);
  data.set(keyBytes(account.mint), 0);
  data.set(keyBytes(account.owner), 32);
  data.set(u64(account.amount), 64);
  data.writeUInt8(1, 108);
  const isSol = account.mint.startsWith('So1111');
  const rent = svm.findRent(165);
  if (isSol) {
    data.writeUInt32LE(1, 109);
    data.set(u64(rent), 113);
  }
  const lamports = rent + (isSol ? account.amount : 0n);
  setAccount(svm, account.address, { lamports, owner: account.program, data });
}

function simulate(svm: Svm, instruction: Instruction): SimulatedRun {
  const bytes = signTransaction({ payer: USER, instructions: [instruction] }, HASH);
  return svm.simulate(bytes, true);
}

function amountOf(simulation: SimulatedRun, account: string): bigint {
  return simulation.accounts.get(account)?.data.readBigUInt64LE(64) ?? 0n;
}

describe('CPMM', () => {
  interface CpmmCase {
    readonly inputMint: string;
    readonly outputMint: string;
    readonly mode: 'exactIn' | 'exactOut';
    readonly amount: string;
    readonly amountIn?: string;
    readonly amountOut?: string;
    readonly error?: string;
  }

  type Dump = Record<string, { pubkey: string; lamports: string; owner: string; data: string }>;

  function setRecordedPool(svm: Svm): Record<string, string> {
    const dump = readSolanaFixture('pools/raydium-cpmm-sol-usdc/accounts.json') as Dump;
    for (const { pubkey, lamports, owner, data } of Object.values(dump)) {
      const bytes = Buffer.from(data, 'base64');
      setAccount(svm, pubkey, { lamports: BigInt(lamports), owner, data: bytes });
    }
    return Object.fromEntries(Object.entries(dump).map(([name, { pubkey }]) => [name, pubkey]));
  }

  function buildSwap(keys: Record<string, string>, one: CpmmCase): Instruction {
    const isZeroIn = one.inputMint === keys['mint0'];
    const vaults = [keys['vault0'] ?? '', keys['vault1'] ?? ''];
    const mints = [one.inputMint, one.outputMint];
    const isIn = one.mode === 'exactIn';
    const amounts = isIn ? [BigInt(one.amount), 0n] : [RICH - 1n, BigInt(one.amount)];
    const name = isIn ? 'swap_base_input' : 'swap_base_output';
    return {
      program: CPMM,
      accounts: [
        ...[use.payer(USER.address), use.readonly(CPMM_AUTHORITY)],
        ...[use.readonly(keys['ammConfig'] ?? ''), use.writable(keys['pool'] ?? '')],
        ...mints.map((mint) =>
          use.writable(findTokenAccount(USER.address, { mint, program: TOKEN_PROGRAM })),
        ),
        ...(isZeroIn ? vaults : vaults.reverse()).map(use.writable),
        ...[TOKEN_PROGRAM, TOKEN_PROGRAM, ...mints].map(use.readonly),
        use.writable(keys['observation'] ?? ''),
      ],
      data: Buffer.concat([discriminate('global', name), ...amounts.map(u64)]),
    };
  }

  test('swaps pay what the recorded program paid, to the unit', { skip }, () => {
    const svm = createSvm();
    const keys = setRecordedPool(svm);
    const mints = [keys['mint0'] ?? '', keys['mint1'] ?? ''];
    for (const mint of mints) {
      const address = findTokenAccount(USER.address, { mint, program: TOKEN_PROGRAM });
      const holder = { address, mint, owner: USER.address, amount: RICH };
      setTokens(svm, { ...holder, program: TOKEN_PROGRAM });
    }
    const { cases } = readSolanaFixture('pools/raydium-cpmm-sol-usdc/quotes.json') as {
      cases: CpmmCase[];
    };
    for (const one of cases) {
      const simulation = simulate(svm, buildSwap(keys, one));
      if (one.error !== undefined) {
        assert.deepEqual(simulation.err, { InstructionError: [0, { Custom: 2505 }] });
        continue;
      }
      assert.equal(simulation.err, null, simulation.logs.join('\n'));
      const [paid, got] = [one.inputMint, one.outputMint].map((mint) =>
        amountOf(simulation, findTokenAccount(USER.address, { mint, program: TOKEN_PROGRAM })),
      );
      assert.deepEqual(
        [RICH - (paid ?? 0n), (got ?? 0n) - RICH].map(String),
        [one.amountIn, one.amountOut],
        JSON.stringify(one),
      );
    }
  });
});

describe('curve', () => {
  interface CurveCase {
    readonly curve: Readonly<Record<string, string>>;
    readonly side: 'buy' | 'sell';
    readonly tokenAmount: string;
    readonly quoteNet: string;
  }

  const CREATOR = createSigningKey('a creator').address;
  const MINT = createSigningKey('a coin').address;

  function setCurve(svm: Svm, fields: CurveCase['curve']): ReturnType<typeof describeCurve> {
    const coin = describeCurve(MINT, CREATOR);
    const data = Buffer.alloc(123);
    data.write('17b7f83760d8ac60', 'hex');
    const names = ['virtualTokenReserves', 'virtualQuoteReserves', 'realTokenReserves'];
    [...names, 'realQuoteReserves'].forEach((name, index) => {
      data.set(u64(BigInt(fields[name] ?? '0')), 8 + 8 * index);
    });
    data.set(u64(10n ** 15n), 40);
    data.set(keyBytes(CREATOR), 49);
    setAccount(svm, coin.curve, { owner: PUMP, data });
    setAccount(svm, findCreatorVault(CREATOR), {});
    const mint = Buffer.alloc(82);
    mint.set(u64(10n ** 15n), 36);
    mint.set([6, 1], 44);
    setAccount(svm, MINT, { owner: TOKEN_2022, data: mint });
    for (const owner of [coin.curve, USER.address]) {
      const address = findTokenAccount(owner, coin);
      setTokens(svm, { address, mint: MINT, owner, amount: 10n ** 15n, program: TOKEN_2022 });
    }
    return coin;
  }

  /** The lamports that the curve itself gained. */
  function findGain(svm: Svm, simulation: SimulatedRun, curve: string): bigint {
    const after = simulation.accounts.get(curve)?.lamports ?? 0n;
    return after - (svm.read(curve)?.lamports ?? 0n);
  }

  test('trades move what the recorded program moved, fees apart', { skip }, () => {
    const svm = createSvm();
    const feeRecipient = describeScene('test').wallets.feeRecipient.address;
    const { cases } = readSolanaFixture('pools/pump-curve-2025-01/quotes.json') as {
      cases: CurveCase[];
    };
    for (const { curve, side, tokenAmount, quoteNet } of cases) {
      const coin = setCurve(svm, curve);
      const tokens = BigInt(tokenAmount);
      const order =
        side === 'buy'
          ? ({ kind: 'buy', tokens, mostLamports: RICH } as const)
          : ({ kind: 'sell', tokens, leastLamports: 0n } as const);
      const trade = tradeCurve(USER.address, { coin, feeRecipient, order });
      const simulation = simulate(svm, trade);
      assert.equal(simulation.err, null, simulation.logs.join('\n'));
      const gain = findGain(svm, simulation, coin.curve);
      assert.equal(gain, side === 'buy' ? BigInt(quoteNet) : -BigInt(quoteNet));
    }
  });
});
