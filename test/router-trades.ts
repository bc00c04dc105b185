// Random trades through one router, each built, simulated and sent: the wallet receives what the
// maths says, to the unit, and the router keeps nothing.

import assert from 'node:assert/strict';
import type { Address as Account, Hex } from 'viem';
import { TEST_ADDRESSES } from '../devnet/accounts.ts';
import type { ExecutableTrade } from '../src/chains/chain-transactions.ts';
import { EvmTransactions } from '../src/chains/evm/transactions/evm-transactions.ts';
import type { VenueRouter } from '../src/chains/evm/transactions/swap-routers.ts';
import { ZERO_ADDRESS } from '../src/chains/evm/zero-address.ts';
import { systemClock } from '../src/lib/clock.ts';
import type { Address } from '../src/model/ids.ts';
import { buildTradeStrands } from '../src/trading/quote/trade-legs.ts';
import { type BestRoute, findBestRoute } from '../src/trading/routing/route.ts';
import type { RouteHop } from '../src/trading/routing/route-swaps.ts';
import type { RoutedScene } from './router-scene.ts';
import { address } from './test-ids.ts';
import { readBalance, setBalance } from './trade-wallet.ts';

const WALLET = address(TEST_ADDRESSES[5] ?? '');
const ETHER = 10n ** 18n;
/** Without tokens that tax transfers or have no market on some venue. */
const KEYS = [
  'eth',
  'weth',
  'usdc',
  'wire',
  'seat',
  'cent',
  'wbit',
  'nano',
  'twin-a',
  'kin',
] as const;

interface RouterTrade {
  readonly tokenIn: Address;
  readonly tokenOut: Address;
  readonly route: BestRoute;
}

/** What the trades had among them. */
export interface RouterTally {
  executed: number;
  hopsMax: number;
  nativeIn: number;
  nativeOut: number;
  gasMax: number;
}

async function pickTrade(
  scene: RoutedScene,
  router: VenueRouter,
  { random, count: number }: { readonly random: () => number; readonly count: number },
): Promise<RouterTrade> {
  const graph = await scene.readGraph(router);
  const pick = () => KEYS[Math.floor(random() * KEYS.length)] ?? 'eth';
  for (let count = 0; count < 1_000; count += 1) {
    // The coin is spent first, then received.
    const [from, to] = [number === 0 ? 'eth' : pick(), number === 1 ? 'eth' : pick()];
    const [tokenIn, tokenOut] = [address(scene.tokenOf(from)), address(scene.tokenOf(to))];
    if (graph.toAsset(tokenIn) === graph.toAsset(tokenOut)) continue;
    const decimals = from === 'usdc' ? 6 : from === 'wbit' ? 8 : from === 'seat' ? 0 : 18;
    const amountIn = (BigInt(Math.floor(random() * 1e6) + 1) * 10n ** BigInt(decimals)) / 10_000n;
    if (amountIn === 0n) continue;
    const route = findBestRoute(graph, { tokenIn, tokenOut, amountIn }, { isDivided: false });
    if (route !== null && route.amountOut > 1n) return { tokenIn, tokenOut, route };
  }
  return assert.fail(`no trade through ${router.name}`);
}

function buildExecutable(
  trade: RouterTrade,
  router: VenueRouter,
  minimum: bigint,
): ExecutableTrade {
  const { tokenIn, tokenOut, route } = trade;
  return {
    ...{ tokenIn, tokenOut, amountInRaw: route.amountIn, amountOutRaw: route.amountOut },
    ...{ fixed: 'input', maxAmountInRaw: route.amountIn },
    minAmountOutRaw: minimum,
    strands: buildTradeStrands(route, route.amountIn),
    ...{ outputTaxBps: 0, router: router.name, costUnits: 1_000_000n },
  };
}

/** A vault holds the tokens of its pools: it gains the first of a path and loses the last. */
function findVaultChange(hops: readonly RouteHop[], token: Address): bigint {
  const [first, last] = [hops[0], hops.at(-1)];
  if (token === first?.tokenIn) return first.amountIn;
  return token === last?.tokenOut ? -last.amountOut : 0n;
}

async function send(scene: RoutedScene, unsigned: object): Promise<bigint> {
  const { chain } = scene.devnet;
  const { to, data, value, gas } = unsigned as Record<string, string>;
  const call = { from: WALLET as Hex, to: to as Account, data: data as Hex };
  const receipt = await chain.send({ ...call, value: BigInt(value ?? 0), gas: BigInt(gas ?? 0) });
  assert.equal(receipt.status, '0x1');
  const { effectiveGasPrice } = await chain.rpc.call<{ effectiveGasPrice: Hex }>(
    'eth_getTransactionReceipt',
    receipt.transactionHash,
  );
  return BigInt(receipt.gasUsed) * BigInt(effectiveGasPrice);
}

