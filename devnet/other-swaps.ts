// Encodes trades at other exchanges than Uniswap, and who must be approved for them.

import {
  type Address,
  encodeFunctionData,
  encodePacked,
  type Hex,
  maxUint256,
  zeroAddress,
} from 'viem';
import type { TxRequest } from './block-writer.ts';
import type { Deployment, OtherContracts } from './deployment.ts';
import { BALANCER_ABI, CURVE_ROUTER_ABI, PANCAKE_ABI, SOLIDLY_ABI } from './other-abi.ts';
import { isStablePair, type OtherVenue } from './pool-list.ts';
import { findDirection, type SwapRequest } from './swap-calldata.ts';

const SWAP_GAS = 450_000n;
/** As PancakeSwap's router calls itself. */
const ROUTER: Address = '0x0000000000000000000000000000000000000002';
const GIVEN_IN = 0;

/** What Curve's router is told of a step: swap, in a stable pool. */
const CURVE_SWAP = [1n, 1n, 0n] as const;
const NO_STEP = [0n, 0n, 0n, 0n, 0n] as const;

type OtherDeployment = Pick<Deployment, 'others' | 'curve'>;

interface OtherRequest extends Omit<SwapRequest, 'contracts'> {
  readonly deployment: OtherDeployment;
}

const OTHER_VENUES: Readonly<Record<OtherVenue, true>> = {
  ...{ 'solidly-v2': true, 'pancakeswap-v3': true },
  ...{ 'balancer-v2': true, curve: true },
};

export function isOtherVenue(venue: string): venue is OtherVenue {
  return Object.hasOwn(OTHER_VENUES, venue);
}

function requireOthers({ others }: OtherDeployment): OtherContracts {
  if (others === undefined) throw new Error('the devnet has no other exchanges');
  return others.contracts;
}

/** Takes the tokens of a trade there. */
export function findOtherSpender(venue: OtherVenue, deployment: OtherDeployment): Address {
  if (venue === 'curve') {
    if (deployment.curve === undefined) throw new Error('the devnet has no Curve');
    return deployment.curve.router;
  }
  const others = requireOthers(deployment);
  if (venue === 'solidly-v2') return others.solidlyRouter;
  return venue === 'pancakeswap-v3' ? others.pancakeRouter : others.balancerVault;
}

function encodeSolidly(request: OtherRequest, ends: { isEtherIn: boolean; isEtherOut: boolean }) {
  const { pool, wallet, amountInRaw, deployment } = request;
  const { currencyIn: from, currencyOut: to } = findDirection(request);
  const factory = requireOthers(deployment).solidlyFactory;
  const routes = [{ from, to, stable: isStablePair(pool), factory }];
  const tail = [0n, routes, wallet, maxUint256] as const;
  const abi = SOLIDLY_ABI;
  if (ends.isEtherIn) {
    return encodeFunctionData({ abi, functionName: 'swapExactETHForTokens', args: tail });
  }
  const functionName = ends.isEtherOut ? 'swapExactTokensForETH' : 'swapExactTokensForTokens';
  return encodeFunctionData({ abi, functionName, args: [amountInRaw, ...tail] });
}

function encodePancake(request: OtherRequest, { isEtherOut }: { isEtherOut: boolean }): Hex {
  const { pool, wallet, amountInRaw } = request;
  const { currencyIn, currencyOut } = findDirection(request);
  const path = encodePacked(
    ['address', 'uint24', 'address'],
    [currencyIn, pool.feePips, currencyOut],
  );
  const recipient = isEtherOut ? ROUTER : wallet;
  const swap = { path, recipient, amountIn: amountInRaw, amountOutMinimum: 0n };
  const abi = PANCAKE_ABI;
  const calls = [encodeFunctionData({ abi, functionName: 'exactInput', args: [swap] })];
  if (isEtherOut) {
    calls.push(encodeFunctionData({ abi, functionName: 'unwrapWETH9', args: [0n, wallet] }));
  }
  return encodeFunctionData({ abi, functionName: 'multicall', args: [maxUint256, calls] });
}

function encodeBalancer(request: OtherRequest, ends: { isEtherIn: boolean; isEtherOut: boolean }) {
  const { pool, wallet, amountInRaw } = request;
  const { currencyIn, currencyOut } = findDirection(request);
  const swap = {
    ...{ poolId: pool.id, kind: GIVEN_IN, amount: amountInRaw, userData: '0x' as const },
    assetIn: ends.isEtherIn ? zeroAddress : currencyIn,
    assetOut: ends.isEtherOut ? zeroAddress : currencyOut,
  };
  const inside = { fromInternalBalance: false, toInternalBalance: false };
  const funds = { sender: wallet, recipient: wallet, ...inside };
  const args = [swap, funds, 0n, maxUint256] as const;
  return encodeFunctionData({ abi: BALANCER_ABI, functionName: 'swap', args });
}

/** The coins of a pool are in the order of their addresses; none of them is ether. */
function encodeCurve(request: OtherRequest): Hex {
  const { pool, wallet, amountInRaw } = request;
  const { currencyIn, currencyOut, zeroForOne } = findDirection(request);
  const [sold, bought] = zeroForOne ? [0n, 1n] : [1n, 0n];
  const none = zeroAddress;
  const route = [
    ...[currencyIn, pool.id, currencyOut],
    ...[none, none, none, none, none, none, none, none],
  ] as const;
  const steps = [[sold, bought, ...CURVE_SWAP], NO_STEP, NO_STEP, NO_STEP, NO_STEP] as const;
  const zaps = [none, none, none, none, none] as const;
  const args = [route, steps, amountInRaw, 0n, zaps, wallet] as const;
  return encodeFunctionData({ abi: CURVE_ROUTER_ABI, functionName: 'exchange', args });
}

/** The input must be approved for `findOtherSpender`, unless it is ether. */
export function buildOtherSwap(request: OtherRequest): TxRequest {
  const { pool, wallet, side, amountInRaw, deployment } = request;
  const isEther = pool.quote === 'weth';
  const ends = { isEtherIn: isEther && side === 'buy', isEtherOut: isEther && side === 'sell' };
  const encoders = {
    'solidly-v2': encodeSolidly,
    'pancakeswap-v3': encodePancake,
    'balancer-v2': encodeBalancer,
    curve: encodeCurve,
  };
  if (!isOtherVenue(pool.venue)) throw new Error(`${pool.venue} is one of Uniswap`);
  return {
    ...{ from: wallet, to: findOtherSpender(pool.venue, deployment) },
    data: encoders[pool.venue](request, ends),
    ...{ value: ends.isEtherIn ? amountInRaw : 0n, gas: SWAP_GAS },
  };
}
