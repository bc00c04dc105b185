// Random trades through the service, executed on the chain: what was promised must arrive.

import assert from 'node:assert/strict';
import { POOL_LIST } from '../devnet/pool-list.ts';
import { ETH_PRICE_MICRO_USD, TOKEN_LIST, toRawAmount } from '../devnet/token-list.ts';
import type { ClientAnswer } from './access-client.ts';
import type { Json } from './market-scene.ts';
import {
  type Gift,
  type ServiceTradeInput,
  type TestTrader,
  type TradeExecution,
  type TradeService,
  watchTrade,
} from './trade-service.ts';
import { readBalance, setBalance } from './trade-wallet.ts';

export interface TradeTally {
  executed: number;
  exact: number;
  divided: number;
  blocks: number;
  /** How often each venue, number of hops, side, token and size occurred. */
  readonly seen: Map<string, number>;
  /** Rejected trades, by code. */
  readonly refused: Map<string, number>;
}

export interface RandomTradesOptions {
  readonly count: number;
  /** The share of trades that are given what they pay, instead of what they spend; 0 by default. */
  readonly exactOutShare?: number;
  /** The share of trades whose router takes what is spent by a signed permit; 0 by default. */
  readonly permitShare?: number;
  readonly random: () => number;
  readonly onBlock?: (tally: TradeTally) => void;
}

interface DrawnTrade extends ServiceTradeInput {
  readonly key: string;
  readonly size: string;
  /** What is given of it. */
  readonly amountRaw: bigint;
  readonly isPermitted: boolean;
}

interface Round {
  readonly drawn: DrawnTrade;
  readonly quote: Json;
  readonly trader: TestTrader;
}

/** Trades in one block must not share a pool, or their order would matter. */
const ROUND_SIZE = 5;
const IDLE_ROUNDS_MAX = 20;
const ETH = { decimals: 18, priceMicroUsd: ETH_PRICE_MICRO_USD };

/** The dollars of each size, and its frequency. Dust is in smallest units. */
const SIZES = [
  { size: 'dust', weight: 12, from: 1, to: 3000 },
  { size: 'small', weight: 28, from: 1, to: 200 },
  { size: 'usual', weight: 35, from: 200, to: 30_000 },
  { size: 'large', weight: 17, from: 30_000, to: 400_000 },
  { size: 'draining', weight: 8, from: 400_000, to: 9_000_000 },
] as const;

/** Their taxes, or that they cannot be sold, break no promise. */
const TAXED = new Set(['toll', 'ember']);
const REFUSALS = new Set([
  ...['INSUFFICIENT_LIQUIDITY', 'AMOUNT_TOO_SMALL', 'NO_MARKET', 'NO_ROUTE'],
]);

function count(map: Map<string, number>, name: string): void {
  map.set(name, (map.get(name) ?? 0) + 1);
}

function atMost(amount: bigint, most: bigint): bigint {
  return amount > most ? most : amount;
}

function pick<T>(list: readonly T[], random: () => number): T {
  return list[Math.floor(random() * list.length)] ?? assert.fail('an empty list');
}

function findSpec(key: string) {
  if (key === 'eth' || key === 'weth') return ETH;
  return TOKEN_LIST.find((token) => token.key === key) ?? assert.fail(key);
}

function drawAmount(key: string, random: () => number): { amountRaw: bigint; size: string } {
  let at = random() * SIZES.reduce((sum, { weight }) => sum + weight, 0);
  const chosen = SIZES.find(({ weight }) => {
    at -= weight;
    return at < 0;
  });
  const { size, from, to } = chosen ?? SIZES[0];
  const between = from * (to / from) ** random();
  if (size === 'dust') return { size, amountRaw: BigInt(Math.ceil(between)) };
  const millis = toRawAmount(findSpec(key), BigInt(Math.ceil(between * 1000)));
  return { size, amountRaw: millis / 1000n || 1n };
}

const TRADED = [...new Set(POOL_LIST.map(({ token }) => token))];
/** Tokens with several pools occur more often: only their trades can be split. */
const DRAWN = [...TRADED, ...POOL_LIST.map(({ token }) => token), 'wire', 'usdc', 'wbit'];

