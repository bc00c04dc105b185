// Pools as their accounts describe them now: many for what does not change of them, or one whole
// state at one slot.

import type { Address, PoolId } from '../../../model/ids.ts';
import type { PoolDescription } from '../../../model/pool.ts';
import { toSolanaAddress, toSolanaPool } from '../data/solana-ids.ts';
import { ACCOUNTS_PER_CALL, readAccounts, type SolanaAccount } from '../rpc/read-accounts.ts';
import type { SolanaNode } from '../rpc/solana-node.ts';
import type { AccountReading } from '../tokens/pool-accounts.ts';
import type { SolanaVenue } from '../venues/solana-venue.ts';
import { VENUES_BY_PROGRAM } from '../venues/solana-venues.ts';
import type { UnpricedSighting } from '../venues/venue-trade.ts';

/** What a transaction says of a pool. */
export interface PoolSighting {
  /** The coin of a curve, whose account does not name it. */
  readonly mint?: Address | undefined;
  /** For a pool that no account describes. */
  readonly unpriced?: UnpricedSighting;
}

interface PoolWish extends PoolSighting {
  readonly pool: PoolId;
}

interface PoolsQuery {
  readonly wishes: readonly PoolWish[];
  /** A node that is not at this slot yet is not asked. */
  readonly minSlot: number;
  /** The block's time, on which some fees depend. */
  readonly nowSeconds: number;
  /** Whether the state must be final; otherwise it is the newest confirmed one. */
  readonly isFinalized?: boolean;
}

export interface FoundPool {
  readonly description: PoolDescription;
  readonly reading: AccountReading;
}

interface PoolsReading {
  /** The newest slot that a part of it is of. */
  readonly slot: number;
  /** Absent if the account is not a pool of a known program. */
  readonly pools: ReadonlyMap<PoolId, FoundPool>;
  readonly callCount: number;
}

interface OwnAccount extends PoolWish {
  readonly venue: SolanaVenue;
  readonly program: Address;
  readonly address: Address;
  readonly data: Uint8Array;
}

function describePool({ pool, venue, address }: OwnAccount, reading: AccountReading) {
  const { kind, token0, token1, feePips, terms } = reading;
  const vault = venue.vaultAuthority ?? address;
  const base = { pool, kind, venue: venue.name, token0, token1, feePips, vault, terms };
  return base as PoolDescription;
}

/** Layouts grow: an account that is shorter than what is read of it is no such pool. */
function orNull<T>(read: () => T): T | null {
  try {
    return read();
  } catch (error) {
    if (error instanceof RangeError) return null;
    throw error;
  }
}

function openOwn(wish: PoolWish, account: SolanaAccount | undefined): OwnAccount | null {
  // Only the program can write to its accounts: its owner says that a pool is real.
  const venue = account && VENUES_BY_PROGRAM.get(account.owner);
  if (account === undefined || venue === undefined) return null;
  const address = toSolanaAddress(wish.pool);
  return { ...wish, venue, program: account.owner, address, data: account.data };
}

function listOthers({ venue, address, data, program }: OwnAccount): Address[] {
  return orNull(() => venue.listAccounts(address, data, program)) ?? [];
}

interface AccountsAt {
  readonly accounts: ReadonlyMap<Address, SolanaAccount>;
  readonly nowSeconds: number;
  readonly slot: number;
}

/** Null if the accounts are not those of a pool. */
function readFound(own: OwnAccount, at: AccountsAt): FoundPool | null {
  const { program, address, venue, mint } = own;
  const accounts = new Map(Array.from(at.accounts, ([key, { data }]) => [key, data] as const));
  const asked = { ...at, accounts, program, pool: address };
  const reading = orNull(() => venue.readPool(mint === undefined ? asked : { ...asked, mint }));
  return reading === null ? null : { description: describePool(own, reading), reading };
}

