// An EVM chain in memory with pairs of Uniswap V2 that are traded, and a pool of Fluid, which logs
// neither its tokens nor its creation: its contracts answer as of any block, as those of an archive
// node do.

import {
  ANCHOR_PAIR,
  answerAggregate,
  buildRecordedAddress,
  CHAIN_ID,
  DEPLOYMENT,
  encodeStringResult,
  FACTORY,
  ROUTER,
  STABLE,
  toTopic,
  toWord,
  WRAPPED,
} from '../../bench/recorded-chain-contracts.ts';
import { createEvmAdapter } from '../../src/chains/evm/create-evm-adapter.ts';
import type { EvmDeployment } from '../../src/chains/evm/data/deployments/evm-deployment.ts';
import { ZERO_ADDRESS } from '../../src/chains/evm/data/zero-address.ts';
import { AGGREGATE3_SELECTOR } from '../../src/chains/evm/rpc/multicall.ts';
import { TRANSFER_TOPIC } from '../../src/chains/evm/tokens/decode-transfer.ts';
import {
  BALANCE_OF_SELECTOR,
  DECIMALS_SELECTOR,
  NAME_SELECTOR,
  SYMBOL_SELECTOR,
  TOTAL_SUPPLY_SELECTOR,
} from '../../src/chains/evm/tokens/read-token-metadata.ts';
import {
  FACTORY_SELECTOR,
  TOKEN0_SELECTOR,
  TOKEN1_SELECTOR,
} from '../../src/chains/evm/venues/factory-pools.ts';
import {
  FLUID_ADDRESS_SELECTOR,
  FLUID_CONSTANTS_SELECTOR,
  SWAP_TOPIC as FLUID_SWAP_TOPIC,
} from '../../src/chains/evm/venues/fluid/fluid.ts';
import {
  SWAP_TOPIC,
  SYNC_TOPIC,
} from '../../src/chains/evm/venues/uniswap-v2/decode-uniswap-v2.ts';
import {
  GET_PAIR_SELECTOR,
  GET_RESERVES_SELECTOR,
} from '../../src/chains/evm/venues/uniswap-v2/pair-selectors.ts';
import { PAIR_CREATED_TOPIC } from '../../src/chains/evm/venues/uniswap-v2/v2-layouts.ts';
import type { Random } from '../../src/lib/retry.ts';
import type { Address } from '../../src/model/ids.ts';
import { MemoryChain, type MemoryLog, type MemoryTransaction } from '../fakes/memory-chain.ts';
import { RpcFault, type TrueAnswer } from '../fakes/misbehaving-rpc.ts';
import { address } from '../test-ids.ts';
import type { AdapterParts, WorldChain } from './world-chain.ts';

interface EvmMarketOptions {
  readonly blockMs: number;
  readonly startMs: number;
  readonly finalityDepth: number;
  readonly random: Random;
  /** Blocks that are there before anybody looks. */
  readonly history: number;
  /** On average, in a block. */
  readonly swapsPerBlock: number;
}

interface Pair {
  readonly pair: string;
  readonly tokens: readonly [string, string];
  /** The block that created it. */
  readonly block: number;
}

const E18 = 10n ** 18n;
const SUPPLY = 1_000_000n * E18;
const TOKENS_AT_FIRST = 4;
const TOKENS_MAX = 40;
/** How likely a block creates a token with a pair. */
const LAUNCH_CHANCE = 0.003;
const WALLETS = Array.from({ length: 30 }, (_, index) => buildRecordedAddress('b0b0', index + 1));
const PROVIDER = buildRecordedAddress('11', 1);
const SIDE_BLOCKS_KEPT = 2;
const FLUID = {
  factory: address(buildRecordedAddress('f1', 1)),
  liquidity: address(buildRecordedAddress('f1', 2)),
  resolver: address(buildRecordedAddress('f1', 3)),
};
const FLUID_POOL = buildRecordedAddress('f1', 4);
/** Of the coin and dollars: the first and second token of the pool. */
const FLUID_WORDS = Array.from({ length: 18 }, (_, at) =>
  toWord({ 0: 1n, 9: WRAPPED, 10: STABLE }[at] ?? 0n),
);
/** It is traded in every so many blocks, in turns. */
const FLUID_BLOCKS = 7;

interface Since {
  readonly block: number;
  readonly value: bigint;
}

/** Values by name, each with the block from which it holds. */
class Histories {
  readonly #values: Map<string, Since[]>;

  constructor(values = new Map<string, Since[]>()) {
    this.#values = values;
  }

  set(name: string, value: bigint, block: number): void {
    const known = this.#values.get(name);
    if (known === undefined) this.#values.set(name, [{ block, value }]);
    else if (known.at(-1)?.block === block) known[known.length - 1] = { block, value };
    else known.push({ block, value });
  }

