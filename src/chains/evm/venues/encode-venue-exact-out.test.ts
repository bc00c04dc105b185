// Calls of exchanges' routers for a given output, byte by byte: by the ABI of the real contract
// where npm has it, and by an encoder of plain words, with the selectors of the real contracts.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type Abi, encodeFunctionData, type Hex } from 'viem';
import { readArtifact } from '../../../../devnet/artifacts.ts';
import { buildFakeAddress } from '../../../../test/fakes/fake-market.ts';
import { encodeWords } from '../../../../test/oracles/encode-words.ts';
import { address } from '../../../../test/test-ids.ts';
import type { VenueRouterKind } from '../data/deployments/evm-deployment.ts';
import { ZERO_ADDRESS } from '../data/zero-address.ts';
import { encodeVenueExactOut } from './encode-venue-swap.ts';
import type { ExactOutPlan, SwapHop } from './swap-plan.ts';
import type { VenueRouter } from './swap-routers.ts';

const A = buildFakeAddress('aa', 1) as Hex;
const B = buildFakeAddress('aa', 2) as Hex;
const WRAPPED = buildFakeAddress('aa', 3) as Hex;
const WALLET = buildFakeAddress('cc', 1) as Hex;
const ROUTER = buildFakeAddress('ff', 2);
const ZERO = ZERO_ADDRESS as Hex;
const SELF: Hex = '0x0000000000000000000000000000000000000002';
const ASKED = 12_345n;
const MOST = 678n;
const DEADLINE = 1_900_000_000;
const UNTIL = BigInt(DEADLINE);

type Pool = SwapHop['pool'];
const MAKER = buildFakeAddress('ff', 3);
const PAIR: Pool = { kind: 'v2', pair: buildFakeAddress('dd', 1) };
const RANGE: Pool = { kind: 'v3', feePips: 2_500, tickSpacing: 50 };
const WIDE: Pool = { kind: 'v3', feePips: 10_000, tickSpacing: 200, deployer: MAKER };

type Coin = 'in' | 'out' | 'none';

/** Through pools in order: A → B, A → B → WRAPPED, or WRAPPED → A → B. */
function createPlan(pools: readonly Pool[], coin: Coin): ExactOutPlan {
  const tokens = coin === 'in' ? [WRAPPED, A, B] : [A, B, WRAPPED];
  const hops = pools.map((pool, index) => ({
    pool,
    tokenIn: address(tokens[index] ?? ''),
    tokenOut: address(tokens[index + 1] ?? ''),
    // What a hop in between is asked for is no part of a call.
    askedOutRaw: index === pools.length - 1 ? ASKED : 99n,
  }));
  return {
    tokenIn: coin === 'in' ? ZERO_ADDRESS : address(tokens[0] ?? ''),
    tokenOut: coin === 'out' ? ZERO_ADDRESS : address(tokens[pools.length] ?? ''),
    amountInMax: MOST,
    swapPaths: [{ takes: 'input', amountInRaw: 600n, amountOutRaw: ASKED, hops }],
    ...{ recipient: address(WALLET), deadlineSeconds: DEADLINE },
  };
}

function createRouter(kind: VenueRouterKind): VenueRouter {
  return {
    ...{ kind, name: kind, address: ROUTER, wrapped: address(WRAPPED), factory: null },
    ...{ venues: new Set(['v']), canDivide: false, canTax: false, isProven: false, permit2: null },
    outputCall: 'path',
  };
}

function encode(kind: VenueRouterKind, pools: readonly Pool[], coin: Coin): Hex {
  const { to, data, value } = encodeVenueExactOut(createPlan(pools, coin), createRouter(kind));
  assert.equal(to, ROUTER);
  assert.equal(value, coin === 'in' ? MOST : 0n);
  return data;
}

function call(abi: Abi, functionName: string, args: readonly unknown[] = []): Hex {
  return encodeFunctionData({ abi, functionName, args } as never);
}

const sweep = (token: Hex) => encodeWords('df2ab5bb', token, ASKED, WALLET);
const UNWRAP = encodeWords('49404b7c', ASKED, WALLET);
const REFUND = encodeWords('12210e8a');

/** `exactOutput` of `SwapRouter` and its forks, in their `multicall`. */
function runRange(path: string, ...payments: Hex[]): Hex {
  const swap = { tuple: [{ bytes: path as Hex }, ZERO, UNTIL, ASKED, MOST] };
  const calls = [encodeWords('f28c0498', swap), ...payments];
  return encodeWords('ac9650d8', { list: calls.map((bytes) => ({ bytes })) });
}

