// New pools and positions on the test chain, besides the devnet's own.

import {
  type Address,
  encodeFunctionData,
  maxUint48,
  maxUint160,
  maxUint256,
  parseAbi,
  zeroAddress,
} from 'viem';
import { MAKER } from '../devnet/accounts.ts';
import type { DevnetPool } from '../devnet/deployment.ts';
import { ERC20_ABI, PERMIT2_ABI, V3_POSITIONS_ABI, V4_MANAGER_ABI } from '../devnet/dex-abi.ts';
import { computePoolId, encodeV4Mint, toPoolKey } from '../devnet/liquidity-calldata.ts';
import type { TestChain } from '../devnet/test-chain.ts';

const GAS = 6_000_000n;

const ADMIN_ABI = parseAbi([
  'function enableFeeAmount(uint24 fee, int24 tickSpacing)',
  'function getPool(address, address, uint24) view returns (address)',
  'function setProtocolFeeController(address controller)',
  'struct PoolKey { address currency0; address currency1; uint24 fee; int24 tickSpacing; address hooks; }',
  'function setProtocolFee(PoolKey key, uint24 newProtocolFee)',
]);

export interface PositionSpan {
  readonly tickLower: number;
  readonly tickUpper: number;
}

/** Adds a position of the maker: on V3 a part of the opening amounts, on V4 a liquidity. */
export function mintPosition(
  chain: TestChain,
  pool: DevnetPool,
  position: PositionSpan & { readonly sharePpm: bigint; readonly liquidity: bigint },
) {
  const { contracts } = chain.deployment;
  const { tickLower, tickUpper, sharePpm, liquidity } = position;
  const scaleDown = (raw: string) => (BigInt(raw) * sharePpm) / 1_000_000n;
  if (pool.venue === 'uniswap-v4') {
    const data = encodeV4Mint(pool, { tickLower, tickUpper, liquidity, owner: MAKER });
    const value = BigInt(pool.currency0) === 0n ? 500n * 10n ** 18n : 0n;
    return chain.send({ from: MAKER, to: contracts.v4PositionManager, data, value, gas: GAS });
  }
  const params = {
    token0: pool.currency0,
    token1: pool.currency1,
    fee: pool.feePips,
    tickLower,
    tickUpper,
    amount0Desired: scaleDown(pool.opening.amount0Raw),
    amount1Desired: scaleDown(pool.opening.amount1Raw),
    amount0Min: 0n,
    amount1Min: 0n,
    recipient: MAKER,
    deadline: maxUint256,
  };
  const data = encodeFunctionData({ abi: V3_POSITIONS_ABI, functionName: 'mint', args: [params] });
  return chain.send({ from: MAKER, to: contracts.v3PositionManager, data, gas: GAS });
}

/** The same pair on the same exchange with another fee, opened at a price. */
export async function openTwin(
  chain: TestChain,
  twin: DevnetPool,
  terms: {
    readonly feePips: number;
    readonly tickSpacing: number;
    readonly sqrtPriceX96: bigint;
  },
): Promise<DevnetPool> {
  const { contracts } = chain.deployment;
  const { feePips, tickSpacing, sqrtPriceX96 } = terms;
  const pool = { ...twin, feePips, tickSpacing };
  if (pool.venue === 'uniswap-v4') {
    const data = encodeFunctionData({
      abi: V4_MANAGER_ABI,
      functionName: 'initialize',
      args: [toPoolKey(pool), sqrtPriceX96],
    });
    await chain.send({ from: MAKER, to: contracts.v4PoolManager, data, gas: GAS });
    return { ...pool, id: computePoolId(pool) };
  }
  const data = encodeFunctionData({
    abi: V3_POSITIONS_ABI,
    functionName: 'createAndInitializePoolIfNecessary',
    args: [pool.currency0, pool.currency1, feePips, sqrtPriceX96],
  });
  await chain.send({ from: MAKER, to: contracts.v3PositionManager, data, gas: GAS });
  return { ...pool, id: await readV3Pool(chain, pool) };
}

