// Plans and simulates the transactions of a trade: which are needed, their gas and their output.

import { AppError } from '../../../errors/app-error.ts';
import type { Address } from '../../../model/ids.ts';
import type { BuildRequest, ExecutableTrade, TradeSwap } from '../../chain-transactions.ts';
import { addressWord, encodeCallData, uintAt, uintWord } from '../hex-data.ts';
import { toPoolReference } from '../pools/pool-reference.ts';
import { ZERO_ADDRESS } from '../zero-address.ts';
import { decodeRevertReason } from './decode-revert.ts';
import { encodeApprovals, type PlannedCall } from './encode-approval.ts';
import { encodeSwap } from './encode-swap.ts';
import { TRANSACTION_GAS_MAX } from './evm-transaction-costs.ts';
import type { Trader } from './read-trader.ts';
import {
  buildNativeBalanceRead,
  type CallOutcome,
  type CallSimulator,
  type Simulation,
  type StateOverrides,
  type WalletCall,
} from './simulate-calls.ts';
import type { SwapHop, SwapRouter } from './swap-plan.ts';
import type { TokenBalanceSlots } from './token-balance-slot.ts';

interface RehearsalParts {
  readonly router: SwapRouter;
  readonly simulator: CallSimulator;
  readonly slots: TokenBalanceSlots;
}

interface RehearsalRequest extends RehearsalParts {
  readonly trade: ExecutableTrade;
  readonly wallet: Address;
  readonly trader: Trader;
  readonly deadlineSeconds: number;
  readonly block: BuildRequest['block'];
}

export interface PlannedTransaction extends PlannedCall {
  /** The gas used in the simulation; null if there was none. */
  readonly gasUsed: bigint | null;
}

export interface Rehearsal {
  readonly transactions: readonly PlannedTransaction[];
  /** What the wallet received; null if nothing could be simulated. */
  readonly amountOutRaw: bigint | null;
  /** Whether the simulation assumed the wallet's balance. */
  readonly isBalanceAssumed: boolean;
}

const BALANCE_OF = '0x70a08231';
const TRANSFER = '0xa9059cbb';
const READ_GAS = 2_000_000n;
const APPROVE_GAS = 2_000_000n;

/** V4 uses signed 128-bit amounts, Permit2 160 bits: no real amount comes close. */
const AMOUNT_END = 1n << 127n;

function buildRouterHop({ pool, tokenIn, tokenOut }: TradeSwap): SwapHop {
  const reference = toPoolReference(pool);
  if (reference !== null) return { pool: reference, tokenIn, tokenOut };
  throw buildRevertedError('swap', `no router can swap in pools of ${pool.venue}`);
}

function planCalls(request: RehearsalRequest, mustReset: boolean): PlannedCall[] {
  const { trade, router, trader, wallet, deadlineSeconds } = request;
  const { tokenIn, tokenOut, amountInRaw, strands, outputTaxBps } = trade;
  const amounts = strands.flatMap((strand) => [strand.amountInRaw, strand.amountOutRaw]);
  if ([amountInRaw, trade.amountOutRaw, ...amounts].some((amount) => amount >= AMOUNT_END)) {
    throw buildRevertedError('swap', 'the amount is too large for the router');
  }
  const swap = encodeSwap(
    {
      tokenIn,
      tokenOut,
      amountOutMin: trade.minAmountOutRaw,
      strands: strands.map((strand) => ({ ...strand, hops: strand.hops.map(buildRouterHop) })),
      outputTaxBps,
      recipient: wallet,
      deadlineSeconds,
    },
    router,
  );
  const swapCall = { kind: 'swap' as const, ...swap };
  if (trader.allowance === null) return [swapCall];
  const need = { token: tokenIn, amountRaw: amountInRaw, deadlineSeconds, mustReset };
  return [...encodeApprovals(need, trader.allowance, router), swapCall];
}

/** A state override for the missing balance; null if that is not possible. */
async function assumeBalance(request: RehearsalRequest): Promise<StateOverrides | null> {
  const { trade, trader, wallet, slots, block } = request;
  const { amountInRaw, tokenIn } = trade;
  if (trader.balanceRaw >= amountInRaw) return new Map();
  if (tokenIn === ZERO_ADDRESS) return new Map([[wallet, { balance: amountInRaw }]]);
  const query = { token: tokenIn, owner: wallet, block: block.position };
  const found = await slots.find(query);
  if (found === null) return null;
  const words = new Map([[found.slot, `0x${uintWord(amountInRaw)}`]]);
  return new Map([[found.account, { slots: words }]]);
}

function buildBalanceCall(token: Address, owner: Address): WalletCall {
  if (token === ZERO_ADDRESS) return buildNativeBalanceRead(owner);
  const data = encodeCallData(BALANCE_OF, addressWord(owner));
  return { to: token, data, value: 0n, gas: READ_GAS };
}

