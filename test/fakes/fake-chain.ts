// A chain in memory, with branches, and an adapter to it that misbehaves on demand.

import type {
  BlockRange,
  BlockRangeReading,
  ChainAdapter,
  ChainHead,
  PoolPageQuery,
  PoolPageReading,
  PoolStateQuery,
  PoolStateReading,
  TokenFinding,
  TokenQuery,
  TokenSupply,
} from '../../src/chains/adapter.ts';
import type { BlockEvents, MarketEvent } from '../../src/model/block-events.ts';
import type { BlockHeader } from '../../src/model/block-header.ts';
import type { ChainSlug } from '../../src/model/chain.ts';
import type { Address, PoolId } from '../../src/model/ids.ts';
import type { PoolDescription } from '../../src/model/pool.ts';
import type { TokenMetadata } from '../../src/model/token-metadata.ts';
import type { TokenNotice } from '../../src/model/token-notice.ts';
import { address } from '../test-ids.ts';
import { createRandom } from './create-random.ts';
import { createFaults, type Faults } from './fake-faults.ts';
import { announcePools, filterBlocks } from './fake-filter.ts';
import { FakeHistory } from './fake-history.ts';
import {
  createFakeWorld,
  FAKE_ASSETS,
  type FakeMarketOptions,
  type FakeWorld,
  listFakeTicks,
  makeFakeEvents,
  readFakePoolState,
} from './fake-market.ts';

interface FakeBlock {
  readonly events: BlockEvents;
  /** The market after the block. */
  readonly world: FakeWorld;
}

export interface FakeChainOptions {
  readonly seed: number;
  /** How far finality is behind the head. */
  readonly finalityDepth: number;
  readonly eventCountMax?: number;
  /** Times that go back: never, by half a minute at times (default), or often by ten minutes. */
  readonly clock?: 'steady' | 'uneven' | 'wild';
  /** Whether the creation of every pool is read; otherwise some are older than the index. */
  readonly seenWhole?: boolean;
  /** The time from each block to the next, where it is always the same. */
  readonly blockMs?: number;
  /** Whether some positions have no block, as skipped slots do; now and then hundreds in a row. */
  readonly gaps?: boolean;
  /** What there is to trade; eight tokens and forty pools by default. */
  readonly market?: FakeMarketOptions;
  /** A token whose contract gives neither symbol nor name. */
  readonly namelessToken?: Address;
}

export class FakeChain {
  readonly #options: FakeChainOptions;
  readonly #random: () => number;
  #blocks: FakeBlock[] = [];
  #finalized = 0;
  /** A new branch continues above the old head's position: slots follow the clock. */
  #positionMin = 0;
  #hashes = 0;

  get namelessToken(): Address | null {
    return this.#options.namelessToken ?? null;
  }

  constructor(options: FakeChainOptions) {
    this.#options = options;
    this.#random = createRandom(options.seed);
    this.extend(1);
  }

  get head(): BlockHeader {
    return this.#blocks.at(-1)!.events.header;
  }

  get finalized(): number {
    return this.#finalized;
  }

  /** The block at a position, or the next one below; null beyond the head. */
  header(position: number): BlockHeader | null {
    if (position > this.head.position) return null;
    const block = this.#blocks.findLast(({ events }) => events.header.position <= position);
    return block?.events.header ?? null;
  }

  /** The header this many blocks below the head, or the first. */
  headerBelow(count: number): BlockHeader {
    return this.#blocks[Math.max(0, this.#blocks.length - 1 - count)]!.events.header;
  }

  blocks(fromBlock: number, toBlock: number): BlockEvents[] {
    return this.#blocks
      .map(({ events }) => events)
      .filter(({ header }) => header.position >= fromBlock && header.position <= toBlock);
  }

  /** Null where the block was reorganised away. */
  findWorld(hash: string): FakeWorld | null {
    return this.#blocks.find(({ events }) => events.header.hash === hash)?.world ?? null;
  }

