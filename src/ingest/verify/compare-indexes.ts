// Compares every row of two indexes of one chain: the stored one and a rebuilt one.

import { kindOf } from '../../amm/pool-kinds.ts';
import type { ChainSlug } from '../../model/chain.ts';
import type { PoolId } from '../../model/ids.ts';
import type { TokenRecord, TradeRecord } from '../../model/market-record.ts';
import type { PoolDescription, PoolRecord } from '../../model/pool.ts';
import type { PositionRecord, TradeFigures } from '../../model/position.ts';
import type { MarketReader, MarketScanner } from '../../store/store.ts';
import type { HeldRows } from './held-rows.ts';
import type { VerifyReport } from './verify-report.ts';

type Index = MarketReader & MarketScanner;

/** Skips rows that the stored index does not answer for. */
async function* scanHeld<Row>(
  scan: AsyncIterable<readonly Row[]>,
  isHeld: (row: Row) => boolean,
): AsyncGenerator<readonly Row[]> {
  for await (const rows of scan) yield rows.filter(isHeld);
}

interface Indexes {
  readonly stored: Index;
  readonly expected: Index;
  /** What the stored index answers for now. */
  readonly held: HeldRows;
  /** Whether positions count all trades since the index began: not if they were added later. */
  readonly hasAllPositions: boolean;
  /** Moves both to a later commit, now and then; between two pages. */
  moveOn(): Promise<void>;
}

/** How one kind of row is walked, found by key and named. */
interface RowKind<Row> {
  readonly name: string;
  scan(index: Index): AsyncIterable<readonly Row[]>;
  find(index: Index, rows: readonly Row[]): Promise<readonly Row[]>;
  toKey(row: Row): string;
  toComparable(row: Row): object;
}

/** Supplies depend on when they were read; they are compared with the contracts instead. */
function toComparableToken(row: TokenRecord, held: HeldRows): object {
  const { supplyRaw, supplyBlock, supplyBalanceSumRaw, ...rest } = row;
  if (held.hasBalances(row.token)) return rest;
  const { balanceSumRaw, holders, firstSeenBlock, firstSeenAtMs, ...others } = rest;
  return others;
}

/** A pool's terms and state field by field, so that a difference names the field. */
function flatten({ terms, state, ...shared }: PoolRecord): object {
  const kind = kindOf(shared);
  return { ...shared, terms: kind.encodeTerms(terms), ...state };
}

/** What is held and how often it was traded, whatever that was worth. */
function countPosition({ boughtRaw, otherRaw, older, periods, ...row }: PositionRecord): object {
  const toText = ({ buys, sells }: TradeFigures) => `${buys} ${sells}`;
  const { firstTradeAtMs, lastTradeAtMs } = row;
  const counts = [older, ...periods].map(toText).join(', ');
  return { firstTradeAtMs, lastTradeAtMs, heldRaw: boughtRaw + otherRaw, counts };
}

/** Its trades by time as one text. */
function flattenPosition({ older, periods, ...fields }: PositionRecord): object {
  const toText = ({ volumeUsdE6, realisedUsdE6, buys, sells }: TradeFigures) =>
    `${volumeUsdE6} ${realisedUsdE6} ${buys} ${sells}`;
  const figures = periods.map((one) => `${one.length} ${one.startMs} ${toText(one)}`);
  return { ...fields, figures: [toText(older), ...figures].join(', ') };
}

/** Both are at the same commit while a page is compared, and may move on after it. */
async function compareKind<Row>(
  indexes: Pick<Indexes, 'stored' | 'expected' | 'moveOn'>,
  kind: RowKind<Row>,
  report: VerifyReport,
): Promise<void> {
  const { stored, expected } = indexes;
  let storedCount = 0;
  for await (const rows of kind.scan(stored)) {
    storedCount += rows.length;
    const found = new Map<string, Row>();
    for (const row of await kind.find(expected, rows)) found.set(kind.toKey(row), row);
    for (const row of rows) {
      const key = kind.toKey(row);
      const other = found.get(key);
      const own = kind.toComparable(row);
      report.compare(`${kind.name} ${key}`, {
        stored: own,
        expected: other === undefined ? null : { ...toAbsent(own), ...kind.toComparable(other) },
      });
    }
    await indexes.moveOn();
  }
  report.count(kind.name, storedCount);
  // Rows that are missing from the store have not been seen yet.
  for await (const rows of kind.scan(expected)) {
    const found = new Set((await kind.find(stored, rows)).map((row) => kind.toKey(row)));
    for (const row of rows) {
      const key = kind.toKey(row);
      if (!found.has(key)) report.compare(`${kind.name} ${key}`, { stored: null, expected: {} });
    }
    await indexes.moveOn();
  }
}

/** A field that only the stored row has is a difference, too. */
function toAbsent(row: object): object {
  return Object.fromEntries(Object.keys(row).map((field) => [field, undefined]));
}

