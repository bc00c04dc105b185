// Compares stored balances, supplies and pools with the contracts at a block.

import { createHash } from 'node:crypto';
import { kindOf } from '../../amm/pool-kinds.ts';
import { isUnpriced } from '../../amm/unpriced/unpriced-kind.ts';
import type { ChainAdapter, PoolStateReading } from '../../chains/adapter.ts';
import { HistoryUnavailableError } from '../../chains/chain-history.ts';
import type { BlockHeader } from '../../model/block-header.ts';
import type { Address, PoolId } from '../../model/ids.ts';
import type { BalanceRecord, TickRecord, TokenRecord } from '../../model/market-record.ts';
import type { PoolRecord } from '../../model/pool.ts';
import type { BalancePosition, MarketReads } from '../../store/market-reads.ts';
import type { MarketSnapshot } from '../../store/store.ts';
import { isSupplyDue } from '../apply/supplies.ts';
import type { ReadSizes } from '../read/read-ahead.ts';
import type { HeldRows } from './held-rows.ts';
import { ListedHolders } from './listed-holders.ts';
import type { VerifyReport } from './verify-report.ts';

// Compares all stored balances of tokens with the holders that the chain lists: in bounded calls,
// so that of very many tokens some are compared, and other ones at the next block.

interface HolderComparison {
  readonly stored: Pick<MarketReads, 'readBalancePage'>;
  readonly adapter: ChainAdapter;
  readonly sizes: ReadSizes;
  readonly header: BlockHeader;
  readonly report: VerifyReport;
  readonly signal: AbortSignal;
}

interface Difference {
  readonly owner: Address;
  readonly storedRaw: bigint;
  readonly expectedRaw: bigint;
}

type AmountsByOwner = ReadonlyMap<Address, bigint>;

/** As `HoldersReading` counts them; a list takes five or more. */
const CALLS_MAX = 2000;
/** A node may name a slot that its list is not of (decision 0058): what differs is listed again. */
const LISTS_MAX = 3;
/** Lists take a while, in which the chain moves on. */
const BLOCKS_MAX = 2000;
const PAGE_SIZE = 5000;

/** In another order at each block, so that a token is not left out forever. */
function shuffle(tokens: Iterable<Address>, { hash }: BlockHeader): Address[] {
  const rank = (token: Address) => createHash('sha256').update(`${hash} ${token}`).digest('hex');
  const ranked = Array.from(tokens, (token) => [rank(token), token] as const);
  return ranked.sort(([a], [b]) => (a < b ? -1 : 1)).map(([, token]) => token);
}

async function readStored(
  { stored, adapter }: HolderComparison,
  token: Address,
): Promise<AmountsByOwner> {
  const balances = new Map<Address, bigint>();
  let after: BalancePosition | null = null;
  for (;;) {
    const page: BalanceRecord[] = await stored.readBalancePage(adapter.chain, token, {
      ...{ after, limit: PAGE_SIZE },
    });
    for (const { owner, amountRaw } of page) if (amountRaw > 0n) balances.set(owner, amountRaw);
    const last = page.at(-1);
    if (last === undefined || page.length < PAGE_SIZE) return balances;
    after = last;
  }
}

function findDifferences(stored: AmountsByOwner, expected: AmountsByOwner): Difference[] {
  const owners = new Set([...stored.keys(), ...expected.keys()]);
  return Array.from(owners, (owner) => ({
    owner,
    storedRaw: stored.get(owner) ?? 0n,
    expectedRaw: expected.get(owner) ?? 0n,
  })).filter(({ storedRaw, expectedRaw }) => storedRaw !== expectedRaw);
}

async function readListed(listed: ListedHolders, token: Address): Promise<AmountsByOwner | null> {
  try {
    return await listed.read(token);
  } catch (error) {
    if (error instanceof HistoryUnavailableError) return null;
    throw error;
  }
}

/** False if the chain does not list the holders. */
async function compareToken(
  comparison: HolderComparison,
  listed: ListedHolders,
  token: Address,
): Promise<boolean> {
  const { report } = comparison;
  const stored = await readStored(comparison, token);
  let differences: Difference[] = [];
  for (let count = 0; count < LISTS_MAX; count += 1) {
    const expected = await readListed(listed, token);
    if (expected === null) return false;
    differences = findDifferences(stored, expected);
    if (differences.length === 0) break;
  }
  report.count('balance of contract', stored.size);
  for (const { owner, storedRaw, expectedRaw } of differences) {
    report.compare(`holder of ${token} ${owner}`, {
      ...{ stored: { amountRaw: storedRaw }, expected: { amountRaw: expectedRaw } },
    });
  }
  return true;
}

/** Returns the tokens that were compared: not those that no node lists, or beyond the calls. */
async function compareHolders(
  comparison: HolderComparison,
  tokens: ReadonlySet<Address>,
): Promise<ReadonlySet<Address>> {
  const listed = new ListedHolders({ ...comparison, tokens, blocksMax: BLOCKS_MAX });
  const compared = new Set<Address>();
  for (const token of shuffle(tokens, comparison.header)) {
    if (listed.callCount >= CALLS_MAX) break;
    if (await compareToken(comparison, listed, token)) compared.add(token);
  }
  comparison.report.count('token with holders listed', compared.size);
  return compared;
}

interface ContractComparison extends HolderComparison {
  readonly stored: MarketSnapshot;
  readonly held: HeldRows;
  /** Moves on to a later commit, now and then, and with it `header` and `held`. */
  moveOn(): Promise<void>;
}

/** Where each owner takes some calls: of those whose tokens no node lists. */
const OWNERS_MAX = 500;