function toWalletCall({ kind, to, data, value }: PlannedCall): WalletCall {
  return { to, data, value, gas: kind === 'swap' ? TRANSACTION_GAS_MAX : APPROVE_GAS };
}

function decodeBalance(outcome: CallOutcome | undefined): bigint {
  return outcome?.isOk && outcome.returnData.length >= 66 ? uintAt(outcome.returnData, 0) : 0n;
}

function buildRevertedError(step: string, reason: string): AppError {
  return new AppError('SIMULATION_REVERTED', { step, reason });
}

/** Throws if the transactions would bring less than the minimum. */
function checkRehearsal(
  request: RehearsalRequest,
  calls: readonly PlannedCall[],
  outcomes: readonly CallOutcome[],
): Rehearsal {
  const { trade, trader } = request;
  const amountOutRaw = decodeBalance(outcomes.at(-1)) - decodeBalance(outcomes[0]);
  // A router that compares what the pool sent cannot see a tax deducted after that.
  if (amountOutRaw < trade.minAmountOutRaw) {
    throw buildRevertedError(
      'swap',
      `the wallet would receive ${amountOutRaw}, less than the minimum`,
    );
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

function buildUnrehearsed(calls: readonly PlannedCall[]): Rehearsal {
  return {
    transactions: calls.map((call) => ({ ...call, gasUsed: null })),
    amountOutRaw: null,
    isBalanceAssumed: false,
  };
}

/** Where a token would be sent first: its pool, if known. */
function findFirstHolder({ trade, router }: RehearsalRequest): Address {
  const pool = trade.strands.find(({ takes }) => takes === 'input')?.hops[0]?.pool;
  const reference = pool === undefined ? null : toPoolReference(pool);
  if (reference?.kind === 'v2') return reference.pair;
  return reference?.kind === 'v3' ? reference.pool : router.address;
}

/**
 * Permit2 hides the reason when a token refuses. The token is called again directly by the wallet
 * to get it.
 */
async function explain(
  request: RehearsalRequest,
  overrides: StateOverrides,
  returnData: string,
): Promise<string> {
  const { trade, wallet, simulator, block } = request;
  const reason = decodeRevertReason(returnData);
  if (!reason.includes('TRANSFER_FROM_FAILED')) return reason;
  const words = [addressWord(findFirstHolder(request)), uintWord(trade.amountInRaw)];
  const data = encodeCallData(TRANSFER, ...words);
  const calls = [{ to: trade.tokenIn, data, value: 0n, gas: APPROVE_GAS }];
  const simulation = await simulator.simulate({ wallet, calls, overrides, block });
  const outcome = simulation.status === 'done' ? simulation.outcomes[0] : undefined;
  if (outcome === undefined || outcome.isOk || outcome.returnData === '0x') return reason;
  return `${reason}: ${decodeRevertReason(outcome.returnData)}`;
}

/** Throws if a transaction would fail. */
async function assertAllWell(
  request: RehearsalRequest,
  calls: readonly PlannedCall[],
  rehearsed: { readonly outcomes: readonly CallOutcome[]; readonly overrides: StateOverrides },
): Promise<void> {
  for (const [index, { kind }] of calls.entries()) {
    const outcome = rehearsed.outcomes[index + 1];
    if (outcome?.isOk === true) continue;
    const returnData = outcome?.returnData ?? '0x';
    throw buildRevertedError(kind, await explain(request, rehearsed.overrides, returnData));
  }
}

/** Some tokens revert if an allowance is changed from a value other than zero. */
function mayNeedReset(request: RehearsalRequest, calls: readonly PlannedCall[]): boolean {
  const { trader } = request;
  return (trader.allowance?.tokenRaw ?? 0n) > 0n && calls[0]?.kind === 'approve';
}

/** Null if the block is no longer part of the chain. Throws `SIMULATION_REVERTED`. */
export async function rehearseTrade(request: RehearsalRequest): Promise<Rehearsal | null> {
  const { simulator, trade, wallet, block } = request;
  let calls = planCalls(request, false);
  const overrides = await assumeBalance(request);
  const balance = buildBalanceCall(trade.tokenOut, wallet);
  const run = (): Promise<Simulation> =>
    overrides === null
      ? Promise.resolve({ status: 'unable' })
      : simulator.simulate({
          wallet,
          calls: [balance, ...calls.map(toWalletCall), balance],
          overrides,
          block,
        });
  let simulation = await run();
  const isRefused = simulation.status === 'done' && simulation.outcomes[1]?.isOk === false;
  if ((isRefused || simulation.status === 'unable') && mayNeedReset(request, calls)) {
    calls = planCalls(request, true);
    if (isRefused) simulation = await run();
  }
  if (simulation.status === 'moved') return null;
  if (simulation.status === 'unable' || overrides === null) return buildUnrehearsed(calls);
  await assertAllWell(request, calls, { outcomes: simulation.outcomes, overrides });
  return checkRehearsal(request, calls, simulation.outcomes);
}
