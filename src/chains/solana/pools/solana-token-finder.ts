// Looks a token up: its mint, its names and its pools. An address that is no mint takes one
// request, a token some twenty. Pools must be finalized: newer ones are in blocks that are indexed.

import type { Clock } from '../../../lib/clock.ts';
import type { Address } from '../../../model/ids.ts';
import type { PoolDescription } from '../../../model/pool.ts';
import type { ChainAssets, TokenFinding, TokenQuery } from '../../adapter.ts';
import type { RpcClient } from '../../rpc/rpc-client.ts';
import type { RpcEndpoint } from '../../rpc/rpc-endpoint.ts';
import { isRpcError, RpcError } from '../../rpc/rpc-error.ts';
import { AccountBytes } from '../data/account-bytes.ts';
import { encodeBase58Data } from '../data/base58-data.ts';
import { toSolanaAddress, toSolanaPool } from '../data/solana-ids.ts';
import { readAccounts } from '../rpc/read-accounts.ts';
import { FINALIZED, refuseReply } from '../rpc/solana-node.ts';
import { readMintMetadata } from '../tokens/read-mints.ts';
import type { PoolLayout } from '../venues/solana-venue.ts';
import { VENUES_BY_PROGRAM } from '../venues/solana-venues.ts';
import { readPools } from './read-pools.ts';

// The pools of a token by a scan of each venue's accounts, filtered by the mint: the deepest ones
// against each asset that prices others. Many providers refuse such scans; one that did is not
// asked again for an hour.

interface ScanQuery {
  readonly token: Address;
  /** Only pools against these. */
  readonly quotes: ReadonlySet<Address>;
}

interface PoolScan {
  readonly pools: readonly Address[];
  readonly callCount: number;
}

/** A pool of the token, and the account that holds the other one. */
interface Candidate {
  readonly pool: Address;
  readonly vault: Address;
}

interface RawRow {
  readonly pubkey: string;
  readonly account: { readonly data: readonly [string, string] };
}

type Filter =
  | { readonly dataSize: number }
  | { readonly memcmp: { readonly offset: number; readonly bytes: string } };

/** Anyone can make pools for little; what they hold of the other asset is their own money. */
const POOLS_PER_QUOTE = 8;
/** Candidates whose vaults are read: ten requests. */
const CANDIDATES_MAX = 1000;
const KEY_BYTES = 32;
const AMOUNT_OFFSET = 64;

const LIMITATION_KIND = 'poolScan';
const FOUND_AT_ONCE = new Set(
  Array.from(VENUES_BY_PROGRAM.values())
    .filter(({ listPoolsOf }) => listPoolsOf !== undefined)
    .map(({ name }) => name),
);
const LIMITATION = [
  'does not list the pools of tokens; older ones are found when they trade,',
  `those of ${[...FOUND_AT_ONCE].join(', ')} at once`,
].join(' ');

/** Faults that only say that the endpoint does not do this, or not in time. */
const REFUSALS = ['denied', 'network', 'rejected', 'replyTooLarge', 'unsupported'] as const;

function refuse(node: RpcEndpoint, problem: string, cause?: unknown): never {
  throw new RpcError('unsupported', `${node.name}: ${problem}`, { endpoint: node.name, cause });
}

function isRow(value: unknown): value is RawRow {
  const { pubkey, account } = (value ?? {}) as Partial<RawRow>;
  return typeof pubkey === 'string' && typeof account?.data?.[0] === 'string';
}

/** One scan for each side that the token may be on; a quote asset's are for one other at a time. */
function listFilters(layout: PoolLayout, { token, quotes }: ScanQuery) {
  const { discriminator, byteCount, mints } = layout;
  const others = quotes.has(token) ? [...quotes].filter((one) => one !== token) : [null];
  const kind: Filter[] = [];
  if (byteCount !== null) kind.push({ dataSize: byteCount });
  if (discriminator !== null) {
    const bytes = encodeBase58Data(Buffer.from(discriminator, 'hex'));
    kind.push({ memcmp: { offset: 0, bytes } });
  }
  return ([0, 1] as const).flatMap((side) => {
    const [own, across] = [mints[side], mints[1 - side] ?? null];
    if (own === null) return [];
    const ofToken = { memcmp: { offset: own, bytes: token } };
    return others.map((other) => {
      const ofOther =
        other === null || across === null ? [] : [{ memcmp: { offset: across, bytes: other } }];
      return { side, filters: [...kind, ofToken, ...ofOther] };
    });
  });
}

async function scan(
  node: RpcEndpoint,
  about: {
    readonly program: string;
    readonly filters: readonly Filter[];
    readonly vaultAt: number;
  },
  signal?: AbortSignal,
): Promise<Candidate[]> {
  const { program, filters, vaultAt } = about;
  const dataSlice = { offset: vaultAt, length: KEY_BYTES };
  const config = { ...FINALIZED, encoding: 'base64', withContext: true, dataSlice, filters };
  const call = { method: 'getProgramAccounts', params: [program, config] };
  const reply = (await node.request(call, signal).catch((error: unknown) => {
    signal?.throwIfAborted();
    if (!isRpcError(error, ...REFUSALS)) throw error;
    node.limitations.note(LIMITATION_KIND, LIMITATION);
    return refuse(node, error.message, error);
  })) as { readonly value?: unknown } | null;
  const rows = reply?.value;
  if (!Array.isArray(rows) || !rows.every(isRow)) return refuseReply(node, 'pools are malformed');
  return rows.slice(0, CANDIDATES_MAX).flatMap(({ pubkey, account }) => {
    const slice = new AccountBytes(Buffer.from(account.data[0], 'base64'));
    const isWhole = slice.length === KEY_BYTES;
    return isWhole ? [{ pool: toSolanaAddress(pubkey), vault: slice.key(0) }] : [];
  });
}

