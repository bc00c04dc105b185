// The embedded Solana chain with its traders, whose blocks are sealed when the world says so.

import { createSeededRandom, type SeededRandom } from '../../devnet/random.ts';
import { answerCall, RawJson } from '../../devnet/solana/answer-call.ts';
import { ChainFault } from '../../devnet/solana/chain-fault.ts';
import { transferLamports } from '../../devnet/solana/instructions.ts';
import { openChain } from '../../devnet/solana/open-chain.ts';
import { buildScene, describeGenesis, type Scene } from '../../devnet/solana/scene.ts';
import { SimulatedMarket } from '../../devnet/solana/simulated-market.ts';
import type { SolanaChain } from '../../devnet/solana/solana-chain.ts';
import { signTransaction } from '../../devnet/solana/wire-transaction.ts';
import { createSolanaAdapter } from '../../src/chains/solana/create-solana-adapter.ts';
import {
  SYSTEM_PROGRAM,
  toSolanaAddress,
  toSolanaPool,
  WRAPPED_SOL,
} from '../../src/chains/solana/data/solana-ids.ts';
import type { Random } from '../../src/lib/retry.ts';
import type { Address } from '../../src/model/ids.ts';
import { RpcFault, type TrueAnswer } from '../fakes/misbehaving-rpc.ts';
import type { AdapterParts, WorldChain } from './world-chain.ts';

interface SolanaMarketOptions {
  readonly seed: number;
  readonly blockMs: number;
  readonly startMs: number;
  readonly random: Random;
  /** Blocks that are there before anybody looks. */
  readonly history: number;
  /** On average, in a block. */
  readonly actionsPerBlock: number;
}

/** Of the tokens that clients would name first. */
const TOKENS_MAX = 4;
/** One in so many slots has no block. */
const SKIPPED = 20;

export class SolanaMarket implements WorldChain {
  readonly slug = 'devnet-solana';
  readonly family = 'solana';
  readonly blockMs: number;
  readonly #options: SolanaMarketOptions;
  readonly #chain: SolanaChain;
  readonly #scene: Scene;
  readonly #market: SimulatedMarket;
  readonly #random: SeededRandom;
  #nowMs: number;

  constructor(options: SolanaMarketOptions) {
    const seed = `world ${options.seed}`;
    const genesisSeconds = Math.floor(options.startMs / 1000);
    this.blockMs = options.blockMs;
    this.#options = options;
    this.#nowMs = options.startMs;
    this.#chain = openChain({ file: ':memory:', genesis: describeGenesis(seed), genesisSeconds });
    this.#scene = buildScene(this.#chain, seed, genesisSeconds);
    this.#random = createSeededRandom(seed);
    const parts = { chain: this.#chain, scene: this.#scene, random: this.#random, seed };
    this.#market = new SimulatedMarket(parts);
    for (let count = 0; count < options.history; count += 1) this.mine();
  }

  get head(): { readonly position: number; readonly hash: string } {
    const { slot, hash } = this.#chain.head;
    return { position: slot, hash };
  }

  get finalized(): number {
    return this.#chain.finalizedSlot;
  }

  readonly answer: TrueAnswer = (method, params) => {
    try {
      const answer = answerCall(this.#chain, method, params);
      return answer instanceof RawJson ? JSON.parse(answer.text) : answer;
    } catch (error) {
      if (!(error instanceof ChainFault)) throw error;
      throw new RpcFault(error.code, error.message);
    }
  };

  side(): null {
    return null;
  }

  listTokens(): readonly Address[] {
    const { tokens } = this.#scene;
    return tokens.slice(2, 2 + TOKENS_MAX).map(({ mint }) => toSolanaAddress(mint));
  }

  mine(): void {
    const { random, actionsPerBlock, blockMs } = this.#options;
    const actions = Math.floor(actionsPerBlock * 2 * random() + random());
    for (let count = 0; count < actions; count += 1) this.#market.act();
    this.#vote();
    const skipped = random() * SKIPPED < 1 ? 1 : 0;
    this.#nowMs += blockMs;
    this.#chain.seal({ seconds: Math.floor(this.#nowMs / 1000), skipped });
  }

  /** A real block is never empty: an empty one is asked for twice before it is believed. */
  #vote(): void {
    const { maker } = this.#scene.wallets;
    const { slot, hash } = this.#chain.head;
    const instructions = [transferLamports(maker.address, maker.address, BigInt(slot + 1))];
    const bytes = signTransaction({ payer: maker, instructions }, hash);
    this.#chain.submit(bytes, { isChecked: false });
  }

  fork(depth: number): void {
    const drops = (place: number) => place % 7 === 0;
    this.#chain.fork(depth, { seconds: Math.floor(this.#nowMs / 1000), drops });
  }

  createAdapter(parts: AdapterParts) {
    const [sol, usdc] = this.#scene.tokens;
    const anchor = this.#scene.pools.find(({ base, quote }) => base === sol && quote === usdc);
    return createSolanaAdapter({
      ...{ ...parts, chain: this.slug, genesis: this.#chain.genesisHash },
      assets: {
        ...{ coin: SYSTEM_PROGRAM, coinUnit: { symbol: 'SOL', decimals: 9 } },
        native: new Set([SYSTEM_PROGRAM, WRAPPED_SOL]),
        stable: new Set([toSolanaAddress(usdc?.mint ?? '')]),
        anchorPools: [toSolanaPool(toSolanaAddress(anchor?.pool ?? ''))],
      },
    });
  }
}
