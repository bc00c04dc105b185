// Composes the streams.

import type { HandlerContext } from '../../contract/handler.ts';
import { type Identity, mayUseOwned, requireWallet } from '../../contract/identity.ts';
import { isTokenNotFound } from '../../contract/look-up-token.ts';
import { COSTS, computeTokensCost, type InputOf } from '../../contract/operation.ts';
import type { getTokenStream } from '../../contract/operations/stream-token.ts';
import { buildNotReadyError, parseFollowedChain } from '../../contract/parse-reference.ts';
import type { StreamAnswer, StreamContext, StreamOutlet } from '../../contract/stream-answer.ts';
import { AppError, buildInvalidInputError } from '../../errors/app-error.ts';
import type { Clock } from '../../lib/clock.ts';
import { WorkSlots } from '../../lib/work-slots.ts';
import type { ChainSlug } from '../../model/chain.ts';
import type { PoolId } from '../../model/ids.ts';
import type { ChainDirectory } from '../chain-status.ts';
import { CommitCache } from '../commit-cache.ts';
import type { MarketChain, MarketParts } from '../market-parts.ts';
import {
  buildTokenNotFoundError,
  createPrepare,
  parsePoolFilter,
  parseToken,
  requirePool,
  requireReadable,
  type TokenReference,
  withLookup,
} from '../parse-token.ts';
import { readAt, toAsOf } from '../read-at.ts';
import { encodeEvent, encodeReset } from './encode-events.ts';
import { encodeNewsPage } from './encode-news.ts';
import { NEWS_KINDS, type NewsFilter, toFilterKey } from './news-channel.ts';
import { encodeNewsId, type NewsName, parseNewsId, toNewsTip } from './news-point.ts';
import { type NewsOpening, NewsSource } from './news-source.ts';
import {
  type Opened,
  type OpenParts,
  openStream,
  type StreamRequest,
  StreamSlots,
  type StreamSlotsOptions,
} from './open-stream.ts';
import { readNews } from './read-news.ts';
import { SetSource } from './set-source.ts';
import { StreamClient } from './stream-client.ts';
import { StreamHub, type StreamLimits } from './stream-hub.ts';
import { STREAM_KINDS, type StreamFilter } from './stream-set.ts';
import { type StreamSource, TokenSource } from './stream-source.ts';
import type { TokenChannel } from './token-channel.ts';

// Answers GET /token/stream.

// The start of a stream of news: a snapshot of the chain, or the first page of what was missed.

interface NewsStreamRequest {
  readonly chain: ChainSlug;
  readonly market: MarketChain;
  readonly filter: NewsFilter;
  readonly lastEventId: string | null;
}

interface OpenedNews extends NewsOpening {
  readonly text: string;
  readonly name: NewsName;
}

async function readFresh(
  parts: OpenParts,
  { chain, market }: NewsStreamRequest,
): Promise<OpenedNews> {
  const { addresses } = market;
  const { value } = await readAt(parts, chain, async (reader, checkpoint) => {
    const epoch = (await reader.readEpoch(chain))?.epoch;
    if (checkpoint === null || epoch === undefined) return null;
    const name = { chain, addresses, epoch };
    const point = toNewsTip(checkpoint);
    const status = parts.hub.news.findStatus(chain);
    const data = { chain, ...status, asOf: toAsOf(checkpoint) };
    const text = encodeEvent('snapshot', data, encodeNewsId(name, point));
    return { text, name, point, page: null };
  });
  if (value === null) throw buildNotReadyError(chain);
  return value;
}

/** The first page of what the reader missed, or why it cannot resume. */
async function readResumed(
  parts: OpenParts,
  request: NewsStreamRequest,
): Promise<OpenedNews | 'unknown' | 'expired'> {
  const { chain, market, filter, lastEventId } = request;
  const { resumeMs, resumeEventsMax, pageEvents: limit } = parts.hub.limits;
  const epoch = (await parts.store.readEpoch(chain))?.epoch;
  if (epoch === undefined) return 'unknown';
  const name = { chain, addresses: market.addresses, epoch };
  const point = parseNewsId(name, lastEventId ?? '');
  if (point === null) return 'unknown';
  const { value } = await readAt(parts, chain, async (reader, checkpoint) => {
    if (checkpoint === null) return 'unknown';
    if (point.timeMs < checkpoint.timestampMs - resumeMs) return 'expired';
    const counted = { after: point.after, limit: resumeEventsMax + 1 };
    if ((await reader.countNewsAfter(chain, counted)) > resumeEventsMax) return 'expired';
    const wanted = { ...name, point, kinds: filter.kinds, limit, checkpoint };
    return readNews(reader, { ...parts, market }, wanted);
  });
  if (typeof value === 'string') return value;
  const { isLast, readCount } = value;
  const text = encodeNewsPage(value, name)(filter);
  return { text, name, point: value.point, page: { isLast, readCount } };
}

async function openNews(parts: OpenParts, request: NewsStreamRequest): Promise<OpenedNews> {
  const { chain, filter, lastEventId } = request;
  if (lastEventId === null) return readFresh(parts, request);
  const key = `news ${chain} ${toFilterKey(filter)} ${lastEventId}`;
  const resumed = await parts.openings.get(key, [chain], async (discard) => {
    const made = await parts.openingSlots.run(() => readResumed(parts, request));
    if (typeof made === 'string') discard();
    return made;
  });
  parts.hub.count(typeof resumed === 'string' ? 'reset' : 'resumed');
  if (typeof resumed !== 'string') return resumed;
  const fresh = await readFresh(parts, request);
  return { ...fresh, text: encodeReset(resumed) + fresh.text };
}