describe('a call for a given output', () => {
  it('router02, by the ABI of the real contract', () => {
    const { abi } = readArtifact('UniswapV2Router02');
    const plain = encode('router02', [PAIR], 'none');
    const tokens = [ASKED, MOST, [A, B], WALLET, UNTIL];
    assert.equal(plain, call(abi, 'swapTokensForExactTokens', tokens));
    const words = [ASKED, MOST, { list: [A, B] }, WALLET, UNTIL] as const;
    assert.equal(plain, encodeWords('8803dbee', ...words));
    const spent = encode('router02', [PAIR, PAIR], 'in');
    const path = { list: [WRAPPED, A, B] };
    assert.equal(
      spent,
      call(abi, 'swapETHForExactTokens', [ASKED, [WRAPPED, A, B], WALLET, UNTIL]),
    );
    assert.equal(spent, encodeWords('fb3bdb41', ASKED, path, WALLET, UNTIL));
    const paid = encode('router02', [PAIR, PAIR], 'out');
    const out = [ASKED, MOST, [A, B, WRAPPED], WALLET, UNTIL];
    assert.equal(paid, call(abi, 'swapTokensForExactETH', out));
    const back = { list: [A, B, WRAPPED] };
    assert.equal(paid, encodeWords('4a25d94a', ASKED, MOST, back, WALLET, UNTIL));
  });

  it('swapRouter, by the ABI of the real contract: the path begins with the output', () => {
    const { abi } = readArtifact('SwapRouter');
    const path = `${WRAPPED}002710${B.slice(2)}0009c4${A.slice(2)}`;
    const params = { path, recipient: ZERO, deadline: UNTIL };
    const swap = call(abi, 'exactOutput', [{ ...params, amountOut: ASKED, amountInMaximum: MOST }]);
    const unwrap = call(abi, 'unwrapWETH9', [ASKED, WALLET]);
    const out = encode('swapRouter', [RANGE, WIDE], 'out');
    assert.equal(out, call(abi, 'multicall', [[swap, unwrap]]));
    assert.equal(out, runRange(path, UNWRAP));
    const plain = encode('swapRouter', [RANGE], 'none');
    assert.equal(plain, runRange(`${B}0009c4${A.slice(2)}`, sweep(B)));
  });

  it('slipstream: the same with tick spacings; the coin that is left comes back', () => {
    const path = `${B}0000c8${A.slice(2)}000032${WRAPPED.slice(2)}`;
    assert.equal(encode('slipstream', [RANGE, WIDE], 'in'), runRange(path, sweep(B), REFUND));
  });

  it('algebra: paths of tokens only, and other names for the coin', () => {
    const path = `${WRAPPED}${B.slice(2)}${A.slice(2)}`;
    const unwrap = encodeWords('69bc35b2', ASKED, WALLET);
    assert.equal(encode('algebra', [RANGE, WIDE], 'out'), runRange(path, unwrap));
    const refund = encodeWords('41865270');
    const spent = `${A}${WRAPPED.slice(2)}`;
    assert.equal(encode('algebra', [RANGE], 'in'), runRange(spent, sweep(A), refund));
    assert.equal(encode('algebra', [RANGE], 'none'), runRange(`${B}${A.slice(2)}`, sweep(B)));
  });

  it('algebraIntegral: paths of who made each pool', () => {
    const path = `${WRAPPED}${MAKER.slice(2)}${B.slice(2)}${ZERO.slice(2)}${A.slice(2)}`;
    const unwrap = encodeWords('69bc35b2', ASKED, WALLET);
    assert.equal(encode('algebraIntegral', [RANGE, WIDE], 'out'), runRange(path, unwrap));
  });

  it('smart: pairs or pools, which pay the router', () => {
    const run = (...calls: Hex[]) =>
      encodeWords('5ae401dc', UNTIL, { list: calls.map((bytes) => ({ bytes })) });
    const path = { bytes: `${B}0009c4${A.slice(2)}` as Hex };
    const range = encodeWords('09b81346', { tuple: [path, SELF, ASKED, MOST] });
    assert.equal(encode('smart', [RANGE], 'none'), run(range, sweep(B)));
    const list = { list: [WRAPPED, A, B] };
    const pairs = encodeWords('42712a67', ASKED, MOST, list, SELF);
    assert.equal(encode('smart', [PAIR, PAIR], 'in'), run(pairs, sweep(B), REFUND));
    const back = { list: [A, B, WRAPPED] };
    const paid = encodeWords('42712a67', ASKED, MOST, back, SELF);
    assert.equal(encode('smart', [PAIR, PAIR], 'out'), run(paid, UNWRAP));
  });

  it('takes one path of one kind, and only where the router has such a call', () => {
    assert.throws(() => encode('smart', [RANGE, PAIR], 'none'), /one kind/);
    for (const kind of ['camelot', 'solidly'] as const) {
      assert.throws(() => encode(kind, [PAIR], 'none'), /no call for a given output/);
    }
    const plan = createPlan([PAIR], 'none');
    const several = { ...plan, swapPaths: [...plan.swapPaths, ...plan.swapPaths] };
    assert.throws(() => encodeVenueExactOut(several, createRouter('router02')), /one path/);
  });
});
