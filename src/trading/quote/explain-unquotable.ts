// Why a token that trades has no route: it does so on venues that no router of the chain supports,
// or in pools that cannot be quoted, or that are still being read; or a token on the way to the
// other one does. Or its pools lead elsewhere.

import { findFlagsAt } from '../../amm/pool-kinds.ts';
import type { PoolMoment } from '../../amm/pool-moment.ts';
import { explainFlags, isQuotable, joinFlags } from '../../amm/unchecked-flag.ts';
import { isUnpriced } from '../../amm/unpriced/unpriced-kind.ts';
import type { ChainSlug } from '../../model/chain.ts';
import type { Address, PoolId } from '../../model/ids.ts';
import type { PoolRecord } from '../../model/pool.ts';
import { decidesSwaps } from '../../model/pool-hook.ts';
import type { MarketReader } from '../../store/store.ts';
import type { PoolRules } from '../graph/pool-graph-pool.ts';
import type { PoolWait } from './awaited-pools.ts';

type PoolSource = Pick<MarketReader, 'readPoolsOfTokens'>;

/**
 * A token whose pools are being read, that trades where this server builds no trades or in pools
 * that cannot be quoted, or whose pools do not lead to the other token.
 */
export type UnquotableToken = { readonly token: Address } & (
  | { readonly kind: 'pending' }
  | { readonly kind: 'venues' | 'noRoute'; readonly venues: readonly string[] }
  | { readonly kind: 'flags'; readonly flags: string }
);

const UNREAD_REASONS: Readonly<Record<Exclude<PoolWait, 'pending'>, string>> = {
  failed: 'not all of its state could be read from its contract so far (unread)',
  off: 'this server does not read the state of pools that are older than its index (unread)',
};

function isTraded({ lastSwapAtMs }: PoolRecord): boolean {
  return lastSwapAtMs !== null;
}

/** Whether it could be quoted once its whole state is known. */
function isUnread(row: PoolRecord, { tradedVenues }: UnquotableQuery): boolean {
  return !row.complete && !isUnpriced(row) && tradedVenues.has(row.venue);
}

/** The features of pools that keep them from being quoted, each once. */
function listFlags(
  pools: readonly PoolRecord[],
  { moment, findHook }: Pick<UnquotableQuery, 'moment' | 'findHook'>,
): string {
  const flags = pools
    // What is not known in full yet may have none; of an unpriced pool nothing more is ever known.
    .filter((row) => (isUnpriced(row) ? isTraded(row) : row.complete))
    .map((row) =>
      decidesSwaps(findHook(row)) ? joinFlags(['notComputed']) : findFlagsAt(row, moment),
    )
    .filter((text) => !isQuotable(text));
  return explainFlags(flags.join(' '));
}

interface UnquotableQuery {
  readonly chain: ChainSlug;
  readonly mint: Address;
  readonly quoteMint: Address;
  /** The native coin and its wrapped token, which are one asset. */
  readonly native: ReadonlySet<Address>;
  /** Assets with too many pools to read. */
  readonly trusted: ReadonlySet<Address>;
  readonly tradedVenues: ReadonlySet<string>;
  /** The chain's head. */
  readonly moment: PoolMoment;
  readonly findHook: PoolRules['findHook'];
  /** Asks for the state of pools that could be quoted once all of it is known. */
  readonly awaitPools: (pools: readonly PoolId[]) => PoolWait;
}

/** Of the tokens on the way, this many are looked at. */
const TOKENS_MAX = 32;
/** So many pools of a token are asked for, and so many on the way: others wait for theirs, too. */
const ASKED_MAX = 16;

function listVenues(pools: readonly PoolRecord[]): string[] {
  return [...new Set(pools.map(({ venue }) => venue))].sort();
}

/** Null if none of the pools could be quoted once it is read. */
function explainUnread(
  token: Address,
  pools: readonly PoolRecord[],
  query: UnquotableQuery,
): UnquotableToken | null {
  const unread = pools.filter((pool) => isUnread(pool, query));
  if (unread.length === 0) return null;
  // Those that were traded last are the likeliest to be worth a quote.
  const asked = unread
    .toSorted((a, b) => (b.lastSwapAtMs ?? 0) - (a.lastSwapAtMs ?? 0))
    .slice(0, ASKED_MAX);
  const wait = query.awaitPools(asked.map(({ pool }) => pool));
  if (wait === 'pending') return { token, kind: 'pending' };
  const venues = listVenues(unread.filter(isTraded));
  if (venues.length === 0) return null;
  return { token, kind: 'flags', flags: `on ${venues.join(', ')}, ${UNREAD_REASONS[wait]}` };
}

