// Which trades of recorded Solana transactions the index stores, by program: every call that moved
// tokens as an exchange does counts, in a list or not.

import { decodeTrades, UNLISTED } from '../../src/chains/solana/blocks/decode-trades.ts';
import type { RawTransaction } from '../../src/chains/solana/data/raw-transaction.ts';
import { WRAPPED_SOL } from '../../src/chains/solana/data/solana-ids.ts';
import { TokenMoves } from '../../src/chains/solana/data/token-moves.ts';
import { listCalls } from '../../src/chains/solana/data/transaction-calls.ts';
import { VaultBalances } from '../../src/chains/solana/data/vault-balances.ts';
import { findSolanaMarket } from '../../src/chains/solana/solana-market.ts';
import type { UnknownCall } from '../../src/chains/solana/venues/venue-trade.ts';
import type { Recording } from './read-recordings.ts';
import { type MovedAmount, valueSwaps } from './swap-values.ts';

export interface JudgedTrade {
  readonly file: string;
  readonly txHash: string;
  /** Of a program in no list its id. */
  readonly venue: string;
  readonly isStored: boolean;
  /** In dollars; null where the recordings do not tell it. */
  readonly value: number | null;
}

/** What moved under a call; nothing if it exchanged no tokens, so that it was no trade. */
function listMoved(raw: RawTransaction, { outer, inner }: UnknownCall): MovedAmount[] {
  const call = listCalls(raw).find((one) => one.outer === outer && one.inner === inner);
  if (call === undefined) return [];
  const balances = new VaultBalances(raw);
  return new TokenMoves(call).list.flatMap(({ mint, from, to, sent }) => {
    const token = mint ?? balances.mintOf(from) ?? balances.mintOf(to);
    return token === null ? [] : { token, amount: sent };
  });
}

function judge(file: string, raw: RawTransaction) {
  const { trades, unknown } = decodeTrades(raw);
  const txHash = raw.transaction.signatures[0] ?? '';
  const stored = trades.map(({ venue, mintIn, mintOut, amountIn, amountOut }) => ({
    trade: { file, txHash, venue, isStored: true },
    amounts: [
      ...(mintIn === null ? [] : [{ token: mintIn as string, amount: amountIn }]),
      ...(mintOut === null ? [] : [{ token: mintOut as string, amount: amountOut }]),
    ],
  }));
  const missed = unknown.flatMap((call) => {
    const amounts = listMoved(raw, call);
    if (new Set(amounts.map(({ token }) => token)).size < 2) return [];
    const venue = call.venue === UNLISTED ? call.discriminator : call.venue;
    return { trade: { file, txHash, venue, isStored: false }, amounts };
  });
  return [...stored, ...missed];
}

export function measureSolana(recordings: readonly Recording[]): JudgedTrade[] {
  const judged = recordings
    .filter((one) => one.kind === 'transactions')
    .flatMap(({ file, transactions }) => transactions.flatMap((raw) => judge(file, raw)));
  const values = valueSwaps(
    judged.map(({ amounts }) => amounts),
    {
      ...{ wrapped: WRAPPED_SOL, wrappedDecimals: 9, decimalsOf: () => 6 },
      stables: [...findSolanaMarket({ devnet: null }).assets.stable],
    },
  );
  return judged.map(({ trade }, index) => ({ ...trade, value: values[index] ?? null }));
}
