// Answers POST /trade/build: prices on the head, plans the transactions and rehearses them there.

import { type EvmFees, readNetworkFees } from '../../chains/evm/read-network-fees.ts';
import { readDataCost } from '../../chains/evm/transactions/read-data-cost.ts';
import { readTrader, type Trader } from '../../chains/evm/transactions/read-trader.ts';
import type { SwapRouter } from '../../chains/evm/transactions/swap-plan.ts';
import type { HandlerContext } from '../../contract/handler.ts';
import type { InputOf } from '../../contract/operation.ts';
import type { buildTrade } from '../../contract/operations/build-trade.ts';
import { toNotReady } from '../../contract/parse-reference.ts';
import { AppError } from '../../errors/app-error.ts';
import type { Clock } from '../../lib/clock.ts';
import type { Sleep } from '../../lib/retry.ts';
import type { ChainSlug } from '../../model/chain.ts';
import type { Address, PoolId } from '../../model/market-event.ts';
import { type Pricing, toTradeCaller } from '../quote/create-pricing.ts';
import type {
  PoolReference,
  PricedTrade,
  TradeCaller,
  TradeRequest,
} from '../quote/priced-trade.ts';
import type { QuoteTerms } from '../quote/quote-seal.ts';
import type { TradeChains } from '../quote/trade-chain.ts';
import { STALE_WARNING } from '../quote/trade-warnings.ts';
import { askNode } from './ask-node.ts';
import { type BuildAnswer, toBuildAnswer } from './build-answer.ts';
import type { BuildChain, BuildChains } from './build-chain.ts';
import { rehearse, type Sequence, type SequenceRequest } from './build-sequence.ts';
import { assertFits, type PriceOnWorth, priceOnTerms } from './build-terms.ts';
import { toTraderAddress } from './build-wallet.ts';

export interface BuildParts {
  readonly pricing: Pricing;
  readonly chains: TradeChains;
  readonly builders: BuildChains;
  readonly clock: Clock;
  readonly sleep: Sleep;
  readonly log: { error(fields: object, message: string): void };
}

/** How often a chain may change its mind while a trade is built. */
const ATTEMPT_COUNT_MAX = 3;
/** How long the pools may take to follow to the head that the node has told. */
const CATCH_UP_MAX_MS = 2000;
/** How long a node may take for a block that it has begun to take in. */
const NEXT_BLOCK_MAX_MS = 300;
const POLL_MS = 15;
const RETRY_AFTER_SECONDS = 1;
/** The client has an end of its own for whatever is asked of it. */
const NEVER = new AbortController().signal;

interface Build {
  readonly request: TradeRequest;
  readonly terms: QuoteTerms | null;
  readonly wallet: Address;
  readonly chain: BuildChain;
  readonly router: SwapRouter;
  readonly lifeSeconds: number;
  readonly caller: TradeCaller;
}

/**
 * The deadline runs from the later of our clock and the chain's, which may be ahead. It comes
 * earlier, by half at most, where an allowance from a build before would else have to be renewed.
 */
function toDeadline({ lifeSeconds, request }: Build, trader: Trader, nowMs: number): number {
  const { head, allowance } = trader;
  const nowSeconds = Math.ceil(Math.max(nowMs, head.timestampMs) / 1000);
  const deadline = nowSeconds + lifeSeconds;
  if (allowance === null || allowance.permit2Raw < request.amountInRaw) return deadline;
  const { permit2Expiration } = allowance;
  const isNear = permit2Expiration >= nowSeconds + Math.ceil(lifeSeconds / 2);
  return isNear ? Math.min(deadline, permit2Expiration) : deadline;
}

function toPoolId(pool: PoolReference): PoolId {
  if (pool.kind === 'v4' || pool.kind === 'none') return pool.id;
  return pool.kind === 'v2' ? pool.pair : pool.pool;
}

function isReverted(error: unknown): boolean {
  return error instanceof AppError && error.code === 'SIMULATION_REVERTED';
}

/** By more than a measured tax is rounded, where the price is no promise to the unit. */
function paysLess({ exact, amountOutRaw }: PricedTrade, { amountOutRaw: paid }: Sequence): boolean {
  if (paid === null || paid >= amountOutRaw) return false;
  return exact || paid * 10_000n < amountOutRaw * 9_998n;
}

type Rehearsal =
  | { readonly kind: 'done'; readonly sequence: Sequence }
  | { readonly kind: 'reverted'; readonly error: unknown }
  /** The block is no longer part of the chain. */
  | { readonly kind: 'moved' };

async function tryRehearsal(request: SequenceRequest): Promise<Rehearsal> {
  try {
    const sequence = await rehearse(request);
    return sequence === null ? { kind: 'moved' } : { kind: 'done', sequence };
  } catch (error) {
    if (!isReverted(error)) throw error;
    return { kind: 'reverted', error };
  }
}

function failsPrice(trade: PricedTrade, rehearsal: Rehearsal): boolean {
  if (rehearsal.kind !== 'done') return rehearsal.kind === 'reverted';
  return paysLess(trade, rehearsal.sequence);
}

function isNotExact({ exact, amountOutRaw }: PricedTrade, { amountOutRaw: paid }: Sequence) {
  return exact && paid !== null && paid !== amountOutRaw;
}

/** Whether it went otherwise than the price says, be it only better. */
function contradicts(trade: PricedTrade, rehearsal: Rehearsal): boolean {
  if (failsPrice(trade, rehearsal)) return true;
  return rehearsal.kind === 'done' && isNotExact(trade, rehearsal.sequence);
}

class TradeBuilder {
  readonly #parts: BuildParts;