  worldAt(hash: string): FakeWorld {
    const world = this.findWorld(hash);
    if (world === null) throw new Error('the state of that block is gone');
    return world;
  }

  /** How many blocks are older than the one before. */
  get stepsBack(): number {
    const times = this.#blocks.map(({ events }) => events.header.timestampMs);
    return times.filter((timeMs, index) => timeMs < times[index - 1]!).length;
  }

  /** How many positions up to the head have no block. */
  get skipped(): number {
    return this.head.position + 1 - this.#blocks.length;
  }

  /** Mines blocks; `events` and `stepMs` are those of the first one, instead of random ones. */
  extend(count: number, events?: readonly MarketEvent[], stepMs?: number): void {
    for (let index = 0; index < count; index += 1) {
      this.#mine(index === 0 ? events : undefined, index === 0 ? stepMs : undefined);
    }
    const final = this.headerBelow(this.#options.finalityDepth).position;
    this.#finalized = Math.max(this.#finalized, final);
  }

  /** The next block is at this position. */
  skipTo(position: number): void {
    this.#positionMin = position;
  }

  /** Replaces the last blocks; never final ones. Returns the real depth. */
  reorganise(depth: number, replacements: number): number {
    const removed = Math.min(depth, this.blocks(this.#finalized + 1, this.head.position).length);
    const { position } = this.head;
    this.#blocks = this.#blocks.slice(0, this.#blocks.length - removed);
    this.extend(replacements - 1);
    if (this.#options.gaps === true) this.#positionMin = position;
    this.extend(1);
    return removed;
  }

  /** Drops blocks, final or not, like a node restored from an old backup. */
  setBack(count: number): void {
    this.#blocks = this.#blocks.slice(0, this.#blocks.length - count);
  }

  /** How many positions to skip after the last block. */
  #rollSkipped(parent: FakeBlock | undefined): number {
    if (this.#options.gaps !== true || parent === undefined) return 0;
    const roll = this.#random();
    if (roll < 0.6) return 0;
    return roll < 0.97 ? Math.ceil((roll - 0.6) * 20) : 450;
  }

  /** From the time of the last block to that of the next one. */
  #rollStepMs(parent: FakeBlock | undefined): number {
    const { clock = 'uneven' } = this.#options;
    const roll = this.#random();
    if (clock === 'uneven' && roll < 0.03) return -30_000;
    const isWild = clock === 'wild' && parent !== undefined;
    const behindMs = isWild ? this.#newestMs() - parent.events.header.timestampMs : 0;
    if (isWild && roll < 0.25) return behindMs - Math.round((roll * 4) ** 3 * 600_000);
    // Some blocks share their second with the one before; some follow a rest.
    if (roll < 0.2) return 0;
    return behindMs + (roll < 0.95 ? 1000 + Math.floor(roll * 20_000) : 7_200_000);
  }

  #newestMs(): number {
    return Math.max(...this.#blocks.map(({ events }) => events.header.timestampMs));
  }

  #mine(given?: readonly MarketEvent[], givenStepMs?: number): void {
    const parent = this.#blocks.at(-1);
    const world = structuredClone(
      parent?.world ?? createFakeWorld(this.#options.seenWhole ?? false, this.#options.market),
    );
    const events =
      given ??
      makeFakeEvents(world, this.#random, {
        countMax: this.#options.eventCountMax ?? 12,
        number: this.#blocks.length,
      });
    this.#hashes += 1;
    const next = (parent?.events.header.position ?? -1) + 1 + this.#rollSkipped(parent);
    const position = Math.max(next, this.#positionMin);
    const stepMs = givenStepMs ?? this.#options.blockMs ?? this.#rollStepMs(parent);
    this.#blocks.push({
      world,
      events: {
        header: {
          position,
          hash: `0xblock${this.#hashes}-${this.#options.seed}`,
          parentPosition: parent?.events.header.position ?? -1,
          parentHash: parent?.events.header.hash ?? '0x0',
          timestampMs: (parent?.events.header.timestampMs ?? 1_700_000_000_000) + stepMs,
        },
        events,
      },
    });
  }
}

const FAKE_TICK_MAX = 5_000;

/** One for each block that was searched. */
function buildNotice({ header }: BlockEvents): TokenNotice {
  return { kind: 'event', token: address(header.hash), topics: [], isAdmin: false };
}

export class FakeAdapter implements ChainAdapter {
  chain: ChainSlug = 'devnet';
  readonly assets = FAKE_ASSETS;
  readonly faults: Faults;
  readonly history: FakeHistory;
  /** May be replaced by another chain. */
  source: FakeChain;
  /** Pools that were created below this block are older than the index. */
  startBlock = 0;
  /** Pools that no lookup finds. */
  readonly hiddenPools = new Set<PoolId>();
  /** How many ticks a page of a pool covers. */
  pageWidth = 1200;
  /** How many requests a page takes. */
  pageCalls = 3;

