// Answers GET /token/traders.

import { createOpenSerializer } from '../contract/create-serializer.ts';
import type { HandlerContext, ReadyAnswer } from '../contract/handler.ts';
import type { InputOf } from '../contract/operation.ts';
import { getTraders } from '../contract/operations/get-traders.ts';
import { asOfSchema } from '../contract/schemas/market-schemas.ts';
import type { Address } from '../model/ids.ts';
import type { Checkpoint, TokenRecord } from '../model/market-record.ts';
import type { PositionRecord, TradeFigures } from '../model/position.ts';
import {
  findStepMax,
  findWindowEnd,
  findWindowStart,
  sumFigures,
} from '../positions/position-periods.ts';
import type { LargestPositions, LargestQuery } from '../store/market-reads.ts';
import { ALWAYS, type MadeAnswer, toAnswerKey } from './commit-cache.ts';
import {
  isHoldersComplete,
  readBalanceStarts,
  readCoverage,
  readTokenStart,
  type TokenStart,
} from './coverage.ts';
import type { MarketChain, MarketParts } from './market-parts.ts';
import {
  buildTokenNotFoundError,
  createPrepare,
  parseToken,
  requireReadable,
  type TokenReference,
  withLookup,
} from './parse-token.ts';
import { type AnswerReader, readAt } from './read-at.ts';
import { buildPositionFields, toUsdE6Text } from './wallet-request.ts';

// Picks the top traders of a token from its positions with the largest volumes.
//
// Nobody realises more than he sold for, so a position's volume bounds its profit, in any window.
// Positions come by their volume's step, the highest first. The reading ends when no unread one can
// be among the top, or after a limited number: then the answer says which were not compared.

/** How many positions are read at first, and then. */
const PAGE_SIZES = [500, 4500] as const;

interface PickedTrader {
  readonly position: PositionRecord;
  readonly figures: TradeFigures;
}

interface PickedTraders {
  readonly traders: readonly PickedTrader[];
  /** Positions with a volume up to this were not all compared; null if they were. */
  readonly unreadMaxE6: bigint | null;
}

type SortKey = 'volumeUsdE6' | 'realisedUsdE6';

function compareWallets(a: Address, b: Address): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

function compareTraders(key: SortKey, a: PickedTrader, b: PickedTrader): number {
  const [left, right] = [a.figures[key], b.figures[key]];
  if (left !== right) return left > right ? -1 : 1;
  return compareWallets(a.position.wallet, b.position.wallet);
}

export async function pickTraders(
  read: (query: LargestQuery) => Promise<LargestPositions>,
  query: { readonly key: SortKey; readonly fromMs: number; readonly limit: number },
): Promise<PickedTraders> {
  const { key, fromMs, limit } = query;
  let traders: readonly PickedTrader[] = [];
  let stepMax: number | null = null;
  const known = new Set<Address>();
  let unreadMaxE6: bigint | null = null;
  for (const size of PAGE_SIZES) {
    const page: LargestPositions = await read({ stepMax, limit: size, fromMs });
    // Positions of the step at which the page before ended may come again.
    const added = page.positions
      .filter(({ wallet }) => !known.has(wallet))
      .map((position) => ({ position, figures: sumFigures(position, fromMs) }))
      .filter(({ figures }) => figures.buys + figures.sells > 0);
    traders = [...traders, ...added].sort((a, b) => compareTraders(key, a, b)).slice(0, limit);
    if (page.lastStep === null) return { traders, unreadMaxE6: null };
    for (const { wallet } of page.positions) known.add(wallet);
    stepMax = page.lastStep;
    unreadMaxE6 = findStepMax(stepMax);
    const lowest = traders[limit - 1];
    if (lowest !== undefined && lowest.figures[key] > unreadMaxE6) {
      return { traders, unreadMaxE6: null };
    }
  }
  return { traders, unreadMaxE6 };
}

type TradersInput = InputOf<typeof getTraders>;

