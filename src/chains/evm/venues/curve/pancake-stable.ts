// PancakeSwap's stable pools: contracts like Curve's older ones, with a log that Curve's crypto
// pools have, too. What tells them apart is the factory that knows the pool. Pools that hold the
// native coin itself are stored by their trades alone: its smart router cannot pay them.

import type { Hex } from 'viem';
import { encodeFunctionData, parseAbi } from 'viem/utils';
import type { Address } from '../../../../model/ids.ts';
import type { PoolDescription } from '../../../../model/pool.ts';
import type { EvmDeployment } from '../../data/deployments/evm-deployment.ts';
import { type CoinPair, toCoinPairPool } from '../../data/evm-ids.ts';
import {
  addressWord,
  decodeAddressAt,
  encodeCallData,
  hasWordAt,
  hasWords,
  uintWord,
} from '../../data/hex-data.ts';
import { ZERO_ADDRESS } from '../../data/zero-address.ts';
import type { CallContracts } from '../../rpc/multicall.ts';
import { listPairs } from '../list-pairs.ts';
import { COIN_AS_TOKEN, readCoin } from '../native-coin.ts';
import { listTokens, type PathPlan, type RouterKind } from '../router-kind.ts';
import type { SwapHop } from '../swap-plan.ts';
import { describeUnpriced } from '../unpriced-pools.ts';
import type { PoolSearch } from '../venue-protocol.ts';
import { findOnePool, isOnePool } from './encode-curve-swap.ts';

export const PANCAKE_STABLE_VENUE = 'pancakeswap-stable';
export const COIN_SELECTOR = '0xc6610657';
export const PAIR_INFO_SELECTOR = '0x400f7a1e';
export const TRIPLE_INFO_SELECTOR = '0x923093cb';
/** No pool has more. */
const COINS_MAX = 3;

/** What changes balances, amplification or fees, in pools of two and of three coins. */
export const PANCAKE_TOPICS: ReadonlyMap<string, number> = new Map([
  ['0x26f55a85081d24974e85c6c00045d0f0453991e95873f52bff0d21af4079a768', 2], // AddLiquidity
  ['0x423f6495a08fc652425cf4ed0d1f9e37e571d9b9529b1c1c23cce780b2e7df0d', 2],
  ['0x7c363854ccf79623411f8995b362bce5eddff18c927edc6f5dbbb5e05819a82c', 2], // RemoveLiquidity
  ['0xa49d4cf02656aebf8c771f5a8585638a2a15ee6c97cf7205d4208ed7c1df252d', 2],
  ['0x5ad056f2e28a8cec232015406b843668c1e36cda598127ec3b8c59b8c72773a0', 2], // …One
  ['0x2b5508378d7e19e0d5fa338419034731416c4f5b219a10379956f764317fd47e', 2], // …Imbalance
  ['0x173599dbf9c6ca6f7c3b590df07ae98a45d74ff54065505141e7de6c46a624c2', 2],
  ['0xbe12859b636aed607d5230b2cc2711f68d70e51060e6cca1f575ef5d2fcc95d1', 1], // NewFee
  ['0x2c7203581ca666b8c5094c11c03f0b19b3750234a9d281bcbc88a260bcb006de', 1], // DonateAdminFees
  ['0xbe26733c2bf6ff3ea5ba8cfe744422bd49052ff9ed5685c9e81e6f9321dbaddd', 1], // Kill
  ['0x061284ffa2814ace135f62907c78a7cff0f070efe7e6a0a42740ea1da2c8bdc8', 1], // Unkill
]);

interface PancakeContext {
  readonly deployment: EvmDeployment;
  readonly callContracts: CallContracts;
}

/** The pool's own coins, until it has no more. */
async function readOwnCoins(
  contracts: readonly Address[],
  callContracts: CallContracts,
): Promise<Address[][]> {
  const answers = await callContracts(
    contracts.flatMap((to) =>
      Array.from({ length: COINS_MAX }, (_, index) => ({
        ...{ to, data: encodeCallData(COIN_SELECTOR, uintWord(index)) },
      })),
    ),
  );
  return contracts.map((_, index) => {
    const own = answers.slice(index * COINS_MAX, (index + 1) * COINS_MAX);
    const end = own.findIndex((answer) => answer === null || !hasWords(answer, 1));
    const coins = end < 0 ? own : own.slice(0, end);
    return coins.map((answer) => decodeAddressAt(answer ?? '', 0));
  });
}

/** The rows whose pool one of the factories has for its coins. */
export async function resolvePancakeStable(
  pairs: readonly CoinPair[],
  { deployment, callContracts }: PancakeContext,
): Promise<PoolDescription[]> {
  const { pancakeStable: factories = [] } = deployment;
  const asked = pairs.filter(({ isUnderlying }) => !isUnderlying);
  if (factories.length === 0 || asked.length === 0) return [];
  const contracts = asked.map(({ contract }) => contract);
  const coinsOf = await readOwnCoins(contracts, callContracts);
  const claims = asked.flatMap((pair, index) => {
    const coins = coinsOf[index] ?? [];
    return coins.length >= 2 ? [{ pair, coins }] : [];
  });
  const answers = await callContracts(
    claims.flatMap(({ coins }) => {
      const selector = coins.length === 2 ? PAIR_INFO_SELECTOR : TRIPLE_INFO_SELECTOR;
      const data = encodeCallData(selector, ...coins.slice(0, 2).map(addressWord));
      return factories.map((to) => ({ to, data }));
    }),
  );
  return claims.flatMap(({ pair, coins }, index): PoolDescription[] => {
    const { contract: vault, lower, upper } = pair;
    const own = answers.slice(index * factories.length, (index + 1) * factories.length);
    const isKnown = own.some(
      (answer) => answer !== null && hasWordAt(answer, 0) && decodeAddressAt(answer, 0) === vault,
    );
    const [token0, token1] = [coins[lower], coins[upper]];
    if (!isKnown || token0 === undefined || token1 === undefined) return [];
    const tokens = { token0: readCoin(token0), token1: readCoin(token1) };
    const pool = toCoinPairPool(pair);
    const place = { pool, venue: PANCAKE_STABLE_VENUE, vault, feePips: 0, ...tokens };
    if (coins.includes(COIN_AS_TOKEN)) return [describeUnpriced(place)];
    return [{ ...place, kind: 'stableSwap', terms: { coinCount: coins.length } }];
  });
}

