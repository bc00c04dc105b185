// Answers GET /token/stream.

import type { HandlerContext } from '../../contract/handler.ts';
import type { Identity } from '../../contract/identity.ts';
import type { InputOf } from '../../contract/operation.ts';
import type { getTokenStream } from '../../contract/operations/stream-token.ts';
import type { StreamAnswer, StreamContext, StreamOutlet } from '../../contract/stream-answer.ts';
import { AppError } from '../../errors/app-error.ts';
import type { MarketChain, MarketParts } from '../market-parts.ts';
import {
  buildTokenNotFoundError,
  parseToken,
  requireReadable,
  type TokenReference,
} from '../parse-token.ts';
import { createPrepare } from '../prepare.ts';
import { readAt } from '../read-at.ts';
import { withLookup } from '../with-lookup.ts';
import { encodeReset } from './encode-events.ts';
import type { OpeningCache } from './opening-cache.ts';
import { type NoWay, readMissed } from './read-missed.ts';
import { readOldestTime } from './read-oldest-time.ts';
import { readSnapshot, type Snapshot } from './read-snapshot.ts';
import { buildRequest, encodePage, StreamClient, type StreamOpening } from './stream-client.ts';
import { STREAM_KINDS, type StreamFilter, toFilterKey } from './stream-filter.ts';
import type { StreamHub } from './stream-hub.ts';
import { parseEventId, type StreamName, toTip } from './stream-point.ts';
import type { StreamSlots } from './stream-slots.ts';

type StreamInput = InputOf<typeof getTokenStream>;

export interface StreamTokenParts extends MarketParts {
  readonly hub: StreamHub;
  readonly slots: StreamSlots;
  readonly openings: OpeningCache;
  /** Calls back when the credential of a stream stops working. */
  readonly watch: (identity: Identity, onEnded: () => void) => () => void;
}

interface StreamRequest {
  readonly market: MarketChain;
  readonly reference: TokenReference;
  readonly filter: StreamFilter;
  readonly lastEventId: string | null;
}

interface Opened extends StreamOpening {
  readonly name: StreamName;
}

const STOPPING_RETRY_SECONDS = 2;
/** Longer replays are rarely shared, and would fill the memory. */
const KEPT_LENGTH_MAX = 64 * 1024;

/** The first page of what the reader missed, or why it cannot resume. */
async function readResumed(
  parts: StreamTokenParts,
  { reference, filter, lastEventId }: StreamRequest,
): Promise<Opened | NoWay> {
  const { chain, token } = reference;
  const { resumeMs, resumeEventsMax, pageEvents } = parts.hub.limits;
  const { value } = await readAt(parts.store, chain, async (reader, checkpoint) => {
    const epoch = (await reader.readEpoch(chain))?.epoch;
    if (epoch === undefined || checkpoint === null) return 'unknown';
    const name = { ...reference, epoch };
    const point = parseEventId(name, lastEventId ?? '');
    if (point === null) return 'unknown';
    const after = point.position;
    if (after.timeMs < checkpoint.timestampMs - resumeMs) return 'expired';
    const isCounted = filter.kinds.has('trade') || filter.interval === '1s';
    if (isCounted) {
      const sinceMs = await readOldestTime(reader, reference, after);
      const wanted = { after, sinceMs, limit: resumeEventsMax + 1 };
      const count = await reader.countTradesAfter(chain, token, wanted);
      if (count > resumeEventsMax) return 'expired';
    }
    const asked = buildRequest(name, { point, filter, limit: pageEvents });
    const page = await readMissed(reader, asked, checkpoint);
    if (typeof page === 'string') return page;
    return { name, text: encodePage(page, name, filter), point: page.point, page };
  });
  return value;
}

async function readFresh(
  parts: StreamTokenParts,
  { market, reference, filter }: StreamRequest,
): Promise<Snapshot | null> {
  const { value } = await readAt(parts.store, reference.chain, async (reader, checkpoint) => {
    if (checkpoint === null) return null;
    const { interval } = filter;
    const { directory } = parts.lists;
    const { board } = parts;
    return readSnapshot(reader, market, { reference, interval, checkpoint, directory, board });
  });
  return value;
}

