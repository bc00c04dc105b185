// The transactions of a trade, rehearsed: which are needed, what they use and what they bring.

import { addressWord, toCallData, uintAt, uintWord } from '../../chains/evm/hex-data.ts';
import { toRevertReason } from '../../chains/evm/transactions/decode-revert.ts';
import {
  encodeApprovals,
  type PlannedCall,
} from '../../chains/evm/transactions/encode-approval.ts';
import { encodeSwap } from '../../chains/evm/transactions/encode-swap.ts';
import type { Trader } from '../../chains/evm/transactions/read-trader.ts';
import {
  type CallOutcome,
  type Simulation,
  type StateOverrides,
  toBalanceRead,
  type WalletCall,
} from '../../chains/evm/transactions/simulate-calls.ts';
import type { SwapHop, SwapRouter } from '../../chains/evm/transactions/swap-plan.ts';
import { AppError } from '../../errors/app-error.ts';
import { type Address, ZERO_ADDRESS } from '../../model/market-event.ts';
import type { PricedTrade, TradeHop } from '../quote/priced-trade.ts';
import { TRANSACTION_GAS_MAX } from '../quote/trade-gas.ts';
import type { BuildChain } from './build-chain.ts';

export interface SequenceRequest {
  readonly chain: BuildChain;
  readonly router: SwapRouter;
  readonly trade: PricedTrade;
  readonly wallet: Address;
  readonly trader: Trader;
  readonly deadlineSeconds: number;
  /** The state to rehearse on; without a hash whatever block has that number. */
  readonly block: { readonly number: number; readonly hash: string | null };
}

export interface PlannedTransaction extends PlannedCall {
  /** What the rehearsal used; null where there was none. */
  readonly gasUsed: bigint | null;
}

export interface Sequence {
  readonly transactions: readonly PlannedTransaction[];
  /** What the wallet got; null where nothing could be rehearsed. */
  readonly amountOutRaw: bigint | null;
  /** Whether the wallet was taken to have what it spends. */
  readonly isBalanceAssumed: boolean;
}

const BALANCE_OF = '0x70a08231';
const TRANSFER = '0xa9059cbb';
const READ_GAS = 2_000_000n;
const APPROVE_GAS = 2_000_000n;

/** V4 reckons in 128 bits with a sign, Permit2 in 160: nothing real is near either. */
const AMOUNT_END = 1n << 127n;

function toRouterHop({ pool, tokenIn, tokenOut, venue }: TradeHop): SwapHop {
  if (pool.kind !== 'none') return { pool, tokenIn, tokenOut };
  throw toReverted('swap', `no router swaps in pools of ${venue}`);
}

function toCalls(request: SequenceRequest, mustReset: boolean): PlannedCall[] {
  const { trade, router, trader, wallet, deadlineSeconds } = request;
  const { tokenIn, tokenOut, amountInRaw, strands, taxOut } = trade;
  const amounts = strands.flatMap((strand) => [strand.amountInRaw, strand.amountOutRaw]);
  if ([amountInRaw, trade.amountOutRaw, ...amounts].some((amount) => amount >= AMOUNT_END)) {
    throw toReverted('swap', 'the router cannot deal with such an amount');
  }
  const swap = encodeSwap(
    {
      tokenIn: tokenIn.token,
      tokenOut: tokenOut.token,
      amountOutMin: trade.minAmountOutRaw,
      strands: strands.map((strand) => ({ ...strand, hops: strand.hops.map(toRouterHop) })),
      outputTaxBps: taxOut?.bps ?? 0,
      recipient: wallet,
      deadlineSeconds,
    },
    router,
  );
  const swapCall = { kind: 'swap' as const, ...swap };
  if (trader.allowance === null) return [swapCall];
  const need = { token: tokenIn.token, amountRaw: amountInRaw, deadlineSeconds, mustReset };
  return [...encodeApprovals(need, trader.allowance, router), swapCall];
}

/** What the wallet lacks, as if it had it; null where that cannot be pretended. */
async function assumeBalance(request: SequenceRequest): Promise<StateOverrides | null> {
  const { trade, trader, wallet, chain, block } = request;
  const { amountInRaw, tokenIn } = trade;
  if (trader.balanceRaw >= amountInRaw) return new Map();
  if (tokenIn.token === ZERO_ADDRESS) return new Map([[wallet, { balance: amountInRaw }]]);
  const query = { token: tokenIn.token, owner: wallet, block: block.number };
  const found = await chain.slots.find(query);
  if (found === null) return null;
  const slots = new Map([[found.slot, `0x${uintWord(amountInRaw)}`]]);
  return new Map([[found.account, { slots }]]);
}

function toBalanceCall(token: Address, owner: Address): WalletCall {
  if (token === ZERO_ADDRESS) return toBalanceRead(owner);
  const data = toCallData(BALANCE_OF, addressWord(owner));
  return { to: token, data, value: 0n, gas: READ_GAS };
}

