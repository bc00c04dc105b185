// Random swaps, deposits and withdrawals in a pair of Liquidity Book on a chain of its own, each
// compared with what our kind computes of the pair's logs alone.

import assert from 'node:assert/strict';
import { type Abi, parseAbi } from 'viem';
import { MAKER } from '../devnet/accounts.ts';
import { liquidityBookKind as kind } from '../src/amm/liquidity-book/liquidity-book-kind.ts';
import type { PoolTicks } from '../src/amm/pool-kind.ts';
import type { PoolPage, TickSpan } from '../src/chains/adapter.ts';
import type { EvmDeployment } from '../src/chains/evm/data/deployments/evm-deployment.ts';
import { toPoolId } from '../src/chains/evm/data/evm-ids.ts';
import type { DecodedEvent, EvmLog } from '../src/chains/evm/data/evm-log.ts';
import { liquidityBook } from '../src/chains/evm/venues/liquidity-book/liquidity-book.ts';
import { createLogDecoding } from '../src/chains/evm/venues/log-decoding.ts';
import type { Address, PoolId } from '../src/model/ids.ts';
import type { PoolDescriptionOf, PoolRecordOf, StateOf } from '../src/model/pool.ts';
import { createRandom } from './fakes/create-random.ts';
import { VenueChain } from './venue-chain.ts';

export const BOOK_ID = 2 ** 23;
export const BOOK_STEP = 25;
/** As contracts take them: base factor, filter, decay, reduction, control, share, maximum. */
export const BOOK_PARAMETERS = [5000, 30, 600, 5000, 40_000, 1000, 350_000] as const;
/** Another fee, with the same periods. */
const LATER_PARAMETERS = [8000, 30, 600, 7000, 20_000, 2000, 200_000] as const;

const TOKEN_ABI = parseAbi(['function transfer(address to, uint256 amount) returns (bool)']);
const PAIR_ABI = parseAbi(['function swap(bool swapForY, address to) returns (bytes32)']);
const SWAP_COUNT = 300;
const SWAPS_PER_BLOCK = 6;
/** Within the filter, between it and the decay, and beyond. */
const GAPS_S = [1, 12, 45, 700, 3, 29, 30, 599, 600] as const;
const BIN_AMOUNT = 10n ** 20n;
const SIDE_BINS = 60;
/** Of one token more than of the other. */
const PAID_MAX = 2e21;
const SWAP_GAS = 1_500_000n;

export interface BinAmounts {
  readonly id: number;
  readonly x: bigint;
  readonly y: bigint;
}

/** How a factory and its pairs are called. */
export interface BookOnChain {
  readonly venue: 'lfj-v2-1' | 'lfj-v2-2';
  open(
    chain: VenueChain,
    tokens: readonly [Address, Address],
  ): Promise<{ readonly factory: Address; readonly pair: Address }>;
  /** Both queue what they do; the tokens of a deposit were sent before. */
  deposit(chain: VenueChain, pair: Address, bins: readonly BinAmounts[]): void;
  withdraw(chain: VenueChain, pair: Address, id: number): Promise<void>;
  /** Queues the decay of the references, or another fee. */
  decay(chain: VenueChain, of: { readonly factory: Address; readonly pair: Address }): void;
  setParameters(
    chain: VenueChain,
    of: { readonly factory: Address; readonly pair: Address },
    parameters: readonly number[],
  ): void;
}

class PairTicks implements PoolTicks {
  readonly rows = new Map<number, { liquidityGross: bigint; liquidityNet: bigint }>();

  get order() {
    return [...this.rows.keys()].sort((a, b) => a - b);
  }

  get(tick: number) {
    return this.rows.get(tick);
  }

  change(tick: number, by: { readonly gross: bigint; readonly net: bigint }): boolean {
    const { liquidityGross = 0n, liquidityNet = 0n } = this.rows.get(tick) ?? {};
    const after = {
      liquidityGross: liquidityGross + by.gross,
      liquidityNet: liquidityNet + by.net,
    };
    if (after.liquidityGross === 0n) this.rows.delete(tick);
    else this.rows.set(tick, after);
    return after.liquidityGross >= 0n;
  }

  list(pool: PoolId) {
    return this.order.map((tick) => ({
      ...{ pool, tick, liquidityGross: 0n, liquidityNet: 0n },
      ...this.rows.get(tick),
    }));
  }
}

export interface BookTally {
  swaps: number;
  crossed: number;
  feesMin: number;
  feesMax: number;
  changes: number;
}

interface Context {
  readonly deployment: EvmDeployment;
  readonly chain: VenueChain;
}

type Description = PoolDescriptionOf<'liquidityBook'>;

function toReaders({ chain, deployment }: Context) {
  return { deployment, callContracts: chain.callContracts };
}