  constructor(chain: FakeChain, faults: Faults = createFaults()) {
    this.source = chain;
    this.faults = faults;
    this.history = new FakeHistory({
      findChain: () => this.source,
      beforeRequest: (method) => this.#request(method),
    });
  }

  async readHead(): Promise<ChainHead> {
    this.#request('readHead');
    const latest = this.faults.alterHeader(this.source.headerBelow(this.faults.lag));
    return { latest, finalizedBlock: Math.min(this.source.finalized, latest.position) };
  }

  async readHeader(position: number): Promise<BlockHeader | null> {
    this.#request('readHeader');
    if (position > this.source.headerBelow(this.faults.lag).position) return null;
    const header = this.source.header(position);
    return header === null ? null : this.faults.alterHeader(header);
  }

  async readAgreedHeader(position: number): Promise<BlockHeader | null> {
    return this.faults.agrees ? await this.readHeader(position) : null;
  }

  async readBlocks(range: BlockRange): Promise<BlockRangeReading> {
    this.#request('readBlocks');
    const all = this.source.blocks(range.fromBlock, range.toBlock);
    if (range.toBlock > this.source.head.position) throw new Error('no such block');
    const taken: BlockEvents[] = [];
    let count = 0;
    for (const block of all) {
      taken.push(block);
      count += block.events.length;
      if (count >= (range.eventCountMax ?? Number.POSITIVE_INFINITY)) break;
      if (taken.length === range.blockCountMax) break;
    }
    return {
      blocks: this.#send(
        taken.filter(({ events }) => events.length > 0),
        range,
      ),
      headers: range.linked ? taken.map(({ header }) => this.faults.alterHeader(header)) : [],
      toBlock: taken.length < all.length ? taken.at(-1)!.header.position : range.toBlock,
      blockCount: taken.length,
      notices: range.linked || range.searched ? taken.map(buildNotice) : null,
    };
  }

  async readTokenMetadata(tokens: readonly Address[]): Promise<TokenMetadata[]> {
    this.#request('readTokenMetadata');
    return tokens.map((token) => {
      if (this.faults.isNameHidden(token)) {
        return { token, symbol: null, name: null, decimals: null };
      }
      const seed = Number.parseInt(token.slice(-2), 16);
      const decimals = seed === 7 ? null : [18, 6, 0, 8, 9][seed % 5]!;
      const isNameless = token === this.source.namelessToken;
      const texts = isNameless
        ? { symbol: null, name: null }
        : { symbol: `T${seed}`, name: `Token ${seed}` };
      return { token, ...texts, decimals };
    });
  }

  async readSupplies(tokens: readonly Address[], block: BlockHeader): Promise<TokenSupply[]> {
    this.#request('readSupplies');
    const { supplies } = this.source.worldAt(block.hash);
    return tokens.map((token) => ({ token, supplyRaw: supplies.get(token) ?? 0n }));
  }

