// Reads the state of the market from the chain, for traders that start on an existing chain.

import {
  type Address,
  decodeFunctionResult,
  encodeFunctionData,
  type Hex,
  hexToBigInt,
  parseAbi,
} from 'viem';
import { computeSquareRoot } from '../src/lib/bigint-bounds.ts';
import { TRADERS } from './accounts.ts';
import { pickCrew } from './deploy-contracts.ts';
import { V2_PAIR_ABI, V3_POOL_ABI, V4_STATE_VIEW_ABI } from './dex-abi.ts';
import type { DevnetRpcCall, JsonRpc } from './json-rpc.ts';
import { type DevnetMarket, type PoolView, toHoldingKey } from './market.ts';
import { findOtherSpender, isOtherVenue } from './other-swaps.ts';
import { decodeOtherPool, encodeOtherRead } from './other-sync.ts';

const TOKEN_ABI = parseAbi([
  'function balanceOf(address owner) view returns (uint256)',
  'function allowance(address owner, address spender) view returns (uint256)',
]);
const V3_POSITION_ABI = parseAbi([
  'function positions(uint256 tokenId) view returns (uint96, address, address, address, uint24, int24, int24, uint128 liquidity, uint256, uint256, uint128, uint128)',
]);
const V4_POSITION_ABI = parseAbi([
  'function getPositionLiquidity(uint256 tokenId) view returns (uint128 liquidity)',
]);
/** Approvals are unlimited; one that is used up to this counts as none. */
const ALLOWANCE_MIN = 1n << 96n;
const Q96 = 2 ** 96;

function buildCall(to: Address, data: Hex): DevnetRpcCall {
  return { method: 'eth_call', params: [{ to, data }, 'latest'] };
}

/** Two calls per pool: its price and the liquidity of the maker's full-range position. */
function buildPoolCalls(market: DevnetMarket, { pool }: PoolView): DevnetRpcCall[] {
  const others = market.deployment.others?.contracts;
  if (isOtherVenue(pool.venue) && others !== undefined) {
    const { to, data } = encodeOtherRead(pool, others);
    return [buildCall(to, data), buildCall(to, data)];
  }
  const { v3PositionManager, v4PositionManager, v4StateView } = market.deployment.contracts;
  if (pool.venue === 'uniswap-v2') {
    const data = encodeFunctionData({ abi: V2_PAIR_ABI, functionName: 'getReserves' });
    return [buildCall(pool.id, data), buildCall(pool.id, data)];
  }
  const args = [BigInt(pool.positionId)] as const;
  if (pool.venue === 'uniswap-v3') {
    const slot0 = encodeFunctionData({ abi: V3_POOL_ABI, functionName: 'slot0' });
    const held = encodeFunctionData({ abi: V3_POSITION_ABI, functionName: 'positions', args });
    return [buildCall(pool.id, slot0), buildCall(v3PositionManager, held)];
  }
  const slot0 = encodeFunctionData({
    abi: V4_STATE_VIEW_ABI,
    functionName: 'getSlot0',
    args: [pool.id],
  });
  const held = encodeFunctionData({
    abi: V4_POSITION_ABI,
    functionName: 'getPositionLiquidity',
    args,
  });
  return [buildCall(v4StateView, slot0), buildCall(v4PositionManager, held)];
}

/** The price of the second currency per first, and the liquidity, both in raw units. */
function decodePool({ pool }: PoolView, answers: { price: Hex; held: Hex }) {
  if (isOtherVenue(pool.venue)) return decodeOtherPool(pool, answers.price);
  if (pool.venue === 'uniswap-v2') {
    const [reserve0, reserve1] = decodeFunctionResult({
      abi: V2_PAIR_ABI,
      functionName: 'getReserves',
      data: answers.price,
    });
    return {
      price: Number(reserve1) / Number(reserve0),
      liquidity: computeSquareRoot(reserve0 * reserve1),
    };
  }
  const isV3 = pool.venue === 'uniswap-v3';
  const [sqrtPriceX96] = isV3
    ? decodeFunctionResult({ abi: V3_POOL_ABI, functionName: 'slot0', data: answers.price })
    : decodeFunctionResult({
        abi: V4_STATE_VIEW_ABI,
        functionName: 'getSlot0',
        data: answers.price,
      });
  const liquidity = isV3
    ? decodeFunctionResult({
        abi: V3_POSITION_ABI,
        functionName: 'positions',
        data: answers.held,
      })[7]
    : hexToBigInt(answers.held);
  return { price: (Number(sqrtPriceX96) / Q96) ** 2, liquidity };
}