function draw(scene: TradeService, options: RandomTradesOptions): DrawnTrade {
  const { random, exactOutShare = 0, permitShare = 0 } = options;
  const key = pick(DRAWN, random);
  const others = ['eth', 'eth', 'eth', 'weth', 'usdc', 'wire'].filter((one) => one !== key);
  const quote = pick(others, random);
  const side = random() < 0.5 ? 'buy' : 'sell';
  const isExactOut = exactOutShare > 0 && random() < exactOutShare;
  const isQuoteGiven = (side === 'buy') !== isExactOut;
  const { amountRaw, size } = drawAmount(isQuoteGiven ? quote : key, random);
  return {
    key,
    mint: scene.mintOf(key),
    side,
    ...{ amountRaw, size, isPermitted: permitShare > 0 && random() < permitShare },
    ...(isExactOut ? { amountOutRaw: amountRaw } : { amountInRaw: amountRaw }),
    slippageBps: pick([0, 0, 10, 50, 300], random),
    ...(quote === 'eth' ? {} : { quoteMint: scene.mintOf(quote) }),
  };
}

/** Large amounts of everything, from the maker. */
function planGifts(scene: TradeService, owner: string): Gift[] {
  const tokens = TRADED.map((key): Gift => {
    const { supplyUnits, decimals } = TOKEN_LIST.find((token) => token.key === key)!;
    const most = (supplyUnits * 10n ** BigInt(decimals) * 6n) / 100n;
    return [owner, scene.mintOf(key), atMost(toRawAmount(findSpec(key), 9_000_000n), most)];
  });
  return [...tokens, [owner, scene.mintOf('weth'), toRawAmount(ETH, 9_000_000n)]];
}

async function fundTraders(scene: TradeService, traders: readonly TestTrader[]): Promise<void> {
  const owners = traders.map(({ account }) => account.address);
  for (const owner of owners) {
    await setBalance(scene.chain, scene.mintOf('eth'), { owner, amountRaw: 10n ** 23n });
  }
  await scene.give(owners.flatMap((owner) => planGifts(scene, owner)));
}

function listPools({ route }: Json): string[] {
  return route.flatMap(({ hops }: Json) => hops.map(({ pool }: Json) => pool as string));
}

/** With a permit in two steps: the wallet signs what the first one asks for. */
async function buildTrade({ trader, drawn, quote }: Round): Promise<ClientAnswer> {
  const quoteId = quote.quoteId as string;
  if (!drawn.isPermitted) return trader.build(drawn, { quoteId });
  const approval = { approval: 'permit' };
  const asked = await trader.build(drawn, { quoteId, ...approval });
  const { permit, quote: priced } = asked.body as Json;
  // The native coin needs none.
  if (asked.status !== 200 || permit === undefined) return asked;
  const permitSignature = await trader.account.signTypedData(permit);
  const terms = { ...approval, quoteId: priced.quoteId, permitSignature };
  const { status, body } = await trader.build(drawn, terms);
  return { status, body: { ...(body as Json), isPermitted: true } } as ClientAnswer;
}

class RandomTrades {
  readonly #scene: TradeService;
  readonly #options: RandomTradesOptions;
  readonly #traders: TestTrader[] = [];
  readonly tally: TradeTally = {
    executed: 0,
    exact: 0,
    divided: 0,
    blocks: 0,
    seen: new Map(),
    refused: new Map(),
  };

  constructor(scene: TradeService, options: RandomTradesOptions) {
    this.#scene = scene;
    this.#options = options;
  }

