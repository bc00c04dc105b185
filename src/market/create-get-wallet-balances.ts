// Answers GET /wallet/balances.

import { createOpenSerializer } from '../contract/create-serializer.ts';
import type { HandlerContext, ReadyAnswer } from '../contract/handler.ts';
import type { InputOf, OutputOf } from '../contract/operation.ts';
import { getWalletBalances } from '../contract/operations/get-wallet-balances.ts';
import { buildNotReadyError } from '../contract/parse-reference.ts';
import { asOfSchema } from '../contract/schemas/market-schemas.ts';
import { addDecimals, decimalToText, roundText, textToDecimal, toUnits } from '../lib/decimal.ts';
import type { Address } from '../model/ids.ts';
import type { Checkpoint, TokenRecord } from '../model/market-record.ts';
import { isHoldersComplete } from './coverage.ts';
import { computeQueryMark } from './cursor.ts';
import type { MarketChain } from './market-parts.ts';
import { type AnswerReader, readAt } from './read-at.ts';
import { findPrices } from './token-summary.ts';
import {
  computeValueUsd,
  encodeTokenCursor,
  parseTokenCursor,
  parseWallet,
  readWalletCoverage,
  readWalletHoldings,
  requireChain,
  toWalletAnswer,
  type WalletHoldings,
  type WalletParts,
  type WalletReference,
} from './wallet-request.ts';

type BalancesAnswer = OutputOf<typeof getWalletBalances>;

const serializeOpen = createOpenSerializer(getWalletBalances.output, 'asOf', asOfSchema);

/** Tokens that the wallet may hold without the index knowing, asked of the node. */
const EXTRA_COUNT_MAX = 99;

interface BalancesRequest extends WalletReference {
  readonly after: Address | null;
  readonly limit: number;
  readonly mark: string;
  /** The answer must not be kept. */
  readonly discard: () => void;
}

interface BalanceRow {
  readonly token: TokenRecord;
  /** Null if it must be asked of the node. */
  readonly amountRaw: bigint | null;
}

/**
 * Assets, tokens that the wallet has traded, and verified ones, without a balance here; only those
 * whose transfers are not all indexed.
 */
async function readExtras(
  parts: WalletParts,
  market: MarketChain,
  of: { readonly reader: AnswerReader; readonly wallet: Address },
): Promise<TokenRecord[]> {
  const { reader, wallet } = of;
  const chain = market.slug;
  const { stable, native, coin } = market.assets;
  const page = { after: null, limit: EXTRA_COUNT_MAX };
  const positions = await reader.readPositionsOfWallet(chain, wallet, page);
  const traded = positions.map(({ token }) => token);
  const verified = parts.lists.directory.get(chain)?.keys() ?? [];
  const candidates = new Set<Address>();
  for (const group of [stable, native, traded, verified]) {
    for (const token of group) {
      if (candidates.size === EXTRA_COUNT_MAX) break;
      if (token !== coin) candidates.add(token);
    }
  }
  const tokens = await reader.readTokens(chain, [...candidates]);
  const partial = tokens.filter((token) => !isHoldersComplete(token));
  const keys = partial.map(({ token }) => ({ token, owner: wallet }));
  const stored = await reader.readBalances(chain, keys);
  const known = new Set(stored.map(({ token }) => token));
  return partial.filter(({ token }) => !known.has(token));
}

async function readRows(
  parts: WalletParts,
  market: MarketChain,
  of: { readonly request: BalancesRequest; readonly reader: AnswerReader; readonly at: Checkpoint },
) {
  const { reader, request, at } = of;
  const { chain, wallet, after, limit } = request;
  // One more than the page shows whether there is a next one.
  const found = await reader.readBalancesOfOwner(chain, wallet, { after, limit: limit + 1 });
  const page = found.slice(0, limit);
  const ids = page.map(({ token }) => token);
  const tokens = new Map((await reader.readTokens(chain, ids)).map((row) => [row.token, row]));
  const rows = page.flatMap(({ token: id, amountRaw }): BalanceRow[] => {
    const token = tokens.get(id);
    if (token === undefined) return [];
    return [{ token, amountRaw: isHoldersComplete(token) ? amountRaw : null }];
  });
  const coverage = await readWalletCoverage(reader, chain, at);
  const isWhole = coverage.tokensComplete;
  return {
    rows,
    extras: isWhole || after !== null ? [] : await readExtras(parts, market, { reader, wallet }),
    priceUsd: await readNativePrice(reader, market),
    next: found.length > limit ? (ids.at(-1) ?? null) : null,
    coverage,
  };
}

/** The native coin is worth what its wrapped form is. */
async function readNativePrice(reader: AnswerReader, market: MarketChain): Promise<string | null> {
  const rows = await reader.readTokens(market.slug, [...market.assets.native]);
  return rows.find(({ priceUsd }) => priceUsd !== null)?.priceUsd ?? null;
}

