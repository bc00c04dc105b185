// Makes the trades of a token from before it was followed, newest first.
//
//   read older events of its pools ─▶ until the state of every pool before them is known
//     ─▶ rewind the pools to there ─▶ apply the events in order, by the code of the index itself
//
// The rows are those that an index from the first block would have. Two things cannot be known
// without the history of other tokens: what a token that is neither native nor stable was worth,
// and so the price of a trade against it (null), and whether its pool was deeper.

import { kindOf } from '../../amm/pool-kinds.ts';
import type { HistoryBlock } from '../../chains/chain-history.ts';
import {
  findRank,
  listMarketViews,
  listRankedAssets,
  RANK_TOKEN,
} from '../../chains/quote-rule.ts';
import type { BlockEvents, MarketEvent } from '../../model/block-events.ts';
import type { Address, PoolId } from '../../model/ids.ts';
import type { TokenRecord, TradeRecord } from '../../model/market-record.ts';
import type { PoolRecord } from '../../model/pool.ts';
import type { MarketReader } from '../../store/store.ts';
import { applyHistory } from '../apply/apply-blocks.ts';
import { compareAge } from '../apply/apply-pool-event.ts';
import { MarketState, type TickEntry } from '../state/market-state.ts';
import { BackfillError } from './backfill-error.ts';
import { findKnownFrom, type HistoryPool, moveBack, moveTicks } from './history-pool.ts';
import type { HistorySource } from './history-source.ts';

// The events of the chain's anchor pools around the trades that they price: those of the trades'
// own blocks, and the last one before.
//
// An anchor is the busiest pool of its chain, so its whole history is never read: only the blocks
// near trades are, further back where it was quiet.

/** Trades closer than this share one reading. */
const CLUSTER_BLOCKS = 128;
const LOOKBACK_BLOCKS = 32;
const LOOKBACK_GROWTH = 8;

interface Cluster {
  readonly fromBlock: number;
  readonly toBlock: number;
}

function clusterBlocks(blocks: readonly number[]): Cluster[] {
  const clusters: Cluster[] = [];
  for (const block of blocks) {
    const last = clusters.at(-1);
    if (last !== undefined && block - last.toBlock <= CLUSTER_BLOCKS) {
      clusters[clusters.length - 1] = { ...last, toBlock: block };
    } else {
      clusters.push({ fromBlock: block, toBlock: block });
    }
  }
  return clusters;
}

class AnchorHistory {
  readonly #source: HistorySource;
  /** Blocks before which an anchor has no event. */
  readonly #floors = new Map<PoolId, number>();

  constructor(source: HistorySource) {
    this.#source = source;
  }

  /**
   * What prices the trades of these blocks, ascending. Anchors are best first; the next one is read
   * only where the ones before it did not exist yet.
   */
  async read(blocks: readonly number[], anchors: readonly PoolRecord[]): Promise<HistoryBlock[]> {
    const read: HistoryBlock[] = [];
    let clusters = clusterBlocks(blocks);
    for (const anchor of anchors) {
      const unpriced: Cluster[] = [];
      for (const cluster of clusters) {
        const found = await this.#readCluster(anchor, cluster);
        read.push(...found);
        const isPriced = found.some(({ header }) => header.position < cluster.fromBlock);
        if (!isPriced) unpriced.push(cluster);
      }
      clusters = unpriced;
      if (clusters.length === 0) break;
    }
    return read;
  }

  async #readCluster(anchor: PoolRecord, cluster: Cluster): Promise<HistoryBlock[]> {
    const floor = await this.#findFloor(anchor, cluster.toBlock);
    const { fromBlock, toBlock } = cluster;
    if (toBlock < floor) return [];
    const found: HistoryBlock[] = [];
    let lookback = LOOKBACK_BLOCKS;
    let low = Math.max(floor, fromBlock - lookback);
    found.push(...(await this.#readAll(anchor, { fromBlock: low, toBlock })));
    while (low > floor && !found.some(({ header }) => header.position < fromBlock)) {
      lookback *= LOOKBACK_GROWTH;
      const next = Math.max(floor, low - lookback);
      found.push(...(await this.#readAll(anchor, { fromBlock: next, toBlock: low - 1 })));
      low = next;
    }
    const first = found.reduce((min, { header }) => Math.min(min, header.position), toBlock + 1);
    // Nothing down to the floor: nothing before the first event either.
    if (low === floor && first >= fromBlock) this.#floors.set(anchor.pool, first);
    return found;
  }

  async #findFloor(anchor: PoolRecord, toBlock: number): Promise<number> {
    const known = this.#floors.get(anchor.pool);
    if (known !== undefined) return known;
    const floor = (await this.#source.findFirstBlock(anchor.vault, toBlock)) ?? 0;
    this.#floors.set(anchor.pool, floor);
    return floor;
  }

  async #readAll(anchor: PoolRecord, range: Cluster): Promise<HistoryBlock[]> {
    const found: HistoryBlock[] = [];
    let { toBlock } = range;
    while (toBlock >= range.fromBlock) {
      const reading = await this.#source.readPoolEvents({
        ...{ pools: [anchor], fromBlock: range.fromBlock, toBlock, detail: 'states' },
      });
      found.push(...reading.blocks);
      toBlock = reading.fromBlock - 1;
    }
    return found;
  }
}

