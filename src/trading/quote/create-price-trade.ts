// Prices a trade on the last committed state: route, amounts, fees, safety, warnings.

import type { NetworkFees } from '../../chains/chain-nodes.ts';
import { applyPriority, type Priority } from '../../chains/priority.ts';
import { findRank, RANK_STABLE } from '../../chains/quote-rule.ts';
import type { TradeRouter } from '../../chains/trade-router.ts';
import { EVALUATIONS_PER_UNIT } from '../../contract/operation.ts';
import { buildNotReadyError } from '../../contract/parse-reference.ts';
import { type Lookalike, warnOfLookalike } from '../../contract/safety-warnings.ts';
import { AppError, buildInvalidInputError } from '../../errors/app-error.ts';
import type { Clock } from '../../lib/clock.ts';
import type { Ratio } from '../../lib/decimal.ts';
import { type ChainSlug, isEmbedded } from '../../model/chain.ts';
import type { Address, PoolId } from '../../model/ids.ts';
import type { TokenRecord } from '../../model/market-record.ts';
import type { GraphAtCommit } from '../graph/pool-graph-follower.ts';
import { refuseRoute } from '../routing/explain-no-route.ts';
import type { TaxedRoute } from '../routing/find-trade-route.ts';
import { describeLimits, NO_LIMITS } from '../routing/route-limits.ts';
import { spendReserve } from '../routing/spend-reserve.ts';
import { computeTradeCost, countBytes } from '../routing/trade-cost.ts';
import { type GivenAmount, planTrade } from '../routing/trade-plan.ts';
import {
  computeExecutionPrice,
  computePriceImpactBps,
  computeSpotPrice,
  UnitWorth,
} from '../routing/trade-prices.ts';
import type { RouteScheduler, SearchMeter } from '../search/route-scheduler.ts';
import {
  AUTO_SLIPPAGE_MAX_BPS,
  type AutoSlippage,
  type CandleSource,
  pickSlippage,
} from './auto-slippage.ts';
import { buildNotQuotedError, findOnChainRoute } from './on-chain-route.ts';
import type {
  JointRouters,
  PricedTrade,
  PriceOptions,
  PriceTrade,
  TradeAsset,
  TradeCaller,
  TradeRequest,
} from './priced-trade.ts';
import {
  addTransferFee,
  areFeesCertain,
  areKnown,
  buildTradeLegs,
  buildTradePaths,
  findOpenFee,
  findRouterFlags,
  listFees,
  listIntegratorFee,
  listOpenFlags,
} from './priced-trade.ts';
import { addFee, computeAmounts } from './trade-amounts.ts';
import type { TradeChain, TradeChains } from './trade-chain.ts';
import { findWarnings, type WarningFacts } from './trade-warnings.ts';
import { turnForRoute } from './turn-for-route.ts';

// What searches cost their callers.

/** What a search costs beyond the cost of its operation. */
export function computeExtraCost(evaluations: number): number {
  return Math.ceil(Math.max(0, evaluations - EVALUATIONS_PER_UNIT) / EVALUATIONS_PER_UNIT);
}

function createSearchMeter(caller: TradeCaller): SearchMeter {
  let paid = 0;
  return {
    prepay: (evaluations) => {
      const cost = computeExtraCost(evaluations);
      if (cost > 0) paid = caller.chargeAhead(cost);
    },
    settle: (evaluations) => caller.charge(computeExtraCost(evaluations) - paid),
  };
}

type FindLookalike = (
  named: Pick<TokenRecord, 'token' | 'symbol' | 'name'> & { readonly chain: ChainSlug },
) => Lookalike | null;