async function compareTables(
  indexes: Indexes,
  chain: ChainSlug,
  report: VerifyReport,
): Promise<void> {
  const compare = <Row>(kind: RowKind<Row>) => compareKind(indexes, kind, report);
  const same = <Row extends object>(row: Row): object => row;
  await compare({
    name: 'token',
    scan: (index) => index.scanTokens(chain),
    find: (index, rows) =>
      index.readTokens(
        chain,
        rows.map(({ token }) => token),
      ),
    toKey: (row) => row.token,
    toComparable: (row) => toComparableToken(row, indexes.held),
  });
  await compare({
    name: 'pool',
    scan: (index) => index.scanPools(chain),
    find: (index, rows) =>
      index.readPools(
        chain,
        rows.map(({ pool }) => pool),
      ),
    toKey: (row) => row.pool,
    toComparable: flatten,
  });
  await compare({
    name: 'tick',
    scan: (index) => index.scanTicks(chain),
    find: (index, rows) => index.readTicks(chain, [...new Set(rows.map(({ pool }) => pool))]),
    toKey: (row) => `${row.pool} ${row.tick}`,
    toComparable: same,
  });
  await compare({
    name: 'balance',
    scan: (index) =>
      scanHeld(index.scanBalances(chain), ({ token }) => indexes.held.hasBalances(token)),
    find: (index, rows) => index.readBalances(chain, rows),
    toKey: (row) => `${row.token} ${row.owner}`,
    toComparable: same,
  });
  await compare({
    name: 'candle',
    scan: (index) => scanHeld(index.scanCandles(chain), (candle) => indexes.held.hasCandle(candle)),
    find: (index, rows) => index.readCandles(chain, rows),
    toKey: (row) => `${row.token} ${row.pool ?? 'all'} ${row.interval} ${row.openTimeMs}`,
    toComparable: ({ nativeClean, usdClean, ...rest }) => {
      const clean = indexes.held.hasCleanPrices({ nativeClean, usdClean, ...rest });
      return clean ? { ...rest, nativeClean, usdClean } : rest;
    },
  });
}

async function comparePositions(
  indexes: Indexes,
  chain: ChainSlug,
  report: VerifyReport,
): Promise<void> {
  if (!indexes.hasAllPositions) return;
  const kind: RowKind<PositionRecord> = {
    name: 'position',
    scan: (index) =>
      scanHeld(index.scanPositions(chain), ({ token }) => indexes.held.hasPositions(token)),
    find: (index, rows) => index.readPositions(chain, rows),
    toKey: (row) => `${row.token} ${row.wallet}`,
    toComparable: (row) =>
      indexes.held.hasPositionValues(row.token) ? flattenPosition(row) : countPosition(row),
  };
  await compareKind(indexes, kind, report);
}

async function compareTrades(
  indexes: Indexes,
  chain: ChainSlug,
  report: VerifyReport,
): Promise<void> {
  const kind: RowKind<TradeRecord> = {
    name: 'trade',
    scan: (index) => scanHeld(index.scanTrades(chain), (trade) => indexes.held.hasTrade(trade)),
    find: (index, rows) => {
      const times = new Map(rows.map((row) => [`${row.token} ${row.timestampMs}`, row]));
      const ranges = Array.from(times.values(), ({ token, timestampMs: fromMs }) => {
        return { token, fromMs, toMs: fromMs + 1 };
      });
      return index.readTradeRanges(chain, ranges);
    },
    toKey: (row) => `${row.block} ${row.logIndex} ${row.token}`,
    toComparable: (row) => row,
  };
  await compareKind(indexes, kind, report);
}

/** Looked-up pools are in both indexes as they are stored; events on the chain describe them. */
export async function compareDiscovered(
  stored: MarketReader,
  { discovered }: { readonly discovered: ReadonlyMap<PoolId, PoolDescription | null> },
  { chain, report }: { readonly chain: ChainSlug; readonly report: VerifyReport },
): Promise<void> {
  const described = [...discovered.values()].filter((one) => one !== null);
  const rows = await stored.readPools(
    chain,
    described.map(({ pool }) => pool),
  );
  const byPool = new Map(rows.map((row) => [row.pool, row]));
  for (const one of described) {
    const { pool, kind, venue, token0, token1, terms } = one;
    const expected = { kind, venue, token0, token1, terms: kindOf(one).encodeTerms(terms) };
    const row = byPool.get(pool);
    const own = row === undefined ? null : { ...row, terms: kindOf(row).encodeTerms(row.terms) };
    report.compare(`description of pool ${pool}`, { stored: own, expected });
    report.count('pool that was looked up');
  }
}

/** Adds a line for every row that differs, is missing or is unexpected. */
export async function compareIndexes(
  indexes: Indexes,
  chain: ChainSlug,
  report: VerifyReport,
): Promise<void> {
  await compareTables(indexes, chain, report);
  await comparePositions(indexes, chain, report);
  await compareTrades(indexes, chain, report);
}
