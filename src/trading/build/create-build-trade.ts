// POST /trade/build: prices on the head, plans the transactions and simulates them there.

import { isUnpriced } from '../../amm/unpriced/unpriced-kind.ts';
import {
  type BuildRequest,
  type BuiltTransactions,
  type ChainTransactions,
  type ExecutableTrade,
  OutdatedPermitError,
  OutOfRoomError,
  type SignedPermit,
  type TradingWallet,
  UnprovenRouterError,
} from '../../chains/chain-transactions.ts';
import type { HandlerContext } from '../../contract/handler.ts';
import { COSTS, type InputOf } from '../../contract/operation.ts';
import type { buildTrade } from '../../contract/operations/build-trade.ts';
import { buildNotReadyError } from '../../contract/parse-reference.ts';
import { warnOfPowers } from '../../contract/safety-warnings.ts';
import { AppError, buildInvalidInputError } from '../../errors/app-error.ts';
import type { Clock } from '../../lib/clock.ts';
import type { Sleep } from '../../lib/retry.ts';
import { type ChainSlug, findFamilyName } from '../../model/chain.ts';
import type { Address, PoolId } from '../../model/ids.ts';
import type { Checkpoint } from '../../model/market-record.ts';
import { isCalledAtSwaps } from '../../model/pool-hook.ts';
import { createTradeCaller, type Pricing } from '../quote/create-pricing.ts';
import type {
  PricedTrade,
  PriceOptions,
  TradeCaller,
  TradeRequest,
} from '../quote/priced-trade.ts';
import type { QuoteTerms } from '../quote/quote-seal.ts';
import type { TradeChains } from '../quote/trade-chain.ts';
import { STALE_WARNING } from '../quote/trade-warnings.ts';
import { type BuildAnswer, createBuildAnswer } from './build-answer.ts';
import {
  assertFits,
  buildPriceMovedError,
  findTraderAddress,
  followSimulation,
  meetsTerms,
  type PriceOnWorth,
  priceOnTerms,
} from './build-terms.ts';
import type { BuildChains } from './read-transaction-trades.ts';
import { askNode } from './read-transaction-trades.ts';
import { findSplit, type TradeSplit } from './split-trade.ts';

// The signed permit of a build: its terms are sealed in the quote id of the build that asked for
// it, so that the request brings only the signature.

type PermitInput = Pick<InputOf<typeof buildTrade>, 'approval' | 'permitSignature'>;

const HEX_BYTES = /^0x(?:[0-9a-f]{2})+$/i;

function refuse(path: string, message: string): AppError {
  return buildInvalidInputError([{ path, message }]);
}

/** Null if there is no signature. Throws if it cannot be that of a valid permit. */
function parsePermit(
  { approval, permitSignature: signature }: PermitInput,
  terms: Pick<QuoteTerms, 'permit'> | null,
  nowMs: number,
): SignedPermit | null {
  if (signature === undefined) return null;
  if (approval !== 'permit') throw refuse('approval', 'must be permit with a permitSignature');
  if (!HEX_BYTES.test(signature)) {
    throw refuse('permitSignature', 'must be 0x and an even number of hex digits');
  }
  const permit = terms?.permit ?? null;
  if (permit === null) {
    throw refuse('quoteId', 'must be that of the build whose permit was signed');
  }
  if (nowMs >= permit.deadlineSeconds * 1000) throw new OutdatedPermitError('has expired');
  return { ...permit, signature };
}

// A price that only an uncertain fee kept from being exact becomes exact if the simulation on its
// block pays the same. A fee that depends on the time must have been charged for the next block's.

type TradeSimulation = NonNullable<BuiltTransactions['simulation']>;

/** Whether the simulation took and paid what the price says, to the unit. */
function paysSame(
  trade: Pick<PricedTrade, 'amountInRaw' | 'amountOutRaw'>,
  simulation: Pick<TradeSimulation, 'amountInRaw' | 'amountOutRaw'>,
): boolean {
  const { amountInRaw = trade.amountInRaw, amountOutRaw } = simulation;
  return amountOutRaw === trade.amountOutRaw && amountInRaw === trade.amountInRaw;
}

/** The simulation must have run on the block of the price. */
function isSettled(trade: PricedTrade, { simulation }: BuiltTransactions): boolean {
  if (trade.openFee === null || simulation === null || !paysSame(trade, simulation)) return false;
  return trade.openFee === 'silent' || simulation.timeSeconds !== undefined;
}

/** The warning named nothing but the fee. */
function settleFee(trade: PricedTrade): PricedTrade {
  const warnings = trade.warnings.filter(({ code }) => code !== 'UNCHECKED_POOL');
  return { ...trade, exact: true, openFee: null, warnings };
}