async function openFresh(
  parts: StreamTokenParts,
  request: StreamRequest,
  before: string,
): Promise<Opened> {
  const { reference, filter } = request;
  const { chain, token } = reference;
  const key = `snapshot ${chain} ${token} ${filter.interval}`;
  const snapshot = await parts.openings.get(key, chain, {
    make: () => readFresh(parts, request),
    isKept: (made) => made !== null,
  });
  if (snapshot === null) throw buildTokenNotFoundError(reference);
  return {
    name: { ...reference, epoch: snapshot.epoch },
    text: before + snapshot.text,
    point: toTip(snapshot.checkpoint),
    page: null,
  };
}

async function open(parts: StreamTokenParts, request: StreamRequest): Promise<Opened> {
  const { reference, filter, lastEventId } = request;
  if (lastEventId === null) return openFresh(parts, request, '');
  const { chain, token } = reference;
  const key = `resume ${chain} ${token} ${toFilterKey(filter)} ${lastEventId}`;
  const resumed = await parts.openings.get(key, chain, {
    make: () => readResumed(parts, request),
    isKept: (made) => typeof made !== 'string' && made.text.length <= KEPT_LENGTH_MAX,
  });
  if (resumed === 'tokenGone') throw buildTokenNotFoundError(reference);
  parts.hub.count(typeof resumed === 'string' ? 'reset' : 'resumed');
  return typeof resumed === 'string' ? openFresh(parts, request, encodeReset(resumed)) : resumed;
}

/** Holds the caller's slot and the token's channel for the life of the stream. */
function buildAnswer(
  parts: StreamTokenParts,
  opened: Opened,
  of: {
    readonly filter: StreamFilter;
    readonly identity: Identity;
    readonly spend: StreamContext['spend'];
    readonly release: () => void;
  },
): StreamAnswer {
  const { hub, pauses } = parts;
  const { filter, identity, spend, release } = of;
  const channel = hub.acquire(opened.name);
  // Closures below live as long as the stream, so they must not reference the initial page.
  let opening: Opened | null = opened;
  const letGo = () => {
    hub.release(channel);
    release();
  };
  const start = (outlet: StreamOutlet): StreamClient => {
    let unwatch: () => void = () => undefined;
    const onGone = () => {
      unwatch();
      letGo();
    };
    if (opening === null) throw new Error('a stream can start only once');
    const client = new StreamClient({ hub, channel, filter, spend, onGone }, outlet, opening);
    opening = null;
    hub.add(client);
    unwatch = parts.watch(identity, () => client.end());
    client.start();
    // Both may have happened since the request.
    if (hub.isStopping) client.end();
    else if (pauses.isPaused(channel.name.chain, channel.name.token)) client.pause();
    return client;
  };
  return { kind: 'stream', start, cancel: letGo };
}

export function createStreamToken(parts: StreamTokenParts) {
  const prepare = createPrepare((input: StreamInput) => {
    const kinds = new Set(input.events ?? STREAM_KINDS);
    return { reference: parseToken(parts, input), filter: { kinds, interval: input.interval } };
  });
  return async (
    input: StreamInput,
    context: HandlerContext & StreamContext,
  ): Promise<StreamAnswer> => {
    const { reference, filter } = prepare(input);
    const { identity, spend } = context;
    const release = parts.slots.take(identity);
    try {
      const market = requireReadable(parts, reference);
      if (parts.hub.isStopping) throw buildStoppingError();
      // The header is newer: a browser repeats the URL of its first connection.
      const lastEventId = context.lastEventId || input.lastEventId || null;
      const request = { market, reference, filter, lastEventId };
      const opened = await withLookup(parts, { reference, context }, () => open(parts, request));
      return buildAnswer(parts, opened, { filter, identity, spend, release });
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
