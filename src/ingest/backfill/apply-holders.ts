// Replaces a token's balances by those that all its transfers add up to, as a change of the last
// indexed block, with undo images.

import type { ChainSlug } from '../../model/chain.ts';
import type { Address } from '../../model/ids.ts';
import type { BalanceRecord } from '../../model/market-record.ts';
import type { BalancePosition, MarketReads } from '../../store/market-reads.ts';
import type { MarketState, TokenEntry } from '../state/market-state.ts';
import type { JoinedHolders } from './holder-history.ts';

const PAGE_SIZE = 5_000;

/** Brings all stored balances of a token into memory; returns their owners. */
export async function loadHolders(
  state: MarketState,
  reader: Pick<MarketReads, 'readBalancePage'>,
  of: { readonly chain: ChainSlug; readonly token: Address },
): Promise<Address[]> {
  const owners: Address[] = [];
  let after: BalancePosition | null = null;
  for (;;) {
    const wanted = { after, limit: PAGE_SIZE };
    const page: BalanceRecord[] = await reader.readBalancePage(of.chain, of.token, wanted);
    for (const row of page) {
      state.loadBalance(row);
      owners.push(row.owner);
    }
    const last = page.at(-1);
    if (last === undefined || page.length < PAGE_SIZE) return owners;
    after = last;
  }
}

/** Requires that the token and its balances are loaded, and `beginBlock` called. */
export function applyHolders(
  state: MarketState,
  entry: TokenEntry,
  joined: { readonly holders: JoinedHolders; readonly owners: readonly Address[] },
): void {
  const { sums, balances } = joined.holders;
  const { token } = entry.row;
  for (const owner of new Set([...joined.owners, ...balances.keys()])) {
    const amountRaw = balances.get(owner) ?? 0n;
    const balance = state.balances.get(token, owner) ?? state.adoptBalance(token, owner);
    if (balance.row.amountRaw === amountRaw) continue;
    state.touchBalance(balance);
    balance.row.amountRaw = amountRaw;
  }
  state.touchToken(entry);
  const { balanceSumRaw, holders, balancesBroken, firstBlock, firstMs } = sums;
  Object.assign(entry.row, { balanceSumRaw, holders, balancesBroken });
  // Whatever was read before belongs to other balances.
  entry.row.supplyBalanceSumRaw = null;
  if (firstBlock !== null && firstMs !== null && firstBlock < entry.row.firstSeenBlock) {
    Object.assign(entry.row, { firstSeenBlock: firstBlock, firstSeenAtMs: firstMs });
  }
}
