// Random trades on the embedded Solana chain through the service: what was promised must arrive.

import assert from 'node:assert/strict';
import { findTokenAccount } from '../devnet/solana/instructions.ts';
import type { CurveCoin } from '../devnet/solana/pump-instructions.ts';
import { toRaw } from '../devnet/solana/scene.ts';
import { SOL_PRICE_USD } from '../devnet/solana/scene-tokens.ts';
import { PumpPool } from '../src/amm/pump/pump-kind.ts';
import { SYSTEM_PROGRAM, WRAPPED_SOL } from '../src/chains/solana/data/solana-ids.ts';
import { minOf } from '../src/lib/bigint-bounds.ts';
import type { Json } from './market-scene.ts';
import { SLUG, type SolanaTrader, type SolanaTradeService } from './solana-trade-service.ts';
import { type ServiceTradeInput, until } from './trade-service.ts';

export interface SolanaTally {
  executed: number;
  exact: number;
  blocks: number;
  completed: number;
  /** How often each venue, number of hops, side, token and size occurred. */
  readonly seen: Map<string, number>;
  /** Rejected trades, by code. */
  readonly refused: Map<string, number>;
}

export interface SolanaTradesOptions {
  readonly count: number;
  readonly random: () => number;
  readonly onBlock?: (tally: SolanaTally) => void;
}

interface DrawnTrade extends ServiceTradeInput {
  readonly key: string;
  readonly size: string;
  /** What is given of it. */
  readonly amountRaw: bigint;
}

interface Round {
  readonly drawn: DrawnTrade;
  readonly quote: Json;
  readonly trader: SolanaTrader;
}

interface SentTrade extends Round {
  readonly built: Json;
  readonly before: Holdings;
  readonly signature: string;
}

/** What a wallet has of both ends, and all lamports in its accounts. */
interface Holdings {
  readonly input: bigint;
  readonly output: bigint;
  readonly lamports: bigint;
}

/** Trades in one block must not share a pool, or their order would matter. */
const ROUND_SIZE = 5;
const IDLE_ROUNDS_MAX = 20;
const FUND_USD = 250_000;
const EXACT_OUT_SHARE = 0.3;
/** In lamports. */
const FEE_ROUNDING = 2n;
/** One round in so many buys all that a curve has left. */
const COMPLETION_ROUNDS = 6;
const OPEN_CURVES = 3;

/** The dollars of each size, and its frequency. Dust is in smallest units. */
const SIZES = [
  { size: 'dust', weight: 12, from: 1, to: 3000 },
  { size: 'small', weight: 28, from: 1, to: 200 },
  { size: 'usual', weight: 35, from: 200, to: 20_000 },
  { size: 'large', weight: 17, from: 20_000, to: 200_000 },
  { size: 'draining', weight: 8, from: 200_000, to: 3_000_000 },
] as const;

/** Of a curve that the index has just heard of. */
const NEW_REFUSALS = new Set(['NO_MARKET', 'LOOKUP_PENDING']);
const REFUSALS = new Set([...['INSUFFICIENT_LIQUIDITY', 'AMOUNT_TOO_SMALL', 'ROUTE_TOO_LONG']]);
/** Of pump, as the chain's settings have them. */
const CURVE_FEES = { lpBps: 0, protocolBps: 95, creatorBps: 30 };

function count(map: Map<string, number>, name: string): void {
  map.set(name, (map.get(name) ?? 0) + 1);
}

function pick<T>(list: readonly T[], random: () => number): T {
  return list[Math.floor(random() * list.length)] ?? assert.fail('an empty list');
}

function listPools({ route }: Json): string[] {
  return route.flatMap(({ hops }: Json) => hops.map(({ pool }: Json) => pool as string));
}

function describeTrade({ key, side, amountRaw, size, quoteMint, ...drawn }: DrawnTrade): string {
  const given = drawn.amountOutRaw === undefined ? 'spends' : 'pays';
  return `${side} ${key}, ${given} ${amountRaw} (${size}), quote ${quoteMint ?? 'SOL'}`;
}

/** What a route over SOL keeps of it in reserve. */
function countSolLeft({ route }: Json): bigint {
  const hops: Json[] = route.flatMap((leg: Json) => leg.hops);
  const isSol = (mint: string) => mint === SYSTEM_PROGRAM || mint === WRAPPED_SOL;
  return hops.reduce((left, { tokenIn, tokenOut, amountInRaw, amountOutRaw }) => {
    const spent = isSol(tokenIn) ? BigInt(amountInRaw) : 0n;
    return left + (isSol(tokenOut) ? BigInt(amountOutRaw) : 0n) - spent;
  }, 0n);
}