const serializeOpen = createOpenSerializer(getTraders.output, 'asOf', asOfSchema);

interface TradersRequest {
  readonly input: TradersInput;
  readonly reference: TokenReference;
  readonly market: MarketChain;
}

/** All trades from this time on are counted; null if not all are, or it is unknown. */
function findPositionsStart({ scope, fromMs }: TokenStart, at: Checkpoint): number | null {
  if (scope === 'partial') return null;
  const startMs = Math.max(fromMs ?? 0, at.positionsFromMs ?? 0);
  return startMs === 0 ? null : startMs;
}

async function readTraders(
  reader: AnswerReader,
  request: TradersRequest,
  { token, at }: { readonly token: TokenRecord; readonly at: Checkpoint },
) {
  const { input, reference, market } = request;
  const { chain, addresses } = reference;
  const { window, limit } = input;
  const fromMs = findWindowStart(window, at.timestampMs);
  const picked = await pickTraders(
    (page) => reader.readLargestPositions(chain, token.token, page),
    { key: input.sort === 'volume' ? 'volumeUsdE6' : 'realisedUsdE6', fromMs, limit },
  );
  const keys = picked.traders.map(({ position: { wallet } }) => {
    return { token: token.token, owner: wallet };
  });
  const stored = await reader.readBalances(chain, keys);
  const balances = new Map(stored.map((row) => [row.owner, row.amountRaw]));
  const start = await readTokenStart(reader, { chain, checkpoint: at }, token.token);
  const findFrom = await readBalanceStarts(reader, { chain, checkpoint: at }, [token]);
  const balancesFromMs = findFrom(token);
  const { unreadMaxE6 } = picked;
  const isKnown = token.token !== market.assets.coin && isHoldersComplete(token);
  return {
    from: window === 'all' ? null : fromMs,
    traders: picked.traders.map(({ position, figures }, index) => {
      const balanceRaw = balances.get(position.wallet) ?? 0n;
      const amountRaw = isKnown ? balanceRaw : null;
      return {
        rank: index + 1,
        wallet: addresses.toShown(position.wallet),
        ...buildPositionFields(market, {
          ...{ position, token, figures, balanceRaw, amountRaw, balancesFromMs },
        }),
      };
    }),
    comparedFromUsd: unreadMaxE6 === null ? null : toUsdE6Text(unreadMaxE6 + 1n),
    positionsFrom: findPositionsStart(start, at),
    coverage: await readCoverage(reader, chain, { token, checkpoint: at, start }),
  };
}

async function makeAnswer(parts: MarketParts, request: TradersRequest): Promise<MadeAnswer> {
  const { chain, token } = request.reference;
  const { value, checkpoint } = await readAt(parts, chain, async (reader, at) => {
    const [record] = await reader.readTokens(chain, [token]);
    if (record === undefined || at === null) return null;
    return await readTraders(reader, request, { token: record, at });
  });
  if (value === null || checkpoint === null) throw buildTokenNotFoundError(request.reference);
  const { timestampMs: fromMs } = checkpoint;
  // With the next hour or day the window begins later.
  const toMs = findWindowEnd(request.input.window, fromMs);
  return { text: serializeOpen(value), validity: { ...ALWAYS, fromMs, toMs }, checkpoint };
}

export function createGetTraders(parts: MarketParts) {
  const prepare = createPrepare((input: TradersInput) => {
    const reference = parseToken(parts, input);
    const query = `traders ${input.window} ${input.sort} ${input.limit}`;
    return { reference, key: toAnswerKey(reference, query) };
  });
  return (input: TradersInput, context: HandlerContext): ReadyAnswer | Promise<ReadyAnswer> => {
    const { reference, key } = prepare(input);
    const market = requireReadable(parts, reference);
    return withLookup(parts, { reference, context }, () =>
      parts.cache.answer(key, () => makeAnswer(parts, { input, reference, market })),
    );
  };
}
