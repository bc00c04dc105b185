// Sums up a token's transfers from its first one on, by the code of the index itself, apart from
// the balances that the index has: those lack what owners had before it began.

import type { ChainAssets } from '../../chains/adapter.ts';
import type { BlockHeader } from '../../model/block-header.ts';
import type { ChainSlug } from '../../model/chain.ts';
import type { Address } from '../../model/ids.ts';
import type { BalanceRecord, TokenRecord } from '../../model/market-record.ts';
import type { MarketReader } from '../../store/store.ts';
import { applyTransfer } from '../apply/apply-blocks.ts';
import { MarketState } from '../state/market-state.ts';
import { BackfillError } from './backfill-error.ts';
import type { PlacedTransfer } from './transfer-journal.ts';

/** The sums so far, besides the balances. */
interface HolderSums {
  readonly balanceSumRaw: bigint;
  readonly holders: number;
  readonly balancesBroken: boolean;
  readonly transferCount: number;
  /** The block of the first transfer; null before it. */
  readonly firstBlock: number | null;
  /** Its time; null until it was read. */
  readonly firstMs: number | null;
}

export const NO_SUMS: HolderSums = {
  ...{ balanceSumRaw: 0n, holders: 0, balancesBroken: false },
  ...{ transferCount: 0, firstBlock: null, firstMs: null },
};

/** All holders of a token at a block. */
export interface JoinedHolders {
  readonly token: Address;
  readonly sums: HolderSums;
  /** Those above zero. */
  readonly balances: ReadonlyMap<Address, bigint>;
}

/** Tokens beyond these are not summed up: nobody pages through so many holders. */
const TRANSFER_COUNT_MAX = 3_000_000;
const HOLDER_COUNT_MAX = 200_000;

interface SumsOptions {
  readonly assets: ChainAssets;
  readonly row: TokenRecord;
  readonly sums: HolderSums;
  /** The balances that the transfers mention, as they were before them. */
  readonly balances: readonly BalanceRecord[];
}

/** Applies transfers in order; returns the balances that they changed. */
export function addTransfers(
  transfers: readonly PlacedTransfer[],
  { assets, row, sums, balances }: SumsOptions,
): { readonly sums: HolderSums; readonly changed: readonly BalanceRecord[] } {
  const state = new MarketState(assets);
  const { balanceSumRaw, holders, balancesBroken } = sums;
  const entry = state.adoptToken({ ...row, balanceSumRaw, holders, balancesBroken });
  for (const { token, owner, amountRaw } of balances) {
    state.adoptBalance(token, owner).row.amountRaw = amountRaw;
  }
  const adopt = (owner: Address | null): void => {
    if (owner === null || state.balances.get(row.token, owner) !== undefined) return;
    state.adoptBalance(row.token, owner);
  };
  for (const { block, event } of transfers) {
    adopt(event.from);
    adopt(event.to);
    state.beginBlock(buildHeader(block), false);
    applyTransfer(state, event);
  }
  return {
    changed: Array.from(state.takeChanges().balances, (changed) => ({ ...changed.row })),
    sums: {
      balanceSumRaw: entry.row.balanceSumRaw,
      holders: entry.row.holders,
      balancesBroken: entry.row.balancesBroken,
      transferCount: sums.transferCount + transfers.length,
      firstBlock: sums.firstBlock ?? transfers[0]?.block ?? null,
      firstMs: sums.firstMs,
    },
  };
}

/** Only the position matters here. */
function buildHeader(position: number): BlockHeader {
  return { position, hash: '', parentPosition: position - 1, parentHash: '', timestampMs: 0 };
}

/** The next part of a job: its sums and the balances to store with them. */
export async function addStoredTransfers(
  reader: MarketReader,
  chain: ChainSlug,
  added: {
    readonly transfers: readonly PlacedTransfer[];
    readonly row: TokenRecord;
    readonly sums: HolderSums;
    readonly assets: ChainAssets;
  },
): Promise<{ readonly sums: HolderSums; readonly changed: readonly BalanceRecord[] }> {
  const { token } = added.row;
  const owners = new Set(added.transfers.flatMap(({ event }) => [event.from, event.to]));
  owners.delete(null);
  const keys = [...owners].flatMap((owner) => (owner === null ? [] : [{ token, owner }]));
  const balances = await reader.readBackfillBalances(chain, keys);
  const result = addTransfers(added.transfers, { ...added, balances });
  if (result.sums.transferCount > TRANSFER_COUNT_MAX) {
    throw new BackfillError('the token has too many transfers');
  }
  if (result.sums.holders > HOLDER_COUNT_MAX) {
    throw new BackfillError('the token has too many holders');
  }
  return result;
}

interface EncodedSums extends Omit<HolderSums, 'balanceSumRaw'> {
  readonly balanceSumRaw: string;
}

export function encodeSums(sums: HolderSums): string {
  const encoded: EncodedSums = { ...sums, balanceSumRaw: sums.balanceSumRaw.toString() };
  return JSON.stringify(encoded);
}

export function decodeSums(memory: string): HolderSums {
  const encoded = JSON.parse(memory) as EncodedSums;
  return { ...encoded, balanceSumRaw: BigInt(encoded.balanceSumRaw) };
}
