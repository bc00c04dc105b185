// Decides what happens next on the market and encodes it as transactions.

import { type Address, encodeFunctionData } from 'viem';
import { computeSquareRoot } from '../src/lib/bigint-bounds.ts';
import { BYSTANDERS, MAKER, TRADERS } from './accounts.ts';
import type { TxRequest } from './block-writer.ts';
import { pickCrew } from './deploy-contracts.ts';
import { ERC20_ABI, WETH_ABI } from './dex-abi.ts';
import { buildAddLiquidity, buildRemoveLiquidity } from './liquidity-calldata.ts';
import {
  computeGap,
  computeLiquiditySize,
  computeTradeSize,
  type DevnetMarket,
  isNativeQuoted,
  type PoolView,
  toHoldingKey,
} from './market.ts';
import { buildOtherSwap, findOtherSpender, isOtherVenue } from './other-swaps.ts';
import type { SeededRandom } from './random.ts';
import {
  buildApproval,
  buildApprovals,
  buildSwap,
  buildV2RouterSwap,
  findDirection,
  type SwapRequest,
} from './swap-calldata.ts';
import { computeStartingShare, TOKEN_LIST } from './token-list.ts';

const TRANSFER_GAS = 120_000n;
const WRAP_GAS = 60_000n;
const ETHER = 10n ** 18n;
/** A trade moves the price by about this much, logarithmically, up to the maximum. */
const STEP_TYPICAL = 0.0015;
const STEP_MAX = 0.03;
/** At this gap almost every trade goes in the direction that closes it. */
const GAP_FELT = 0.012;
const SCALE_MIN = 0.8;
const SCALE_MAX = 1.4;
/** A honeypot's owner takes profit when buyers have raised the price this far. */
const TRAP_DEVIATION_MAX = 0.25;
/** The share of a honeypot's actions that are failing sells by its victims. */
const TRAP_SELL_CHANCE = 0.15;

/** Wallets are few and pools differ in activity: the anchor and the first token are traded most. */
function weighActivity(view: PoolView): number {
  const { token, venue } = view.pool;
  if (token === 'usdc') return venue === 'uniswap-v3' ? 4 : 2;
  if (token === 'wire') return 3;
  return token === 'trap' || token === 'mute' ? 0.6 : 1.2;
}

function pickPool(market: DevnetMarket, random: SeededRandom): PoolView {
  const total = market.pools.reduce((sum, view) => sum + weighActivity(view), 0);
  let left = random.next() * total;
  for (const view of market.pools) {
    left -= weighActivity(view);
    if (left < 0) return view;
  }
  return random.pick(market.pools);
}

function changeHolding(market: DevnetMarket, key: string, deltaRaw: bigint): void {
  market.holdings.set(key, (market.holdings.get(key) ?? 0n) + deltaRaw);
}

/**
 * The missing approvals for a wallet to spend a token through the given router; through the
 * Universal Router if it is null.
 */
function takeApprovals(
  market: DevnetMarket,
  spend: { readonly owner: Address; readonly token: Address; readonly router: Address | null },
): TxRequest[] {
  const { contracts } = market.deployment;
  const { owner, token, router } = spend;
  const spender = router ?? contracts.permit2;
  const key = `${owner}:${token}:${spender}`;
  if (owner === MAKER || market.approved.has(key)) return [];
  market.approved.add(key);
  return router === null
    ? buildApprovals({ contracts, owner, token })
    : [buildApproval({ owner, token, spender })];
}

/** The router that takes the trade, if it is not the Universal Router, and the trade. */
function routeSwap(market: DevnetMarket, random: SeededRandom, request: SwapRequest) {
  const { pool, side, contracts } = request;
  const { deployment } = market;
  if (isOtherVenue(pool.venue)) {
    const router = findOtherSpender(pool.venue, deployment);
    return { router, swap: buildOtherSwap({ ...request, deployment }) };
  }
  if (pool.venue === 'uniswap-v2' && (side === 'sell' || random.chance(0.5))) {
    return { router: contracts.v2Router, swap: buildV2RouterSwap(request) };
  }
  return { router: null, swap: buildSwap(request) };
}

