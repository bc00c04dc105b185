// A built trade as a response, including what the wallet lacks.

import type { BuiltTransactions, TradingWallet } from '../../chains/chain-transactions.ts';
import type { OutputOf } from '../../contract/operation.ts';
import type { buildTrade } from '../../contract/operations/build-trade.ts';
import { toUnits } from '../../lib/decimal.ts';
import type { AddressCodec } from '../../model/address-codec.ts';
import type { ChainInfo } from '../../model/chain.ts';
import type { Address } from '../../model/ids.ts';
import type { PricedTrade } from '../quote/priced-trade.ts';
import type { QuoteAnswer } from '../quote/quote-answer.ts';
import { formatAmount, writeSummary } from './build-summary.ts';

export type BuildAnswer = OutputOf<typeof buildTrade>;
type Issues = BuildAnswer['issues'];

interface BuiltFacts {
  readonly chain: ChainInfo;
  readonly trade: PricedTrade;
  readonly quote: QuoteAnswer;
  readonly wallet: Address;
  readonly funds: Pick<TradingWallet, 'nativeRaw' | 'balanceRaw'>;
  readonly built: BuiltTransactions;
  readonly block: number;
  readonly addresses: AddressCodec;
  /** The page of an explorer about the traded token; null if there is none. */
  readonly tokenPage: string | null;
}

function findAllowanceIssue({ trade, built, addresses }: BuiltFacts): Issues['allowance'] {
  const { allowance } = built;
  if (allowance === null) return undefined;
  return {
    mint: addresses.toShown(trade.tokenIn.token),
    spender: addresses.toShown(allowance.spender),
    requiredRaw: allowance.requiredRaw.toString(),
    actualRaw: allowance.actualRaw.toString(),
  };
}

function findIssues(facts: BuiltFacts): Issues {
  const { trade, funds, built, addresses } = facts;
  const { maxAmountInRaw: amountInRaw, tokenIn } = trade;
  const buildShortfall = (token: Address, requiredRaw: bigint, actualRaw: bigint) => ({
    mint: addresses.toShown(token),
    requiredRaw: requiredRaw.toString(),
    actualRaw: actualRaw.toString(),
  });
  const nativeRequired = built.feesRaw + (tokenIn.isNative ? amountInRaw : 0n);
  const allowance = findAllowanceIssue(facts);
  return {
    ...(funds.balanceRaw < amountInRaw
      ? { balance: buildShortfall(tokenIn.token, amountInRaw, funds.balanceRaw) }
      : {}),
    ...(allowance === undefined ? {} : { allowance }),
    ...(funds.nativeRaw < nativeRequired
      ? { nativeForFees: buildShortfall(addresses.native, nativeRequired, funds.nativeRaw) }
      : {}),
  };
}

function describeMissing(facts: BuiltFacts, issues: Issues): string[] {
  const { trade, funds, chain } = facts;
  const { native } = chain;
  const lines: string[] = [];
  // If the native coin is spent, what is missing of it is listed once, including the fees.
  if (issues.balance !== undefined && !trade.tokenIn.isNative) {
    const missing = trade.maxAmountInRaw - funds.balanceRaw;
    lines.push(`Missing: your wallet lacks ${formatAmount(trade.tokenIn, missing)}`);
  }
  if (issues.nativeForFees !== undefined) {
    const missing = BigInt(issues.nativeForFees.requiredRaw) - funds.nativeRaw;
    const amount = toUnits(missing, native.decimals);
    lines.push(`Missing: your wallet lacks ${amount} ${native.symbol}, including fees`);
  }
  return lines;
}

function summariseSimulation(facts: BuiltFacts, issues: Issues): BuildAnswer['simulation'] {
  const { built, block } = facts;
  const { simulation } = built;
  if (simulation === null) {
    return { status: 'skipped', assumed: [], amountOutRaw: null, gasUsed: null, block };
  }
  return {
    status: 'ok',
    assumed: [
      ...(simulation.isBalanceAssumed ? (['balance'] as const) : []),
      ...(issues.nativeForFees === undefined ? [] : (['nativeForFees'] as const)),
      ...(built.permit === null ? [] : (['permit'] as const)),
    ],
    ...(simulation.amountInRaw === undefined
      ? {}
      : { amountInRaw: simulation.amountInRaw.toString() }),
    amountOutRaw: simulation.amountOutRaw.toString(),
    gasUsed: simulation.unitsUsed.toString(),
    block,
    ...(simulation.timeSeconds === undefined ? {} : { blockTime: simulation.timeSeconds * 1000 }),
  };
}

/** In place of the model's. */
function describeBuiltCost({ cost }: BuiltTransactions): Partial<QuoteAnswer> {
  if (cost === undefined) return {};
  const parts = [cost.baseRaw, cost.priorityRaw, cost.rentRaw, cost.rentReturnedRaw];
  return {
    networkCost: {
      computeUnits: cost.units.toString(),
      computeUnitPriceMicroLamports: cost.unitPrice.toString(),
      baseFeeRaw: cost.baseRaw.toString(),
      priorityFeeRaw: cost.priorityRaw.toString(),
      rentRaw: cost.rentRaw.toString(),
      rentReturnedRaw: cost.rentReturnedRaw.toString(),
      totalRaw: parts.reduce((sum, part) => sum + part, 0n).toString(),
    },
  };
}

/** Until when the swap can be executed. */
function describeEnd({ deadlineSeconds, transactions }: BuiltTransactions): string {
  if (deadlineSeconds !== null) {
    return new Date(deadlineSeconds * 1000).toISOString().replace(/\.\d+Z$/, 'Z');
  }
  const heights = transactions.flatMap(({ unsigned }) =>
    unsigned.type === 'solana-v0' ? [unsigned.lastValidBlockHeight] : [],
  );
  return `block height ${Math.min(...heights)}, in about a minute`;
}

export function createBuildAnswer(facts: BuiltFacts): BuildAnswer {
  const { trade, wallet, built, addresses, tokenPage } = facts;
  const { feesRaw, transactions, permit, walletCalls } = built;
  const issues = findIssues(facts);
  const deadlineMs = built.deadlineSeconds === null ? null : built.deadlineSeconds * 1000;
  return {
    quote: { ...facts.quote, ...describeBuiltCost(built) },
    wallet: addresses.toShown(wallet),
    recipient: addresses.toShown(wallet),
    deadline: deadlineMs,
    simulation: summariseSimulation(facts, issues),
    issues,
    summary: writeSummary({
      ...{ chain: facts.chain, trade, wallet, feesRaw, addresses, tokenPage },
      end: describeEnd(built),
      purposes: [...transactions, ...(permit === null ? [] : [permit])].map(
        ({ purpose }) => purpose,
      ),
      missing: describeMissing(facts, issues),
    }),
    transactions: transactions.map(({ unsigned }) => unsigned),
    ...(permit === null ? {} : { permit: permit.message }),
    ...(walletCalls === null ? {} : { walletCalls }),
  };
}
