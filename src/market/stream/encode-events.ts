// Encodes events as text of a stream. Payloads are the same objects as in the reads, and say which
// token they are about.

import type { CarriedCandle } from '../../candles/derive-klines.ts';
import { buildTradeAnswer } from '../../contract/build-trade-answer.ts';
import { createSerializer } from '../../contract/create-serializer.ts';
import type { OutputOf } from '../../contract/operation.ts';
import { getTokenStream } from '../../contract/operations/stream-token.ts';
import type { ChainSlug } from '../../model/chain.ts';
import type { PoolId, TransactionId } from '../../model/ids.ts';
import type { Checkpoint, KlineInterval } from '../../model/market-record.ts';
import { buildKlineRow, type KlineRow, type KlineView } from '../kline-rows.ts';
import type { TokenReference } from '../parse-token.ts';
import type { KnownTokens, Missed, MissedItem, Reverted } from './read-missed.ts';
import { encodeEventId, type StreamName, type StreamPoint } from './stream-point.ts';
import type { StreamFilter } from './stream-set.ts';

/** The payload of each event, as the operation declares it. */
export type EventData = Required<OutputOf<typeof getTokenStream>>;
type EventName = keyof EventData;

type EventSerializers = { readonly [Name in EventName]: (data: EventData[Name]) => string };

const serializers = Object.fromEntries(
  Object.entries(getTokenStream.output.properties).map(([name, schema]) => [
    name,
    createSerializer(schema, `the event ${name}`),
  ]),
) as EventSerializers;

/** Text of an event stream; serialised JSON never contains a line break. */
export function encodeEvent<Name extends EventName>(
  event: Name,
  data: EventData[Name],
  id?: string,
): string {
  return frame(event, serializers[event](data), id);
}

function frame(event: string, data: string, id: string | undefined): string {
  const name = id === undefined ? `event: ${event}` : `event: ${event}\nid: ${id}`;
  return `${name}\ndata: ${data}\n\n`;
}

/** The events that are about one token. */
type TokenEventName = Exclude<EventName, 'paused' | 'reset' | NewsEventName>;
type NewsEventName = 'pool' | 'token' | 'launch' | 'graduation' | 'chain';

/** An event without its id, which readers of one token and of several have in other forms. */
export interface TokenEvent {
  encode(id?: string): string;
}

/** Serialised once, when it is first asked for. */
export function createTokenEvent<Name extends TokenEventName>(
  event: Name,
  data: Omit<EventData[Name], 'chain' | 'mint'>,
  { chain, token, addresses }: TokenReference,
): TokenEvent {
  let text: string | null = null;
  return {
    encode: (id) => {
      const named = { chain, mint: addresses.toShown(token), ...data };
      text ??= serializers[event](named as unknown as EventData[Name]);
      return frame(event, text, id);
    },
  };
}

type View = Pick<KlineView, 'currency' | 'outliers'>;

/** One event that must not be lost. */
export interface EncodedItem {
  readonly kind: 'trade' | 'kline' | 'revert' | 'mark';
  /** Klines and reverts go to readers that follow this interval. */
  readonly interval: KlineInterval | null;
  /** Trades and klines of one pool; null for all. */
  readonly pool: PoolId | null;
  /** Where a reader is that has it. */
  readonly point: StreamPoint;
  /** The event in a view of klines; null if it is an id alone. */
  readonly event: (view: View) => TokenEvent | null;
  /** The text for readers of this token alone. */
  readonly text: (view: View) => string;
}

/** What encoding needs to know of the commit. */
export interface EncodingState {
  readonly name: StreamName;
  readonly checkpoint: Checkpoint;
  readonly tokens: KnownTokens;
}

export function buildKlineAnswer(
  candle: CarriedCandle,
  state: EncodingState,
  view: View,
): KlineRow | null {
  const { name, checkpoint, tokens } = state;
  return buildKlineRow(candle, {
    interval: candle.interval,
    currency: view.currency,
    outliers: view.outliers,
    decimals: tokens.get(name.token)?.decimals ?? null,
    chainMs: checkpoint.timestampMs,
  });
}

/** Null if the candle has no price to show. */
function createKlineEvent(
  candle: CarriedCandle,
  state: EncodingState,
  view: View,
): TokenEvent | null {
  const { interval } = candle;
  const kline = buildKlineAnswer(candle, state, view);
  if (kline === null) return null;
  return createTokenEvent('kline', { interval, kline }, state.name);
}

/** The open candles: only their newest state matters. */
export function createLiveKlines(
  candles: readonly CarriedCandle[],
  state: EncodingState,
  view: View,
): TokenEvent | null {
  const events = candles.flatMap((candle) => createKlineEvent(candle, state, view) ?? []);
  if (events.length === 0) return null;
  return {
    encode: () => events.map((event) => event.encode()).join(''),
  };
}

