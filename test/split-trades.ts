// Random trades over several routers, each as one batch of a wallet with code (EIP-7702).

import assert from 'node:assert/strict';
import { decodeFunctionData, encodeFunctionData, type Hex, parseAbi } from 'viem';
import { ETH_PRICE_MICRO_USD, TOKEN_LIST, toRawAmount } from '../devnet/token-list.ts';
import { type BatchWallet, createBatchWallet } from './batch-wallet.ts';
import type { Json } from './market-scene.ts';
import { buildWell, type TestTrader, type TradeService, watchTrade } from './trade-service.ts';
import { setBalance } from './trade-wallet.ts';

interface SplitTally {
  executed: number;
  /** Of those: after the price had moved, all of it done or nothing. */
  moved: number;
  undone: number;
  /** Trades without an offer. */
  none: number;
  readonly gainsBps: number[];
  readonly routers: Set<string>;
}

interface SplitTradesOptions {
  readonly count: number;
  readonly random: () => number;
}

const ETHER = 10n ** 18n;
const ETH = { decimals: 18, priceMicroUsd: ETH_PRICE_MICRO_USD };
/** Those that trade on several exchanges. */
const PAIRS = [
  ['wire', 'eth'],
  ['wire', 'weth'],
  ['wire', 'usdc'],
  ['cent', 'eth'],
  ['odol', 'usdc'],
] as const;
const TRIES_PER_TRADE = 30;
const TOKEN_ABI = parseAbi([
  'function approve(address spender, uint256 value)',
  'function allowance(address owner, address spender) view returns (uint256)',
]);
const APPROVE = '0x095ea7b3';

function pick<T>(list: readonly T[], random: () => number): T {
  return list[Math.floor(random() * list.length)] ?? assert.fail('an empty list');
}

function toRaw(key: string, dollars: number): bigint {
  const isCoin = key === 'eth' || key === 'weth';
  const spec = isCoin ? ETH : TOKEN_LIST.find((token) => token.key === key);
  return toRawAmount(spec ?? assert.fail(key), BigInt(Math.ceil(dollars)));
}

function draw(service: TradeService, random: () => number) {
  const [key, quote] = pick(PAIRS, random);
  const side = random() < 0.5 ? ('buy' as const) : ('sell' as const);
  const spent = side === 'buy' ? quote : key;
  return {
    ...{ spent, mint: service.mintOf(key), quoteMint: service.mintOf(quote), side },
    amountInRaw: toRaw(spent, 5_000 * 60 ** random()),
    slippageBps: pick([0, 10, 50, 300], random),
  };
}

/** What the routers could still take of the token. */
async function readLeftAllowance(service: TradeService, owner: Hex, calls: readonly Json[]) {
  let sum = 0n;
  for (const { to, data } of calls) {
    if (!data.startsWith(APPROVE)) continue;
    const { args } = decodeFunctionData({ abi: TOKEN_ABI, data });
    const asked = [owner, args[0]] as const;
    const read = encodeFunctionData({ abi: TOKEN_ABI, functionName: 'allowance', args: asked });
    sum += BigInt(await service.chain.rpc.call<Hex>('eth_call', { to, data: read }, 'latest'));
  }
  return sum;
}

function sumOf(parts: readonly Json[], field: string): bigint {
  return parts.reduce((sum, part) => sum + BigInt(part[field]), 0n);
}

/** What the offer says of itself; it is never worse than the transactions beside it. */
function assertOffer({ split, quote }: Json, amountInRaw: bigint): void {
  const { parts, amountOutRaw, minAmountOutRaw, gainBps } = split;
  const what = JSON.stringify({ parts, output: quote.output, gainBps });
  assert.ok(parts.length >= 2 && parts.length <= 3, what);
  assert.equal(sumOf(parts, 'amountInRaw'), amountInRaw, what);
  assert.equal(sumOf(parts, 'amountOutRaw'), BigInt(amountOutRaw), what);
  assert.equal(sumOf(parts, 'minAmountOutRaw'), BigInt(minAmountOutRaw), what);
  assert.ok(BigInt(minAmountOutRaw) >= BigInt(quote.output.minAmountRaw), what);
  const least = BigInt(quote.output.amountRaw) * (10_000n + BigInt(gainBps));
  assert.ok(gainBps >= 5 && BigInt(amountOutRaw) * 10_000n >= least, what);
}