/** The maker lets both exchanges take a token of its own. */
async function approveMaker(chain: TestChain, token: Address): Promise<void> {
  const { permit2, v3PositionManager, v4PositionManager } = chain.deployment.contracts;
  for (const spender of [permit2, v3PositionManager]) {
    const args = [spender, maxUint256] as const;
    const data = encodeFunctionData({ abi: ERC20_ABI, functionName: 'approve', args });
    await chain.send({ from: MAKER, to: token, data, gas: GAS });
  }
  const args = [token, v4PositionManager, maxUint160, Number(maxUint48)] as const;
  const data = encodeFunctionData({ abi: PERMIT2_ABI, functionName: 'approve', args });
  await chain.send({ from: MAKER, to: permit2, data, gas: GAS });
}

/** A pool of the maker's own tokens at a price of one; `eth` of V4 is the zero address. */
export async function openRange(
  chain: TestChain,
  range: PositionSpan & {
    readonly venue: 'uniswap-v3' | 'uniswap-v4';
    readonly tokens: readonly [Address, Address];
    readonly amountRaw: bigint;
    /** On V4; none by default. */
    readonly hooks?: Address;
  },
): Promise<DevnetPool> {
  const { venue, tokens, amountRaw, tickLower, tickUpper, hooks = zeroAddress } = range;
  const { weth } = chain.deployment.contracts;
  for (const token of tokens) {
    if (token !== weth && token !== zeroAddress) await approveMaker(chain, token);
  }
  const [currency0, currency1] = tokens.toSorted() as [Address, Address];
  const terms = { feePips: 3000, tickSpacing: 60, sqrtPriceX96: 1n << 96n };
  const opening = { amount0Raw: String(amountRaw), amount1Raw: String(amountRaw) };
  const fresh = { id: '0x', token: '', quote: 'weth', hooks, positionId: '' } as const;
  const base = {
    ...fresh,
    venue,
    tokenAddress: tokens[1],
    currency0,
    currency1,
    ...terms,
    opening,
  };
  const pool = await openTwin(chain, base, terms);
  const size = { sharePpm: 1_000_000n, liquidity: amountRaw };
  const { status } = await mintPosition(chain, pool, { tickLower, tickUpper, ...size });
  if (status !== '0x1') throw new Error('no liquidity was added');
  return pool;
}

async function readV3Pool(chain: TestChain, pool: DevnetPool): Promise<Address> {
  const data = encodeFunctionData({
    abi: ADMIN_ABI,
    functionName: 'getPool',
    args: [pool.currency0, pool.currency1, pool.feePips],
  });
  const to = chain.deployment.contracts.v3Factory;
  const word = await chain.rpc.call<string>('eth_call', { to, data }, 'latest');
  return `0x${word.slice(-40)}`;
}

export async function enableV3Fee(chain: TestChain, feePips: number, tickSpacing: number) {
  const args = [feePips, tickSpacing] as const;
  const data = encodeFunctionData({ abi: ADMIN_ABI, functionName: 'enableFeeAmount', args });
  await chain.send({ from: MAKER, to: chain.deployment.contracts.v3Factory, data, gas: GAS });
}

/** 12 bits per direction. */
export async function sendProtocolFee(chain: TestChain, pool: DevnetPool, protocolFee: number) {
  const to = chain.deployment.contracts.v4PoolManager;
  const appoint = encodeFunctionData({
    abi: ADMIN_ABI,
    functionName: 'setProtocolFeeController',
    args: [MAKER],
  });
  await chain.send({ from: MAKER, to, data: appoint, gas: GAS });
  const data = encodeFunctionData({
    abi: ADMIN_ABI,
    functionName: 'setProtocolFee',
    args: [toPoolKey(pool), protocolFee],
  });
  const receipt = await chain.send({ from: MAKER, to, data, gas: GAS });
  if (receipt.status !== '0x1') throw new Error('the protocol fee was refused');
}
