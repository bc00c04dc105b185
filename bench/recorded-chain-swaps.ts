// A chain with Uniswap V2 pairs: created, funded and traded, with all the logs that those emit.

import { createSeededRandom, type SeededRandom } from '../devnet/random.ts';
import { ZERO_ADDRESS } from '../src/chains/evm/data/zero-address.ts';
import { DEPOSIT_TOPIC } from '../src/chains/evm/tokens/decode-transfer.ts';
import { SWAP_TOPIC, SYNC_TOPIC } from '../src/chains/evm/venues/uniswap-v2/decode-uniswap-v2.ts';
import { PAIR_CREATED_TOPIC } from '../src/chains/evm/venues/uniswap-v2/v2-layouts.ts';
import {
  ANCHOR_PAIR,
  buildRecordedAddress,
  CHAIN_ID,
  FACTORY,
  type RecordedToken,
  ROUTER,
  STABLE,
  toTopic,
  toWord,
  WRAPPED,
} from './recorded-chain-contracts.ts';
import { Ledger } from './recorded-chain-ledger.ts';
import {
  ChainRecorder,
  type RecordedLog,
  type RecordedTransaction,
} from './recorded-chain-recorder.ts';
import { type RecordedMarket, TAIL_BLOCKS } from './recorded-chain-transfers.ts';

export interface SwapChainOptions {
  readonly swaps: number;
  readonly swapsPerBlock: number;
  readonly blockTimestamps: boolean;
}

const TOKEN_COUNT = 60;
/** How many tokens also trade against the stable coin. */
const STABLE_PAIR_COUNT = 15;
const WALLET_COUNT = 2000;
const SETUP_PER_BLOCK = 20;
const LIQUIDITY_PROVIDER = buildRecordedAddress('11', 1);
const BUY_SHARE = 0.55;
const SWAP_SELECTOR = '0x38ed1739';

interface Pair {
  readonly address: string;
  readonly liquidity: RecordedToken;
  /** In the pair's order. */
  readonly tokens: readonly [RecordedToken, RecordedToken];
  readonly reserves: [bigint, bigint];
  /** Which side is the quote asset. */
  readonly quoteIndex: 0 | 1;
  /** Wallets that have bought the other side. */
  readonly buyers: string[];
}

interface Scene {
  readonly random: SeededRandom;
  readonly ledger: Ledger;
  readonly wallets: readonly string[];
}

function units(token: RecordedToken, amount: number): bigint {
  return BigInt(Math.round(amount * 1000)) * 10n ** BigInt(token.decimals - 3);
}

/** Wrapped coins are deposited, which emits no transfer. */
function give(scene: Scene, token: RecordedToken, to: string, amountRaw: bigint): RecordedLog {
  const move = { from: ZERO_ADDRESS, to, amountRaw };
  if (token.address !== WRAPPED) return scene.ledger.transfer(token, move);
  scene.ledger.move(token, move);
  return {
    address: WRAPPED,
    topics: [DEPOSIT_TOPIC, toTopic(to)],
    data: `0x${toWord(amountRaw)}`,
  };
}

function buildSyncLog(pair: Pair): RecordedLog {
  const [reserve0, reserve1] = pair.reserves;
  return {
    address: pair.address,
    topics: [SYNC_TOPIC],
    data: `0x${toWord(reserve0)}${toWord(reserve1)}`,
  };
}

function createPair(
  address: string,
  base: RecordedToken,
  side: { readonly quote: RecordedToken; readonly reserves: readonly [bigint, bigint] },
): Pair {
  const baseFirst = base.address < side.quote.address;
  const [baseRaw, quoteRaw] = side.reserves;
  return {
    address,
    liquidity: { address, symbol: 'UNI-V2', decimals: 18, supplyRaw: 0n },
    tokens: baseFirst ? [base, side.quote] : [side.quote, base],
    reserves: baseFirst ? [baseRaw, quoteRaw] : [quoteRaw, baseRaw],
    quoteIndex: baseFirst ? 1 : 0,
    buyers: [],
  };
}

function buildPairCreation(scene: Scene, pair: Pair, index: number): RecordedTransaction {
  const provider = LIQUIDITY_PROVIDER;
  const [token0, token1] = pair.tokens;
  const logs: RecordedLog[] = [
    {
      address: FACTORY,
      topics: [PAIR_CREATED_TOPIC, toTopic(token0.address), toTopic(token1.address)],
      data: `0x${toWord(pair.address)}${toWord(index + 1)}`,
    },
  ];
  for (const [side, token] of pair.tokens.entries()) {
    const amountRaw = pair.reserves[side]!;
    logs.push(give(scene, token, provider, amountRaw));
    const move = { from: provider, to: pair.address, amountRaw };
    logs.push(scene.ledger.transfer(token, move));
  }
  const liquidityRaw = 10n ** 18n;
  logs.push(give(scene, pair.liquidity, provider, liquidityRaw), buildSyncLog(pair));
  return { from: provider, to: ROUTER, input: SWAP_SELECTOR, logs };
}

function createPairs(scene: Scene, tokens: ReadonlyMap<string, RecordedToken>): Pair[] {
  const wrapped = tokens.get(WRAPPED)!;
  const stable = tokens.get(STABLE)!;
  const anchor = createPair(ANCHOR_PAIR, wrapped, {
    quote: stable,
    reserves: [units(wrapped, 20_000), units(stable, 60_000_000)],
  });
  const plain = [...tokens.values()].filter((token) => token !== wrapped && token !== stable);
  const pairs = plain.flatMap((token, index): Pair[] => {
    const price = 10 ** (scene.random.below(6) - 4);
    const native = 200 + scene.random.below(3000);
    const first = createPair(buildRecordedAddress('ba', index + 1), token, {
      quote: wrapped,
      reserves: [units(token, native / price), units(wrapped, native)],
    });
    if (index >= STABLE_PAIR_COUNT) return [first];
    const second = createPair(buildRecordedAddress('bb', index + 1), token, {
      quote: stable,
      reserves: [units(token, native / price / 4), units(stable, native * 750)],
    });
    return [first, second];
  });
  return [anchor, ...pairs];
}