/** Returns the tokens whose balances can be compared with their contracts. */
async function compareSupplies(comparison: ContractComparison): Promise<Set<Address>> {
  const { adapter, report, signal, stored } = comparison;
  const comparable = new Set<Address>();
  for await (const rows of stored.scanTokens(adapter.chain)) {
    const { header, held } = comparison;
    const followed = rows.filter(({ token }) => held.hasToken(token));
    const asked = followed.filter(
      (row) => !isSupplyDue(row, adapter.assets) && row.supplyRaw !== null,
    );
    report.count('supply not comparable', rows.length - asked.length);
    const tokens = asked.map(({ token }) => token);
    const exact = adapter.readExactSupplies?.(tokens, header, signal);
    const supplies = await (exact ?? adapter.readSupplies(tokens, header, signal));
    const byToken = new Map(supplies.map(({ token, supplyRaw }) => [token, supplyRaw]));
    for (const row of asked) {
      const supplyRaw = byToken.get(row.token) ?? null;
      if (supplyRaw === null) {
        report.count('supply without answer');
      } else {
        report.count('supply');
        report.compare(`supply ${row.token}`, { stored: row, expected: { supplyRaw } });
      }
    }
    for (const row of followed) {
      // With its whole history indexed, balances must be correct even if they do not add up.
      if (isBalanceComparable(row, held.isFromGenesis(row.token))) comparable.add(row.token);
    }
    await comparison.moveOn();
  }
  return comparable;
}

function isBalanceComparable(row: TokenRecord, fromGenesis: boolean): boolean {
  if (row.balancesBroken) return false;
  return fromGenesis || (row.supplyRaw !== null && row.supplyRaw === row.supplyBalanceSumRaw);
}

async function compareBalances(
  comparison: ContractComparison,
  tokens: ReadonlySet<Address>,
): Promise<void> {
  const { adapter, report, signal, stored } = comparison;
  if (adapter.readBalances === undefined) return;
  const isListing = adapter.readHolders !== undefined;
  const compared = isListing ? await compareHolders(comparison, tokens) : new Set<Address>();
  let left = isListing ? OWNERS_MAX : Number.POSITIVE_INFINITY;
  for await (const rows of stored.scanBalances(adapter.chain)) {
    const comparable = rows.filter(({ token }) => tokens.has(token));
    report.count('balance not comparable', rows.length - comparable.length);
    const unlisted = comparable.filter(({ token }) => !compared.has(token));
    const asked: BalanceRecord[] = unlisted.slice(0, left);
    left -= asked.length;
    if (isListing) report.count('balance not asked', unlisted.length - asked.length);
    const balances =
      asked.length === 0 ? [] : await adapter.readBalances(asked, comparison.header, signal);
    asked.forEach((row, index) => {
      const amountRaw = balances[index] ?? null;
      if (amountRaw === null) {
        report.count('balance without answer');
        return;
      }
      report.count('balance of contract');
      report.compare(`balanceOf ${row.token} ${row.owner}`, {
        stored: row,
        expected: { amountRaw },
      });
    });
    await comparison.moveOn();
  }
}

/** For an incomplete pool, only the fields set by its last event are known. */
function buildExpectedState(
  row: PoolRecord,
  reading: PoolStateReading['state'],
): Record<string, unknown> {
  const stored: Readonly<Record<string, unknown>> = { ...row.state };
  const eventFields: ReadonlySet<string> = new Set(kindOf(row).eventFields);
  const expected: Record<string, unknown> = {};
  for (const [field, value] of Object.entries(reading)) {
    const isSet = stored[field] !== null;
    const isKnown = row.complete || (isSet && eventFields.has(field));
    const isUnset = !isSet && !value;
    if (isKnown && !isUnset) expected[field] = value;
  }
  return expected;
}

async function comparePoolPage(
  comparison: ContractComparison,
  page: readonly PoolRecord[],
): Promise<void> {
  const { adapter, header, report, signal, stored } = comparison;
  if (adapter.readPoolStates === undefined) return;
  // No contract tells what the last trade exchanged.
  const rows = page.filter((row) => !isUnpriced(row));
  const complete = rows.filter((row) => row.complete && kindOf(row).hasTicks);
  const ticks = new Map<PoolId, TickRecord[]>();
  const ids = complete.map(({ pool }) => pool);
  for (const row of await stored.readTicks(adapter.chain, ids)) {
    const list = ticks.get(row.pool);
    if (list === undefined) ticks.set(row.pool, [row]);
    else list.push(row);
  }
  const queries = rows.map((description) => ({
    description,
    ticks: (ticks.get(description.pool) ?? []).map(({ tick }) => tick),
  }));
  const readings = new Map(
    (await adapter.readPoolStates(queries, header, signal)).map((each) => [each.pool, each]),
  );
  for (const row of rows) {
    const reading = readings.get(row.pool);
    if (reading === undefined) {
      report.count('pool without answer');
      continue;
    }
    report.count('pool of contract');
    report.compare(`state of pool ${row.pool}`, {
      stored: row.state,
      expected: buildExpectedState(row, reading.state),
    });
    const ownTicks = new Map((ticks.get(row.pool) ?? []).map((own) => [own.tick, own]));
    for (const expectedTick of reading.ticks) {
      report.count('tick of contract');
      report.compare(`state of tick ${row.pool} ${expectedTick.tick}`, {
        stored: ownTicks.get(expectedTick.tick) ?? null,
        expected: expectedTick,
      });
    }
  }
}

export async function compareContracts(comparison: ContractComparison): Promise<void> {
  const tokens = await compareSupplies(comparison);
  await compareBalances(comparison, tokens);
  for await (const rows of comparison.stored.scanPools(comparison.adapter.chain)) {
    await comparePoolPage(
      comparison,
      rows.filter((row) => comparison.held.hasPool(row)),
    );
    await comparison.moveOn();
  }
}