function createItem(
  of: Pick<EncodedItem, 'kind' | 'interval' | 'pool' | 'point'>,
  name: StreamName,
  createEvent: (view: View) => TokenEvent | null,
): EncodedItem {
  const events = new Map<string, TokenEvent | null>();
  let id: string | null = null;
  const event = (view: View): TokenEvent | null => {
    const key = of.kind === 'kline' ? `${view.currency} ${view.outliers}` : '';
    const known = events.get(key);
    if (known !== undefined) return known;
    const created = createEvent(view);
    events.set(key, created);
    return created;
  };
  return {
    ...of,
    event,
    text: (view) => {
      id ??= encodeEventId(name, of.point);
      return event(view)?.encode(id) ?? encodeId(id);
    },
  };
}

export function encodeItem(item: MissedItem, state: EncodingState): EncodedItem {
  const { name, checkpoint, tokens } = state;
  const point = { version: checkpoint.version, position: item.position };
  if (item.kind === 'trade') {
    const { addresses } = name;
    const known = { tokens, finalizedBlock: checkpoint.finalizedBlock, addresses };
    const { pool } = item.trade;
    return createItem({ kind: 'trade', interval: null, pool, point }, name, () =>
      createTokenEvent('trade', buildTradeAnswer(name.chain, item.trade, known), name),
    );
  }
  const { interval, pool } = item.candle;
  return createItem({ kind: 'kline', interval, pool, point }, name, (view) =>
    createKlineEvent(item.candle, state, view),
  );
}

/** One event per interval; null is for readers that follow none. */
function encodeReverted(reverted: Reverted, state: EncodingState): EncodedItem[] {
  const { name, checkpoint } = state;
  const point = { version: checkpoint.version, position: reverted.position };
  const { fromBlock, toBlock } = reverted;
  const tradeIds = reverted.trades.map(({ txHash, index }) => toTradeId(name.chain, txHash, index));
  const encode = (interval: KlineInterval | null, openTimes: readonly number[]): EncodedItem[] => {
    if (tradeIds.length === 0 && openTimes.length === 0) return [];
    const klines = interval === null ? [] : openTimes.map((openTime) => ({ interval, openTime }));
    const data = { fromBlock, toBlock, tradeIds, klines };
    return [
      createItem({ kind: 'revert', interval, pool: null, point }, name, () =>
        createTokenEvent('revert', data, name),
      ),
    ];
  };
  const byInterval = Array.from(reverted.klines, ([interval, times]) => encode(interval, times));
  return [...encode(null, []), ...byInterval.flat()];
}

function toTradeId(chain: ChainSlug, txHash: TransactionId, index: number): string {
  return `${chain}:${txHash}:${index}`;
}

export function encodeMissed(missed: Missed, name: StreamName): EncodedItem[] {
  const state = { name, checkpoint: missed.checkpoint, tokens: missed.tokens };
  const { reverted, point } = missed;
  const taken = reverted === null ? [] : encodeReverted(reverted, state);
  const items = missed.items.map((item) => encodeItem(item, state));
  // A kline sent as closed is open again: a reader that leaves now must not resume from its end.
  const { timeMs } = reverted !== null && taken.length > 0 ? reverted.position : missed.from;
  const marks = point.position.timeMs < timeMs ? [encodeMark(name, point)] : [];
  return [...taken, ...items, ...marks];
}

/** An id without an event: readers store it, and see nothing. */
export function encodeId(id: string): string {
  return `id: ${id}\n\n`;
}

function encodeMark(name: StreamName, point: StreamPoint): EncodedItem {
  return {
    ...{ kind: 'mark', interval: null, pool: null, point },
    event: () => null,
    text: () => encodeId(encodeEventId(name, point)),
  };
}

/** Whether readers with this filter get an event. */
export function isWanted(item: EncodedItem, filter: StreamFilter): boolean {
  const { kinds, interval, pool } = filter;
  if (item.kind === 'trade') return kinds.has('trade') && (pool === null || item.pool === pool);
  if (item.kind === 'mark') return true;
  const isMine = item.interval === (kinds.has('kline') ? interval : null);
  if (item.kind === 'kline') return isMine && kinds.has('kline') && item.pool === pool;
  return isMine && (kinds.has('kline') || kinds.has('trade'));
}

export function encodePaused({ chain, token, addresses }: TokenReference): string {
  return encodeEvent('paused', { chain, mint: addresses.toShown(token) });
}

export function encodeReset(reason: 'unknown' | 'expired'): string {
  return encodeEvent('reset', { reason });
}

/** A comment with the reader's position; it can resume from there. */
export function encodeBeat(id: string): string {
  return `:\nid: ${id}\n\n`;
}