/** Why the pools of a token are not traded; null if there is no reason in them. */
function explainPools(
  token: Address,
  pools: readonly PoolRecord[],
  query: UnquotableQuery,
): UnquotableToken | null {
  const unread = explainUnread(token, pools, query);
  if (unread?.kind === 'pending') return unread;
  const used = listVenues(pools.filter(isTraded));
  const venues = used.filter((venue) => !query.tradedVenues.has(venue));
  if (venues.length > 0) return { token, kind: 'venues', venues };
  const flags = listFlags(pools, query);
  return flags === '' ? unread : { token, kind: 'flags', flags };
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
  { chain, trusted }: UnquotableQuery,
  asked: { readonly tokens: readonly Address[]; readonly against: readonly Address[] },
): Promise<PoolRecord[]> {
  const [some, many] = [true, false].map((isPlain) =>
    asked.tokens.filter((token) => trusted.has(token) !== isPlain),
  );
  const plain = some?.length ? await store.readPoolsOfTokens(chain, some) : [];
  const known = many?.length ? await store.readPoolsOfTokens(chain, many, asked.against) : [];
  return [...plain, ...known];
}

/** Looks for a way of three hops at most on which a later pool has no router, or is unread. */
async function findOnTheWay(
  store: PoolSource,
  query: UnquotableQuery,
  ends: { readonly start: Address; readonly goals: ReadonlySet<Address> },
): Promise<UnquotableToken | null> {
  const { chain, tradedVenues } = query;
  const { start, goals } = ends;
  type Step = ReturnType<typeof listNeighbours>[number];
  /** One that is pending is worth a second request, whatever the others are. */
  const explain = (steps: readonly Step[]) => {
    const reasons = steps
      .slice(0, ASKED_MAX)
      .flatMap(({ token, pool }) => explainPools(token, [pool], query) ?? []);
    return reasons.find(({ kind }) => kind === 'pending') ?? reasons[0] ?? null;
  };
  const pick = (tokens: Iterable<Address>) =>
    [...new Set(tokens)].filter((one) => one !== start && !goals.has(one)).slice(0, TOKENS_MAX);
  const firsts = await store.readPoolsOfTokens(chain, [start]);
  const middles = pick(listNeighbours(firsts, new Set([start])).map(({ other }) => other));
  const asked = { tokens: middles, against: [...goals] };
  const seconds = listNeighbours(await readPools(store, query, asked), new Set(middles));
  const isOpen = ({ pool }: Step) => !tradedVenues.has(pool.venue) || isUnread(pool, query);
  const direct = explain(seconds.filter((one) => goals.has(one.other) && isOpen(one)));
  if (direct !== null) return direct;
  const lasts = pick(seconds.map(({ other }) => other));
  if (lasts.length === 0) return null;
  const between = await store.readPoolsOfTokens(chain, lasts, [...goals]);
  const ways = listNeighbours(between, new Set(lasts)).flatMap((last) => {
    const way = seconds.filter(({ other }) => other === last.token);
    return isOpen(last) ? [last] : way.filter(isOpen);
  });
  return explain(ways);
}

/** Null if one of the tokens has no pool at all, or if both have too many to read. */
export async function explainUnquotable(
  store: PoolSource,
  query: UnquotableQuery,
): Promise<UnquotableToken | null> {
  const { chain, mint, quoteMint, native, trusted } = query;
  const venuesOf = new Map<Address, readonly string[]>();
  // Pools of the native coin may be those of its wrapped token.
  const listAsset = (token: Address) => (native.has(token) ? [...native] : [token]);
  for (const token of [mint, quoteMint]) {
    const other = token === mint ? quoteMint : mint;
    const pools = trusted.has(token)
      ? await store.readPoolsOfTokens(chain, listAsset(token), listAsset(other))
      : await store.readPoolsOfTokens(chain, [token]);
    const reason = explainPools(token, pools, query);
    if (reason !== null) return reason;
    const isKnown = trusted.has(token) || native.has(token);
    if (!isKnown) venuesOf.set(token, listVenues(pools));
  }
  const start = trusted.has(mint) ? quoteMint : mint;
  const goal = start === mint ? quoteMint : mint;
  if (trusted.has(start)) return null;
  const goals = native.has(goal) ? native : new Set([goal]);
  const onTheWay = await findOnTheWay(store, query, { start, goals });
  if (onTheWay !== null) return onTheWay;
  if ([...venuesOf.values()].some((venues) => venues.length === 0)) return null;
  return { token: start, kind: 'noRoute', venues: venuesOf.get(start) ?? [] };
}