class SplitTrades {
  readonly #service: TradeService;
  readonly #options: SplitTradesOptions;
  readonly #trader: TestTrader;
  readonly #wallet: BatchWallet;
  readonly tally: SplitTally = {
    ...{ executed: 0, moved: 0, undone: 0, none: 0, gainsBps: [], routers: new Set() },
  };

  constructor(
    service: TradeService,
    options: SplitTradesOptions,
    parts: { trader: TestTrader; wallet: BatchWallet },
  ) {
    this.#service = service;
    this.#options = options;
    this.#trader = parts.trader;
    this.#wallet = parts.wallet;
  }

  async trade(): Promise<void> {
    const { random } = this.#options;
    const { chain } = this.#service;
    const { address: owner } = this.#trader.account;
    const { spent, ...drawn } = draw(this.#service, random);
    const given = spent === 'eth' ? drawn.amountInRaw + 10n * ETHER : drawn.amountInRaw;
    const eth = this.#service.mintOf('eth');
    if (spent !== 'eth') await setBalance(chain, eth, { owner, amountRaw: 10n * ETHER });
    await setBalance(chain, this.#service.mintOf(spent), { owner, amountRaw: given });
    await chain.mine();
    await this.#service.settle();
    const built = await buildWell(this.#trader, drawn);
    if (built.split === null) {
      this.tally.none += 1;
      return;
    }
    assertOffer(built, drawn.amountInRaw);
    const isMoved = random() < 0.25;
    if (isMoved) await this.#movePrice(random);
    const watch = await watchTrade(chain, owner, built);
    const params = [built.split.walletCalls];
    const sent = (await this.#wallet.request({ method: 'wallet_sendCalls', params })) as Json;
    const status = (await this.#wallet.request({
      ...{ method: 'wallet_getCallsStatus', params: [sent.id] },
    })) as Json;
    const { receivedRaw, spentRaw } = await watch([sent.id]);
    const what = JSON.stringify({ drawn: String(drawn.amountInRaw), split: built.split.parts });
    if (isMoved && status.status !== 200) {
      assert.deepEqual([receivedRaw, spentRaw], [0n, 0n], what);
      this.tally.undone += 1;
    } else {
      assert.equal(status.status, 200, what);
      assert.equal(spentRaw, drawn.amountInRaw, what);
      assert.ok(receivedRaw >= BigInt(built.split.minAmountOutRaw), what);
      if (!isMoved) assert.equal(receivedRaw, BigInt(built.split.amountOutRaw), what);
    }
    const left = await readLeftAllowance(this.#service, owner, built.split.walletCalls.calls);
    assert.equal(left, 0n, what);
    this.tally.executed += 1;
    if (isMoved) this.tally.moved += 1;
    this.tally.gainsBps.push(built.split.gainBps);
    for (const { router } of built.split.parts) this.tally.routers.add(router);
  }

  /** In a pool that many of the trades use, by up to a few per cent. */
  async #movePrice(random: () => number): Promise<void> {
    const amountInRaw = toRaw('eth', 500 * 40 ** random());
    const token = pick(['wire', 'cent'], random);
    await this.#service.chain.buy({ token, venue: 'uniswap-v3', amountInRaw });
  }
}

/** Until that many were executed. */
export async function runSplitTrades(
  service: TradeService,
  options: SplitTradesOptions,
): Promise<SplitTally> {
  const trader = await service.createTrader();
  const wallet = await createBatchWallet(service.chain, trader.account);
  const trades = new SplitTrades(service, options, { trader, wallet });
  const { tally } = trades;
  for (let tries = 0; tally.executed < options.count; tries += 1) {
    assert.ok(tries < options.count * TRIES_PER_TRADE, `too few offers: ${tally.executed}`);
    await trades.trade();
  }
  return tally;
}