/** How often a pool is tried whose other accounts keep changing. */
const ATTEMPTS_MAX = 3;

interface PoolNow {
  /** The slot that all of it is of. */
  readonly slot: number;
  readonly found: FoundPool | null;
  readonly accounts: ReadonlyMap<Address, SolanaAccount>;
  readonly callCount: number;
}

/** A pool with all its accounts at one slot, which is at least `minSlot`. */
export async function readPoolNow(
  node: SolanaNode,
  query: Pick<PoolsQuery, 'minSlot' | 'nowSeconds'> & {
    readonly wish: PoolWish;
    /** Accounts to be read with it. */
    readonly more: readonly Address[];
  },
  signal?: AbortSignal,
): Promise<PoolNow> {
  const { wish, more, nowSeconds } = query;
  const address = toSolanaAddress(wish.pool);
  let { minSlot } = query;
  let callCount = 0;
  let wanted: readonly Address[] = [address];
  for (let attempt = 0; attempt <= ATTEMPTS_MAX; attempt += 1) {
    const read = await readAccounts(node, { addresses: wanted, minSlot }, signal);
    const { slot, accounts } = read;
    callCount += read.callCount;
    const own = openOwn(wish, accounts.get(address));
    if (own === null) return { slot, found: null, accounts, callCount };
    const needed = [...new Set([address, ...listOthers(own), ...more])];
    if (needed.length > ACCOUNTS_PER_CALL) return { slot, found: null, accounts, callCount };
    if (needed.every((each) => wanted.includes(each))) {
      return { slot, found: readFound(own, { accounts, nowSeconds, slot }), accounts, callCount };
    }
    wanted = needed;
    minSlot = slot;
  }
  return { slot: minSlot, found: null, accounts: new Map(), callCount };
}

/** Nothing if none of its accounts belongs to its program. */
function findUnpriced(
  { pool, unpriced }: PoolWish,
  accounts: AccountsAt['accounts'],
): readonly (readonly [PoolId, FoundPool])[] {
  if (unpriced === undefined) return [];
  const { venue, program, maker, tokens } = unpriced;
  if (!unpriced.accounts.some((account) => accounts.get(account)?.owner === program)) return [];
  const [token0, token1] = tokens;
  const base = { kind: 'tradesOnly', token0, token1, feePips: 0, terms: null } as const;
  const state = { last0: null, last1: null };
  const reading = { ...base, vault0: maker, vault1: maker, state, ticks: [] };
  return [[pool, { description: { ...base, pool, venue, vault: maker }, reading }]];
}

export async function readPools(
  node: SolanaNode,
  { wishes, minSlot, nowSeconds, isFinalized = false }: PoolsQuery,
  signal?: AbortSignal,
): Promise<PoolsReading> {
  const addressOf = (pool: PoolId) => toSolanaAddress(pool);
  const addresses = [
    ...new Set(wishes.flatMap(({ pool, unpriced }) => unpriced?.accounts ?? addressOf(pool))),
  ];
  const first = await readAccounts(node, { addresses, minSlot, isFinalized }, signal);
  const own = wishes.flatMap(
    (wish) => openOwn(wish, first.accounts.get(addressOf(wish.pool))) ?? [],
  );
  const others = [...new Set(own.flatMap(listOthers))];
  const query = { addresses: others, minSlot: first.slot, isFinalized };
  const second = await readAccounts(node, query, signal);
  const accounts = new Map([...first.accounts, ...second.accounts]);
  const at = { accounts, nowSeconds, slot: second.slot };
  const pools = own.flatMap((one) => {
    const found = readFound(one, at);
    return found === null ? [] : [[toSolanaPool(one.address), found] as const];
  });
  const unpriced = wishes.flatMap((wish) => findUnpriced(wish, first.accounts));
  return {
    slot: second.slot,
    pools: new Map([...pools, ...unpriced]),
    callCount: first.callCount + second.callCount,
  };
}
