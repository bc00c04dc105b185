// What transactions cost in tests of routing: as on the EVM chains, and as on Solana.

import {
  EVM_COSTS,
  findHopBytes,
  findSwapCost,
} from '../../src/chains/evm/trading/evm-transaction-costs.ts';
import { findSolanaHopBytes, SOLANA_COSTS } from '../../src/chains/solana/trading/solana-costs.ts';
import type { HopBytes, TransactionCosts } from '../../src/chains/transaction-costs.ts';
import type { PoolTerms } from '../../src/model/pool.ts';
import type { PoolRules } from '../../src/trading/graph/pool-graph-pool.ts';
import type { RouteOptions } from '../../src/trading/routing/route.ts';
import { createRoom } from '../../src/trading/routing/trade-cost.ts';

export const TRADE_COSTS: TransactionCosts = { ...EVM_COSTS, hasDataFees: false };

export const TRANSACTION_ROOM = createRoom(TRADE_COSTS, 'whole');

/** The limits of every quote: the room of one transaction. Gas usually leaves one or two legs. */
export const QUOTE_LIMITS: RouteOptions = { room: TRANSACTION_ROOM };

/** For pools without hooks. */
export const PLAIN_RULES: PoolRules = {
  findHook: () => null,
  findSwapCost,
  findHopBytes,
};

/** Of a transaction that has room for about two swaps. */
export const SOLANA_TRADE_COSTS: TransactionCosts = SOLANA_COSTS;

/** The length of a swap on Solana. */
export const findPoolBytes: (pool: PoolTerms) => HopBytes = findSolanaHopBytes;

/** The same, for a pool of this kind. */
export function findSwapBytes(
  kind: 'rangeX64' | 'bins' | 'ceiledProduct' | 'singleRange',
): HopBytes {
  return findSolanaHopBytes({ kind } as never);
}