export interface PricingParts {
  readonly chains: TradeChains;
  readonly isPaused: (chain: ChainSlug, token: Address) => boolean;
  readonly clock: Clock;
  /** Where recent prices of pools are read; absent if they are not known. */
  readonly candles?: CandleSource | undefined;
  /** The vouched token that one can be mistaken for; absent if there are no token lists. */
  readonly findLookalike?: FindLookalike | undefined;
  /** Whether a token list names the token; nobody's does if absent. */
  readonly isListed?: ((chain: ChainSlug, token: Address) => boolean) | undefined;
  /** Where routes are searched. */
  readonly scheduler: Pick<RouteScheduler, 'search' | 'inTurn'>;
}

/** An exact price is of a state that was the newest this short a time ago. */
const EXACT_AGE_MAX_MS = 2000;
/** Prices of older states are not given at all. */
const AGE_MAX_MS = 30_000;
/** Before a slippage is picked, as of the usual one. */
const AUTO_RESERVE_BPS = 25;
/** Anybody can create thousands of pools of a token; the first are those that matter. */
const TOKEN_POOLS_MAX = 500;
const BPS = 10_000n;

/** A request with what is known of its two tokens. */
interface TradeEnds {
  readonly tokenIn: TradeAsset;
  readonly tokenOut: TradeAsset;
  /** The traded token's row; null for the native coin. */
  readonly row: TokenRecord | null;
  readonly marketUsd: PricedTrade['marketUsd'];
}

function assertTwoAssets(chain: TradeChain, { mint, quoteMint }: TradeRequest): void {
  const { native } = chain.addresses;
  const toAsset = (token: Address) => (token === native ? chain.wrapped : token);
  if (toAsset(mint) !== toAsset(quoteMint)) return;
  const message =
    'is the quote asset itself (the native coin and its wrapped token count as one); name another in quoteMint';
  throw buildInvalidInputError([{ path: 'mint', message }]);
}

function buildTradeAsset(
  { slug: chain, addresses, coinUnit }: TradeChain,
  token: Address,
  rows: ReadonlyMap<Address, TokenRecord>,
): TradeAsset {
  if (token === addresses.native) return { token, isNative: true, ...coinUnit };
  const row = rows.get(token);
  if (row === undefined) {
    throw new AppError('TOKEN_NOT_FOUND', { chain, mint: addresses.toShown(token) });
  }
  return { token, isNative: false, symbol: row.symbol, decimals: row.decimals };
}

/** By the last trades, as `/token` tells it. */
function findMarketUsd(
  { assets }: TradeChain,
  token: Address,
  row: TokenRecord | undefined,
): string | null {
  const isStable = findRank(assets, token) === RANK_STABLE;
  return row?.priceUsd ?? (isStable ? '1' : null);
}

async function readEnds(chain: TradeChain, request: TradeRequest): Promise<TradeEnds> {
  const { mint, quoteMint, side } = request;
  const { native } = chain.addresses;
  const toHeld = (token: Address) => (token === native ? chain.wrapped : token);
  const rows = await chain.tokens.read([toHeld(mint), toHeld(quoteMint)]);
  const token = buildTradeAsset(chain, mint, rows);
  const quote = buildTradeAsset(chain, quoteMint, rows);
  const [tokenIn, tokenOut] = side === 'buy' ? [quote, token] : [token, quote];
  const findUsd = (one: Address) => findMarketUsd(chain, toHeld(one), rows.get(toHeld(one)));
  const marketUsd = { token: findUsd(mint), quote: findUsd(quoteMint) };
  return { tokenIn, tokenOut, row: rows.get(mint) ?? null, marketUsd };
}

/**
 * The pools that show the traded token's safety: those on the route, and those against known
 * assets.
 */
function listTokenPools(chain: TradeChain, at: GraphAtCommit, found: TaxedRoute, mint: Address) {
  const { graph } = at;
  const asset = graph.toAsset(mint);
  const isToken = (token: Address) => graph.toAsset(token) === asset;
  const pools = new Set<PoolId>();
  for (const { hops } of found.route.swapPaths) {
    for (const { pool } of hops) {
      if (isToken(pool.token0) || isToken(pool.token1)) pools.add(pool.pool);
    }
  }
  for (const other of chain.trusted) {
    for (const id of graph.between(asset, other)) {
      if (pools.size >= TOKEN_POOLS_MAX) break;
      pools.add(id);
    }
  }
  return { pools, isToken };
}

