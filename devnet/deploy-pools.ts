// Opens the pools of the devnet and fills them with the maker's liquidity.

import {
  type Address,
  encodeAbiParameters,
  encodeFunctionData,
  encodePacked,
  getContractAddress,
  type Hex,
  keccak256,
  maxUint48,
  maxUint160,
  maxUint256,
  parseAbiParameters,
  zeroAddress,
} from 'viem';
import { computeSquareRoot } from '../src/lib/bigint-bounds.ts';
import { MAKER } from './accounts.ts';
import type { BlockWriter } from './block-writer.ts';
import { computeInitCodeHashes } from './deploy-contracts.ts';
import type { DevnetContracts, DevnetPool, DevnetToken } from './deployment.ts';
import {
  ERC20_ABI,
  PERMIT2_ABI,
  V2_ROUTER_ABI,
  V3_POSITIONS_ABI,
  V4_MANAGER_ABI,
  WETH_ABI,
} from './dex-abi.ts';
import { computePoolId, encodeV4Mint, toPoolKey } from './liquidity-calldata.ts';
import { POOL_LIST, type PoolSpec } from './pool-list.ts';
import { ETH_PRICE_MICRO_USD, TOKEN_LIST, toRawAmount } from './token-list.ts';

const TICK_MAX = 887_272;
const WRAPPED_AT_START = 60_000n * 10n ** 18n;
const APPROVE_GAS = 80_000n;
const OPEN_V2_GAS = 3_500_000n;
const OPEN_V3_GAS = 5_500_000n;
const MINT_GAS = 900_000n;

/**
 * Positions around the opening price, each of the same liquidity: half-width in ticks and the share
 * of the full range's amounts in it. So swaps cross ticks, as on real chains. No more than needed:
 * the node hashes its whole state for every block.
 */
export const RANGES: readonly { readonly halfWidth: number; readonly sharePpm: bigint }[] = [
  { halfWidth: TICK_MAX, sharePpm: 1_000_000n },
  { halfWidth: 1_200, sharePpm: 58_200n },
];

export interface PoolScene {
  readonly writer: BlockWriter;
  readonly contracts: DevnetContracts;
  readonly tokens: readonly DevnetToken[];
}

export function findCurrency({ contracts, tokens }: PoolScene, key: string): Address {
  if (key === 'weth') return contracts.weth;
  if (key === 'eth') return zeroAddress;
  const token = tokens.find((candidate) => candidate.key === key);
  if (token === undefined) throw new Error(`no token ${key}`);
  return token.address;
}

export function computeDepthRaw(key: string, depthUsd: bigint): bigint {
  const ether = { decimals: 18, priceMicroUsd: ETH_PRICE_MICRO_USD };
  const token = key === 'weth' || key === 'eth' ? ether : TOKEN_LIST.find((t) => t.key === key);
  if (token === undefined) throw new Error(`no token ${key}`);
  return toRawAmount(token, depthUsd);
}

function derivePoolAddress(scene: PoolScene, pool: Omit<DevnetPool, 'id'>): Hex {
  if (pool.venue === 'uniswap-v4') return computePoolId(pool);
  const { currency0, currency1, feePips } = pool;
  const { v2Factory, v3Factory } = scene.contracts;
  const hashes = computeInitCodeHashes();
  const [from, bytecodeHash, salt] =
    pool.venue === 'uniswap-v2'
      ? [v2Factory, hashes.pair, encodePacked(['address', 'address'], [currency0, currency1])]
      : [v3Factory, hashes.pool, encodeV3Salt({ currency0, currency1, feePips })];
  const address = getContractAddress({
    opcode: 'CREATE2',
    from,
    bytecodeHash,
    salt: keccak256(salt),
  });
  return address.toLowerCase() as Hex;
}

function encodeV3Salt(pool: Pick<DevnetPool, 'currency0' | 'currency1' | 'feePips'>): Hex {
  const { currency0, currency1, feePips } = pool;
  return encodeAbiParameters(parseAbiParameters('address, address, uint24'), [
    currency0,
    currency1,
    feePips,
  ]);
}

