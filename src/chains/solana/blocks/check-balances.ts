// Compares the trades of a transaction with its balance rows, for `verify`: instructions and
// balances are recorded apart from each other, so that neither a wrong reply nor a wrong decoder
// changes both.

import type { Address } from '../../../model/ids.ts';
import type { RawTransaction } from '../data/raw-transaction.ts';
import { TokenMoves } from '../data/token-moves.ts';
import { listCalls } from '../data/transaction-calls.ts';
import { VaultBalances } from '../data/vault-balances.ts';
import type { VenueTrade } from '../venues/venue-trade.ts';
import { decodeTrades, UNLISTED } from './decode-trades.ts';

export interface BalanceCheck {
  /** How many vaults' changes were compared. */
  readonly compared: number;
  /** A line for each vault that its trades do not explain. */
  readonly contradictions: readonly string[];
}

const NOTHING: BalanceCheck = { compared: 0, contradictions: [] };

function sumByVault(trades: readonly VenueTrade[]): Map<Address, bigint> {
  const sums = new Map<Address, bigint>();
  const add = (vault: Address, amount: bigint) => sums.set(vault, (sums.get(vault) ?? 0n) + amount);
  for (const { vaultIn, vaultOut, amountIn, amountOut } of trades) {
    add(vaultIn, amountIn);
    add(vaultOut, -amountOut);
  }
  return sums;
}

/** Transfers that are no part of a trade, such as a gift to a pool. */
function listOtherMoves(raw: RawTransaction, trades: readonly VenueTrade[]): TokenMoves {
  const calls = listCalls(raw);
  const places = new Set(trades.map(({ outer, inner }) => `${outer} ${inner}`));
  const ofTrades = calls.filter(({ outer, inner }) => places.has(`${outer} ${inner}`));
  const nested = new Set(ofTrades.flatMap((call) => call.nested));
  return new TokenMoves({ nested: calls.filter((call) => !nested.has(call)) });
}

/** Nothing of a transaction that changes pools in other ways, too, or that cannot be decoded. */
export function checkTradeBalances(raw: RawTransaction): BalanceCheck {
  try {
    const { trades, poolCalls, unknown } = decodeTrades(raw);
    // Programs that are in no list trade in vaults of their own.
    const isClear = poolCalls.length === 0 && unknown.every(({ venue }) => venue === UNLISTED);
    // Balances themselves are the source of trades without any other record.
    const isBalanced = trades.some(({ source }) => source === 'balances');
    if (trades.length === 0 || !isClear || isBalanced) return NOTHING;
    const balances = new VaultBalances(raw);
    const others = listOtherMoves(raw, trades);
    const changes = [...sumByVault(trades)].flatMap(([vault, traded]) => {
      const change = balances.changeOf(vault);
      // A curve's own coin is no token.
      return change === null ? [] : [{ vault, traded, change: change - others.gain(vault) }];
    });
    const contradictions = changes
      .filter(({ traded, change }) => traded !== change)
      .map(
        ({ vault, traded, change }) =>
          `trades of ${raw.transaction.signatures[0]}: vault ${vault} changed by ${traded}, by its balances ${change}`,
      );
    return { compared: changes.length, contradictions };
  } catch (error) {
    // Malformed transactions are counted where they are indexed.
    if (error instanceof RangeError) return NOTHING;
    throw error;
  }
}