  read(name: string, block = Number.POSITIVE_INFINITY): bigint {
    return this.#values.get(name)?.findLast((one) => one.block <= block)?.value ?? 0n;
  }

  dropAbove(block: number): void {
    for (const known of this.#values.values()) {
      while ((known.at(-1)?.block ?? -1) > block) known.pop();
    }
  }

  copy(): Histories {
    return new Histories(new Map([...this.#values].map(([name, known]) => [name, [...known]])));
  }
}

/** One branch: its blocks, and what its contracts say. */
class Branch {
  readonly chain: MemoryChain;
  readonly state: Histories;
  readonly pairs: Pair[];

  constructor(options: EvmMarketOptions, from?: Branch) {
    const call = (to: string, data: string, block: number) => this.#call(to, data, block);
    const { blockMs, startMs, finalityDepth } = options;
    const code = (address: string) => this.#readCode(address);
    const chainOptions = { chainId: CHAIN_ID, blockTimestamps: true, call, code };
    this.chain = new MemoryChain(
      { ...chainOptions, blockMs, startMs, finalityDepth },
      from?.chain.blocks ?? [],
    );
    this.state = from?.state.copy() ?? new Histories();
    this.pairs = [...(from?.pairs ?? [])];
  }

  drop(count: number): void {
    this.chain.drop(count);
    const { head } = this.chain;
    this.state.dropAbove(head);
    while ((this.pairs.at(-1)?.block ?? 0) > head) this.pairs.pop();
  }

  #readCode(address: string): string {
    const isToken = this.state.read(`${address.toLowerCase()} supply`) > 0n;
    return isToken ? '0x6001' : '0x';
  }

  #call(to: string, data: string, block: number): string {
    const result = data.startsWith(AGGREGATE3_SELECTOR)
      ? answerAggregate(data, (target, inner) => this.#callOne(target, inner, block))
      : this.#callOne(to.toLowerCase(), data, block);
    if (result === '0x') throw new RpcFault(3, 'execution reverted');
    return result;
  }

  #callOne(target: string, data: string, block: number): string {
    const to = target.toLowerCase();
    const pairs = this.pairs.filter((one) => one.block <= block);
    if (to === FACTORY && data.startsWith(GET_PAIR_SELECTOR)) {
      const asked = [data.slice(34, 74), data.slice(98, 138)].map((part) => `0x${part}`);
      const found = pairs.find(({ tokens }) => asked.every((one) => tokens.includes(one)));
      return `0x${toWord(found?.pair ?? ZERO_ADDRESS)}`;
    }
    if (to === FLUID.factory && data === `${FLUID_ADDRESS_SELECTOR}${toWord(1n)}`) {
      return `0x${toWord(FLUID_POOL)}`;
    }
    if (to === FLUID_POOL && data === FLUID_CONSTANTS_SELECTOR) return `0x${FLUID_WORDS.join('')}`;
    const pair = pairs.find((one) => one.pair === to);
    return (pair && this.#callPair(pair, data, block)) ?? this.#callToken(to, data, block);
  }

  #callPair({ pair, tokens }: Pair, data: string, block: number): string | null {
    switch (data.slice(0, 10)) {
      case FACTORY_SELECTOR:
        return `0x${toWord(FACTORY)}`;
      case TOKEN0_SELECTOR:
        return `0x${toWord(tokens[0])}`;
      case TOKEN1_SELECTOR:
        return `0x${toWord(tokens[1])}`;
      case GET_RESERVES_SELECTOR: {
        const reserves = tokens.map((token) => this.state.read(`${token} ${pair}`, block));
        return `0x${[...reserves, 0n].map(toWord).join('')}`;
      }
      default:
        return null;
    }
  }

  #callToken(token: string, data: string, block: number): string {
    const supply = this.state.read(`${token} supply`, block);
    if (supply === 0n) return '0x';
    switch (data.slice(0, 10)) {
      case SYMBOL_SELECTOR:
        return encodeStringResult(`T${token.slice(-4)}`);
      case NAME_SELECTOR:
        return encodeStringResult(`Token ${token.slice(-4)}`);
      case DECIMALS_SELECTOR:
        return `0x${toWord(token === STABLE ? 6 : 18)}`;
      case TOTAL_SUPPLY_SELECTOR:
        return `0x${toWord(supply)}`;
      case BALANCE_OF_SELECTOR:
        return `0x${toWord(this.state.read(`${token} 0x${data.slice(-40)}`, block))}`;
      default:
        return '0x';
    }
  }
}