/** All of it but what the exchange decides: the id, and a position. */
export function describePool(scene: PoolScene, spec: PoolSpec): Omit<DevnetPool, 'id'> {
  const sides = [spec.token, spec.quote].map((key) => ({
    address: findCurrency(scene, key),
    amount: computeDepthRaw(key, spec.depthUsd),
  }));
  sides.sort((a, b) => (BigInt(a.address) < BigInt(b.address) ? -1 : 1));
  const [first, second] = sides;
  if (first === undefined || second === undefined) throw new Error('a pool has two sides');
  return {
    venue: spec.venue,
    token: spec.token,
    tokenAddress: findCurrency(scene, spec.token),
    quote: spec.quote,
    currency0: first.address,
    currency1: second.address,
    feePips: spec.feePips,
    tickSpacing: spec.tickSpacing,
    hooks: spec.hooked ? scene.contracts.v4Hook : zeroAddress,
    positionId: '',
    opening: { amount0Raw: String(first.amount), amount1Raw: String(second.amount) },
  };
}

function buildPool(scene: PoolScene, spec: PoolSpec, positionId: string): DevnetPool {
  const pool = { ...describePool(scene, spec), positionId };
  return { ...pool, id: derivePoolAddress(scene, pool) };
}

export function computeOpening(pool: DevnetPool) {
  const amount0 = BigInt(pool.opening.amount0Raw);
  const amount1 = BigInt(pool.opening.amount1Raw);
  return { amount0, amount1, sqrtPriceX96: computeSquareRoot((amount1 << 192n) / amount0) };
}

export function planTicks(pool: DevnetPool, halfWidth: number) {
  const { amount0, amount1 } = computeOpening(pool);
  const { tickSpacing } = pool;
  const align = (tick: number) => Math.floor(tick / tickSpacing) * tickSpacing;
  const edge = align(TICK_MAX);
  if (halfWidth >= TICK_MAX) return { tickLower: -edge, tickUpper: edge };
  const centre = align(Math.log(Number(amount1) / Number(amount0)) / Math.log(1.0001));
  const reach = Math.round(halfWidth / tickSpacing) * tickSpacing;
  return { tickLower: centre - reach, tickUpper: centre + reach };
}

/** The maker allows each exchange to take what it is about to deposit. */
function queueApprovals({ writer, contracts, tokens }: PoolScene): void {
  const approve = (token: Address, spender: Address) => {
    const args = [spender, maxUint256] as const;
    const data = encodeFunctionData({ abi: ERC20_ABI, functionName: 'approve', args });
    writer.queue({ from: MAKER, to: token, data, gas: APPROVE_GAS });
  };
  const deposit = encodeFunctionData({ abi: WETH_ABI, functionName: 'deposit' });
  const wrapped = { value: WRAPPED_AT_START, gas: APPROVE_GAS };
  writer.queue({ from: MAKER, to: contracts.weth, data: deposit, ...wrapped });
  const uses = (venue: string, key: string) =>
    POOL_LIST.some((p) => p.venue === venue && (p.token === key || p.quote === key));
  for (const { key, address } of [{ key: 'weth', address: contracts.weth }, ...tokens]) {
    if (uses('uniswap-v2', key)) approve(address, contracts.v2Router);
    if (uses('uniswap-v3', key)) approve(address, contracts.v3PositionManager);
    if (!uses('uniswap-v4', key)) continue;
    approve(address, contracts.permit2);
    const data = encodeFunctionData({
      abi: PERMIT2_ABI,
      functionName: 'approve',
      args: [address, contracts.v4PositionManager, maxUint160, Number(maxUint48)],
    });
    writer.queue({ from: MAKER, to: contracts.permit2, data, gas: APPROVE_GAS });
  }
}

