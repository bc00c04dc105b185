// Reads supplies from contracts, for tokens whose balances changed since the last read.

import type { ChainAdapter, ChainAssets } from '../../chains/adapter.ts';
import type { BlockHeader } from '../../model/block-header.ts';
import type { Address } from '../../model/ids.ts';
import type { TokenRecord } from '../../model/market-record.ts';
import type { MarketScanner } from '../../store/store.ts';
import { SupplyReadError } from '../state/chain-errors.ts';
import type { TokenEntry } from '../state/market-state.ts';

/**
 * Whether the supply must be read again. This depends only on the stored row, so it survives a
 * restart. The native coin has no contract.
 */
export function isSupplyDue(row: TokenRecord, { coin }: Pick<ChainAssets, 'coin'>): boolean {
  if (row.token === coin) return false;
  return row.supplyBlock === null || row.supplyBalanceSumRaw !== row.balanceSumRaw;
}

/** Stored tokens whose supply is due, at most `countMax`. */
export async function findSuppliesDue(
  scanner: Pick<MarketScanner, 'scanUnsuppliedTokens'>,
  { chain, assets }: Pick<ChainAdapter, 'chain' | 'assets'>,
  countMax: number,
): Promise<Set<Address>> {
  const due = new Set<Address>();
  for await (const rows of scanner.scanUnsuppliedTokens(chain)) {
    for (const row of rows) {
      if (due.size >= countMax) return due;
      if (isSupplyDue(row, assets)) due.add(row.token);
    }
  }
  return due;
}

/**
 * Reads the supplies of tokens at a block; null for a contract that does not respond. Throws
 * `SupplyReadError` if the source fails.
 */
export async function readSupplies(
  adapter: ChainAdapter,
  request: {
    readonly entries: readonly TokenEntry[];
    readonly header: BlockHeader;
    readonly signal: AbortSignal;
  },
): Promise<ReadonlyMap<Address, bigint | null>> {
  if (request.entries.length === 0) return new Map();
  const tokens = request.entries.map(({ row }) => row.token);
  try {
    const supplies = await adapter.readSupplies(tokens, request.header, request.signal);
    return new Map(supplies.map(({ token, supplyRaw }) => [token, supplyRaw]));
  } catch (cause) {
    request.signal.throwIfAborted();
    throw new SupplyReadError(`supplies at block ${request.header.position}`, { cause });
  }
}

/**
 * Sets the supplies as of the block of the rows' balances. Returns the tokens that had a supply and
 * got no response: a node that has pruned the block's state must not erase it.
 */
export function setSupplies(
  entries: readonly TokenEntry[],
  supplies: ReadonlyMap<Address, bigint | null>,
  header: BlockHeader,
): readonly Address[] {
  const missed: Address[] = [];
  for (const { row } of entries) {
    const supplyRaw = supplies.get(row.token) ?? null;
    if (supplyRaw === null && row.supplyRaw !== null) {
      missed.push(row.token);
      continue;
    }
    row.supplyRaw = supplyRaw;
    row.supplyBlock = header.position;
    row.supplyBalanceSumRaw = row.balanceSumRaw;
  }
  return missed;
}

/**
 * Reads the supplies that are due among changed tokens, unless told not to. Returns the tokens that
 * must be read later: a supply must not delay the blocks.
 */
export async function renewSupplies(
  adapter: ChainAdapter,
  changed: {
    readonly tokens: Iterable<TokenEntry>;
    readonly header: BlockHeader;
    readonly isRead: boolean;
    readonly signal: AbortSignal;
  },
): Promise<readonly Address[]> {
  const { header, signal } = changed;
  const entries = [...changed.tokens].filter(({ row }) => isSupplyDue(row, adapter.assets));
  if (changed.isRead) {
    try {
      return setSupplies(entries, await readSupplies(adapter, { entries, header, signal }), header);
    } catch (error) {
      if (!(error instanceof SupplyReadError)) throw error;
    }
  }
  return entries.map(({ row }) => row.token);
}
