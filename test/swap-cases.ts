// Trades written as text, as plans for the encoder, with their expected output.

import assert from 'node:assert/strict';
import type { SwapPool as AmmPool } from '../src/amm/swap-pool.ts';
import { ZERO_ADDRESS } from '../src/chains/evm/data/zero-address.ts';
import { findTraded } from '../src/chains/evm/venues/registry.ts';
import type { SwapHop, SwapPath, SwapPlan } from '../src/chains/evm/venues/swap-plan.ts';
import type { GraphPool } from '../src/trading/graph/pool-graph-pool.ts';
import type { IndexedDevnet } from './indexed-devnet.ts';
import type { OraclePath } from './oracles/exhaustive-routes.ts';
import { address } from './test-ids.ts';

export interface SwapCase {
  /** Token keys; `eth` and `weth` are the native coin and its wrapped token. */
  readonly from: string;
  readonly to: string;
  readonly amountIn: bigint;
  /**
   * The swap paths' steps: `v3:usdc` goes on to USDC in a V3 pool. The input is split evenly among
   * those that begin with it; `usdc > …` continues with a third of what the router then holds of
   * USDC, `usdc >> …` with all of it.
   */
  readonly swapPaths: readonly string[];
}

/** What the router holds at each moment; native and wrapped coin are one. */
class Held {
  readonly #amounts = new Map<string, bigint>();
  readonly #moved = new Map<string, AmmPool>();

  static toKey(key: string): string {
    return key === 'weth' ? 'eth' : key;
  }

  get(key: string): bigint {
    return this.#amounts.get(Held.toKey(key)) ?? 0n;
  }

  add(key: string, amount: bigint): void {
    this.#amounts.set(Held.toKey(key), this.get(key) + amount);
  }

  swap(path: OraclePath, amountIn: bigint): bigint {
    let amount = amountIn;
    for (const { pool, zeroForOne } of path) {
      const curve = this.#moved.get(pool.pool) ?? pool.curve;
      const { swap, after } = curve.swapAndMove(zeroForOne, amount);
      assert.ok(swap.isFilled && swap.amountOut > 0n);
      this.#moved.set(pool.pool, after);
      amount = swap.amountOut;
    }
    return amount;
  }
}

export class SwapCases {
  pools: readonly GraphPool[] = [];
  readonly #devnet: IndexedDevnet;
  readonly #recipient: string;

  constructor(devnet: IndexedDevnet, recipient: string) {
    this.#devnet = devnet;
    this.#recipient = recipient;
  }

