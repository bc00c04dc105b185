// A store with any number of tokens, each with its own market, a few with a long history.

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { createSeededRandom, type SeededRandom } from '../devnet/random.ts';
import { foldTrades } from '../src/candles/derive-klines.ts';
import { loadConfig } from '../src/config.ts';
import { openStore } from '../src/engines/open-store.ts';
import type { Address } from '../src/model/ids.ts';
import {
  STORED_INTERVALS,
  type TokenRecord,
  type TradeRecord,
} from '../src/model/market-record.ts';
import type { PoolRecord } from '../src/model/pool.ts';
import type { MarketTransaction, Store } from '../src/store/store.ts';
import { address, poolId, transactionId } from '../test/test-ids.ts';
import { listTreePids, readCpuMs, type StartedServer } from './measure.ts';

const CHAIN = 'devnet';
const NOW_MS = 1_790_000_000_000;
const E18 = 10n ** 18n;

/** The maximum number of tokens with a long history; the others have one trade and two holders. */
export const DEEP_COUNT = 400;
const DEEP_TRADES = 620;
const DEEP_HOLDERS = 150;

const PER_COMMIT = 5000;

export function buildMarketAddress(kind: string, number: number): Address {
  return address(`0x${kind}${number.toString(16).padStart(40 - kind.length, '0')}`);
}

const WETH = buildMarketAddress('ee', 1);
const USDC = buildMarketAddress('ee', 2);

const COMMON = [
  ...['coin', 'token', 'inu', 'doge', 'moon', 'safe', 'baby', 'pepe', 'cat', 'ai', 'dao', 'swap'],
  ...['finance', 'protocol', 'chain', 'wrapped', 'usd', 'bit', 'gold', 'meta', 'verse', 'game'],
  ...['king', 'rocket', 'pump', 'internet', 'money', 'world', 'cup', 'magic', 'green', 'the'],
];
const SYLLABLES = [
  ...['ba', 'ce', 'di', 'fo', 'gu', 'ka', 'le', 'mi', 'no', 'pu', 'ra', 'se', 'ti', 'vo', 'wu'],
  ...['xa', 'ye', 'zi', 'tor', 'lin', 'mar', 'dex', 'qua', 'zen', 'shi', 'ron', 'bel', 'ash'],
];

function makeWord(random: SeededRandom): string {
  if (random.chance(0.35)) return random.pick(COMMON);
  return Array.from({ length: 2 + random.below(3) }, () => random.pick(SYLLABLES)).join('');
}

/** Realistic names: some words are common, most are rare. */
export function makeTexts(random: SeededRandom): { symbol: string; name: string } {
  const words = Array.from({ length: 1 + random.below(3) }, () => makeWord(random));
  const name = words.map((word) => word.slice(0, 1).toUpperCase() + word.slice(1)).join(' ');
  const symbol = words
    .join('')
    .slice(0, 3 + random.below(4))
    .toUpperCase();
  return { symbol, name };
}

export interface TradePlace {
  readonly index: number;
  readonly block: number;
  readonly logIndex: number;
  readonly timestampMs: number;
}

export function makeTrade(number: number, place: TradePlace): TradeRecord {
  const { index, block, logIndex, timestampMs } = place;
  const cents = 100 + ((index * 37 + number) % 900);
  return {
    token: buildMarketAddress('aa', number),
    block,
    logIndex,
    txHash: transactionId(
      `0x${number.toString(16).padStart(16, '0')}${block.toString(16).padStart(48, '0')}`,
    ),
    index: 0,
    timestampMs,
    side: index % 2 === 0 ? 'buy' : 'sell',
    wallet: buildMarketAddress('cc', index % 97),
    venue: 'uniswap-v2',
    pool: poolId(buildMarketAddress('dd', number)),
    amountRaw: 12_345_678_901_234_567_890n + BigInt(index),
    quoteToken: WETH,
    quoteAmountRaw: 1_234_567_890_123_456n * BigInt(cents),
    priceNative: `0.000123456789012${cents}`,
    priceUsd: `0.37037036703703${cents}`,
    valueNative: `1.23456789012345${cents}`,
    valueUsd: `3703.7036703703${cents}`,
    outlier: false,
  };
}

/** How long the chain has been indexed. */
const PAST_MS = 10 ** 9;
const HEAD_BLOCK = 100_000;
const BLOCKS_PER_MINUTE = 100;

/** The trades of the last minutes: all that lists and windows have to count. */
function makeTrades(number: number, count: number): TradeRecord[] {
  const place = number % BLOCKS_PER_MINUTE;
  const lateMs = Math.floor((place * 60_000) / BLOCKS_PER_MINUTE);
  return Array.from({ length: count }, (_, index) =>
    makeTrade(number, {
      index,
      block: HEAD_BLOCK - (count - index) * BLOCKS_PER_MINUTE + place,
      logIndex: number,
      timestampMs: NOW_MS - (count - index) * 61_000 + lateMs,
    }),
  );
}

