// How many addresses or topics each endpoint compares in one place of a log query. Most nodes take
// a thousand; what one refuses is split, and longer lists are tried again after a while.

import type { Clock } from '../../../lib/clock.ts';
import type { LogEndpoint } from '../../rpc/rpc-endpoint.ts';
import { isRpcError } from '../../rpc/rpc-error.ts';
import type { LogFilter } from '../data/evm-log.ts';

const ITEMS_MAX = 1000;
const GROWS_MS = 600_000;

function countItems({ address, topics }: LogFilter): number {
  return Math.max(address.length, ...topics.map((any) => any?.length ?? 0));
}

/** Filters that find the same, none with more than `max` items in one place. */
export function splitFilter(filter: LogFilter, max = ITEMS_MAX): LogFilter[] {
  const count = countItems(filter);
  if (count <= max) return [filter];
  const { address, topics } = filter;
  const halves = <T>(items: readonly T[]) => [
    items.slice(0, Math.ceil(items.length / 2)),
    items.slice(Math.ceil(items.length / 2)),
  ];
  const place = topics.findIndex((any) => any?.length === count);
  const parts =
    address.length === count
      ? halves(address).map((some) => ({ address: some, topics }))
      : halves(topics[place] ?? []).map((some) => ({ address, topics: topics.with(place, some) }));
  return parts.flatMap((part) => splitFilter(part, max));
}

export class FilterSizes {
  readonly #clock: Pick<Clock, 'monotonicMs'>;
  readonly #learned = new Map<string, { readonly max: number; readonly atMs: number }>();

  constructor(clock: Pick<Clock, 'monotonicMs'>) {
    this.#clock = clock;
  }

  /** Asks with filters that the endpoint takes; with shorter ones while it refuses them. */
  async ask<T>(
    endpoint: LogEndpoint,
    filters: readonly LogFilter[],
    query: (fitting: readonly LogFilter[]) => Promise<T>,
  ): Promise<T> {
    for (;;) {
      const max = this.#findMax(endpoint);
      const fitting = filters.flatMap((filter) => splitFilter(filter, max));
      try {
        return await query(fitting);
      } catch (error) {
        const longest = Math.max(0, ...fitting.map(countItems));
        if (!isRpcError(error, 'filterTooLarge') || longest <= 1) throw error;
        const half = Math.ceil(longest / 2);
        this.#learned.set(endpoint.name, { max: half, atMs: this.#clock.monotonicMs() });
        endpoint.limitations.note(
          'filter',
          `takes few addresses and topics in a query; at most ${half} are asked for at once`,
        );
      }
    }
  }

  #findMax({ name }: LogEndpoint): number {
    const learned = this.#learned.get(name);
    if (learned === undefined) return ITEMS_MAX;
    const grown = Math.floor((this.#clock.monotonicMs() - learned.atMs) / GROWS_MS);
    return Math.min(ITEMS_MAX, learned.max * 2 ** Math.min(10, grown));
  }
}