/** The pools that the factories have for a token and each quote asset. */
export async function findPancakeStable(
  { token, quotes }: PoolSearch,
  context: PancakeContext,
): Promise<PoolDescription[]> {
  const { pancakeStable: factories = [] } = context.deployment;
  if (factories.length === 0) return [];
  const pairs = listPairs({ token, quotes });
  const answers = await context.callContracts(
    pairs.flatMap(({ token0, token1 }) =>
      factories.flatMap((to) =>
        [PAIR_INFO_SELECTOR, TRIPLE_INFO_SELECTOR].map((selector) => ({
          ...{ to, data: encodeCallData(selector, addressWord(token0), addressWord(token1)) },
        })),
      ),
    ),
  );
  const width = factories.length * 2;
  const found = pairs.flatMap((pair, index) => {
    const own = answers.slice(index * width, (index + 1) * width);
    const contracts = own.flatMap((answer) =>
      answer === null || !hasWordAt(answer, 0) ? [] : [decodeAddressAt(answer, 0)],
    );
    const pools = new Set(contracts.filter((contract) => contract !== ZERO_ADDRESS));
    return Array.from(pools, (contract) => ({ contract, ...pair }));
  });
  const contracts = found.map(({ contract }) => contract);
  const coinsOf = await readOwnCoins(contracts, context.callContracts);
  const rows = found.flatMap(({ contract, token0, token1 }, index) => {
    const coins = coinsOf[index] ?? [];
    const [lower = -1, upper = -1] = [token0, token1]
      .map((one) => coins.indexOf(one))
      .sort((a, b) => a - b);
    return lower < 0 ? [] : [{ contract, lower, upper, isUnderlying: false }];
  });
  return await resolvePancakeStable(rows, context);
}

/** A hop through such a pool, as its routers take it. */
interface StableHop {
  readonly contract: Address;
  readonly indexIn: number;
  readonly indexOut: number;
  readonly coinCount: number;
}

const SMART_ABI = parseAbi([
  'function exactInputStableSwap(address[] path, uint256[] flag, uint256 amountIn, uint256 amountOutMin, address to) payable returns (uint256)',
  'function unwrapWETH9(uint256 amountMinimum, address recipient) payable',
  'function multicall(uint256 deadline, bytes[] calls) payable returns (bytes[])',
]);
const POOL_ABI = parseAbi([
  'function exchange(uint256 i, uint256 j, uint256 amount, uint256 least) payable',
]);
/** As the smart router calls itself. */
const SMART_SELF: Hex = '0x0000000000000000000000000000000000000002';

function requireStable({ pool }: SwapHop): StableHop {
  if (pool.kind !== 'pancakeStable') throw new Error(`${pool.kind} pool in a path of stable pools`);
  return pool;
}

/**
 * Several pools, or one and the coin wrapped, go through the smart router. It finds each pool by
 * its tokens and its number of coins, spends all that it holds of each token, and pays all that it
 * holds of the last.
 */
function encodeSmartSwap(plan: PathPlan): Hex {
  const { hops, amountIn, amountOutMin, recipient, isNativeOut, deadline } = plan;
  const abi = SMART_ABI;
  const flags = hops.map((hop) => BigInt(requireStable(hop).coinCount));
  const to = isNativeOut ? SMART_SELF : recipient;
  const args = [listTokens(hops), flags, amountIn, amountOutMin, to] as const;
  const calls = [encodeFunctionData({ abi, functionName: 'exactInputStableSwap', args })];
  if (isNativeOut) {
    const own = [amountOutMin, recipient] as const;
    calls.push(encodeFunctionData({ abi, functionName: 'unwrapWETH9', args: own }));
  }
  return encodeFunctionData({ abi, functionName: 'multicall', args: [deadline, calls] });
}

/** A single pool is called itself: it takes the input from the wallet and pays the wallet. */
export const PANCAKE_STABLE_ROUTER: RouterKind = {
  proof: { executedBy: 'standIn', source: 'test/contracts/pancake-stable.sol' },
  keepsUnit: true,
  hasNoDeadline: true,
  encodeSwap(plan) {
    const [hop] = plan.hops;
    if (hop === undefined || !isOnePool(plan.hops, plan)) return encodeSmartSwap(plan);
    const { indexIn, indexOut } = requireStable(hop);
    const args = [BigInt(indexIn), BigInt(indexOut), plan.amountIn, plan.amountOutMin] as const;
    return encodeFunctionData({ abi: POOL_ABI, functionName: 'exchange', args });
  },
  findContract: findOnePool,
};

declare module '../swap-plan.ts' {
  interface RouterPools {
    readonly pancakeStable: StableHop;
  }
}

declare module '../../data/deployments/evm-deployment.ts' {
  interface VenueContracts {
    /** The factories; absent if there are none. */
    readonly pancakeStable?: readonly Address[];
  }

  interface RouterKindNames {
    /** PancakeSwap's smart router for paths of stable pools; a single pool is called itself. */
    readonly pancakeStable: true;
  }
}
