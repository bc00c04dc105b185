// Random trades through one router, each built, simulated and sent: the wallet spends and receives
// what the maths says, to the unit, and the router keeps nothing. If somebody else trades in
// between, a trade with a given output pays all of it within its maximum, or nothing happens.

import assert from 'node:assert/strict';
import type { Address as Account, Hex } from 'viem';
import { TEST_ADDRESSES } from '../devnet/accounts.ts';
import type { BuiltTransactions, ExecutableTrade } from '../src/chains/chain-transactions.ts';
import { ZERO_ADDRESS } from '../src/chains/evm/data/zero-address.ts';
import { EvmTransactions } from '../src/chains/evm/trading/evm-transactions.ts';
import type { VenueRouter } from '../src/chains/evm/venues/swap-routers.ts';
import { systemClock } from '../src/lib/clock.ts';
import type { Address } from '../src/model/ids.ts';
import { findBestRoute } from '../src/trading/routing/route.ts';
import { buildRouterTrade, drawRouterTrade, type RouterTrade } from './router-draws.ts';
import type { RoutedScene } from './router-scene.ts';
import { address } from './test-ids.ts';
import { readBalance, setBalance } from './trade-wallet.ts';

const WALLET = address(TEST_ADDRESSES[5] ?? '');
const OTHER_WALLET = address(TEST_ADDRESSES[6] ?? '');
const FEE_WALLET = address(TEST_ADDRESSES[7] ?? '');
const ETHER = 10n ** 18n;
/** The share of trades with a given output before which somebody else trades. */
const DISTURBED_SHARE = 0.3;

/** What the trades had among them. */
export interface RouterTally {
  executed: number;
  exactOut: number;
  /** With a given output, by a call that is told what to spend. */
  inputGiven: number;
  /** After a trade of somebody else: paid within the maximum, or reverted. */
  disturbed: number;
  reverted: number;
  /** A given output that its router would pay less a unit: refused before anything is sent. */
  refused: number;
  hopsMax: number;
  nativeIn: number;
  nativeOut: number;
  gasMax: number;
}

interface Sent {
  readonly spentRaw: bigint;
  readonly receivedRaw: bigint;
  readonly isReverted: boolean;
}

export class RouterTrader {
  readonly tally: RouterTally = {
    ...{ executed: 0, exactOut: 0, inputGiven: 0, disturbed: 0, reverted: 0, refused: 0 },
    ...{ hopsMax: 0, nativeIn: 0, nativeOut: 0, gasMax: 0 },
  };
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