function listHops(found: TaxedRoute) {
  return found.route.swapPaths.flatMap(({ hops }) => hops);
}

/** Measured cost of tokens beyond the model. */
function sumExtraUnits(
  safetyCache: TradeChain['safetyCache'],
  hops: ReturnType<typeof listHops>,
): bigint {
  const units = hops.map(({ pool, zeroForOne }) => safetyCache.extraUnits(pool.pool, zeroForOne));
  return BigInt(units.reduce((sum, one) => sum + one, 0));
}

interface Context {
  readonly chain: TradeChain;
  readonly request: TradeRequest;
  readonly ends: TradeEnds;
  readonly at: GraphAtCommit;
  readonly found: TaxedRoute;
  readonly outPerUnit: Ratio | null;
  readonly slippageBps: number;
  readonly autoSlippage: AutoSlippage | null;
  readonly nowMs: number;
  readonly isLoaded: boolean;
  readonly lookalike: WarningFacts['lookalike'];
  /** Whether the chain's family or a token list vouches for what is received. */
  readonly isOutputVouched: boolean;
}

function computePrices(
  { request, ends, found }: Context,
  amounts: { readonly in: bigint; readonly out: bigint },
) {
  const units = {
    side: request.side,
    decimalsIn: ends.tokenIn.decimals,
    decimalsOut: ends.tokenOut.decimals,
  };
  return {
    spotPrice: computeSpotPrice(found.route, units),
    executionPrice: computeExecutionPrice(amounts, units),
    priceImpactBps: computePriceImpactBps(found.route),
  };
}

