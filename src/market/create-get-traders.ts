// Answers GET /token/traders.

import { createOpenSerializer } from '../contract/create-open-serializer.ts';
import type { HandlerContext } from '../contract/handler.ts';
import type { InputOf } from '../contract/operation.ts';
import { getTraders } from '../contract/operations/get-traders.ts';
import type { ReadyAnswer } from '../contract/ready-answer.ts';
import { asOfSchema } from '../contract/schemas/market-schemas.ts';
import type { Checkpoint, TokenRecord } from '../model/market-record.ts';
import { findWindowEnd, findWindowStart } from '../positions/position-periods.ts';
import { ALWAYS, type MadeAnswer, toAnswerKey } from './answer-cache.ts';
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
  parseToken,
  requireReadable,
  type TokenReference,
} from './parse-token.ts';
import { pickTraders } from './pick-traders.ts';
import { buildPositionFields } from './position-answer.ts';
import { createPrepare } from './prepare.ts';
import { type AnswerReader, readAt } from './read-at.ts';
import { toUsdE6Text } from './usd-figures.ts';
import { withLookup } from './with-lookup.ts';

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
