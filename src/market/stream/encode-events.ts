// Encodes events as text of a stream. Payloads are the same objects as in the reads.

import type { Candle } from '../../candles/derive-klines.ts';
import { createSerializer } from '../../contract/create-serializer.ts';
import type { OutputOf } from '../../contract/operation.ts';
import { getTokenStream } from '../../contract/operations/stream-token.ts';
import type { ChainSlug } from '../../model/chain.ts';
import type { TransactionId } from '../../model/ids.ts';
import type { Checkpoint, KlineInterval } from '../../model/market-record.ts';
import { buildTradeAnswer } from '../create-get-trades.ts';
import { buildKlineRow, type KlineRow } from '../kline-rows.ts';
import type { TokenReference } from '../parse-token.ts';
import type { KnownTokens, Missed, MissedItem } from './read-missed.ts';
import type { Reverted } from './read-reverted.ts';
import type { StreamFilter } from './stream-filter.ts';
import { encodeEventId, type StreamName, type StreamPoint } from './stream-point.ts';

/** The payload of each event, as the operation declares it. */
type EventData = Required<OutputOf<typeof getTokenStream>>;
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
  const name = id === undefined ? `event: ${event}` : `event: ${event}\nid: ${id}`;
  return `${name}\ndata: ${serializers[event](data)}\n\n`;
}

/** One event that must not be lost, as text. */
export interface EncodedItem {
  readonly kind: 'trade' | 'kline' | 'revert' | 'mark';
  /** Klines and reverts go to readers that follow this interval. */
  readonly interval: KlineInterval | null;
  readonly text: string;
}

/** What encoding needs to know of the commit. */
export interface EncodingState {
  readonly name: StreamName;
  readonly checkpoint: Checkpoint;
  readonly tokens: KnownTokens;
}

export function buildKlineAnswer(candle: Candle, state: EncodingState): KlineRow {
  const { name, checkpoint, tokens } = state;
  return buildKlineRow(candle, {
    interval: candle.interval,
    currency: 'usd',
    outliers: 'exclude',
    decimals: tokens.get(name.token)?.decimals ?? null,
    chainMs: checkpoint.timestampMs,
  });
}

/** The open candle: only its newest state matters. */
export function encodeLiveKline(candle: Candle, state: EncodingState): string {
  const { interval } = candle;
  return encodeEvent('kline', { interval, kline: buildKlineAnswer(candle, state) });
}

export function encodeItem(item: MissedItem, state: EncodingState): EncodedItem {
  const { name, checkpoint, tokens } = state;
  const id = encodeEventId(name, { version: checkpoint.version, position: item.position });
  if (item.kind === 'trade') {
    const { addresses } = name;
    const known = { tokens, finalizedBlock: checkpoint.finalizedBlock, addresses };
    const text = encodeEvent('trade', buildTradeAnswer(name.chain, item.trade, known), id);
    return { kind: 'trade', interval: null, text };
  }
  const { interval } = item.candle;
  const kline = buildKlineAnswer(item.candle, state);
  return { kind: 'kline', interval, text: encodeEvent('kline', { interval, kline }, id) };
}

/** One event per interval; null is for readers that follow none. */
function encodeReverted(reverted: Reverted, state: EncodingState): EncodedItem[] {
  const { name, checkpoint } = state;
  const id = encodeEventId(name, { version: checkpoint.version, position: reverted.position });
  const { fromBlock, toBlock } = reverted;
  const tradeIds = reverted.trades.map(({ txHash, index }) => toTradeId(name.chain, txHash, index));
  const encode = (interval: KlineInterval | null, openTimes: readonly number[]): EncodedItem[] => {
    if (tradeIds.length === 0 && openTimes.length === 0) return [];
    const klines = interval === null ? [] : openTimes.map((openTime) => ({ interval, openTime }));
    const text = encodeEvent('revert', { fromBlock, toBlock, tradeIds, klines }, id);
    return [{ kind: 'revert', interval, text }];
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
function encodeMark(name: StreamName, point: StreamPoint): EncodedItem {
  return { kind: 'mark', interval: null, text: `id: ${encodeEventId(name, point)}\n\n` };
}

/** Whether readers with this filter get an event. */
export function isWanted(item: EncodedItem, { kinds, interval }: StreamFilter): boolean {
  if (item.kind === 'trade') return kinds.has('trade');
  if (item.kind === 'mark') return true;
  const isMine = item.interval === (kinds.has('kline') ? interval : null);
  return isMine && (kinds.has('kline') || (item.kind === 'revert' && kinds.has('trade')));
}

export function encodePaused({ chain, token, addresses }: TokenReference): string {
  return encodeEvent('paused', { chain, mint: addresses.toShown(token) });
}

export function encodeReset(reason: 'unknown' | 'expired'): string {
  return encodeEvent('reset', { reason });
}

/** A comment with the reader's position; it can resume from there. */
export function encodeBeat(name: StreamName, point: StreamPoint): string {
  return `:\nid: ${encodeEventId(name, point)}\n\n`;
}
