// Answers GET /token.

import { createOpenSerializer } from '../contract/create-serializer.ts';
import type { HandlerContext, ReadyAnswer } from '../contract/handler.ts';
import type { InputOf, OutputOf } from '../contract/operation.ts';
import { getToken } from '../contract/operations/get-token.ts';
import { asOfSchema } from '../contract/schemas/market-schemas.ts';
import type { Address } from '../model/ids.ts';
import type { Checkpoint, TokenRecord } from '../model/market-record.ts';
import { ALWAYS, type MadeAnswer, toAnswerKey } from './commit-cache.ts';
import { mayHaveHistory, readCoverage, readTokenStart } from './coverage.ts';
import type { MarketChain, MarketParts } from './market-parts.ts';
import {
  buildTokenNotFoundError,
  createPrepare,
  parseToken,
  requireReadable,
  type TokenReference,
  withLookup,
} from './parse-token.ts';
import { type ReadPool, readPoolAnswers } from './pool-answers.ts';
import { type AnswerReader, readAt } from './read-at.ts';
import { findLookalike, readSummaries } from './token-summary.ts';

type TokenAnswer = OutputOf<typeof getToken>;

const serializeOpen = createOpenSerializer(getToken.output, 'asOf', asOfSchema);

const POOLS_SHOWN_MAX = 50;

/** Its pools, the deepest first. */
async function readPools(
  reader: AnswerReader,
  market: MarketChain,
  {
    token,
    checkpoint,
    parts,
  }: { readonly token: Address; readonly checkpoint: Checkpoint; readonly parts: MarketParts },
): Promise<readonly ReadPool[]> {
  const top = await reader.readTopPools(market.slug, [token], POOLS_SHOWN_MAX);
  const pools = top.get(token) ?? [];
  market.noteIncomplete(pools.filter(({ complete }) => !complete).map(({ pool }) => pool));
  return readPoolAnswers(reader, market, {
    // Between two tokens of equal rank, the requested one is priced.
    ...{ pools, base: token, checkpoint },
    ...{ directory: parts.lists.directory, stats: parts.stats },
  });
}

function describeLookalike(
  { lists, chains }: MarketParts,
  market: MarketChain,
  row: TokenRecord,
): TokenAnswer['lookalikeOf'] {
  const found = findLookalike(lists, market, row);
  if (found === null) return null;
  const { chain, token, symbol } = found;
  return { chain, mint: chains.findAddresses(chain).toShown(token), symbol };
}

async function makeAnswer(
  parts: MarketParts,
  market: MarketChain,
  of: { readonly reference: TokenReference; readonly addressGroup: string },
): Promise<MadeAnswer> {
  const { reference, addressGroup } = of;
  const { chain, token } = reference;
  const { value, checkpoint } = await readAt(parts, chain, async (reader, at) => {
    if (at === null) return null;
    const { directory } = parts.lists;
    const wanted = { tokens: [token], checkpoint: at, directory, stats: parts.stats };
    const summaries = await readSummaries(reader, market, wanted);
    const found = summaries.get(token);
    if (found === undefined) return null;
    const start = await readTokenStart(reader, { chain, checkpoint: at }, token);
    const followed = { token: found.token, checkpoint: at, start };
    const coverage = await readCoverage(reader, chain, followed);
    const pools = await readPools(reader, market, { token, checkpoint: at, parts });
    // A token that was followed from the beginning has no older pools.
    if (mayHaveHistory(start)) {
      parts.lookups?.noteKnown(chain, token);
      market.requestHistory(token, addressGroup);
    }
    const answer: Omit<TokenAnswer, 'asOf'> = {
      ...found.summary,
      match: null,
      windows: found.windows,
      totalSupplyRaw: found.token.supplyRaw?.toString() ?? null,
      pools: pools.map(({ answer: pool }) => pool),
      lookalikeOf: describeLookalike(parts, market, found.token),
      status: 'active',
      coverage,
    };
    const toMs = Math.min(found.span.toMs, ...pools.map(({ span }) => span.toMs));
    return { answer, span: { ...found.span, toMs } };
  });
  if (value === null || checkpoint === null) throw buildTokenNotFoundError(reference);
  const validity = { ...ALWAYS, ...value.span };
  return { text: serializeOpen(value.answer), validity, checkpoint };
}

export function createGetToken(parts: MarketParts) {
  const prepare = createPrepare((input: InputOf<typeof getToken>) => {
    const reference = parseToken(parts, input);
    return { reference, key: toAnswerKey(reference, 'token') };
  });
  return (
    input: InputOf<typeof getToken>,
    context: HandlerContext,
  ): ReadyAnswer | Promise<ReadyAnswer> => {
    const { reference, key } = prepare(input);
    const market = requireReadable(parts, reference);
    const { addressGroup } = context;
    return withLookup(parts, { reference, context }, () =>
      parts.cache.answer(key, () => makeAnswer(parts, market, { reference, addressGroup })),
    );
  };
}