function buildPricedTrade(context: Context): PricedTrade {
  const { chain, request, ends, at, found, outPerUnit, nowMs } = context;
  const { safetyCache } = chain;
  const amounts = computeAmounts(context);
  const hops = listHops(found);
  const { pools, isToken } = listTokenPools(chain, at, found, request.mint);
  const measured = safetyCache.ofToken(pools, isToken);
  const tokenSafety = addTransferFee(measured, at.graph, { pools, isToken });
  const isClean = hops.every((hop) => safetyCache.isClean(hop.pool.pool, hop.zeroForOne, nowMs));
  const legs = buildTradeLegs(found.route);
  const swapPaths = buildTradePaths(found.route, amounts.amountInRaw);
  const { isNative: isNativeIn } = ends.tokenIn;
  const { isNative: isNativeOut } = ends.tokenOut;
  const isOutputFixed = request.fixed === 'output';
  // Other kinds of pools have routers that compare what arrives, or that cannot hold anything.
  const holdsOutput =
    amounts.integratorFee !== null ||
    (!context.isOutputVouched &&
      amounts.taxOut === null &&
      swapPaths.some(({ hops }) => hops.at(-1)?.bytes.needsHolding === true));
  const feeUnits = amounts.integratorFee === null ? 0n : (chain.costs.fee ?? 0n);
  const networkFees = readFees(chain, request.priority);
  const { checkpoint } = at;
  const isCurrent = chain.readAgeMs(at) <= EXACT_AGE_MAX_MS;
  const isFeeCertain = areFeesCertain(hops, checkpoint.block);
  const isSure = isClean && isCurrent && isFeeCertain && context.isLoaded;
  const prices = computePrices(context, {
    in: amounts.amountInRaw,
    out: amounts.amountOutRaw,
  });
  const routePools = hops.map(({ pool }) => pool);
  const router = chain.listRouters?.()?.find(({ name }) => name === found.router);
  const ofRouter = { hops, tokenIn: ends.tokenIn.token, tokenOut: ends.tokenOut.token };
  const poolFlags = listOpenFlags(routePools, (pool) => chain.isFeeSure?.(pool) ?? null);
  const openFlags = `${poolFlags} ${findRouterFlags(router, ofRouter)}`.trim();
  const { slippageBps, autoSlippage } = context;
  const terms = { request, slippageBps, autoSlippage };
  const priced = { ...terms, ...amounts, ...prices, legs, swapPaths, networkFees, tokenSafety };
  return {
    ...priced,
    marketUsd: ends.marketUsd,
    tokenIn: ends.tokenIn,
    tokenOut: ends.tokenOut,
    outPerUnit,
    router: found.router,
    isInputGiven: found.isInputGiven ?? false,
    holdsOutput,
    fees: [
      ...listFees(found.route, { in: amounts.taxIn, out: amounts.taxOut }),
      ...listIntegratorFee(amounts.integratorFee, ends.tokenOut.token),
    ],
    costUnits:
      computeTradeCost(chain.costs, swapPaths, {
        ...{ isNativeIn, isNativeOut, isOutputFixed, holdsOutput },
      }) +
      feeUnits +
      sumExtraUnits(safetyCache, hops),
    dataBytes: countBytes(found.route.swapPaths),
    state: {
      block: checkpoint.block,
      blockHash: checkpoint.blockHash,
      timestampMs: checkpoint.timestampMs,
    },
    exact: isSure && areKnown(routePools) && openFlags === '',
    openFee: isSure ? findOpenFee(routePools, openFlags) : null,
    warnings: findWarnings({
      trade: priced,
      route: found.route,
      isInputGiven: found.isInputGiven ?? false,
      isPriceUnbounded: found.isPriceUnbounded ?? false,
      ...{ openFlags, hasNoDeadline: router?.hasNoDeadline ?? false },
      token: ends.row,
      isTrusted: chain.trusted.has(request.mint),
      lookalike: context.lookalike,
      powers: chain.findPowers?.(request.mint) ?? null,
      safety: tokenSafety,
      unitName: chain.costs.unitName,
      isMeasured: hops.every(({ pool }) => safetyCache.get(pool.pool) !== undefined),
      isDoubted: hops.some(({ pool }) => safetyCache.findDoubt(pool.pool) !== null),
      isFeeCertain,
      checkpoint,
      isBehind: !isCurrent || chain.isBehind(),
      isEverMoving: !isEmbedded(chain.slug),
      isLoaded: context.isLoaded,
      nowMs,
    }),
  };
}

/** Null until the node has reported them. */
function readFees(chain: TradeChain, priority: Priority): NetworkFees | null {
  const fees = chain.readFees();
  return fees && applyPriority(fees, priority);
}

/** Throws if there is none, or only one that is too old to price anything. */
function requireGraph(chain: TradeChain): GraphAtCommit {
  const at = chain.readGraph();
  if (at === null || chain.readAgeMs(at) > AGE_MAX_MS) throw buildNotReadyError(chain.slug);
  return at;
}

function buildUnreadError({ addresses }: TradeChain, { mint }: TradeRequest): AppError {
  const reason = `The pools of ${addresses.toShown(mint)} are still being read.`;
  return new AppError('NOT_READY', { reason }, { retryAfterSeconds: 1 });
}

interface Trade {
  readonly request: TradeRequest;
  readonly ends: TradeEnds;
  readonly caller: TradeCaller;
  readonly isPaused: (token: Address) => boolean;
  readonly options: PriceOptions;
  /** Whether all pools of the two tokens are in memory. */
  readonly isLoaded: boolean;
}

/** How the search of a request is grouped with similar ones: by its two tokens and its amount. */
export function describeSearch(request: TradeRequest) {
  const { chain, side, mint, quoteMint, limits = NO_LIMITS, fee } = request;
  const [tokenIn, tokenOut] = side === 'buy' ? [quoteMint, mint] : [mint, quoteMint];
  const limited = `${describeLimits(limits)}${fee === undefined ? '' : ` fee ${fee.bps}`}`;
  const market = `${chain} ${tokenIn} ${tokenOut} ${limited}`.trimEnd();
  return { market, size: findSize(request) };
}