/** Where the reading stands: the trades from `nextBlock` on are made. */
export interface HistoryPlace {
  readonly nextBlock: number;
  readonly pools: readonly HistoryPool[];
}

interface HistoryStep extends HistoryPlace {
  /** In chain order. */
  readonly trades: readonly TradeRecord[];
  /** The archive that gave blocks of it; null if nodes gave all. */
  readonly archive: string | null;
}

/** The pools' states where the history ends; `wait` while one is not adopted yet. */
type FirstPlace =
  | { readonly kind: 'ready'; readonly pools: readonly HistoryPool[] }
  | { readonly kind: 'wait'; readonly incomplete: readonly PoolId[] };

interface HistoryEnd {
  /** All pools have it. */
  readonly token: Address;
  /** The first block after the history. */
  readonly toBlock: number;
  readonly finalizedBlock: number;
  /** If not, pools that are not adopted count as they are. */
  readonly mayWait: boolean;
}

/** More pools than any honest token has: their depths are compared at each trade. */
const POOL_COUNT_MAX = 100;
/** Events kept in memory while the state of a pool is looked for. */
const EVENT_COUNT_MAX = 50_000;

export class TradeHistory {
  readonly #source: HistorySource;
  readonly #reader: MarketReader;
  readonly #anchors: AnchorHistory;

  constructor(source: HistorySource, reader: MarketReader) {
    this.#source = source;
    this.#reader = reader;
    this.#anchors = new AnchorHistory(source);
  }

  /** The pools that the token is traded in. */
  async findPools(token: Address): Promise<PoolRecord[]> {
    const { chain, assets } = this.#source.adapter;
    const isPlain = findRank(assets, token) === RANK_TOKEN;
    const against = isPlain ? undefined : listRankedAssets(assets);
    const rows = await this.#reader.readPoolsOfTokens(chain, [token], against);
    const pools = rows.filter((row) =>
      listMarketViews(assets, row).some(({ base }) => base === token),
    );
    if (pools.length > POOL_COUNT_MAX) throw new BackfillError('the token has too many pools');
    return pools.sort(compareAge);
  }

  /** Where a job begins. */
  async begin(rows: readonly PoolRecord[], at: HistoryEnd): Promise<FirstPlace> {
    // Depths are compared between pools, so the ticks of a single one do not matter.
    const isCompared = rows.length > 1;
    const incomplete = rows.filter((row) => !row.complete && kindOf(row).hasTicks);
    if (isCompared && incomplete.length > 0 && at.mayWait) {
      return { kind: 'wait', incomplete: incomplete.map(({ pool }) => pool) };
    }
    const pools: HistoryPool[] = [];
    for (const row of rows) {
      const isRead = isCompared && kindOf(row).hasTicks && row.complete;
      const ticks = isRead ? await this.#readFirstTicks(row, at) : null;
      if (ticks === 'wait') return { kind: 'wait', incomplete: [] };
      pools.push({ row, bornBlock: null, known: null, ticks });
    }
    return { kind: 'ready', pools: await this.#findBirths(pools, at) };
  }

  /** Whether the pool may have had events before a block. */
  async isOlder({ vault }: PoolRecord, toBlock: number): Promise<boolean> {
    const firstBlock = await this.#source.findFirstBlock(vault, toBlock - 1);
    return firstBlock === null || firstBlock < toBlock;
  }

  /** A vault may be far older than a pool that it keeps, but no pool is older than its token. */
  async #findBirths(
    pools: readonly HistoryPool[],
    { token, toBlock }: HistoryEnd,
  ): Promise<HistoryPool[]> {
    const births = new Map<Address, number | null>();
    const isKept = ({ pool, vault }: PoolRecord) => String(pool) !== vault;
    const keptOf = pools.some(({ row }) => isKept(row)) ? [token] : [];
    for (const contract of [...pools.map(({ row }) => row.vault), ...keptOf]) {
      if (births.has(contract)) continue;
      births.set(contract, await this.#source.findFirstBlock(contract, toBlock));
    }
    const findBirth = (row: PoolRecord): number | null => {
      const [ofVault = null, ofToken = null] = [births.get(row.vault), births.get(token)];
      if (ofVault === null || ofToken === null || !isKept(row)) return ofVault;
      return Math.max(ofVault, ofToken);
    };
    return pools.map((pool) => ({ ...pool, bornBlock: findBirth(pool.row) }));
  }

  /**
   * The trades of older blocks, at least down to the next one whose pools' states are known; none
   * are older than the oldest pool.
   */
  async step(token: Address, from: HistoryPlace): Promise<HistoryStep> {
    let place = from;
    const bottomBlock = findBottom(place);
    const descriptions = place.pools.map(({ row }) => row);
    let blocks: readonly HistoryBlock[] = [];
    let fromBlock = place.nextBlock;
    let archive: string | null = null;
    for (;;) {
      const isBottom = fromBlock <= bottomBlock;
      const cut = this.#findCut(place, blocks, { fromBlock, isBottom });
      if (cut !== null && (cut < place.nextBlock || isBottom)) {
        const pools = place.pools.map((pool) => moveBack(pool, blocks, { cut, isBottom }));
        const newer = blocks.filter(({ header }) => header.position >= cut);
        const trades = await this.#replay(token, pools, newer);
        return { nextBlock: cut, pools, trades, archive };
      }
      if (blocks.reduce((sum, { logs }) => sum + logs.length, 0) > EVENT_COUNT_MAX) {
        throw new BackfillError('the state of one of its pools is too far back');
      }
      const reading = await this.#source.readPoolEvents({
        pools: descriptions,
        fromBlock: bottomBlock,
        toBlock: fromBlock - 1,
        detail: 'trades',
      });
      blocks = [...reading.blocks, ...blocks];
      fromBlock = reading.fromBlock;
      archive = reading.archive ?? archive;
      place = { ...place, pools: await this.#askStates(place.pools, blocks, fromBlock) };
    }
  }