function buildBalance(
  parts: WalletParts,
  market: MarketChain,
  { token, amountRaw, source }: BalanceRow & { readonly source: 'index' | 'node' },
): BalancesAnswer['balances'][number] {
  const { decimals } = token;
  const { priceUsd } = findPrices(market, token);
  const entry = parts.lists.directory.get(market.slug)?.get(token.token);
  return {
    mint: market.addresses.toShown(token.token),
    symbol: token.symbol ?? entry?.symbol ?? null,
    decimals,
    amountRaw: amountRaw?.toString() ?? null,
    amount: amountRaw === null || decimals === null ? null : toUnits(amountRaw, decimals),
    priceUsd,
    valueUsd: computeValueUsd(amountRaw, decimals, priceUsd),
    verified: [...(entry?.lists ?? [])],
    source,
  };
}

function buildNative(market: MarketChain, amountRaw: bigint | null, priceUsd: string | null) {
  const { symbol, decimals } = market.assets.coinUnit;
  return {
    symbol,
    decimals,
    amountRaw: amountRaw?.toString() ?? null,
    amount: amountRaw === null ? null : toUnits(amountRaw, decimals),
    priceUsd,
    valueUsd: computeValueUsd(amountRaw, decimals, priceUsd),
  };
}

/** What is held without a price adds nothing; an unknown amount makes the sum unknown. */
function sumValues(
  rows: readonly Pick<BalancesAnswer['balances'][number], 'amountRaw' | 'valueUsd'>[],
): string | null {
  if (rows.some(({ amountRaw }) => amountRaw === null)) return null;
  const values = rows.flatMap(({ valueUsd }) => (valueUsd === null ? [] : textToDecimal(valueUsd)));
  return roundText(decimalToText(values.reduce(addDecimals, { digits: 0n, scale: 0 })));
}

/** Rows with what the node said; it does not list what the wallet does not hold. */
function fillIn(
  rows: readonly BalanceRow[],
  extras: readonly TokenRecord[],
  { amounts }: WalletHoldings,
) {
  const own = rows.map(({ token, amountRaw }) =>
    amountRaw === null
      ? { token, amountRaw: amounts.get(token.token) ?? null, source: 'node' as const }
      : { token, amountRaw, source: 'index' as const },
  );
  const others = extras.flatMap((token) => {
    const amountRaw = amounts.get(token.token) ?? null;
    return amountRaw === null ? [] : [{ token, amountRaw, source: 'node' as const }];
  });
  return [...others, ...own].filter(({ amountRaw }) => amountRaw !== 0n);
}

async function makeAnswer(
  parts: WalletParts,
  market: MarketChain,
  request: BalancesRequest,
): Promise<ReadyAnswer> {
  const { chain, wallet, addresses } = request;
  const { value, checkpoint } = await readAt(parts, chain, async (reader, at) =>
    at === null ? null : await readRows(parts, market, { request, reader, at }),
  );
  if (value === null || checkpoint === null) throw buildNotReadyError(chain);
  const isShown = (token: Address) => !parts.pauses.isPaused(chain, token);
  const rows = value.rows.filter(({ token }) => isShown(token.token));
  const extras = value.extras.filter(({ token }) => isShown(token));
  const partial = rows.flatMap(({ token, amountRaw }) => (amountRaw === null ? [token] : []));
  const tokens = [...partial, ...extras].map(({ token }) => token);
  const holdings = await readWalletHoldings(
    { market, calls: parts.walletCalls },
    { wallet, tokens, at: checkpoint },
  );
  if (holdings.node === 'unavailable') request.discard();
  const balances = fillIn(rows, extras, holdings).map((row) => buildBalance(parts, market, row));
  const native = buildNative(market, holdings.nativeRaw, value.priceUsd);
  // An extra of an unknown amount is not listed, but may be held.
  const isWhole =
    request.after === null &&
    value.next === null &&
    extras.every(({ token }) => holdings.amounts.get(token) !== null);
  const text = serializeOpen({
    wallet: addresses.toShown(wallet),
    native,
    balances,
    totalUsd: isWhole ? sumValues([native, ...balances]) : null,
    nextCursor: encodeTokenCursor(addresses, request.mark, value.next),
    coverage: { ...value.coverage, node: holdings.node },
  });
  return toWalletAnswer(text, checkpoint);
}

export function createGetWalletBalances(parts: WalletParts) {
  return (
    input: InputOf<typeof getWalletBalances>,
    _context: HandlerContext,
  ): Promise<ReadyAnswer> => {
    const reference = parseWallet(parts, input);
    const { chain, wallet, addresses } = reference;
    const { limit, cursor } = input;
    const mark = computeQueryMark(['balances', chain, wallet]);
    const after = cursor === undefined ? null : parseTokenCursor(addresses, mark, cursor);
    const market = requireChain(parts, chain);
    const request = { ...reference, after, limit, mark };
    const key = `${mark} ${limit} ${cursor ?? ''}`;
    return parts.walletCache.get(key, [chain], (discard) =>
      makeAnswer(parts, market, { ...request, discard }),
    );
  };
}
