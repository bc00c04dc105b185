// What the simulated traders do next, planned from the chain's own accounts. Their keys never leave
// this process.

import type { SeededRandom } from '../random.ts';
import { ChainFault } from './chain-fault.ts';
import { CPMM_CONFIG } from './genesis.ts';
import {
  describeCpmmPool,
  findTokenAccount,
  openTokenAccount,
  SOL,
  setComputeLimit,
  swapCpmm,
  transferTokens,
} from './instructions.ts';
import { planLaunch, planMigration } from './launches.ts';
import { type CurveCoin, describeCurve, tradeCurve } from './pump-instructions.ts';
import { type Scene, type ScenePool, type SceneToken, wrapSol } from './scene.ts';
import { COIN_WORDS } from './scene-tokens.ts';
import { RECENT_BLOCKS, type SolanaChain } from './solana-chain.ts';
import {
  createSigningKey,
  type Instruction,
  type SigningKey,
  signTransaction,
  type TransactionPlan,
} from './wire-transaction.ts';

/** A coin that was launched; plain data, kept in the ledger. */
interface LaunchedCoin {
  readonly number: number;
  readonly mint: string;
  readonly creator: string;
  /** The block that it was sent before. */
  readonly height: number;
  /** It has a pool of its own, or its launch was lost in a fork. */
  readonly isOver: boolean;
}

/** Coins with a curve at one time, and all coins ever: both bound what the chain keeps. */
const CURVES_MAX = 5;
const COINS_MAX = 1000;
/** Coins with a pool of their own that are still traded. */
const MOVED_TRADED = 6;
const COIN_DECIMALS = 6;
const LAMPORTS = 1_000_000_000;
/** Traders send nothing while this many transactions wait. */
const WAITING_MAX = 8;
/** How old a trader's blockhash is, in blocks: forks up to this depth lose no trade. */
const BLOCKHASH_DEPTH = 8;
const COINS_FACT = 'coins';
/** Of the logarithm of a price, for one step. */
const DRIFT = 0.004;

interface CurveState {
  readonly virtualToken: bigint;
  readonly virtualQuote: bigint;
  readonly realToken: bigint;
  readonly realQuote: bigint;
  readonly isComplete: boolean;
}

export class SimulatedMarket {
  readonly #chain: SolanaChain;
  readonly #scene: Scene;
  readonly #random: SeededRandom;
  readonly #seed: string;
  #coins: LaunchedCoin[];
  /** Where prices go to, as logarithms of dollars; by mint. */
  readonly #targets = new Map<string, number>();
  /** When the move of a coin was last sent, by mint. */
  readonly #movedAt = new Map<string, number>();

  constructor(options: {
    readonly chain: SolanaChain;
    readonly scene: Scene;
    readonly random: SeededRandom;
    readonly seed: string;
  }) {
    this.#chain = options.chain;
    this.#scene = options.scene;
    this.#random = options.random;
    this.#seed = options.seed;
    this.#coins = JSON.parse(this.#chain.ledger.readFact(COINS_FACT) ?? '[]') as LaunchedCoin[];
    for (const { mint, priceUsd } of this.#scene.tokens) {
      this.#targets.set(mint, Math.log(priceUsd));
    }
  }

  get coins(): readonly LaunchedCoin[] {
    return this.#coins;
  }

  /** Sends one more transaction, or none if there is nothing to do. */
  act(): void {
    if (this.#chain.waitingCount >= WAITING_MAX) return;
    this.#drift();
    try {
      this.#settle();
      this.#choose();
    } catch (error) {
      // What was planned may fail once others of the same block have run.
      if (!(error instanceof ChainFault)) throw error;
    }
  }

  #choose(): void {
    const choice = this.#random.next();
    const open = this.#coins.filter(({ isOver }) => !isOver);
    const canLaunch = open.length < CURVES_MAX && this.#coins.length < COINS_MAX;
    if (canLaunch && (open.length === 0 || choice < 0.02)) this.launch();
    else if (choice < 0.35 && open.length > 0) this.#tradeCurve(this.#random.pick(open));
    else if (choice < 0.4) this.#give();
    else this.#swap();
  }

