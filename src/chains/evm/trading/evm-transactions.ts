// Transactions on an EVM chain: trades through its router, and the status of transactions.

import type { Clock } from '../../../lib/clock.ts';
import type { Address, TransactionId } from '../../../model/ids.ts';
import {
  type BuildRequest,
  type BuiltTransactions,
  type ChainTransactions,
  type ExecutableTrade,
  OutdatedPermitError,
  type SignedPermit,
  type TradingWallet,
  type TransactionFate,
} from '../../chain-transactions.ts';
import type { RpcClient } from '../../rpc/rpc-client.ts';
import { isRpcError } from '../../rpc/rpc-error.ts';
import type { EvmDeployment, Rollup } from '../data/deployments/evm-deployment.ts';
import { ROUTER_KINDS } from '../venues/router-kinds.ts';
import { listSwapRouters, type SwapRouter } from '../venues/swap-routers.ts';
import { assertPermit } from './assert-permit.ts';
import { buildTransactions } from './build-transactions.ts';
import { readDataCost } from './read-data-cost.ts';
import { type EvmFees, offerTip, readNetworkFees } from './read-network-fees.ts';
import { readAllowance, readTrader, type Trader } from './read-trader.ts';
import { readTransaction } from './read-transaction.ts';
import { rehearseTrade } from './rehearse-trade.ts';
import { CallSimulator } from './simulate-calls.ts';
import { TokenBalanceSlots } from './token-balance-slot.ts';

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
    return { head, nativeRaw, balanceRaw, build: (request) => this.#build(account, request) };
  }

  async #checkPermit(account: TraderAccount, token: Address): Promise<void> {
    const { client, clock } = this.#options;
    const { router, trader, permit, wallet: owner } = account;
    if (permit === null || router.kind !== 'universal') return;
    const nonce = trader.allowance?.permit2Nonce ?? 0;
    const nowSeconds = findNowSeconds(clock.nowMs(), trader);
    await assertPermit(client, { router, token, owner, permit, nonce, nowSeconds });
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
    const rehearsal = await rehearseTrade({
      ...{ ...account, simulator: this.#simulator, slots: this.#slots },
      ...{ trade, block, approval, deadlineSeconds },
    });
    if (rehearsal === null) return null;
    const dataCost = await readDataCost(client, rollup, rehearsal.transactions);
    return buildTransactions({
      ...{ ...account, chainId, trade, approval, rehearsal, dataCost, deadlineSeconds },
    });
  }
}

/** A pool in place of the router, where it is called itself and takes the wallet's tokens. */
export function pickContract(router: SwapRouter, trade: ExecutableTrade): SwapRouter {
  if (router.kind === 'universal') return router;
  const hops = trade.strands.flatMap((strand) => strand.hops);
  const address = ROUTER_KINDS[router.kind].findContract?.(hops, trade) ?? null;
  return address === null ? router : { ...router, address };
}

export function createEvmTransactions(
  deployment: EvmDeployment,
  parts: Pick<EvmTransactionsOptions, 'client' | 'clock'>,
): EvmTransactions {
  const { chainId, rollup = null } = deployment;
  return new EvmTransactions({ ...parts, chainId, rollup, routers: listSwapRouters(deployment) });
}
