// Encodes the liquidity provider's calls to each exchange.

import {
  type Address,
  encodeAbiParameters,
  encodeFunctionData,
  type Hex,
  keccak256,
  maxUint128,
  maxUint256,
  parseAbiParameters,
} from 'viem';
import type { TxRequest } from './block-writer.ts';
import type { DevnetContracts, DevnetPool } from './deployment.ts';
import { V2_ROUTER_ABI, V3_POSITIONS_ABI, V4_POSITIONS_ABI } from './dex-abi.ts';

export type PoolKeyFields = Pick<
  DevnetPool,
  'currency0' | 'currency1' | 'feePips' | 'tickSpacing' | 'hooks'
>;

const V4_ACTION = {
  increase: '00',
  decrease: '01',
  mint: '02',
  settlePair: '0d',
  takePair: '11',
  sweep: '14',
} as const;

const MINT_PARAMETERS = parseAbiParameters([
  'PoolKey key, int24 tickLower, int24 tickUpper, uint256 liquidity, uint128 amount0Max, uint128 amount1Max, address owner, bytes hookData',
  'struct PoolKey { address currency0; address currency1; uint24 fee; int24 tickSpacing; address hooks; }',
]);
const CHANGE_PARAMETERS = parseAbiParameters(
  'uint256 tokenId, uint256 liquidity, uint128 amount0Limit, uint128 amount1Limit, bytes hookData',
);
const LIQUIDITY_GAS = 700_000n;

export function toPoolKey(pool: PoolKeyFields) {
  const { currency0, currency1, tickSpacing, hooks } = pool;
  return { currency0, currency1, fee: pool.feePips, tickSpacing, hooks };
}

export function computePoolId(pool: PoolKeyFields): Hex {
  return keccak256(
    encodeAbiParameters(parseAbiParameters('address, address, uint24, int24, address'), [
      pool.currency0,
      pool.currency1,
      pool.feePips,
      pool.tickSpacing,
      pool.hooks,
    ]),
  );
}

function encodeV4Actions(actions: readonly string[], params: readonly Hex[]): Hex {
  const unlockData = encodeAbiParameters(parseAbiParameters('bytes, bytes[]'), [
    `0x${actions.join('')}`,
    params,
  ]);
  return encodeFunctionData({
    abi: V4_POSITIONS_ABI,
    functionName: 'modifyLiquidities',
    args: [unlockData, maxUint256],
  });
}

function encodePair(pool: PoolKeyFields): Hex {
  const { currency0, currency1 } = pool;
  return encodeAbiParameters(parseAbiParameters('address, address'), [currency0, currency1]);
}

/** Pays for the liquidity and refunds excess of the first, native, currency. */
function encodeV4Payment(
  pool: PoolKeyFields,
  owner: Address,
): { actions: string[]; params: Hex[] } {
  const sweep = encodeAbiParameters(parseAbiParameters('address, address'), [
    pool.currency0,
    owner,
  ]);
  return {
    actions: [V4_ACTION.settlePair, V4_ACTION.sweep],
    params: [encodePair(pool), sweep],
  };
}

export function encodeV4Mint(
  pool: PoolKeyFields,
  position: { tickLower: number; tickUpper: number; liquidity: bigint; owner: Address },
): Hex {
  const { tickLower, tickUpper, liquidity, owner } = position;
  const limits = [maxUint128, maxUint128] as const;
  const mint = encodeAbiParameters(MINT_PARAMETERS, [
    ...([toPoolKey(pool), tickLower, tickUpper, liquidity] as const),
    ...limits,
    owner,
    '0x',
  ]);
  const payment = encodeV4Payment(pool, owner);
  return encodeV4Actions([V4_ACTION.mint, ...payment.actions], [mint, ...payment.params]);
}

/** The amounts of both currencies, in sorted order. */
export interface LiquidityAmounts {
  readonly amount0: bigint;
  readonly amount1: bigint;
}

interface LiquidityChange {
  readonly pool: DevnetPool;
  readonly contracts: DevnetContracts;
  readonly owner: Address;
}

function splitDeposit({ pool, contracts }: LiquidityChange, amounts: LiquidityAmounts) {
  const wethFirst = pool.currency0 === contracts.weth;
  return {
    token: wethFirst ? pool.currency1 : pool.currency0,
    tokenAmount: wethFirst ? amounts.amount1 : amounts.amount0,
    ethAmount: wethFirst ? amounts.amount0 : amounts.amount1,
  };
}

