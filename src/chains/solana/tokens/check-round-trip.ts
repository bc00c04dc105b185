// Whether the tokens of a pool can be bought and sold without loss. Tokens of Solana have no code
// of their own: what a transfer does is fixed by the two token programs and the mint's extensions.

import type { RoundTrip, RoundTripView, RoundTripViews, SwapMeasure } from '../../chain-nodes.ts';
import { readAccounts } from '../accounts/read-accounts.ts';
import type { SolanaNode } from '../rpc/solana-node.ts';
import { TOKEN_PROGRAMS } from '../transactions/token-moves.ts';
import { findMintFlags } from './mint-extensions.ts';

/** So that no share of it is rounded. */
const AMOUNT = 1_000_000_000n;

function measure(isPlain: boolean): SwapMeasure {
  const amount = isPlain ? AMOUNT : 0n;
  return {
    ...{ isDone: isPlain, sent: AMOUNT, arrived: amount, paid: AMOUNT, received: amount },
    ...{ stray: 0n, unusualUnits: 0n, before: null },
  };
}

/** As the mints are now; null if the trip has no pool. */
export async function checkRoundTrip(
  node: SolanaNode,
  { hops, minBlock }: Pick<RoundTrip, 'hops' | 'minBlock'>,
  signal?: AbortSignal,
): Promise<RoundTripViews | null> {
  const pool = hops.at(-1)?.pool;
  if (pool === undefined) return null;
  const addresses = [pool.token0, pool.token1];
  const { accounts } = await readAccounts(node, { addresses, minSlot: minBlock }, signal);
  const isPlain = addresses.every((mint) => {
    const account = accounts.get(mint);
    if (account === undefined || !TOKEN_PROGRAMS.has(account.owner)) return false;
    return findMintFlags(account.data).length === 0;
  });
  const view: RoundTripView = { there: measure(isPlain), back: isPlain ? measure(true) : null };
  return { asContract: null, asWallet: view };
}