export class RouterTrader {
  readonly tally: RouterTally = { executed: 0, hopsMax: 0, nativeIn: 0, nativeOut: 0, gasMax: 0 };
  readonly #scene: RoutedScene;
  readonly #router: VenueRouter;
  readonly #random: () => number;
  readonly #transactions: EvmTransactions;

  constructor(scene: RoutedScene, router: VenueRouter, random: () => number) {
    this.#scene = scene;
    this.#router = router;
    this.#random = random;
    const { client, deployment } = scene.devnet.adapter;
    const parts = { client, chainId: deployment.chainId, rollup: null, clock: systemClock };
    this.#transactions = new EvmTransactions({ ...parts, routers: scene.routers });
  }

  /** One more unit as the minimum reverts. */
  async refuse(): Promise<void> {
    const trade = await pickTrade(this.#scene, this.#router, { random: this.#random, count: 2 });
    const minimum = trade.route.amountOut + 1n;
    await assert.rejects(this.#build(trade, minimum), { code: 'SIMULATION_REVERTED' });
  }

  async trade(): Promise<void> {
    const { devnet } = this.#scene;
    const trade = await pickTrade(this.#scene, this.#router, {
      ...{ random: this.#random, count: this.tally.executed },
    });
    const { tokenIn, tokenOut, route } = trade;
    const built = await this.#build(trade, route.amountOut);
    const { amountOutRaw = null, unitsUsed = 0n } = built.simulation ?? {};
    assert.equal(amountOutRaw, route.amountOut, `${this.#router.name}: simulated`);
    const hops = route.strands.flatMap((strand) => strand.hops);
    const kept = await this.#readKept(hops);
    const before = await readBalance(devnet.chain, tokenOut, WALLET);
    let spentOnGas = 0n;
    for (const { unsigned } of built.transactions) spentOnGas += await send(this.#scene, unsigned);
    const gas = tokenOut === ZERO_ADDRESS ? spentOnGas : 0n;
    const received = (await readBalance(devnet.chain, tokenOut, WALLET)) - before + gas;
    assert.equal(received, route.amountOut, `${this.#router.name}: received`);
    for (const [token, amount] of await this.#readKept(hops)) {
      const change = amount - (kept.get(token) ?? 0n);
      const expected = this.#router.kind === 'vault' ? findVaultChange(hops, token) : 0n;
      assert.equal(change, expected, `${this.#router.name} keeps ${token}`);
    }
    this.tally.executed += 1;
    this.tally.hopsMax = Math.max(this.tally.hopsMax, hops.length);
    this.tally.nativeIn += tokenIn === ZERO_ADDRESS ? 1 : 0;
    this.tally.nativeOut += tokenOut === ZERO_ADDRESS ? 1 : 0;
    this.tally.gasMax = Math.max(this.tally.gasMax, Number(unitsUsed));
  }

  /** What the router holds of each token on the way. */
  async #readKept(hops: readonly RouteHop[]): Promise<Map<Address, bigint>> {
    const { address: router } = this.#router;
    const tokens = new Set(hops.flatMap((hop) => [hop.tokenIn, hop.tokenOut, ZERO_ADDRESS]));
    const kept = new Map<Address, bigint>();
    for (const token of tokens) {
      kept.set(token, await readBalance(this.#scene.devnet.chain, token, router));
    }
    return kept;
  }

  async #build(trade: RouterTrade, minimum: bigint) {
    const { chain, follower } = this.#scene.devnet;
    const { tokenIn, route } = trade;
    await setBalance(chain, ZERO_ADDRESS, { owner: WALLET, amountRaw: 10_000n * ETHER });
    if (tokenIn !== ZERO_ADDRESS) {
      await setBalance(chain, tokenIn, { owner: WALLET, amountRaw: route.amountIn });
    }
    await this.#scene.devnet.settle();
    const { block, blockHash } = follower.current?.checkpoint ?? assert.fail();
    const wallet = await this.#transactions.readWallet(WALLET, tokenIn);
    const built = await wallet.build({
      trade: buildExecutable(trade, this.#router, minimum),
      block: { position: block, hash: blockHash },
      ...{ nowMs: Date.now(), lifeSeconds: 600, approval: 'onchain' },
    });
    return built ?? assert.fail('the block is gone');
  }
}
