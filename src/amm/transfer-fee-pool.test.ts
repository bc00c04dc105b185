// Pools of tokens that deduct a fee from transfers, and the fee itself.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createRandom } from '../../test/fakes/create-random.ts';
import { CeiledProductPool } from './ceiled-product/ceiled-product-kind.ts';
import { kindOf } from './pool-kinds.ts';
import {
  computeSentAmount,
  computeTransferFee,
  decodeTransferFees,
  encodeTransferFees,
  type TransferFee,
} from './transfer-fee.ts';
import { TransferFeePool } from './transfer-fee-pool.ts';

const NO_LIMIT = 2n ** 64n - 1n;

function drawFee(random: () => number): TransferFee {
  const bps = Math.ceil(10_000 * random() ** 3);
  const maxRaw = random() < 0.5 ? NO_LIMIT : BigInt(Math.floor(10 ** (7 * random())));
  return { bps, maxRaw };
}

describe('a transfer fee', () => {
  it('is a share that is rounded up, at most its maximum', () => {
    const fee = { bps: 150, maxRaw: 40n };
    const amounts = [0n, 1n, 66n, 67n, 2600n, 2667n, 10n ** 12n];
    const taken = amounts.map((amount) => computeTransferFee(fee, amount));
    assert.deepEqual(taken, [0n, 1n, 1n, 2n, 39n, 40n, 40n]);
    assert.equal(computeTransferFee(null, 1000n), 0n);
    assert.equal(computeTransferFee({ bps: 10_000, maxRaw: 7n }, 5n), 5n);
  });

  it('is added so that exactly the wanted amount arrives', () => {
    const random = createRandom(41);
    for (let count = 0; count < 2000; count += 1) {
      const fee = drawFee(random);
      // Without a limit, nothing arrives of a fee of all.
      if (fee.bps === 10_000 && fee.maxRaw === NO_LIMIT) continue;
      const wanted = BigInt(Math.ceil(10 ** (12 * random())));
      const sent = computeSentAmount(fee, wanted);
      assert.equal(sent - computeTransferFee(fee, sent), wanted, `${fee.bps} ${wanted}`);
      const less = sent - 1n;
      assert.ok(less - computeTransferFee(fee, less) < wanted, 'less would be enough');
    }
  });

  it('is stored as text with the block until which it is certain', () => {
    const fees = { fee0: null, fee1: { bps: 200, maxRaw: 5n }, untilBlock: 864_000 };
    assert.deepEqual(decodeTransferFees(encodeTransferFees(fees)), fees);
    const later = { ...fees, fee1: null };
    assert.deepEqual(decodeTransferFees(encodeTransferFees(later)), later);
    assert.equal(decodeTransferFees(''), null);
  });
});

const TERMS = {
  creatorFeePips: 0,
  creatorFeeOn: 'input',
  protocolSharePips: 120_000,
  fundSharePips: 40_000,
} as const;

function drawPool(random: () => number) {
  const reserve = () => BigInt(Math.floor(10 ** (8 + 6 * random())));
  const within = new CeiledProductPool({
    ...{ reserve0: reserve(), reserve1: reserve(), terms: TERMS },
    fees: { zeroForOne: 2500, oneForZero: 2500 },
  });
  const fees = {
    fee0: random() < 0.7 ? drawFee(random) : null,
    fee1: random() < 0.7 ? drawFee(random) : null,
    untilBlock: 1,
  };
  return { within, fees, pool: new TransferFeePool(within, fees) };
}

