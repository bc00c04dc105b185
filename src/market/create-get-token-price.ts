// Answers GET /token/price.

import { createOpenSerializer } from '../contract/create-open-serializer.ts';
import type { HandlerContext } from '../contract/handler.ts';
import type { InputOf } from '../contract/operation.ts';
import { getTokenPrice } from '../contract/operations/get-token-price.ts';
import type { ReadyAnswer } from '../contract/ready-answer.ts';
import { asOfSchema } from '../contract/schemas/market-schemas.ts';
import { buildInvalidInputError } from '../errors/app-error.ts';
import { ALWAYS, type MadeAnswer, toAnswerKey } from './answer-cache.ts';
import { mayHaveHistory, readCoverage, readTokenStart } from './coverage.ts';
import type { MarketChain, MarketParts } from './market-parts.ts';
import {
  buildTokenNotFoundError,
  parseToken,
  requireReadable,
  type TokenReference,
} from './parse-token.ts';
import { createPrepare } from './prepare.ts';
import { readAt } from './read-at.ts';
import { type PriceMoment, readPricesAt, readPricesNow } from './read-prices.ts';
import { withLookup } from './with-lookup.ts';

type PriceInput = InputOf<typeof getTokenPrice>;

const serializeOpen = createOpenSerializer(getTokenPrice.output, 'asOf', asOfSchema);

function parseMoment({ at, atBlock }: PriceInput): PriceMoment | null {
  if (at !== undefined && atBlock !== undefined) {
    throw buildInvalidInputError([
      { path: 'atBlock', message: 'must not be given together with at' },
    ]);
  }
  if (at !== undefined) return { kind: 'time', timeMs: at };
  return atBlock === undefined ? null : { kind: 'block', block: atBlock };
}

async function makeAnswer(
  parts: MarketParts,
  market: MarketChain,
  of: {
    readonly reference: TokenReference;
    readonly moment: PriceMoment | null;
    readonly addressGroup: string;
  },
): Promise<MadeAnswer> {
  const { reference, moment, addressGroup } = of;
  const { chain, token } = reference;
  const { value, checkpoint } = await readAt(parts, chain, async (reader, at) => {
    const [record] = await reader.readTokens(chain, [token]);
    if (record === undefined || at === null) return null;
    const { directory } = parts.lists;
    const request = { tokens: [token], checkpoint: at, directory, board: parts.board };
    const prices = await (moment === null
      ? readPricesNow(reader, market, request)
      : readPricesAt(reader, market, { ...request, moment }));
    const found = prices.get(token);
    if (found === undefined) return null;
    const start = await readTokenStart(reader, { chain, checkpoint: at }, token);
    const coverage = await readCoverage(reader, chain, { token: record, checkpoint: at, start });
    if (mayHaveHistory(start)) market.requestHistory(token, addressGroup);
    return { ...found, coverage };
  });
  if (value === null || checkpoint === null) throw buildTokenNotFoundError(reference);
  const text = serializeOpen({ ...value.entry, coverage: value.coverage });
  return { text, validity: { ...ALWAYS, ...value.span }, checkpoint };
}

export function createGetTokenPrice(parts: MarketParts) {
  const prepare = createPrepare((input: PriceInput) => {
    const reference = parseToken(parts, input);
    const moment = parseMoment(input);
    const key = toAnswerKey(reference, `price ${input.at ?? ''} ${input.atBlock ?? ''}`);
    return { reference, moment, key };
  });
  return (input: PriceInput, context: HandlerContext): ReadyAnswer | Promise<ReadyAnswer> => {
    const { reference, moment, key } = prepare(input);
    const market = requireReadable(parts, reference);
    const { addressGroup } = context;
    return withLookup(parts, { reference, context }, () =>
      parts.cache.answer(key, () => makeAnswer(parts, market, { reference, moment, addressGroup })),
    );
  };
}