async function readWhole(
  context: Context,
  { description, wordCountMax }: { description: Description; wordCountMax: number },
) {
  const { pool } = description;
  const rows: { pool: PoolId; tick: number; liquidityGross: bigint; liquidityNet: bigint }[] = [];
  for (let covered: TickSpan | null = null; ; ) {
    const query = { description, covered, callCountMax: 1000, wordCountMax };
    const page: PoolPage | null = await liquidityBook.readPoolPage(query, toReaders(context));
    assert.ok(page, 'the pair answers');
    rows.push(...page.ticks.map((tick) => ({ pool, ...tick })));
    covered = page.covered;
    if (!page.isLast) continue;
    const state = page.state as StateOf<'liquidityBook'>;
    const ticks = rows.sort((a, b) => a.tick - b.tick);
    return { state, feePips: page.feePips ?? 0, ticks };
  }
}

class BookRun {
  readonly tally: BookTally = {
    ...{ swaps: 0, crossed: 0, changes: 0 },
    ...{ feesMin: Number.POSITIVE_INFINITY, feesMax: 0 },
  };
  readonly #ticks = new PairTicks();
  readonly #context: Context;
  readonly #row: PoolRecordOf<'liquidityBook'>;
  /** The price after the last swap, as the pool in memory had it. */
  #price: unknown = null;

  private constructor(context: Context, row: PoolRecordOf<'liquidityBook'>) {
    this.#context = context;
    this.#row = row;
  }

  /** Begins with the pair as its contract has it, as adoption does. */
  static async begin(context: Context, description: Description): Promise<BookRun> {
    const { state, feePips, ticks } = await readWhole(context, { description, wordCountMax: 60 });
    const run = new BookRun(context, {
      ...{ ...description, state, feePips, complete: true, createdBlock: 1, createdAtMs: 0 },
      ...{ lastSwapAtMs: null, liquidityUsdE18: null },
    });
    for (const { tick, liquidityGross: gross, liquidityNet: net } of ticks) {
      run.#ticks.change(tick, { gross, net });
    }
    return run;
  }