/** Collects the logs of a block's transactions while it changes the state. */
class BlockWriter {
  readonly transactions: MemoryTransaction[] = [];
  readonly #state: Histories;
  readonly #block: number;

  constructor(state: Histories, block: number) {
    this.#state = state;
    this.#block = block;
  }

  /** Mints from the zero address. */
  transfer(token: string, of: { from: string; to: string; amount: bigint }): MemoryLog {
    const { from, to, amount } = of;
    const isMint = from === ZERO_ADDRESS;
    this.#add(`${token} ${isMint ? 'supply' : from}`, isMint ? amount : -amount);
    this.#add(`${token} ${to}`, amount);
    return {
      ...{ address: token, topics: [TRANSFER_TOPIC, toTopic(from), toTopic(to)] },
      data: `0x${toWord(amount)}`,
    };
  }

  sync({ pair, tokens }: Pair): MemoryLog {
    const reserves = tokens.map((token) => this.#state.read(`${token} ${pair}`));
    return { address: pair, topics: [SYNC_TOPIC], data: `0x${reserves.map(toWord).join('')}` };
  }

  #add(name: string, amount: bigint): void {
    this.#state.set(name, this.#state.read(name) + amount, this.#block);
  }
}

export class EvmMarket implements WorldChain {
  readonly slug = 'devnet';
  readonly family = 'evm';
  readonly blockMs: number;
  readonly #options: EvmMarketOptions;
  readonly #main: Branch;
  readonly #deployment: EvmDeployment;
  #side: { readonly branch: Branch; readonly untilBlock: number } | null = null;
  #branchName = 'main';
  #launched = 0;

  constructor(options: EvmMarketOptions) {
    this.blockMs = options.blockMs;
    this.#options = options;
    this.#main = new Branch(options);
    this.#deployment = { ...DEPLOYMENT, finalityDepth: options.finalityDepth, fluid: FLUID };
    this.#add((writer) => this.#begin(writer));
    for (let count = 0; count < TOKENS_AT_FIRST; count += 1) {
      this.#add((writer) => this.#launch(writer));
    }
    while (this.head.position < options.history) this.mine();
  }

  get head(): { readonly position: number; readonly hash: string } {
    const { chain } = this.#main;
    const { hash } = chain.announcementOf(chain.head) as { hash: string };
    return { position: chain.head, hash };
  }

  get finalized(): number {
    return this.#main.chain.finalized;
  }

  readonly answer: TrueAnswer = (method, params) => this.#main.chain.answer(method, params);

  side(): TrueAnswer | null {
    return this.#side?.branch.chain.answer ?? null;
  }

  listTokens(): readonly Address[] {
    const tokens = this.#main.pairs.flatMap(({ tokens }) => tokens);
    return [...new Set(tokens)].filter((one) => one !== WRAPPED && one !== STABLE).map(address);
  }

  mine(): void {
    const { random, swapsPerBlock } = this.#options;
    this.#add((writer) => {
      const swaps = Math.floor(swapsPerBlock * 2 * random() + random());
      for (let count = 0; count < swaps; count += 1) this.#swap(writer);
      if (this.#launched < TOKENS_MAX && random() < LAUNCH_CHANCE) this.#launch(writer);
      if (this.head.position % FLUID_BLOCKS === 0) this.#swapOnFluid(writer);
    });
    if (this.#side !== null && this.head.position >= this.#side.untilBlock) this.#side = null;
  }

