// What the reads of a wallet share: the request, pages by token, coverage and the answer.

import type { OpenText } from '../contract/create-serializer.ts';
import type { ReadyAnswer } from '../contract/handler.ts';
import type { OutputOf } from '../contract/operation.ts';
import type { getWalletPositions } from '../contract/operations/get-wallet-positions.ts';
import {
  buildNotReadyError,
  parseAddress,
  parseFollowedChain,
} from '../contract/parse-reference.ts';
import {
  type Decimal,
  decimalToText,
  pow10,
  ratioToText,
  textToDecimal,
  toRatio,
  toUnits,
} from '../lib/decimal.ts';
import type { HeldSlots } from '../lib/held-slots.ts';
import type { AddressCodec } from '../model/address-codec.ts';
import type { ChainSlug } from '../model/chain.ts';
import type { Address } from '../model/ids.ts';
import type { Checkpoint, TokenRecord } from '../model/market-record.ts';
import type { PositionRecord, TradeFigures } from '../model/position.ts';
import { settlePosition } from '../positions/position-fold.ts';
import { type CommitCache, computeEtag } from './commit-cache.ts';
import { callNode } from './contract-book.ts';
import { readChainStart } from './coverage.ts';
import { buildInvalidCursorError, encodeCursor, parseCursor } from './cursor.ts';
import type { MarketChain, MarketParts } from './market-parts.ts';
import type { AnswerReader } from './read-at.ts';
import { serializeAsOf } from './read-at.ts';
import { findPrices } from './token-summary.ts';

// Figures in USD as text.

const USD_SCALE = 6;

/** Millionths of a USD; may be negative. */
export function toUsdE6Text(value: bigint): string {
  const text = decimalToText({ digits: value < 0n ? -value : value, scale: USD_SCALE });
  return value < 0n ? `-${text}` : text;
}

function multiply(amountRaw: bigint, decimals: number, priceUsd: string): Decimal {
  const price = textToDecimal(priceUsd);
  return { digits: amountRaw * price.digits, scale: decimals + price.scale };
}

/** Amount times price, with 18 significant digits; null if one of them is unknown. */
export function computeValueUsd(
  amountRaw: bigint | null,
  decimals: number | null,
  priceUsd: string | null,
): string | null {
  if (amountRaw === null || decimals === null || priceUsd === null) return null;
  return ratioToText(toRatio(multiply(amountRaw, decimals, priceUsd)));
}

/** The same in millionths, rounded down. */
function computeValueE6(amountRaw: bigint, decimals: number, priceUsd: string): bigint {
  const { digits, scale } = multiply(amountRaw, decimals, priceUsd);
  return (digits * pow10(USD_SCALE)) / pow10(scale);
}

// What the index does not have of a wallet, by one call to the chain's node.

const ASK_TIMEOUT_MS = 2000;

export interface WalletHoldings {
  /** Null if the node did not answer for it; absent tokens were not asked for. */
  readonly amounts: ReadonlyMap<Address, bigint | null>;
  readonly nativeRaw: bigint | null;
  readonly node: 'answered' | 'unavailable';
}

/** As of the commit's block, and no other. */
export async function readWalletHoldings(
  { market, calls }: { readonly market: MarketChain; readonly calls: HeldSlots },
  of: {
    readonly wallet: Address;
    readonly tokens: readonly Address[];
    readonly at: Checkpoint;
  },
): Promise<WalletHoldings> {
  const { wallet, tokens, at } = of;
  const block = { position: at.block, hash: at.blockHash };
  // Without it the answer is sent all the same; endpoint health is reported elsewhere.
  const found = await callNode(calls, market.slug, () => {
    const signal = AbortSignal.timeout(ASK_TIMEOUT_MS);
    return market.readHoldings({ owner: wallet, tokens, block }, signal);
  });
  return {
    amounts: new Map(tokens.map((token, index) => [token, found?.amountsRaw[index] ?? null])),
    nativeRaw: found?.nativeRaw ?? null,
    node: found === null ? 'unavailable' : 'answered',
  };
}

export interface WalletParts extends MarketParts {
  readonly walletCache: CommitCache;
  readonly walletCalls: HeldSlots;
}

type WalletCoverage = OutputOf<typeof getWalletPositions>['coverage'];

export interface WalletReference {
  readonly chain: ChainSlug;
  readonly wallet: Address;
  readonly addresses: AddressCodec;
}

