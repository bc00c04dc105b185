// Calls of the Universal Router as long as usual ones, by which a rollup is asked what it charges
// for data.

import { createHash } from 'node:crypto';
import { evmAddress } from '../../data/evm-ids.ts';
import { ZERO_ADDRESS } from '../../data/zero-address.ts';
import type { EncodedCall, SwapPath } from '../swap-plan.ts';
import { encodeSwap } from './encode-swap.ts';
import type { UniversalRouter } from './universal-router.ts';

/** Like addresses and amounts, these hardly compress; OP chains charge for what is left. */
function createHex(name: string, length: number): string {
  return createHash('sha256').update(name).digest('hex').slice(0, length);
}

function createAddress(name: string) {
  return evmAddress(`0x${createHex(name, 40)}`);
}

function createAmount(name: string): bigint {
  return BigInt(`0x${createHex(name, 18)}`);
}

/** In all pools of a sample. */
export const SAMPLE_POOL = {
  kind: 'concentrated',
  terms: { tickSpacing: 60, custody: { kind: 'own' } },
} as const;

/** Buys a token with the native coin in so many pools. */
export function encodeSample(router: UniversalRouter, poolCount: number): EncodedCall {
  const tokenOut = createAddress('token');
  const pool = { kind: 'v3', feePips: 3000, tickSpacing: SAMPLE_POOL.terms.tickSpacing } as const;
  const swapPaths = Array.from(
    { length: poolCount },
    (_, index): SwapPath => ({
      takes: 'input',
      amountInRaw: createAmount(`in ${index}`),
      amountOutRaw: createAmount(`out ${index}`),
      hops: [{ pool, tokenIn: router.wrapped, tokenOut }],
    }),
  );
  const amountOutMin = swapPaths.reduce((sum, one) => sum + one.amountOutRaw, 0n) - 1n;
  return encodeSwap(
    {
      ...{ tokenIn: ZERO_ADDRESS, tokenOut, amountOutMin, swapPaths, outputTaxBps: 0 },
      recipient: createAddress('wallet'),
      deadlineSeconds: 2_000_000_000,
    },
    router,
  );
}