  /** One more unit as the minimum reverts, and one less as the maximum. */
  async refuse(): Promise<void> {
    const spending = await this.#draw(false);
    const minimum = (await this.#computeOut(spending)) + 1n;
    await this.#assertRefused(spending, { minimum });
    const paying = await this.#draw(true);
    const isSpent = paying.given?.isInputGiven === true;
    const { amountIn } = paying.route;
    const tooMuch = (await this.#computeOut(paying)) + 1n;
    await this.#assertRefused(paying, isSpent ? { minimum: tooMuch } : { maximum: amountIn - 1n });
  }

  async trade(kind: 'in' | 'out' | 'any' = 'any'): Promise<void> {
    const isExactOut = kind === 'any' ? this.#random() < 0.5 : kind === 'out';
    const trade = await this.#draw(isExactOut);
    const { route, given } = trade;
    const { amountIn } = route;
    const amountOut = await this.#computeOut(trade);
    const isShort = amountOut < (given?.amountOut ?? 0n);
    if (isShort) {
      this.tally.refused += 1;
      return await this.#assertRefused(trade, {});
    }
    const bounds = given === null ? { minimum: amountOut } : {};
    const built = await this.#build(trade, buildRouterTrade(trade, this.#router, bounds), WALLET);
    const { name } = this.#router;
    assert.equal(built.simulation?.amountOutRaw, amountOut, `${name}: simulated`);
    if (given !== null) assert.equal(built.simulation?.amountInRaw, amountIn, `${name}: simulated`);
    const isDisturbed = given !== null && this.#random() < DISTURBED_SHARE;
    if (isDisturbed) await this.#disturb(trade);
    const kept = await this.#readKept(trade);
    const sent = await this.#send(built, trade, WALLET);
    if (isDisturbed) this.#assertBounds(trade, sent);
    else assert.deepEqual([sent.spentRaw, sent.receivedRaw], [amountIn, amountOut], name);
    if (given !== null && !isDisturbed) this.#assertGiven(given, sent);
    await this.#assertNothingKept(trade, kept, sent);
    this.#count(trade, { isDisturbed, ...sent, gas: built.simulation?.unitsUsed ?? 0n });
  }

  /** A part of what the pools pay goes to somebody else; the minimum is of what is left. */
  async tradeWithFee(bps: number): Promise<void> {
    const isExactOut = this.#random() < 0.5;
    const trade = await this.#draw(isExactOut);
    const { amountIn, amountOut: whole } = trade.route;
    const fee = { bps, recipient: FEE_WALLET, amountRaw: (whole * BigInt(bps)) / 10_000n };
    const net = whole - fee.amountRaw;
    const plain = buildRouterTrade(trade, this.#router);
    const executable = { ...plain, amountOutRaw: net, minAmountOutRaw: net, fee };
    if (trade.given === null) {
      const more = { ...executable, minAmountOutRaw: net + 1n };
      await assert.rejects(this.#build(trade, more, WALLET), { code: 'SIMULATION_REVERTED' });
    }
    const built = await this.#build(trade, executable, WALLET);
    const { chain } = this.#scene.devnet;
    const [kept, paidBefore] = [
      await this.#readKept(trade),
      await readBalance(chain, trade.tokenOut, FEE_WALLET),
    ];
    const sent = await this.#send(built, trade, WALLET);
    const paid = (await readBalance(chain, trade.tokenOut, FEE_WALLET)) - paidBefore;
    const { name } = this.#router;
    assert.deepEqual([sent.spentRaw, sent.receivedRaw, paid], [amountIn, net, fee.amountRaw], name);
    await this.#assertNothingKept(trade, kept, sent);
    this.#count(trade, { isDisturbed: false, ...sent, gas: 0n });
  }

  /** What arrives: such a router pays what it has kept before, too; Curve's keeps a unit. */
  async #computeOut({ tokenIn, tokenOut, route }: RouterTrade): Promise<bigint> {
    if (!this.#isKept({ tokenIn, tokenOut, route })) return route.amountOut;
    const { chain } = this.#scene.devnet;
    const addKept = async (token: Address, paid: bigint) =>
      paid + (await readBalance(chain, token, this.#router.address));
    let amount = route.amountIn;
    let held = tokenIn;
    for (const { pool, zeroForOne, ...hop } of route.swapPaths.flatMap(({ hops }) => hops)) {
      if (held !== hop.tokenIn) amount = await addKept(hop.tokenIn, amount);
      held = hop.tokenOut;
      amount = await addKept(held, pool.curve.swapIn(zeroForOne, amount).amountOut);
    }
    return (held === tokenOut ? amount : await addKept(tokenOut, amount)) - this.#unitKept;
  }

  get #unitKept(): bigint {
    return this.#router.kind === 'curve' ? 1n : 0n;
  }

  /** Whether the router keeps a unit: where one pool trades just that, it is called itself. */
  #isKept({ tokenIn, tokenOut, route }: Omit<RouterTrade, 'given'>): boolean {
    const [first, ...others] = route.swapPaths.flatMap(({ hops }) => hops);
    const isDirect = first?.tokenIn === tokenIn && first.tokenOut === tokenOut;
    return this.#router.keepsUnit === true && (others.length > 0 || !isDirect);
  }

  #draw(isExactOut: boolean): Promise<RouterTrade> {
    const { executed, exactOut } = this.tally;
    const number = isExactOut ? exactOut : executed - exactOut;
    const options = { random: this.#random, number, isExactOut };
    return drawRouterTrade(this.#scene, this.#router, options);
  }

  async #assertRefused(
    trade: RouterTrade,
    bounds: { readonly minimum?: bigint; readonly maximum?: bigint },
  ): Promise<void> {
    const executable = buildRouterTrade(trade, this.#router, bounds);
    await assert.rejects(this.#build(trade, executable, WALLET), { code: 'SIMULATION_REVERTED' });
  }

  /** Pairs of a smart router pay for what arrives: whole units of the input. */
  #assertGiven(given: NonNullable<RouterTrade['given']>, { spentRaw, receivedRaw }: Sent): void {
    const isAtLeast = given.isInputGiven || this.#router.kind === 'smart';
    if (isAtLeast) assert.ok(receivedRaw >= given.amountOut, `${this.#router.name}: too little`);
    else assert.equal(receivedRaw, given.amountOut, `${this.#router.name}: to the unit`);
    assert.ok(spentRaw <= given.amountInMax, `${this.#router.name}: too much`);
  }

  #assertBounds(trade: RouterTrade, sent: Sent): void {
    const { given } = trade;
    const { spentRaw, receivedRaw, isReverted } = sent;
    if (isReverted) assert.deepEqual([spentRaw, receivedRaw], [0n, 0n], this.#router.name);
    else if (given !== null) this.#assertGiven(given, sent);
  }

  /** Somebody else buys the same, or sells it. */
  async #disturb({ tokenIn, tokenOut, route }: RouterTrade): Promise<void> {
    const graph = await this.#scene.readGraph(this.#router);
    const isSame = this.#random() < 0.7;
    const whole = isSame ? route.amountIn : route.amountOut;
    const amountIn = (whole * BigInt(Math.ceil(this.#random() * 200))) / 100n || 1n;
    const ends = isSame ? { tokenIn, tokenOut } : { tokenIn: tokenOut, tokenOut: tokenIn };
    const found = findBestRoute(graph, { ...ends, amountIn }, { isDivided: false });
    if (found === null) return;
    const other = { ...ends, route: found, given: null };
    const minimum = await this.#computeOut(other);
    const executable = buildRouterTrade(other, this.#router, { minimum });
    const built = await this.#build(other, executable, OTHER_WALLET);
    await this.#send(built, other, OTHER_WALLET);
  }

  /** What the router holds of each token on the way. */
  async #readKept({ route }: RouterTrade): Promise<Map<Address, bigint>> {
    const hops = route.swapPaths.flatMap((swapPath) => swapPath.hops);
    const tokens = new Set(hops.flatMap((hop) => [hop.tokenIn, hop.tokenOut, ZERO_ADDRESS]));
    const kept = new Map<Address, bigint>();
    for (const token of tokens) {
      kept.set(token, await readBalance(this.#scene.devnet.chain, token, this.#router.address));
    }
    return kept;
  }

  /** A vault holds the tokens of its pools: it gains the first of a path and loses the last. */
  async #assertNothingKept(
    trade: RouterTrade,
    before: ReadonlyMap<Address, bigint>,
    { spentRaw, receivedRaw, isReverted }: Sent,
  ): Promise<void> {
    const hops = trade.route.swapPaths.flatMap((swapPath) => swapPath.hops);
    const changes = new Map<Address | undefined, bigint>();
    if (this.#router.kind === 'vault') {
      changes.set(hops[0]?.tokenIn, spentRaw).set(hops.at(-1)?.tokenOut, -receivedRaw);
    }
    if (!isReverted && this.#isKept(trade)) {
      const { tokenIn, tokenOut } = trade;
      const passed = hops.flatMap((hop) => [hop.tokenIn, hop.tokenOut]);
      for (const token of passed.filter((one) => one !== tokenIn)) {
        changes.set(token, -(before.get(token) ?? 0n));
      }
      changes.set(tokenOut, this.#unitKept - (before.get(tokenOut) ?? 0n));
    }
    for (const [token, amount] of await this.#readKept(trade)) {
      const change = amount - (before.get(token) ?? 0n);
      assert.equal(change, changes.get(token) ?? 0n, `${this.#router.name} keeps ${token}`);
    }
  }

  #count(
    { tokenIn, tokenOut, route, given }: RouterTrade,
    what: { readonly isDisturbed: boolean; readonly isReverted: boolean; readonly gas: bigint },
  ): void {
    const { tally } = this;
    const hopCount = route.swapPaths.reduce((sum, { hops }) => sum + hops.length, 0);
    tally.executed += 1;
    tally.exactOut += given === null ? 0 : 1;
    tally.inputGiven += given?.isInputGiven ? 1 : 0;
    tally.disturbed += what.isDisturbed ? 1 : 0;
    tally.reverted += what.isReverted ? 1 : 0;
    tally.hopsMax = Math.max(tally.hopsMax, hopCount);
    tally.nativeIn += tokenIn === ZERO_ADDRESS ? 1 : 0;
    tally.nativeOut += tokenOut === ZERO_ADDRESS ? 1 : 0;
    tally.gasMax = Math.max(tally.gasMax, Number(what.gas));
  }

  /** All transactions; what the wallet spent and received, without gas. */
  async #send(built: BuiltTransactions, trade: RouterTrade, wallet: Address): Promise<Sent> {
    const { chain } = this.#scene.devnet;
    const readBoth = () =>
      Promise.all([trade.tokenIn, trade.tokenOut].map((one) => readBalance(chain, one, wallet)));
    const [inBefore = 0n, outBefore = 0n] = await readBoth();
    let gasRaw = 0n;
    let isReverted = false;
    for (const { unsigned } of built.transactions) {
      const { to, data, value, gas } = unsigned as object as Record<string, string>;
      const call = { from: wallet as Hex, to: to as Account, data: data as Hex };
      const sent = { ...call, value: BigInt(value ?? 0), gas: BigInt(gas ?? 0) };
      const { transactionHash, status, gasUsed } = await chain.send(sent);
      const { effectiveGasPrice } = await chain.rpc.call<{ effectiveGasPrice: Hex }>(
        'eth_getTransactionReceipt',
        transactionHash,
      );
      gasRaw += BigInt(gasUsed) * BigInt(effectiveGasPrice);
      isReverted = status !== '0x1';
    }
    const [inAfter = 0n, outAfter = 0n] = await readBoth();
    const gasIn = trade.tokenIn === ZERO_ADDRESS ? gasRaw : 0n;
    const gasOut = trade.tokenOut === ZERO_ADDRESS ? gasRaw : 0n;
    const [spentRaw, receivedRaw] = [inBefore - inAfter - gasIn, outAfter - outBefore + gasOut];
    return { spentRaw, receivedRaw, isReverted };
  }

  async #build(trade: RouterTrade, executable: ExecutableTrade, owner: Address) {
    const { chain, follower } = this.#scene.devnet;
    const { tokenIn } = trade;
    await setBalance(chain, ZERO_ADDRESS, { owner, amountRaw: 10_000n * ETHER });
    if (tokenIn !== ZERO_ADDRESS) {
      await setBalance(chain, tokenIn, { owner, amountRaw: executable.maxAmountInRaw });
    }
    await this.#scene.devnet.settle();
    const { block, blockHash } = follower.current?.checkpoint ?? assert.fail();
    const wallet = await this.#transactions.readWallet(owner, tokenIn);
    const built = await wallet.build({
      trade: executable,
      block: { position: block, hash: blockHash },
      ...{ nowMs: Date.now(), lifeSeconds: 600, approval: 'onchain', priority: 'medium' },
    });
    return built ?? assert.fail('the block is gone');
  }
}
