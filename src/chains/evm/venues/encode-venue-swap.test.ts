// Calls of exchanges' routers, byte by byte as an independent encoder writes them. Selectors are
// those that real contracts answered to.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type Abi, decodeFunctionData, encodeFunctionData, type Hex, parseAbi } from 'viem';
import { readArtifact } from '../../../../devnet/artifacts.ts';
import { buildFakeAddress } from '../../../../test/fakes/fake-market.ts';
import { address } from '../../../../test/test-ids.ts';
import { readNpmContract } from '../../../../test/venue-chain.ts';
import type { VenueRouterKind } from '../data/deployments/evm-deployment.ts';
import { ZERO_ADDRESS } from '../data/zero-address.ts';
import { encodeVenueSwap } from './encode-venue-swap.ts';
import type { SwapHop, SwapPlan } from './swap-plan.ts';
import type { VenueRouter } from './swap-routers.ts';

const A = buildFakeAddress('aa', 1) as Hex;
const B = buildFakeAddress('aa', 2) as Hex;
const WRAPPED = buildFakeAddress('aa', 3) as Hex;
const WALLET = buildFakeAddress('cc', 1) as Hex;
const FACTORY = buildFakeAddress('ff', 1);
const ROUTER = buildFakeAddress('ff', 2);
const ZERO = ZERO_ADDRESS as Hex;
const SELF: Hex = '0x0000000000000000000000000000000000000002';
const AMOUNT = 12_345n;
const LEAST = 678n;
const DEADLINE = 1_900_000_000;

type Pool = SwapHop['pool'];
const MAKER = buildFakeAddress('ff', 3);
const PAIR: Pool = { kind: 'v2', pair: buildFakeAddress('dd', 1) };
const STABLE: Pool = { kind: 'solidly', pair: buildFakeAddress('dd', 2), isStable: true };
const VOLATILE: Pool = { kind: 'solidly', pair: buildFakeAddress('dd', 3), isStable: false };
const RANGE: Pool = { kind: 'v3', feePips: 2_500, tickSpacing: 50 };
const WIDE: Pool = { kind: 'v3', feePips: 10_000, tickSpacing: 200, deployer: MAKER };

/** Through pools in order: A → B, A → B → WRAPPED, or WRAPPED → A → B. */
function encode(
  kind: VenueRouterKind,
  pools: readonly Pool[],
  coin: 'in' | 'out' | 'none',
  more: Partial<SwapPlan> = {},
): Hex {
  const tokens = coin === 'in' ? [WRAPPED, A, B] : [A, B, WRAPPED];
  const hops = pools.map((pool, index) => ({
    pool,
    tokenIn: address(tokens[index] ?? ''),
    tokenOut: address(tokens[index + 1] ?? ''),
  }));
  const last = address(tokens[pools.length] ?? '');
  const plan: SwapPlan = {
    tokenIn: coin === 'in' ? ZERO_ADDRESS : address(tokens[0] ?? ''),
    tokenOut: coin === 'out' ? ZERO_ADDRESS : last,
    amountOutMin: LEAST,
    swapPaths: [{ takes: 'input', amountInRaw: AMOUNT, amountOutRaw: 700n, hops }],
    ...{ outputTaxBps: 0, recipient: address(WALLET), deadlineSeconds: DEADLINE },
    ...more,
  };
  const router: VenueRouter = {
    ...{ kind, name: kind, address: ROUTER, wrapped: address(WRAPPED), factory: FACTORY },
    ...{ venues: new Set(['v']), canDivide: false, canTax: false, isProven: false, permit2: null },
    outputCall: 'path',
  };
  const { to, data, value } = encodeVenueSwap(plan, router);
  assert.equal(to, ROUTER);
  assert.equal(value, coin === 'in' ? AMOUNT : 0n);
  return data;
}

function call(abi: Abi, functionName: string, args: readonly unknown[] = []): Hex {
  return encodeFunctionData({ abi, functionName, args } as never);
}

const END = [WALLET, BigInt(DEADLINE)] as const;
const MULTICALL_ABI = parseAbi(['function multicall(bytes[] calls)']);
const TIMED_MULTICALL_ABI = parseAbi(['function multicall(uint256 deadline, bytes[] calls)']);