/** A curve's own numbers; null once it is sold out. */
function readCurve({ chain }: SolanaTradeService, { curve }: CurveCoin): PumpPool | null {
  const data = chain.read(curve)?.data ?? assert.fail(curve);
  if (data[48] !== 0) return null;
  const [reserve0 = 0n, reserve1 = 0n, held0 = 0n, held1 = 0n] = [8, 16, 24, 32].map((at) =>
    data.readBigUInt64LE(at),
  );
  return new PumpPool({ stage: 'curve', reserve0, reserve1, held0, held1, ...CURVE_FEES });
}

class SolanaTrades {
  readonly #scene: SolanaTradeService;
  readonly #options: SolanaTradesOptions;
  readonly #traders: SolanaTrader[] = [];
  readonly tally: SolanaTally = {
    ...{ executed: 0, exact: 0, blocks: 0, completed: 0 },
    ...{ seen: new Map(), refused: new Map() },
  };

  constructor(scene: SolanaTradeService, options: SolanaTradesOptions) {
    this.#scene = scene;
    this.#options = options;
  }

  async run(): Promise<SolanaTally> {
    const { traders } = this.#scene.scene.wallets;
    for (const key of traders.slice(0, ROUND_SIZE)) {
      this.#traders.push(await this.#scene.createTrader(key));
      this.#scene.fund(key.address, FUND_USD);
      this.#scene.seal();
    }
    for (let idle = 0; this.tally.executed < this.#options.count; ) {
      const { executed } = this.tally;
      await this.#scene.settle();
      await this.#execute(await this.#fillRound());
      await this.#renewCurves();
      idle = this.tally.executed > executed ? 0 : idle + 1;
      assert.ok(idle < IDLE_ROUNDS_MAX, 'nothing can be traded any more');
      this.#options.onBlock?.(this.tally);
    }
    return this.tally;
  }

  /** Sold-out curves move to pools, and new coins are launched. */
  async #renewCurves(): Promise<void> {
    const { coins } = this.#scene;
    const sold = coins.filter((coin) => this.#isSoldOut(coin) && !this.#hasMoved(coin));
    for (const coin of sold) this.#scene.migrate(coin);
    const open = coins.filter((coin) => !this.#isSoldOut(coin)).length;
    for (let number = open; number < OPEN_CURVES; number += 1) this.#scene.launch();
    if (sold.length > 0 || open < OPEN_CURVES) this.#scene.seal();
    this.tally.completed += sold.length;
  }

  #isSoldOut(coin: CurveCoin): boolean {
    return readCurve(this.#scene, coin) === null;
  }

  #hasMoved({ curve }: CurveCoin): boolean {
    return this.#scene.chain.read(curve)?.data.readBigUInt64LE(32) === 0n;
  }

  #draw(trader: SolanaTrader): DrawnTrade {
    const { random } = this.#options;
    const { scene, coins } = this.#scene;
    const own = scene.tokens.filter(({ mint }) => mint !== WRAPPED_SOL);
    const coin = random() < 0.35 ? pick(coins, random) : null;
    const token = coin === null ? pick(own, random) : { ...coin, symbol: 'coin', decimals: 6 };
    // MIST has a pool against SOL only, GRAM against dollars: three hops lie between them.
    const quotes = ['SOL', 'SOL', 'SOL', 'WSOL', 'USDC', 'BOLT', 'MIST', 'GRAM'];
    const quote = pick(
      quotes.filter((one) => one !== token.symbol),
      random,
    );
    const side = random() < 0.5 ? 'buy' : 'sell';
    const quoteMint = this.#scene.mintOf(quote);
    const isExactOut = random() < EXACT_OUT_SHARE;
    const [spent, paid] = side === 'buy' ? [quoteMint, token.mint] : [token.mint, quoteMint];
    const { size, amountRaw: drawn } = this.#drawAmount(isExactOut ? paid : spent);
    const amountRaw = isExactOut ? drawn : minOf(drawn, this.#readSpendable(trader, spent));
    return {
      ...{ key: token.symbol, mint: token.mint, side, size },
      ...{ amountRaw, ...(isExactOut ? { amountOutRaw: amountRaw } : { amountInRaw: amountRaw }) },
      slippageBps: pick([0, 0, 10, 50, 300], random),
      ...(quote === 'SOL' ? {} : { quoteMint }),
    };
  }

