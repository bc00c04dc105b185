// Which accounts of the operator's lookup tables the swaps of a pool name: the search counts what
// that saves. Known of pools that stand in a table themselves.

import type { Address, PoolId } from '../../../model/ids.ts';
import type { ListedAccounts } from '../../transaction-costs.ts';
import { SYSTEM_PROGRAM, TOKEN_PROGRAMS, toSolanaPool } from '../data/solana-ids.ts';
import { ASSOCIATED_PROGRAM } from '../data/token-instructions.ts';
import { readPools } from '../pools/read-pools.ts';
import { readAccounts } from '../rpc/read-accounts.ts';
import type { SolanaNode } from '../rpc/solana-node.ts';
import { VENUES_BY_PROGRAM } from '../venues/solana-venues.ts';
import { listPoolUses } from './locked-accounts.ts';

/** A key of 32 bytes becomes a byte. */
const SAVED_BYTES = 31;
/** The table's key, and the numbers of its accounts that are written to and read. */
const TABLE_BYTES = 34;

/** Transactions call these, so that no table can stand for them. */
const CALLED: ReadonlySet<string> = new Set([
  ...VENUES_BY_PROGRAM.keys(),
  ...[...TOKEN_PROGRAMS, SYSTEM_PROGRAM, ASSOCIATED_PROGRAM],
]);

type Places = ReadonlyMap<Address, { readonly list: number; readonly place: number }>;

/** By address: its place. */
interface Table {
  readonly places: ReadonlyMap<Address, number>;
}

/** An account of several tables is taken from the first. */
function listPlaces(tables: readonly Table[]): Places {
  const found = new Map<Address, { list: number; place: number }>();
  for (const [list, { places }] of tables.entries()) {
    for (const [address, place] of places) {
      if (!found.has(address) && !CALLED.has(address)) found.set(address, { list, place });
    }
  }
  return found;
}

export async function readListedAccounts(
  node: SolanaNode,
  tables: readonly Table[],
  signal?: AbortSignal,
): Promise<ListedAccounts> {
  const places = listPlaces(tables);
  const query = { addresses: [...places.keys()], minSlot: 0 };
  const { accounts, slot } = await readAccounts(node, query, signal);
  const owned = [...accounts].flatMap(([address, { owner }]) => {
    const encoder = VENUES_BY_PROGRAM.get(owner)?.encoder;
    return encoder === undefined
      ? []
      : [{ address, settings: encoder.listAccounts?.(owner) ?? [] }];
  });
  const wishes = owned.map(({ address }) => ({ pool: toSolanaPool(address) }));
  const { pools } = await readPools(node, { wishes, minSlot: slot, nowSeconds: 0 }, signal);
  const settings = [...new Set(owned.flatMap((one) => one.settings))];
  const others = await readAccounts(node, { addresses: settings, minSlot: slot }, signal);
  const known = new Map([...accounts, ...others.accounts]);
  const byPool = new Map<PoolId, NonNullable<ReturnType<Places['get']>>[]>();
  for (const { address } of owned) {
    const pool = toSolanaPool(address);
    const found = pools.get(pool);
    if (found === undefined) continue;
    const uses = listPoolUses(found.description, known);
    const named = new Set(uses.map((use) => use.address));
    byPool.set(
      pool,
      [...named].flatMap((one) => places.get(one) ?? []),
    );
  }
  return { savedBytes: SAVED_BYTES, listBytes: TABLE_BYTES, byPool };
}
