// Answers GET /wallet/positions.

import { createOpenSerializer } from '../contract/create-serializer.ts';
import type { HandlerContext, ReadyAnswer } from '../contract/handler.ts';
import type { InputOf } from '../contract/operation.ts';
import { getWalletPositions } from '../contract/operations/get-wallet-positions.ts';
import { buildNotReadyError } from '../contract/parse-reference.ts';
import { asOfSchema } from '../contract/schemas/market-schemas.ts';
import type { Address } from '../model/ids.ts';
import type { Checkpoint, TokenRecord } from '../model/market-record.ts';
import type { PositionRecord } from '../model/position.ts';
import { sumFigures } from '../positions/position-periods.ts';
import { isHoldersComplete, readBalanceStarts } from './coverage.ts';
import { computeQueryMark } from './cursor.ts';
import type { MarketChain } from './market-parts.ts';
import { type AnswerReader, readAt } from './read-at.ts';
import {
  buildPositionFields,
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

const serializeOpen = createOpenSerializer(getWalletPositions.output, 'asOf', asOfSchema);

interface PositionsRequest extends WalletReference {
  readonly after: Address | null;
  readonly limit: number;
  readonly mark: string;
  /** The answer must not be kept. */
  readonly discard: () => void;
}

interface PositionRow {
  readonly position: PositionRecord;
  readonly token: TokenRecord;
  readonly balanceRaw: bigint;
  readonly balancesFromMs: number;
}

async function readRows(reader: AnswerReader, request: PositionsRequest, at: Checkpoint) {
  const { chain, wallet, after, limit } = request;
  // One more than the page shows whether there is a next one.
  const page = { after, limit: limit + 1 };
  const found = await reader.readPositionsOfWallet(chain, wallet, page);
  const positions = found.slice(0, limit);
  const ids = positions.map(({ token }) => token);
  const tokens = new Map((await reader.readTokens(chain, ids)).map((row) => [row.token, row]));
  const keys = ids.map((token) => ({ token, owner: wallet }));
  const stored = await reader.readBalances(chain, keys);
  const balances = new Map(stored.map((row) => [row.token, row.amountRaw]));
  const findFrom = await readBalanceStarts(reader, { chain, checkpoint: at }, [...tokens.values()]);
  const rows = positions.flatMap((position): PositionRow[] => {
    const token = tokens.get(position.token);
    const balanceRaw = balances.get(position.token) ?? 0n;
    if (token === undefined) return [];
    return [{ position, token, balanceRaw, balancesFromMs: findFrom(token) }];
  });
  const next = found.length > limit ? (ids.at(-1) ?? null) : null;
  return { rows, next, coverage: await readWalletCoverage(reader, chain, at) };
}

/** What the wallet holds; the node knows where the index has not all transfers. */
function findAmount(
  market: MarketChain,
  { token, balanceRaw }: PositionRow,
  holdings: WalletHoldings | null,
): bigint | null {
  if (token.token === market.assets.coin) return holdings?.nativeRaw ?? null;
  return isHoldersComplete(token) ? balanceRaw : (holdings?.amounts.get(token.token) ?? null);
}

async function makeAnswer(
  parts: WalletParts,
  market: MarketChain,
  request: PositionsRequest,
): Promise<ReadyAnswer> {
  const { chain, wallet, addresses } = request;
  const { value, checkpoint } = await readAt(parts, chain, async (reader, at) =>
    at === null ? null : await readRows(reader, request, at),
  );
  if (value === null || checkpoint === null) throw buildNotReadyError(chain);
  const rows = value.rows.filter(({ token }) => !parts.pauses.isPaused(chain, token.token));
  const { coin } = market.assets;
  const unknown = rows.flatMap(({ token }) => (isHoldersComplete(token) ? [] : [token.token]));
  const tokens = unknown.filter((token) => token !== coin);
  const holdings =
    unknown.length === 0
      ? null
      : await readWalletHoldings(
          { market, calls: parts.walletCalls },
          { wallet, tokens, at: checkpoint },
        );
  if (holdings?.node === 'unavailable') request.discard();
  const directory = parts.lists.directory.get(chain);
  const text = serializeOpen({
    wallet: addresses.toShown(wallet),
    positions: rows.map((row) => ({
      mint: addresses.toShown(row.token.token),
      symbol: row.token.symbol ?? directory?.get(row.token.token)?.symbol ?? null,
      decimals: row.token.decimals,
      ...buildPositionFields(market, {
        ...row,
        figures: sumFigures(row.position, 0),
        amountRaw: findAmount(market, row, holdings),
      }),
    })),
    nextCursor: encodeTokenCursor(addresses, request.mark, value.next),
    coverage: { ...value.coverage, node: holdings?.node ?? null },
  });
  return toWalletAnswer(text, checkpoint);
}

export function createGetWalletPositions(parts: WalletParts) {
  return (
    input: InputOf<typeof getWalletPositions>,
    _context: HandlerContext,
  ): Promise<ReadyAnswer> => {
    const reference = parseWallet(parts, input);
    const { chain, wallet, addresses } = reference;
    const { limit, cursor } = input;
    const mark = computeQueryMark(['positions', chain, wallet]);
    const after = cursor === undefined ? null : parseTokenCursor(addresses, mark, cursor);
    const market = requireChain(parts, chain);
    const request = { ...reference, after, limit, mark };
    const key = `${mark} ${limit} ${cursor ?? ''}`;
    return parts.walletCache.get(key, [chain], (discard) =>
      makeAnswer(parts, market, { ...request, discard }),
    );
  };
}
