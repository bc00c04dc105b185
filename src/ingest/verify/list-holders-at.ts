// All holders of a token at the block of a join, as `joinHolders` takes them.

import type { ChainAdapter } from '../../chains/adapter.ts';
import type { Address } from '../../model/ids.ts';
import { type JoinedHolders, NO_SUMS } from '../backfill/holder-history.ts';
import type { ReadSizes } from '../read/read-ahead.ts';
import { ChainInconsistentError } from '../state/chain-errors.ts';
import { ListedHolders } from './listed-holders.ts';

interface ListContext {
  readonly adapter: ChainAdapter;
  readonly sizes: ReadSizes;
  readonly signal: AbortSignal;
}

export async function listHoldersAt(
  { adapter, sizes, signal }: ListContext,
  { token, block }: { readonly token: Address; readonly block: number },
): Promise<JoinedHolders> {
  const header = await adapter.readHeader(block, signal);
  if (header?.position !== block) throw new ChainInconsistentError(`block ${block} is gone`);
  const tokens = new Set([token]);
  const balances = await new ListedHolders({ adapter, sizes, signal, header, tokens }).read(token);
  if (balances === null) {
    throw new ChainInconsistentError(`the holders of ${token} at block ${block} keep changing`);
  }
  const balanceSumRaw = [...balances.values()].reduce((sum, amountRaw) => sum + amountRaw, 0n);
  return { token, balances, sums: { ...NO_SUMS, balanceSumRaw, holders: balances.size } };
}
