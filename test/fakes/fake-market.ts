// Random but plausible market events: tokens, pools of every kind, swaps, sandwiches, transfers.

import { toSqrtPriceX96 } from '../../src/amm/concentrated/sqrt-price-at-tick.ts';
import type { ChainAssets, PoolStateReading } from '../../src/chains/adapter.ts';
import type { MarketEvent } from '../../src/model/block-events.ts';
import type { Address } from '../../src/model/ids.ts';
import type { PoolDescription, TermsOf } from '../../src/model/pool.ts';
import { address, poolId, transactionId } from '../test-ids.ts';
import {
  buildProtocolFeeChange,
  buildSwapped,
  changePosition,
  initialize,
  setReserves,
} from './pool-events.ts';

export function buildFakeAddress(kind: string, number: number): Address {
  return address(`0x${kind}${number.toString(16).padStart(40 - kind.length, '0')}`);
}

/** Stands for the native coin. */
export const COIN = buildFakeAddress('', 0);
export const WETH = buildFakeAddress('eeee', 5);
const USDC = buildFakeAddress('5555', 6);
/** Its decimals are unknown, because the last byte of its address is 7. */
const MUTE = buildFakeAddress('aaaa', 7);
export const FAKE_TOKENS = [10, 11, 12, 13, 14, 16, 18, 20].map((number) =>
  buildFakeAddress('aaaa', number),
);
const WALLETS = [1, 2, 3, 4, 5].map((number) => buildFakeAddress('cccc', number));
const ANCHOR = poolId(buildFakeAddress('dddd', 0));

export const FAKE_VENUES = ['uniswap-v2', 'uniswap-v3', 'uniswap-v4'];

export const FAKE_ASSETS: ChainAssets = {
  coin: COIN,
  coinUnit: { symbol: 'ETH', decimals: 18 },
  native: new Set([WETH, COIN]),
  stable: new Set([USDC]),
  anchorPools: [poolId(buildFakeAddress('dddd', 999)), ANCHOR],
  uncheckedVenues: new Set(['unchecked-fork']),
};

interface Position {
  readonly tickLower: number;
  readonly tickUpper: number;
  liquidity: bigint;
}

interface FakePool {
  readonly description: PoolDescription;
  readonly complete: boolean;
  tick: number;
  positions: Position[];
  reserves: [bigint, bigint];
  protocolFee: number;
}

/** What there is to trade. */
export interface FakeMarketOptions {
  /** How many tokens there are besides those that price the others. */
  readonly tokenCount: number;
  readonly poolCountMax: number;
  /** Whether every pool is against the native coin or a stable asset. */
  readonly rankedOnly: boolean;
  /** Of each pool. */
  readonly positionCountMax: number;
  /** How many pools after the anchor are between the native coin and the stable asset. */
  readonly coinPoolCount?: number;
}

export const FAKE_MARKET: FakeMarketOptions = {
  ...{ tokenCount: FAKE_TOKENS.length, poolCountMax: 40, rankedOnly: false },
  positionCountMax: Number.POSITIVE_INFINITY,
};

export interface FakeWorld {
  readonly market: FakeMarketOptions;
  /** Whether every pool's creation is seen; otherwise some are older than the index. */
  readonly isSeenWhole: boolean;
  readonly pools: FakePool[];
  /** Minted minus burnt. */
  readonly supplies: Map<Address, bigint>;
  readonly balances: Map<string, bigint>;
}

export function createFakeWorld(isSeenWhole: boolean, market = FAKE_MARKET): FakeWorld {
  return { market, isSeenWhole, pools: [], supplies: new Map(), balances: new Map() };
}

interface Dice {
  readonly random: () => number;
  int(endExclusive: number): number;
  pick<T>(items: readonly T[]): T;
  amount(): bigint;
}

function createDice(random: () => number): Dice {
  const int = (endExclusive: number): number => Math.floor(random() * endExclusive);
  return {
    random,
    int,
    pick: (items) => items[int(items.length)]!,
    amount: () => BigInt(1 + int(1_000_000)) * 10n ** BigInt(int(16)),
  };
}

function buildTerms(kind: string): TermsOf<'concentrated'> {
  return {
    tickSpacing: 60,
    custody: kind === 'v4' ? { kind: 'singleton', hooks: null } : { kind: 'own' },
  };
}

function listTokens({ market }: FakeWorld): Address[] {
  return [...FAKE_TOKENS, MUTE].slice(0, market.tokenCount + (market.rankedOnly ? 0 : 1));
}

