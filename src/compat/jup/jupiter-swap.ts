// A swap for clients of the Jupiter API. They send back a quote that they rebuilt from the fields
// they know, so nothing of it is trusted: the trade is priced and built anew, and what the quote
// promised (`otherAmountThreshold`) is the limit that the transaction keeps.

import type { Ask, Asked, CompatRequest } from '../../contract/compat-route.ts';
import { buildTrade } from '../../contract/operations/build-trade.ts';
import type { quoteTrade } from '../../contract/operations/quote-trade.ts';
import { refuse } from './jupiter-errors.ts';
import { askQuote, type JupiterTrade, readTrade, toTradeInput } from './jupiter-quote.ts';

type Quote = Asked<typeof quoteTrade>;
type Fields = Readonly<Record<string, unknown>>;

function toFields(value: unknown, name: string): Fields {
  if (typeof value === 'object' && value !== null) return value as Fields;
  return refuse(`${name} must be an object`);
}

interface SwapOrder {
  readonly trade: JupiterTrade;
  /** The minimum that is received or, with `ExactOut`, the maximum that is spent. */
  readonly threshold: bigint;
}

function readOrder(body: Fields): SwapOrder {
  const quote = toFields(body['quoteResponse'], 'quoteResponse');
  const trade = readTrade(quote, (mode) => (mode === 'ExactIn' ? 'inAmount' : 'outAmount'));
  const { otherAmountThreshold } = quote;
  if (typeof otherAmountThreshold === 'string' && /^\d{1,20}$/.test(otherAmountThreshold)) {
    return { trade, threshold: BigInt(otherAmountThreshold) };
  }
  return refuse('quoteResponse.otherAmountThreshold must be decimal digits');
}

/** What a client may ask for that cannot be honoured must not be passed over in silence. */
function assertSupported(body: Fields): void {
  for (const name of [
    'feeAccount',
    'destinationTokenAccount',
    'nativeDestinationAccount',
    'payer',
  ]) {
    if (body[name]) refuse(`${name} is not supported by this server`, 'NOT_SUPPORTED');
  }
  if (body['asLegacyTransaction'] === true) {
    refuse('asLegacyTransaction is not supported by this server', 'NOT_SUPPORTED');
  }
}

const MOVED =
  'Slippage tolerance exceeded: the trade would now break the otherAmountThreshold of the quote; quote again';

function refuseMoved(): never {
  return refuse(MOVED, 'SLIPPAGE_TOLERANCE_EXCEEDED');
}

/**
 * The slippage that the threshold leaves at the price of now, at most that of the quote. With it
 * the transaction's own limit is the threshold or better.
 */
function computeSlippage(quote: Quote, { trade, threshold }: SwapOrder): number {
  const isExactIn = trade.swapMode === 'ExactIn';
  const amount = BigInt((isExactIn ? quote.output : quote.input).amountRaw);
  const room = isExactIn ? amount - threshold : threshold - amount;
  if (room < 0n) refuseMoved();
  const left = (room * 10_000n) / amount;
  return left < BigInt(trade.slippageBps) ? Number(left) : trade.slippageBps;
}

function assertKept({ output, input }: Quote, { threshold }: SwapOrder): void {
  const { minAmountRaw } = output;
  const isKept =
    minAmountRaw === undefined
      ? BigInt(input.maxAmountRaw ?? 0) <= threshold
      : BigInt(minAmountRaw) >= threshold;
  if (!isKept) refuseMoved();
}

const LEVELS: Readonly<Record<string, string>> = {
  medium: 'medium',
  high: 'high',
  veryHigh: 'high',
};

interface Offer {
  /** The first build's; also what is asked for beside it. */
  readonly input: { readonly priority: unknown; readonly jitoTipLamports?: string };
  /** In lamports: what the priority fee is, or what it is at most. */
  readonly exact: bigint | null;
  readonly max: bigint | null;
}

function toLamports(value: unknown): bigint | null {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0
    ? BigInt(value)
    : null;
}

/** These clients offer lamports, a level with a cap, a price for a unit, or a tip. */
function readOffer(body: Fields): Offer {
  const { prioritizationFeeLamports: offered, computeUnitPriceMicroLamports: price } = body;
  const none = { exact: null, max: null };
  if (toLamports(price) !== null) {
    return { ...none, input: { priority: { microLamports: String(price) } } };
  }
  const fields = typeof offered === 'object' && offered !== null ? (offered as Fields) : {};
  const { priorityLevelWithMaxLamports: level = {}, jitoTipLamports: tip } = fields;
  const { priorityLevel, maxLamports } = toFields(level, 'priorityLevelWithMaxLamports');
  const priority = LEVELS[String(priorityLevel)] ?? 'medium';
  const tipped = toLamports(tip) === null ? {} : { jitoTipLamports: String(tip) };
  const input = { priority, ...tipped };
  return { input, exact: toLamports(offered), max: toLamports(maxLamports) };
}

type Built = Asked<typeof buildTrade>;

/** The one transaction, and what it offers beside the base fee. */
function readBuilt({ transactions, quote: { networkCost } }: Built) {
  const [transaction, second] = transactions;
  const hasCost = networkCost !== null && 'priorityFeeRaw' in networkCost;
  if (transaction?.type !== 'solana-v0' || second !== undefined || !hasCost) {
    return refuse('The swap needs more than one transaction', 'NOT_SUPPORTED');
  }
  return { transaction, priorityFee: BigInt(networkCost.priorityFeeRaw) };
}

/** Which fee a second build must have; null if the first one is right. */
function pickFee({ exact, max }: Offer, priorityFee: bigint): bigint | null {
  if (exact !== null) return exact === priorityFee ? null : exact;
  return max !== null && priorityFee > max ? max : null;
}

export async function answerSwap(chain: string, { body }: CompatRequest, ask: Ask) {
  assertSupported(body);
  const order = readOrder(body);
  const offer = readOffer(body);
  const trade = toTradeInput(chain, order.trade, body['wrapAndUnwrapSol'] === false);
  const { priority } = offer.input;
  const quote = await askQuote(ask, order.trade, { ...trade, priority });
  const input = { ...trade, ...offer.input, slippageBps: computeSlippage(quote, order) };
  let built = await ask(buildTrade, input);
  if (built.wallet !== body['userPublicKey']) {
    refuse(`userPublicKey must be the wallet that is signed in: ${built.wallet}`, 'NOT_SUPPORTED');
  }
  const first = readBuilt(built);
  const fee = pickFee(offer, first.priorityFee);
  if (fee !== null) {
    // The limit of units is only known once the trade was simulated.
    const units = BigInt(first.transaction.computeUnitLimit);
    const microLamports = String((fee * 1_000_000n) / units);
    built = await ask(buildTrade, { ...input, priority: { microLamports } });
  }
  assertKept(built.quote, order);
  const { transaction, priorityFee } = readBuilt(built);
  return {
    swapTransaction: transaction.transaction,
    lastValidBlockHeight: transaction.lastValidBlockHeight,
    prioritizationFeeLamports: Number(priorityFee),
    computeUnitLimit: transaction.computeUnitLimit,
  };
}
