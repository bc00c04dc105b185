// Calls of Curve's pools and router, byte by byte as viem encodes them.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { encodeFunctionData, type Hex, parseAbi } from 'viem';
import { buildFakeAddress } from '../../../../../test/fakes/fake-market.ts';
import { address } from '../../../../../test/test-ids.ts';
import type { Address } from '../../../../model/ids.ts';
import type { ExecutableTrade } from '../../../chain-transactions.ts';
import { toCoinPairPool } from '../../data/evm-ids.ts';
import { ZERO_ADDRESS } from '../../data/zero-address.ts';
import { encodeVenueSwap, pickContract } from '../encode-venue-swap.ts';
import type { SwapHop } from '../swap-plan.ts';
import type { VenueRouter } from '../swap-routers.ts';

const [A, B, C, WRAPPED] = [1, 2, 3, 4].map((index) => buildFakeAddress('aa', index)) as [
  ...[Address, Address, Address, Address],
];
const COIN = '0xeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeee';
const NONE = ZERO_ADDRESS;
const [POOL, OTHER] = [buildFakeAddress('dd', 1), buildFakeAddress('dd', 2)];
const WALLET = buildFakeAddress('cc', 1);
const [AMOUNT, LEAST] = [12_345n, 678n];
const LINE = [0n, 0n, 0n, 0n, 0n];

const ROUTER: VenueRouter = {
  ...{ kind: 'curve', name: 'curve', address: buildFakeAddress('ff', 1), wrapped: WRAPPED },
  ...{ venues: new Set(['curve']), factory: null, permit2: null, keepsUnit: true },
  ...{ canDivide: false, canTax: false, isProven: false, outputCall: 'input' },
};

function buildHop(
  ends: readonly [Address, Address],
  pool: Partial<Extract<SwapHop['pool'], { kind: 'curve' }>> = {},
): SwapHop {
  const [tokenIn, tokenOut] = ends;
  const usual = { contract: POOL, indexIn: 2, indexOut: 0, isUnderlying: false, isStable: true };
  return { tokenIn, tokenOut, pool: { kind: 'curve', ...usual, ...pool } };
}

function encode(ends: readonly [Address, Address], hops: readonly SwapHop[]) {
  const [tokenIn, tokenOut] = ends;
  const call = encodeVenueSwap(
    {
      ...{ tokenIn, tokenOut, amountOutMin: LEAST, outputTaxBps: 0, recipient: WALLET },
      swapPaths: [{ takes: 'input', amountInRaw: AMOUNT, amountOutRaw: 700n, hops }],
      deadlineSeconds: 1_900_000_000,
    },
    ROUTER,
  );
  assert.equal(call.value, tokenIn === ZERO_ADDRESS ? AMOUNT : 0n);
  return call.data;
}

function encodeRoute(route: readonly string[], lines: readonly (readonly bigint[])[]): Hex {
  const abi = parseAbi([
    'function exchange(address[11], uint256[5][5], uint256, uint256, address[5], address)',
  ]);
  const fill = <One>(list: readonly One[], count: number, one: One) =>
    Array.from({ length: count }, (_, index) => list[index] ?? one);
  const zaps = fill([], 5, NONE);
  const args = [fill(route, 11, NONE), fill(lines, 5, LINE), AMOUNT, LEAST, zaps, WALLET];
  return encodeFunctionData({ abi, functionName: 'exchange', args } as never);
}

describe('one pool of Curve', () => {
  it('is called itself, by its own way to count coins', () => {
    for (const isStable of [true, false]) {
      for (const isUnderlying of [true, false]) {
        const functionName = isUnderlying ? 'exchange_underlying' : 'exchange';
        const index = isStable ? 'int128' : 'uint256';
        const abi = parseAbi([
          `function ${functionName}(${index}, ${index}, uint256, uint256)`,
        ] as readonly string[]);
        const args = [2n, 0n, AMOUNT, LEAST];
        const data = encode([A, B], [buildHop([A, B], { isStable, isUnderlying })]);
        assert.equal(data, encodeFunctionData({ abi, functionName, args } as never));
      }
    }
  });

  it('takes the tokens of the wallet in place of the router', () => {
    const id = toCoinPairPool({ contract: POOL, lower: 0, upper: 1, isUnderlying: false });
    const swap = { pool: { pool: id }, tokenIn: A, tokenOut: B };
    const pick = (tokenOut: Address, hops: readonly object[], router = ROUTER) => {
      const trade = { tokenIn: A, tokenOut, swapPaths: [{ hops }] } as unknown as ExecutableTrade;
      return pickContract(router, trade).address;
    };
    assert.equal(pick(B, [swap]), POOL);
    assert.equal(pick(ZERO_ADDRESS, [{ ...swap, tokenOut: WRAPPED }]), ROUTER.address);
    assert.equal(pick(C, [swap, { ...swap, tokenIn: B, tokenOut: C }]), ROUTER.address);
    assert.equal(pick(B, [swap], { ...ROUTER, kind: 'vault' }), ROUTER.address);
  });

  it('is paid with the coin if it holds that', () => {
    const abi = parseAbi(['function exchange(int128, int128, uint256, uint256)']);
    const data = encode([ZERO_ADDRESS, B], [buildHop([ZERO_ADDRESS, B])]);
    const args = [2n, 0n, AMOUNT, LEAST] as const;
    assert.equal(data, encodeFunctionData({ abi, functionName: 'exchange', args }));
  });
});

describe("Curve's router", () => {
  const crypto = { contract: OTHER, indexIn: 0, indexOut: 1, isStable: false };

  it('is told pools and tokens in turn, and how each is called', () => {
    const hops = [buildHop([A, B]), buildHop([B, C], { ...crypto, isUnderlying: true })];
    const lines = [
      [2n, 0n, 1n, 1n, 0n],
      [0n, 1n, 2n, 2n, 0n],
    ];
    assert.equal(encode([A, C], hops), encodeRoute([A, POOL, B, OTHER, C], lines));
  });

  it('wraps and unwraps the coin in steps of their own', () => {
    const wrap = [0n, 0n, 8n, 0n, 0n];
    const swap = [2n, 0n, 1n, 1n, 0n];
    assert.equal(
      encode([ZERO_ADDRESS, A], [buildHop([WRAPPED, A])]),
      encodeRoute([COIN, WRAPPED, WRAPPED, POOL, A], [wrap, swap]),
    );
    assert.equal(
      encode([A, ZERO_ADDRESS], [buildHop([A, WRAPPED])]),
      encodeRoute([A, POOL, WRAPPED, WRAPPED, COIN], [swap, wrap]),
    );
    const between = [buildHop([A, WRAPPED]), buildHop([ZERO_ADDRESS, B], crypto)];
    assert.equal(
      encode([A, B], between),
      encodeRoute([A, POOL, WRAPPED, WRAPPED, COIN, OTHER, B], [swap, wrap, [0n, 1n, 1n, 2n, 0n]]),
    );
  });

  it('takes five steps at most', () => {
    const three = [buildHop([WRAPPED, A]), buildHop([A, B]), buildHop([B, WRAPPED])];
    assert.equal(encode([ZERO_ADDRESS, ZERO_ADDRESS], three).length, 2 + 8 + 44 * 64);
    const four = [...three, buildHop([WRAPPED, C])];
    assert.throws(() => encode([ZERO_ADDRESS, address(ZERO_ADDRESS)], four), /more steps/);
  });
});