describe('a call of a router', () => {
  it('a signed permit is the first of its calls, the swap the second', () => {
    const permitInput: Hex = '0xc2e3140a01';
    for (const kind of ['swapRouter', 'slipstream', 'algebra', 'algebraIntegral'] as const) {
      const data = encode(kind, [RANGE], 'none', { permitInput });
      const plain = encode(kind, [RANGE], 'none');
      assert.equal(data, call(MULTICALL_ABI, 'multicall', [[permitInput, plain]]), kind);
    }
    const smart = (more: Partial<SwapPlan>) => {
      const data = encode('smart', [RANGE], 'none', more);
      const [deadline, calls] = decodeFunctionData({ abi: TIMED_MULTICALL_ABI, data }).args;
      assert.equal(deadline, BigInt(DEADLINE));
      return calls;
    };
    assert.deepEqual(smart({ permitInput }), [permitInput, ...smart({})]);
  });

  it('router02, by the ABI of the real contract', () => {
    const { abi } = readArtifact('UniswapV2Router02');
    const name = (what: string) => `swapExact${what}SupportingFeeOnTransferTokens`;
    assert.equal(
      encode('router02', [PAIR], 'none'),
      call(abi, name('TokensForTokens'), [AMOUNT, LEAST, [A, B], ...END]),
    );
    assert.equal(
      encode('router02', [PAIR, PAIR], 'in'),
      call(abi, name('ETHForTokens'), [LEAST, [WRAPPED, A, B], ...END]),
    );
    assert.equal(
      encode('router02', [PAIR, PAIR], 'out'),
      call(abi, name('TokensForETH'), [AMOUNT, LEAST, [A, B, WRAPPED], ...END]),
    );
  });

  it('camelot: a referrer stands before the deadline', () => {
    const name = 'swapExactTokensForETHSupportingFeeOnTransferTokens';
    const abi = parseAbi([
      `function ${name}(uint256, uint256, address[], address, address, uint256)`,
      'function swapExactETHForTokensSupportingFeeOnTransferTokens(uint256, address[], address, address, uint256)',
    ]);
    const end = [WALLET, ZERO, BigInt(DEADLINE)];
    assert.equal(
      encode('camelot', [VOLATILE, STABLE], 'out'),
      call(abi, name, [AMOUNT, LEAST, [A, B, WRAPPED], ...end]),
    );
    assert.equal(
      encode('camelot', [VOLATILE], 'in'),
      call(abi, 'swapExactETHForTokensSupportingFeeOnTransferTokens', [
        LEAST,
        [WRAPPED, A],
        ...end,
      ]),
    );
  });

  it('solidly: each hop says whether its pair is stable, and of which factory', () => {
    const routes = '(address, address, bool, address)[]';
    const abi = parseAbi([
      `function swapExactTokensForTokens(uint256, uint256, ${routes}, address, uint256)`,
      `function swapExactETHForTokens(uint256, ${routes}, address, uint256)`,
      `function swapExactTokensForETH(uint256, uint256, ${routes}, address, uint256)`,
    ]);
    const [ab, bw] = [
      [A, B, true, FACTORY],
      [B, WRAPPED, false, FACTORY],
    ];
    const plain = encode('solidly', [STABLE], 'none');
    assert.equal(plain, call(abi, 'swapExactTokensForTokens', [AMOUNT, LEAST, [ab], ...END]));
    const out = encode('solidly', [STABLE, VOLATILE], 'out');
    assert.equal(out, call(abi, 'swapExactTokensForETH', [AMOUNT, LEAST, [ab, bw], ...END]));
    const spent = encode('solidly', [VOLATILE], 'in');
    const first = [WRAPPED, A, false, FACTORY];
    assert.equal(spent, call(abi, 'swapExactETHForTokens', [LEAST, [first], ...END]));
    const selectors = [plain, spent, out].map((data) => data.slice(2, 10));
    assert.deepEqual(selectors, ['cac88ea9', '903638a4', 'c6b7f1b6']);
  });

  it('swapRouter, by the ABI of the real contract', () => {
    const { abi } = readArtifact('SwapRouter');
    const path = `${A}0009c4${B.slice(2)}002710${WRAPPED.slice(2)}`;
    const swap = [path, ZERO, BigInt(DEADLINE), AMOUNT, LEAST];
    const [path_, recipient, deadline, amountIn, amountOutMinimum] = swap;
    const params = { path: path_, recipient, deadline, amountIn, amountOutMinimum };
    const calls = [
      call(abi, 'exactInput', [params]),
      call(abi, 'unwrapWETH9', [LEAST, WALLET]),
      // What the second pool did not take.
      call(abi, 'sweepToken', [B, 0n, WALLET]),
    ];
    assert.equal(encode('swapRouter', [RANGE, WIDE], 'out'), call(abi, 'multicall', [calls]));
  });

  it('swapRouter: an output that nobody vouches for is held, and swept with the minimum', () => {
    const { abi } = readArtifact('SwapRouter');
    const path = `${A}0009c4${B.slice(2)}`;
    const params = (recipient: Hex) => {
      const amounts = { amountIn: AMOUNT, amountOutMinimum: LEAST };
      return [{ path, recipient, deadline: BigInt(DEADLINE), ...amounts }];
    };
    const direct = call(abi, 'exactInput', params(WALLET));
    const held = [
      call(abi, 'exactInput', params(ZERO)),
      call(abi, 'sweepToken', [B, LEAST, WALLET]),
    ];
    const encodeHeld = (more: Partial<SwapPlan>) => encode('swapRouter', [RANGE], 'none', more);
    assert.equal(encodeHeld({}), direct);
    assert.equal(encodeHeld({ holdsOutput: true }), call(abi, 'multicall', [held]));
    // A taxed token is sent once only.
    assert.equal(encodeHeld({ holdsOutput: true, outputTaxBps: 100 }), direct);
  });

  it('slipstream and algebra: paths of tick spacings, and of tokens only', () => {
    const abi = parseAbi([
      'function exactInput((bytes, address, uint256, uint256, uint256))',
      'function multicall(bytes[])',
      'function refundETH()',
      'function refundNativeToken()',
      'function unwrapWNativeToken(uint256, address)',
      'function sweepToken(address, uint256, address)',
    ]);
    const sweep = (token: Hex) => call(abi, 'sweepToken', [token, 0n, WALLET]);
    const swap = (path: string, to: Hex) =>
      call(abi, 'exactInput', [[path, to, BigInt(DEADLINE), AMOUNT, LEAST]]);
    const spaced = `${WRAPPED}000032${A.slice(2)}0000c8${B.slice(2)}`;
    assert.equal(
      encode('slipstream', [RANGE, WIDE], 'in'),
      call(abi, 'multicall', [[swap(spaced, WALLET), sweep(A), call(abi, 'refundETH')]]),
    );
    const bare = `${A}${B.slice(2)}${WRAPPED.slice(2)}`;
    assert.equal(
      encode('algebra', [RANGE, WIDE], 'none'),
      call(abi, 'multicall', [[swap(bare, WALLET), sweep(B)]]),
    );
    const unwrap = call(abi, 'unwrapWNativeToken', [LEAST, WALLET]);
    assert.equal(
      encode('algebra', [RANGE, WIDE], 'out'),
      call(abi, 'multicall', [[swap(bare, ZERO), unwrap, sweep(B)]]),
    );
    const spent = [swap(`${WRAPPED}${A.slice(2)}`, WALLET), call(abi, 'refundNativeToken')];
    assert.equal(encode('algebra', [RANGE], 'in'), call(abi, 'multicall', [spent]));
  });

  it('algebraIntegral, by the ABI of the real contract: paths of who made each pool', () => {
    const path = `${A}${ZERO.slice(2)}${B.slice(2)}${MAKER.slice(2)}${WRAPPED.slice(2)}`;
    const { abi } = readNpmContract(
      '@cryptoalgebra/integral-periphery/artifacts/contracts/SwapRouter.sol/SwapRouter.json',
    );
    const params = { path, recipient: ZERO, deadline: BigInt(DEADLINE), amountIn: AMOUNT };
    const calls = [
      call(abi, 'exactInput', [{ ...params, amountOutMinimum: LEAST }]),
      call(abi, 'unwrapWNativeToken', [LEAST, WALLET]),
      call(abi, 'sweepToken', [B, 0n, WALLET]),
    ];
    assert.equal(encode('algebraIntegral', [RANGE, WIDE], 'out'), call(abi, 'multicall', [calls]));
  });

  it('pancakeStable: one pool is called itself, several and the coin through the router', () => {
    const contract = buildFakeAddress('dd', 4);
    const two: Pool = { kind: 'pancakeStable', contract, indexIn: 1, indexOut: 0, coinCount: 2 };
    const three: Pool = { ...two, indexIn: 0, indexOut: 2, coinCount: 3 };
    const abi = parseAbi([
      'function exchange(uint256, uint256, uint256, uint256)',
      'function exactInputStableSwap(address[], uint256[], uint256, uint256, address)',
      'function unwrapWETH9(uint256, address)',
      'function multicall(uint256, bytes[])',
    ]);
    const plain = encode('pancakeStable', [two], 'none');
    assert.equal(plain, call(abi, 'exchange', [1n, 0n, AMOUNT, LEAST]));
    assert.equal(plain.slice(2, 10), '5b41b908');
    const run = (...calls: Hex[]) => call(abi, 'multicall', [BigInt(DEADLINE), calls]);
    const swap = (path: readonly Hex[], flags: readonly bigint[], to: Hex) =>
      call(abi, 'exactInputStableSwap', [path, flags, AMOUNT, LEAST, to]);
    assert.equal(swap([A, B], [2n], WALLET).slice(2, 10), 'b4554231');
    const through = swap([A, B, WRAPPED], [2n, 3n], WALLET);
    assert.equal(encode('pancakeStable', [two, three], 'none'), run(through));
    const unwrap = call(abi, 'unwrapWETH9', [LEAST, WALLET]);
    assert.equal(
      encode('pancakeStable', [two, three], 'out'),
      run(swap([A, B, WRAPPED], [2n, 3n], SELF), unwrap),
    );
    assert.equal(encode('pancakeStable', [two], 'in'), run(swap([WRAPPED, A], [2n], WALLET)));
  });

  it('smart: a path of pairs and pools goes through the router', () => {
    const abi = parseAbi([
      'function exactInput((bytes, address, uint256, uint256))',
      'function swapExactTokensForTokens(uint256, uint256, address[], address)',
      'function multicall(uint256, bytes[])',
      'function unwrapWETH9(uint256, address)',
      'function sweepToken(address, uint256, address)',
    ]);
    const run = (...calls: Hex[]) => call(abi, 'multicall', [BigInt(DEADLINE), calls]);
    const range = (path: string, to: Hex, amount: bigint, least: bigint) =>
      call(abi, 'exactInput', [[path, to, amount, least]]);
    const ranged = `${A}0009c4${B.slice(2)}`;
    assert.equal(encode('smart', [RANGE], 'none'), run(range(ranged, WALLET, AMOUNT, LEAST)));
    assert.equal(
      encode('smart', [RANGE, PAIR], 'none'),
      run(
        range(ranged, SELF, AMOUNT, 0n),
        call(abi, 'swapExactTokensForTokens', [0n, LEAST, [B, WRAPPED], WALLET]),
      ),
    );
    assert.equal(
      encode('smart', [PAIR, RANGE], 'out'),
      run(
        call(abi, 'swapExactTokensForTokens', [AMOUNT, 0n, [A, B], SELF]),
        range(`${B}0009c4${WRAPPED.slice(2)}`, SELF, 0n, LEAST),
        call(abi, 'unwrapWETH9', [LEAST, WALLET]),
        // What the range did not take.
        call(abi, 'sweepToken', [B, 0n, WALLET]),
      ),
    );
    // Within a path of ranges, too.
    assert.equal(
      encode('smart', [RANGE, WIDE], 'none'),
      run(
        range(`${ranged}002710${WRAPPED.slice(2)}`, WALLET, AMOUNT, LEAST),
        call(abi, 'sweepToken', [B, 0n, WALLET]),
      ),
    );
  });

  it('smart: what nobody vouches for is held, but not behind a pair, whose call compares it', () => {
    const abi = parseAbi([
      'function exactInput((bytes, address, uint256, uint256))',
      'function swapExactTokensForTokens(uint256, uint256, address[], address)',
      'function multicall(uint256, bytes[])',
      'function sweepToken(address, uint256, address)',
    ]);
    const run = (...calls: Hex[]) => call(abi, 'multicall', [BigInt(DEADLINE), calls]);
    assert.equal(
      encode('smart', [RANGE], 'none', { holdsOutput: true }),
      run(
        call(abi, 'exactInput', [[`${A}0009c4${B.slice(2)}`, SELF, AMOUNT, LEAST]]),
        call(abi, 'sweepToken', [B, LEAST, WALLET]),
      ),
    );
    assert.equal(
      encode('smart', [PAIR], 'none', { holdsOutput: true }),
      run(call(abi, 'swapExactTokensForTokens', [AMOUNT, LEAST, [A, B], WALLET])),
    );
  });

  it('takes one path only', () => {
    const swapPath = { takes: 'input', amountInRaw: 1n, amountOutRaw: 1n, hops: [] } as const;
    const plan = {
      tokenIn: address(A),
      tokenOut: address(B),
      amountOutMin: 1n,
      swapPaths: [swapPath, swapPath],
    };
    const rest = { outputTaxBps: 0, recipient: address(WALLET), deadlineSeconds: DEADLINE };
    const router = { kind: 'router02', address: ROUTER } as VenueRouter;
    assert.throws(() => encodeVenueSwap({ ...plan, ...rest } as SwapPlan, router), /one path/);
  });
});