export function parseWallet(
  parts: Pick<MarketParts, 'chains'>,
  input: { readonly chain: string; readonly wallet: string },
): WalletReference {
  const chain = parseFollowedChain(parts.chains, input.chain);
  const addresses = parts.chains.findAddresses(chain);
  const wallet = parseAddress(addresses, { chain, text: input.wallet, field: 'wallet' });
  return { chain, wallet, addresses };
}

/** The cursor of a page that ended at this token. */
export function encodeTokenCursor(
  addresses: AddressCodec,
  mark: string,
  end: Address | null,
): string | null {
  return end === null ? null : encodeCursor(mark, addresses.toShown(end));
}

/** The token at which a page ended. */
export function parseTokenCursor(addresses: AddressCodec, mark: string, cursor: string): Address {
  const token = addresses.parse(parseCursor(mark, cursor));
  if (token === null) throw buildInvalidCursorError();
  return token;
}

/** Call it after all input checks. */
export function requireChain(parts: MarketParts, chain: ChainSlug): MarketChain {
  const market = parts.chains.find(chain);
  if (market === null || parts.states.current(chain) === null) throw buildNotReadyError(chain);
  return market;
}

export async function readWalletCoverage(
  reader: AnswerReader,
  chain: ChainSlug,
  at: Checkpoint,
): Promise<Omit<WalletCoverage, 'node'>> {
  const { fromMs } = await readChainStart(reader, chain, at);
  const tradesFrom = Math.max(fromMs ?? 0, at.tradesFromMs ?? 0);
  return {
    scope: at.scope ?? 'all',
    tradesFrom: tradesFrom === 0 ? null : tradesFrom,
    // With a scope each token counts from its own time on.
    positionsFrom: at.scope === undefined ? (at.positionsFromMs ?? fromMs) : null,
    tokensComplete: at.scope === undefined && at.startBlock <= 1,
  };
}

/** An answer that is not kept beyond the next commit. */
export function toWalletAnswer(text: OpenText, at: Checkpoint): ReadyAnswer {
  const bytes = Buffer.from(`${text},"asOf":${serializeAsOf(at)}}`);
  return { kind: 'ready', bytes, etag: computeEtag(text) };
}

// A position as it is answered: the stored fold, brought to what the wallet holds now.

type PositionAnswer = OutputOf<typeof getWalletPositions>['positions'][number];

type PositionFields = Omit<PositionAnswer, 'mint' | 'symbol' | 'decimals'>;

interface PositionParts {
  readonly position: PositionRecord;
  readonly token: TokenRecord;
  /** Of the trades that are shown. */
  readonly figures: TradeFigures;
  /** The indexed balance, which may be a part of what the wallet holds. */
  readonly balanceRaw: bigint;
  /** What the wallet holds; null if that is not known. */
  readonly amountRaw: bigint | null;
  /** After this time all balances of the token were known at each trade. */
  readonly balancesFromMs: number;
}

/** In 18 significant digits. */
function computeAverageCost(held: PositionRecord, decimals: number | null): string | null {
  if (held.boughtRaw === 0n || decimals === null) return null;
  return ratioToText({
    numerator: held.costUsdE6 * pow10(decimals),
    denominator: held.boughtRaw * pow10(6),
  });
}

export function buildPositionFields(market: MarketChain, parts: PositionParts): PositionFields {
  const { position, token, figures, amountRaw } = parts;
  const { decimals } = token;
  const isCoin = token.token === market.assets.coin;
  const held = isCoin ? position : settlePosition(position, parts.balanceRaw);
  const { priceUsd } = findPrices(market, token);
  return {
    amountRaw: amountRaw?.toString() ?? null,
    amount: amountRaw === null || decimals === null ? null : toUnits(amountRaw, decimals),
    averageCostUsd: computeAverageCost(held, decimals),
    costBasisUsd: toUsdE6Text(held.costUsdE6),
    unrealisedUsd:
      decimals === null || priceUsd === null
        ? null
        : toUsdE6Text(computeValueE6(held.boughtRaw, decimals, priceUsd) - held.costUsdE6),
    realisedUsd: toUsdE6Text(figures.realisedUsdE6),
    volumeUsd: toUsdE6Text(figures.volumeUsdE6),
    buys: figures.buys,
    sells: figures.sells,
    firstTradeAt: position.firstTradeAtMs,
    lastTradeAt: position.lastTradeAtMs,
    complete: held.isCostKnown && position.firstTradeAtMs > parts.balancesFromMs,
  };
}