  /** A pool that was quiet for long: its contract knows, if a node has its old states. */
  async #askStates(
    pools: readonly HistoryPool[],
    blocks: readonly HistoryBlock[],
    fromBlock: number,
  ): Promise<readonly HistoryPool[]> {
    const isQuiet = (pool: HistoryPool) => findKnownFrom(pool, blocks, fromBlock) === null;
    const quiet = pools.length === 1 ? [] : pools.filter(isQuiet);
    if (quiet.length === 0 || fromBlock === 0) return pools;
    const states = await this.#source.readPoolStates(
      quiet.map(({ row }) => row),
      fromBlock - 1,
    );
    return pools.map((pool) => {
      const state = states.get(pool.row.pool);
      if (state === undefined || !quiet.includes(pool)) return pool;
      const whole = { ...kindOf(pool.row).stateAtStart, ...state };
      return { ...pool, known: { state: whole, since: fromBlock - 1 } };
    });
  }

  /** The block from which on everything is known that trades depend on; null if there is none. */
  #findCut(
    { pools }: HistoryPlace,
    blocks: readonly HistoryBlock[],
    read: { readonly fromBlock: number; readonly isBottom: boolean },
  ): number | null {
    const { fromBlock, isBottom } = read;
    if (pools.length === 1 || isBottom) return fromBlock;
    let cut = fromBlock;
    for (const pool of pools) {
      const known = findKnownFrom(pool, blocks, fromBlock);
      if (known === null) return null;
      cut = Math.max(cut, known);
    }
    return cut;
  }

  /** The ticks where the history ends, from those of the adoption or of the creation. */
  async #readFirstTicks(row: PoolRecord, at: HistoryEnd) {
    const adoption = await this.#reader.readAdoption(this.#source.adapter.chain, row.pool);
    if (adoption !== null && adoption.block > at.finalizedBlock && at.mayWait) return 'wait';
    let ticks: NonNullable<HistoryPool['ticks']> = new Map(
      adoption?.ticks.map(({ tick, liquidityGross, liquidityNet }) => [
        tick,
        { gross: liquidityGross, net: liquidityNet },
      ]),
    );
    // Without an adoption its creation was indexed: before that it had none.
    const block = adoption?.block ?? row.createdBlock - 1;
    const isBack = block >= at.toBlock;
    const direction = isBack ? 'back' : 'forward';
    const low = isBack ? at.toBlock : block + 1;
    let toBlock = isBack ? block : at.toBlock - 1;
    // Created later: none of it is in the history.
    if (adoption === null && isBack) return new Map();
    while (toBlock >= low) {
      const query = { pools: [row], fromBlock: low, toBlock, detail: 'states' } as const;
      const { blocks, fromBlock } = await this.#source.readPoolEvents(query);
      ticks = moveTicks(ticks, blocks, { pool: row.pool, direction });
      toBlock = fromBlock - 1;
    }
    return ticks;
  }

  async #replay(
    token: Address,
    pools: readonly HistoryPool[],
    blocks: readonly HistoryBlock[],
  ): Promise<TradeRecord[]> {
    const own = new Set(pools.map(({ row }) => row.pool));
    const traded = blocks.filter(({ logs }) =>
      logs.some(({ events }) =>
        events.some((event) => event.kind === 'swap' && own.has(event.pool)),
      ),
    );
    if (traded.length === 0) return [];
    const { chain, assets } = this.#source.adapter;
    const found = await this.#reader.readPools(chain, assets.anchorPools);
    // Of the native coin's own pools all is read already.
    const others = assets.anchorPools.filter((id) => !own.has(id));
    const anchors = others.flatMap((id) => found.find(({ pool }) => pool === id) ?? []);
    const positions = traded.map(({ header }) => header.position);
    const priced = await this.#anchors.read(positions, anchors);
    const state = await this.#prepareState(token, { pools, anchors });
    applyHistory(state, mergeBlocks(blocks, priced));
    const { trades } = state.takeChanges();
    return trades
      .filter((trade) => trade.token === token)
      .map((trade) =>
        findRank(assets, trade.quoteToken) === RANK_TOKEN ? withoutPrice(trade) : trade,
      );
  }

  /** The rows as they were before the first block, as far as trades depend on them. */
  async #prepareState(
    token: Address,
    rows: { readonly pools: readonly HistoryPool[]; readonly anchors: readonly PoolRecord[] },
  ): Promise<MarketState> {
    const { chain, assets } = this.#source.adapter;
    const state = new MarketState(assets);
    const all = [...rows.pools.map(({ row }) => row), ...rows.anchors];
    const tokens = new Set([token, ...all.flatMap(({ token0, token1 }) => [token0, token1])]);
    for (const row of await this.#reader.readTokens(chain, [...tokens])) {
      state.adoptToken(withoutHistory(row));
    }
    for (const { row, known, ticks } of rows.pools) {
      const { hasTicks, stateAtStart } = kindOf(row);
      const complete = ticks !== null || !hasTicks;
      const entry = state.adoptPool({
        ...row,
        ...{ state: known?.state ?? stateAtStart, complete, liquidityUsdE18: null },
      } as PoolRecord);
      entry.ticks = new Map(
        Array.from(ticks ?? [], ([tick, { gross, net }]): [number, TickEntry] => {
          const { pool } = row;
          const values = { liquidityGross: gross, liquidityNet: net };
          return [tick, { row: { pool, tick, ...values }, imagedBlock: -1 }];
        }),
      );
    }
    for (const row of rows.anchors) {
      const { stateAtStart } = kindOf(row);
      const start = { state: stateAtStart, complete: false, liquidityUsdE18: null };
      const entry = state.adoptPool({ ...row, ...start } as PoolRecord);
      entry.ticks = new Map();
    }
    const own = state.tokens.get(token);
    if (own === undefined) throw new BackfillError('the token is not stored');
    own.basePools = rows.pools.map(({ row }) => row).sort(compareAge);
    return state;
  }
}