  #drawAmount(mint: string): { amountRaw: bigint; size: string } {
    const { random } = this.#options;
    let at = random() * SIZES.reduce((sum, { weight }) => sum + weight, 0);
    const chosen = SIZES.find(({ weight }) => {
      at -= weight;
      return at < 0;
    });
    const { size, from, to } = chosen ?? SIZES[0];
    const between = from * (to / from) ** random();
    if (size === 'dust') return { size, amountRaw: BigInt(Math.ceil(between)) };
    const known = this.#scene.scene.tokens.find((one) => one.mint === mint);
    // A coin costs some $5 a million at its launch.
    const unit = known ?? { decimals: 6, priceUsd: 5e-6 };
    const isSol = mint === SYSTEM_PROGRAM;
    const priced = isSol ? { decimals: 9, priceUsd: SOL_PRICE_USD } : unit;
    return { size, amountRaw: toRaw(priced, between / priced.priceUsd) || 1n };
  }

  /** Some SOL must be left for fees and rent. */
  #readSpendable({ address }: SolanaTrader, mint: string): bigint {
    const held = this.#scene.readBalance(address, mint);
    return mint === SYSTEM_PROGRAM ? held / 2n : held;
  }

  #isBeyond(trader: SolanaTrader, { input }: Json): boolean {
    return BigInt(input.maxAmountRaw ?? input.amountRaw) > this.#readSpendable(trader, input.mint);
  }

  /** Trades on one state that share no pool. */
  async #fillRound(): Promise<Round[]> {
    const round: Round[] = [];
    const taken = new Set<string>();
    const finishing = this.tally.blocks % COMPLETION_ROUNDS === COMPLETION_ROUNDS - 1;
    for (let tries = 0; tries < ROUND_SIZE * 4 && round.length < ROUND_SIZE; tries += 1) {
      const trader = this.#traders[round.length] ?? assert.fail();
      const isFirst = finishing && tries === 0;
      const drawn = (isFirst ? this.#drawCompletion() : null) ?? this.#draw(trader);
      if (drawn.amountRaw === 0n) continue;
      const { status, body: quote } = await this.#scene.quote(drawn);
      if (status !== 200) {
        this.#refuse(drawn, quote);
        continue;
      }
      if (this.#isBeyond(trader, quote)) continue;
      const pools = listPools(quote);
      if (pools.some((pool) => taken.has(pool))) continue;
      for (const pool of pools) taken.add(pool);
      round.push({ drawn, quote, trader });
    }
    return round;
  }

  /** Buys all that the oldest curve has left. */
  #drawCompletion(): DrawnTrade | null {
    for (const coin of this.#scene.coins) {
      const pool = readCurve(this.#scene, coin);
      if (pool === null) continue;
      const amountRaw = pool.toPlain().held0;
      const given = { amountRaw, amountOutRaw: amountRaw };
      return { key: 'coin', mint: coin.mint, side: 'buy', size: 'completion', ...given };
    }
    return null;
  }

  #refuse(drawn: DrawnTrade, problem: Json, route = ''): void {
    // A curve takes and pays SOL: only the whole account of wrapped SOL could be unwrapped.
    const isWrapped = /SOL, not wrapped SOL/.test(problem.detail);
    // A curve that was just opened is not read yet.
    const isNew = drawn.key === 'coin' && NEW_REFUSALS.has(problem.code);
    // A curve can be told what to pay only in coins, and is sold to as an input.
    const isOpen =
      drawn.amountOutRaw !== undefined && problem.code === 'EXACT_OUTPUT_NOT_SUPPORTED';
    const isFair = isOpen || REFUSALS.has(problem.code) || isWrapped || isNew;
    assert.ok(isFair, `${describeTrade(drawn)}: ${JSON.stringify(problem)} ${route}`);
    count(this.tally.refused, problem.code);
  }

  #readHoldings({ address }: SolanaTrader, { input, output }: Json): Holdings {
    const { chain, scene, coins } = this.#scene;
    const accounts = [...scene.tokens, ...coins].map((token) => findTokenAccount(address, token));
    const readLamports = (account: string) => chain.read(account)?.lamports ?? 0n;
    return {
      input: this.#scene.readBalance(address, input.mint),
      output: this.#scene.readBalance(address, output.mint),
      lamports: [address, ...accounts].reduce((sum, one) => sum + readLamports(one), 0n),
    };
  }

  async #execute(round: readonly Round[]): Promise<void> {
    const sent: SentTrade[] = [];
    for (const one of round) {
      const quoteId = one.quote.quoteId as string;
      const { status, body: built } = await one.trader.build(one.drawn, { quoteId });
      if (status !== 200) {
        this.#refuse(one.drawn, built, JSON.stringify(one.quote.route));
        continue;
      }
      const before = this.#readHoldings(one.trader, one.quote);
      const [{ transaction }] = (built as Json).transactions;
      sent.push({ ...one, built, before, signature: await one.trader.send(transaction) });
    }
    if (sent.length === 0) return;
    this.#scene.seal();
    this.tally.blocks += 1;
    for (const one of sent) await this.#check(one);
  }

  /** The fee that the chain took. */
  #readFee(signature: string, what: string): bigint {
    const found = this.#scene.chain.ledger.findTransaction(signature);
    const { meta } = JSON.parse(found?.json ?? assert.fail(`not executed: ${what}`)) as Json;
    assert.equal(meta.err, null, `${what} ${JSON.stringify(meta.logMessages)}`);
    return BigInt(meta.fee);
  }

  async #check(sent: SentTrade): Promise<void> {
    const { drawn, quote, built, before, trader, signature } = sent;
    const what = `${describeTrade(drawn)} ${JSON.stringify(built.quote.route)}`;
    const fee = this.#readFee(signature, what);
    const after = this.#readHoldings(trader, quote);
    // Lamports in all of the wallet's accounts: rent stays there, what is wrapped does, too.
    const lamports = after.lamports - before.lamports + fee;
    const isSol = (mint: string) => mint === SYSTEM_PROGRAM;
    const spent = isSol(quote.input.mint) ? -lamports : before.input - after.input;
    const received = isSol(quote.output.mint) ? lamports : after.output - before.output;
    const ends: string[] = [quote.input.mint, quote.output.mint];
    const hasSol = ends.some((mint) => isSol(mint) || mint === WRAPPED_SOL);
    if (!hasSol) assert.equal(lamports, countSolLeft(built.quote), `SOL is left, ${what}`);
    assert.ok(built.quote.exact, `not exact: ${what} ${JSON.stringify(built.quote.warnings)}`);
    assert.deepEqual(
      [built.simulation.status, built.simulation.assumed, built.issues],
      ['ok', [], {}],
      what,
    );
    assert.equal(built.simulation.amountOutRaw, received.toString(), `simulated, ${what}`);
    this.#checkSpent(sent, spent, what);
    assert.deepEqual(built.quote.route, quote.route, `route, ${what}`);
    assert.equal(received.toString(), quote.output.amountRaw, `exact, ${what}`);
    const least = drawn.amountOutRaw ?? BigInt(quote.output.minAmountRaw);
    assert.ok(received >= least, `minimum, ${what}`);
    await this.#checkStatus(sent);
    this.#note(sent);
  }

  /** A curve does not take what its fees round off, of a given input. */
  #checkSpent({ drawn, quote, built }: SentTrade, spent: bigint, what: string): void {
    const isGiven = drawn.amountInRaw !== undefined;
    const isCurve = built.quote.route[0].hops[0].venue === 'pump';
    const least = BigInt(quote.input.amountRaw) - (isGiven && isCurve ? FEE_ROUNDING : 0n);
    assert.ok(spent >= least && spent <= BigInt(quote.input.amountRaw), `spent ${spent}, ${what}`);
    if (!isGiven)
      assert.equal(built.simulation.amountInRaw, spent.toString(), `simulated, ${what}`);
  }

  /** The status has a trade for each hop. */
  async #checkStatus({ signature, quote }: SentTrade): Promise<void> {
    const { slot } = this.#scene.chain.ledger.findTransaction(signature) ?? assert.fail();
    await until(`${signature} is indexed`, async () => {
      const path = `/trade/status?chain=${SLUG}&txHash=${signature}`;
      const { status, block, tradeIds } = await this.#scene.read(path);
      assert.deepEqual([status, block], ['confirmed', slot]);
      return tradeIds.length >= new Set(listPools(quote)).size;
    });
  }

  #note({ drawn, built }: SentTrade): void {
    const { tally } = this;
    tally.executed += 1;
    tally.exact += 1;
    if (built.quote.route.length > 1) count(tally.seen, 'divided');
    for (const { hops } of built.quote.route) {
      count(tally.seen, `${hops.length} hops`);
      for (const { venue } of hops) count(tally.seen, venue);
    }
    const given = drawn.amountOutRaw === undefined ? 'given input' : 'given output';
    for (const name of [drawn.side, drawn.size, drawn.key, given]) count(tally.seen, name);
  }
}

/** Throws on the first trade that differs from its quote; none is skipped silently. */
export function runSolanaTrades(
  scene: SolanaTradeService,
  options: SolanaTradesOptions,
): Promise<SolanaTally> {
  return new SolanaTrades(scene, options).run();
}