  /** Each event is compared with what the pair was before it. */
  follow(logs: readonly EvmLog[]): void {
    const decoding = createLogDecoding(this.#context.deployment, [liquidityBook]);
    for (const { events, timestampMs } of decoding.decode(logs).blocks) {
      if (timestampMs === null) throw new Error('the node tells no time of logs');
      for (const event of events) this.#apply(event, Math.floor(timestampMs / 1000));
    }
  }

  /** Page by page, it must be what the logs have made of it. */
  async compareWhole(wordCountMax: number): Promise<void> {
    const { pool, state, feePips } = this.#row;
    const whole = await readWhole(this.#context, { description: this.#row, wordCountMax });
    const known = this.#ticks.list(pool);
    assert.deepEqual(whole, { state, feePips, ticks: known });
    assert.deepEqual(kind.assembleState(whole.state, known), state);
  }

  /** As `verify` asks. */
  async compareState(): Promise<void> {
    const { pool, state } = this.#row;
    const ticks = this.#ticks.order;
    const [reading] = await liquidityBook.readPoolStates(
      [{ description: this.#row, ticks: [...ticks, BOOK_ID + 500] }],
      toReaders(this.#context),
    );
    const empty = { tick: BOOK_ID + 500, liquidityGross: 0n, liquidityNet: 0n };
    const known = this.#ticks.list(pool).map(({ pool: _pool, ...tick }) => tick);
    assert.deepEqual(reading, { pool, state, ticks: [...known, empty] });
  }

  #apply(event: DecodedEvent, nowSeconds: number): void {
    if (event.kind !== 'swap' && event.kind !== 'poolChanged') return;
    if (event.change?.poolKind !== 'liquidityBook') throw new Error('a change of another kind');
    const row = this.#row;
    if (event.kind === 'swap') this.#compare(event, nowSeconds);
    else this.tally.changes += 1;
    kind.apply(row, event.change, { ticks: this.#ticks, swapped: null, nowSeconds });
    assert.ok(row.complete, 'the logs fit');
  }

  #compare(
    { amount0, amount1 }: Extract<DecodedEvent, { kind: 'swap' }>,
    nowSeconds: number,
  ): void {
    const row = this.#row;
    const ticks = this.#ticks.list(row.pool);
    const pool = kind
      .createSwapPool(row, ticks, undefined)
      ?.at?.({ seconds: nowSeconds, block: 1 });
    assert.ok(pool);
    const isZeroIn = amount0 > 0n;
    const [paid, received] = isZeroIn ? [amount0, -amount1] : [amount1, -amount0];
    const what = `swap ${this.tally.swaps}: ${paid} ${isZeroIn}`;
    const { swap, after } = pool.swapAndMove(isZeroIn, paid);
    assert.deepEqual([swap.amountIn, swap.amountOut, swap.isFilled], [paid, received, true], what);
    const asked = pool.swapOut(isZeroIn, received);
    assert.ok(asked.isFilled && asked.amountIn <= paid, what);
    assert.ok(pool.swapIn(isZeroIn, asked.amountIn).amountOut >= received, what);
    this.tally.swaps += 1;
    this.tally.crossed += swap.ticksCrossed;
    const feePips = pool.feePips(isZeroIn);
    this.tally.feesMin = Math.min(this.tally.feesMin, feePips);
    this.tally.feesMax = Math.max(this.tally.feesMax, feePips);
    this.#price = after.midPrice(true);
  }

  assertPrice(): void {
    assert.deepEqual(kind.price(this.#row.state), this.#price);
  }
}

function drawSwap(random: () => number, paid: number) {
  const size = random() < 0.5 ? 10 ** (4 + random() * 15) : 10 ** (19 + random() * 1.8);
  const isZeroIn = Math.abs(paid) < PAID_MAX ? random() < 0.5 : paid < 0;
  return { isZeroIn, amount: BigInt(Math.ceil(size)) };
}

/** Opens a pair, swaps in it, and compares all that happens; returns what there was. */
export async function runBook(
  book: BookOnChain,
  { seed, deployment }: { readonly seed: number; readonly deployment: EvmDeployment },
): Promise<BookTally> {
  const random = createRandom(seed);
  const chain = await VenueChain.start();
  try {
    const [first, second] = chain.createTokens([18, 18]);
    const tokens = [first?.address, second?.address] as [Address, Address];
    await chain.mine();
    const { factory, pair } = await book.open(chain, tokens);
    const send = (side: 0 | 1, amount: bigint) =>
      chain.call({
        ...{ to: tokens[side], abi: TOKEN_ABI as Abi, functionName: 'transfer' },
        args: [pair, amount],
      });
    const deposit = (bins: readonly BinAmounts[]) => {
      send(
        0,
        bins.reduce((sum, { x }) => sum + x, 0n),
      );
      send(
        1,
        bins.reduce((sum, { y }) => sum + y, 0n),
      );
      book.deposit(chain, pair, bins);
    };
    for (let at = -SIDE_BINS; at <= SIDE_BINS; at += 30) {
      const ids = Array.from({ length: 30 }, (_, index) => at + index);
      deposit(
        ids
          .map((id) => ({
            id: BOOK_ID + id,
            x: id >= 0 ? BIN_AMOUNT + BigInt(Math.floor(random() * 1e9)) : 0n,
            // A few bins are left empty.
            y: id <= 0 ? BIN_AMOUNT : 0n,
          }))
          .filter(({ id }) => id % 7 !== 3),
      );
      await chain.mine();
    }
    const own = { ...deployment, liquidityBook: [{ venue: book.venue, factory }] };
    const readers = toReaders({ chain, deployment: own });
    const [description] = await liquidityBook.resolvePools([toPoolId(pair)], readers);
    assert.ok(description?.kind === 'liquidityBook', 'the factory vouches for the pair');
    const found = await liquidityBook.findPools(
      { token: tokens[1], quotes: [tokens[0]], announced: [] },
      readers,
    );
    assert.deepEqual(found, [description]);
    const run = await BookRun.begin({ chain, deployment: own }, description);
    let paid = 0;
    for (let done = 0, block = 0; done < SWAP_COUNT; block += 1) {
      for (let at = 0; at < SWAPS_PER_BLOCK; at += 1, done += 1) {
        const { isZeroIn, amount } = drawSwap(random, paid);
        paid += isZeroIn ? Number(amount) : -Number(amount);
        send(isZeroIn ? 0 : 1, amount);
        const call = { to: pair, abi: PAIR_ABI as Abi, functionName: 'swap' };
        chain.call({ ...call, args: [isZeroIn, MAKER] }, SWAP_GAS);
      }
      if (block % 5 === 4) deposit([{ id: BOOK_ID + 80 + block, x: BIN_AMOUNT, y: 0n }]);
      if (block % 5 === 2) await book.withdraw(chain, pair, BOOK_ID - 60 + (block % 20));
      if (block % 11 === 6) book.decay(chain, { factory, pair });
      if (block === 25) book.setParameters(chain, { factory, pair }, LATER_PARAMETERS);
      run.follow(await chain.mine(GAPS_S[block % GAPS_S.length]));
      if (block % 10 !== 9) continue;
      await run.compareState();
      const [active] = await chain.callContracts([{ to: pair, data: '0xdbe65edc' }]);
      deposit([{ id: Number(active), x: BIN_AMOUNT / 3n, y: 0n }]);
      run.follow(await chain.mine());
    }
    run.assertPrice();
    await run.compareState();
    await run.compareWhole(40);
    await run.compareWhole(180);
    return run.tally;
  } finally {
    await chain.stop();
  }
}
