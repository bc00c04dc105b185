// Compares every row of two indexes of one chain: the stored one and a rebuilt one.

import { kindOf } from '../../amm/pool-kinds.ts';
import type { ChainSlug } from '../../model/chain.ts';
import type { TokenRecord, TradeRecord } from '../../model/market-record.ts';
import type { PoolRecord } from '../../model/pool.ts';
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
  /** What the stored index answers for. */
  readonly held: HeldRows;
  /** Whether positions count all trades: not if they began later, or tokens left and came back. */
  readonly hasAllPositions: boolean;
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

/** Its trades by time as one text. */
function flattenPosition({ older, periods, ...fields }: PositionRecord): object {
  const toText = ({ volumeUsdE6, realisedUsdE6, buys, sells }: TradeFigures) =>
    `${volumeUsdE6} ${realisedUsdE6} ${buys} ${sells}`;
  const figures = periods.map((one) => `${one.length} ${one.startMs} ${toText(one)}`);
  return { ...fields, figures: [toText(older), ...figures].join(', ') };
}

async function compareKind<Row>(
  indexes: { readonly stored: Index; readonly expected: Index },
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
      report.compare(`${kind.name} ${key}`, {
        stored: kind.toComparable(row),
        expected: other === undefined ? null : kind.toComparable(other),
      });
    }
  }
  report.count(kind.name, storedCount);
  // Rows that are missing from the store have not been seen yet.
  for await (const rows of kind.scan(expected)) {
    const found = new Set((await kind.find(stored, rows)).map((row) => kind.toKey(row)));
    for (const row of rows) {
      const key = kind.toKey(row);
      if (!found.has(key)) report.compare(`${kind.name} ${key}`, { stored: null, expected: {} });
    }
  }
}

async function compareTables(
  indexes: Indexes,
  chain: ChainSlug,
  report: VerifyReport,
): Promise<void> {
  const { held } = indexes;
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
    toComparable: (row) => toComparableToken(row, held),
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
    scan: (index) => scanHeld(index.scanBalances(chain), ({ token }) => held.hasBalances(token)),
    find: (index, rows) => index.readBalances(chain, rows),
    toKey: (row) => `${row.token} ${row.owner}`,
    toComparable: same,
  });
  await compare({
    name: 'candle',
    scan: (index) => scanHeld(index.scanCandles(chain), (candle) => held.hasCandle(candle)),
    find: (index, rows) => index.readCandles(chain, rows),
    toKey: (row) => `${row.token} ${row.pool ?? 'all'} ${row.interval} ${row.openTimeMs}`,
    toComparable: same,
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
    scan: (index) => index.scanPositions(chain),
    find: (index, rows) => index.readPositions(chain, rows),
    toKey: (row) => `${row.token} ${row.wallet}`,
    toComparable: flattenPosition,
  };
  await compareKind(indexes, kind, report);
}

/** The trades grouped by block. */
async function* groupByBlock(
  scan: AsyncIterable<readonly TradeRecord[]>,
): AsyncGenerator<TradeRecord[]> {
  let block: TradeRecord[] = [];
  for await (const rows of scan) {
    for (const row of rows) {
      if (block[0] !== undefined && block[0].block !== row.block) {
        yield block;
        block = [];
      }
      block.push(row);
    }
  }
  if (block.length > 0) yield block;
}

function compareBlock(
  stored: readonly TradeRecord[],
  expected: readonly TradeRecord[],
  report: VerifyReport,
): void {
  const toKey = (row: TradeRecord): string => `${row.block} ${row.logIndex} ${row.token}`;
  const rest = new Map(expected.map((row) => [toKey(row), row]));
  for (const row of stored) {
    const key = toKey(row);
    report.compare(`trade ${key}`, { stored: row, expected: rest.get(key) ?? null });
    rest.delete(key);
  }
  for (const [key, row] of rest) report.compare(`trade ${key}`, { stored: null, expected: row });
}

/** Both scans are in chain order, so they are walked in parallel. */
async function compareTrades(
  indexes: Indexes,
  chain: ChainSlug,
  report: VerifyReport,
): Promise<void> {
  const { held } = indexes;
  const scan = (index: Index) =>
    groupByBlock(scanHeld(index.scanTrades(chain), (trade) => held.hasTrade(trade)));
  const storedBlocks = scan(indexes.stored);
  const expectedBlocks = scan(indexes.expected);
  const next = async (blocks: AsyncGenerator<TradeRecord[]>): Promise<TradeRecord[]> => {
    const { value, done } = await blocks.next();
    return done === true ? [] : value;
  };
  let stored = await next(storedBlocks);
  let expected = await next(expectedBlocks);
  while (stored.length > 0 || expected.length > 0) {
    const storedAt = stored[0]?.block ?? Number.POSITIVE_INFINITY;
    const expectedAt = expected[0]?.block ?? Number.POSITIVE_INFINITY;
    const isStored = storedAt <= expectedAt;
    const isExpected = expectedAt <= storedAt;
    compareBlock(isStored ? stored : [], isExpected ? expected : [], report);
    if (isStored) {
      report.count('trade', stored.length);
      stored = await next(storedBlocks);
    }
    if (isExpected) expected = await next(expectedBlocks);
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