/** Adds to the owner's position; V4 uses `liquidity`, V2 and V3 the amounts. */
export function buildAddLiquidity(
  change: LiquidityChange,
  size: LiquidityAmounts & { readonly liquidity: bigint },
): TxRequest {
  const { pool, contracts, owner } = change;
  const { amount0, amount1, liquidity } = size;
  const positionId = BigInt(pool.positionId || 0);
  if (pool.venue === 'uniswap-v2') {
    const { token, tokenAmount, ethAmount } = splitDeposit(change, size);
    const data = encodeFunctionData({
      abi: V2_ROUTER_ABI,
      functionName: 'addLiquidityETH',
      args: [token, tokenAmount, 0n, 0n, owner, maxUint256],
    });
    return { from: owner, to: contracts.v2Router, data, value: ethAmount, gas: LIQUIDITY_GAS };
  }
  if (pool.venue === 'uniswap-v3') {
    const amounts = { amount0Desired: amount0, amount1Desired: amount1 };
    const params = { tokenId: positionId, ...amounts, ...NO_MINIMUM, deadline: maxUint256 };
    const data = encodeFunctionData({
      abi: V3_POSITIONS_ABI,
      functionName: 'increaseLiquidity',
      args: [params],
    });
    return { from: owner, to: contracts.v3PositionManager, data, gas: LIQUIDITY_GAS };
  }
  const payment = encodeV4Payment(pool, owner);
  const limits = [maxUint128, maxUint128] as const;
  const args = [positionId, liquidity, ...limits, '0x'] as const;
  const increase = encodeAbiParameters(CHANGE_PARAMETERS, args);
  const data = encodeV4Actions(
    [V4_ACTION.increase, ...payment.actions],
    [increase, ...payment.params],
  );
  // Twice the estimate: the price may have moved, and the rest is refunded in the same call.
  const value = BigInt(pool.currency0) === 0n ? amount0 * 2n : 0n;
  return { from: owner, to: contracts.v4PositionManager, data, value, gas: LIQUIDITY_GAS };
}

const NO_MINIMUM = { amount0Min: 0n, amount1Min: 0n } as const;

/** Removes liquidity from the owner's position and pays it to the owner. */
export function buildRemoveLiquidity(change: LiquidityChange, liquidity: bigint): TxRequest {
  const { pool, contracts, owner } = change;
  const positionId = BigInt(pool.positionId || 0);
  if (pool.venue === 'uniswap-v2') {
    const { token } = splitDeposit(change, { amount0: 0n, amount1: 0n });
    const data = encodeFunctionData({
      abi: V2_ROUTER_ABI,
      functionName: 'removeLiquidityETHSupportingFeeOnTransferTokens',
      args: [token, liquidity, 0n, 0n, owner, maxUint256],
    });
    return { from: owner, to: contracts.v2Router, data, gas: LIQUIDITY_GAS };
  }
  if (pool.venue === 'uniswap-v3') {
    const decrease = { tokenId: positionId, liquidity, ...NO_MINIMUM, deadline: maxUint256 };
    const all = { amount0Max: maxUint128, amount1Max: maxUint128 };
    const collect = { tokenId: positionId, recipient: owner, ...all };
    const calls = [
      encodeFunctionData({
        abi: V3_POSITIONS_ABI,
        functionName: 'decreaseLiquidity',
        args: [decrease],
      }),
      encodeFunctionData({ abi: V3_POSITIONS_ABI, functionName: 'collect', args: [collect] }),
    ];
    const data = encodeFunctionData({
      abi: V3_POSITIONS_ABI,
      functionName: 'multicall',
      args: [calls],
    });
    return { from: owner, to: contracts.v3PositionManager, data, gas: LIQUIDITY_GAS };
  }
  const decrease = encodeAbiParameters(CHANGE_PARAMETERS, [positionId, liquidity, 0n, 0n, '0x']);
  const take = encodeAbiParameters(parseAbiParameters('address, address, address'), [
    pool.currency0,
    pool.currency1,
    owner,
  ]);
  const data = encodeV4Actions([V4_ACTION.decrease, V4_ACTION.takePair], [decrease, take]);
  return { from: owner, to: contracts.v4PositionManager, data, gas: LIQUIDITY_GAS };
}
