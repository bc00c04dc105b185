// Calls of Balancer's vault, byte by byte as its own interface on npm encodes them.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { encodeFunctionData, type Hex } from 'viem';
import { readBalancerArtifact } from '../../../../../devnet/artifacts.ts';
import { buildFakeAddress } from '../../../../../test/fakes/fake-market.ts';
import { address } from '../../../../../test/test-ids.ts';
import { ZERO_ADDRESS } from '../../data/zero-address.ts';
import { encodeVenueExactOut, encodeVenueSwap } from '../encode-venue-swap.ts';
import type { SwapHop, SwapPlan } from '../swap-plan.ts';
import type { VenueRouter } from '../swap-routers.ts';

const { abi } = readBalancerArtifact('Vault');
const [A, B, C, WRAPPED] = [1, 2, 3, 4].map((index) => buildFakeAddress('aa', index)) as Hex[] as [
  ...[Hex, Hex, Hex, Hex],
];
const WALLET = buildFakeAddress('cc', 1) as Hex;
const VAULT = buildFakeAddress('ff', 1);
const WORDS = ['1', '2', '3'].map((digit): Hex => `0x${digit.repeat(64)}`);
const [AMOUNT, LEAST, DEADLINE] = [12_345n, 678n, 1_900_000_000];
const FUNDS = {
  ...{ sender: WALLET, fromInternalBalance: false },
  ...{ recipient: WALLET, toInternalBalance: false },
};

const ROUTER: VenueRouter = {
  ...{ kind: 'vault', name: 'balancer-v2', address: VAULT, wrapped: address(WRAPPED) },
  ...{ venues: new Set(['balancer-v2']), factory: null, permit2: null },
  ...{ canDivide: false, canTax: false, isProven: true, outputCall: 'exactPath' },
};

/** Through a pool for each two tokens in a row. */
function encode(tokens: readonly Hex[], ends: { isNativeIn?: true; isNativeOut?: true } = {}) {
  const hops = tokens.slice(1).map((tokenOut, index): SwapHop => {
    const pool = { kind: 'vault', poolWord: WORDS[index] ?? '' } as const;
    return { pool, tokenIn: address(tokens[index] ?? ''), tokenOut: address(tokenOut) };
  });
  const plan: SwapPlan = {
    tokenIn: ends.isNativeIn ? ZERO_ADDRESS : address(tokens[0] ?? ''),
    tokenOut: ends.isNativeOut ? ZERO_ADDRESS : address(tokens.at(-1) ?? ''),
    amountOutMin: LEAST,
    swapPaths: [{ takes: 'input', amountInRaw: AMOUNT, amountOutRaw: 700n, hops }],
    ...{ outputTaxBps: 0, recipient: address(WALLET), deadlineSeconds: DEADLINE },
  };
  const call = encodeVenueSwap(plan, ROUTER);
  assert.equal(call.to, VAULT);
  assert.equal(call.value, ends.isNativeIn ? AMOUNT : 0n);
  return call.data;
}

function encodeOne(assetIn: Hex, assetOut: Hex): Hex {
  const swap = { poolId: WORDS[0], kind: 0, assetIn, assetOut, amount: AMOUNT, userData: '0x' };
  const args = [swap, FUNDS, LEAST, BigInt(DEADLINE)];
  return encodeFunctionData({ abi, functionName: 'swap', args });
}

function encodeBatch(assets: readonly Hex[]): Hex {
  const swaps = assets.slice(1).map((_, index) => ({
    ...{ poolId: WORDS[index], assetInIndex: BigInt(index), assetOutIndex: BigInt(index + 1) },
    ...{ amount: index === 0 ? AMOUNT : 0n, userData: '0x' },
  }));
  const between = assets.slice(2).map(() => 0n);
  const limits = [AMOUNT, ...between, -LEAST];
  const args = [0, swaps, assets, FUNDS, limits, BigInt(DEADLINE)];
  return encodeFunctionData({ abi, functionName: 'batchSwap', args });
}

const ZERO = ZERO_ADDRESS as Hex;

