// Loads every row that a batch of blocks needs into memory, in a few bulk reads.

import { kindOf } from '../../amm/pool-kinds.ts';
import type { ChainAdapter, ChainAssets } from '../../chains/adapter.ts';
import { listMarketViews, listRankedAssets, RANK_TOKEN } from '../../chains/quote-rule.ts';
import type { BlockEvents } from '../../model/block-events.ts';
import type { ChainSlug } from '../../model/chain.ts';
import type { Discovery } from '../../model/discovery.ts';
import type { Address, PoolId } from '../../model/ids.ts';
import type { PoolDescription } from '../../model/pool.ts';
import type { TokenMetadata } from '../../model/token-metadata.ts';
import type { MarketReader } from '../../store/store.ts';
import type { BasePool, MarketState, TokenEntry } from '../state/market-state.ts';
import type { BalanceEntry, PositionEntry } from '../state/position-cache.ts';
import { compareAge } from './apply-pool-event.ts';
import { POOLS_COMPARED_MAX } from './examine-block.ts';

// Loads the positions that a batch of blocks trades in, and the balances to compare them with.

/** Requires that the pools and tokens of the blocks are loaded, except `created` ones. */
async function loadPositions(
  state: MarketState,
  source: { readonly reader: MarketReader; readonly chain: ChainSlug },
  of: {
    readonly blocks: readonly BlockEvents[];
    readonly created: ReadonlyMap<PoolId, Pick<PoolDescription, 'token0' | 'token1'>>;
    /** Gets the balances that are not in memory yet. */
    readonly balances: BalanceEntry[];
  },
): Promise<void> {
  const missing: PositionEntry[] = [];
  const { coin } = state.assets;
  for (const { events } of of.blocks) {
    for (const event of events) {
      if (event.kind !== 'swap') continue;
      const { pool, wallet } = event;
      const created = of.created.get(pool);
      const views =
        state.pools.get(pool)?.views ?? (created && listMarketViews(state.assets, created));
      for (const { base: token } of views ?? []) {
        if (token !== coin && state.balances.get(token, wallet) === undefined) {
          of.balances.push(state.adoptBalance(token, wallet));
        }
        if (state.positions.find(token, wallet) !== undefined) continue;
        const entry = state.positions.add(token, wallet);
        // A new token has no positions in the store.
        if (state.tokens.get(token)?.hasAllPositions === false) missing.push(entry);
      }
    }
  }
  if (missing.length === 0) return;
  for (const row of await source.reader.readPositions(source.chain, missing)) {
    state.positions.load(row);
  }
}

interface LoadSource {
  readonly reader: MarketReader;
  readonly adapter: ChainAdapter;
  /** A block that has all tokens, if it is recent; nodes keep the state of the last ones. */
  readonly block?: number | undefined;
  readonly signal?: AbortSignal;
}

/** What the blocks mention. */
interface Mentioned {
  readonly tokens: Set<Address>;
  readonly pools: Set<PoolId>;
  readonly swapped: Set<PoolId>;
  /** Pools whose changes need their ticks. */
  readonly ticked: Set<PoolId>;
  readonly created: Map<PoolId, { readonly token0: Address; readonly token1: Address }>;
  /** Balances that were not in memory. */
  readonly balances: BalanceEntry[];
}

function collect(state: MarketState, blocks: readonly BlockEvents[]): Mentioned {
  const mentioned: Mentioned = {
    tokens: new Set(),
    pools: new Set(state.assets.anchorPools),
    swapped: new Set(),
    ticked: new Set(),
    created: new Map(),
    balances: [],
  };
  const addBalance = (token: Address, owner: Address | null): void => {
    if (owner === null || state.balances.get(token, owner) !== undefined) return;
    mentioned.balances.push(state.adoptBalance(token, owner));
  };
  for (const { events } of blocks) {
    for (const event of events) {
      if (event.kind === 'transfer') {
        mentioned.tokens.add(event.token);
        if (event.amountRaw === 0n) continue;
        addBalance(event.token, event.from);
        addBalance(event.token, event.to);
      } else if (event.kind === 'poolCreated') {
        mentioned.pools.add(event.description.pool);
        mentioned.created.set(event.description.pool, event.description);
      } else {
        mentioned.pools.add(event.pool);
        if (event.kind === 'swap') mentioned.swapped.add(event.pool);
        const { change } = event;
        if (change !== null && kindOf({ kind: change.poolKind }).needsTicks(change)) {
          mentioned.ticked.add(event.pool);
        }
      }
    }
  }
  return mentioned;
}

async function loadPools(
  state: MarketState,
  source: LoadSource,
  mentioned: Mentioned,
): Promise<void> {
  const missing = [...mentioned.pools].filter((pool) => state.pools.get(pool) === undefined);
  if (missing.length > 0) {
    for (const row of await source.reader.readPools(source.adapter.chain, missing)) {
      state.adoptPool(row);
    }
  }
  for (const pool of mentioned.pools) {
    const tokens = state.pools.get(pool)?.row ?? mentioned.created.get(pool);
    if (tokens === undefined) continue;
    mentioned.tokens.add(tokens.token0).add(tokens.token1);
  }
}