/** The first block in which one of the pools may have an event. */
export function findBottom({ nextBlock, pools }: HistoryPlace): number {
  return Math.min(nextBlock, ...pools.map(({ bornBlock }) => bornBlock ?? 0));
}

/** Prices of later trades must not price earlier ones. */
function withoutHistory(row: TokenRecord): TokenRecord {
  const nothing = { priceNative: null, priceUsd: null, lastTradeAtMs: null };
  return { ...row, ...nothing, liquidityUsdE18: null, pairedPool: null, pairedUsdE18: null };
}

/** What the other token was worth then is not known; without a price nothing is an outlier. */
function withoutPrice(trade: TradeRecord): TradeRecord {
  const nothing = { priceNative: null, priceUsd: null, valueNative: null, valueUsd: null };
  return { ...trade, ...nothing, outlier: false };
}

/** Both in log order; a log that is in both counts once. */
function mergeBlocks(
  blocks: readonly HistoryBlock[],
  priced: readonly HistoryBlock[],
): BlockEvents[] {
  const merged = new Map<
    number,
    { block: HistoryBlock; logs: Map<number, readonly MarketEvent[]> }
  >();
  for (const block of [...blocks, ...priced]) {
    const { position } = block.header;
    const entry = merged.get(position) ?? { block, logs: new Map() };
    merged.set(position, entry);
    for (const { logIndex, events } of block.logs) {
      if (!entry.logs.has(logIndex)) entry.logs.set(logIndex, events);
    }
  }
  return [...merged.values()]
    .sort((a, b) => a.block.header.position - b.block.header.position)
    .map(({ block, logs }) => ({
      header: block.header,
      events: [...logs].sort(([a], [b]) => a - b).flatMap(([, events]) => events),
    }));
}