  /** Moves sold-out curves to pools, and drops coins whose launch was lost in a fork. */
  #settle(): void {
    const { height } = this.#chain.head;
    for (const coin of this.#coins) {
      if (coin.isOver) continue;
      const state = this.#readCurve(this.#toCurve(coin));
      const isLost = state === null && height > coin.height + RECENT_BLOCKS;
      const isMoved = state?.isComplete === true && state.realQuote === 0n;
      if (isLost || isMoved) {
        this.#keep(this.#coins.map((one) => (one === coin ? { ...one, isOver: true } : one)));
      } else if (state?.isComplete === true && this.#movedAt.get(coin.mint) !== height) {
        this.#movedAt.set(coin.mint, height);
        this.migrate(coin);
      }
    }
  }

  #toCurve({ mint, creator }: LaunchedCoin): CurveCoin {
    return describeCurve(mint, creator);
  }

  /** Opens a curve with a first buy by its creator. */
  launch(): LaunchedCoin {
    const number = this.#coins.length;
    const creator = this.#random.pick(this.#scene.wallets.traders);
    const key = createSigningKey(`mintwire devnet-solana ${this.#seed} coin ${number}`);
    const first = COIN_WORDS[number % COIN_WORDS.length] ?? '';
    const second = COIN_WORDS[Math.floor(number / COIN_WORDS.length + number) % COIN_WORDS.length];
    const texts = { name: `${first} ${second}`, symbol: `${first.slice(0, 3)}${number}` };
    const lamports = BigInt(Math.round((0.1 + this.#random.next()) * LAMPORTS));
    const feeRecipient = this.#scene.wallets.feeRecipient.address;
    const plan = planLaunch(this.#chain, { creator, key, texts, lamports, feeRecipient });
    this.#send(plan);
    const { height } = this.#chain.head;
    const place = { height, isOver: false };
    const coin = { number, mint: key.address, creator: creator.address, ...place };
    this.#keep([...this.#coins, coin]);
    return coin;
  }

  /** Moves a sold-out curve to a pool of its own. */
  migrate(coin: LaunchedCoin): void {
    const curve = this.#toCurve(coin);
    const lamports = this.#readCurve(curve)?.realQuote ?? 0n;
    const tokens = this.#readBalance(findTokenAccount(curve.curve, curve));
    this.#send(planMigration(this.#scene.wallets.authority, curve, { tokens, lamports }));
  }

  /** Buys all that a curve has left. */
  finishCurve(coin: LaunchedCoin): void {
    const curve = this.#toCurve(coin);
    const user = this.#random.pick(this.#scene.wallets.traders);
    const left = this.#readCurve(curve)?.realToken ?? 0n;
    const order = {
      ...({ kind: 'buy', tokens: left, mostLamports: BigInt(200 * LAMPORTS) } as const),
    };
    this.#sendCurve(user, curve, order);
  }

  #keep(coins: LaunchedCoin[]): void {
    this.#coins = coins;
    this.#chain.ledger.writeFact(COINS_FACT, JSON.stringify(coins));
  }

  #drift(): void {
    for (const [mint, target] of this.#targets) {
      const start = Math.log(this.#findToken(mint).priceUsd);
      const step = DRIFT * this.#random.normal() + (start - target) * 0.001;
      if (mint !== this.#scene.tokens[1]?.mint) this.#targets.set(mint, target + step);
    }
  }

  #findToken(mint: string): SceneToken {
    const token = this.#scene.tokens.find((one) => one.mint === mint);
    if (token === undefined) throw new Error(`${mint} is no token of the scene`);
    return token;
  }

  #send(plan: TransactionPlan, isChecked = true): void {
    const bytes = signTransaction(plan, this.#chain.findBlockhash(BLOCKHASH_DEPTH));
    this.#chain.submit(bytes, { isChecked });
  }

  #readBalance(account: string): bigint {
    const data = this.#chain.read(account)?.data;
    return data === undefined || data.length < 72 ? 0n : data.readBigUInt64LE(64);
  }

  #readCurve({ curve }: CurveCoin): CurveState | null {
    const data = this.#chain.read(curve)?.data;
    if (data === undefined) return null;
    const [virtualToken = 0n, virtualQuote = 0n, realToken = 0n, realQuote = 0n] = [
      ...[8, 16, 24, 32].map((at) => data.readBigUInt64LE(at)),
    ];
    return { virtualToken, virtualQuote, realToken, realQuote, isComplete: data[48] !== 0 };
  }

  /** Opens the account if the wallet has none. */
  #open(owner: string, token: { mint: string; program: string }): Instruction[] {
    const isOpen = this.#chain.read(findTokenAccount(owner, token)) !== null;
    return isOpen ? [] : [openTokenAccount(owner, owner, token)];
  }

  #tradeCurve(coin: LaunchedCoin): void {
    const curve = this.#toCurve(coin);
    if (this.#readCurve(curve) === null) return;
    const user = this.#random.pick(this.#scene.wallets.traders);
    const held = this.#readBalance(findTokenAccount(user.address, curve));
    if (held > 1_000_000n && this.#random.chance(0.25)) {
      const tokens = (held * BigInt(10 + this.#random.below(50))) / 100n;
      this.#sendCurve(user, curve, { kind: 'sell', tokens, leastLamports: 0n });
      return;
    }
    const lamports = BigInt(Math.round(10 ** (this.#random.next() * 2 - 1.7) * LAMPORTS));
    this.#sendCurve(user, curve, { kind: 'buy_exact_sol_in', lamports, leastTokens: 1n });
  }

  #sendCurve(
    user: SigningKey,
    coin: CurveCoin,
    order: Parameters<typeof tradeCurve>[1]['order'],
  ): void {
    const feeRecipient = this.#scene.wallets.feeRecipient.address;
    const trade = tradeCurve(user.address, { coin, feeRecipient, order });
    const instructions = [...this.#open(user.address, coin), trade];
    this.#send({ payer: user, instructions });
  }

  /** Some tokens go from one wallet to another. */
  #give(): void {
    const { tokens, wallets } = this.#scene;
    const token = this.#random.pick(tokens.slice(1));
    const [from, to] = [this.#random.pick(wallets.traders), this.#random.pick(wallets.traders)];
    const held = this.#readBalance(findTokenAccount(from.address, token));
    if (from === to || held < 1000n) return;
    const amount = held / BigInt(20 + this.#random.below(80));
    const ends = { from: from.address, to: to.address, amount };
    const opened = openTokenAccount(from.address, to.address, token);
    this.#send({ payer: from, instructions: [opened, transferTokens(token, ends)] });
  }

  /** The pools that the chain began with, and those of the newest coins that left their curves. */
  #listPools(): ScenePool[] {
    const moved = this.#coins.filter(
      (coin) => coin.isOver && this.#readCurve(this.#toCurve(coin)) !== null,
    );
    const [sol] = this.#scene.tokens;
    if (sol === undefined) return [...this.#scene.pools];
    const own = moved.slice(-MOVED_TRADED).map(({ mint, creator }) => {
      const { program } = describeCurve(mint, creator);
      const base = { mint, program, symbol: '', decimals: COIN_DECIMALS, priceUsd: 0 };
      return { ...describeCpmmPool(CPMM_CONFIG, base, sol), base, quote: sol };
    });
    return [...this.#scene.pools, ...own];
  }

  #swap(): void {
    const pool = this.#random.pick(this.#listPools());
    const user = this.#random.pick(this.#scene.wallets.traders);
    const isBuy = this.#random.chance(this.#findPull(pool));
    const [input, output] = isBuy ? [pool.quote, pool.base] : [pool.base, pool.quote];
    const isZeroIn = pool.token0.mint === input.mint;
    const reserve = this.#readBalance(isZeroIn ? pool.vault0 : pool.vault1);
    const share = Math.min(0.01, 0.0004 * Math.exp(1.2 * this.#random.normal()));
    const amountIn = BigInt(Math.floor(Number(reserve) * share));
    if (amountIn < 2n) return;
    const funding = this.#fund(user, input, amountIn);
    if (funding === null) return;
    // A few ask for more than they can get, and fail on chain.
    const fails = this.#random.chance(0.02);
    const amountOut = fails ? 2n ** 62n : 0n;
    const order = { isZeroIn, kind: 'exactIn', amountIn, amountOut } as const;
    const instructions = [
      setComputeLimit(250_000),
      ...funding,
      ...this.#open(user.address, output),
      swapCpmm(user.address, pool, order),
    ];
    this.#send({ payer: user, instructions }, !fails);
  }

  /** How likely the next trade buys the base: more so the further its price is below its target. */
  #findPull(pool: ScenePool): number {
    const { base, quote } = pool;
    // Coins have no target: their prices wander.
    if (!this.#targets.has(base.mint)) return 0.5;
    const isZeroBase = pool.token0.mint === base.mint;
    const [held, paid] = [pool.vault0, pool.vault1].map((one) => Number(this.#readBalance(one)));
    const [baseHeld = 1, quoteHeld = 1] = isZeroBase ? [held, paid] : [paid, held];
    const price = quoteHeld / 10 ** quote.decimals / (baseHeld / 10 ** base.decimals);
    const targetOf = ({ mint }: SceneToken) => this.#targets.get(mint) ?? 0;
    const gap = targetOf(base) - targetOf(quote) - Math.log(price);
    return Math.min(0.92, Math.max(0.08, 0.5 + 6 * gap));
  }

  /** What a wallet must do to have the amount; null if it cannot. */
  #fund({ address }: SigningKey, token: SceneToken, amount: bigint): Instruction[] | null {
    const held = this.#readBalance(findTokenAccount(address, token));
    if (held >= amount) return [];
    if (token.mint !== SOL.mint) return null;
    const lamports = this.#chain.read(address)?.lamports ?? 0n;
    const missing = amount - held;
    return lamports > missing + BigInt(10 * LAMPORTS) ? wrapSol(address, missing) : null;
  }
}