/** The native coin has no contract with metadata. */
function buildNativeMetadata({ coin, coinUnit }: ChainAssets): TokenMetadata {
  const { symbol, decimals } = coinUnit;
  return { token: coin, symbol, name: symbol, decimals };
}

/** Reads stored tokens; metadata of unknown ones is read from the contracts. */
async function loadTokens(
  state: MarketState,
  source: LoadSource,
  tokens: Iterable<Address>,
  given: readonly TokenMetadata[] = [],
): Promise<void> {
  const { adapter, reader, block, signal } = source;
  const unknown = new Set<Address>();
  for (const token of tokens) {
    if (state.tokens.get(token) === undefined && !state.metadata.has(token)) unknown.add(token);
  }
  if (unknown.size === 0) return;
  for (const row of await reader.readTokens(adapter.chain, [...unknown])) {
    state.adoptToken(row);
    unknown.delete(row.token);
  }
  const { coin } = adapter.assets;
  if (unknown.delete(coin)) state.metadata.set(coin, buildNativeMetadata(adapter.assets));
  for (const metadata of given) {
    if (unknown.delete(metadata.token)) state.metadata.set(metadata.token, metadata);
  }
  if (unknown.size === 0) return;
  for (const metadata of await adapter.readTokenMetadata([...unknown], { block, signal })) {
    state.metadata.set(metadata.token, metadata);
    unknown.delete(metadata.token);
  }
  if (unknown.size > 0) throw new Error(`no metadata was returned for ${[...unknown].join(', ')}`);
}

/** The stored tokens that the blocks have trades of. */
function findTradedTokens(state: MarketState, mentioned: Mentioned): Set<TokenEntry> {
  const traded = new Set<TokenEntry>();
  for (const pool of mentioned.swapped) {
    const tokens = state.pools.get(pool)?.row ?? mentioned.created.get(pool);
    if (tokens === undefined) continue;
    for (const { base } of listMarketViews(state.assets, tokens)) {
      const entry = state.tokens.get(base);
      if (entry !== undefined) traded.add(entry);
    }
  }
  return traded;
}

/** Finds the pools of the traded tokens. */
async function findBasePools(
  state: MarketState,
  source: LoadSource,
  traded: ReadonlySet<TokenEntry>,
): Promise<void> {
  const missing = [...traded].filter(({ basePools }) => basePools === null);
  if (missing.length === 0) return;
  const { reader, adapter } = source;
  const plain = missing.filter(({ rank }) => rank === RANK_TOKEN).map(({ row }) => row.token);
  const ranked = missing.filter(({ rank }) => rank !== RANK_TOKEN).map(({ row }) => row.token);
  const rows = [
    ...(plain.length === 0 ? [] : await reader.readPoolsOfTokens(adapter.chain, plain)),
    ...(ranked.length === 0
      ? []
      : await reader.readPoolsOfTokens(adapter.chain, ranked, listRankedAssets(state.assets))),
  ];
  const poolsOfToken = new Map(missing.map(({ row }) => [row.token, [] as BasePool[]]));
  for (const row of rows) {
    const pool = state.pools.get(row.pool) ?? state.adoptPool(row);
    for (const { base } of pool.views) poolsOfToken.get(base)?.push(pool.row);
  }
  // The batch before may not be stored yet.
  for (const { row, views } of state.poolsToStore.values()) {
    for (const { base } of views) {
      const known = poolsOfToken.get(base);
      if (known?.every(({ pool }) => pool !== row.pool)) known.push(row);
    }
  }
  for (const entry of missing) {
    const pools = poolsOfToken.get(entry.row.token) ?? [];
    entry.basePools = pools
      .map(({ pool, createdBlock }) => ({ pool, createdBlock }))
      .sort(compareAge);
  }
}

/**
 * The pools of the traded tokens and the tokens on their other side; either may have been evicted.
 */
async function loadBasePools(
  state: MarketState,
  source: LoadSource,
  traded: ReadonlySet<TokenEntry>,
): Promise<void> {
  await findBasePools(state, source, traded);
  const pools = [...traded].flatMap(
    ({ basePools }) => basePools?.slice(0, POOLS_COMPARED_MAX).map(({ pool }) => pool) ?? [],
  );
  const missing = new Set(pools.filter((pool) => state.pools.get(pool) === undefined));
  if (missing.size > 0) {
    for (const row of await source.reader.readPools(source.adapter.chain, [...missing])) {
      state.adoptPool(row);
    }
  }
  const others = pools.flatMap(
    (pool) => state.pools.get(pool)?.views.map(({ quote }) => quote) ?? [],
  );
  await loadTokens(state, source, others);
}