/** What the pair pays after its fee of 0.3 %. */
function computeAmountOut(reserveIn: bigint, reserveOut: bigint, amountIn: bigint): bigint {
  const withFee = amountIn * 997n;
  return (withFee * reserveOut) / (reserveIn * 1000n + withFee);
}

function buildSwap(scene: Scene, pair: Pair): RecordedTransaction {
  const { random, ledger } = scene;
  const baseIndex = pair.quoteIndex === 0 ? 1 : 0;
  let wallet = random.pick(scene.wallets);
  let inIndex: 0 | 1 = pair.quoteIndex;
  if (pair.buyers.length > 0 && !random.chance(BUY_SHARE)) {
    wallet = random.pick(pair.buyers);
    inIndex = baseIndex;
  }
  const wishedRaw = (pair.reserves[inIndex] * BigInt(1 + random.below(40))) / 10_000n;
  const hadRaw = ledger.balanceOf(pair.tokens[inIndex], wallet);
  const amountIn = wishedRaw < hadRaw ? wishedRaw : hadRaw / 2n;
  const outIndex = inIndex === 0 ? 1 : 0;
  const amountOut = computeAmountOut(pair.reserves[inIndex], pair.reserves[outIndex], amountIn);
  pair.reserves[inIndex] += amountIn;
  pair.reserves[outIndex] -= amountOut;
  if (inIndex === pair.quoteIndex) pair.buyers.push(wallet);
  const paid = { from: wallet, to: pair.address, amountRaw: amountIn };
  const got = { from: pair.address, to: wallet, amountRaw: amountOut };
  const words = inIndex === 0 ? [amountIn, 0n, 0n, amountOut] : [0n, amountIn, amountOut, 0n];
  return {
    from: wallet,
    to: ROUTER,
    input: `${SWAP_SELECTOR}${words.map(toWord).join('')}`,
    logs: [
      ledger.transfer(pair.tokens[inIndex], paid),
      ledger.transfer(pair.tokens[outIndex], got),
      buildSyncLog(pair),
      {
        address: pair.address,
        topics: [SWAP_TOPIC, toTopic(ROUTER), toTopic(wallet)],
        data: `0x${words.map(toWord).join('')}`,
      },
    ],
  };
}

function createTokens(): Map<string, RecordedToken> {
  const token = (address: string, symbol: string, decimals: number): RecordedToken => ({
    address,
    symbol,
    decimals,
    supplyRaw: 0n,
  });
  const plain = Array.from({ length: TOKEN_COUNT }, (_, index) =>
    token(buildRecordedAddress('70', index + 1), `TK${index + 1}`, [18, 18, 9, 6][index % 4]!),
  );
  const all = [token(WRAPPED, 'WETH', 18), token(STABLE, 'USDC', 6), ...plain];
  return new Map(all.map((one) => [one.address, one]));
}

function buildSetup(
  scene: Scene,
  tokens: ReadonlyMap<string, RecordedToken>,
  pairs: readonly Pair[],
): RecordedTransaction[] {
  const wrapped = tokens.get(WRAPPED)!;
  const stable = tokens.get(STABLE)!;
  return [
    ...pairs.map((pair, index) => buildPairCreation(scene, pair, index)),
    ...scene.wallets.map((wallet) => ({
      from: wallet,
      to: WRAPPED,
      input: SWAP_SELECTOR,
      logs: [
        give(scene, wrapped, wallet, units(wrapped, 500)),
        give(scene, stable, wallet, units(stable, 1_000_000)),
      ],
    })),
  ];
}

export function recordSwapChain(options: SwapChainOptions): RecordedMarket {
  const { blockTimestamps } = options;
  const recorder = new ChainRecorder({ chainId: CHAIN_ID, blockTimeS: 2, blockTimestamps });
  const scene: Scene = {
    random: createSeededRandom('recorded swaps'),
    ledger: new Ledger(),
    wallets: Array.from({ length: WALLET_COUNT }, (_, index) =>
      buildRecordedAddress('b0b0', index + 1),
    ),
  };
  const tokens = createTokens();
  const pairs = createPairs(scene, tokens);
  const setup = buildSetup(scene, tokens, pairs);
  let block = 0;
  for (let start = 0; start < setup.length; start += SETUP_PER_BLOCK) {
    recorder.addBlock(setup.slice(start, start + SETUP_PER_BLOCK));
    block += 1;
  }
  for (let left = options.swaps; left > 0; left -= options.swapsPerBlock) {
    const count = Math.min(left, options.swapsPerBlock);
    // A few pairs have most of the trades, as in real markets.
    const pick = () => pairs[Math.floor(scene.random.next() ** 2 * pairs.length)]!;
    recorder.addBlock(Array.from({ length: count }, () => buildSwap(scene, pick())));
    block += 1;
  }
  for (let empty = 0; empty < TAIL_BLOCKS; empty += 1) recorder.addBlock([]);
  return {
    recording: recorder.finish(block),
    tokens: [...tokens.values(), ...pairs.map(({ liquidity }) => liquidity)],
    totals: scene.ledger.computeTotals(),
  };
}
