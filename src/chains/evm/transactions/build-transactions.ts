// Simulated calls as unsigned transactions: with gas, fees and nonces.

import type { EvmTransaction } from '../../../contract/schemas/transaction-schemas.ts';
import type { Address } from '../../../model/ids.ts';
import type { BuiltTransactions, ExecutableTrade } from '../../chain-transactions.ts';
import { toShownAddress } from '../checksum-address.ts';
import type { EvmFees } from '../read-network-fees.ts';
import type { TransactionKind } from './encode-approval.ts';
import { TRANSACTION_GAS_MAX } from './evm-transaction-costs.ts';
import type { DataCost } from './read-data-cost.ts';
import type { Trader } from './read-trader.ts';
import type { PlannedTransaction, Rehearsal } from './rehearse-trade.ts';
import type { SwapRouter } from './swap-plan.ts';

interface RehearsedTrade {
  readonly trade: ExecutableTrade;
  readonly wallet: Address;
  readonly trader: Trader;
  readonly router: SwapRouter;
  readonly rehearsal: Rehearsal;
  readonly fees: EvmFees;
  readonly dataCost: DataCost;
  readonly chainId: number;
  readonly deadlineSeconds: number;
}

/** The gas of approvals if no node could simulate. */
const APPROVE_GAS = 80_000n;

const PURPOSES: Readonly<Record<TransactionKind, string>> = {
  'approve-reset': 'reset the previous allowance of Permit2, which this token requires',
  approve: 'allow Permit2 to take exactly what is spent',
  'permit2-approve': 'allow the router to take it through Permit2, until the deadline',
  swap: 'the trade',
};

/**
 * 1.5 times the gas used: up to a fifth may be refunded at the end but is needed before, and moved
 * prices may cross more ticks.
 */
function computeGasLimit({ kind, gasUsed }: PlannedTransaction, trade: ExecutableTrade): bigint {
  const modelled = kind === 'swap' ? trade.costUnits : APPROVE_GAS;
  const limit = ((gasUsed ?? modelled) * 3n) / 2n;
  if (limit > TRANSACTION_GAS_MAX) return TRANSACTION_GAS_MAX;
  return limit;
}

function buildUnsigned(
  rehearsed: RehearsedTrade,
  transaction: PlannedTransaction,
  place: { readonly index: number; readonly gas: bigint },
): EvmTransaction {
  const { fees, wallet, trader, chainId } = rehearsed;
  return {
    kind: transaction.kind,
    chainId,
    from: toShownAddress(wallet),
    to: toShownAddress(transaction.to),
    data: transaction.data,
    value: transaction.value.toString(),
    gas: place.gas.toString(),
    maxFeePerGas: fees.maxFeePerGas.toString(),
    maxPriorityFeePerGas: fees.maxPriorityFeePerGas.toString(),
    nonce: trader.nonce + place.index,
    type: 'eip1559',
  };
}

function findMissingAllowance(rehearsed: RehearsedTrade): BuiltTransactions['allowance'] {
  const { trade, trader, router, deadlineSeconds } = rehearsed;
  const { allowance } = trader;
  if (allowance === null) return null;
  const { amountInRaw: requiredRaw } = trade;
  const { tokenRaw, permit2Raw, permit2Expiration } = allowance;
  if (tokenRaw < requiredRaw) return { spender: router.permit2, requiredRaw, actualRaw: tokenRaw };
  const actualRaw = permit2Expiration < deadlineSeconds ? 0n : permit2Raw;
  return actualRaw < requiredRaw ? { spender: router.address, requiredRaw, actualRaw } : null;
}

function summariseSimulation({ rehearsal }: RehearsedTrade): BuiltTransactions['simulation'] {
  const { amountOutRaw, isBalanceAssumed, transactions } = rehearsal;
  if (amountOutRaw === null) return null;
  const unitsUsed = transactions.reduce((sum, one) => sum + (one.gasUsed ?? 0n), 0n);
  return { amountOutRaw, unitsUsed, isBalanceAssumed };
}

export function buildTransactions(rehearsed: RehearsedTrade): BuiltTransactions {
  const { trade, rehearsal, fees, dataCost, deadlineSeconds } = rehearsed;
  const planned = rehearsal.transactions.map((transaction, index) => {
    const gas = computeGasLimit(transaction, trade) + (dataCost.gas[index] ?? 0n);
    const unsigned = buildUnsigned(rehearsed, transaction, { index, gas });
    return { gas, purpose: PURPOSES[transaction.kind], unsigned };
  });
  return {
    transactions: planned.map(({ purpose, unsigned }) => ({ purpose, unsigned })),
    deadlineSeconds,
    feesRaw: planned.reduce((sum, { gas }) => sum + gas * fees.maxFeePerGas, dataCost.feesRaw),
    simulation: summariseSimulation(rehearsed),
    allowance: findMissingAllowance(rehearsed),
  };
}