/** The deepest pools of each quote asset. */
async function pickDeepest(
  node: RpcEndpoint,
  { candidates, quotes }: Pick<ScanQuery, 'quotes'> & { readonly candidates: Candidate[] },
  signal?: AbortSignal,
): Promise<PoolScan> {
  const some = candidates.slice(0, CANDIDATES_MAX);
  const query = { addresses: some.map(({ vault }) => vault), minSlot: 0, isFinalized: true };
  const { accounts, callCount } = await readAccounts(node, query, signal);
  const held = some.flatMap(({ pool, vault }) => {
    const data = new AccountBytes(accounts.get(vault)?.data ?? Buffer.alloc(0));
    if (!data.has(AMOUNT_OFFSET, 8)) return [];
    const quote = data.key(0);
    return quotes.has(quote) ? [{ pool, quote, amount: data.u64(AMOUNT_OFFSET) }] : [];
  });
  const byQuote = Map.groupBy(held, ({ quote }) => quote);
  const pools = [...byQuote.values()].flatMap((ofQuote) =>
    ofQuote
      .sort((a, b) => Number(b.amount - a.amount) || (a.pool < b.pool ? -1 : 1))
      .slice(0, POOLS_PER_QUOTE)
      .map(({ pool }) => pool),
  );
  return { pools, callCount };
}

/** Rejects with `unsupported` if the endpoint refuses scans, or did within the last hour. */
async function scanPools(
  node: RpcEndpoint,
  query: ScanQuery,
  signal?: AbortSignal,
): Promise<PoolScan> {
  if (node.limitations.has(LIMITATION_KIND)) refuse(node, 'refused to list pools before');
  const candidates: Candidate[] = [];
  let scanCount = 0;
  for (const [program, { layout }] of VENUES_BY_PROGRAM) {
    if (layout === undefined) continue;
    const scans = listFilters(layout, query).map(({ side, filters }) => {
      const vaultAt = layout.vaults[side === 0 ? 1 : 0];
      return scan(node, { program, filters, vaultAt }, signal);
    });
    scanCount += scans.length;
    candidates.push(...(await Promise.all(scans)).flat());
  }
  const { pools, callCount } = await pickDeepest(
    node,
    { candidates, quotes: query.quotes },
    signal,
  );
  return { pools, callCount: scanCount + callCount };
}

interface TokenFinderOptions {
  readonly client: RpcClient;
  readonly assets: Pick<ChainAssets, 'coin' | 'native' | 'stable'>;
  readonly clock: Pick<Clock, 'nowMs'>;
}

interface Work {
  readonly signal?: AbortSignal | undefined;
  /** An endpoint that has not reached this slot is skipped. */
  readonly minBlock: number;
}

/** The pools that follow from the coin's address. */
function listDerived(token: Address): Address[] {
  return Array.from(VENUES_BY_PROGRAM, ([program, venue]) => {
    return venue.listPoolsOf?.(token, toSolanaAddress(program)) ?? [];
  }).flat();
}

export class SolanaTokenFinder {
  readonly #options: TokenFinderOptions;
  /** The assets that price others, as pools hold them. */
  readonly #quotes: ReadonlySet<Address>;

  constructor(options: TokenFinderOptions) {
    this.#options = options;
    const { coin, native, stable } = options.assets;
    this.#quotes = new Set([...native, ...stable].filter((asset) => asset !== coin));
  }

  async find(
    { token, searchedFrom }: TokenQuery,
    block: { readonly position: number },
    signal?: AbortSignal,
  ): Promise<TokenFinding> {
    const { client } = this.#options;
    const work = { signal, minBlock: block.position };
    const query = { tokens: [token], minSlot: block.position };
    const [metadata] = await client.at((node) => readMintMetadata(node, query, signal), work);
    if (metadata === undefined || metadata.decimals === null) {
      return { kind: 'noToken', callCount: 1 };
    }
    const listed = await this.#scan(token, work);
    const found = await this.#describe(token, [...listed.pools, ...listDerived(token)], work);
    const callCount = 1 + listed.callCount + found.callCount;
    return { kind: 'token', metadata, pools: found.pools, searchedFrom, callCount };
  }

  /** None if no endpoint lists pools. */
  async #scan(token: Address, work: Work) {
    const { client } = this.#options;
    try {
      const query = { token, quotes: this.#quotes };
      return await client.at((node) => scanPools(node, query, work.signal), work);
    } catch (error) {
      if (!isRpcError(error, 'unsupported')) throw error;
      return { pools: [], callCount: 1 };
    }
  }

  async #describe(token: Address, addresses: readonly Address[], work: Work) {
    const { client, clock } = this.#options;
    const nowSeconds = Math.floor(clock.nowMs() / 1000);
    // The account of a curve does not name its coin.
    const wishes = [...new Set(addresses)].map((one) => ({ pool: toSolanaPool(one), mint: token }));
    const query = { wishes, minSlot: 0, nowSeconds, isFinalized: true };
    const { pools, callCount } = await client.at(
      (node) => readPools(node, query, work.signal),
      work,
    );
    const isWanted = ({ token0, token1 }: PoolDescription) =>
      (token0 === token && this.#quotes.has(token1)) ||
      (token1 === token && this.#quotes.has(token0));
    const found = Array.from(pools.values(), ({ description }) => description).filter(isWanted);
    return { pools: found, callCount };
  }
}