/** The same number of trades, at any time of the past: a twelfth of the tokens was traded today. */
function makeSpreadTrades(number: number, count: number): TradeRecord[] {
  return Array.from({ length: count }, (_, index) => {
    const share = (Math.imul(number * count + index + 1, 0x9e3779b1) >>> 0) / 2 ** 32;
    const timestampMs = NOW_MS - Math.floor(share * PAST_MS);
    const block = HEAD_BLOCK - Math.floor(share * HEAD_BLOCK);
    // Unique in its block.
    const logIndex = number + index * 10 ** 6;
    return makeTrade(number, { index, block, logIndex, timestampMs });
  }).sort((a, b) => a.timestampMs - b.timestampMs);
}

export function makeToken(
  number: number,
  made: { random: SeededRandom; trades: number; holders: number },
): TokenRecord {
  const liquidityUsdE18 = BigInt(1 + made.random.below(1_000_000)) * E18;
  return {
    token: buildMarketAddress('aa', number),
    ...makeTexts(made.random),
    decimals: 18,
    firstSeenBlock: 1,
    firstSeenAtMs: NOW_MS - PAST_MS + number,
    balanceSumRaw: 10n ** 27n,
    holders: made.holders,
    balancesBroken: false,
    supplyRaw: 10n ** 27n,
    supplyBlock: 1,
    supplyBalanceSumRaw: 10n ** 27n,
    priceNative: '0.000123456789012345',
    // In no order, like prices are.
    priceUsd: `0.37${String((Math.imul(number, 0x9e3779b1) >>> 0) % 10 ** 8).padStart(8, '0')}1`,
    lastTradeAtMs: NOW_MS - 61_000,
    tradeCount: made.trades,
    liquidityUsdE18,
    pairedPool: null,
    pairedUsdE18: null,
  };
}

export function makePool(token: TokenRecord, number: number): PoolRecord {
  return {
    pool: poolId(buildMarketAddress('dd', number)),
    venue: 'uniswap-v2',
    token0: token.token,
    token1: WETH,
    feePips: 3000,
    kind: 'constantProduct',
    terms: null,
    vault: buildMarketAddress('dd', number),
    createdBlock: 1,
    createdAtMs: token.firstSeenAtMs,
    complete: true,
    state: { reserve0: 10n ** 24n, reserve1: 10n ** 20n },
    lastSwapAtMs: NOW_MS,
    liquidityUsdE18: token.liquidityUsdE18,
  };
}

export interface MarketSize {
  readonly tokens: number;
  /** How many of them have a long history, which takes time to write. */
  readonly deepTokens?: number;
  /** Only what lists read: no balances, and candles of days only. */
  readonly isLean?: boolean;
  /** Whether trades are spread over the past, as they are; otherwise all are of the last hours. */
  readonly isSpread?: boolean;
}

async function writePart(
  transaction: MarketTransaction,
  part: {
    readonly from: number;
    readonly to: number;
    readonly deepTokens: number;
    readonly isLean: boolean;
    readonly isSpread: boolean;
    readonly random: SeededRandom;
  },
): Promise<void> {
  const numbers = Array.from({ length: part.to - part.from }, (_, index) => part.from + index);
  const tokens = numbers.map((number) => {
    const isDeep = number < part.deepTokens;
    const trades = isDeep ? DEEP_TRADES : 1;
    const holders = isDeep ? DEEP_HOLDERS : 2;
    return { number, trades, holders, random: part.random };
  });
  const rows = tokens.map((made) => makeToken(made.number, made));
  await transaction.putTokens(rows);
  await transaction.putPools(rows.map((row, index) => makePool(row, part.from + index)));
  const make = part.isSpread ? makeSpreadTrades : makeTrades;
  const trades = tokens.flatMap((made) => make(made.number, made.trades));
  await transaction.insertTrades(trades);
  const byToken = Map.groupBy(trades, ({ token }) => token);
  for (const interval of part.isLean ? (['1d'] as const) : STORED_INTERVALS) {
    const candles = Array.from(byToken, ([token, list]) =>
      foldTrades({ token, pool: null, interval }, list),
    );
    await transaction.putCandles(candles.flat());
  }
  if (part.isLean) return;
  const balances = tokens.flatMap(({ number, holders }) =>
    Array.from({ length: holders }, (_, index) => ({
      token: buildMarketAddress('aa', number),
      owner: buildMarketAddress('cc', index),
      amountRaw: 10n ** 24n - BigInt(index),
    })),
  );
  await transaction.putBalances(balances);
}

/** The head of the stored chain. */
export const MARKET_HEAD = {
  block: HEAD_BLOCK,
  blockHash: `0x${'b'.repeat(64)}`,
  parentHash: `0x${'a'.repeat(64)}`,
  timestampMs: NOW_MS,
};

