// Tables of addresses that shorten transactions: an account of a table takes one byte in place of
// 32. Their content is read at a finalized slot, so that no fork can change what an index means.

import type { Clock } from '../../../lib/clock.ts';
import type { Address } from '../../../model/ids.ts';
import { isRpcError } from '../../rpc/rpc-error.ts';
import type { ListedAccounts } from '../../transaction-costs.ts';
import { AccountBytes } from '../data/account-bytes.ts';
import { toSolanaAddress } from '../data/solana-ids.ts';
import { readAccounts } from '../rpc/read-accounts.ts';
import type { SolanaNode } from '../rpc/solana-node.ts';
import { readListedAccounts } from './listed-accounts.ts';

const TABLE_PROGRAM = toSolanaAddress('AddressLookupTab1e1111111111111111111111111');
const DEACTIVATION_OFFSET = 4;
const NEVER = 2n ** 64n - 1n;
const ADDRESSES_OFFSET = 56;
const KEY_BYTES = 32;
const ENTRIES_MAX = 256;
/** A table that is given up works for some 500 more slots, over three minutes. */
const LIFE_MS = 60_000;
/** Which accounts of tables swaps name changes little: with ticks, as prices move. */
const LISTED_LIFE_MS = 600_000;

export interface LookupTable {
  readonly table: Address;
  /** By address: its place in the table. */
  readonly places: ReadonlyMap<Address, number>;
}

/** Null if it is no table, or one that is being given up. */
function decodeTable(table: Address, data: Buffer): LookupTable | null {
  const bytes = new AccountBytes(data);
  if (!bytes.has(0, ADDRESSES_OFFSET) || bytes.u32(0) !== 1) return null;
  if (bytes.u64(DEACTIVATION_OFFSET) !== NEVER) return null;
  const count = Math.min(ENTRIES_MAX, Math.floor((data.length - ADDRESSES_OFFSET) / KEY_BYTES));
  const places = new Map<Address, number>();
  for (let place = 0; place < count; place += 1) {
    places.set(bytes.key(ADDRESSES_OFFSET + place * KEY_BYTES), place);
  }
  return { table, places };
}

/** The operator's tables, as last read. */
export class LookupTables {
  readonly #addresses: readonly Address[];
  readonly #clock: Pick<Clock, 'monotonicMs'>;
  #tables: readonly LookupTable[] = [];
  #readMs = Number.NEGATIVE_INFINITY;
  #listed: ListedAccounts | null = null;
  #listedMs = Number.NEGATIVE_INFINITY;
  /** The tables that `#listed` is of, with their lengths: a table can only grow. */
  #listedOf = '';

  constructor(addresses: readonly Address[], clock: Pick<Clock, 'monotonicMs'>) {
    this.#addresses = addresses;
    this.#clock = clock;
  }

  /** None if the node does not answer: transactions are longer without them. */
  async read(node: SolanaNode): Promise<readonly LookupTable[]> {
    if (this.#addresses.length === 0) return [];
    const nowMs = this.#clock.monotonicMs();
    if (nowMs - this.#readMs < LIFE_MS) return this.#tables;
    try {
      const query = { addresses: this.#addresses, minSlot: 0, isFinalized: true };
      const { accounts } = await readAccounts(node, query);
      this.#tables = this.#addresses.flatMap((table) => {
        const account = accounts.get(table);
        if (account?.owner !== TABLE_PROGRAM) return [];
        return decodeTable(table, account.data) ?? [];
      });
      this.#readMs = nowMs;
    } catch (error) {
      if (!isRpcError(error)) throw error;
      this.#tables = [];
    }
    return this.#tables;
  }

  /** What swaps name of the tables; null if there are none, or the node does not answer. */
  async readListed(node: SolanaNode, signal?: AbortSignal): Promise<ListedAccounts | null> {
    const tables = await this.read(node);
    if (tables.length === 0) return null;
    const nowMs = this.#clock.monotonicMs();
    const of = tables.map(({ table, places }) => `${table} ${places.size}`).join();
    if (of === this.#listedOf && nowMs - this.#listedMs < LISTED_LIFE_MS) return this.#listed;
    try {
      this.#listed = await readListedAccounts(node, tables, signal);
      this.#listedOf = of;
      this.#listedMs = nowMs;
    } catch (error) {
      if (!isRpcError(error)) throw error;
      this.#listed = null;
    }
    return this.#listed;
  }
}
