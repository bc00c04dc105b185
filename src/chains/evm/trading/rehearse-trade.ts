// Plans and simulates the transactions of a trade: which are needed, their gas and their output.

import { AppError } from '../../../errors/app-error.ts';
import { minOf } from '../../../lib/bigint-bounds.ts';
import type { Address } from '../../../model/ids.ts';
import {
  type BuildRequest,
  type ExecutableTrade,
  OutOfRoomError,
  type SignedPermit,
  type TradeSwap,
  UnprovenRouterError,
} from '../../chain-transactions.ts';
import { addressWord, encodeCallData, uintAt, uintWord } from '../data/hex-data.ts';
import { ZERO_ADDRESS } from '../data/zero-address.ts';
import { encodeRouterExactOut, encodeRouterSwap } from '../venues/encode-venue-swap.ts';
import { findTraded } from '../venues/registry.ts';
import type { EncodedCall, SwapHop, SwapPlan } from '../venues/swap-plan.ts';
import type { SwapRouter } from '../venues/swap-routers.ts';
import { decodeRevertReason } from './decode-revert.ts';
import { encodeApprovals, type PlannedCall } from './encode-approval.ts';
import { EVM_COSTS, TRANSACTION_GAS_MAX } from './evm-transaction-costs.ts';
import { encodePermitInput } from './permit-message.ts';
import type { EvmFees } from './read-network-fees.ts';
import type { Trader } from './read-trader.ts';
import {
  buildNativeBalanceRead,
  type CallOutcome,
  type CallSimulator,
  type Simulation,
  type StateOverrides,
  type WalletCall,
} from './simulate-calls.ts';
import type { TokenBalanceSlots } from './token-balance-slot.ts';
import { encodeSelfPermit } from './token-permit.ts';

interface RehearsalParts {
  readonly router: SwapRouter;
  readonly simulator: CallSimulator;
  readonly slots: TokenBalanceSlots;
}

interface RehearsalRequest extends RehearsalParts {
  readonly trade: ExecutableTrade;
  readonly wallet: Address;
  readonly trader: Trader;
  readonly fees: EvmFees;
  readonly deadlineSeconds: number;
  readonly block: BuildRequest['block'];
  readonly approval: BuildRequest['approval'];
  /** Already checked; it is for this router. */
  readonly permit: SignedPermit | null;
}

export interface PlannedTransaction extends PlannedCall {
  /** The gas used in the simulation; null if there was none. */
  readonly gasUsed: bigint | null;
}

export interface Rehearsal {
  readonly transactions: readonly PlannedTransaction[];
  /** What the wallet received; null if nothing could be simulated. */
  readonly amountOutRaw: bigint | null;
  /** What it spent, if the output is given. */
  readonly amountInRaw?: bigint | undefined;
  /** Whether the simulation assumed the wallet's balance. */
  readonly isBalanceAssumed: boolean;
  /** The time of the simulated block, if the trade depends on it and the node took it over. */
  readonly timeSeconds?: number | undefined;
}

const BALANCE_OF = '0x70a08231';
const TRANSFER = '0xa9059cbb';
const READ_GAS = 2_000_000n;
const APPROVE_GAS = 2_000_000n;

/** Some pools use signed 128-bit amounts: no real amount comes close. */
const AMOUNT_END = 1n << 127n;

function buildRouterHop({ pool, ...swap }: TradeSwap): SwapHop {
  const { tokenIn, tokenOut, isStable = null, askedOutRaw } = swap;
  const traded = findTraded(pool)?.toRouterPool(tokenIn === pool.token0, isStable) ?? null;
  if (traded === null) {
    throw buildRevertedError('swap', `no router can swap in pools of ${pool.venue}`);
  }
  const hop = { pool: traded, tokenIn, tokenOut };
  return askedOutRaw === undefined ? hop : { ...hop, askedOutRaw };
}

function encodePermit({ router, trade }: RehearsalRequest, permit: SignedPermit) {
  const { tokenIn: token } = trade;
  if (router.kind === 'universal') return encodePermitInput({ router, token }, permit);
  return encodeSelfPermit(token, permit);
}

