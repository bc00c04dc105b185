// A pool graph that follows a store, whose commits and announcements the test makes.

import { setImmediate } from 'node:timers/promises';
import { ConstantProductPool } from '../src/amm/constant-product/constant-product-pool.ts';
import { sleep } from '../src/lib/retry.ts';
import type { TickRecord } from '../src/model/market-record.ts';
import type { PoolRecord } from '../src/model/pool.ts';
import type { MarketStore, Store } from '../src/store/store.ts';
import { PoolGraphFollower } from '../src/trading/graph/pool-graph-follower.ts';
import { createSqlitePlace } from './conformance/store-place.ts';
import { buildCheckpoint, toAddress } from './conformance/store-samples.ts';
import { PLAIN_RULES } from './fakes/trade-costs.ts';
import { poolId } from './test-ids.ts';

/** Shorter pauses are none; what is longer is a limit, which must not end anything early. */
const PAUSE_MAX_MS = 1000;

type FollowerOptions = Partial<ConstructorParameters<typeof PoolGraphFollower>[0]>;

export function buildPair(number: number, reserve0: bigint): PoolRecord {
  return {
    pool: poolId(toAddress(number)),
    kind: 'constantProduct',
    venue: 'uniswap-v2',
    token0: toAddress(1),
    token1: toAddress(2),
    feePips: 3000,
    vault: toAddress(number),
    terms: null,
    createdBlock: 1,
    createdAtMs: 1,
    complete: true,
    state: { reserve0, reserve1: 10n ** 20n },
    lastSwapAtMs: null,
    liquidityUsdE18: null,
  };
}

/** As the feed announces it. */
export function buildCommit(version: number, pools: readonly number[], complete = true) {
  return { version, pools: pools.map((number) => poolId(toAddress(number))), complete };
}

export class GraphScene {
  readonly store: Store;
  readonly warnings: string[] = [];
  readonly #remove: () => Promise<void>;
  #follower: PoolGraphFollower;

  private constructor(store: Store, remove: () => Promise<void>) {
    this.store = store;
    this.#remove = remove;
    this.#follower = this.open();
  }

  static async create(): Promise<GraphScene> {
    const place = await createSqlitePlace();
    return new GraphScene(await place.open(), () => place.remove());
  }

  async remove(): Promise<void> {
    await this.#follower.stop();
    await this.store.close();
    await this.#remove();
  }

  get follower(): PoolGraphFollower {
    return this.#follower;
  }

  /** Another follower in place of the last one. */
  open(options: FollowerOptions = {}): PoolGraphFollower {
    this.#follower = new PoolGraphFollower({
      chain: 'devnet',
      store: this.store.market,
      native: { coin: toAddress(0), wrapped: toAddress(9) },
      rules: PLAIN_RULES,
      trusted: new Set([toAddress(1)]),
      sleep: (ms, signal) => (ms > PAUSE_MAX_MS ? sleep(ms, signal) : setImmediate()),
      random: () => 0.5,
      log: { warn: (_fields, message) => this.warnings.push(message) },
      ...options,
    });
    return this.#follower;
  }

  /** The store, with something in place of its snapshots. */
  wrapSnapshot(snapshot: (read: () => unknown) => unknown): MarketStore {
    return new Proxy(this.store.market, {
      get(target, name) {
        const value: unknown = Reflect.get(target, name, target);
        if (typeof value !== 'function') return value;
        return (...args: unknown[]) => {
          const call = () => value.apply(target, args);
          return name === 'snapshot' ? snapshot(call) : call();
        };
      },
    });
  }

  async commit(
    version: number,
    rows: { readonly pools: readonly PoolRecord[]; readonly ticks?: readonly TickRecord[] },
  ): Promise<void> {
    await this.store.market.transaction('devnet', async (transaction) => {
      await transaction.setCheckpoint(buildCheckpoint(version));
      await transaction.putPools(rows.pools);
      await transaction.putTicks(rows.ticks ?? []);
    });
  }

  /** Null if the graph does not have the pool. */
  reserveOf(number: number): bigint | null {
    const curve = this.#follower.current?.graph.get(poolId(toAddress(number)))?.curve;
    return curve instanceof ConstantProductPool ? curve.reserve0 : null;
  }
}
