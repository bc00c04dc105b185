// Answers GET /wallet/trades.

import { buildNamedTrade } from '../contract/build-trade-answer.ts';
import { createOpenSerializer } from '../contract/create-serializer.ts';
import type { HandlerContext, ReadyAnswer } from '../contract/handler.ts';
import type { InputOf } from '../contract/operation.ts';
import { getWalletTrades } from '../contract/operations/get-wallet-trades.ts';
import { buildNotReadyError, parseAddress } from '../contract/parse-reference.ts';
import { asOfSchema } from '../contract/schemas/market-schemas.ts';
import type { TradeQuery } from '../store/market-reads.ts';
import { toKeptQuery } from './create-get-trades.ts';
import { computeQueryMark, encodeTradeCursor, parseTradeCursor } from './cursor.ts';
import { chargeRows, checkLimit, parseTimeRange } from './parse-token.ts';
import { readAt } from './read-at.ts';
import {
  parseWallet,
  readWalletCoverage,
  requireChain,
  toWalletAnswer,
  type WalletParts,
  type WalletReference,
} from './wallet-request.ts';

const serializeOpen = createOpenSerializer(getWalletTrades.output, 'asOf', asOfSchema);

interface WalletTradesRequest extends WalletReference {
  readonly query: TradeQuery;
  readonly mark: string;
}

function parseRequest(
  parts: WalletParts,
  input: InputOf<typeof getWalletTrades>,
): WalletTradesRequest {
  const reference = parseWallet(parts, input);
  const { chain, wallet, addresses } = reference;
  const range = parseTimeRange(input);
  const token =
    input.mint === undefined
      ? null
      : parseAddress(addresses, { chain, text: input.mint, field: 'mint' });
  const mark = computeQueryMark(['walletTrades', chain, wallet, token, range.fromMs, range.toMs]);
  const { cursor, limit } = input;
  const after = cursor === undefined ? null : parseTradeCursor(addresses, mark, cursor);
  const query: TradeQuery = {
    ...{ token, pool: null, side: null, minUsd: null, wallet, range, after, limit },
    order: 'newest',
  };
  return { ...reference, query, mark };
}

async function makeAnswer(parts: WalletParts, request: WalletTradesRequest): Promise<ReadyAnswer> {
  const { chain, addresses, query, mark } = request;
  const { value, checkpoint } = await readAt(parts, chain, async (reader, at) => {
    if (at === null) return null;
    const page = await reader.readTradePage(chain, toKeptQuery(query, at));
    const trades = page.trades.filter(({ token }) => !parts.pauses.isPaused(chain, token));
    const ids = new Set(trades.flatMap(({ token, quoteToken }) => [token, quoteToken]));
    const rows = await reader.readTokens(chain, [...ids]);
    const tokens = new Map(rows.map((row) => [row.token, row]));
    const known = { tokens, finalizedBlock: at.finalizedBlock, addresses };
    return {
      trades: trades.map((trade) => buildNamedTrade(chain, trade, known)),
      nextCursor: page.next === null ? null : encodeTradeCursor(addresses, mark, page.next),
      coverage: { ...(await readWalletCoverage(reader, chain, at)), node: null },
    };
  });
  if (value === null || checkpoint === null) throw buildNotReadyError(chain);
  return toWalletAnswer(serializeOpen(value), checkpoint);
}

export function createGetWalletTrades(parts: WalletParts) {
  return (
    input: InputOf<typeof getWalletTrades>,
    context: HandlerContext,
  ): Promise<ReadyAnswer> => {
    checkLimit(parts, { limit: input.limit, of: 'trades' }, context);
    const request = parseRequest(parts, input);
    requireChain(parts, request.chain);
    chargeRows(input.limit, context);
    const key = `${request.mark} ${input.limit} ${input.cursor ?? ''}`;
    return parts.walletCache.get(key, [request.chain], () => makeAnswer(parts, request));
  };
}
