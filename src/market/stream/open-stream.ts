// The start of a stream: a snapshot of each token, or the first page of what the reader missed.

import { buildTradeAnswer } from '../../contract/build-trade-answer.ts';
import type { Identity } from '../../contract/identity.ts';
import type { OutputOf } from '../../contract/operation.ts';
import type { getTokenStream } from '../../contract/operations/stream-token.ts';
import { AppError } from '../../errors/app-error.ts';
import { HeldSlots } from '../../lib/held-slots.ts';
import type { WorkSlots } from '../../lib/work-slots.ts';
import type { ChainSlug } from '../../model/chain.ts';
import type { Checkpoint } from '../../model/market-record.ts';
import type { CommitCache } from '../commit-cache.ts';
import type { TokenDirectory } from '../lists/token-lists.ts';
import type { MarketChain, MarketParts } from '../market-parts.ts';
import { buildTokenNotFoundError, type TokenReference } from '../parse-token.ts';
import { type AnswerReader, readAt, toAsOf } from '../read-at.ts';
import { CandleReader } from '../read-candles.ts';
import type { RollingStats } from '../rolling-stats/rolling-stats.ts';
import { readSummaries } from '../token-summary.ts';
import {
  buildKlineAnswer,
  createTokenEvent,
  encodeReset,
  type TokenEvent,
} from './encode-events.ts';
import { type NoWay, readMissed, readOldestTime, readOpen } from './read-missed.ts';
import { encodeSetPage } from './set-source.ts';
import type { StreamHub } from './stream-hub.ts';
import {
  encodeEventId,
  parseEventId,
  type StreamName,
  type StreamPoint,
  toTip,
} from './stream-point.ts';
import {
  createSet,
  encodeSetId,
  parseSetId,
  type StreamFilter,
  type StreamSet,
  toFilterKey,
  toViewKey,
} from './stream-set.ts';
import { buildRequest, encodePage, type StreamOpening } from './stream-source.ts';

// Counts the open streams of each caller and in total.

export interface StreamSlotsOptions {
  /** The maximum number of concurrent streams of a caller. */
  readonly limitOf: (identity: Identity) => number;
  readonly totalMax: number;
  /** Counts those of all processes, if several share the limits. */
  readonly shared?: SharedSlots | undefined;
}

interface SharedSlots {
  /** False if the owner has as many as it may. */
  take(owner: string, limit: number): Promise<boolean>;
  release(owner: string): void;
}

/** The owner whose streams count together: those of a wallet's keys and sessions. */
function findOwner(identity: Identity): string {
  if (identity.kind === 'anonymous') return `address ${identity.key}`;
  return `wallet ${identity.kind === 'key' ? identity.walletId : identity.wallet.id}`;
}

/** Long enough to detect a lost connection. */
const RETRY_AFTER_SECONDS = 5;

function buildTooManyError(limit: number): AppError {
  const retryAfterSeconds = RETRY_AFTER_SECONDS;
  return new AppError('TOO_MANY_STREAMS', { limit }, { retryAfterSeconds });
}

export class StreamSlots {
  readonly #options: StreamSlotsOptions;
  readonly #held: HeldSlots;

  constructor(options: StreamSlotsOptions) {
    this.#options = options;
    const { totalMax } = options;
    this.#held = new HeldSlots({ totalMax, perHolderMax: Number.POSITIVE_INFINITY });
  }

  get total(): number {
    return this.#held.count;
  }