function queueV2Pool({ writer, contracts, tokens }: PoolScene, pool: DevnetPool): void {
  const { amount0, amount1 } = computeOpening(pool);
  const wethFirst = pool.currency0 === contracts.weth;
  const token = wethFirst ? pool.currency1 : pool.currency0;
  const [tokenAmount, value] = wethFirst ? [amount1, amount0] : [amount0, amount1];
  const quirk = tokens.find((candidate) => candidate.address === token)?.quirk ?? '';
  if (/^(tax|burn|sells)/.test(quirk)) {
    const args = [pool.id] as const;
    const data = encodeFunctionData({ abi: ERC20_ABI, functionName: 'setPool', args });
    writer.queue({ from: MAKER, to: token, data, gas: APPROVE_GAS });
  }
  const data = encodeFunctionData({
    abi: V2_ROUTER_ABI,
    functionName: 'addLiquidityETH',
    args: [token, tokenAmount, 0n, 0n, MAKER, maxUint256],
  });
  writer.queue({ from: MAKER, to: contracts.v2Router, data, value, gas: OPEN_V2_GAS });
  const args = [contracts.v2Router, maxUint256] as const;
  const approval = encodeFunctionData({ abi: ERC20_ABI, functionName: 'approve', args });
  writer.queue({ from: MAKER, to: pool.id, data: approval, gas: APPROVE_GAS });
}

function queueV3Pool({ writer, contracts }: PoolScene, pool: DevnetPool): void {
  const { amount0, amount1, sqrtPriceX96 } = computeOpening(pool);
  const to = contracts.v3PositionManager;
  const pair = { token0: pool.currency0, token1: pool.currency1, fee: pool.feePips };
  const open = encodeFunctionData({
    abi: V3_POSITIONS_ABI,
    functionName: 'createAndInitializePoolIfNecessary',
    args: [pair.token0, pair.token1, pair.fee, sqrtPriceX96],
  });
  writer.queue({ from: MAKER, to, data: open, gas: OPEN_V3_GAS });
  for (const { halfWidth, sharePpm } of RANGES) {
    const amount0Desired = (amount0 * sharePpm) / 1_000_000n;
    const amount1Desired = (amount1 * sharePpm) / 1_000_000n;
    const minimum = { amount0Min: 0n, amount1Min: 0n };
    const params = {
      ...{ ...pair, ...planTicks(pool, halfWidth), amount0Desired, amount1Desired, ...minimum },
      ...{ recipient: MAKER, deadline: maxUint256 },
    };
    const data = encodeFunctionData({
      abi: V3_POSITIONS_ABI,
      functionName: 'mint',
      args: [params],
    });
    writer.queue({ from: MAKER, to, data, gas: MINT_GAS });
  }
}

function queueV4Pool({ writer, contracts }: PoolScene, pool: DevnetPool): void {
  const { amount0, amount1, sqrtPriceX96 } = computeOpening(pool);
  const initialize = encodeFunctionData({
    abi: V4_MANAGER_ABI,
    functionName: 'initialize',
    args: [toPoolKey(pool), sqrtPriceX96],
  });
  writer.queue({ from: MAKER, to: contracts.v4PoolManager, data: initialize, gas: MINT_GAS });
  const liquidity = computeSquareRoot(amount0 * amount1);
  const value = pool.currency0 === zeroAddress ? (amount0 * 11n) / 10n : 0n;
  for (const { halfWidth } of RANGES) {
    const position = { ...planTicks(pool, halfWidth), liquidity, owner: MAKER };
    const data = encodeV4Mint(pool, position);
    writer.queue({ from: MAKER, to: contracts.v4PositionManager, data, value, gas: MINT_GAS });
  }
}

/** Queues every pool's opening; their ids are known before anything is mined. */
export function queuePools(scene: PoolScene): DevnetPool[] {
  queueApprovals(scene);
  let v3Positions = 0;
  let v4Positions = 0;
  return POOL_LIST.map((spec) => {
    if (spec.venue === 'uniswap-v2') {
      const pool = buildPool(scene, spec, '');
      queueV2Pool(scene, pool);
      return pool;
    }
    if (spec.venue === 'uniswap-v3') {
      const pool = buildPool(scene, spec, String(v3Positions + 1));
      v3Positions += RANGES.length;
      queueV3Pool(scene, pool);
      return pool;
    }
    const pool = buildPool(scene, spec, String(v4Positions + 1));
    v4Positions += RANGES.length;
    queueV4Pool(scene, pool);
    return pool;
  });
}