describe("a call of Balancer's vault", () => {
  it('is a swap for one pool', () => {
    const data = encode([A, B]);
    assert.equal(data, encodeOne(A, B));
    assert.equal(data.slice(0, 10), '0x52bbbe29');
  });

  it('is a batch for several, each of which takes what the one before paid', () => {
    const data = encode([A, B, C]);
    assert.equal(data, encodeBatch([A, B, C]));
    assert.equal(data.slice(0, 10), '0x945bcec9');
    assert.equal(encode([A, B, C, WRAPPED]), encodeBatch([A, B, C, WRAPPED]));
  });

  it('names the native coin by the zero address, at the ends only', () => {
    assert.equal(encode([WRAPPED, A], { isNativeIn: true }), encodeOne(ZERO, A));
    assert.equal(encode([A, WRAPPED], { isNativeOut: true }), encodeOne(A, ZERO));
    assert.equal(encode([WRAPPED, A, B], { isNativeIn: true }), encodeBatch([ZERO, A, B]));
    assert.equal(
      encode([A, WRAPPED, B, WRAPPED], { isNativeOut: true }),
      encodeBatch([A, WRAPPED, B, ZERO]),
    );
  });

  it('takes no pool of another kind', () => {
    const pool: SwapHop['pool'] = { kind: 'v2', pair: buildFakeAddress('dd', 1) };
    const hops = [{ pool, tokenIn: address(A), tokenOut: address(B) }];
    const plan: SwapPlan = {
      ...{ tokenIn: address(A), tokenOut: address(B), amountOutMin: LEAST },
      swapPaths: [{ takes: 'input', amountInRaw: AMOUNT, amountOutRaw: 700n, hops }],
      ...{ outputTaxBps: 0, recipient: address(WALLET), deadlineSeconds: DEADLINE },
    };
    assert.throws(() => encodeVenueSwap(plan, ROUTER), /v2 pool in a path through a vault/);
  });
});

describe('a call for a given output', () => {
  const [ASKED, MOST] = [55n, 66n];

  function encodeOutput(tokens: readonly Hex[], isNativeIn = false): Hex {
    const hops = tokens.slice(1).map((tokenOut, index): SwapHop => {
      const pool = { kind: 'vault', poolWord: WORDS[index] ?? '' } as const;
      const ends = { tokenIn: address(tokens[index] ?? ''), tokenOut: address(tokenOut) };
      return { pool, ...ends, askedOutRaw: index === tokens.length - 2 ? ASKED : 1n };
    });
    const { data, value } = encodeVenueExactOut(
      {
        tokenIn: isNativeIn ? ZERO_ADDRESS : address(tokens[0] ?? ''),
        ...{ tokenOut: address(tokens.at(-1) ?? ''), amountInMax: MOST },
        swapPaths: [{ takes: 'input', amountInRaw: 60n, amountOutRaw: ASKED, hops }],
        ...{ recipient: address(WALLET), deadlineSeconds: DEADLINE },
      },
      ROUTER,
    );
    assert.equal(value, isNativeIn ? MOST : 0n);
    return data;
  }

  it('is a swap of the other kind, whose limit is the maximum', () => {
    const swap = { poolId: WORDS[0], kind: 1, assetIn: ZERO, assetOut: A };
    const args = [{ ...swap, amount: ASKED, userData: '0x' }, FUNDS, MOST, BigInt(DEADLINE)];
    const expected = encodeFunctionData({ abi, functionName: 'swap', args });
    assert.equal(encodeOutput([WRAPPED, A], true), expected);
  });

  it('is a batch from the last pool to the first', () => {
    const steps = [1, 0].map((index) => ({
      ...{ poolId: WORDS[index], assetInIndex: BigInt(index), assetOutIndex: BigInt(index + 1) },
      ...{ amount: index === 1 ? ASKED : 0n, userData: '0x' },
    }));
    const args = [1, steps, [A, B, C], FUNDS, [MOST, 0n, -ASKED], BigInt(DEADLINE)];
    const expected = encodeFunctionData({ abi, functionName: 'batchSwap', args });
    assert.equal(encodeOutput([A, B, C]), expected);
  });
});