describe('a pool of tokens with transfer fees', () => {
  it('gets what is left of the input, and of its output the wallet gets what is left', () => {
    const random = createRandom(42);
    for (let count = 0; count < 1000; count += 1) {
      const { within, fees, pool } = drawPool(random);
      const isZeroIn = random() < 0.5;
      const [feeIn, feeOut] = isZeroIn ? [fees.fee0, fees.fee1] : [fees.fee1, fees.fee0];
      const amountIn = BigInt(Math.ceil(10 ** (11 * random())));
      const arrived = amountIn - computeTransferFee(feeIn, amountIn);
      const paid = within.swapIn(isZeroIn, arrived).amountOut;
      const received = paid - computeTransferFee(feeOut, paid);
      const swap = pool.swapIn(isZeroIn, amountIn);
      assert.equal(swap.isFilled, received > 0n);
      if (!swap.isFilled) continue;
      assert.deepEqual([swap.amountIn, swap.amountOut], [amountIn, received]);
      const parts = { inRaw: amountIn - arrived, outRaw: paid - received };
      assert.deepEqual(pool.splitTransfers(isZeroIn, swap), parts);
      const { after } = pool.swapAndMove(isZeroIn, amountIn);
      const moved = within.swapAndMove(isZeroIn, arrived).after.toPlain();
      assert.deepEqual((after.toPlain() as { within: object }).within, moved);
    }
  });

  it('asks for an output what a swap of that input pays, or a little more', () => {
    const random = createRandom(43);
    let filled = 0;
    for (let count = 0; count < 1000; count += 1) {
      const { pool } = drawPool(random);
      const isZeroIn = random() < 0.5;
      const wanted = BigInt(Math.ceil(10 ** (10 * random())));
      const swap = pool.swapOut(isZeroIn, wanted);
      if (!swap.isFilled) continue;
      filled += 1;
      assert.equal(swap.amountOut, wanted);
      assert.ok(pool.swapIn(isZeroIn, swap.amountIn).amountOut >= wanted);
    }
    assert.ok(filled > 300, String(filled));
  });

  it('is one of every kind whose tokens may have fees, as its state says', () => {
    for (const name of [
      'ceiledProduct',
      'launchCurve',
      'rangeX64',
      'bins',
      'singleRange',
      'segments',
    ]) {
      const kind = kindOf({ kind: name } as never);
      const fees = { fee0: { bps: 100, maxRaw: 5n }, fee1: null, untilBlock: 7 };
      const state = { ...kind.stateAtStart, transferFees: encodeTransferFees(fees) } as never;
      assert.deepEqual(kind.findTransferFees?.(state), fees, name);
      assert.deepEqual(kind.decodeState(kind.encodeState(state)), state, name);
      assert.equal(kind.findTransferFees?.(kind.stateAtStart), null);
    }
  });

  it('changes with time as the pool within does', () => {
    const random = createRandom(46);
    const { within, fees } = drawPool(random);
    assert.ok(fees);
    const fixed = new TransferFeePool(within, fees);
    assert.equal(fixed.at({ seconds: 5, block: 1 }), fixed);
    class TimedPool extends CeiledProductPool {
      at = () => drawPool(random).within;
    }
    const timed = new TimedPool(within.toPlain());
    const outer = new TransferFeePool(timed, fees);
    const later = outer.at({ seconds: 5, block: 1 });
    assert.notEqual(later, outer);
    assert.notDeepEqual(later.swapIn(true, 10n ** 9n), outer.swapIn(true, 10n ** 9n));
  });

  it('is the same pool on another thread', () => {
    const random = createRandom(44);
    const { pool } = drawPool(random);
    const kind = kindOf({ kind: 'ceiledProduct' });
    const revived = kind.revive(structuredClone(pool.toPlain()), null);
    for (const isZeroIn of [true, false]) {
      assert.deepEqual(revived.swapIn(isZeroIn, 12_345n), pool.swapIn(isZeroIn, 12_345n));
    }
  });

  it('has pieces that pay no less than its swaps', () => {
    const random = createRandom(45);
    for (let count = 0; count < 300; count += 1) {
      const { pool } = drawPool(random);
      const isZeroIn = random() < 0.5;
      const stretch = { u: 0, depth: 0 };
      assert.ok(pool.stretches(isZeroIn).next(stretch));
      const amountIn = BigInt(Math.ceil(10 ** (9 * random())));
      const { u, depth } = stretch;
      const end = u + Number(amountIn) / depth;
      const paid = depth * (1 / u - 1 / end);
      const { amountOut } = pool.swapIn(isZeroIn, amountIn);
      assert.ok(paid * (1 + 1e-6) >= Number(amountOut), `${paid} ${amountOut}`);
    }
  });
});