  async run(): Promise<TradeTally> {
    for (let i = 0; i < ROUND_SIZE; i += 1) {
      this.#traders.push(await this.#scene.createTrader());
    }
    await fundTraders(this.#scene, this.#traders);
    for (let idle = 0; this.tally.executed < this.#options.count; ) {
      const { executed } = this.tally;
      await this.#scene.settle();
      await this.#execute(await this.#fillRound());
      idle = this.tally.executed > executed ? 0 : idle + 1;
      assert.ok(idle < IDLE_ROUNDS_MAX, 'nothing can be traded any more');
      this.#options.onBlock?.(this.tally);
    }
    return this.tally;
  }

  /** Trades on one state that share no pool. */
  async #fillRound(): Promise<Round[]> {
    const round: Round[] = [];
    const taken = new Set<string>();
    for (let tries = 0; tries < ROUND_SIZE * 4 && round.length < ROUND_SIZE; tries += 1) {
      const trader = this.#traders[round.length]!;
      const drawn = await this.#drawFor(trader);
      if (drawn.amountRaw === 0n) continue;
      const { status, body: quote } = await this.#scene.quote(drawn);
      if (status !== 200) {
        this.#refuse(drawn, quote);
        continue;
      }
      if (await this.#isBeyond(trader, drawn, quote)) continue;
      const pools = listPools(quote);
      if (pools.some((pool) => taken.has(pool))) continue;
      for (const pool of pools) taken.add(pool);
      round.push({ drawn, quote, trader });
    }
    return round;
  }

  /** A trade must not exceed the trader's balance. */
  async #drawFor(trader: TestTrader): Promise<DrawnTrade> {
    const drawn = draw(this.#scene, this.#options);
    if (drawn.amountOutRaw !== undefined) return drawn;
    const amountRaw = atMost(drawn.amountRaw, await this.#readMost(trader, drawn));
    return { ...drawn, amountRaw, amountInRaw: amountRaw };
  }

  /** How much a trader can spend. */
  async #readMost(trader: TestTrader, drawn: DrawnTrade): Promise<bigint> {
    const spent =
      drawn.side === 'buy' ? (drawn.quoteMint ?? this.#scene.mintOf('eth')) : drawn.mint;
    const balance = await readBalance(this.#scene.chain, spent, trader.account.address);
    // Some of the native coin must be left for fees.
    return drawn.side === 'buy' && drawn.quoteMint === undefined ? balance / 2n : balance;
  }

  async #isBeyond(trader: TestTrader, drawn: DrawnTrade, { input }: Json): Promise<boolean> {
    if (drawn.amountOutRaw === undefined) return false;
    return BigInt(input.maxAmountRaw) > (await this.#readMost(trader, drawn));
  }

  #refuse(drawn: DrawnTrade, problem: Json): void {
    const isTrap = drawn.key === 'trap' && drawn.side === 'sell';
    const isReverted = isTrap && problem.code === 'SIMULATION_REVERTED';
    const isOpen = isOdd(drawn) && problem.code === 'EXACT_OUTPUT_NOT_SUPPORTED';
    // A hook is asked what it pays: for direct trades with a given input, and not all the time.
    const isUnasked = ['POOLS_NOT_QUOTED', 'OVERLOADED'].includes(problem.code);
    const isHook = drawn.key === 'hook' && isUnasked;
    const isFair = REFUSALS.has(problem.code) || isOpen || isReverted || isHook;
    assert.ok(isFair, `${describeTrade(drawn)}: ${JSON.stringify(problem)}`);
    count(this.tally.refused, problem.code);
  }

  async #execute(round: readonly Round[]): Promise<void> {
    const { chain } = this.#scene;
    const built = await Promise.all(
      round.map(async (one) => {
        const { status, body } = await buildTrade(one);
        if (status !== 200) this.#refuse(one.drawn, body);
        return status === 200 ? { ...one, body: body as Json } : null;
      }),
    );
    const sent = [];
    for (const one of built) {
      if (one === null) continue;
      const watch = await watchTrade(chain, one.trader.account.address, one.body);
      sent.push({ ...one, watch, hashes: await one.trader.send(one.body.transactions) });
    }
    if (sent.length === 0) return;
    await chain.mine();
    this.tally.blocks += 1;
    for (const one of sent) this.#check(one, await one.watch(one.hashes));
  }

  #check({ drawn, quote, body }: Round & { body: Json }, execution: TradeExecution): void {
    const { tally } = this;
    const what = `${describeTrade(drawn)} ${JSON.stringify(body.quote.route)}`;
    for (const { status } of execution.receipts) assert.equal(status, '0x1', what);
    const received = execution.receivedRaw.toString();
    assert.equal(received, body.simulation.amountOutRaw, `simulated, ${what}`);
    const spent = execution.spentRaw.toString();
    assert.equal(
      spent,
      body.simulation.amountInRaw ?? drawn.amountRaw.toString(),
      `spent, ${what}`,
    );
    assertWithinLimits({ drawn, quote: body.quote }, execution);
    const hops: Json[] = body.quote.route.flatMap((one: Json) => one.hops);
    const isOfPairs = hops.every(({ venue }) => venue === 'uniswap-v2');
    const isPure = body.quote.route.length === 1 && isOfPairs && !body.isPermitted;
    if (drawn.amountOutRaw !== undefined && isPure && body.quote.output.native) {
      assert.equal(execution.receivedRaw, drawn.amountOutRaw, `to the unit, ${what}`);
    }
    assert.deepEqual([body.simulation.status, body.simulation.assumed], ['ok', []], what);
    if (body.quote.exact) {
      assert.equal(received, body.quote.output.amountRaw, `exact, ${what}`);
      tally.exact += 1;
      // With a permit the Universal Router pays a given output, in place of V2's own router.
      const isAsQuoted = !body.isPermitted || drawn.amountOutRaw === undefined;
      if (isAsQuoted) {
        // On the same state a build takes the route of its quote, whatever gas costs by then.
        assert.deepEqual(body.quote.route, quote.route, `route, ${what}`);
        assert.equal(received, quote.output.amountRaw, `quoted, ${what}`);
        assert.equal(spent, quote.input.amountRaw, `quoted, ${what}`);
      }
    } else {
      assert.ok(isOdd(drawn), `not exact: ${what} ${JSON.stringify(body.quote.warnings)}`);
      const off = execution.receivedRaw - BigInt(body.quote.output.amountRaw);
      const most = execution.receivedRaw / 1000n + 3n;
      assert.ok(off <= most && -off <= most, `off by ${off} of ${received}, ${what}`);
    }
    this.#count(drawn, body);
  }

