// Answers GET /token/stream.

import type { HandlerContext } from '../../contract/handler.ts';
import type { Identity } from '../../contract/identity.ts';
import { isTokenNotFound } from '../../contract/look-up-token.ts';
import { COSTS, computeTokensCost, type InputOf } from '../../contract/operation.ts';
import type { getTokenStream } from '../../contract/operations/stream-token.ts';
import { buildNotReadyError, parseFollowedChain } from '../../contract/parse-reference.ts';
import type { StreamAnswer, StreamContext } from '../../contract/stream-answer.ts';
import { AppError, buildInvalidInputError } from '../../errors/app-error.ts';
import type { ChainSlug } from '../../model/chain.ts';
import type { PoolId } from '../../model/ids.ts';
import {
  buildTokenNotFoundError,
  parseToken,
  requireReadable,
  type TokenReference,
} from '../parse-token.ts';
import { parsePoolFilter, requirePool } from '../pool-filter.ts';
import { createPrepare } from '../prepare.ts';
import { withLookup } from '../with-lookup.ts';
import { buildStreamAnswer, type HeldStream } from './build-stream-answer.ts';
import { NEWS_KINDS, type NewsFilter } from './news-channel.ts';
import { NewsSource } from './news-source.ts';
import { type OpenedNews, openNews } from './open-news.ts';
import { type Opened, type OpenParts, openStream, type StreamRequest } from './open-stream.ts';
import { SetSource } from './set-source.ts';
import { STREAM_KINDS, type StreamFilter } from './stream-filter.ts';
import type { StreamSlots } from './stream-slots.ts';
import { type StreamSource, TokenSource } from './stream-source.ts';
import type { TokenChannel } from './token-channel.ts';

type StreamInput = InputOf<typeof getTokenStream>;

export interface StreamTokenParts extends OpenParts {
  readonly slots: StreamSlots;
  /** How many tokens a caller's stream may have. */
  readonly tokensMax: (identity: Identity) => number;
  /** Calls back when the credential of a stream stops working. */
  readonly watch: (identity: Identity, onEnded: () => void) => () => void;
}

const STOPPING_RETRY_SECONDS = 2;

/** `address` on the stream's chain, or `chain:address`. */
function parseMint(parts: OpenParts, input: StreamInput, index: number): TokenReference {
  const text = input.mint[index] ?? '';
  const chain = input.chain;
  const colon = text.lastIndexOf(':');
  // A family's addresses may hold colons of their own.
  if (colon >= 0 && !(chain !== undefined && isAddressOf(parts, chain, text))) {
    return parseToken(parts, { chain: text.slice(0, colon), mint: text.slice(colon + 1) });
  }
  if (chain === undefined) {
    throw buildInvalidInputError([{ path: 'chain', message: 'is required' }]);
  }
  return parseToken(parts, { chain, mint: text });
}

function isAddressOf({ chains }: OpenParts, chain: string, text: string): boolean {
  const followed = parseFollowedChain(chains, chain, 'chain');
  return chains.findAddresses(followed).parse(text) !== null;
}

/** Each token once, by chain and address: the order in the URL does not matter. */
function parseTokens(parts: OpenParts, input: StreamInput): readonly TokenReference[] {
  const references = input.mint.map((_, index) => parseMint(parts, input, index));
  const byKey = new Map(references.map((one) => [`${one.chain} ${one.token}`, one]));
  const sorted = [...byKey].sort(([a], [b]) => (a < b ? -1 : 1));
  return sorted.map(([, reference]) => reference);
}

function parsePool(input: StreamInput, references: readonly TokenReference[]): PoolId | null {
  const [only] = references;
  if (only === undefined) return null;
  if (input.pool !== undefined && references.length > 1) {
    throw buildInvalidInputError([
      { path: 'pool', message: 'must not be given with several mints' },
    ]);
  }
  return parsePoolFilter(only, input.pool);
}

function checkTokensMax(
  parts: StreamTokenParts,
  references: readonly TokenReference[],
  identity: Identity,
): void {
  const cap = parts.tokensMax(identity);
  if (references.length <= cap) return;
  const hint = identity.kind === 'anonymous' ? '; an API key raises the cap' : '';
  throw buildInvalidInputError([{ path: 'mint', message: `must be at most ${cap} tokens${hint}` }]);
}

function createSource(
  parts: StreamTokenParts,
  opened: Opened,
  of: { readonly channels: readonly TokenChannel[]; readonly filter: StreamFilter },
): StreamSource {
  const { hub } = parts;
  const [channel] = of.channels;
  const [opening] = opened.openings;
  if (of.channels.length === 1 && channel && opening) {
    return new TokenSource({ hub, channel, filter: of.filter }, opening);
  }
  return new SetSource({ hub, set: opened.set, ...of }, opened.openings);
}

function holdTokens(parts: StreamTokenParts, opened: Opened, filter: StreamFilter): HeldStream {
  const { hub, pauses } = parts;
  const channels = hub.acquireAll(opened.set.names);
  // The closures live as long as the stream, so they must not reference the initial page.
  let opening: Opened | null = opened;
  return {
    start: () => {
      if (opening === null) throw new Error('a stream can start only once');
      const { text } = opening;
      const source = createSource(parts, opening, { channels, filter });
      opening = null;
      return { text, source };
    },
    release: () => {
      for (const channel of channels) hub.release(channel);
    },
    findPaused: () => channels.find(({ name }) => pauses.isPaused(name.chain, name.token))?.name,
  };
}

