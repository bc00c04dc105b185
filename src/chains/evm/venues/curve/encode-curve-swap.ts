// Encodes a path through pools of Curve. One pool is called itself: it takes the input from the
// wallet, which has approved it, and pays the wallet. Several pools, or one that does not hold the
// form of the coin that is traded, go through Curve's router, which wraps and unwraps as steps of
// its own. No call has a deadline.
//
// The router pays all that it holds of the output but one unit. So it pays one less than the last
// pool where it held nothing before, and as much where it kept that unit from an earlier trade.

import type { Hex } from 'viem';
import type { Address } from '../../../../model/ids.ts';
import { parseCoinPairPool } from '../../data/evm-ids.ts';
import { addressWord, encodeCallData, uintWord } from '../../data/hex-data.ts';
import { ZERO_ADDRESS } from '../../data/zero-address.ts';
import { COIN_AS_TOKEN } from '../native-coin.ts';
import type { PathPlan, PoolEnds, RouterKind, TokenEnds } from '../router-kind.ts';
import type { SwapHop } from '../swap-plan.ts';
import { CRYPTO_SELECTORS, ROUTER_EXCHANGE_SELECTOR, STABLE_SELECTORS } from './curve-selectors.ts';

/** Its routers and pools know no deadline. */
type CurvePath = Omit<PathPlan, 'deadline' | 'isNativeIn' | 'isNativeOut' | 'holdsOutput'>;

interface RouteStep {
  readonly contract: Address;
  readonly tokenOut: Address;
  /** Both indices, what is done, the pool's type and how many coins it has. */
  readonly params: readonly number[];
}

const STEPS_MAX = 5;
const PARAMS_COUNT = 5;
const SWAP = 1;
const SWAP_UNDERLYING = 2;
const WRAP_OR_UNWRAP = 8;
const STABLE = 1;
const CRYPTO = 2;
/** The number of coins is read only where liquidity is added or removed. */
const ANY = 0;

/** Whether one pool trades just what the wallet spends for what it receives. */
export function isOnePool(
  [first, ...others]: readonly TokenEnds[],
  { tokenIn, tokenOut }: TokenEnds,
): boolean {
  if (first === undefined || others.length > 0) return false;
  return first.tokenIn === tokenIn && first.tokenOut === tokenOut;
}

/** The pool that is called itself; null for other paths. */
export function findOnePool(hops: readonly PoolEnds[], ends: TokenEnds): Address | null {
  const [hop] = hops;
  const pair = hop === undefined ? null : parseCoinPairPool(hop.pool.pool);
  return pair !== null && isOnePool(hops, ends) ? pair.contract : null;
}

function requirePool({ pool }: SwapHop) {
  if (pool.kind !== 'curve') throw new Error(`${pool.kind} pool in a path of Curve`);
  return pool;
}

function encodePoolCall({ hops: [hop], amountIn, amountOutMin }: CurvePath): string {
  if (hop === undefined) throw new Error('a path without hops');
  const { indexIn, indexOut, isStable, isUnderlying } = requirePool(hop);
  const { exchange, exchangeUnderlying } = isStable ? STABLE_SELECTORS : CRYPTO_SELECTORS;
  const words = [indexIn, indexOut, amountIn, amountOutMin].map(uintWord);
  return encodeCallData(isUnderlying ? exchangeUnderlying : exchange, ...words);
}

function listSteps({ hops, tokenIn, tokenOut }: CurvePath, wrapped: Address): RouteStep[] {
  const steps: RouteStep[] = [];
  let held = tokenIn;
  const convert = (wanted: Address) => {
    if (held === wanted) return;
    const params = [ANY, ANY, WRAP_OR_UNWRAP, ANY, ANY];
    steps.push({ contract: wrapped, tokenOut: wanted, params });
  };
  for (const hop of hops) {
    const { contract, indexIn, indexOut, isStable, isUnderlying } = requirePool(hop);
    const done = isUnderlying ? SWAP_UNDERLYING : SWAP;
    const params = [indexIn, indexOut, done, isStable ? STABLE : CRYPTO, ANY];
    convert(hop.tokenIn);
    steps.push({ contract, tokenOut: hop.tokenOut, params });
    held = hop.tokenOut;
  }
  convert(tokenOut);
  if (steps.length > STEPS_MAX) throw new Error("more steps than Curve's router takes");
  return steps;
}

function toCurveToken(token: Address): Address {
  return token === ZERO_ADDRESS ? COIN_AS_TOKEN : token;
}

function encodeRouterCall(path: CurvePath, wrapped: Address): string {
  const { tokenIn, amountIn, amountOutMin, recipient } = path;
  const steps = listSteps(path, wrapped);
  const route = [
    toCurveToken(tokenIn),
    ...steps.flatMap(({ contract, tokenOut }) => [contract, toCurveToken(tokenOut)]),
  ];
  const nowhere = Array.from({ length: 2 * STEPS_MAX + 1 - route.length }, () => ZERO_ADDRESS);
  const params = steps.flatMap((step) => step.params);
  const nothing = Array.from({ length: STEPS_MAX * PARAMS_COUNT - params.length }, () => 0);
  const noZaps = Array.from({ length: STEPS_MAX }, () => ZERO_ADDRESS);
  return encodeCallData(
    ROUTER_EXCHANGE_SELECTOR,
    ...[...route, ...nowhere].map(addressWord),
    ...[...params, ...nothing, amountIn, amountOutMin].map(uintWord),
    ...[...noZaps, recipient].map((one) => uintWord(BigInt(one))),
  );
}

export const CURVE_ROUTER: RouterKind = {
  proof: { executedBy: 'standIn', source: 'devnet/contracts/CurveStandIns.sol' },
  keepsUnit: true,
  hasNoDeadline: true,
  encodeSwap(path, { wrapped }) {
    const data = isOnePool(path.hops, path)
      ? encodePoolCall(path)
      : encodeRouterCall(path, wrapped);
    return data as Hex;
  },
  findContract: findOnePool,
};