// What a transaction on Solana pays to Jito's validators.

/** The block engine takes no less; more is taken for a mistake. */
const TIP_MIN = 1000n;
const TIP_MAX = 1_000_000_000n;

function parseTip(text: string | undefined, chain: ChainSlug): bigint | undefined {
  if (text === undefined) return undefined;
  if (findFamilyName(chain) !== 'solana') {
    throw refuse('jitoTipLamports', 'must be absent on this chain');
  }
  const tip = /^[1-9]\d{0,11}$/.test(text) ? BigInt(text) : 0n;
  if (tip >= TIP_MIN && tip <= TIP_MAX) return tip;
  throw refuse('jitoTipLamports', `must be a whole number from ${TIP_MIN} to ${TIP_MAX}`);
}

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
/** How long the pools may take to reach the node's head, or to leave a block that is gone. */
const CATCH_UP_MAX_MS = 2000;
/** How long a node may take to finish importing a block. */
const NEXT_BLOCK_MAX_MS = 300;
/** How often a trade that does not fit into a transaction is tried with half as much. */
const SMALLER_COUNT_MAX = 3;
const POLL_MS = 15;
const ROUTE_REFUSALS: ReadonlySet<string> = new Set([
  ...['NO_MARKET', 'VENUE_NOT_SUPPORTED', 'NO_SINGLE_ROUTER', 'INSUFFICIENT_LIQUIDITY'],
  ...['NO_ROUTE', 'POOLS_NOT_QUOTED', 'AMOUNT_TOO_SMALL', 'PRICE_MOVED'],
]);
const POWER_CODES: ReadonlySet<string> = new Set([
  ...['MINT_AUTHORITY', 'FREEZE_AUTHORITY', 'PERMANENT_DELEGATE'],
]);
const BPS = 10_000n;
/** The rounding of a measured tax. */
const INEXACT_BPS = 2n;
const RETRY_AFTER_SECONDS = 1;

interface Build {
  readonly request: TradeRequest;
  readonly terms: QuoteTerms | null;
  readonly wallet: Address;
  readonly chain: ChainTransactions;
  readonly lifeSeconds: number;
  readonly approval: BuildRequest['approval'];
  readonly tipRaw: bigint | undefined;
  /** Its signature is checked when the wallet is read. */
  readonly permit: SignedPermit | null;
  readonly caller: TradeCaller;
}

function toExecutable(trade: PricedTrade): ExecutableTrade {
  const { amountInRaw, maxAmountInRaw, amountOutRaw, minAmountOutRaw } = trade;
  return {
    fixed: trade.request.fixed,
    tokenIn: trade.tokenIn.token,
    tokenOut: trade.tokenOut.token,
    ...{ amountInRaw, maxAmountInRaw, amountOutRaw, minAmountOutRaw },
    ...{ swapPaths: trade.swapPaths, router: trade.router, costUnits: trade.costUnits },
    isInputGiven: trade.isInputGiven,
    outputTaxBps: trade.taxOut?.bps ?? 0,
    holdsOutput: trade.holdsOutput,
    fee: trade.integratorFee,
    isTimed: trade.openFee === 'timed',
    isQuotedOnChain: trade.swapPaths.some(({ hops }) =>
      hops.some(({ pool }) => isUnpriced(pool) || isCalledAtSwaps(pool.hook)),
    ),
  };
}

function isReverted(error: unknown): boolean {
  return error instanceof AppError && error.code === 'SIMULATION_REVERTED';
}

function isPriceMoved(error: unknown): boolean {
  return error instanceof AppError && error.code === 'PRICE_MOVED';
}

/** Whether there is no route, or none as good as quoted. */
function isRefused(error: unknown): boolean {
  return error instanceof AppError && ROUTE_REFUSALS.has(error.code);
}

