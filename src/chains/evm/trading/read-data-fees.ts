// What a rollup charges for the data of swaps now, for quotes: asked of its own oracle for a short
// and a long call of the router. A quote interpolates between them and needs no request.

import { createHash } from 'node:crypto';
import type { DataFees } from '../../chain-nodes.ts';
import type { RpcClient } from '../../rpc/rpc-client.ts';
import type { EvmDeployment } from '../data/deployments/evm-deployment.ts';
import { evmAddress } from '../data/evm-ids.ts';
import { ZERO_ADDRESS } from '../data/zero-address.ts';
import type { SwapPath } from '../venues/swap-plan.ts';
import { findUniversalRouter, type UniversalRouter } from '../venues/swap-routers.ts';
import { type EncodedCall, encodeSwap } from '../venues/universal-router/encode-swap.ts';
import { findHopBytes } from './evm-transaction-costs.ts';
import { readDataCosts } from './read-data-cost.ts';

const SHORT_POOL_COUNT = 1;
const LONG_POOL_COUNT = 10;
/** Of a pool of V3, by which both samples swap. */
const POOL_BYTES = findHopBytes({
  kind: 'concentrated',
  terms: { tickSpacing: 60, custody: { kind: 'own' } },
}).first;

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

const SAMPLE_POOL = { kind: 'v3', feePips: 3000, tickSpacing: 60 } as const;

/** Buys a token with the native coin in so many pools. */
function encodeSample(router: UniversalRouter, poolCount: number): EncodedCall {
  const tokenOut = createAddress('token');
  const swapPaths = Array.from(
    { length: poolCount },
    (_, index): SwapPath => ({
      takes: 'input',
      amountInRaw: createAmount(`in ${index}`),
      amountOutRaw: createAmount(`out ${index}`),
      hops: [{ pool: SAMPLE_POOL, tokenIn: router.wrapped, tokenOut }],
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

export async function readDataFees(
  client: RpcClient,
  deployment: EvmDeployment,
): Promise<DataFees> {
  const { rollup = null } = deployment;
  if (rollup === null) return { kind: 'none' };
  const router = findUniversalRouter(deployment);
  if (router === null) return { kind: 'unknown' };
  const samples = [SHORT_POOL_COUNT, LONG_POOL_COUNT].map((count) => encodeSample(router, count));
  const [short = null, long = null] = await readDataCosts(client, rollup, samples);
  if (short === null || long === null) return { kind: 'unknown' };
  return {
    kind: rollup === 'arbitrum' ? 'units' : 'coin',
    short: { bytes: SHORT_POOL_COUNT * POOL_BYTES, charged: short },
    long: { bytes: LONG_POOL_COUNT * POOL_BYTES, charged: long },
  };
}