function listQuotes({ market }: FakeWorld): Address[] {
  return [WETH, WETH, WETH, USDC, COIN, ...(market.rankedOnly ? [] : FAKE_TOKENS)];
}

function makePool(world: FakeWorld, dice: Dice): MarketEvent[] {
  const number = world.pools.length;
  const isAnchor = number === 0;
  const tokens =
    number <= (world.market.coinPoolCount ?? 0)
      ? [WETH, USDC]
      : [dice.pick(listTokens(world)), dice.pick(listQuotes(world))];
  const kind = isAnchor ? 'v2' : dice.pick(['v2', 'v3', 'v4']);
  const [token0, token1] = tokens.sort();
  if (token0 === token1 || token0 === undefined || token1 === undefined) return [];
  const pool = isAnchor ? ANCHOR : poolId(buildFakeAddress('dddd', number));
  const description: PoolDescription = {
    pool,
    venue: `uniswap-${kind}`,
    token0,
    token1,
    feePips: 3000,
    vault: address(pool),
    ...(kind === 'v2'
      ? { kind: 'constantProduct', terms: null }
      : { kind: 'concentrated', terms: buildTerms(kind) }),
  };
  const complete = dice.random() < (world.isSeenWhole ? 1 : 0.85);
  const tick = dice.int(2000) - 1000;
  const made: FakePool = {
    description,
    complete,
    tick,
    positions: [],
    reserves: [0n, 0n],
    protocolFee: 0,
  };
  world.pools.push(made);
  const created: MarketEvent = { kind: 'poolCreated', description, complete };
  if (kind === 'v2') return [created, makeReserves(made, dice)];
  return [created, initialize(pool, tick)];
}

function makeReserves(pool: FakePool, dice: Dice): MarketEvent {
  pool.reserves = [dice.amount(), dice.amount()];
  return setReserves(pool.description.pool, ...pool.reserves);
}

function makeSwap(
  pool: FakePool,
  dice: Dice,
  swap: { readonly wallet: Address; readonly buys: boolean; readonly number: number },
): MarketEvent[] {
  const { pool: id, venue } = pool.description;
  const isDust = dice.random() < 0.1;
  const paid = isDust ? BigInt(dice.int(900)) : dice.amount();
  const got = isDust ? BigInt(dice.int(900)) : dice.amount();
  pool.tick += swap.buys ? 17 : -13;
  const isV2 = venue === 'uniswap-v2';
  const event: MarketEvent = {
    kind: 'swap',
    pool: id,
    txHash: transactionId(`0xtx${swap.number}-${dice.int(3)}`),
    logIndex: 0,
    wallet: swap.wallet,
    amount0: swap.buys ? paid : -paid,
    amount1: swap.buys ? -got : got,
    change: isV2
      ? null
      : buildSwapped(computePrice(pool), venue === 'uniswap-v4' ? dice.pick([3000, 3500]) : null),
  };
  return isV2 ? [makeReserves(pool, dice), event] : [event];
}

function sumActiveLiquidity(pool: FakePool): bigint {
  return sumLiquidity(
    pool.positions.filter(
      ({ tickLower, tickUpper }) => tickLower <= pool.tick && pool.tick < tickUpper,
    ),
  );
}

function computePrice(pool: FakePool) {
  const { tick } = pool;
  return { sqrtPriceX96: toSqrtPriceX96(tick), liquidity: sumActiveLiquidity(pool), tick };
}

/** The state that the pool's contract would return. */
export function readFakePoolState(pool: FakePool, ticks: readonly number[]): PoolStateReading {
  const { description, reserves, positions } = pool;
  const price = computePrice(pool);
  const state =
    description.kind === 'constantProduct'
      ? { reserve0: reserves[0], reserve1: reserves[1] }
      : description.venue === 'uniswap-v4'
        ? { ...price, protocolFee: pool.protocolFee }
        : price;
  return {
    pool: description.pool,
    state,
    ticks: ticks.map((tick) => {
      const lower = sumLiquidity(positions.filter(({ tickLower }) => tickLower === tick));
      const upper = sumLiquidity(positions.filter(({ tickUpper }) => tickUpper === tick));
      return { tick, liquidityGross: lower + upper, liquidityNet: lower - upper };
    }),
  };
}

/** The ticks that hold anything. */
export function listFakeTicks({ positions }: FakePool): number[] {
  return [...new Set(positions.flatMap(({ tickLower, tickUpper }) => [tickLower, tickUpper]))];
}

