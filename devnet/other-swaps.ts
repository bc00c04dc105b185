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
import type { OtherContracts } from './deployment.ts';
import { BALANCER_ABI, PANCAKE_ABI, SOLIDLY_ABI } from './other-abi.ts';
import { isStablePair, type OtherVenue } from './pool-list.ts';
import { findDirection, type SwapRequest } from './swap-calldata.ts';

const SWAP_GAS = 450_000n;
/** As PancakeSwap's router calls itself. */
const ROUTER: Address = '0x0000000000000000000000000000000000000002';
const GIVEN_IN = 0;

type OtherRequest = Omit<SwapRequest, 'contracts'> & { readonly others: OtherContracts };

export function isOtherVenue(venue: string): venue is OtherVenue {
  return venue === 'solidly-v2' || venue === 'pancakeswap-v3' || venue === 'balancer-v2';
}

/** Takes the tokens of a trade there. */
export function findOtherSpender(venue: OtherVenue, others: OtherContracts): Address {
  if (venue === 'solidly-v2') return others.solidlyRouter;
  return venue === 'pancakeswap-v3' ? others.pancakeRouter : others.balancerVault;
}

function encodeSolidly(request: OtherRequest, ends: { isEtherIn: boolean; isEtherOut: boolean }) {
  const { pool, wallet, amountInRaw, others } = request;
  const { currencyIn: from, currencyOut: to } = findDirection(request);
  const factory = others.solidlyFactory;
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

/** The input must be approved for `findOtherSpender`, unless it is ether. */
export function buildOtherSwap(request: OtherRequest): TxRequest {
  const { pool, wallet, side, amountInRaw, others } = request;
  const isEther = pool.quote === 'weth';
  const ends = { isEtherIn: isEther && side === 'buy', isEtherOut: isEther && side === 'sell' };
  const encoders = {
    'solidly-v2': encodeSolidly,
    'pancakeswap-v3': encodePancake,
    'balancer-v2': encodeBalancer,
  };
  if (!isOtherVenue(pool.venue)) throw new Error(`${pool.venue} is one of Uniswap`);
  return {
    ...{ from: wallet, to: findOtherSpender(pool.venue, others) },
    data: encoders[pool.venue](request, ends),
    ...{ value: ends.isEtherIn ? amountInRaw : 0n, gas: SWAP_GAS },
  };
}
