// POST /trade/build: prices on the head, plans the transactions and simulates them there.

import type {
  BuildRequest,
  BuiltTransactions,
  ChainTransactions,
  ExecutableTrade,
  TradingWallet,
} from '../../chains/chain-transactions.ts';
import type { HandlerContext } from '../../contract/handler.ts';
import { COSTS, type InputOf } from '../../contract/operation.ts';
import type { buildTrade } from '../../contract/operations/build-trade.ts';
import { buildNotReadyError } from '../../contract/parse-reference.ts';
import { AppError } from '../../errors/app-error.ts';
import type { Clock } from '../../lib/clock.ts';
import type { Sleep } from '../../lib/retry.ts';
import type { ChainSlug } from '../../model/chain.ts';
import type { Address } from '../../model/ids.ts';
import { createTradeCaller, type Pricing } from '../quote/create-pricing.ts';
import type { PricedTrade, TradeCaller, TradeRequest } from '../quote/priced-trade.ts';
import type { QuoteTerms } from '../quote/quote-seal.ts';
import type { TradeChains } from '../quote/trade-chain.ts';
import { STALE_WARNING } from '../quote/trade-warnings.ts';
import { askNode } from './ask-node.ts';
import { type BuildAnswer, createBuildAnswer } from './build-answer.ts';
import type { BuildChains } from './build-chain.ts';
import { assertFits, type PriceOnWorth, priceOnTerms } from './build-terms.ts';
import { findTraderAddress } from './build-wallet.ts';

export interface BuildParts {
  readonly pricing: Pricing;
  readonly chains: TradeChains;
  readonly builders: BuildChains;
  readonly clock: Clock;
  readonly sleep: Sleep;
  readonly log: { error(fields: object, message: string): void };
}

/** How often to start over if the chain reorganises during a build. */
const ATTEMPT_COUNT_MAX = 3;
/** How long the pools may take to catch up with the node's head. */
const CATCH_UP_MAX_MS = 2000;
/** How long a node may take to finish importing a block. */
const NEXT_BLOCK_MAX_MS = 300;
const POLL_MS = 15;
const RETRY_AFTER_SECONDS = 1;

interface Build {
  readonly request: TradeRequest;
  readonly terms: QuoteTerms | null;
  readonly wallet: Address;
  readonly chain: ChainTransactions;
  readonly lifeSeconds: number;
  readonly caller: TradeCaller;
}

function toExecutable(trade: PricedTrade): ExecutableTrade {
  const { amountInRaw, amountOutRaw, minAmountOutRaw, strands, costUnits } = trade;
  return {
    tokenIn: trade.tokenIn.token,
    tokenOut: trade.tokenOut.token,
    ...{ amountInRaw, amountOutRaw, minAmountOutRaw, strands, costUnits },
    outputTaxBps: trade.taxOut?.bps ?? 0,
  };
}

function isReverted(error: unknown): boolean {
  return error instanceof AppError && error.code === 'SIMULATION_REVERTED';
}

/** If the price is not exact, by more than the rounding of a measured tax. */
function paysLess(
  { exact, amountOutRaw }: PricedTrade,
  { simulation }: BuiltTransactions,
): boolean {
  const paid = simulation?.amountOutRaw ?? amountOutRaw;
  if (paid >= amountOutRaw) return false;
  return exact || paid * 10_000n < amountOutRaw * 9_998n;
}

type RehearsalOutcome =
  | { readonly kind: 'done'; readonly built: BuiltTransactions }
  | { readonly kind: 'reverted'; readonly error: unknown }
  /** The block is no longer part of the chain. */
  | { readonly kind: 'moved' };

async function tryRehearsal(funds: TradingWallet, order: BuildRequest): Promise<RehearsalOutcome> {
  try {
    const built = await funds.build(order);
    return built === null ? { kind: 'moved' } : { kind: 'done', built };
  } catch (error) {
    if (!isReverted(error)) throw error;
    return { kind: 'reverted', error };
  }
}

function failsPrice(trade: PricedTrade, rehearsal: RehearsalOutcome): boolean {
  if (rehearsal.kind !== 'done') return rehearsal.kind === 'reverted';
  return paysLess(trade, rehearsal.built);
}

function isNotExact({ exact, amountOutRaw }: PricedTrade, { simulation }: BuiltTransactions) {
  return exact && simulation !== null && simulation.amountOutRaw !== amountOutRaw;
}

/** Whether the result differs from the price, even if it is better. */
function contradicts(trade: PricedTrade, rehearsal: RehearsalOutcome): boolean {
  if (failsPrice(trade, rehearsal)) return true;
  return rehearsal.kind === 'done' && isNotExact(trade, rehearsal.built);
}

class TradeBuilder {
  readonly #parts: BuildParts;

  constructor(parts: BuildParts) {
    this.#parts = parts;
  }

  /** Checks the input first, then the state. */
  prepare(input: InputOf<typeof buildTrade>, context: HandlerContext): Build {
    const { pricing, builders, clock } = this.#parts;
    const { identity } = context;
    if (identity.kind !== 'session') throw new Error('build was called without a session');
    const request = pricing.parse(input);
    const terms = input.quoteId === undefined ? null : pricing.openQuoteId(input.quoteId);
    const { addresses } = builders.findFamily(request.chain);
    const wallet = findTraderAddress(identity.wallet, request.chain, addresses);
    if (terms !== null) assertFits(terms, request, clock.nowMs());
    const chain = builders.find(request.chain);
    if (chain === null) throw buildNotReadyError(request.chain);
    if (!chain.canBuild) throw new AppError('TRADING_NOT_SUPPORTED', { chain: request.chain });
    const caller = createTradeCaller(context, COSTS.build);
    return { request, terms, wallet, chain, lifeSeconds: input.deadlineSeconds, caller };
  }