  constructor(parts: BuildParts) {
    this.#parts = parts;
  }

  /** Checks the input and then the state, in that order. */
  prepare(input: InputOf<typeof buildTrade>, context: HandlerContext): Build {
    const { pricing, builders, clock } = this.#parts;
    const { identity } = context;
    if (identity.kind !== 'session') throw new Error('built without a session');
    const request = pricing.parse(input);
    const terms = input.quoteId === undefined ? null : pricing.openQuoteId(input.quoteId);
    const wallet = toTraderAddress(identity.wallet, request.chain);
    if (terms !== null) assertFits(terms, request, clock.nowMs());
    const chain = builders.find(request.chain);
    if (chain === null) throw toNotReady(request.chain);
    const { router } = chain;
    if (router === null) throw new AppError('TRADING_NOT_SUPPORTED', { chain: request.chain });
    const caller = toTradeCaller(context);
    return { request, terms, wallet, chain, router, lifeSeconds: input.deadlineSeconds, caller };
  }

  async build(build: Build): Promise<BuildAnswer> {
    const { chain, request, router, wallet } = build;
    const token = request.side === 'buy' ? request.quoteMint : request.mint;
    for (let attempt = 1; attempt <= ATTEMPT_COUNT_MAX; attempt += 1) {
      const [trader, fees] = await Promise.all([
        readTrader(chain.client, { wallet, token, router }),
        readNetworkFees(chain.client, NEVER),
      ]);
      await this.#catchUp(request.chain, trader.head.position);
      const answer = await this.#attempt(build, trader, fees);
      if (answer !== null) return answer;
    }
    const reason = `${request.chain} is changing its newest blocks.`;
    throw new AppError('NOT_READY', { reason }, { retryAfterSeconds: RETRY_AFTER_SECONDS });
  }

  /** The head that counts is the node's: waits a little for the pools to be there, too. */
  async #catchUp(slug: ChainSlug, block: number): Promise<void> {
    const { chains, clock, sleep } = this.#parts;
    const deadlineMs = clock.monotonicMs() + CATCH_UP_MAX_MS;
    while ((chains.find(slug)?.readGraph()?.checkpoint.block ?? -1) < block) {
      if (clock.monotonicMs() >= deadlineMs) return;
      await sleep(POLL_MS);
    }
  }

  /** Null where the block that was priced on is gone. */
  async #attempt(build: Build, trader: Trader, fees: EvmFees): Promise<BuildAnswer | null> {
    const { pricing, clock } = this.#parts;
    const { chain, router, wallet, request, terms } = build;
    const price: PriceOnWorth = (worth) => pricing.price(request, build.caller, worth);
    const priced = await priceOnTerms(price, terms);
    const { state } = priced;
    // Pools that lag behind the head were priced on what is past: the head decides what happens.
    const isAtHead = state.block >= trader.head.position;
    const block = isAtHead
      ? { number: state.block, hash: state.blockHash }
      : { number: trader.head.position, hash: null };
    const deadlineSeconds = toDeadline(build, trader, clock.nowMs());
    const toRehearse = { chain, router, wallet, trader, deadlineSeconds, trade: priced, block };
    const rehearsal = await (isAtHead ? this.#rehearse(toRehearse) : tryRehearsal(toRehearse));
    if (isAtHead && failsPrice(priced, rehearsal)) this.#noteFailure(build, priced);
    if (rehearsal.kind === 'reverted') throw rehearsal.error;
    if (rehearsal.kind === 'moved') return null;
    const { sequence } = rehearsal;
    const dataCost = await readDataCost(chain.client, chain.rollup, sequence.transactions);
    const trade = isAtHead ? this.#holdToPromise(priced, sequence) : { ...priced, exact: false };
    return toBuildAnswer({
      ...{ trade, wallet, trader, router, sequence, fees, dataCost, deadlineSeconds },
      quote: pricing.toQuote(trade),
      chainId: chain.chainId,
      block: block.number,
    });
  }

  /**
   * Twice before a result that contradicts the price is believed. While a node takes in a block it
   * may run calls on the state after it, though the block before was asked for (anvil does); once
   * its head is beyond that block it answers from the right state.
   */
  async #rehearse(request: SequenceRequest): Promise<Rehearsal> {
    const { clock, sleep } = this.#parts;
    const { chain, trade, block } = request;
    const first = await tryRehearsal(request);
    if (!contradicts(trade, first)) return first;
    const readHead = () => chain.client.at((endpoint) => endpoint.readBlockNumber());
    const deadlineMs = clock.monotonicMs() + NEXT_BLOCK_MAX_MS;
    while ((await readHead()) <= block.number && clock.monotonicMs() < deadlineMs) {
      await sleep(POLL_MS);
    }
    return tryRehearsal(request);
  }

  /** What was measured of the pools on the way may no longer be true: they are measured again. */
  #noteFailure({ request, wallet }: Build, { strands }: PricedTrade): void {
    const pools = strands.flatMap(({ hops }) => hops.map(({ pool }) => toPoolId(pool)));
    this.#parts.chains.find(request.chain)?.noteFailure({ pools, wallet });
  }

  /** A promise that the rehearsal did not keep is not made. */
  #holdToPromise(trade: PricedTrade, sequence: Sequence): PricedTrade {
    if (!isNotExact(trade, sequence)) return trade;
    const { request, state } = trade;
    const [priced, rehearsed] = [trade, sequence].map((one) => String(one.amountOutRaw));
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
    const asked = { chain: request.chain, client: chain.client, sleep: parts.sleep };
    return askNode(asked, () => builder.build(build));
  };
}