  #count(drawn: DrawnTrade, body: Json): void {
    const { tally } = this;
    tally.executed += 1;
    if (body.quote.route.length > 1) tally.divided += 1;
    for (const { hops } of body.quote.route) {
      count(tally.seen, `${hops.length} hops`);
      for (const { venue } of hops) count(tally.seen, venue);
    }
    const given = drawn.amountOutRaw === undefined ? 'given input' : 'given output';
    if (body.isPermitted) count(tally.seen, `permit, ${given}`);
    for (const name of [drawn.side, drawn.size, drawn.key, given]) count(tally.seen, name);
  }
}

function describeTrade({ key, side, amountRaw, quoteMint, ...drawn }: DrawnTrade): string {
  const given = drawn.amountOutRaw === undefined ? 'spends' : 'pays';
  return `${side} ${key}, ${given} ${amountRaw} (${drawn.size}), quote ${quoteMint ?? 'native'}`;
}

function isOdd({ key }: DrawnTrade): boolean {
  return TAXED.has(key) || key === 'hook' || key === 'trap';
}

/** At least the minimum, or what was asked for; never more than the maximum. */
function assertWithinLimits(
  { drawn, quote }: Pick<Round, 'drawn' | 'quote'>,
  execution: TradeExecution,
) {
  const { receivedRaw, spentRaw } = execution;
  const what = describeTrade(drawn);
  const most = BigInt(quote.input.maxAmountRaw ?? quote.input.amountRaw);
  assert.ok(spentRaw <= most, `${spentRaw} is more than ${most}, ${what}`);
  const least = drawn.amountOutRaw ?? BigInt(quote.output.minAmountRaw);
  assert.ok(receivedRaw >= least, `${receivedRaw} is less than ${least}, ${what}`);
}

/** Throws on the first trade that differs from its quote; none is skipped silently. */
export function runRandomTrades(
  scene: TradeService,
  options: RandomTradesOptions,
): Promise<TradeTally> {
  return new RandomTrades(scene, options).run();
}

/** Throws if the trades were too similar to prove anything. */
export function assertVariety(tally: TradeTally): void {
  const { executed, exact, divided, seen } = tally;
  // Six of the more than thirty tokens are taxed, hooked or unsellable.
  assert.ok(exact >= executed * 0.6, `only ${exact} promised`);
  assert.ok(divided >= 3, `only ${divided} divided`);
  const paths = ['uniswap-v2', 'uniswap-v3', 'uniswap-v4', 'buy', 'sell', '2 hops'];
  for (const name of paths) assert.ok((seen.get(name) ?? 0) >= 8, `${name}: ${seen.get(name)}`);
  const rare = ['3 hops', ...SIZES.map(({ size }) => size)];
  for (const name of rare) assert.ok((seen.get(name) ?? 0) >= 2, `${name}: ${seen.get(name)}`);
}