function toWalletCall({ kind, to, data, value }: PlannedCall): WalletCall {
  return { to, data, value, gas: kind === 'swap' ? TRANSACTION_GAS_MAX : APPROVE_GAS };
}

function toBalance(outcome: CallOutcome | undefined): bigint {
  return outcome?.isOk && outcome.returnData.length >= 66 ? uintAt(outcome.returnData, 0) : 0n;
}

function toReverted(step: string, reason: string): AppError {
  return new AppError('SIMULATION_REVERTED', { step, reason });
}

/** Throws where the transactions would bring less than they must. */
function toSequence(
  request: SequenceRequest,
  calls: readonly PlannedCall[],
  outcomes: readonly CallOutcome[],
): Sequence {
  const { trade, trader } = request;
  const amountOutRaw = toBalance(outcomes.at(-1)) - toBalance(outcomes[0]);
  // A router that compares what the pool sent cannot see what the token kept on the way.
  if (amountOutRaw < trade.minAmountOutRaw) {
    throw toReverted('swap', `${amountOutRaw} arrives, less than the minimum`);
  }
  return {
    transactions: calls.map((call, index) => ({
      ...call,
      gasUsed: outcomes[index + 1]?.gasUsed ?? null,
    })),
    amountOutRaw,
    isBalanceAssumed: trader.balanceRaw < trade.amountInRaw,
  };
}

function toUnrehearsed(calls: readonly PlannedCall[]): Sequence {
  return {
    transactions: calls.map((call) => ({ ...call, gasUsed: null })),
    amountOutRaw: null,
    isBalanceAssumed: false,
  };
}

/** Where a token would be sent first: its pool, as far as that is known. */
function toFirstHolder({ trade, router }: SequenceRequest): Address {
  const pool = trade.legs[0]?.hops[0]?.pool;
  if (pool?.kind === 'v2') return pool.pair;
  return pool?.kind === 'v3' ? pool.pool : router.address;
}

/**
 * Permit2 keeps to itself what a token said when it refused. The token is asked once more, by the
 * wallet itself, and then says it.
 */
async function explain(
  request: SequenceRequest,
  overrides: StateOverrides,
  returnData: string,
): Promise<string> {
  const { trade, wallet, chain, block } = request;
  const reason = toRevertReason(returnData);
  if (!reason.includes('TRANSFER_FROM_FAILED')) return reason;
  const words = [addressWord(toFirstHolder(request)), uintWord(trade.amountInRaw)];
  const data = toCallData(TRANSFER, ...words);
  const calls = [{ to: trade.tokenIn.token, data, value: 0n, gas: APPROVE_GAS }];
  const simulation = await chain.simulator.simulate({ wallet, calls, overrides, block });
  const outcome = simulation.status === 'done' ? simulation.outcomes[0] : undefined;
  if (outcome === undefined || outcome.isOk || outcome.returnData === '0x') return reason;
  return `${reason}: ${toRevertReason(outcome.returnData)}`;
}

/** Throws where a transaction would fail. */
async function assertAllWell(
  request: SequenceRequest,
  calls: readonly PlannedCall[],
  rehearsed: { readonly outcomes: readonly CallOutcome[]; readonly overrides: StateOverrides },
): Promise<void> {
  for (const [index, { kind }] of calls.entries()) {
    const outcome = rehearsed.outcomes[index + 1];
    if (outcome?.isOk === true) continue;
    const returnData = outcome?.returnData ?? '0x';
    throw toReverted(kind, await explain(request, rehearsed.overrides, returnData));
  }
}

/** Some tokens let an allowance be changed only from zero, and show it by refusing. */
function mayNeedReset(request: SequenceRequest, calls: readonly PlannedCall[]): boolean {
  const { trader } = request;
  return (trader.allowance?.tokenRaw ?? 0n) > 0n && calls[0]?.kind === 'approve';
}

/** Null where the block is no longer part of the chain. Throws `SIMULATION_REVERTED`. */
export async function rehearse(request: SequenceRequest): Promise<Sequence | null> {
  const { chain, trade, wallet, block } = request;
  let calls = toCalls(request, false);
  const overrides = await assumeBalance(request);
  const balance = toBalanceCall(trade.tokenOut.token, wallet);
  const run = (): Promise<Simulation> =>
    overrides === null
      ? Promise.resolve({ status: 'unable' })
      : chain.simulator.simulate({
          wallet,
          calls: [balance, ...calls.map(toWalletCall), balance],
          overrides,
          block,
        });
  let simulation = await run();
  const isRefused = simulation.status === 'done' && simulation.outcomes[1]?.isOk === false;
  if ((isRefused || simulation.status === 'unable') && mayNeedReset(request, calls)) {
    calls = toCalls(request, true);
    if (isRefused) simulation = await run();
  }
  if (simulation.status === 'moved') return null;
  if (simulation.status === 'unable' || overrides === null) return toUnrehearsed(calls);
  await assertAllWell(request, calls, { outcomes: simulation.outcomes, overrides });
  return toSequence(request, calls, simulation.outcomes);
}
