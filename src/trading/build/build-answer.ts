// A rehearsed trade as the answer on the wire: gas, fees and nonces filled in, shortfalls named.

import type { EvmFees } from '../../chains/evm/read-network-fees.ts';
import type { DataCost } from '../../chains/evm/transactions/read-data-cost.ts';
import type { Trader } from '../../chains/evm/transactions/read-trader.ts';
import type { SwapRouter } from '../../chains/evm/transactions/swap-plan.ts';
import type { OutputOf } from '../../contract/operation.ts';
import type { buildTrade } from '../../contract/operations/build-trade.ts';
import { toShownAddress } from '../../lib/checksum-address.ts';
import { toUnits } from '../../lib/decimal.ts';
import { CHAINS } from '../../model/chain.ts';
import { type Address, ZERO_ADDRESS } from '../../model/market-event.ts';
import type { PricedTrade } from '../quote/priced-trade.ts';
import type { QuoteAnswer } from '../quote/quote-answer.ts';
import { TRANSACTION_GAS_MAX } from '../quote/trade-gas.ts';
import type { PlannedTransaction, Sequence } from './build-sequence.ts';
import { toShownAmount, toSummary } from './build-summary.ts';

export type BuildAnswer = OutputOf<typeof buildTrade>;
type Issues = BuildAnswer['issues'];

export interface BuiltFacts {
  readonly trade: PricedTrade;
  readonly quote: QuoteAnswer;
  readonly wallet: Address;
  readonly trader: Trader;
  readonly router: SwapRouter;
  readonly sequence: Sequence;
  readonly fees: EvmFees;
  readonly dataCost: DataCost;
  readonly chainId: number;
  readonly deadlineSeconds: number;
  readonly block: number;
}

/** What approvals use where no node could tell. */
const APPROVE_GAS = 80_000n;

/**
 * Half as much again as was used: a fifth may have been paid back at the end and is needed on the
 * way, and prices that moved may cross more ticks.
 */
function toGasLimit(transaction: PlannedTransaction, trade: PricedTrade): bigint {
  const modelled = transaction.kind === 'swap' ? trade.gas : APPROVE_GAS;
  const limit = ((transaction.gasUsed ?? modelled) * 3n) / 2n;
  if (limit > TRANSACTION_GAS_MAX) return TRANSACTION_GAS_MAX;
  return limit;
}

function toGasLimits({ sequence, trade, dataCost }: BuiltFacts): bigint[] {
  return sequence.transactions.map(
    (transaction, index) => toGasLimit(transaction, trade) + (dataCost.gas[index] ?? 0n),
  );
}

function toTransactions(facts: BuiltFacts): BuildAnswer['transactions'] {
  const { sequence, fees, wallet, trader, chainId } = facts;
  const gasLimits = toGasLimits(facts);
  return sequence.transactions.map((transaction, index) => ({
    kind: transaction.kind,
    chainId,
    from: toShownAddress(wallet),
    to: toShownAddress(transaction.to),
    data: transaction.data,
    value: transaction.value.toString(),
    gas: (gasLimits[index] ?? 0n).toString(),
    maxFeePerGas: fees.maxFeePerGas.toString(),
    maxPriorityFeePerGas: fees.maxPriorityFeePerGas.toString(),
    nonce: trader.nonce + index,
    type: 'eip1559' as const,
  }));
}

function toAllowanceIssue(facts: BuiltFacts): Issues['allowance'] {
  const { trade, trader, router, deadlineSeconds } = facts;
  const { allowance } = trader;
  if (allowance === null) return undefined;
  const { amountInRaw, tokenIn } = trade;
  const mint = toShownAddress(tokenIn.token);
  const requiredRaw = amountInRaw.toString();
  const toIssue = (spender: Address, actualRaw: bigint) => ({
    mint,
    spender: toShownAddress(spender),
    requiredRaw,
    actualRaw: actualRaw.toString(),
  });
  if (allowance.tokenRaw < amountInRaw) return toIssue(router.permit2, allowance.tokenRaw);
  const isOver = allowance.permit2Expiration < deadlineSeconds;
  const permittedRaw = isOver ? 0n : allowance.permit2Raw;
  return permittedRaw < amountInRaw ? toIssue(router.address, permittedRaw) : undefined;
}

