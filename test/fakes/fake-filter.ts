// What a fake chain's adapter sends of its blocks: all of it, only some tokens and pools, or with a
// description of every pool.

import type { BlockRange } from '../../src/chains/adapter.ts';
import { findRank, RANK_TOKEN } from '../../src/chains/quote-rule.ts';
import type { BlockEvents, MarketEvent } from '../../src/model/block-events.ts';
import type { Address, PoolId, TransactionId } from '../../src/model/ids.ts';
import type { PoolDescription } from '../../src/model/pool.ts';
import { FAKE_ASSETS } from './fake-market.ts';

type Announced = (pool: PoolId) => PoolDescription | undefined;

/** Swaps say which of their transaction they are, since others are left out. */
function numberSwaps(events: readonly MarketEvent[]): MarketEvent[] {
  const counts = new Map<TransactionId, number>();
  return events.map((event): MarketEvent => {
    if (event.kind !== 'swap') return event;
    const index = counts.get(event.txHash) ?? 0;
    counts.set(event.txHash, index + 1);
    return { ...event, index };
  });
}

function pickEvents(
  blocks: readonly BlockEvents[],
  only: NonNullable<BlockRange['only']>,
): BlockEvents[] {
  const pools = new Set(only.pools);
  const isOfToken = (token: Address) =>
    only.tokens.has(token) && findRank(FAKE_ASSETS, token) === RANK_TOKEN;
  const isWanted = (event: MarketEvent): boolean => {
    if (event.kind === 'transfer') return only.tokens.has(event.token);
    if (event.kind !== 'poolCreated') return pools.has(event.pool);
    const { pool, token0, token1 } = event.description;
    if (!isOfToken(token0) && !isOfToken(token1)) return false;
    pools.add(pool);
    return true;
  };
  return blocks
    .map(({ header, events }) => ({ header, events: numberSwaps(events).filter(isWanted) }))
    .filter(({ events }) => events.length > 0);
}

/** Each pool before its first event; those whose creation is read are not found by `find`. */
export function announcePools(
  blocks: readonly BlockEvents[],
  find: Announced,
): readonly BlockEvents[] {
  const announced = new Set<PoolId>();
  return blocks.map(({ header, events }) => ({
    header,
    events: events.flatMap((event): MarketEvent[] => {
      if (event.kind === 'poolCreated') announced.add(event.description.pool);
      if (event.kind === 'transfer' || event.kind === 'poolCreated') return [event];
      const description = announced.has(event.pool) ? undefined : find(event.pool);
      announced.add(event.pool);
      if (description === undefined) return [event];
      return [{ kind: 'poolCreated', description, complete: false }, event];
    }),
  }));
}

/** The blocks as they are sent for a range with `only` or `describesPools`. */
export function filterBlocks(
  blocks: readonly BlockEvents[],
  { only }: Pick<BlockRange, 'only'>,
  find: Announced,
): readonly BlockEvents[] {
  return announcePools(only === undefined ? blocks : pickEvents(blocks, only), find);
}
