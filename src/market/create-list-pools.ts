// Answers GET /pools.

import { createSerializer } from '../contract/create-serializer.ts';
import type { HandlerContext } from '../contract/handler.ts';
import type { InputOf } from '../contract/operation.ts';
import { listPools } from '../contract/operations/list-pools.ts';
import { parseFollowedChain } from '../contract/parse-reference.ts';
import type { ReadyAnswer } from '../contract/ready-answer.ts';
import { buildInvalidInputError } from '../errors/app-error.ts';
import type { ChainSlug } from '../model/chain.ts';
import { type PoolQuery, pickPools } from './board/pick-pools.ts';
import { computeQueryMark } from './cursor.ts';
import {
  buildListAnswer,
  type ListedRow,
  type ListParts,
  pickAt,
  pickReadyChains,
} from './list-answer.ts';
import { parseListCursor } from './list-cursor.ts';
import type { MarketChain } from './market-parts.ts';
import {
  buildTokenNotFoundError,
  parseToken,
  requireReadable,
  type TokenReference,
} from './parse-token.ts';
import { readPoolAnswers } from './pool-answers.ts';
import { readAt } from './read-at.ts';
import { withLookup } from './with-lookup.ts';

type PoolsInput = InputOf<typeof listPools>;

const serializePool = createSerializer(listPools.output.properties.pools.items);

interface PoolsRequest {
  readonly chains: readonly ChainSlug[];
  /** The token whose pools are asked for. */
  readonly reference: TokenReference | null;
  readonly mark: string;
  readonly limit: number;
  readonly query: Omit<PoolQuery, 'chain' | 'isHidden'>;
}

function parseMint(
  parts: ListParts,
  chains: readonly ChainSlug[],
  { mint, chain }: PoolsInput,
): TokenReference | null {
  if (mint === undefined) return null;
  const [only, ...others] = chains;
  if (chain === undefined || only === undefined || others.length > 0) {
    const message = 'must be exactly one chain where mint is given';
    throw buildInvalidInputError([{ path: 'chain', message }]);
  }
  return parseToken(parts, { chain: only, mint });
}

function parseRequest(parts: ListParts, input: PoolsInput): PoolsRequest {
  const given = input.chain?.map((name) => parseFollowedChain(parts.chains, name));
  const chains = [...new Set(given ?? parts.chains.list())].sort();
  const reference = parseMint(parts, chains, input);
  const { limit, sort, venue = null } = input;
  const token = reference?.token ?? null;
  const mark = computeQueryMark(['pools', chains.join(), sort, venue, token]);
  const after = input.cursor === undefined ? null : parseListCursor(mark, input.cursor, chains);
  return { chains, reference, mark, limit, query: { sort, venue, token, after, limit: limit + 1 } };
}

async function readRows(parts: ListParts, market: MarketChain, request: PoolsRequest) {
  const chain = market.slug;
  const { reference } = request;
  const isHidden: PoolQuery['isHidden'] = (token) => parts.pauses.isPaused(chain, token);
  const { value, checkpoint } = await readAt(parts, chain, async (reader, at) => {
    if (at === null) return null;
    const picked = await pickAt(parts, { chain, at, reader }, (board, columns) => {
      if (reference !== null && !columns.tokens.isPresent(reference.token)) return null;
      return pickPools(board, columns, { ...request.query, chain, isHidden });
    });
    if (picked === null) return { isTokenKnown: false, rows: [] };
    const stored = await reader.readPools(
      chain,
      picked.map(({ id }) => id),
    );
    const readings = await readPoolAnswers(reader, market, {
      ...{ pools: stored, base: reference?.token ?? null, checkpoint: at },
      ...{ directory: parts.lists.directory, board: parts.board },
    });
    const texts = new Map(readings.map(({ row, answer }) => [row.pool, serializePool(answer)]));
    const rows = picked.flatMap((position): ListedRow[] => {
      const text = texts.get(position.id);
      return text === undefined ? [] : [{ position, text }];
    });
    return { isTokenKnown: true, rows };
  });
  if (value === null || checkpoint === null) return null;
  if (!value.isTokenKnown && reference !== null) throw buildTokenNotFoundError(reference);
  return { rows: value.rows, at: checkpoint };
}

export function createListPools(parts: ListParts) {
  return (input: PoolsInput, context: HandlerContext): ReadyAnswer | Promise<ReadyAnswer> => {
    const request = parseRequest(parts, input);
    const { mark, limit, reference } = request;
    const isNamed = input.chain !== undefined;
    const chains = pickReadyChains(parts, request.chains, { isNamed });
    const read = () =>
      parts.listCache.get(`${mark} ${limit} ${input.cursor ?? ''} ${chains}`, chains, () =>
        buildListAnswer(parts, {
          name: 'pools',
          ...{ chains, mark, limit },
          readRows: (market) => readRows(parts, market, request),
        }),
      );
    if (reference === null) return read();
    requireReadable(parts, reference);
    return withLookup(parts, { reference, context }, read);
  };
}
