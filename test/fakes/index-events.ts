// Indexes blocks written by hand, and returns every row.

import type { MarketEvent, SwapEvent } from '../../src/model/block-events.ts';
import type { Address, PoolId } from '../../src/model/ids.ts';
import type { PoolDescription } from '../../src/model/pool.ts';
import { createSqlitePlace } from '../conformance/store-place.ts';
import { address, transactionId } from '../test-ids.ts';
import { FakeChain } from './fake-chain.ts';
import { readIndex, startIndexer } from './indexed-chain.ts';

/** Each list is a block's events; block 1 is the first, and block times ascend. */
export async function indexEvents(...blocks: readonly (readonly MarketEvent[])[]) {
  const chain = new FakeChain({ seed: 1, finalityDepth: 3, eventCountMax: 0 });
  for (const events of blocks) {
    chain.extend(
      1,
      events.map((event, logIndex) => (event.kind === 'swap' ? { ...event, logIndex } : event)),
    );
  }
  return indexChain(chain);
}

/** Every row of a new index of the current chain. */
export async function indexChain(chain: FakeChain) {
  const place = await createSqlitePlace();
  const store = await place.open();
  try {
    const { indexer, settle } = startIndexer(chain, store.market);
    await settle();
    await indexer.stop();
    return await readIndex(store.market);
  } finally {
    await store.close();
    await place.remove();
  }
}

export function createPool(
  pool: PoolId,
  tokens: readonly [Address, Address],
  fields: Partial<PoolDescription> = {},
): MarketEvent {
  const [token0, token1] = tokens[0] < tokens[1] ? tokens : [tokens[1], tokens[0]];
  return {
    kind: 'poolCreated',
    complete: true,
    description: {
      pool,
      kind: 'constantProduct',
      venue: 'uniswap-v2',
      token0,
      token1,
      feePips: 3000,
      vault: address(pool),
      terms: null,
      ...fields,
    } as PoolDescription,
  };
}

/** A concentrated pool like V3's. */
export function createRange(
  pool: PoolId,
  tokens: readonly [Address, Address],
  fields: Partial<PoolDescription> = {},
): MarketEvent {
  const terms = { tickSpacing: 60, custody: { kind: 'own' } } as const;
  const range = { venue: 'uniswap-v3', kind: 'concentrated', terms } as const;
  return createPool(pool, tokens, { ...range, ...fields } as Partial<PoolDescription>);
}

/** Amounts from the pool's side: positive came in. */
export function buildSwapEvent(
  pool: PoolId,
  amounts: readonly [bigint, bigint],
  fields: Partial<SwapEvent> = {},
): SwapEvent {
  return {
    kind: 'swap',
    pool,
    txHash: transactionId('0xtx'),
    logIndex: 0,
    wallet: address('0xwallet'),
    amount0: amounts[0],
    amount1: amounts[1],
    change: null,
    ...fields,
  };
}
