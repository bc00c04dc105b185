// Draws random trades that one router can execute: with a given input, or with a given output, as
// the service prices them.

import assert from 'node:assert/strict';
import type { ExecutableTrade } from '../src/chains/chain-transactions.ts';
import { EVM_COSTS } from '../src/chains/evm/trading/evm-transaction-costs.ts';
import type { VenueRouter } from '../src/chains/evm/venues/swap-routers.ts';
import type { Address } from '../src/model/ids.ts';
import type { PoolGraph } from '../src/trading/graph/pool-graph.ts';
import { SafetyCache } from '../src/trading/graph/safety-cache.ts';
import { buildTradePaths } from '../src/trading/quote/priced-trade.ts';
import { searchTrade } from '../src/trading/routing/find-trade-route.ts';
import { type BestRoute, findBestRoute } from '../src/trading/routing/route.ts';
import { SearchWork } from '../src/trading/routing/search-work.ts';
import { spendReserve } from '../src/trading/routing/spend-reserve.ts';
import { planTrade } from '../src/trading/routing/trade-plan.ts';
import type { RoutedScene } from './router-scene.ts';
import { address } from './test-ids.ts';

/** Without tokens that tax transfers or have no market on some venue. */
const KEYS = [
  ...['eth', 'weth', 'usdc', 'wire', 'seat', 'cent', 'wbit', 'nano', 'twin-a', 'kin'],
] as const;
const SLIPPAGES_BPS = [0, 50, 300] as const;
const BPS = 10_000n;

export interface RouterTrade {
  readonly tokenIn: Address;
  readonly tokenOut: Address;
  readonly route: BestRoute;
  /** If the output is given: what is asked for, and the most that may be spent. */
  readonly given: {
    readonly amountOut: bigint;
    readonly amountInMax: bigint;
    readonly isInputGiven: boolean;
  } | null;
}

export interface DrawOptions {
  readonly random: () => number;
  /** How many of its kind were executed before: the coin is spent first, then received. */
  readonly number: number;
  readonly isExactOut: boolean;
}

interface DrawnSpending extends Omit<RouterTrade, 'given'> {
  readonly graph: PoolGraph;
}

/** A trade with a given input. */
async function drawSpending(
  scene: RoutedScene,
  router: VenueRouter,
  { random, number }: DrawOptions,
): Promise<DrawnSpending> {
  const graph = await scene.readGraph(router);
  const pick = () => KEYS[Math.floor(random() * KEYS.length)] ?? 'eth';
  for (let count = 0; count < 1_000; count += 1) {
    const [from, to] = [number === 0 ? 'eth' : pick(), number === 1 ? 'eth' : pick()];
    const [tokenIn, tokenOut] = [address(scene.tokenOf(from)), address(scene.tokenOf(to))];
    if (graph.toAsset(tokenIn) === graph.toAsset(tokenOut)) continue;
    const decimals = from === 'usdc' ? 6 : from === 'wbit' ? 8 : from === 'seat' ? 0 : 18;
    const amountIn = (BigInt(Math.floor(random() * 1e6) + 1) * 10n ** BigInt(decimals)) / 10_000n;
    if (amountIn === 0n) continue;
    const route = findBestRoute(graph, { tokenIn, tokenOut, amountIn }, { isDivided: false });
    if (route !== null && route.amountOut > 1n) return { tokenIn, tokenOut, route, graph };
  }
  return assert.fail(`no trade through ${router.name}`);
}

/**
 * The same trade with its output given, by the search of the service. Null if a pool pays so much
 * only for a given input, as the vault does.
 */
function giveOutput(
  { tokenIn, tokenOut, route, graph }: DrawnSpending,
  router: VenueRouter,
  slippageBps: number,
): RouterTrade | null {
  const { amountOut } = route;
  const plan = planTrade({
    ...{ graph, tokenIn, tokenOut, outPerUnit: null, routers: [router] },
    ...{ safetyCache: new SafetyCache(), trusted: new Set<Address>(), isPaused: () => false },
    costs: { ...EVM_COSTS, hasDataFees: false },
    size: { fixed: 'output', amountRaw: amountOut, reserveBps: Math.floor(slippageBps / 2) },
  });
  const search = searchTrade(plan, new SearchWork());
  if (search.kind === 'none') {
    assert.equal(search.reason, 'tooMuch', router.name);
    return null;
  }
  const isInputGiven = search.found.isInputGiven ?? false;
  const found = isInputGiven ? spendReserve(search.found, { slippageBps }) : search.found;
  const { amountIn } = found.route;
  const amountInMax = isInputGiven ? amountIn : (amountIn * (BPS + BigInt(slippageBps))) / BPS;
  const given = { amountOut, amountInMax, isInputGiven };
  return { tokenIn, tokenOut, route: found.route, given };
}

export async function drawRouterTrade(
  scene: RoutedScene,
  router: VenueRouter,
  options: DrawOptions,
): Promise<RouterTrade> {
  for (let count = 0; count < 100; count += 1) {
    const spending = await drawSpending(scene, router, options);
    if (!options.isExactOut) return { ...spending, given: null };
    const at = Math.floor(options.random() * SLIPPAGES_BPS.length);
    const given = giveOutput(spending, router, SLIPPAGES_BPS[at] ?? 0);
    if (given !== null) return given;
  }
  return assert.fail(`no output through ${router.name}`);
}

/** With bounds of the trade itself, or with others. */
export function buildRouterTrade(
  { tokenIn, tokenOut, route, given }: RouterTrade,
  router: VenueRouter,
  bounds: { readonly minimum?: bigint; readonly maximum?: bigint } = {},
): ExecutableTrade {
  const least = given === null ? route.amountOut : given.amountOut;
  return {
    ...{ tokenIn, tokenOut, amountInRaw: route.amountIn, amountOutRaw: route.amountOut },
    fixed: given === null ? 'input' : 'output',
    isInputGiven: given?.isInputGiven ?? false,
    maxAmountInRaw: bounds.maximum ?? given?.amountInMax ?? route.amountIn,
    minAmountOutRaw: bounds.minimum ?? least,
    swapPaths: buildTradePaths(route, route.amountIn),
    ...{ outputTaxBps: 0, router: router.name, costUnits: 1_000_000n },
  };
}