async function fill(store: Store, size: MarketSize): Promise<void> {
  const { tokens, deepTokens = DEEP_COUNT, isLean = false, isSpread = false } = size;
  const random = createSeededRandom(`market ${tokens}`);
  const checkpoint = {
    block: MARKET_HEAD.block,
    blockHash: MARKET_HEAD.blockHash,
    timestampMs: NOW_MS,
    startBlock: 0,
    finalizedBlock: MARKET_HEAD.block,
    startAtMs: NOW_MS - PAST_MS,
    version: 0,
  };
  const headHeader = {
    ...{ position: MARKET_HEAD.block, hash: MARKET_HEAD.blockHash, timestampMs: NOW_MS },
    ...{ parentPosition: MARKET_HEAD.block - 1, parentHash: MARKET_HEAD.parentHash },
  };
  for (let from = 0, version = 1; from < tokens; from += PER_COMMIT, version += 1) {
    const to = Math.min(tokens, from + PER_COMMIT);
    await store.market.transaction(CHAIN, async (transaction) => {
      await transaction.setCheckpoint({ ...checkpoint, version });
      await transaction.putHeaders([headHeader]);
      await writePart(transaction, { from, to, deepTokens, isLean, isSpread, random });
    });
  }
  const owners = Array.from({ length: DEEP_HOLDERS }, (_, index) =>
    buildMarketAddress('cc', index),
  );
  await store.market.putAccounts(CHAIN, new Map(owners.map((owner) => [owner, false])));
}

/** A deployment file for a chain without a node: only the stored data exists. */
export function writeDeployment(
  folder: string,
  chain: { readonly rpcUrl: string; readonly contracts?: Readonly<Record<string, string>> },
): string {
  const names = ['weth', 'v2Factory', 'v2Router', 'v3Factory', 'v3Quoter', 'v4PoolManager'];
  const more = ['v4PositionManager', 'v4StateView', 'v4Quoter', 'universalRouter', 'permit2'];
  const contracts = [...names, ...more, 'multicall3'].map((name, index) => [
    name,
    buildMarketAddress('f0', index + 1),
  ]);
  const file = join(folder, 'deployment.json');
  const deployment = {
    chainId: 1337,
    startBlock: 0,
    rpcUrl: chain.rpcUrl,
    contracts: { ...Object.fromEntries(contracts), weth: WETH, ...chain.contracts },
    tokens: [{ key: 'usdc', address: chain.contracts?.['usdc'] ?? USDC }],
    anchorPools: [chain.contracts?.['anchor'] ?? buildMarketAddress('dd', 1)],
  };
  writeFileSync(file, JSON.stringify(deployment));
  return file;
}

/** Nothing listens on the discard port: the indexer waits, and the stored data stays as it is. */
const NO_NODE_URL = 'http://127.0.0.1:9';

/** The settings with which a service serves the store. */
export async function buildMarketStore(
  folder: string,
  size: MarketSize,
  rpcUrl = NO_NODE_URL,
  /** Of a PostgreSQL; SQLite files in the folder by default. */
  databaseUrl?: string,
): Promise<Readonly<Record<string, string>>> {
  const config = loadConfig({ DATA_DIR: folder });
  const store = await openStore({ ...config.store, databaseUrl: databaseUrl ?? null });
  try {
    await fill(store, size);
  } finally {
    await store.close();
  }
  const file = writeDeployment(folder, { rpcUrl });
  const env = { DATA_DIR: folder, DEVNET: 'on', DEVNET_DEPLOYMENT: file };
  return databaseUrl === undefined ? env : { ...env, DATABASE_URL: databaseUrl };
}

/** The last of what a start loads. */
const LOADED_PATHS = ['/v1/tokens/search?q=warm', '/v1/tokens?sort=gainers'];
const QUIET_MS = 1000;

/** Until everything is loaded and prepared, so that nothing that is measured pays for it. */
export async function untilSettled({ port, pid }: StartedServer): Promise<void> {
  for (const path of LOADED_PATHS) {
    while ((await fetch(`http://127.0.0.1:${port}${path}`)).status !== 200) await sleep(200);
  }
  const readMs = () => listTreePids(pid).reduce((sum, one) => sum + readCpuMs(one), 0);
  for (let isQuiet = false; !isQuiet; ) {
    const beforeMs = readMs();
    await sleep(QUIET_MS);
    isQuiet = readMs() - beforeMs < QUIET_MS / 10;
  }
}

const TOKEN = `chain=devnet&mint=${buildMarketAddress('aa', 3)}`;

/** Reads of a token with a long history. */
export const READS = {
  klines: `/v1/token/klines?${TOKEN}&interval=1m`,
  trades: `/v1/token/trades?${TOKEN}`,
  holders: `/v1/token/holders?${TOKEN}`,
} as const;