  /** Reads the current state of the pools. */
  async refresh(): Promise<void> {
    await this.#devnet.settle();
    this.pools = [...(this.#devnet.follower.current?.graph.pools() ?? [])];
  }

  tokenOf(key: string): string {
    const { adapter, chain } = this.#devnet;
    if (key === 'eth') return ZERO_ADDRESS;
    if (key === 'weth') return adapter.deployment.wrapped;
    const token = chain.deployment.tokens.find((one) => one.key === key);
    return token?.address ?? assert.fail(key);
  }

  buildHop({ pool, zeroForOne }: OraclePath[number]): SwapHop {
    const { token0, token1 } = pool;
    const [tokenIn, tokenOut] = zeroForOne ? [token0, token1] : [token1, token0];
    const traded = findTraded(pool)?.toRouterPool(zeroForOne, null) ?? assert.fail();
    return { tokenIn, tokenOut, pool: traded };
  }

  plan(one: SwapCase): SwapPlan & { amountOut: bigint } {
    const held = new Held();
    const swapPaths = one.swapPaths.map((text) => this.#buildSwapPath(text, one, held));
    const amountOut = held.get(one.to);
    return {
      tokenIn: address(this.tokenOf(one.from)),
      tokenOut: address(this.tokenOf(one.to)),
      amountOut,
      amountOutMin: amountOut,
      swapPaths,
      outputTaxBps: 0,
      recipient: address(this.#recipient),
      deadlineSeconds: 4_000_000_000,
    };
  }

  /**
   * The same swap paths for a given output: what they pay for the input. Null if two of them share
   * a pool. Between exchanges of different kinds nothing is bought in reserve.
   */
  planExactOut(one: SwapCase) {
    const { swapPaths: priced, amountOut: _out, amountOutMin: _min, ...plan } = this.plan(one);
    const used = new Set<GraphPool>();
    let [amountIn, amountOut] = [0n, 0n];
    const swapPaths = one.swapPaths.map((text, index) => {
      const path = this.#findPath(one.from, text);
      for (const { pool } of path) used.add(pool);
      const hops = this.#askHops(path, priced[index]?.amountOutRaw ?? 0n);
      amountIn += hops[0]?.amountInRaw ?? 0n;
      amountOut += hops.at(-1)?.paidRaw ?? 0n;
      return { ...(priced[index] as SwapPath), amountInRaw: hops[0]?.amountInRaw ?? 0n, hops };
    });
    const hopCount = swapPaths.reduce((sum, { hops }) => sum + hops.length, 0);
    if (used.size < hopCount) return null;
    return { ...plan, swapPaths, amountIn, amountOut, amountInMax: amountIn };
  }

  /** From the output back, then forward through pairs, which pay for what arrives. */
  #askHops(path: OraclePath, amountOut: bigint) {
    const asked: bigint[] = [];
    const taken: bigint[] = [];
    let wanted = amountOut;
    for (const { pool, zeroForOne } of path.toReversed()) {
      asked.unshift(wanted);
      wanted = pool.curve.swapOut(zeroForOne, wanted).amountIn;
      taken.unshift(wanted);
    }
    let arrived = 0n;
    return path.map((step, index) => {
      const hop = this.buildHop(step);
      const before = path[index - 1];
      const isPaired = hop.pool.kind === 'v2' && before?.pool.venue === step.pool.venue;
      const amountInRaw = isPaired ? arrived : (taken[index] ?? 0n);
      const { amountOut: paid } = step.pool.curve.swapIn(step.zeroForOne, amountInRaw);
      const askedOutRaw = asked[index] ?? 0n;
      arrived = hop.pool.kind === 'v2' ? paid : askedOutRaw;
      return { ...hop, askedOutRaw, amountInRaw, paidRaw: arrived };
    });
  }

  #isAsset(token: string, key: string): boolean {
    if (Held.toKey(key) !== 'eth') return token === this.tokenOf(key);
    return token === ZERO_ADDRESS || token === this.tokenOf('weth');
  }

  #findPath(from: string, steps: string): OraclePath {
    let at = from;
    return steps.split(' ').map((step) => {
      const [kind, to = ''] = step.split(':');
      const joins = (a: string, b: string) => this.#isAsset(a, at) && this.#isAsset(b, to);
      const pool = this.pools.find(
        ({ venue, token0, token1 }) =>
          venue === `uniswap-${kind}` && (joins(token0, token1) || joins(token1, token0)),
      );
      if (pool === undefined) return assert.fail(`no ${kind} pool ${at} ${to}`);
      const zeroForOne = this.#isAsset(pool.token0, at);
      at = to;
      return { pool, zeroForOne };
    });
  }

  #buildSwapPath(text: string, { from, amountIn, swapPaths }: SwapCase, held: Held): SwapPath {
    const [, key, mark, steps = ''] = /^(?:(\w+) (>>?) )?(.*)$/.exec(text) ?? assert.fail();
    const takes = mark === undefined ? 'input' : mark === '>' ? 'part' : 'rest';
    const firsts = swapPaths.filter((one) => !one.includes('>'));
    const share = amountIn / BigInt(firsts.length);
    const left = amountIn - share * BigInt(firsts.length);
    const there = held.get(key ?? from);
    const amounts = {
      input: text === firsts[0] ? share + left : share,
      part: there / 3n,
      rest: there,
    };
    const amountInRaw = amounts[takes];
    const path = this.#findPath(key ?? from, steps);
    const amountOutRaw = held.swap(path, amountInRaw);
    if (key !== undefined) held.add(key, -amountInRaw);
    held.add(steps.split(':').at(-1) ?? '', amountOutRaw);
    return { takes, amountInRaw, amountOutRaw, hops: path.map((hop) => this.buildHop(hop)) };
  }
}