  async build(build: Build): Promise<BuildAnswer> {
    const { chain, request, wallet } = build;
    const token = request.side === 'buy' ? request.quoteMint : request.mint;
    for (let attempt = 1; attempt <= ATTEMPT_COUNT_MAX; attempt += 1) {
      const funds = await chain.readWallet(wallet, token);
      await this.#catchUp(request.chain, funds.head.position);
      const answer = await this.#attempt(build, funds);
      if (answer !== null) return answer;
    }
    const reason = `${request.chain} is reorganising its newest blocks.`;
    throw new AppError('NOT_READY', { reason }, { retryAfterSeconds: RETRY_AFTER_SECONDS });
  }

  /** Waits a little for the pools to reach the node's head. */
  async #catchUp(slug: ChainSlug, block: number): Promise<void> {
    const { chains, clock, sleep } = this.#parts;
    const deadlineMs = clock.monotonicMs() + CATCH_UP_MAX_MS;
    while ((chains.find(slug)?.readGraph()?.checkpoint.block ?? -1) < block) {
      if (clock.monotonicMs() >= deadlineMs) return;
      await sleep(POLL_MS);
    }
  }

  /** Null if the priced block is gone. */
  async #attempt(build: Build, funds: TradingWallet): Promise<BuildAnswer | null> {
    const { pricing, clock, builders } = this.#parts;
    const { wallet, request, terms, lifeSeconds } = build;
    const price: PriceOnWorth = (worth) => pricing.price(request, build.caller, worth);
    const priced = await priceOnTerms(price, terms);
    const { state } = priced;
    // If the pools lag behind the head, the simulation runs on the head.
    const isAtHead = state.block >= funds.head.position;
    const block = isAtHead
      ? { position: state.block, hash: state.blockHash }
      : { position: funds.head.position, hash: null };
    const order = { trade: toExecutable(priced), block, nowMs: clock.nowMs(), lifeSeconds };
    const tried = () => tryRehearsal(funds, order);
    const rehearsal = await (isAtHead ? this.#rehearse(build, priced, tried) : tried());
    if (isAtHead && failsPrice(priced, rehearsal)) this.#noteFailure(build, priced);
    if (rehearsal.kind === 'reverted') throw rehearsal.error;
    if (rehearsal.kind === 'moved') return null;
    const { built } = rehearsal;
    const trade = isAtHead ? this.#holdToPromise(priced, built) : { ...priced, exact: false };
    const quote = pricing.sealAnswer(trade);
    const { chain, mint } = request;
    const { addresses, findTokenPage } = builders.findFamily(chain);
    return createBuildAnswer({
      ...{ trade, quote, wallet, funds, built, block: block.position, addresses },
      tokenPage: mint === addresses.native ? null : findTokenPage(chain, mint),
    });
  }

  /**
   * A result that contradicts the price is checked twice. While a node imports a block it may run
   * calls on the new state although the previous block was requested (anvil does); once its head is
   * beyond that block, it uses the right state.
   */
  async #rehearse(
    { chain }: Build,
    trade: PricedTrade,
    tried: () => Promise<RehearsalOutcome>,
  ): Promise<RehearsalOutcome> {
    const { clock, sleep } = this.#parts;
    const first = await tried();
    if (!contradicts(trade, first)) return first;
    const deadlineMs = clock.monotonicMs() + NEXT_BLOCK_MAX_MS;
    while ((await chain.readHead()) <= trade.state.block && clock.monotonicMs() < deadlineMs) {
      await sleep(POLL_MS);
    }
    return tried();
  }

  /** The measurements of the pools on the route may be stale: they are measured again. */
  #noteFailure({ request, wallet }: Build, { strands }: PricedTrade): void {
    const pools = strands.flatMap(({ hops }) => hops.map(({ pool }) => pool.pool));
    this.#parts.chains.find(request.chain)?.noteFailure({ pools, wallet });
  }

  /** Withdraws `exact` if the simulation contradicts it. */
  #holdToPromise(trade: PricedTrade, built: BuiltTransactions): PricedTrade {
    if (!isNotExact(trade, built)) return trade;
    const { request, state } = trade;
    const [priced, rehearsed] = [trade, built.simulation].map((one) => String(one?.amountOutRaw));
    const amounts = { priced, rehearsed };
    const fields = { chain: request.chain, mint: request.mint, side: request.side, ...amounts };
    this.#parts.log.error({ ...fields, block: state.block }, 'an exact price was not exact');
    return { ...trade, exact: false, warnings: [...trade.warnings, STALE_WARNING] };
  }
}

export function createBuildTrade(parts: BuildParts) {
  const builder = new TradeBuilder(parts);
  return async (
    input: InputOf<typeof buildTrade>,
    context: HandlerContext,
  ): Promise<BuildAnswer> => {
    const build = builder.prepare(input, context);
    const { request, chain } = build;
    const asked = { chain: request.chain, node: chain, sleep: parts.sleep };
    return askNode(asked, () => builder.build(build));
  };
}