function toIssues(facts: BuiltFacts, feesRaw: bigint): Issues {
  const { trade, trader } = facts;
  const { amountInRaw, tokenIn } = trade;
  const toShortfall = (token: Address, requiredRaw: bigint, actualRaw: bigint) => ({
    mint: toShownAddress(token),
    requiredRaw: requiredRaw.toString(),
    actualRaw: actualRaw.toString(),
  });
  const nativeRequired = feesRaw + (tokenIn.isNative ? amountInRaw : 0n);
  const allowance = toAllowanceIssue(facts);
  return {
    ...(trader.balanceRaw < amountInRaw
      ? { balance: toShortfall(tokenIn.token, amountInRaw, trader.balanceRaw) }
      : {}),
    ...(allowance === undefined ? {} : { allowance }),
    ...(trader.nativeRaw < nativeRequired
      ? { nativeForFees: toShortfall(ZERO_ADDRESS, nativeRequired, trader.nativeRaw) }
      : {}),
  };
}

function toMissing(facts: BuiltFacts, issues: Issues): string[] {
  const { trade, trader } = facts;
  const { native } = CHAINS[trade.request.chain];
  const lines: string[] = [];
  // Where the native coin is spent, what is missing of it is told once, with the fees.
  if (issues.balance !== undefined && !trade.tokenIn.isNative) {
    const missing = trade.amountInRaw - trader.balanceRaw;
    lines.push(`Missing: your wallet lacks ${toShownAmount(trade.tokenIn, missing)}`);
  }
  if (issues.nativeForFees !== undefined) {
    const missing = BigInt(issues.nativeForFees.requiredRaw) - trader.nativeRaw;
    const amount = toUnits(missing, native.decimals);
    lines.push(`Missing: your wallet lacks ${amount} ${native.symbol}, the fees included`);
  }
  return lines;
}

function toSimulation(facts: BuiltFacts, issues: Issues): BuildAnswer['simulation'] {
  const { sequence, block } = facts;
  const { amountOutRaw, transactions, isBalanceAssumed } = sequence;
  if (amountOutRaw === null) {
    return { status: 'skipped', assumed: [], amountOutRaw: null, gasUsed: null, block };
  }
  const gasUsed = transactions.reduce((sum, one) => sum + (one.gasUsed ?? 0n), 0n);
  return {
    status: 'ok',
    assumed: [
      ...(isBalanceAssumed ? (['balance'] as const) : []),
      ...(issues.nativeForFees === undefined ? [] : (['nativeForFees'] as const)),
    ],
    amountOutRaw: amountOutRaw.toString(),
    gasUsed: gasUsed.toString(),
    block,
  };
}

export function toBuildAnswer(facts: BuiltFacts): BuildAnswer {
  const { trade, wallet, sequence, fees, deadlineSeconds } = facts;
  const feesRaw = toGasLimits(facts).reduce(
    (sum, gas) => sum + gas * fees.maxFeePerGas,
    facts.dataCost.feesRaw,
  );
  const issues = toIssues(facts, feesRaw);
  const deadlineMs = deadlineSeconds * 1000;
  return {
    quote: facts.quote,
    wallet: toShownAddress(wallet),
    recipient: toShownAddress(wallet),
    deadline: deadlineMs,
    simulation: toSimulation(facts, issues),
    issues,
    summary: toSummary({
      ...{ trade, wallet, deadlineMs, feesRaw },
      transactions: sequence.transactions,
      missing: toMissing(facts, issues),
    }),
    transactions: toTransactions(facts),
  };
}
