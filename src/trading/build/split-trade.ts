// A trade over several routers, as one atomic batch of the wallet.
//
// A transaction calls one router, so its route keeps to that router's pools. A wallet that executes
// several calls at once (EIP-5792) can divide the amount over routers. The route is searched once
// more as if all routers were one; its swap paths, grouped by router, are the parts of the batch.

import type {
  BuiltBatch,
  ExecutableTrade,
  TradingWallet,
} from '../../chains/chain-transactions.ts';
import type { TradeRouter } from '../../chains/trade-router.ts';
import { maxOf } from '../../lib/bigint-bounds.ts';
import type { Address } from '../../model/ids.ts';
import { computeNetworkCost } from '../quote/network-cost.ts';
import type { PricedTrade, PriceOptions, TradePath } from '../quote/priced-trade.ts';
import { computeMinimum } from '../quote/trade-amounts.ts';
import type { TradeChain } from '../quote/trade-chain.ts';
import { NO_LIMITS } from '../routing/route-limits.ts';

/** What one router does of the trade. */
export interface SplitPart
  extends Pick<
    ExecutableTrade,
    'swapPaths' | 'amountInRaw' | 'maxAmountInRaw' | 'amountOutRaw' | 'minAmountOutRaw'
  > {
  readonly router: string;
}

export interface TradeSplit {
  readonly parts: readonly SplitPart[];
  readonly batch: BuiltBatch;
  /** The sum of the minimums: at least that of the trade over one router. */
  readonly minAmountOutRaw: bigint;
  /** How much more it pays than the best single router, after what both cost. */
  readonly gainBps: number;
}

/** Each part takes approvals and a call of its own. */
const PARTS_MAX = 3;
/** From which gain on a batch is offered. */
const GAIN_BPS_MIN = 5n;
const BPS = 10_000n;

interface PathGroup {
  readonly router: string;
  readonly paths: TradePath[];
}

/** Null if a path needs two routers, or if routers would have to hand tokens to each other. */
function groupPaths(
  { swapPaths, tokenOut }: PricedTrade,
  routers: readonly TradeRouter[],
  toAsset: (token: Address) => Address,
): readonly PathGroup[] | null {
  const groups: PathGroup[] = [];
  const holders = new Map<Address, PathGroup>();
  for (const path of swapPaths) {
    const { hops, takes } = path;
    const router = routers.find(({ venues }) => hops.every(({ venue }) => venues.has(venue)));
    if (router === undefined) return null;
    let group = router.canDivide ? groups.find((one) => one.router === router.name) : undefined;
    if (group === undefined) {
      group = { router: router.name, paths: [] };
      groups.push(group);
    }
    group.paths.push(path);
    // What is held between swap paths is in the router.
    const ends = [takes === 'input' ? null : hops[0]?.tokenIn, last(hops).tokenOut];
    for (const token of ends) {
      if (token == null || toAsset(token) === toAsset(tokenOut.token)) continue;
      const asset = toAsset(token);
      if ((holders.get(asset) ?? group) !== group) return null;
      holders.set(asset, group);
    }
  }
  return groups;
}

function sumInput({ paths }: PathGroup): bigint {
  const firsts = paths.filter(({ takes }) => takes === 'input');
  return firsts.reduce((sum, { amountInRaw }) => sum + amountInRaw, 0n);
}

function last<One>(list: readonly One[]): One {
  const found = list.at(-1);
  if (found === undefined) throw new Error('a path without hops');
  return found;
}

/** The minimum is divided like the output, so that no part's is above what it pays. */
function toParts(
  trade: PricedTrade,
  groups: readonly PathGroup[],
  { minimum, toAsset }: { minimum: bigint; toAsset: (token: Address) => Address },
): readonly SplitPart[] {
  const assetOut = toAsset(trade.tokenOut.token);
  let left = { out: trade.amountOutRaw, min: minimum };
  return groups.map((group) => {
    const { router, paths: swapPaths } = group;
    const lasts = swapPaths.filter(({ hops }) => toAsset(last(hops).tokenOut) === assetOut);
    const amountOutRaw = lasts.reduce((sum, one) => sum + one.amountOutRaw, 0n);
    const minAmountOutRaw =
      left.out === 0n ? 0n : (left.min * amountOutRaw + left.out - 1n) / left.out;
    left = { out: left.out - amountOutRaw, min: left.min - minAmountOutRaw };
    const amountInRaw = sumInput(group);
    const amounts = { amountInRaw, maxAmountInRaw: amountInRaw, amountOutRaw, minAmountOutRaw };
    return { router, swapPaths, ...amounts };
  });
}

type Price = (request: PricedTrade['request'], options: PriceOptions) => Promise<PricedTrade>;

interface JointTrade {
  readonly trade: PricedTrade;
  readonly groups: readonly PathGroup[];
}

/**
 * Too many parts are searched again among the pools of the largest ones; where routers would have
 * to work together, only pools of the two tokens themselves are.
 */