/** Half of the slippage is kept for prices between two exchanges, all of it for the whole. */
function findSize({ fixed, amountRaw: asked, slippageBps, fee }: TradeRequest): GivenAmount {
  const amountRaw = fixed === 'output' ? addFee(asked, fee) : asked;
  if (slippageBps === 'auto') {
    const spentMoreBps = AUTO_SLIPPAGE_MAX_BPS;
    return { fixed, amountRaw, reserveBps: AUTO_RESERVE_BPS, spentMoreBps };
  }
  const reserveBps = Math.floor(slippageBps / 2);
  return { fixed, amountRaw, reserveBps, spentMoreBps: slippageBps };
}

/** A unit costs what is left of more than its value, once the fee is taken of what pools pay. */
function raiseByFee(outPerUnit: Ratio | null, { fixed, fee }: TradeRequest): Ratio | null {
  if (outPerUnit === null || fee === undefined || fixed === 'output') return outPerUnit;
  const { numerator, denominator } = outPerUnit;
  return { numerator: numerator * BPS, denominator: denominator * (BPS - BigInt(fee.bps)) };
}

function buildJointRouter({ venues }: JointRouters): TradeRouter {
  const traits = { canDivide: true, canTax: false, isProven: false } as const;
  return { name: 'joint', venues, ...traits, outputCall: 'input' };
}

/** Finds routes on the last committed state: all that is returned is of one state. */
function createSearch(parts: PricingParts) {
  const worths = new Map<ChainSlug, UnitWorth>();
  const findWorth = (chain: TradeChain): UnitWorth => {
    const worth = worths.get(chain.slug) ?? new UnitWorth(chain.costs, parts.clock);
    worths.set(chain.slug, worth);
    return worth;
  };
  return async (chain: TradeChain, trade: Trade) => {
    const { request, ends, caller, isPaused, options } = trade;
    const { listed } = chain.readFees() ?? {};
    const paysFee = request.fee !== undefined;
    const { bytesMax, fewBytesMax, feeBytes = 0 } = chain.costs;
    const taken = paysFee ? feeBytes : 0;
    const costs = {
      ...{ ...chain.costs, unitsMax: options.unitsMax ?? chain.costs.unitsMax },
      ...{ bytesMax: bytesMax - taken, fewBytesMax: fewBytesMax - taken },
      ...(listed === undefined ? {} : { listed }),
    };
    const { joint } = options;
    const routers = joint
      ? [buildJointRouter(joint)]
      : chain
          .listRouters?.()
          ?.filter(
            ({ name, isProven, onlyOutputs }) =>
              (options.isProvenOnly !== true || isProven) &&
              (options.isPermitted !== true || onlyOutputs !== true) &&
              name === (options.router ?? name),
          );
    const tokenIn = ends.tokenIn.token;
    const tokenOut = ends.tokenOut.token;
    const { market, size } = describeSearch(request);
    const priced = request.fixed === 'input' ? tokenOut : tokenIn;
    let at: GraphAtCommit | null = null;
    let outPerUnit: Ratio | null = null;
    const { search: searched } = await parts.scheduler.search({
      caller: caller.key,
      meter: createSearchMeter(caller),
      watchCaller: caller.watch,
      ...{ market, size },
      plan: () => {
        at = requireGraph(chain);
        const { graph } = at;
        outPerUnit =
          options.outPerUnit === undefined
            ? findWorth(chain).priceUnit(graph, priced, readFees(chain, request.priority))
            : options.outPerUnit;
        return planTrade({
          graph,
          safetyCache: chain.safetyCache,
          trusted: chain.trusted,
          isPaused,
          tokenIn,
          tokenOut,
          size,
          costs,
          outPerUnit: raiseByFee(outPerUnit, request),
          paysFee,
          ...{ routers, pools: joint?.pools },
          limits: request.limits ?? NO_LIMITS,
        });
      },
    });
    options.onSearched?.();
    if (at === null) throw new Error('the search ended without planning anything');
    const graph = at as GraphAtCommit;
    const called = await findOnChainRoute(chain, {
      ...{ searched, request, options, tokenIn, tokenOut, isPaused, at: graph },
      caller: caller.key,
    });
    if (called.kind === 'found') return { at: graph, found: called.found, outPerUnit };
    if (searched.kind === 'found') return { at: graph, found: searched.found, outPerUnit };
    const { slug, addresses } = chain;
    if (!trade.isLoaded) throw buildUnreadError(chain, request);
    if (called.kind !== 'none') throw buildNotQuotedError(chain, called.kind);
    throw refuseRoute(searched.reason, { chain: slug, addresses, tokenIn, tokenOut });
  };
}