function holdNews({ hub }: StreamTokenParts, opened: OpenedNews, filter: NewsFilter): HeldStream {
  const channel = hub.news.acquire(opened.name);
  const { point, page } = opened;
  let { text } = opened;
  return {
    start: () => {
      const first = text;
      // It is long, and a stream may last for days.
      text = '';
      return { text: first, source: new NewsSource({ hub, channel, filter }, { point, page }) };
    },
    release: () => hub.news.release(channel),
    findPaused: () => undefined,
  };
}

/**
 * Looks up the tokens that are not indexed, one after the other. A reader of several tokens resumes
 * without those that are not found.
 */
async function lookUpMissing(
  parts: StreamTokenParts,
  { tokens, lastEventId }: StreamRequest,
  context: HandlerContext,
): Promise<void> {
  for (const reference of tokens) {
    const read = async () => {
      const rows = await parts.store.readTokens(reference.chain, [reference.token]);
      if (rows.length === 0) throw buildTokenNotFoundError(reference);
    };
    try {
      await withLookup(parts, { reference, context }, read);
    } catch (error) {
      const isLeftOut = lastEventId !== null && tokens.length > 1 && isTokenNotFound(error);
      if (!isLeftOut) throw error;
    }
  }
}

/** The chain of `*` or `chain:*`; null if the stream is one of tokens. */
function parseNewsChain(parts: OpenParts, { mint, chain, pool }: StreamInput): ChainSlug | null {
  const isNews = mint.some((text) => text === '*' || text.endsWith(':*'));
  if (!isNews) return null;
  const [only = '', ...others] = mint;
  if (others.length > 0) {
    throw buildInvalidInputError([{ path: 'mint', message: 'must be * alone or tokens' }]);
  }
  if (pool !== undefined) {
    throw buildInvalidInputError([{ path: 'pool', message: 'must not be given with *' }]);
  }
  const named = only === '*' ? chain : only.slice(0, -2);
  if (named === undefined) {
    throw buildInvalidInputError([{ path: 'chain', message: 'is required' }]);
  }
  return parseFollowedChain(parts.chains, named, 'chain');
}

/** The events asked for, or all that such a stream has. */
function parseKinds<Kind extends string>(
  { events }: StreamInput,
  kinds: readonly Kind[],
): ReadonlySet<Kind> {
  const known: ReadonlySet<string> = new Set(kinds);
  if (events?.some((event) => !known.has(event))) {
    const message = `must be of ${kinds.join(', ')} for such a mint`;
    throw buildInvalidInputError([{ path: 'events', message }]);
  }
  return new Set((events as readonly Kind[] | undefined) ?? kinds);
}

type Prepared =
  | { readonly kind: 'news'; readonly chain: ChainSlug; readonly filter: NewsFilter }
  | {
      readonly kind: 'tokens';
      readonly references: readonly TokenReference[];
      readonly filter: StreamFilter;
    };

function prepareStream(parts: OpenParts, input: StreamInput): Prepared {
  const chain = parseNewsChain(parts, input);
  if (chain !== null) return { kind: 'news', chain, filter: parseKinds(input, NEWS_KINDS) };
  const references = parseTokens(parts, input);
  const pool = parsePool(input, references);
  const { interval, currency, outliers } = input;
  const kinds = parseKinds(input, STREAM_KINDS);
  return { kind: 'tokens', references, filter: { kinds, interval, pool, currency, outliers } };
}

async function openNewsStream(
  parts: StreamTokenParts,
  { chain, filter }: Extract<Prepared, { kind: 'news' }>,
  lastEventId: string | null,
): Promise<HeldStream> {
  const market = parts.chains.find(chain);
  if (market === null || parts.states.current(chain) === null) throw buildNotReadyError(chain);
  return holdNews(parts, await openNews(parts, { chain, market, filter, lastEventId }), filter);
}

async function openTokenStream(
  parts: StreamTokenParts,
  { references, filter }: Extract<Prepared, { kind: 'tokens' }>,
  of: { readonly lastEventId: string | null; readonly context: HandlerContext },
): Promise<HeldStream> {
  const tokens = references.map((reference) => {
    return { ...reference, market: requireReadable(parts, reference) };
  });
  const cost = computeTokensCost(tokens.length);
  if (cost > 0) of.context.chargeAhead?.({ cost, paid: COSTS.read });
  const [only] = references;
  if (only !== undefined) await requirePool(parts.store, only, filter.pool);
  const request: StreamRequest = { tokens, filter, lastEventId: of.lastEventId };
  if (parts.lookups !== undefined) await lookUpMissing(parts, request, of.context);
  return holdTokens(parts, await openStream(parts, request), filter);
}

export function createStreamToken(parts: StreamTokenParts) {
  const prepare = createPrepare((input: StreamInput) => prepareStream(parts, input));
  return async (
    input: StreamInput,
    context: HandlerContext & StreamContext,
  ): Promise<StreamAnswer> => {
    const prepared = prepare(input);
    const { identity, spend } = context;
    const { hub, watch } = parts;
    if (prepared.kind === 'tokens') checkTokensMax(parts, prepared.references, identity);
    const release = await parts.slots.take(identity);
    try {
      if (hub.isStopping) throw buildStoppingError();
      // The header is newer: a browser repeats the URL of its first connection.
      const lastEventId = context.lastEventId || input.lastEventId || null;
      const held =
        prepared.kind === 'news'
          ? await openNewsStream(parts, prepared, lastEventId)
          : await openTokenStream(parts, prepared, { lastEventId, context });
      return buildStreamAnswer(held, { hub, watch, identity, spend, release });
    } catch (error) {
      release();
      throw error;
    }
  };
}

function buildStoppingError(): AppError {
  return new AppError(
    'NOT_READY',
    { reason: 'The server is shutting down.' },
    { retryAfterSeconds: STOPPING_RETRY_SECONDS },
  );
}