function sumLiquidity(positions: readonly Position[]): bigint {
  return positions.reduce((sum, { liquidity }) => sum + liquidity, 0n);
}

function makeLiquidity(
  pool: FakePool,
  dice: Dice,
  { positionCountMax }: FakeMarketOptions,
): MarketEvent[] {
  const { pool: id, kind, venue } = pool.description;
  if (kind === 'constantProduct') return [makeReserves(pool, dice)];
  if (venue === 'uniswap-v4' && dice.random() < 0.2) {
    pool.protocolFee = dice.pick([0, 500 | (250 << 12)]);
    return [buildProtocolFeeChange(id, pool.protocolFee)];
  }
  const position =
    dice.random() < 0.4 || pool.positions.length >= positionCountMax
      ? pool.positions[dice.int(pool.positions.length)]
      : undefined;
  if (position === undefined) {
    const tickLower = (dice.int(40) - 30) * 60;
    const tickUpper = tickLower + 60 * (1 + dice.int(30));
    const liquidity = dice.amount();
    pool.positions.push({ tickLower, tickUpper, liquidity });
    return [changePosition(id, { tickLower, tickUpper, liquidityDelta: liquidity })];
  }
  const taken = dice.random() < 0.5 ? position.liquidity : position.liquidity / 2n;
  position.liquidity -= taken;
  pool.positions = pool.positions.filter(({ liquidity }) => liquidity > 0n);
  const { tickLower, tickUpper } = position;
  return [changePosition(id, { tickLower, tickUpper, liquidityDelta: -taken })];
}

function makeTransfer(world: FakeWorld, dice: Dice): MarketEvent[] {
  const token = dice.pick([...listTokens(world), WETH, USDC]);
  const from = dice.pick([null, ...WALLETS]);
  const to = dice.pick([...WALLETS, ...WALLETS, null]);
  const had = from === null ? 0n : (world.balances.get(token + from) ?? 0n);
  // Sometimes a token's log claims more than the balance.
  const overdraws = dice.random() < 0.02;
  const most = from === null || overdraws ? dice.amount() : had;
  const amountRaw = dice.random() < 0.3 ? most : most / BigInt(1 + dice.int(5));
  const add = (owner: Address | null, amount: bigint): void => {
    const key = token + owner;
    if (owner === null) {
      const supply = (world.supplies.get(token) ?? 0n) - amount;
      world.supplies.set(token, supply < 0n ? 0n : supply);
    } else {
      const next = (world.balances.get(key) ?? 0n) + amount;
      world.balances.set(key, next < 0n ? 0n : next);
    }
  };
  add(from, -amountRaw);
  add(to, amountRaw);
  return [{ kind: 'transfer', token, from, to, amountRaw }];
}

function makeSwaps(pool: FakePool, dice: Dice, number: number): MarketEvent[] {
  const wallet = dice.pick(WALLETS);
  const buys = dice.random() < 0.5;
  if (dice.random() < 0.8) return makeSwap(pool, dice, { wallet, buys, number });
  return [
    ...makeSwap(pool, dice, { wallet, buys, number }),
    ...makeSwap(pool, dice, { wallet: dice.pick(WALLETS), buys, number }),
    ...makeSwap(pool, dice, { wallet, buys: !buys, number }),
  ];
}

/** A pool discovered after its creation is announced before each of its events, as adapters do. */
function announce(pool: FakePool, events: MarketEvent[]): MarketEvent[] {
  if (pool.complete) return events;
  return [{ kind: 'poolCreated', description: pool.description, complete: false }, ...events];
}

function makeAny(world: FakeWorld, dice: Dice, number: number): MarketEvent[] {
  const roll = dice.random();
  if (world.pools.length === 0 || (roll < 0.08 && world.pools.length < world.market.poolCountMax)) {
    return makePool(world, dice);
  }
  if (roll < 0.45) return makeTransfer(world, dice);
  const pool = dice.pick(world.pools);
  if (roll < 0.6) return announce(pool, makeLiquidity(pool, dice, world.market));
  return announce(pool, makeSwaps(pool, dice, number));
}

/** Events of one block; updates `world`. */
export function makeFakeEvents(
  world: FakeWorld,
  random: () => number,
  block: { readonly countMax: number; readonly number: number },
): MarketEvent[] {
  const dice = createDice(random);
  const count = dice.random() < 0.15 ? 0 : dice.int(block.countMax);
  const events = Array.from({ length: count }, () => makeAny(world, dice, block.number)).flat();
  return events.map((event, logIndex) => (event.kind === 'swap' ? { ...event, logIndex } : event));
}