function findLookalikeWarning(
  { findLookalike, chains }: PricingParts,
  { slug: chain, trusted }: TradeChain,
  row: TokenRecord | null,
): WarningFacts['lookalike'] {
  if (row === null || trusted.has(row.token)) return null;
  const { token, symbol, name } = row;
  const found = findLookalike?.({ chain, token, symbol, name }) ?? null;
  if (found === null) return null;
  const mint = chains.findAddresses(found.chain).toShown(found.token);
  return warnOfLookalike(found, { mint, chain });
}

export function createPriceTrade(parts: PricingParts): PriceTrade {
  const search = createSearch(parts);
  return async (request, caller, options = {}) => {
    const chain = parts.chains.find(request.chain);
    if (chain === null) throw buildNotReadyError(request.chain);
    assertTwoAssets(chain, request);
    const isPaused = (token: Address) => parts.isPaused(chain.slug, token);
    for (const token of [request.mint, request.quoteMint]) {
      if (!isPaused(token)) continue;
      const mint = chain.addresses.toShown(token);
      throw new AppError('TOKEN_PAUSED', { chain: chain.slug, mint });
    }
    requireGraph(chain);
    const ends = await readEnds(chain, request);
    const isLoaded = await chain.loadPools([request.mint, request.quoteMint]);
    // Before the search: where pools are not known in full it may find nothing.
    chain.noteAsked(request.mint);
    const {
      at,
      found: searched,
      outPerUnit,
    } = await search(chain, {
      ...{ request, ends, caller, isPaused, options, isLoaded },
    });
    const used = listHops(searched).map(({ pool }) => pool.pool);
    chain.noteUse(used);
    // Otherwise the first quote after a restart would not be exact, and the next one would.
    await chain.renewSafety?.(used);
    const autoSlippage =
      request.slippageBps === 'auto'
        ? await pickSlippage(parts.candles, {
            ...{ chain: chain.slug, assets: chain.assets, route: searched.route },
            headMs: at.checkpoint.timestampMs,
          })
        : null;
    const slippageBps = autoSlippage?.bps ?? (request.slippageBps as number);
    const bound = { slippageBps, amountInMax: options.amountInMax };
    const found = searched.isInputGiven ? spendReserve(searched, bound) : searched;
    await turnForRoute(found.route);
    const nowMs = parts.clock.nowMs();
    const { token: bought, isNative } = ends.tokenOut;
    const isListed = parts.isListed?.(chain.slug, bought) ?? false;
    const isOutputVouched = isNative || chain.trusted.has(bought) || isListed;
    return buildPricedTrade({
      ...{ chain, request, ends, at, found, outPerUnit, nowMs, slippageBps, autoSlippage },
      ...{ isLoaded, lookalike: findLookalikeWarning(parts, chain, ends.row), isOutputVouched },
    });
  };
}
