// A pool as its accounts have it.

import type { TickSetting } from '../../../amm/set-ticks.ts';
import type { Address } from '../../../model/ids.ts';
import type { PoolKindName, StateOf, TermsOf } from '../../../model/pool.ts';
import { AccountBytes } from '../data/account-bytes.ts';

/** Accounts by address; absent if the chain has none there. */
type AccountMap = ReadonlyMap<Address, Uint8Array>;

/** A pool's account, and those it names. */
export interface PoolAccounts {
  readonly program: Address;
  readonly pool: Address;
  readonly accounts: AccountMap;
  /** The block's time and slot, on which some fees depend. */
  readonly nowSeconds: number;
  readonly slot: number;
  /** The coin of a curve whose account does not name it. */
  readonly mint?: Address;
}

export interface AccountReadingOf<K extends PoolKindName> {
  readonly kind: K;
  readonly token0: Address;
  readonly token1: Address;
  /** The accounts that hold the two tokens; for a curve, the curve itself. */
  readonly vault0: Address;
  readonly vault1: Address;
  readonly feePips: number;
  readonly terms: TermsOf<K>;
  readonly state: StateOf<K>;
  /** The ticks or bins of the accounts at hand. */
  readonly ticks: readonly TickSetting[];
}

export type AccountReading = { [K in PoolKindName]: AccountReadingOf<K> }[PoolKindName];

const AMOUNT_OFFSET = 64;
const SUPPLY_OFFSET = 36;

export function openAccount({ accounts }: PoolAccounts, address: Address): AccountBytes | null {
  const bytes = accounts.get(address);
  return bytes === undefined ? null : new AccountBytes(bytes);
}

/** The balance of a token account of either token program; null if it is absent. */
export function readTokenAmount(query: PoolAccounts, account: Address): bigint | null {
  return openAccount(query, account)?.u64(AMOUNT_OFFSET) ?? null;
}

/** The supply of a mint; null if it is absent. */
export function readMintSupply(query: PoolAccounts, mint: Address): bigint | null {
  return openAccount(query, mint)?.u64(SUPPLY_OFFSET) ?? null;
}
