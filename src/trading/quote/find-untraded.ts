// Why a token that trades has no route: it does so on venues that no router of the chain supports,
// or in pools that cannot be quoted; or a token on the way to the other one does.

import { kindOf } from '../../amm/pool-kinds.ts';
import { explainFlags, isQuotable } from '../../amm/unchecked-flag.ts';
import type { ChainSlug } from '../../model/chain.ts';
import type { Address, PoolId } from '../../model/ids.ts';
import type { PoolRecord } from '../../model/pool.ts';
import type { MarketReader } from '../../store/store.ts';

type PoolSource = Pick<MarketReader, 'readPoolsOfTokens'>;

/** A token that trades where this server builds no trades, or in pools with unknown effects. */
export type UntradedToken = { readonly token: Address } & (
  | { readonly venues: readonly string[] }
  | { readonly flags: string }
);

function isTraded({ lastSwapAtMs }: PoolRecord): boolean {
  return lastSwapAtMs !== null;
}

/** The features of pools that keep them from being quoted, each once. */
function listFlags(pools: readonly PoolRecord[]): string {
  const flags = pools
    // What is not known in full yet may have none; of the last kind nothing more is ever known.
    .filter((row) => (row.kind === 'tradesOnly' ? isTraded(row) : row.complete))
    .map((row) => kindOf(row).findFlags?.(row.state, row.terms) ?? '')
    .filter((text) => !isQuotable(text));
  return explainFlags(flags.join(' '));
}

interface UntradedQuery {
  readonly chain: ChainSlug;
  readonly mint: Address;
  readonly quoteMint: Address;
  /** The native coin and its wrapped token, which are one asset. */
  readonly native: ReadonlySet<Address>;
  /** Assets with too many pools to read. */
  readonly trusted: ReadonlySet<Address>;
  readonly tradedVenues: ReadonlySet<string>;
  /** Called with pools that could be quoted once all of their state is known. */
  readonly noteIncomplete: (pools: readonly PoolId[]) => void;
}

/** Of the tokens on the way, this many are looked at. */
const TOKENS_MAX = 32;

function listVenues(pools: readonly PoolRecord[], tradedVenues: ReadonlySet<string>): string[] {
  const venues = new Set(pools.filter(isTraded).map(({ venue }) => venue));
  return [...venues].filter((venue) => !tradedVenues.has(venue)).sort();
}

/** By token: its pools among these, each with the token on the other side. */
function listNeighbours(pools: readonly PoolRecord[], tokens: ReadonlySet<Address>) {
  return pools.filter(isTraded).flatMap((pool) => {
    const { token0, token1 } = pool;
    return [
      ...(tokens.has(token0) ? [{ token: token0, other: token1, pool }] : []),
      ...(tokens.has(token1) ? [{ token: token1, other: token0, pool }] : []),
    ];
  });
}

async function readPools(
  store: PoolSource,
  { chain, trusted }: UntradedQuery,
  asked: { readonly tokens: readonly Address[]; readonly against: readonly Address[] },
): Promise<PoolRecord[]> {
  const [some, many] = [true, false].map((isPlain) =>
    asked.tokens.filter((token) => trusted.has(token) !== isPlain),
  );
  const plain = some?.length ? await store.readPoolsOfTokens(chain, some) : [];
  const known = many?.length ? await store.readPoolsOfTokens(chain, many, asked.against) : [];
  return [...plain, ...known];
}

/** A way of three hops at most that has a pool without a router after its first. */
async function findOnTheWay(
  store: PoolSource,
  query: UntradedQuery,
  ends: { readonly start: Address; readonly goals: ReadonlySet<Address> },
): Promise<UntradedToken | null> {
  const { chain, tradedVenues } = query;
  const { start, goals } = ends;
  const pick = (tokens: Iterable<Address>) =>
    [...new Set(tokens)].filter((one) => one !== start && !goals.has(one)).slice(0, TOKENS_MAX);
  const firsts = await store.readPoolsOfTokens(chain, [start]);
  const middles = pick(listNeighbours(firsts, new Set([start])).map(({ other }) => other));
  const asked = { tokens: middles, against: [...goals] };
  const seconds = listNeighbours(await readPools(store, query, asked), new Set(middles));
  const isOpen = ({ pool }: { readonly pool: PoolRecord }) => !tradedVenues.has(pool.venue);
  const direct = seconds.find((one) => goals.has(one.other) && isOpen(one));
  if (direct !== undefined) return { token: direct.token, venues: [direct.pool.venue] };
  const lasts = pick(seconds.map(({ other }) => other));
  if (lasts.length === 0) return null;
  const between = await store.readPoolsOfTokens(chain, lasts, [...goals]);
  for (const last of listNeighbours(between, new Set(lasts))) {
    const way = seconds.filter(({ other }) => other === last.token);
    const open = isOpen(last) ? last : way.find(isOpen);
    if (open !== undefined) return { token: open.token, venues: [open.pool.venue] };
  }
  return null;
}

/** Null if neither token, nor one on the way, has traded on such a venue. */
export async function findUntraded(
  store: PoolSource,
  query: UntradedQuery,
): Promise<UntradedToken | null> {
  const { chain, mint, quoteMint, native, trusted, tradedVenues } = query;
  for (const token of [mint, quoteMint]) {
    const other = token === mint ? quoteMint : mint;
    const pools = trusted.has(token)
      ? await store.readPoolsOfTokens(chain, [token], [other])
      : await store.readPoolsOfTokens(chain, [token]);
    const incomplete = pools.filter((pool) => isTraded(pool) && !pool.complete);
    query.noteIncomplete(incomplete.map(({ pool }) => pool));
    const venues = listVenues(pools, tradedVenues);
    if (venues.length > 0) return { token, venues };
    const flags = listFlags(pools);
    if (flags !== '') return { token, flags };
  }
  const start = trusted.has(mint) ? quoteMint : mint;
  const goal = start === mint ? quoteMint : mint;
  if (trusted.has(start)) return null;
  const goals = native.has(goal) ? native : new Set([goal]);
  return findOnTheWay(store, query, { start, goals });
}