function encodeTrade(request: RehearsalRequest): EncodedCall {
  const { trade, router, wallet, deadlineSeconds, permit } = request;
  const { tokenIn, tokenOut, maxAmountInRaw, outputTaxBps, holdsOutput = false } = trade;
  const all = trade.swapPaths.flatMap((swapPath) => [swapPath.amountInRaw, swapPath.amountOutRaw]);
  if ([maxAmountInRaw, trade.amountOutRaw, ...all].some((amount) => amount >= AMOUNT_END)) {
    throw buildRevertedError('swap', 'the amount is too large for the router');
  }
  const swapPaths = trade.swapPaths.map((one) => ({ ...one, hops: one.hops.map(buildRouterHop) }));
  const permitInput = permit === null ? undefined : encodePermit(request, permit);
  const fee = trade.fee ?? undefined;
  const parties = { recipient: wallet, fee, permitInput };
  const ends = { tokenIn, tokenOut, swapPaths, deadlineSeconds, ...parties };
  if (trade.fixed === 'output' && trade.isInputGiven !== true) {
    const plan = { ...ends, amountInMax: maxAmountInRaw };
    return encodeRouterExactOut(plan, router);
  }
  const output = { amountOutMin: trade.minAmountOutRaw, outputTaxBps, holdsOutput };
  const plan: SwapPlan = { ...ends, ...output };
  return encodeRouterSwap(plan, router);
}

function planCalls(request: RehearsalRequest, mustReset: boolean): PlannedCall[] {
  const { trade, router, trader, deadlineSeconds, permit } = request;
  const swapCall = { kind: 'swap' as const, ...encodeTrade(request) };
  if (trader.allowance === null) return [swapCall];
  const { tokenIn: token, maxAmountInRaw: amountRaw } = trade;
  const approval = permit === null ? request.approval : ('signed' as const);
  const need = { token, amountRaw, deadlineSeconds, mustReset, approval };
  return [...encodeApprovals(need, trader.allowance, router), swapCall];
}

/** A state override for the missing balance; null if that is not possible. */
async function assumeBalance(request: RehearsalRequest): Promise<StateOverrides | null> {
  const { trade, trader, wallet, slots, block } = request;
  const { maxAmountInRaw: amountInRaw, tokenIn } = trade;
  // The simulator gives the wallet the coin that it needs.
  if (trader.balanceRaw >= amountInRaw || tokenIn === ZERO_ADDRESS) return new Map();
  const query = { token: tokenIn, owner: wallet, block: block.position };
  const found = await slots.find(query);
  if (found === null) return null;
  const words = new Map([[found.slot, `0x${uintWord(amountInRaw)}`]]);
  return new Map([[found.account, { slots: words }]]);
}

function buildBalanceCall(token: Address, owner: Address): WalletCall {
  if (token === ZERO_ADDRESS) return buildNativeBalanceRead(owner);
  const data = encodeCallData(BALANCE_OF, addressWord(owner));
  return { to: token, data, value: 0n, gas: READ_GAS, isRead: true };
}

/** What is read before and after the transactions: the output and, if that is given, the input. */
function buildBalanceCalls({ trade, wallet }: RehearsalRequest): WalletCall[] {
  const tokens = trade.fixed === 'output' ? [trade.tokenOut, trade.tokenIn] : [trade.tokenOut];
  return tokens.map((token) => buildBalanceCall(token, wallet));
}