/** Ticks are needed where liquidity changes, and where depths of pools are compared. */
async function loadTicks(
  state: MarketState,
  source: LoadSource,
  needed: { readonly mentioned: Mentioned; readonly traded: ReadonlySet<TokenEntry> },
): Promise<void> {
  const pools = new Set(needed.mentioned.ticked);
  const created = new Map<Address, number>();
  for (const [pool, tokens] of needed.mentioned.created) {
    if (state.pools.get(pool) !== undefined) continue;
    for (const { base } of listMarketViews(state.assets, tokens)) {
      created.set(base, (created.get(base) ?? 0) + 1);
    }
  }
  for (const { row, basePools } of needed.traded) {
    if (basePools === null || basePools.length + (created.get(row.token) ?? 0) < 2) continue;
    for (const { pool } of basePools.slice(0, POOLS_COMPARED_MAX)) pools.add(pool);
  }
  const missing = [...pools].flatMap((pool) => {
    const entry = state.pools.get(pool);
    return entry === undefined || entry.ticks !== null || !entry.row.complete ? [] : [entry];
  });
  const ticked = missing.filter(({ row }) => kindOf(row).hasTicks);
  for (const entry of missing) entry.ticks = new Map();
  if (ticked.length === 0) return;
  const ids = ticked.map(({ row }) => row.pool);
  for (const row of await source.reader.readTicks(source.adapter.chain, ids)) {
    state.pools.get(row.pool)?.ticks?.set(row.tick, { row: { ...row }, imagedBlock: -1 });
  }
}

async function loadBalances(
  state: MarketState,
  source: LoadSource,
  mentioned: Mentioned,
): Promise<void> {
  // A new token has no balances in the store.
  const keys = mentioned.balances
    .map(({ row }) => row)
    .filter(({ token }) => state.tokens.get(token)?.hasAllBalances === false);
  if (keys.length === 0) return;
  const { chain } = source.adapter;
  for (const row of await source.reader.readBalances(chain, keys)) state.loadBalance(row);
}

/** Those of the tokens that the index has. */
export async function findStoredTokens(
  state: MarketState,
  of: {
    readonly reader: MarketReader;
    readonly chain: ChainSlug;
    readonly tokens: readonly Address[];
  },
): Promise<ReadonlySet<Address>> {
  const isHere = (token: Address) => state.tokens.get(token) !== undefined;
  const elsewhere = of.tokens.filter((token) => !isHere(token));
  const rows = await of.reader.readTokens(of.chain, elsewhere);
  return new Set([...of.tokens.filter(isHere), ...rows.map(({ token }) => token)]);
}

/** Brings those of the tokens that the index has into memory, and returns them. */
export async function loadStoredTokens(
  state: MarketState,
  from: { readonly reader: MarketReader; readonly chain: ChainSlug },
  tokens: readonly Address[],
): Promise<TokenEntry[]> {
  const missing = tokens.filter((token) => state.tokens.get(token) === undefined);
  for (const row of await from.reader.readTokens(from.chain, missing)) state.adoptToken(row);
  return tokens.flatMap((token) => state.tokens.get(token) ?? []);
}

/** Brings pools into memory with their tokens, and the pools that give the USD price. */
export async function loadPoolRows(
  state: MarketState,
  source: LoadSource,
  pools: readonly PoolId[],
): Promise<void> {
  const mentioned = collect(state, []);
  for (const pool of pools) mentioned.pools.add(pool);
  await loadPools(state, source, mentioned);
  await loadTokens(state, source, mentioned.tokens);
}

/** The same for pools and tokens that may be new to the index. */
export async function loadDiscoveries(
  state: MarketState,
  source: LoadSource,
  found: {
    readonly discoveries: readonly Discovery[];
    /** Of the new tokens, as far as it was read already. */
    readonly metadata: readonly TokenMetadata[];
  },
): Promise<void> {
  const mentioned = collect(state, []);
  for (const { token, pools } of found.discoveries) {
    mentioned.tokens.add(token);
    for (const description of pools) {
      mentioned.pools.add(description.pool);
      mentioned.created.set(description.pool, description);
    }
  }
  await loadPools(state, source, mentioned);
  await loadTokens(state, source, mentioned.tokens, found.metadata);
}

/** After this `applyBlocks` finds everything that the blocks need. */
export async function loadState(
  state: MarketState,
  source: LoadSource,
  blocks: readonly BlockEvents[],
): Promise<void> {
  const mentioned = collect(state, blocks);
  await loadPools(state, source, mentioned);
  await loadTokens(state, source, mentioned.tokens);
  const traded = findTradedTokens(state, mentioned);
  await loadBasePools(state, source, traded);
  await loadTicks(state, source, { mentioned, traded });
  const { chain } = source.adapter;
  await loadPositions(state, { reader: source.reader, chain }, { blocks, ...mentioned });
  await loadBalances(state, source, mentioned);
}
