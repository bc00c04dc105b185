// Transactions on an EVM chain: trades through its router, and the status of transactions.

import type { EvmTransaction, WalletCalls } from '../../../contract/schemas/transaction-schemas.ts';
import { buildInvalidInputError } from '../../../errors/app-error.ts';
import type { Clock } from '../../../lib/clock.ts';
import type { Address, TransactionId } from '../../../model/ids.ts';
import {
  type BuildRequest,
  type BuiltBatch,
  type BuiltTransactions,
  type ChainTransactions,
  type ExecutableTrade,
  OutdatedPermitError,
  type SignedPermit,
  type TradingWallet,
  type TransactionFate,
} from '../../chain-transactions.ts';
import type { PaidTips } from '../../priority.ts';
import type { RpcClient } from '../../rpc/rpc-client.ts';
import { isRpcError } from '../../rpc/rpc-error.ts';
import { toShownAddress } from '../data/checksum-address.ts';
import type { EvmDeployment, Rollup } from '../data/deployments/evm-deployment.ts';
import { pickContract } from '../venues/encode-venue-swap.ts';
import type { EncodedCall } from '../venues/swap-plan.ts';
import { listSwapRouters, type SwapRouter } from '../venues/swap-routers.ts';
import { findSpender, type TransactionKind } from './encode-approval.ts';
import { TRANSACTION_GAS_MAX } from './evm-transaction-costs.ts';
import { buildPermitMessage, encodePermitCall } from './permit-message.ts';
import { type DataCost, readDataCost } from './read-data-cost.ts';
import { type EvmFees, offerTip, readNetworkFees, readPaidTips } from './read-network-fees.ts';
import { readAllowance, readTrader, type Trader } from './read-trader.ts';
import { readTransaction } from './read-transaction.ts';
import {
  type PlannedTransaction,
  type Rehearsal,
  rehearseBatch,
  rehearseTrade,
} from './rehearse-trade.ts';
import { CallSimulator } from './simulate-calls.ts';
import { TokenBalanceSlots } from './token-balance-slot.ts';
import {
  buildTokenPermitMessage,
  encodeTokenPermitCall,
  readTokenPermit,
  type TokenPermit,
} from './token-permit.ts';

// Simulated calls as unsigned transactions: with gas, fees and nonces.