function toWalletCall({ kind, to, data, value }: PlannedCall, swapGas: bigint): WalletCall {
  return { to, data, value, gas: kind === 'swap' ? swapGas : APPROVE_GAS };
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
  { outcomes, feesRaw, timeSeconds }: Extract<Simulation, { status: 'done' }>,
): Rehearsal {
  const { trade, trader } = request;
  const count = buildBalanceCalls(request).length;
  const after = outcomes.slice(-count);
  // What the wallet paid for gas is no part of the trade.
  const feesOf = (token: Address) => (token === ZERO_ADDRESS ? feesRaw : 0n);
  const amountOutRaw =
    decodeBalance(after[0]) - decodeBalance(outcomes[0]) + feesOf(trade.tokenOut);
  const amountInRaw =
    trade.fixed === 'output'
      ? decodeBalance(outcomes[1]) - decodeBalance(after[1]) - feesOf(trade.tokenIn)
      : undefined;
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
      gasUsed: outcomes[index + count]?.gasUsed ?? null,
    })),
    amountOutRaw,
    amountInRaw,
    isBalanceAssumed: trader.balanceRaw < trade.maxAmountInRaw,
    timeSeconds,
  };
}

/** Only what a router of this kind was seen to do is built without a simulation. */
function buildUnrehearsed(
  { router, trade }: RehearsalRequest,
  calls: readonly PlannedCall[],
): Rehearsal {
  if (!router.isProven || trade.isQuotedOnChain) throw new UnprovenRouterError(router.venues);
  return {
    transactions: calls.map((call) => ({ ...call, gasUsed: null })),
    amountOutRaw: null,
    isBalanceAssumed: false,
  };
}

/** Where a token would be sent first: its pool, if known. */
function findFirstHolder({ trade, router }: RehearsalRequest): Address {
  const pool = trade.swapPaths.find(({ takes }) => takes === 'input')?.hops[0]?.pool;
  return (pool && findTraded(pool)?.holder) ?? router.address;
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
  const { trade, simulator } = request;
  const reason = decodeRevertReason(returnData);
  if (!reason.includes('TRANSFER_FROM_FAILED')) return reason;
  const words = [addressWord(findFirstHolder(request)), uintWord(trade.amountInRaw)];
  const data = encodeCallData(TRANSFER, ...words);
  const calls = [{ to: trade.tokenIn, data, value: 0n, gas: APPROVE_GAS }];
  const simulation = await simulator.simulate({ ...describeSender(request), calls, overrides });
  const outcome = simulation.status === 'done' ? simulation.outcomes[0] : undefined;
  if (outcome === undefined || outcome.isOk || outcome.returnData === '0x') return reason;
  return `${reason}: ${decodeRevertReason(outcome.returnData)}`;
}

/** Callers keep a 64th of the gas at each depth, so not all of it is gone where it runs out. */
function isOutOfGas(outcome: CallOutcome | undefined, limit = TRANSACTION_GAS_MAX): boolean {
  return (outcome?.gasUsed ?? 0n) * 8n >= limit * 7n;
}

/** What a simulation is told about the wallet, besides its calls. */
function describeSender({ wallet, trader, fees, block }: RehearsalRequest) {
  const { nativeRaw, conditions } = trader;
  const base = conditions?.baseFeePerGas ?? fees.baseFeePerGas;
  return { wallet, nativeRaw, conditions, gasPrice: base + fees.maxPriorityFeePerGas, block };
}

/** Throws if a transaction would fail. */
async function assertAllWell(
  request: RehearsalRequest,
  calls: readonly PlannedCall[],
  rehearsed: { readonly outcomes: readonly CallOutcome[]; readonly overrides: StateOverrides },
): Promise<void> {
  for (const [index, { kind }] of calls.entries()) {
    const outcome = rehearsed.outcomes[index + buildBalanceCalls(request).length];
    if (outcome?.isOk === true) continue;
    if (kind === 'swap' && isOutOfGas(outcome)) throw new OutOfRoomError(EVM_COSTS.unitName);
    const returnData = outcome?.returnData ?? '0x';
    throw buildRevertedError(kind, await explain(request, rehearsed.overrides, returnData));
  }
}

/** Some tokens revert if an allowance is changed from a value other than zero. */
function mayNeedReset(request: RehearsalRequest, calls: readonly PlannedCall[]): boolean {
  const { trader } = request;
  return (trader.allowance?.tokenRaw ?? 0n) > 0n && calls[0]?.kind === 'approve';
}

