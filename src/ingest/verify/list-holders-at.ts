// All holders of a token at a block that is past, on a chain that lists them as of now only: what
// is listed, with the transfers since then taken back.

import type { ChainAdapter } from '../../chains/adapter.ts';
import type { Address } from '../../model/ids.ts';
import type { JoinedHolders } from '../backfill/holder-history.ts';
import { NO_SUMS } from '../backfill/holder-history.ts';
import { type ReadSizes, readAhead } from '../read/read-ahead.ts';
import { ChainInconsistentError } from '../state/chain-errors.ts';

interface ListContext {
  readonly adapter: ChainAdapter;
  readonly sizes: ReadSizes;
  readonly signal: AbortSignal;
}

/** How often to begin again if the chain leaves the branch meanwhile. */
const ATTEMPTS_MAX = 5;

/** Null if the chain has left the branch that the holders were listed on. */
async function listOnce(
  { adapter, sizes, signal }: ListContext,
  { token, block }: { readonly token: Address; readonly block: number },
): Promise<ReadonlyMap<Address, bigint> | null> {
  const listed = await adapter.readHolders?.({ token, minBlock: block }, signal);
  if (listed === undefined) throw new Error(`${adapter.chain} does not list holders`);
  const { position: toBlock, hash } = listed.at;
  const balances = new Map(listed.balances);
  const move = (owner: Address | null, deltaRaw: bigint) => {
    if (owner !== null) balances.set(owner, (balances.get(owner) ?? 0n) + deltaRaw);
  };
  const range = { adapter, fromBlock: block + 1, toBlock, sizes, signal };
  for await (const { reading } of readAhead(range)) {
    for (const { events } of reading.blocks) {
      for (const event of events) {
        if (event.kind !== 'transfer' || event.token !== token) continue;
        move(event.from, event.amountRaw);
        move(event.to, -event.amountRaw);
      }
    }
  }
  const last = await adapter.readHeader(toBlock, signal);
  return last?.position === toBlock && (hash ?? last.hash) === last.hash ? balances : null;
}

export async function listHoldersAt(
  context: ListContext,
  at: { readonly token: Address; readonly block: number },
): Promise<JoinedHolders> {
  const { token, block } = at;
  for (let count = 0; count < ATTEMPTS_MAX; count += 1) {
    const found = await listOnce(context, at);
    if (found === null) continue;
    const balances = new Map([...found].filter(([, amountRaw]) => amountRaw !== 0n));
    const balanceSumRaw = [...balances.values()].reduce((sum, amountRaw) => sum + amountRaw, 0n);
    return { token, balances, sums: { ...NO_SUMS, balanceSumRaw, holders: balances.size } };
  }
  throw new ChainInconsistentError(`the holders of ${token} at block ${block} keep changing`);
}