interface RehearsedTrade {
  readonly trade: ExecutableTrade;
  readonly approval: BuildRequest['approval'];
  /** Part of the swap. */
  readonly permit: SignedPermit | null;
  /** What the wallet may sign for a router without Permit2. */
  readonly tokenPermit: TokenPermit | null;
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
const TOKEN_PERMIT_PURPOSES: Readonly<Record<TokenPermit['form'], string>> = {
  eip2612:
    'a message by which the token lets the router take what is spent, and no more; the trade is built with its signature',
  dai: 'a message by which the token lets the router take it without limit, as this token knows no amounts; the trade is built with its signature',
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
  const { trade, trader, router, permit, deadlineSeconds } = rehearsed;
  const { allowance } = trader;
  if (allowance === null || (permit !== null && router.permit2 === null)) return null;
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
  const { tokenPermit, wallet: owner } = rehearsed;
  const signed = { router: router.name, amountRaw: trade.maxAmountInRaw, deadlineSeconds };
  if (tokenPermit !== null) {
    const { form, nonce } = tokenPermit;
    const parties = { token: trade.tokenIn, owner, router: router.address };
    const terms = { ...signed, form, nonce };
    const message = buildTokenPermitMessage(parties, tokenPermit, { ...terms, chainId });
    return { purpose: TOKEN_PERMIT_PURPOSES[form], terms, message };
  }
  const isMissing = rehearsal.transactions.some(({ kind }) => kind === 'permit2-approve');
  if (approval === 'onchain' || !isMissing || router.permit2 === null) return null;
  const nonce = trader.allowance?.permit2Nonce ?? 0;
  const terms = { ...signed, form: 'permit2', nonce } as const;
  const message = buildPermitMessage({ router, token: trade.tokenIn }, terms, chainId);
  return { purpose: PERMIT_PURPOSE, terms, message };
}

function buildWalletCalls(
  { chainId, wallet }: Pick<RehearsedTrade, 'chainId' | 'wallet'>,
  calls: readonly EncodedCall[],
): WalletCalls {
  return {
    version: '2.0.0',
    chainId: `0x${chainId.toString(16)}`,
    from: toShownAddress(wallet),
    atomicRequired: true,
    calls: calls.map(({ to, data, value }) => {
      return { to: toShownAddress(to), data, value: `0x${value.toString(16)}` };
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

function buildTransactions(rehearsed: RehearsedTrade): BuiltTransactions {
  const { trade, rehearsal, fees, dataCost, deadlineSeconds } = rehearsed;
  const permit = findMissingPermit(rehearsed);
  const planned = rehearsal.transactions.map((transaction, index) => {
    const { kind } = transaction;
    const gas = computeGasLimit(transaction, trade) + (dataCost.gas[index] ?? 0n);
    const unsigned = buildUnsigned(rehearsed, transaction, { index, gas });
    // Permit2's needs an approval before; a token's own replaces it.
    const isOwn = rehearsed.tokenPermit !== null;
    const isLater = permit !== null && (isOwn || kind === 'permit2-approve' || kind === 'swap');
    return { gas, purpose: describePurpose(kind, rehearsed), unsigned, isLater };
  });
  const transactions = planned.filter(({ isLater }) => !isLater);
  const calls = rehearsal.transactions.filter((_, index) => planned[index]?.isLater === false);
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

// Checks a signed permit before anything is priced or built: Permit2 or the token itself is asked,
// so that wallets that are contracts are judged as they will be when the transaction is executed.

interface PermitCheck {
  readonly permit: SignedPermit;
  /** The call that takes the signature; null if none can. */
  readonly call: { readonly to: Address; readonly data: string | null };
  /** How many permits of the owner for token and router were used. */
  readonly nonce: number;
  /** Of the chain's newest block or our clock, whichever is later. */
  readonly nowSeconds: number;
}

/** Enough for any wallet, and a limit on the work of a hostile one. */
const GAS_MAX = `0x${(10_000_000).toString(16)}`;

/** Throws `PERMIT_OUTDATED`, or `INVALID_INPUT` if the signature is another one. */
async function assertPermit(client: RpcClient, check: PermitCheck): Promise<void> {
  const { permit, call } = check;
  if (check.nowSeconds >= permit.deadlineSeconds) throw new OutdatedPermitError('has expired');
  if (check.nonce !== permit.nonce) {
    throw new OutdatedPermitError('was used already, or was replaced by a later one');
  }
  const message = 'is not a signature of the permit by the wallet of the session';
  if (call.data === null) throw refuseSignature(message);
  const params = [{ ...call, gas: GAS_MAX }, 'latest'];
  try {
    await client.request({ method: 'eth_call', params }, {});
  } catch (error) {
    if (!isRpcError(error, 'reverted', 'rejected')) throw error;
    throw refuseSignature(message);
  }
}

function refuseSignature(message: string): Error {
  return buildInvalidInputError([{ path: 'permitSignature', message }]);
}

interface EvmTransactionsOptions {
  readonly client: RpcClient;
  readonly chainId: number;
  /** The first is the one that most trades use. */
  readonly routers: readonly SwapRouter[];
  /** How the chain charges for data, if it does. */
  readonly rollup: Rollup | null;
  readonly clock: Clock;
}

/** The client has its own timeouts. */
const NEVER = new AbortController().signal;

interface TraderAccount {
  readonly wallet: Address;
  readonly router: SwapRouter;
  readonly trader: Trader;
  readonly fees: EvmFees;
  /** Of the router. */
  readonly permit: SignedPermit | null;
}

function findNowSeconds(nowMs: number, { head }: Trader): number {
  return Math.ceil(Math.max(nowMs, head.timestampMs) / 1000);
}

/**
 * The deadline counts from the later of our clock and the chain's, which may be ahead. It is not
 * after that of a signed permit. It is shortened, by half at most, if an allowance from an earlier
 * build would otherwise have to be renewed.
 */
function pickDeadline(request: BuildRequest, { trader, permit }: TraderAccount): number {
  const { trade, nowMs, lifeSeconds } = request;
  const { allowance } = trader;
  const nowSeconds = findNowSeconds(nowMs, trader);
  const deadline = nowSeconds + lifeSeconds;
  if (permit !== null) return Math.min(deadline, permit.deadlineSeconds);
  if (allowance === null || allowance.permit2Raw < trade.maxAmountInRaw) return deadline;
  const { permit2Expiration } = allowance;
  const isNear = permit2Expiration >= nowSeconds + Math.ceil(lifeSeconds / 2);
  return isNear ? Math.min(deadline, permit2Expiration) : deadline;
}

/** Whether its calls begin with the wallet's permit, where its code has that (`SelfPermit`). */
function takesTokenPermits(router: SwapRouter): boolean {
  return router.kind !== 'universal' && router.takesPermits === true;
}

export class EvmTransactions implements ChainTransactions {
  readonly #options: EvmTransactionsOptions;
  readonly #simulator: CallSimulator;
  readonly #slots: TokenBalanceSlots;

  constructor(options: EvmTransactionsOptions) {
    const { client, clock } = options;
    this.#options = options;
    this.#simulator = new CallSimulator(client, clock);
    this.#slots = new TokenBalanceSlots(client);
  }

  get canBuild(): boolean {
    return this.#options.routers.length > 0;
  }

  isUnavailable(error: unknown): boolean {
    return isRpcError(error);
  }

  /** A node that hangs has been suspended by then. */
  retryAfterSeconds(): number {
    const { endpoints } = this.#options.client;
    const waitMs = Math.min(...endpoints.map(({ health }) => health.waitMs));
    return Math.max(1, Math.ceil(waitMs / 1000));
  }

  readHead(): Promise<number> {
    return this.#options.client.at((endpoint) => endpoint.readBlockNumber());
  }

  readPaidTips(): Promise<PaidTips> {
    return readPaidTips(this.#options.client, NEVER);
  }

  readTransaction(id: TransactionId): Promise<TransactionFate> {
    return readTransaction(this.#options.client, id);
  }

  async readWallet(
    wallet: Address,
    tokenIn: Address,
    permit: SignedPermit | null = null,
  ): Promise<TradingWallet> {
    const { client, routers } = this.#options;
    const router = routers.find(({ name }) => permit === null || name === permit.router);
    if (router === undefined) {
      if (permit === null) throw new Error('no router is known');
      throw new OutdatedPermitError('is for a router that is no longer used');
    }
    const [trader, fees] = await Promise.all([
      readTrader(client, { wallet, token: tokenIn, router }),
      readNetworkFees(client, NEVER),
    ]);
    const account = { wallet, router, trader, fees, permit };
    await this.#checkPermit(account, tokenIn);
    const { head, nativeRaw, balanceRaw } = trader;
    return {
      ...{ head, nativeRaw, balanceRaw },
      build: (request) => this.#build(account, request),
      buildBatch: (requests) => this.#buildBatch(account, requests),
    };
  }

  async #checkPermit(account: TraderAccount, token: Address): Promise<void> {
    const { client, clock } = this.#options;
    const { router, trader, permit, wallet: owner } = account;
    if (permit === null) return;
    const nowSeconds = findNowSeconds(clock.nowMs(), trader);
    if (router.permit2 !== null) {
      const data = encodePermitCall({ router, token }, permit, owner);
      const call = { to: router.permit2, data };
      const nonce = trader.allowance?.permit2Nonce ?? 0;
      return assertPermit(client, { permit, nonce, nowSeconds, call });
    }
    const parties = { token, owner, router: router.address };
    const own = takesTokenPermits(router)
      ? await readTokenPermit(client, parties, this.#options.chainId)
      : null;
    if (own?.form !== permit.form) {
      throw refuseSignature('is of a permit that this token, with this router, does not take');
    }
    const call = { to: token, data: encodeTokenPermitCall(parties, permit) };
    await assertPermit(client, { permit, nonce: own.nonce, nowSeconds, call });
  }

  /** Null unless the wallet wants to sign, has to, and token and router have it. */
  async #findTokenPermit(
    { wallet: owner, router, trader, permit }: TraderAccount,
    { approval, trade }: BuildRequest,
  ): Promise<TokenPermit | null> {
    const { tokenIn: token, maxAmountInRaw } = trade;
    const { client, chainId } = this.#options;
    if (approval === 'onchain' || permit !== null || trader.allowance === null) return null;
    if (!takesTokenPermits(router)) return null;
    if (trader.allowance.tokenRaw >= maxAmountInRaw) return null;
    return readTokenPermit(client, { token, owner, router: router.address }, chainId);
  }

  /** The account with the trade's router and what the wallet has allowed it. */
  async #pickRouter(account: TraderAccount, trade: ExecutableTrade): Promise<TraderAccount> {
    const { client, routers } = this.#options;
    const { wallet } = account;
    const named = routers.find(({ name }) => name === (trade.router ?? account.router.name));
    if (named === undefined) throw new Error(`there is no router ${trade.router}`);
    const router = pickContract(named, trade);
    if (router === account.router) return account;
    const allowance = await readAllowance(client, { wallet, token: trade.tokenIn, router });
    return { ...account, router, permit: null, trader: { ...account.trader, allowance } };
  }

  async #build(first: TraderAccount, request: BuildRequest): Promise<BuiltTransactions | null> {
    const { client, rollup, chainId } = this.#options;
    const { trade, block, approval, priority } = request;
    const fees = offerTip(first.fees, priority);
    const account = await this.#pickRouter({ ...first, fees }, trade);
    const deadlineSeconds = pickDeadline(request, account);
    const tokenPermit = await this.#findTokenPermit(account, request);
    const rehearsal = await rehearseTrade({
      ...{ ...account, simulator: this.#simulator, slots: this.#slots },
      ...{ trade, block, approval, deadlineSeconds },
    });
    if (rehearsal === null) return null;
    const dataCost = await readDataCost(client, rollup, rehearsal.transactions);
    return buildTransactions({
      ...{ ...account, chainId, trade, approval, rehearsal, dataCost, deadlineSeconds },
      tokenPermit,
    });
  }

  async #buildBatch(
    account: TraderAccount,
    requests: readonly BuildRequest[],
  ): Promise<BuiltBatch | null> {
    const { chainId } = this.#options;
    const accounts = await Promise.all(
      requests.map(({ trade }) => this.#pickRouter(account, trade)),
    );
    const deadlines = requests.map((one, index) => pickDeadline(one, accounts[index] ?? account));
    const deadlineSeconds = Math.min(...deadlines);
    const [first, ...others] = requests.map(({ trade, block, approval }, index) => ({
      ...{ ...(accounts[index] ?? account), trade, block, approval, deadlineSeconds },
      ...{ simulator: this.#simulator, slots: this.#slots },
    }));
    const rehearsed = first && (await rehearseBatch([first, ...others]));
    if (rehearsed == null || (rehearsed.gasUsed * 3n) / 2n > TRANSACTION_GAS_MAX) return null;
    const { calls, amountOutRaw, gasUsed: unitsUsed } = rehearsed;
    const walletCalls = buildWalletCalls({ chainId, wallet: account.wallet }, calls);
    return { walletCalls, amountOutRaw, unitsUsed, deadlineSeconds };
  }
}

export function createEvmTransactions(
  deployment: EvmDeployment,
  parts: Pick<EvmTransactionsOptions, 'client' | 'clock'>,
): EvmTransactions {
  const { chainId, rollup = null } = deployment;
  return new EvmTransactions({ ...parts, chainId, rollup, routers: listSwapRouters(deployment) });
}