  /** The returned function releases the slot; calling it again is a no-op. */
  async take(identity: Identity): Promise<() => void> {
    const { limitOf, shared } = this.#options;
    const limit = limitOf(identity);
    const owner = findOwner(identity);
    if (this.#held.countOf(owner) >= limit) throw buildTooManyError(limit);
    // Nobody loses a stream for another one, so the holders need not be compared.
    const isFull = this.#held.count >= this.#options.totalMax;
    const release = isFull ? null : this.#held.take(owner, null);
    if (release === null) {
      throw new AppError('OVERLOADED', {}, { retryAfterSeconds: RETRY_AFTER_SECONDS });
    }
    if (shared === undefined) return release;
    if (!(await shared.take(owner, limit))) {
      release();
      throw buildTooManyError(limit);
    }
    let isTaken = true;
    return () => {
      if (isTaken) shared.release(owner);
      isTaken = false;
      release();
    };
  }
}

// The start of a stream: the token, its live kline and its last trades.

type SnapshotData = Extract<
  NonNullable<OutputOf<typeof getTokenStream>['snapshot']>,
  { readonly token: unknown }
>;

interface Snapshot {
  readonly name: StreamName;
  readonly event: TokenEvent;
  readonly checkpoint: Checkpoint;
}

/** Null if the token is unknown. */
async function readSnapshot(
  reader: AnswerReader,
  market: MarketChain,
  wanted: {
    readonly reference: TokenReference;
    readonly filter: StreamFilter;
    readonly tradesMax: number;
    readonly checkpoint: Checkpoint;
    readonly directory: TokenDirectory;
    readonly stats: Pick<RollingStats, 'read'>;
  },
): Promise<Snapshot | null> {
  const { reference, filter, checkpoint } = wanted;
  const { interval, pool } = filter;
  const { chain, token, addresses } = reference;
  const summaries = await readSummaries(reader, market, { ...wanted, tokens: [token] });
  const found = summaries.get(token);
  const epoch = (await reader.readEpoch(chain))?.epoch;
  if (found === undefined || epoch === undefined) return null;
  const { trades } = await reader.readTradePage(chain, {
    ...{ token, pool, side: null, wallet: null, minUsd: null, after: null },
    range: { fromMs: checkpoint.tradesFromMs ?? 0, toMs: Number.MAX_SAFE_INTEGER },
    order: 'newest',
    limit: wanted.tradesMax,
  });
  const quotes = await reader.readTokens(chain, [
    ...new Set(trades.map(({ quoteToken }) => quoteToken)),
  ]);
  const tokens = new Map([found.token, ...quotes].map((row) => [row.token, row]));
  const known = { tokens, finalizedBlock: checkpoint.finalizedBlock, addresses };
  const name = { ...reference, epoch };
  const candles = new CandleReader(reader, chain, { token, pool, interval }, checkpoint);
  const open = await readOpen(candles, { interval, record: found.token, checkpoint });
  const live = open.at(-1);
  const data: Omit<SnapshotData, 'chain' | 'mint'> = {
    token: { ...found.summary, match: null },
    interval,
    kline: live === undefined ? null : buildKlineAnswer(live, { name, checkpoint, tokens }, filter),
    trades: trades.map((trade) => buildTradeAnswer(chain, trade, known)),
    asOf: toAsOf(checkpoint),
  };
  return { name, event: createTokenEvent('snapshot', data, reference), checkpoint };
}

export interface OpenParts extends MarketParts {
  readonly hub: StreamHub;
  /** The starts of streams, built once for all equal requests at the same commit. */
  readonly openings: CommitCache;
  readonly openingSlots: WorkSlots;
}

interface StreamTokenRequest extends TokenReference {
  readonly market: MarketChain;
}

export interface StreamRequest {
  /** Each once, by chain and token. */
  readonly tokens: readonly StreamTokenRequest[];
  readonly filter: StreamFilter;
  readonly lastEventId: string | null;
}

export interface Opened {
  /** The first text, which ends with the id of the state it reflects. */
  readonly text: string;
  readonly set: StreamSet;
  /** One for each of the set's names. */
  readonly openings: readonly StreamOpening[];
}

/** Longer replays are rarely shared, and would fill the memory. */
const KEPT_LENGTH_MAX = 64 * 1024;

function listChains({ tokens }: StreamRequest): ChainSlug[] {
  return [...new Set(tokens.map(({ chain }) => chain))];
}

/** The tokens of a chain, with their places in the stream. */
function listOfChain({ tokens }: StreamRequest, chain: ChainSlug) {
  return tokens.flatMap((token, index) => (token.chain === chain ? [{ token, index }] : []));
}

async function readEpochs(
  parts: OpenParts,
  request: StreamRequest,
): Promise<readonly StreamName[] | null> {
  const epochs = new Map<ChainSlug, string>();
  for (const chain of listChains(request)) {
    const epoch = (await parts.store.readEpoch(chain))?.epoch;
    if (epoch === undefined) return null;
    epochs.set(chain, epoch);
  }
  return request.tokens.map(({ market: _, ...reference }) => {
    return { ...reference, epoch: epochs.get(reference.chain) ?? '' };
  });
}

/** A stream of one token keeps the ids that it has always had. */
function parseId(set: StreamSet, id: string): readonly StreamPoint[] | null {
  const [only] = set.names;
  if (set.names.length > 1 || only === undefined) return parseSetId(set, id);
  const point = parseEventId(only, id);
  return point && [point];
}

/** How many trades the reader missed of a token; counts no further than the limit. */
async function countMissed(
  reader: AnswerReader,
  { chain, token }: StreamName,
  of: { readonly point: StreamPoint; readonly limit: number },
): Promise<number> {
  const after = of.point.position;
  const sinceMs = await readOldestTime(reader, { chain, token }, after);
  return reader.countTradesAfter(chain, token, { after, sinceMs, limit: of.limit });
}

interface ResumedChain {
  readonly openings: ReadonlyMap<number, StreamOpening>;
  readonly counted: number;
}

async function resumeChain(
  parts: OpenParts,
  of: {
    readonly request: StreamRequest;
    readonly set: StreamSet;
    readonly points: readonly StreamPoint[];
    readonly chain: ChainSlug;
    readonly counted: number;
  },
): Promise<ResumedChain | NoWay> {
  const { request, set, chain } = of;
  const { filter } = request;
  const { resumeMs, resumeEventsMax, pageEvents } = parts.hub.limits;
  const isCounted = filter.kinds.has('trade') || filter.interval === '1s';
  const limit = Math.ceil(pageEvents / set.names.length);
  const { value } = await readAt(parts, chain, async (reader, checkpoint) => {
    let { counted } = of;
    const openings = new Map<number, StreamOpening>();
    if (checkpoint === null) return 'unknown';
    for (const { index } of listOfChain(request, chain)) {
      const [name, point] = [set.names[index], of.points[index]];
      if (name === undefined || point === undefined) return 'unknown';
      if (point.position.timeMs < checkpoint.timestampMs - resumeMs) return 'expired';
      if (isCounted) {
        const left = resumeEventsMax + 1 - counted;
        counted += await countMissed(reader, name, { point, limit: left });
      }
      if (counted > resumeEventsMax) return 'expired';
      const page = await readMissed(
        reader,
        buildRequest(name, { point, filter, limit }),
        checkpoint,
      );
      if (typeof page === 'string') return page;
      openings.set(index, { point: page.point, page });
    }
    return { openings, counted };
  });
  return value;
}

function encodeOpening(
  set: StreamSet,
  filter: StreamFilter,
  of: { readonly points: readonly StreamPoint[]; readonly openings: readonly StreamOpening[] },
): string {
  const [only] = set.names;
  const page = of.openings[0]?.page;
  if (set.names.length === 1 && only && page) return encodePage(page, only, filter);
  let { points } = of;
  const texts = of.openings.map(({ point, page }, index) => {
    const text = page === null ? '' : encodeSetPage({ set, filter, index, points }, page);
    points = points.with(index, point);
    return text;
  });
  return texts.join('');
}

/** The first page of what the reader missed, or why it cannot resume. */
async function readResumed(parts: OpenParts, request: StreamRequest): Promise<Opened | NoWay> {
  const { filter, lastEventId } = request;
  const names = await readEpochs(parts, request);
  if (names === null) return 'unknown';
  const set = createSet(names);
  const points = parseId(set, lastEventId ?? '');
  if (points === null) return 'unknown';
  const found = new Map<number, StreamOpening>();
  let counted = 0;
  for (const chain of listChains(request)) {
    const resumed = await resumeChain(parts, { request, set, points, chain, counted });
    if (typeof resumed === 'string') return resumed;
    counted = resumed.counted;
    for (const [index, opening] of resumed.openings) found.set(index, opening);
  }
  const openings = set.names.flatMap((_, index) => found.get(index) ?? []);
  return { text: encodeOpening(set, filter, { points, openings }), set, openings };
}

async function readFresh(
  parts: OpenParts,
  request: StreamRequest,
  chain: ChainSlug,
): Promise<ReadonlyMap<number, Snapshot> | null> {
  const { filter } = request;
  const tradesMax = Math.ceil(parts.hub.limits.snapshotTrades / request.tokens.length);
  const { value } = await readAt(parts, chain, async (reader, checkpoint) => {
    if (checkpoint === null) return null;
    const snapshots = new Map<number, Snapshot>();
    for (const { token, index } of listOfChain(request, chain)) {
      const { market, ...reference } = token;
      const { directory } = parts.lists;
      const { stats } = parts;
      const wanted = { reference, filter, tradesMax, checkpoint, directory, stats };
      const snapshot = await readSnapshot(reader, market, wanted);
      if (snapshot !== null) snapshots.set(index, snapshot);
      // A reader of several tokens resumes without those that a reorganisation removed.
      else if (request.lastEventId === null) throw buildTokenNotFoundError(reference);
    }
    return snapshots;
  });
  return value;
}

/** The snapshots; the last one has the id, because a reader that has it has all of them. */
async function readSnapshots(parts: OpenParts, request: StreamRequest): Promise<Opened | null> {
  const found = new Map<number, Snapshot>();
  for (const chain of listChains(request)) {
    const ofChain = await readFresh(parts, request, chain);
    if (ofChain === null) return null;
    for (const [index, snapshot] of ofChain) found.set(index, snapshot);
  }
  const snapshots = request.tokens.flatMap((_, index) => found.get(index) ?? []);
  const set = createSet(snapshots.map(({ name }) => name));
  const points = snapshots.map(({ checkpoint }) => toTip(checkpoint));
  const [first] = snapshots;
  const openings = points.map((point) => ({ point, page: null }));
  if (first === undefined || points[0] === undefined) return null;
  if (snapshots.length === 1) {
    return { text: first.event.encode(encodeEventId(first.name, points[0])), set, openings };
  }
  const id = encodeSetId(set, points);
  const texts = snapshots.map(({ event }, index) =>
    event.encode(index === snapshots.length - 1 ? id : undefined),
  );
  return { text: texts.join(''), set, openings };
}

function toTokensKey({ tokens }: StreamRequest): string {
  return tokens.map(({ chain, token }) => `${chain} ${token}`).join();
}

async function openFresh(
  parts: OpenParts,
  request: StreamRequest,
  before: string,
): Promise<Opened> {
  const kind = request.lastEventId === null ? 'snapshot' : 'rest';
  const key = `${kind} ${toTokensKey(request)} ${toViewKey(request.filter)}`;
  const opened = await parts.openings.get(key, listChains(request), async (discard) => {
    const made = await parts.openingSlots.run(() => readSnapshots(parts, request));
    if (made === null || made.text.length > KEPT_LENGTH_MAX * 4) discard();
    return made;
  });
  const [first] = request.tokens;
  if (opened === null) throw first ? buildTokenNotFoundError(first) : new Error('no tokens');
  return { ...opened, text: before + opened.text };
}

export async function openStream(parts: OpenParts, request: StreamRequest): Promise<Opened> {
  const { filter, lastEventId } = request;
  if (lastEventId === null) return openFresh(parts, request, '');
  const key = `resume ${toTokensKey(request)} ${toFilterKey(filter)} ${lastEventId}`;
  const resumed = await parts.openings.get(key, listChains(request), async (discard) => {
    const made = await parts.openingSlots.run(() => readResumed(parts, request));
    if (typeof made === 'string' || made.text.length > KEPT_LENGTH_MAX) discard();
    return made;
  });
  // The snapshot says which token it is.
  if (resumed === 'tokenGone') return openFresh(parts, request, encodeReset('unknown'));
  parts.hub.count(typeof resumed === 'string' ? 'reset' : 'resumed');
  return typeof resumed === 'string' ? openFresh(parts, request, encodeReset(resumed)) : resumed;
}