async function findJoint(
  single: PricedTrade,
  routers: readonly TradeRouter[],
  { price, toAsset }: { price: Price; toAsset: (token: Address) => Address },
): Promise<JointTrade | null> {
  const venues = new Set(routers.flatMap((one) => [...one.venues]));
  const { limits = NO_LIMITS } = single.request;
  let { directOnly } = limits;
  let joint: PriceOptions['joint'] = { venues };
  for (let attempt = 0; attempt < PARTS_MAX; attempt += 1) {
    const request = { ...single.request, limits: { ...limits, directOnly } };
    const trade = await price(request, { outPerUnit: single.outPerUnit, joint });
    const groups = groupPaths(trade, routers, toAsset);
    if (groups !== null && groups.length <= PARTS_MAX) return { trade, groups };
    if (groups === null && directOnly) return null;
    directOnly ||= groups === null;
    if (groups === null) continue;
    const largest = groups.toSorted((a, b) => (sumInput(a) < sumInput(b) ? 1 : -1));
    const paths = largest.slice(0, PARTS_MAX).flatMap((group) => group.paths);
    const pools = paths.flatMap(({ hops }) => hops.map(({ pool }) => pool.pool));
    joint = { venues, pools: new Set(pools) };
  }
  return null;
}

/** In units of the output; null if that is not known. */
function computeCost(
  { networkFees: fees, dataBytes, outPerUnit }: PricedTrade,
  gasUsed: bigint,
): bigint | null {
  const cost = computeNetworkCost({ costUnits: gasUsed, dataBytes }, fees);
  if (cost === null || fees === null || outPerUnit === null) return null;
  // A price that was searched as if gas were free does not know what it costs.
  if (outPerUnit.numerator === 0n && fees.perUnit > 0n) return null;
  const perUnit = maxOf(fees.perUnit, 1n);
  const units = cost.units + (cost.dataFeeRaw + perUnit - 1n) / perUnit;
  return (units * outPerUnit.numerator) / outPerUnit.denominator;
}

interface SplitQuestion {
  /** The best trade over one router, with the limits that its build has. */
  readonly single: PricedTrade;
  /** What its transactions were simulated to use. */
  readonly unitsUsed: bigint;
  readonly chain: TradeChain;
  readonly price: Price;
  /** Builds the parts of a trade that was searched over all routers. */
  readonly build: (
    joint: PricedTrade,
    parts: readonly SplitPart[],
  ) => ReturnType<NonNullable<TradingWallet['buildBatch']>>;
}

/** Others do not pay what a path is priced at, not every form of the coin, or have no deadline. */
function isPlain({ keepsUnit, hasNoDeadline, cannotWrap, onlyOutputs }: TradeRouter): boolean {
  return !(keepsUnit || hasNoDeadline || cannotWrap || onlyOutputs);
}

/** A trade whose amounts are certain and whose router takes nothing but the call. */
function mayBeSplit({ request, taxIn, taxOut }: PricedTrade): boolean {
  return request.fixed === 'input' && request.fee === undefined && !taxIn && !taxOut;
}

/** Null if no split pays enough more, or not exactly what its price says. */
export async function findSplit(question: SplitQuestion): Promise<TradeSplit | null> {
  const { single, chain, price, build } = question;
  const routers = (chain.listRouters?.() ?? [])
    .filter(isPlain)
    .toSorted((a, b) => Number(b.canDivide) - Number(a.canDivide));
  if (routers.length < 2 || !mayBeSplit(single)) return null;
  const { native } = chain.addresses;
  const toAsset = (token: Address) => (token === native ? chain.wrapped : token);
  const found = await findJoint(single, routers, { price, toAsset });
  if (found === null || found.groups.length < 2) return null;
  const { trade, groups } = found;
  const isWorth = trade.amountOutRaw * BPS >= single.amountOutRaw * (BPS + GAIN_BPS_MIN);
  const isOfSameBlock = trade.state.blockHash === single.state.blockHash;
  const codes = new Set(single.warnings.map(({ code }) => code));
  if (!isWorth || !isOfSameBlock || !trade.warnings.every(({ code }) => codes.has(code))) {
    return null;
  }
  const own = computeMinimum(trade.amountOutRaw, single.slippageBps);
  const minAmountOutRaw = maxOf(own, single.minAmountOutRaw);
  const parts = toParts(trade, groups, { minimum: minAmountOutRaw, toAsset });
  const isWhole =
    parts.reduce((sum, one) => sum + one.amountInRaw, 0n) === single.amountInRaw &&
    parts.reduce((sum, one) => sum + one.amountOutRaw, 0n) === trade.amountOutRaw &&
    parts.every((one) => one.minAmountOutRaw > 0n && one.minAmountOutRaw <= one.amountOutRaw);
  if (!isWhole) return null;
  const batch = await build(trade, parts);
  if (batch === null || batch.amountOutRaw !== trade.amountOutRaw) return null;
  const singleCost = computeCost(single, question.unitsUsed);
  const batchCost = computeCost(trade, batch.unitsUsed);
  if (singleCost === null || batchCost === null) return null;
  const gain = batch.amountOutRaw - batchCost - (single.amountOutRaw - singleCost);
  const gainBps = (gain * BPS) / single.amountOutRaw;
  if (gainBps < GAIN_BPS_MIN) return null;
  return { parts, batch, minAmountOutRaw, gainBps: Number(gainBps) };
}
