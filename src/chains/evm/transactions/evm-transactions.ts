// Transactions on an EVM chain: trades through its router, and the status of transactions.

import type { Clock } from '../../../lib/clock.ts';
import type { Address, TransactionId } from '../../../model/ids.ts';
import type {
  BuildRequest,
  BuiltTransactions,
  ChainTransactions,
  TradingWallet,
  TransactionFate,
} from '../../chain-transactions.ts';
import type { EvmDeployment, Rollup } from '../evm-deployment.ts';
import { type EvmFees, readNetworkFees } from '../read-network-fees.ts';
import type { RpcClient } from '../rpc/rpc-client.ts';
import { isRpcError } from '../rpc/rpc-error.ts';
import { buildTransactions } from './build-transactions.ts';
import { readDataCost } from './read-data-cost.ts';
import { readTrader, type Trader } from './read-trader.ts';
import { readTransaction } from './read-transaction.ts';
import { rehearseTrade } from './rehearse-trade.ts';
import { CallSimulator } from './simulate-calls.ts';
import { findSwapRouter, type SwapRouter } from './swap-plan.ts';
import { TokenBalanceSlots } from './token-balance-slot.ts';

interface EvmTransactionsOptions {
  readonly client: RpcClient;
  readonly chainId: number;
  /** Null if no router is known. */
  readonly router: SwapRouter | null;
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
}

/**
 * The deadline counts from the later of our clock and the chain's, which may be ahead. It is
 * shortened, by half at most, if an allowance from an earlier build would otherwise have to be
 * renewed.
 */
function pickDeadline({ trade, nowMs, lifeSeconds }: BuildRequest, trader: Trader): number {
  const { head, allowance } = trader;
  const nowSeconds = Math.ceil(Math.max(nowMs, head.timestampMs) / 1000);
  const deadline = nowSeconds + lifeSeconds;
  if (allowance === null || allowance.permit2Raw < trade.amountInRaw) return deadline;
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
    return this.#options.router !== null;
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

  async readWallet(wallet: Address, tokenIn: Address): Promise<TradingWallet> {
    const { client, router } = this.#options;
    if (router === null) throw new Error('no router is known');
    const [trader, fees] = await Promise.all([
      readTrader(client, { wallet, token: tokenIn, router }),
      readNetworkFees(client, NEVER),
    ]);
    const account = { wallet, router, trader, fees };
    const { head, nativeRaw, balanceRaw } = trader;
    return { head, nativeRaw, balanceRaw, build: (request) => this.#build(account, request) };
  }

  async #build(account: TraderAccount, request: BuildRequest): Promise<BuiltTransactions | null> {
    const { client, rollup, chainId } = this.#options;
    const { trade, block } = request;
    const deadlineSeconds = pickDeadline(request, account.trader);
    const rehearsal = await rehearseTrade({
      ...{ ...account, simulator: this.#simulator, slots: this.#slots },
      ...{ trade, block, deadlineSeconds },
    });
    if (rehearsal === null) return null;
    const dataCost = await readDataCost(client, rollup, rehearsal.transactions);
    return buildTransactions({
      ...{ ...account, chainId, trade, rehearsal, dataCost, deadlineSeconds },
    });
  }
}

export function createEvmTransactions(
  deployment: EvmDeployment,
  parts: Pick<EvmTransactionsOptions, 'client' | 'clock'>,
): EvmTransactions {
  const { chainId, rollup = null } = deployment;
  return new EvmTransactions({ ...parts, chainId, rollup, router: findSwapRouter(deployment) });
}
