// What several shapes ask alike: pools with all their figures, by address, by token and by text.

import type { Ask } from '../contract/compat-route.ts';
import type { OutputOf } from '../contract/operation.ts';
import { getPool } from '../contract/operations/get-pool.ts';
import { listPools } from '../contract/operations/list-pools.ts';
import { searchTokens } from '../contract/operations/search-tokens.ts';
import type { AnyOperation } from '../contract/operations.ts';
import { AppError } from '../errors/app-error.ts';
import type { CompatParts } from './compat-parts.ts';

type ListedPool = OutputOf<typeof listPools>['pools'][number];
/** A row with everything in it. */
export type FullPool = ListedPool & Pick<Required<ListedPool>, 'windows' | 'reserves'>;

const POOL_PARTS = ['windows', 'reserves', 'tokens'] as const;

/** What other APIs answer with nothing, or with 404. */
const UNKNOWN_CODES: ReadonlySet<string> = new Set([
  ...['UNKNOWN_CHAIN', 'CHAIN_NOT_FOLLOWED', 'INVALID_ADDRESS', 'INVALID_INPUT'],
  ...['TOKEN_NOT_FOUND', 'TOKEN_PAUSED', 'POOL_NOT_FOUND'],
]);

function isUnknown(error: unknown): boolean {
  return error instanceof AppError && UNKNOWN_CODES.has(error.code);
}

/** Null for what nobody knows, or what cannot be an address. */
export async function askKnown<Op extends AnyOperation>(
  ask: Ask,
  operation: Op,
  input: Readonly<Record<string, unknown>>,
) {
  try {
    return await ask(operation, input);
  } catch (error) {
    if (isUnknown(error)) return null;
    throw error;
  }
}

export async function readPool(
  ask: Ask,
  of: { readonly chain: string; readonly pool: string },
): Promise<FullPool | null> {
  return askKnown(ask, getPool, { ...of, include: ['tokens'] });
}

/** The deepest pools of a token; where none has a known value, those with most trades. */
export async function readTokenPools(
  ask: Ask,
  of: { readonly chain: string; readonly mint: string; readonly limit: number },
): Promise<readonly FullPool[]> {
  const { chain, mint, limit } = of;
  for (const sort of ['liquidity', 'trades']) {
    const asked = { chain: [chain], mint, sort, limit, include: POOL_PARTS };
    const found = await askKnown(ask, listPools, asked);
    if (found === null || found.pools.length > 0) return (found?.pools ?? []) as FullPool[];
  }
  return [];
}

// Finding a chain by an address, and pools by a text.

const EVM_ADDRESS = /^0x[0-9a-f]{40}$/i;
const POOL_ID = /^0x[0-9a-f]{64}$/i;
const SOLANA_ADDRESS = /^[1-9A-HJ-NP-Za-km-z]{32,44}$/;

/** The followed chains on which a text may be the address of a token or a pool. */
export function listChainsOf({ listChains }: CompatParts, text: string): string[] {
  const isEvm = EVM_ADDRESS.test(text) || POOL_ID.test(text);
  const namespace = isEvm ? 'eip155:' : SOLANA_ADDRESS.test(text) ? 'solana:' : null;
  if (namespace === null) return [];
  return listChains()
    .filter(({ caip2 }) => caip2.startsWith(namespace))
    .map(({ slug }) => slug);
}

interface TextQuery {
  readonly text: string;
  /** Null: all followed ones. */
  readonly chain: string | null;
  readonly limit: number;
}

/** The tokens whose pools a search lists. */
const TOKENS_MAX = 5;

function toKey({ chain, address }: FullPool): string {
  return `${chain} ${address}`;
}

/**
 * A pool by its address, or the pools of the best matches, of each the deepest first. `SOL/USDC`
 * lists the pools of the first with the second.
 */
export async function searchPools(
  parts: CompatParts,
  ask: Ask,
  { text, chain, limit }: TextQuery,
): Promise<readonly FullPool[]> {
  const chains = listChainsOf(parts, text).filter((slug) => chain === null || slug === chain);
  for (const slug of chains) {
    const pool = await readPool(ask, { chain: slug, pool: text });
    if (pool !== null) return [pool];
  }
  const [first = '', second = ''] = text.split('/').map((part) => part.trim());
  if (first === '') return [];
  const asked = { q: first, limit: TOKENS_MAX, ...(chain === null ? {} : { chain }) };
  const found = await askKnown(ask, searchTokens, asked);
  const pools = new Map<string, FullPool>();
  for (const token of found?.tokens ?? []) {
    const { chain: slug, mint } = token;
    for (const pool of await readTokenPools(ask, { chain: slug, mint, limit })) {
      const symbols = [pool.base.symbol, pool.quote.symbol].map((one) => one?.toLowerCase());
      const isWanted = second === '' || symbols.includes(second.toLowerCase());
      if (isWanted) pools.set(toKey(pool), pools.get(toKey(pool)) ?? pool);
    }
  }
  return [...pools.values()].slice(0, limit);
}
