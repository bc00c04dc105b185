// The stand-in programs against recorded outcomes of the venues' own.

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { installPackage } from '../../test/install-package.ts';
import { readSolanaFixture, skipWithoutSolana as skip } from '../../test/solana-fixtures.ts';
import {
  amountOf,
  buildCpmmSwapCall,
  type CpmmOrder,
  type CurveFields,
  createProgramSvm as createSvm,
  findCurveGain,
  RICH,
  setCurve,
  setRecordedPool,
  simulateAlone,
  USER,
} from '../../test/solana-programs.ts';
import {
  compileProgram,
  findCompiler,
  hashProgram,
  PROGRAM_NAMES,
  readBuildRecord,
  readProgram,
} from './build-programs.ts';
import { findTokenAccount } from './instructions.ts';
import { tradeCurve } from './pump-instructions.ts';
import { describeScene } from './scene.ts';
import { TOKEN_PROGRAM } from './token-balance.ts';

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

describe('CPMM', () => {
  interface CpmmCase extends CpmmOrder {
    readonly amountIn?: string;
    readonly amountOut?: string;
    readonly error?: string;
  }

  test('swaps pay what the recorded program paid, to the unit', { skip }, () => {
    const svm = createSvm();
    const keys = setRecordedPool(svm);
    const { cases } = readSolanaFixture('pools/raydium-cpmm-sol-usdc/quotes.json') as {
      cases: CpmmCase[];
    };
    for (const one of cases) {
      const simulation = simulateAlone(svm, buildCpmmSwapCall(keys, one));
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
    readonly curve: CurveFields;
    readonly side: 'buy' | 'sell';
    readonly tokenAmount: string;
    readonly quoteNet: string;
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
      const simulation = simulateAlone(svm, trade);
      assert.equal(simulation.err, null, simulation.logs.join('\n'));
      const gain = findCurveGain(svm, simulation, coin.curve);
      assert.equal(gain, side === 'buy' ? BigInt(quoteNet) : -BigInt(quoteNet));
    }
  });
});
