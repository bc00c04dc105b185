// Whether the tokens of a pool can be bought and sold without loss. Tokens of Solana have no code
// of their own: what a transfer does is fixed by the two token programs and the mint's extensions.
// A transfer fee that the pool's swaps include already is no loss.

import { computeTransferFee, type PoolTransferFees } from '../../../amm/transfer-fee.ts';
import type { RoundTrip, RoundTripView, RoundTripViews, SwapMeasure } from '../../chain-nodes.ts';
import { TOKEN_PROGRAMS } from '../data/solana-ids.ts';
import { readAccounts } from '../rpc/read-accounts.ts';
import type { SolanaNode } from '../rpc/solana-node.ts';
import { findMintFlags, isMintPaused } from '../tokens/mint-extensions.ts';
import { EPOCH_ACCOUNTS, readHighestFees, readTransferFees } from '../tokens/mint-fees.ts';

/** So that no share of it is rounded. */
const AMOUNT = 1_000_000_000n;
type BothFees = Pick<PoolTransferFees, 'fee0' | 'fee1'>;
const NO_FEES: BothFees = { fee0: null, fee1: null };

/** What is left of a transfer of each token, beside the fees that the swaps include. */
interface LeftAmounts {
  readonly token0: bigint;
  readonly token1: bigint;
}

function findLeft(now: BothFees, included: BothFees): LeftAmounts {
  const left = (side: 'fee0' | 'fee1') =>
    AMOUNT - computeTransferFee(now[side], AMOUNT) + computeTransferFee(included[side], AMOUNT);
  return { token0: left('fee0'), token1: left('fee1') };
}

function measure(left: LeftAmounts | null, zeroForOne: boolean): SwapMeasure {
  const [arrived, received] =
    left === null ? [0n, 0n] : zeroForOne ? [left.token0, left.token1] : [left.token1, left.token0];
  return {
    ...{ isDone: left !== null, sent: AMOUNT, arrived, paid: AMOUNT, received },
    ...{ stray: 0n, unusualUnits: 0n, before: null },
  };
}

/** As the mints are now; null if the trip has no pool. */
export async function checkRoundTrip(
  node: SolanaNode,
  { hops, minBlock }: Pick<RoundTrip, 'hops' | 'minBlock'>,
  signal?: AbortSignal,
): Promise<RoundTripViews | null> {
  const last = hops.at(-1);
  if (last === undefined) return null;
  const { pool, zeroForOne } = last;
  const mints = [pool.token0, pool.token1];
  const query = { addresses: [...mints, ...EPOCH_ACCOUNTS], minSlot: minBlock };
  const { accounts } = await readAccounts(node, query, signal);
  const flags = mints.flatMap((mint) => {
    const account = accounts.get(mint);
    if (account === undefined || !TOKEN_PROGRAMS.has(account.owner)) return ['unread' as const];
    // A mint that is paused now is quoted again when it is not.
    return isMintPaused(account.data) ? ['closed' as const] : findMintFlags(account.data);
  });
  // Swaps that include no fee must not be called clean while one is about to begin.
  const fees = pool.transferFees
    ? readTransferFees(accounts, pool)
    : readHighestFees(accounts, pool);
  const isPlain = flags.every((flag) => flag === 'transferFee') && fees !== null;
  const left = isPlain ? findLeft(fees, pool.transferFees ?? NO_FEES) : null;
  const view: RoundTripView = {
    there: measure(left, zeroForOne),
    back: left === null ? null : measure(left, !zeroForOne),
  };
  return { asContract: null, asWallet: view };
}