async function syncPools(rpc: JsonRpc, market: DevnetMarket): Promise<void> {
  const answers = await rpc.batch<Hex>(
    market.pools.flatMap((view) => buildPoolCalls(market, view)),
  );
  for (const [index, view] of market.pools.entries()) {
    const [price, held] = answers.slice(index * 2, index * 2 + 2);
    if (price === undefined || held === undefined) throw new Error('a pool did not answer');
    const now = decodePool(view, { price, held });
    const { amount0Raw, amount1Raw } = view.pool.opening;
    const moved = Math.log(now.price / (Number(amount1Raw) / Number(amount0Raw)));
    view.deviation = view.pool.currency0 === view.pool.tokenAddress ? moved : -moved;
    const opening = computeSquareRoot(BigInt(amount0Raw) * BigInt(amount1Raw));
    view.scale = Number(now.liquidity) / Number(opening);
  }
}

async function syncWallets(rpc: JsonRpc, market: DevnetMarket): Promise<void> {
  const { contracts, tokens, others } = market.deployment;
  const pairs = [
    ...tokens.flatMap(({ key, address }) => pickCrew(key).map((wallet) => ({ wallet, address }))),
    ...TRADERS.map((wallet) => ({ wallet, address: contracts.weth })),
  ];
  const spenders = [contracts.permit2, contracts.v2Router];
  for (const { venue } of others?.pools ?? []) {
    if (!isOtherVenue(venue)) continue;
    const spender = findOtherSpender(venue, market.deployment);
    if (!spenders.includes(spender)) spenders.push(spender);
  }
  const answers = await rpc.batch<Hex>(
    pairs.flatMap(({ wallet, address }) => [
      buildCall(
        address,
        encodeFunctionData({ abi: TOKEN_ABI, functionName: 'balanceOf', args: [wallet] }),
      ),
      ...spenders.map((spender) =>
        buildCall(
          address,
          encodeFunctionData({
            abi: TOKEN_ABI,
            functionName: 'allowance',
            args: [wallet, spender],
          }),
        ),
      ),
    ]),
  );
  for (const [index, { wallet, address }] of pairs.entries()) {
    const width = 1 + spenders.length;
    const [balance = '0x', ...allowances] = answers.slice(index * width, (index + 1) * width);
    market.holdings.set(toHoldingKey(wallet, address), hexToBigInt(balance));
    for (const [n, spender] of spenders.entries()) {
      const key = `${wallet}:${address}:${spender}`;
      if (hexToBigInt(allowances[n] ?? '0x0') >= ALLOWANCE_MIN) market.approved.add(key);
      else market.approved.delete(key);
    }
  }
}

/** Prices, liquidity, balances and approvals as of the head. */
export async function syncMarket(rpc: JsonRpc, market: DevnetMarket): Promise<void> {
  await syncPools(rpc, market);
  await syncWallets(rpc, market);
}

/** After a restart the drift is unknown, so it starts at the current prices. */
export function settleDrift(market: DevnetMarket): void {
  const anchor = market.pools.find(({ pool }) => pool.token === 'usdc');
  const eth = anchor === undefined ? 0 : -anchor.deviation;
  market.drift.set('eth', eth);
  for (const { pool, deviation } of market.pools) {
    if (pool.token === 'usdc') continue;
    const quote = pool.quote === 'weth' || pool.quote === 'eth' ? 'eth' : pool.quote;
    market.drift.set(pool.token, deviation + (market.drift.get(quote) ?? 0));
  }
}
