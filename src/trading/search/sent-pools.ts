// The main thread's account of the pools that a search thread has, so that each is sent once.

import type { TickTable } from '../../amm/concentrated/tick-table.ts';
import type { GraphPool } from '../graph/pool-graph-pool.ts';
import type { FieldPlan } from '../routing/route-field.ts';
import type { WholePlan } from '../routing/trade-plan.ts';
import type { SearchCommand, SentField, SentPlan, SentPool, SentTicks } from './search-message.ts';

/** What a thread keeps at most beside the pools of the search at hand. */
const POOLS_MAX = 4_096;
const TICKS_MAX = 200_000;
/** Ticks that are copied in one go: less than a millisecond. */
const TICKS_AT_ONCE_MAX = 4_000;
const POOLS_AT_ONCE_MAX = 256;

function listPools(plan: WholePlan): Set<GraphPool> {
  const pools = new Set<GraphPool>();
  const fields = Object.values(plan.levels).flatMap((plans) => plans.map(({ field }) => field));
  for (const field of [...fields, plan.refusal])
    for (const { pool } of field.pools) pools.add(pool);
  return pools;
}

export class SentPools {
  /** Longest unused first. */
  readonly #numbers = new Map<GraphPool, number>();
  readonly #pools = new Map<number, GraphPool>();
  readonly #tables = new Map<TickTable, { readonly number: number; users: number }>();
  #tickCount = 0;
  #last = 0;

  get size(): number {
    return this.#numbers.size;
  }

  /** How many ticks the thread keeps for its pools. */
  get tickCount(): number {
    return this.#tickCount;
  }

  toPool(number: number): GraphPool {
    const pool = this.#pools.get(number);
    if (pool === undefined) throw new Error(`no pool has the number ${number}`);
    return pool;
  }

  /** All that the thread needs to search a plan, in pieces that are each copied quickly. */
  *send(plan: WholePlan, job: number): Generator<SearchCommand> {
    const needed = listPools(plan);
    yield* this.#sendNew(needed);
    const forgotten = this.#forget(needed);
    if (forgotten !== null) yield forgotten;
    yield { kind: 'search', job, plan: this.#toSentPlan(plan) };
  }

  *#sendNew(needed: ReadonlySet<GraphPool>): Generator<SearchCommand> {
    let [pools, ticks, tickCount]: [SentPool[], SentTicks[], number] = [[], [], 0];
    for (const pool of needed) {
      const known = this.#numbers.get(pool);
      if (known !== undefined) {
        this.#numbers.delete(pool);
        this.#numbers.set(pool, known);
        continue;
      }
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

  #addTable(table: TickTable): number {
    this.#last += 1;
    this.#tables.set(table, { number: this.#last, users: 0 });
    this.#tickCount += table.size;
    return this.#last;
  }

  #addPool(pool: GraphPool): SentPool {
    this.#last += 1;
    const number = this.#last;
    this.#numbers.set(pool, number);
    this.#pools.set(number, pool);
    const { curve, ...rest } = pool;
    return { ...rest, number, plainCurve: curve.toPlain(), table: this.#useTable(curve.ticks) };
  }

  #useTable(ticks: TickTable | null): number | null {
    if (ticks === null) return null;
    const table = this.#tables.get(ticks);
    if (table === undefined) throw new Error('a pool was sent before its ticks');
    table.users += 1;
    return table.number;
  }

  /** Makes the thread forget what has not been used for longest, where it has too much. */
  #forget(needed: ReadonlySet<GraphPool>): SearchCommand | null {
    const forgotten: { ticks: number[]; pools: number[] } = { ticks: [], pools: [] };
    for (const [pool, number] of this.#numbers) {
      const isFull = this.#numbers.size > POOLS_MAX || this.#tickCount > TICKS_MAX;
      if (!isFull || needed.has(pool)) break;
      this.#numbers.delete(pool);
      this.#pools.delete(number);
      forgotten.pools.push(number);
      const table = pool.curve.ticks;
      const entry = table && this.#tables.get(table);
      if (table === null || !entry) continue;
      entry.users -= 1;
      if (entry.users > 0) continue;
      this.#tables.delete(table);
      this.#tickCount -= table.size;
      forgotten.ticks.push(entry.number);
    }
    return forgotten.pools.length === 0 ? null : { kind: 'forget', ...forgotten };
  }

  #toSentField({ pools }: FieldPlan): SentField {
    return {
      numbers: Uint32Array.from(pools, ({ pool }) => this.#numbers.get(pool) ?? 0),
      ways: Uint8Array.from(pools, ({ ways }) => ways),
    };
  }

  #toSentPlan({ levels, refusal, amountIn, outPerGas, hasDataFees }: WholePlan): SentPlan {
    const toLevel = (plans: WholePlan['levels'][keyof WholePlan['levels']]) =>
      plans.map(({ taxes, field }) => ({ taxes, ...this.#toSentField(field) }));
    const { assetIn, assetOut, wrapped } = refusal;
    return {
      ...{ amountIn, outPerGas, hasDataFees, assetIn, assetOut, wrapped },
      levels: {
        strict: toLevel(levels.strict),
        loose: toLevel(levels.loose),
        any: toLevel(levels.any),
      },
      refusal: this.#toSentField(refusal),
    };
  }
}