  async readBalances(
    keys: readonly { readonly token: Address; readonly owner: Address }[],
    block: BlockHeader,
  ): Promise<(bigint | null)[]> {
    this.#request('readBalances');
    const { balances } = this.source.worldAt(block.hash);
    return keys.map(({ token, owner }) => balances.get(token + owner) ?? 0n);
  }

  async readPoolStates(
    queries: readonly PoolStateQuery[],
    block: BlockHeader,
  ): Promise<PoolStateReading[]> {
    this.#request('readPoolStates');
    const { pools } = this.source.worldAt(block.hash);
    return queries.flatMap((query) => {
      const pool = pools.find(({ description }) => description.pool === query.description.pool);
      return pool === undefined ? [] : [readFakePoolState(pool, query.ticks)];
    });
  }

  async readPoolPage(
    query: PoolPageQuery,
    block: Pick<BlockHeader, 'position' | 'hash'>,
  ): Promise<PoolPageReading> {
    this.#request('readPoolPage');
    const callCount = this.pageCalls;
    const world = this.source.findWorld(block.hash);
    const oldest = this.source.headerBelow(this.faults.statesKept - 1);
    if (world === null || block.position < oldest.position) return { kind: 'blockGone', callCount };
    const pool = world.pools.find(({ description }) => description.pool === query.description.pool);
    if (pool === undefined) return { kind: 'noAnswer', callCount };
    const { covered, pageWidth } = { covered: query.covered, pageWidth: this.pageWidth };
    const half = Math.floor(pageWidth / 2);
    const lower = (covered?.lower ?? pool.tick) - half;
    const upper = (covered?.upper ?? pool.tick) + half;
    const isNew = (tick: number) =>
      tick >= lower &&
      tick <= upper &&
      !(covered !== null && tick >= covered.lower && tick <= covered.upper);
    const ticks = listFakeTicks(pool).filter(isNew);
    const reading = readFakePoolState(pool, ticks);
    const page = {
      state: reading.state,
      feePips: null,
      ticks: reading.ticks.filter(({ tick }) => !this.faults.isTickHidden(tick)),
      covered: { lower, upper },
      isLast: lower < -FAKE_TICK_MAX && upper > FAKE_TICK_MAX,
    };
    return { kind: 'page', page, callCount };
  }

  /** Every pool of the token that exists at the block. */
  async findToken(
    { token, searchedFrom }: TokenQuery,
    block: Pick<BlockHeader, 'position' | 'hash'>,
  ): Promise<TokenFinding> {
    this.#request('findToken');
    const world = this.source.findWorld(block.hash);
    const callCount = 1;
    if (world === null) return { kind: 'blockGone', callCount };
    const [metadata] = await this.readTokenMetadata([token]);
    if (!world.supplies.has(token) || metadata === undefined) return { kind: 'noToken', callCount };
    const isFound = ({ pool, token0, token1 }: PoolDescription) =>
      [token0, token1].includes(token) && !this.hiddenPools.has(pool);
    const pools = world.pools.map(({ description }) => description).filter(isFound);
    return { kind: 'token', metadata, pools, searchedFrom, callCount };
  }

  async close(): Promise<void> {}

  /** Pools from before the start are announced before their first event, in every range. */
  #send(blocks: readonly BlockEvents[], range: BlockRange): readonly BlockEvents[] {
    const { pools } = this.source.worldAt(this.source.head.hash);
    const find = (pool: PoolId) =>
      pools.find(({ description }) => description.pool === pool)?.description;
    if (range.only !== undefined || range.describesPools) return filterBlocks(blocks, range, find);
    if (this.startBlock === 0) return blocks;
    const created = new Set<PoolId>();
    for (const { events } of this.source.blocks(this.startBlock, this.source.head.position)) {
      for (const event of events) {
        if (event.kind === 'poolCreated') created.add(event.description.pool);
      }
    }
    return announcePools(blocks, (pool) => (created.has(pool) ? undefined : find(pool)));
  }

  #request(method: string): void {
    this.faults.beforeRequest(method);
  }
}
