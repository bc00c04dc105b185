// Simulated calls as unsigned transactions: with gas, fees and nonces.

import type { EvmTransaction, WalletCalls } from '../../../contract/schemas/transaction-schemas.ts';
import type { Address } from '../../../model/ids.ts';
import type {
  BuildRequest,
  BuiltTransactions,
  ExecutableTrade,
  SignedPermit,
} from '../../chain-transactions.ts';
import { toShownAddress } from '../data/checksum-address.ts';
import type { SwapRouter } from '../venues/swap-routers.ts';
import { findSpender, type TransactionKind } from './encode-approval.ts';
import { TRANSACTION_GAS_MAX } from './evm-transaction-costs.ts';
import { buildPermitMessage } from './permit-message.ts';
import type { DataCost } from './read-data-cost.ts';
import type { EvmFees } from './read-network-fees.ts';
import type { Trader } from './read-trader.ts';
import type { PlannedTransaction, Rehearsal } from './rehearse-trade.ts';

interface RehearsedTrade {
  readonly trade: ExecutableTrade;
  readonly approval: BuildRequest['approval'];
  /** Part of the swap. */
  readonly permit: SignedPermit | null;
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

/** Who takes the token from the wallet is Permit2 or the router itself. */
const PURPOSES: Readonly<Record<TransactionKind, string>> = {
  'approve-reset': 'reset the previous allowance of {spender}, which this token requires',
  approve: 'allow {spender} to take what is spent, and no more',
  'permit2-approve': 'allow the router to take it through Permit2, until the deadline',
  swap: 'the trade',
};
const LASTING_APPROVAL_PURPOSE =
  'allow Permit2 to take this token, without limit: it takes only what you sign for, and later trades need no approval';
const PERMIT_PURPOSE =
  'a message that lets the router take what is spent through Permit2, once and until the deadline; the trade is built with its signature';

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
  const { trade, trader, router, permit, deadlineSeconds } = rehearsed;
  const { allowance } = trader;
  if (allowance === null) return null;
  const { maxAmountInRaw: requiredRaw } = trade;
  const { tokenRaw, permit2Raw, permit2Expiration } = allowance;
  if (tokenRaw < requiredRaw) {
    return { spender: findSpender(router), requiredRaw, actualRaw: tokenRaw };
  }
  if (router.permit2 === null || permit !== null) return null;
  const actualRaw = permit2Expiration < deadlineSeconds ? 0n : permit2Raw;
  return actualRaw < requiredRaw ? { spender: router.address, requiredRaw, actualRaw } : null;
}

function summariseSimulation({ rehearsal }: RehearsedTrade): BuiltTransactions['simulation'] {
  const { amountInRaw, amountOutRaw, isBalanceAssumed, timeSeconds, transactions } = rehearsal;
  if (amountOutRaw === null) return null;
  const unitsUsed = transactions.reduce((sum, one) => sum + (one.gasUsed ?? 0n), 0n);
  return { amountInRaw, amountOutRaw, unitsUsed, isBalanceAssumed, timeSeconds };
}

/** What must be signed before the swap; the simulation had a transaction in its place. */
function findMissingPermit(rehearsed: RehearsedTrade): BuiltTransactions['permit'] {
  const { trade, router, trader, approval, rehearsal, chainId, deadlineSeconds } = rehearsed;
  const isMissing = rehearsal.transactions.some(({ kind }) => kind === 'permit2-approve');
  if (approval === 'onchain' || !isMissing || router.kind !== 'universal') return null;
  const terms = {
    ...{ router: router.name, amountRaw: trade.maxAmountInRaw, deadlineSeconds },
    nonce: trader.allowance?.permit2Nonce ?? 0,
  };
  const message = buildPermitMessage({ router, token: trade.tokenIn }, terms, chainId);
  return { purpose: PERMIT_PURPOSE, terms, message };
}

function buildWalletCalls(
  { chainId, wallet }: RehearsedTrade,
  transactions: readonly EvmTransaction[],
): WalletCalls {
  return {
    version: '2.0.0',
    chainId: `0x${chainId.toString(16)}`,
    from: toShownAddress(wallet),
    atomicRequired: true,
    calls: transactions.map(({ to, data, value }) => {
      return { to, data, value: `0x${BigInt(value).toString(16)}` };
    }),
  };
}

function describePurpose(kind: TransactionKind, { router, approval }: RehearsedTrade): string {
  if (kind === 'approve' && approval === 'permit' && router.permit2 !== null) {
    return LASTING_APPROVAL_PURPOSE;
  }
  const spender = router.permit2 === null ? 'the router' : 'Permit2';
  return PURPOSES[kind].replace('{spender}', spender);
}

export function buildTransactions(rehearsed: RehearsedTrade): BuiltTransactions {
  const { trade, rehearsal, fees, dataCost, deadlineSeconds } = rehearsed;
  const permit = findMissingPermit(rehearsed);
  const planned = rehearsal.transactions.map((transaction, index) => {
    const { kind } = transaction;
    const gas = computeGasLimit(transaction, trade) + (dataCost.gas[index] ?? 0n);
    const unsigned = buildUnsigned(rehearsed, transaction, { index, gas });
    const isLater = permit !== null && (kind === 'permit2-approve' || kind === 'swap');
    return { gas, purpose: describePurpose(kind, rehearsed), unsigned, isLater };
  });
  const transactions = planned.filter(({ isLater }) => !isLater);
  const calls = transactions.map(({ unsigned }) => unsigned);
  return {
    transactions: transactions.map(({ purpose, unsigned }) => ({ purpose, unsigned })),
    deadlineSeconds,
    feesRaw: planned.reduce((sum, { gas }) => sum + gas * fees.maxFeePerGas, dataCost.feesRaw),
    simulation: summariseSimulation(rehearsed),
    allowance: findMissingAllowance(rehearsed),
    permit,
    walletCalls: permit === null ? buildWalletCalls(rehearsed, calls) : null,
  };
}
