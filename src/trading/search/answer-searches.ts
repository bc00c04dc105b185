// The search thread's side: caches the pools that it was sent, and runs searches.

import { kindOf } from '../../amm/pool-kinds.ts';
import type { SwapPool } from '../../amm/swap-pool.ts';
import { TickList } from '../../amm/tick-list.ts';
import type { GraphPool } from '../graph/pool-graph-pool.ts';
import { searchTrade } from '../routing/find-trade-route.ts';
import type { FieldPlan, PoolWays } from '../routing/route-field.ts';
import { SearchWork } from '../routing/search-work.ts';
import { toTradePlan, type WholePlan } from '../routing/trade-plan.ts';
import {
  type SearchCommand,
  type SearchMessage,
  type SentField,
  type SentPlan,
  type SentPool,
  type SentTaxPlan,
  type SentTicks,
  sendSearch,
} from './search-message.ts';

class ReceivedPools {
  readonly #pools = new Map<number, GraphPool>();
  readonly #numbers = new Map<GraphPool, number>();
  readonly #tables = new Map<number, TickList>();

  add({ ticks, pools }: { ticks: readonly SentTicks[]; pools: readonly SentPool[] }): void {
    for (const { number, ticks: at, nets } of ticks) {
      const rows = nets.map((liquidityNet, index) => ({ tick: at[index] ?? 0, liquidityNet }));
      this.#tables.set(number, new TickList(rows));
    }
    for (const sent of pools) {
      const { number, plainCurve: _plain, table: _table, ...rest } = sent;
      const pool = { ...rest, curve: this.#reviveCurve(sent) } as GraphPool;
      this.#pools.set(number, pool);
      this.#numbers.set(pool, number);
    }
  }

  findNumber(pool: GraphPool): number {
    return this.#numbers.get(pool) ?? 0;
  }

  revivePlan(sent: SentPlan): WholePlan {
    const { levels, refusal, assetIn, assetOut, native, size, outPerUnit, costs } = sent;
    const reviveField = ({ numbers, ways }: SentField): FieldPlan => ({
      ...{ assetIn, assetOut, native },
      pools: Array.from(numbers, (number, index) => ({
        pool: this.#find(number),
        ways: (ways[index] ?? 0) as PoolWays,
      })),
    });
    const reviveLevel = (plans: readonly SentTaxPlan[]) =>
      plans.map((plan) => {
        const { taxes, router } = plan;
        return { taxes, router, field: reviveField(plan) };
      });
    return {
      ...{ size, outPerUnit, costs },
      levels: {
        strict: reviveLevel(levels.strict),
        loose: reviveLevel(levels.loose),
        any: reviveLevel(levels.any),
      },
      refusal: {
        all: reviveField(refusal.all),
        ofRouters: refusal.ofRouters?.map(reviveField) ?? null,
        isTaxRefused: refusal.isTaxRefused,
      },
    };
  }

  #find(number: number): GraphPool {
    const pool = this.#pools.get(number);
    if (pool === undefined) throw new Error(`pool ${number} was never sent`);
    return pool;
  }

  #reviveCurve({ kind, plainCurve, table }: SentPool): SwapPool {
    const ticks = table === null ? null : this.#tables.get(table);
    if (ticks === undefined) throw new Error(`the ticks ${table} were never sent`);
    return kindOf({ kind }).revive(plainCurve, ticks);
  }
}

/**
 * Handles commands in order; calls `send` with the result of each search, and `pause` during it.
 */
export function createSearchAnswerer(
  send: (message: SearchMessage) => void,
  pause: () => void,
): (command: SearchCommand) => void {
  let pools = new ReceivedPools();
  return (command) => {
    switch (command.kind) {
      case 'pools':
        pools.add(command);
        return;
      case 'clear':
        pools = new ReceivedPools();
        return;
      case 'search': {
        const work = new SearchWork({ pause });
        const search = searchTrade(toTradePlan(pools.revivePlan(command.plan)), work);
        const sent = sendSearch(search, (pool) => pools.findNumber(pool));
        send({ job: command.job, work: work.count, search: sent });
      }
    }
  };
}