function planSwap(market: DevnetMarket, random: SeededRandom): TxRequest[] {
  const view = pickPool(market, random);
  const { pool } = view;
  const gap = computeGap(market, view);
  const isTrap = pool.token === 'trap';
  const wantsBuy = random.chance(0.5 + 0.48 * Math.tanh(gap / GAP_FELT));
  const urgency = Math.min(1, Math.abs(gap) / 0.05);
  const step = Math.min(
    STEP_MAX,
    STEP_TYPICAL * (0.3 + random.next() * 2.2) * (1 + 2 * urgency) * (random.chance(0.04) ? 5 : 1),
  );
  const crew = pickCrew(pool.token);
  const trapWallet = view.deviation > TRAP_DEVIATION_MAX ? MAKER : null;
  const wallet = (isTrap ? trapWallet : null) ?? random.pick(crew);
  const holding = toHoldingKey(wallet, pool.tokenAddress);
  const { tokenRaw } = computeTradeSize(view, 'sell', step);
  const canSell = wallet === MAKER || (market.holdings.get(holding) ?? 0n) > tokenRaw;
  const trapSell = isTrap && random.chance(TRAP_SELL_CHANCE);
  const isBuy = isTrap ? wallet !== MAKER && !trapSell : wantsBuy || !canSell;
  const side = isBuy ? 'buy' : 'sell';
  const { amountInRaw } = computeTradeSize(view, side, step);
  const { contracts } = market.deployment;
  const request = { contracts, pool, wallet, side, amountInRaw } as const;
  const { router, swap } = routeSwap(market, random, request);
  const { currencyIn } = findDirection(request);
  const paysEther = side === 'buy' && isNativeQuoted(pool);
  const approvals = paysEther
    ? []
    : takeApprovals(market, { owner: wallet, token: currencyIn, router });
  if (!(isTrap && side === 'sell' && wallet !== MAKER)) {
    view.deviation += side === 'buy' ? step : -step;
    // A tenth less than the formula covers fees and transfer taxes.
    changeHolding(market, holding, side === 'buy' ? (tokenRaw * 9n) / 10n : -tokenRaw);
  }
  return [...approvals, swap];
}

function planTransfer(market: DevnetMarket, random: SeededRandom): TxRequest[] {
  const spec = random.pick(TOKEN_LIST);
  const token = market.deployment.tokens.find(({ key }) => key === spec.key);
  if (token === undefined) return [];
  const from = random.pick(pickCrew(spec.key));
  const to = random.chance(0.4) ? random.pick(BYSTANDERS) : random.pick(TRADERS);
  const amount = (computeStartingShare(spec) * BigInt(1 + random.below(40))) / 4_000n || 1n;
  const key = toHoldingKey(from, token.address);
  if (from === to || (market.holdings.get(key) ?? 0n) < amount * 4n) return [];
  changeHolding(market, key, -amount);
  const data = encodeFunctionData({ abi: ERC20_ABI, functionName: 'transfer', args: [to, amount] });
  return [{ from, to: token.address, data, gas: TRANSFER_GAS }];
}

function planWrap(market: DevnetMarket, random: SeededRandom): TxRequest[] {
  const { weth } = market.deployment.contracts;
  const from = random.pick(TRADERS);
  const key = toHoldingKey(from, weth);
  const held = market.holdings.get(key) ?? 0n;
  if (held > 0n && random.chance(0.6)) {
    market.holdings.set(key, 0n);
    const data = encodeFunctionData({ abi: WETH_ABI, functionName: 'withdraw', args: [held] });
    return [{ from, to: weth, data, gas: WRAP_GAS }];
  }
  const value = (ETHER * BigInt(1 + random.below(500))) / 100n;
  changeHolding(market, key, value);
  const data = encodeFunctionData({ abi: WETH_ABI, functionName: 'deposit' });
  return [{ from, to: weth, data, value, gas: WRAP_GAS }];
}

function planLiquidity(market: DevnetMarket, random: SeededRandom): TxRequest[] {
  const view = random.pick(market.pools.filter(({ pool }) => !isOtherVenue(pool.venue)));
  const { pool } = view;
  const { contracts } = market.deployment;
  const share = 0.005 + random.next() * 0.035;
  const adds =
    view.scale < SCALE_MIN + 0.05 || (view.scale < SCALE_MAX - 0.05 && random.chance(0.52));
  const change = { pool, contracts, owner: MAKER };
  const opening = computeSquareRoot(view.quoteOpeningRaw * view.tokenOpeningRaw);
  const liquidity = (opening * BigInt(Math.round(share * 1e6))) / 1_000_000n;
  view.scale += adds ? share : -share;
  if (!adds) return [buildRemoveLiquidity(change, liquidity)];
  return [buildAddLiquidity(change, { ...computeLiquiditySize(view, share), liquidity })];
}

/** The transactions of one action; sometimes there are none. */
export function planNext(market: DevnetMarket, random: SeededRandom): TxRequest[] {
  const kind = random.next();
  if (kind < 0.84) return planSwap(market, random);
  if (kind < 0.92) return planTransfer(market, random);
  if (kind < 0.97) return planLiquidity(market, random);
  return planWrap(market, random);
}