interface RehearsedBatch {
  readonly calls: readonly PlannedCall[];
  readonly amountOutRaw: bigint;
  readonly gasUsed: bigint;
}

/**
 * Trades of one wallet and the same two tokens, in a row as in one transaction: each with approvals
 * for exactly what it spends. Null if one would fail, or if no node can simulate them.
 */
export async function rehearseBatch(
  requests: readonly [RehearsalRequest, ...RehearsalRequest[]],
): Promise<RehearsedBatch | null> {
  const [first] = requests;
  const { simulator, block, trade } = first;
  const maxAmountInRaw = requests.reduce((sum, one) => sum + one.trade.maxAmountInRaw, 0n);
  const whole = { ...first, trade: { ...trade, maxAmountInRaw } };
  const overrides = await assumeBalance(whole);
  if (overrides === null) return null;
  const balances = buildBalanceCalls(whole);
  const timeSeconds = trade.isTimed ? await simulator.readNextTime(block) : undefined;
  const gas = minOf((trade.costUnits * 3n) / 2n, TRANSACTION_GAS_MAX);
  for (const mustReset of [false, true]) {
    const planned = requests.flatMap((one) =>
      planCalls(one, mustReset && (one.trader.allowance?.tokenRaw ?? 0n) > 0n),
    );
    const calls = [...balances, ...planned.map((one) => toWalletCall(one, gas)), ...balances];
    const simulation = await simulator.simulate({
      ...{ ...describeSender(whole), calls, overrides, timeSeconds },
    });
    if (simulation.status !== 'done') return null;
    const { outcomes, feesRaw } = simulation;
    if (!outcomes.every(({ isOk }) => isOk)) continue;
    const received = decodeBalance(outcomes.at(-1)) - decodeBalance(outcomes[0]);
    const gasUsed = outcomes.slice(1, -1).reduce((sum, one) => sum + one.gasUsed, 0n);
    const amountOutRaw = received + (trade.tokenOut === ZERO_ADDRESS ? feesRaw : 0n);
    return { calls: planned, amountOutRaw, gasUsed };
  }
  return null;
}

/** Null if the block is no longer part of the chain. Throws `SIMULATION_REVERTED`. */
export async function rehearseTrade(request: RehearsalRequest): Promise<Rehearsal | null> {
  const { simulator, block } = request;
  let calls = planCalls(request, false);
  const overrides = await assumeBalance(request);
  const balances = buildBalanceCalls(request);
  const timeSeconds = request.trade.isTimed ? await simulator.readNextTime(block) : undefined;
  const simulate = (swapGas: bigint): Promise<Simulation> =>
    overrides === null
      ? Promise.resolve({ status: 'unable' })
      : simulator.simulate({
          ...describeSender(request),
          calls: [...balances, ...calls.map((call) => toWalletCall(call, swapGas)), ...balances],
          overrides,
          timeSeconds,
        });
  // At first with no more gas than the transaction would have by the model: contracts see it.
  const modelled = minOf((request.trade.costUnits * 3n) / 2n, TRANSACTION_GAS_MAX);
  const run = async (): Promise<Simulation> => {
    const simulation = await simulate(modelled);
    if (simulation.status !== 'done') return simulation;
    const swap = simulation.outcomes[balances.length + calls.length - 1];
    const isShort = swap?.isOk === false && isOutOfGas(swap, modelled);
    return isShort ? simulate(TRANSACTION_GAS_MAX) : simulation;
  };
  let simulation = await run();
  const isRefused =
    simulation.status === 'done' && simulation.outcomes[balances.length]?.isOk === false;
  if ((isRefused || simulation.status === 'unable') && mayNeedReset(request, calls)) {
    calls = planCalls(request, true);
    if (isRefused) simulation = await run();
  }
  if (simulation.status === 'moved') return null;
  if (simulation.status === 'unable' || overrides === null) {
    return buildUnrehearsed(request, calls);
  }
  await assertAllWell(request, calls, { outcomes: simulation.outcomes, overrides });
  return checkRehearsal(request, calls, simulation);
}