/** Whether it takes more or pays less; if the price is not exact, by more than a rounding. */
function paysLess(trade: PricedTrade, { simulation }: BuiltTransactions): boolean {
  const { exact, amountInRaw, amountOutRaw } = trade;
  const bps = exact ? 0n : INEXACT_BPS;
  const taken = simulation?.amountInRaw ?? amountInRaw;
  const paid = simulation?.amountOutRaw ?? amountOutRaw;
  return taken * BPS > amountInRaw * (BPS + bps) || paid * BPS < amountOutRaw * (BPS - bps);
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

function isNotExact(trade: PricedTrade, { simulation }: BuiltTransactions): boolean {
  if (!trade.exact || simulation === null) return false;
  return !paysSame(trade, simulation);
}

/** Whether it ran on a later block than the price is of. */
function isOfLaterBlock(rehearsal: RehearsalOutcome): boolean {
  return rehearsal.kind === 'done' && rehearsal.built.simulation?.laterBlock !== undefined;
}

/** Whether the result differs from the price, even if it is better. */
function contradicts(trade: PricedTrade, rehearsal: RehearsalOutcome): boolean {
  if (isOfLaterBlock(rehearsal)) return false;
  if (failsPrice(trade, rehearsal)) return true;
  return rehearsal.kind === 'done' && isNotExact(trade, rehearsal.built);
}

function listPools({ swapPaths }: PricedTrade): PoolId[] {
  return swapPaths.flatMap(({ hops }) => hops.map(({ pool }) => pool.pool));
}

function isOutOfRoom(error: unknown): boolean {
  return error instanceof OutOfRoomError;
}

/** Null if fewer pools cannot take the whole amount. */
function keepShortage(error: unknown): null {
  if (error instanceof AppError && error.code === 'INSUFFICIENT_LIQUIDITY') return null;
  throw error;
}

/** A price and what its simulation showed. */
interface PricedAttempt {
  readonly priced: PricedTrade;
  /** The simulated block. */
  readonly block: number;
  readonly isAtHead: boolean;
  readonly order: BuildRequest;
  readonly rehearsal: RehearsalOutcome;
}

/** Throws `PRICE_MOVED` if neither the price nor a simulation keeps to the quote's limit. */
function assertTerms({ terms }: Build, { priced, rehearsal }: PricedAttempt): void {
  if (terms === null || meetsTerms(priced, terms)) return;
  const isShown = rehearsal.kind === 'done' && rehearsal.built.simulation !== null;
  if (!isShown && rehearsal.kind !== 'moved') throw buildPriceMovedError(priced, terms);
}

/**
 * The same swaps with limits that follow their simulation. Null if the block is gone; throws
 * `SIMULATION_REVERTED` if they no longer pay what they did.
 */
function rebuild(
  funds: TradingWallet,
  order: BuildRequest,
  { minAmountOutRaw, maxAmountInRaw }: PricedTrade,
): Promise<BuiltTransactions | null> {
  return funds.build({ ...order, trade: { ...order.trade, minAmountOutRaw, maxAmountInRaw } });
}

/** The block of a price that the node does not have any more. */
class GoneBlock {
  readonly hash: string;

  constructor(hash: string) {
    this.hash = hash;
  }
}

function findInput({ side, mint, quoteMint }: TradeRequest): Address {
  return side === 'buy' ? quoteMint : mint;
}

class TradeBuilder {
  readonly #parts: BuildParts;

  constructor(parts: BuildParts) {
    this.#parts = parts;
  }

  /** Checks the input first, then the state. */
  prepare(input: InputOf<typeof buildTrade>, context: HandlerContext): Build {
    const { pricing, chains, builders, clock } = this.#parts;
    const { identity } = context;
    if (identity.kind !== 'session') throw new Error('build was called without a session');
    const request = pricing.parse(input);
    const terms = input.quoteId === undefined ? null : pricing.openQuoteId(input.quoteId);
    const { addresses } = builders.findFamily(request.chain);
    const wallet = findTraderAddress(identity.wallet, chains.known.get(request.chain), addresses);
    const permit = parsePermit(input, terms, clock.nowMs());
    const tipRaw = parseTip(input.jitoTipLamports, request.chain);
    if (terms !== null) assertFits(terms, request, clock.nowMs());
    const chain = builders.find(request.chain);
    if (chain === null) throw buildNotReadyError(request.chain);
    if (!chain.canBuild) throw new AppError('TRADING_NOT_SUPPORTED', { chain: request.chain });
    const caller = createTradeCaller(context, COSTS.build);
    const { deadlineSeconds: lifeSeconds, approval } = input;
    return { request, terms, wallet, chain, lifeSeconds, approval, tipRaw, permit, caller };
  }

  /** A trade that would fail, or pay too little, is priced again once: the pools may have moved. */
  async build(build: Build): Promise<BuildAnswer> {
    try {
      return await this.#build(build);
    } catch (error) {
      const isFailed = isReverted(error) || isPriceMoved(error);
      if (!isFailed || isOutOfRoom(error)) throw error;
      return this.#build(build);
    }
  }

  async #build(build: Build): Promise<BuildAnswer> {
    const { chain, request, wallet, permit } = build;
    const token = findInput(request);
    for (let attempt = 1; attempt <= ATTEMPT_COUNT_MAX; attempt += 1) {
      const funds = await chain.readWallet(wallet, token, permit);
      await this.#untilPools(request.chain, ({ block }) => block >= funds.head.position);
      const answer = await this.#attempt(build, funds);
      if (!(answer instanceof GoneBlock)) return answer;
      if (attempt === ATTEMPT_COUNT_MAX) break;
      await this.#untilPools(request.chain, ({ blockHash }) => blockHash !== answer.hash);
    }
    const reason = `${request.chain} is reorganising its newest blocks.`;
    throw new AppError('NOT_READY', { reason }, { retryAfterSeconds: RETRY_AFTER_SECONDS });
  }

  #readCheckpoint(slug: ChainSlug): Checkpoint | null {
    return this.#parts.chains.find(slug)?.readGraph()?.checkpoint ?? null;
  }

  /** Waits until the pools are of a block that `isRight` accepts, at most for a while. */
  async #untilPools(slug: ChainSlug, isRight: (at: Checkpoint) => boolean): Promise<void> {
    const { clock, sleep } = this.#parts;
    const deadlineMs = clock.monotonicMs() + CATCH_UP_MAX_MS;
    while (clock.monotonicMs() < deadlineMs) {
      const checkpoint = this.#readCheckpoint(slug);
      if (checkpoint !== null && isRight(checkpoint)) return;
      await sleep(POLL_MS);
    }
  }

  async #attempt(build: Build, funds: TradingWallet): Promise<BuildAnswer | GoneBlock> {
    const { pricing, builders, chains } = this.#parts;
    const { wallet, request } = build;
    const attempt = await this.#fit(build, funds);
    const { priced, block, isAtHead, rehearsal } = attempt;
    // A fee that was not certain is reason enough; what the tokens do is not in doubt.
    const isFee = priced.openFee !== null && rehearsal.kind === 'done';
    if (isAtHead && !isFee && failsPrice(priced, rehearsal)) this.#noteFailure(build, priced);
    const gone = new GoneBlock(priced.state.blockHash);
    assertTerms(build, attempt);
    if (rehearsal.kind === 'reverted') throw rehearsal.error;
    if (rehearsal.kind === 'moved') return gone;
    const { built: first } = rehearsal;
    const held = isAtHead ? this.#holdToPromise(priced, first) : { ...priced, exact: false };
    const followed = followSimulation(held, first);
    const built = followed === null ? first : await rebuild(funds, attempt.order, followed);
    if (built === null) return gone;
    const trade = this.#warnOfPowers(followed ?? held, built);
    const quote = pricing.sealAnswer(trade, built.permit?.terms);
    const split = isAtHead ? await this.#split(build, funds, { trade, built, attempt }) : null;
    const { mint } = request;
    const chain = chains.known.get(request.chain);
    const { addresses, findTokenPage } = builders.findFamily(chain.slug);
    return createBuildAnswer({
      ...{ chain, trade, quote, wallet, funds, built, block, addresses, split },
      tokenPage: mint === addresses.native ? null : findTokenPage(chain, mint),
    });
  }

  /** What is offered beside the trade never stands in its way. */
  async #split(
    build: Build,
    funds: TradingWallet,
    single: { trade: PricedTrade; built: BuiltTransactions; attempt: PricedAttempt },
  ): Promise<TradeSplit | null> {
    const { request, approval, caller } = build;
    const { trade, built, attempt } = single;
    const chain = this.#parts.chains.find(request.chain);
    if (chain === null || funds.buildBatch === undefined || approval !== 'onchain') return null;
    if (built.simulation === null) return null;
    try {
      return await findSplit({
        ...{ single: trade, unitsUsed: built.simulation.unitsUsed, chain },
        price: (asked, options) => this.#parts.pricing.price(asked, caller, options),
        build: async (joint, parts) => {
          const orders = parts.map((part) => {
            return { ...attempt.order, trade: { ...toExecutable(joint), ...part } };
          });
          return (await funds.buildBatch?.(orders)) ?? null;
        },
      });
    } catch (error) {
      if (error instanceof AppError || build.chain.isUnavailable(error)) return null;
      throw error;
    }
  }

  /**
   * Prices and simulates. Some tokens use more of a transaction than the model expects: a trade
   * that does not fit is tried again with half as much, which takes fewer pools.
   */
  async #fit(build: Build, funds: TradingWallet): Promise<PricedAttempt> {
    let attempt = await this.#priceOnProven(build, funds);
    for (let count = 1; count <= SMALLER_COUNT_MAX; count += 1) {
      const { rehearsal, priced } = attempt;
      if (rehearsal.kind !== 'reverted' || !isOutOfRoom(rehearsal.error)) return attempt;
      const unitsMax = this.#halve(build, priced.costUnits);
      if (unitsMax >= priced.costUnits) return attempt;
      const smaller = await this.#price(build, funds, { unitsMax }).catch(keepShortage);
      if (smaller === null) return attempt;
      attempt = smaller;
    }
    return attempt;
  }

  /** Never less than a trade over a single route takes. */
  #halve({ request }: Build, costUnits: bigint): bigint {
    const usual = this.#parts.chains.find(request.chain)?.costs.usual ?? 0n;
    const least = (usual * 3n) / 2n;
    const half = costUnits / 2n;
    if (half < least) return least;
    return half;
  }

  /** Where no node can simulate, only routers are used that were executed. */
  async #priceOnProven(build: Build, funds: TradingWallet): Promise<PricedAttempt> {
    const { chains } = this.#parts;
    try {
      return await this.#price(build, funds, {});
    } catch (error) {
      if (!(error instanceof UnprovenRouterError)) throw error;
      const { chain, mint } = build.request;
      const shown = chains.findAddresses(chain).toShown(mint);
      const context = { mint: shown, chain, venues: error.venues.join(', ') };
      return this.#price(build, funds, { isProvenOnly: true }).catch((second: unknown) => {
        if (!isRefused(second)) throw second;
        throw new AppError('VENUE_NOT_SUPPORTED', context, { cause: error });
      });
    }
  }

  async #price(
    build: Build,
    funds: TradingWallet,
    options: Pick<PriceOptions, 'unitsMax' | 'isProvenOnly'>,
  ): Promise<PricedAttempt> {
    const { pricing, builders, clock } = this.#parts;
    const { request, terms, lifeSeconds, approval, tipRaw, permit, caller } = build;
    const amountInMax = request.fixed === 'output' ? terms?.limitRaw : undefined;
    const { native } = builders.findFamily(request.chain).addresses;
    // The coin is sent with the call: there is nothing to sign for it.
    const isPermitted = approval === 'permit' && findInput(request) !== native;
    const quoted = { router: permit?.router, isPermitted, amountInMax, ...options };
    const price: PriceOnWorth = (outPerUnit) =>
      pricing.price(request, caller, { outPerUnit, ...quoted });
    const priced = await priceOnTerms(price, terms);
    const { state } = priced;
    // If the pools lag behind the head, the simulation runs on the head.
    const isAtHead = state.block >= funds.head.position;
    const block = isAtHead
      ? { position: state.block, hash: state.blockHash }
      : { position: funds.head.position, hash: null };
    const nowMs = clock.nowMs();
    const { priority } = request;
    const how = { nowMs, lifeSeconds, approval, priority, tipRaw };
    const order = { trade: toExecutable(priced), block, ...how };
    const tried = () => tryRehearsal(funds, order);
    const rehearsal = await (isAtHead ? this.#rehearse(build, priced, tried) : tried());
    const isSame = isAtHead && !isOfLaterBlock(rehearsal);
    return { priced, block: block.position, isAtHead: isSame, order, rehearsal };
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
    if (first.kind === 'reverted' && isOutOfRoom(first.error)) return first;
    const deadlineMs = clock.monotonicMs() + NEXT_BLOCK_MAX_MS;
    while ((await chain.readHead()) <= trade.state.block && clock.monotonicMs() < deadlineMs) {
      await sleep(POLL_MS);
    }
    return tried();
  }

  /** The measurements of the pools on the route may be stale: they are measured again. */
  #noteFailure({ request, wallet }: Build, trade: PricedTrade): void {
    this.#parts.chains.find(request.chain)?.noteFailure({ pools: listPools(trade), wallet });
  }

  /** As the mint is now: the quote's may be minutes old, or not known yet. */
  #warnOfPowers(trade: PricedTrade, { powers }: BuiltTransactions): PricedTrade {
    const { chain, mint } = trade.request;
    const found = powers?.get(mint);
    if (found === undefined || this.#parts.chains.find(chain)?.trusted.has(mint)) return trade;
    const warnings = Array.from(warnOfPowers(found), ([code, message]) => ({ code, message }));
    const others = trade.warnings.filter(({ code }) => !POWER_CODES.has(code));
    return { ...trade, warnings: [...others, ...warnings] };
  }

  /** Withdraws `exact` if the simulation contradicts it, and adds it if only a fee was open. */
  #holdToPromise(trade: PricedTrade, built: BuiltTransactions): PricedTrade {
    if (isSettled(trade, built)) return settleFee(trade);
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