// The answer of a stream: holds the caller's slot and the channels for the life of the stream.

/** What a stream holds until it ends. */
interface HeldStream {
  /** Called once; the first text and page are not needed afterwards. */
  start(): { readonly text: string; readonly source: StreamSource };
  release(): void;
  /** A token of the stream that is paused. */
  findPaused(): TokenReference | undefined;
}

function buildStreamAnswer(
  held: HeldStream,
  of: {
    readonly hub: StreamHub;
    /** Calls back when the credential of a stream stops working. */
    readonly watch: (identity: Identity, onEnded: () => void) => () => void;
    readonly identity: Identity;
    readonly spend: StreamContext['spend'];
    /** Gives the caller's slot back. */
    readonly release: () => void;
  },
): StreamAnswer {
  const { hub, identity, spend } = of;
  const letGo = () => {
    held.release();
    of.release();
  };
  const start = (outlet: StreamOutlet): StreamClient => {
    let unwatch: () => void = () => undefined;
    const onGone = () => {
      unwatch();
      letGo();
    };
    const { text, source } = held.start();
    const client = new StreamClient({ hub, source, spend, onGone }, outlet, text);
    hub.add(client);
    unwatch = of.watch(identity, () => client.end());
    client.start();
    // Both may have happened since the request.
    const paused = held.findPaused();
    if (hub.isStopping) client.end();
    else if (paused !== undefined) client.pause(paused);
    return client;
  };
  return { kind: 'stream', start, cancel: letGo };
}

type StreamInput = InputOf<typeof getTokenStream>;

interface StreamTokenParts extends OpenParts {
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

/** Alerts only if they are asked for: they need a credential. */
function parseNewsKinds(input: StreamInput): NewsFilter['kinds'] {
  const kinds = parseKinds(input, NEWS_KINDS);
  return input.events === undefined ? new Set([...kinds].filter((one) => one !== 'alert')) : kinds;
}

/** Only a wallet's session, and keys that it lets see them, get its alerts. */
function findReader(kinds: NewsFilter['kinds'], identity: Identity): NewsFilter['owner'] {
  if (!kinds.has('alert')) return null;
  const owner = requireWallet(identity);
  if (!mayUseOwned(identity)) {
    const reason = 'it does not have the scope `webhooks`, which `alert` needs';
    throw new AppError('KEY_NOT_PERMITTED', { reason });
  }
  return owner;
}

type Prepared =
  | { readonly kind: 'news'; readonly chain: ChainSlug; readonly kinds: NewsFilter['kinds'] }
  | {
      readonly kind: 'tokens';
      readonly references: readonly TokenReference[];
      readonly filter: StreamFilter;
    };

function prepareStream(parts: OpenParts, input: StreamInput): Prepared {
  const chain = parseNewsChain(parts, input);
  if (chain !== null) return { kind: 'news', chain, kinds: parseNewsKinds(input) };
  const references = parseTokens(parts, input);
  const pool = parsePool(input, references);
  const { interval, currency, outliers } = input;
  const kinds = parseKinds(input, STREAM_KINDS);
  return { kind: 'tokens', references, filter: { kinds, interval, pool, currency, outliers } };
}

function withReader(
  { chain, kinds }: Extract<Prepared, { kind: 'news' }>,
  identity: Identity,
): { readonly chain: ChainSlug; readonly filter: NewsFilter } {
  return { chain, filter: { kinds, owner: findReader(kinds, identity) } };
}

async function openNewsStream(
  parts: StreamTokenParts,
  { chain, filter }: { readonly chain: ChainSlug; readonly filter: NewsFilter },
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

function createStreamToken(parts: StreamTokenParts) {
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
          ? await openNewsStream(parts, withReader(prepared, identity), lastEventId)
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

export interface StreamsOptions {
  readonly parts: MarketParts;
  /** What `/chains` says of each chain. */
  readonly directory: ChainDirectory;
  readonly clock: Clock;
  readonly random: () => number;
  readonly sleep: (ms: number) => Promise<void>;
  readonly limits: StreamLimits;
  readonly slots: StreamSlotsOptions;
  readonly tokensMax: StreamTokenParts['tokensMax'];
  readonly watch: StreamTokenParts['watch'];
  readonly onError: (error: unknown) => void;
}

/** After a restart thousands of readers resume with the same id. */
const OPENINGS_MAX = 200;
/** A replay page is large, so only a few are built at a time when thousands of readers resume. */
const OPENING_MAX = 16;

export function createStreams(options: StreamsOptions) {
  const { parts, tokensMax, watch } = options;
  const hub = new StreamHub({ ...options, ...parts });
  const slots = new StreamSlots(options.slots);
  const openings = new CommitCache(parts.states, { entriesMax: OPENINGS_MAX });
  const openingSlots = new WorkSlots({ countMax: OPENING_MAX });
  return {
    hub,
    slots,
    handlers: {
      getTokenStream: createStreamToken({
        ...{ ...parts, hub, slots, openings, openingSlots, tokensMax, watch },
      }),
    },
    start: () => hub.start(),
    /** Ends every stream at once; readers reconnect here or to another node. */
    stop: () => hub.stop(),
  };
}

export type Streams = ReturnType<typeof createStreams>;
