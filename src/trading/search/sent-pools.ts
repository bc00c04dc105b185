// Tracks which pools a search thread has, so that each is sent once.

import type { TickList } from '../../amm/tick-list.ts';
import type { GraphPool } from '../graph/pool-graph-pool.ts';
import type { FieldPlan } from '../routing/route-field.ts';
import { toPlannedRouter, type WholePlan } from '../routing/trade-plan.ts';
import type { SearchCommand, SentField, SentPlan, SentPool, SentTicks } from './search-message.ts';

/** With more than this beyond the pools of the current search, a thread's cache is cleared. */
const POOLS_MAX = 4_096;
const TICKS_MAX = 200_000;
/** Ticks copied at once: less than a millisecond. */
const TICKS_AT_ONCE_MAX = 4_000;
const POOLS_AT_ONCE_MAX = 256;

function listPools(plan: WholePlan): Set<GraphPool> {
  const pools = new Set<GraphPool>();
  const fields = Object.values(plan.levels).flatMap((plans) => plans.map(({ field }) => field));
  const { all, ofRouters } = plan.refusal;
  for (const field of [...fields, all, ...(ofRouters ?? [])])
    for (const { pool } of field.pools) pools.add(pool);
  return pools;
}

export class SentPools {
  readonly #numbers = new Map<GraphPool, number>();
  readonly #pools = new Map<number, GraphPool>();
  readonly #tables = new Map<TickList, number>();
  #tickCount = 0;
  #last = 0;

  get size(): number {
    return this.#numbers.size;
  }

  /** How many ticks the thread caches for its pools. */
  get tickCount(): number {
    return this.#tickCount;
  }

  findPool(number: number): GraphPool {
    const pool = this.#pools.get(number);
    if (pool === undefined) throw new Error(`no pool has the number ${number}`);
    return pool;
  }

  /** Everything that the thread needs to search a plan, in pieces that are each copied quickly. */
  *send(plan: WholePlan, job: number): Generator<SearchCommand> {
    const needed = listPools(plan);
    if (this.#isFull(needed)) {
      this.#clear();
      yield { kind: 'clear' };
    }
    yield* this.#sendNew(needed);
    yield { kind: 'search', job, plan: this.#encodePlan(plan) };
  }

  *#sendNew(needed: ReadonlySet<GraphPool>): Generator<SearchCommand> {
    let [pools, ticks, tickCount]: [SentPool[], SentTicks[], number] = [[], [], 0];
    for (const pool of needed) {
      if (this.#numbers.has(pool)) continue;
      const table = pool.curve.ticks;
      if (table !== null && !this.#tables.has(table)) {
        ticks.push({ number: this.#addTable(table), ticks: table.ticks, nets: table.nets });
        tickCount += table.size;
      }
      pools.push(this.#addPool(pool));
      if (tickCount < TICKS_AT_ONCE_MAX && pools.length < POOLS_AT_ONCE_MAX) continue;
      yield { kind: 'pools', ticks, pools };
      [pools, ticks, tickCount] = [[], [], 0];
    }
    if (pools.length > 0) yield { kind: 'pools', ticks, pools };
  }

  #addTable(table: TickList): number {
    this.#last += 1;
    this.#tables.set(table, this.#last);
    this.#tickCount += table.size;
    return this.#last;
  }

  #addPool(pool: GraphPool): SentPool {
    this.#last += 1;
    const number = this.#last;
    this.#numbers.set(pool, number);
    this.#pools.set(number, pool);
    const { curve, ...rest } = pool;
    const table = curve.ticks && this.#tables.get(curve.ticks);
    if (table === undefined) throw new Error('a pool was sent before its ticks');
    return { ...rest, number, plainCurve: curve.toPlain(), table };
  }

  #isFull(needed: ReadonlySet<GraphPool>): boolean {
    const tables = new Set<TickList>();
    for (const { curve } of needed) if (curve.ticks !== null) tables.add(curve.ticks);
    let ticksNeeded = 0;
    for (const { size } of tables) ticksNeeded += size;
    const poolsBeside = this.#numbers.size - needed.size;
    return poolsBeside > POOLS_MAX || this.#tickCount - ticksNeeded > TICKS_MAX;
  }

  #clear(): void {
    this.#numbers.clear();
    this.#pools.clear();
    this.#tables.clear();
    this.#tickCount = 0;
  }

  #encodeField({ pools }: FieldPlan): SentField {
    const numbers = new Uint32Array(pools.length);
    const ways = new Uint8Array(pools.length);
    for (const [index, one] of pools.entries()) {
      numbers[index] = this.#numbers.get(one.pool) ?? 0;
      ways[index] = one.ways;
    }
    return { numbers, ways };
  }

  #encodePlan({ levels, refusal, size, outPerUnit, costs }: WholePlan): SentPlan {
    const encodeLevel = (plans: WholePlan['levels'][keyof WholePlan['levels']]) =>
      plans.map(({ taxes, router, field }) => ({
        taxes,
        router: router && toPlannedRouter(router),
        ...this.#encodeField(field),
      }));
    const { assetIn, assetOut, native } = refusal.all;
    return {
      ...{ size, outPerUnit, costs, assetIn, assetOut, native },
      levels: {
        strict: encodeLevel(levels.strict),
        loose: encodeLevel(levels.loose),
        any: encodeLevel(levels.any),
      },
      refusal: {
        all: this.#encodeField(refusal.all),
        ofRouters: refusal.ofRouters?.map((field) => this.#encodeField(field)) ?? null,
        isTaxRefused: refusal.isTaxRefused,
      },
    };
  }
}
