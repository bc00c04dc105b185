// Compares stored balances, supplies and pools with the contracts at a block.

import { kindOf } from '../../amm/pool-kinds.ts';
import type { PoolStateReading } from '../../chains/adapter.ts';
import type { Address, PoolId } from '../../model/ids.ts';
import type { BalanceRecord, TickRecord, TokenRecord } from '../../model/market-record.ts';
import type { PoolRecord } from '../../model/pool.ts';
import type { MarketSnapshot } from '../../store/store.ts';
import { isSupplyDue } from '../apply/supplies.ts';
import { compareHolders, type HolderComparison } from './compare-holders.ts';
import type { HeldRows } from './held-rows.ts';

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
  rows: readonly PoolRecord[],
): Promise<void> {
  const { adapter, header, report, signal, stored } = comparison;
  if (adapter.readPoolStates === undefined) return;
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