  fork(depth: number): void {
    const branch = new Branch(this.#options, this.#main);
    this.#side = { branch, untilBlock: this.head.position + SIDE_BLOCKS_KEPT };
    this.#branchName = `fork at ${this.head.hash}`;
    this.#main.drop(depth);
    for (let count = 0; count < depth; count += 1) this.mine();
  }

  createAdapter({ endpoints, ...parts }: AdapterParts) {
    return createEvmAdapter({
      ...{ chain: this.slug, endpoints, deployment: this.#deployment, isPollTimed: true },
      ...parts,
    });
  }

  #add(build: (writer: BlockWriter) => void): void {
    const { chain, state } = this.#main;
    const writer = new BlockWriter(state, chain.head + 1);
    build(writer);
    chain.add(writer.transactions, this.#branchName);
  }

  /** Everybody gets coins and dollars, and there is a pool of both: 3,000 dollars for a coin. */
  #begin(writer: BlockWriter): void {
    for (const to of [PROVIDER, FLUID.liquidity, ...WALLETS]) {
      const give = (token: string, amount: bigint) =>
        writer.transfer(token, { from: ZERO_ADDRESS, to, amount });
      const logs = [give(WRAPPED, 1_000_000n * E18), give(STABLE, 10n ** 16n)];
      writer.transactions.push({ from: to, logs });
    }
    const reserves = { [WRAPPED]: 20_000n * E18, [STABLE]: 60_000_000n * 10n ** 6n };
    this.#createPair(writer, ANCHOR_PAIR, reserves);
  }

  #launch(writer: BlockWriter): void {
    this.#launched += 1;
    const token = buildRecordedAddress('70', this.#launched);
    const mint = { from: ZERO_ADDRESS, to: PROVIDER, amount: SUPPLY };
    writer.transactions.push({ from: PROVIDER, logs: [writer.transfer(token, mint)] });
    const pair = buildRecordedAddress('ba', this.#launched);
    this.#createPair(writer, pair, { [token]: SUPPLY / 2n, [WRAPPED]: 100n * E18 });
  }

  #createPair(writer: BlockWriter, pair: string, reserves: Readonly<Record<string, bigint>>): void {
    const tokens = Object.keys(reserves).sort() as [string, string];
    const one = { pair, tokens, block: this.#main.chain.head + 1 };
    this.#main.pairs.push(one);
    const created: MemoryLog = {
      address: FACTORY,
      topics: [PAIR_CREATED_TOPIC, ...tokens.map(toTopic)],
      data: `0x${toWord(pair)}${toWord(this.#main.pairs.length)}`,
    };
    const paid = tokens.map((token) =>
      writer.transfer(token, { from: PROVIDER, to: pair, amount: reserves[token] ?? 0n }),
    );
    const shares = { from: ZERO_ADDRESS, to: PROVIDER, amount: E18 };
    const logs = [created, ...paid, writer.transfer(pair, shares), writer.sync(one)];
    writer.transactions.push({ from: PROVIDER, logs });
  }

  /** A coin for what the pair of both has, by turns in each direction; drawn from nothing. */
  #swapOnFluid(writer: BlockWriter): void {
    const { state } = this.#main;
    const number = this.head.position / FLUID_BLOCKS;
    const wallet = WALLETS[number % WALLETS.length] ?? PROVIDER;
    const [coins, dollars] = [WRAPPED, STABLE].map((one) => state.read(`${one} ${ANCHOR_PAIR}`));
    const price = (E18 * (dollars ?? 0n)) / (coins ?? 1n);
    const isSale = number % 2 === 0;
    const [paid, got] = isSale ? [WRAPPED, STABLE] : [STABLE, WRAPPED];
    const [amountIn, amountOut] = isSale ? [E18, price] : [price, E18];
    if (state.read(`${paid} ${wallet}`) < amountIn) return;
    const words = [isSale ? 1n : 0n, amountIn, amountOut, wallet].map(toWord);
    const { liquidity } = FLUID;
    const logs = [
      writer.transfer(paid, { from: wallet, to: liquidity, amount: amountIn }),
      writer.transfer(got, { from: liquidity, to: wallet, amount: amountOut }),
      { address: FLUID_POOL, topics: [FLUID_SWAP_TOPIC], data: `0x${words.join('')}` },
    ];
    writer.transactions.push({ from: wallet, logs });
  }

  #swap(writer: BlockWriter): void {
    const { random } = this.#options;
    const { state, pairs } = this.#main;
    const pick = <T>(list: readonly T[]) => list[Math.floor(random() * list.length)]!;
    const pair = pick(pairs);
    const wallet = pick(WALLETS);
    const isZeroIn = random() < 0.5;
    const [input, output] = isZeroIn ? pair.tokens : [pair.tokens[1], pair.tokens[0]];
    const reserveOf = (token: string) => state.read(`${token} ${pair.pair}`);
    const wished = (reserveOf(input) * BigInt(1 + Math.floor(random() * 40))) / 10_000n;
    const held = state.read(`${input} ${wallet}`);
    const amountIn = wished < held ? wished : held / 2n;
    const withFee = amountIn * 997n;
    const amountOut = (withFee * reserveOf(output)) / (reserveOf(input) * 1000n + withFee);
    if (amountOut === 0n) return;
    const words = isZeroIn ? [amountIn, 0n, 0n, amountOut] : [0n, amountIn, amountOut, 0n];
    const moved = [
      writer.transfer(input, { from: wallet, to: pair.pair, amount: amountIn }),
      writer.transfer(output, { from: pair.pair, to: wallet, amount: amountOut }),
    ];
    const swap: MemoryLog = {
      address: pair.pair,
      topics: [SWAP_TOPIC, toTopic(ROUTER), toTopic(wallet)],
      data: `0x${words.map(toWord).join('')}`,
    };
    writer.transactions.push({ from: wallet, logs: [...moved, writer.sync(pair), swap] });
  }
}
