// The tokens of a stream of several tokens, and the id that resumes all of them.
//
// An id has a point for each token. Tokens that follow each other and are at the same point share
// it, so an id is short: most tokens of a chain are at its last commit.

import { hash } from 'node:crypto';
import type { PoolId } from '../../model/ids.ts';
import type { KlineInterval } from '../../model/market-record.ts';
import type { KlineView } from '../kline-rows.ts';
import { MARK_LENGTH, NUMBER, type StreamName, type StreamPoint } from './stream-point.ts';

// Which events of a token a reader wants, and how klines are shown to it.

export const STREAM_KINDS = ['trade', 'kline', 'price', 'holders', 'coverage'] as const;

export type StreamKind = (typeof STREAM_KINDS)[number];

/** Klines of a token, over all its pools or in one. */
export interface StreamSeries {
  readonly interval: KlineInterval;
  readonly pool: PoolId | null;
}

export interface StreamFilter extends StreamSeries, Pick<KlineView, 'currency' | 'outliers'> {
  readonly kinds: ReadonlySet<StreamKind>;
}

/** How klines are shown, as text. */
export function toViewKey({ interval, pool, currency, outliers }: Omit<StreamFilter, 'kinds'>) {
  return `${interval} ${pool ?? ''} ${currency} ${outliers}`;
}

/** Equal for all readers whose streams have the same bytes. */
export function toFilterKey(filter: StreamFilter): string {
  const { kinds, pool } = filter;
  const wanted = STREAM_KINDS.filter((kind) => kinds.has(kind)).join(',');
  if (kinds.has('kline')) return `${wanted} ${toViewKey(filter)}`;
  return kinds.has('trade') && pool !== null ? `${wanted} ${pool}` : wanted;
}

/** The klines that the filter needs. */
export function listSeries({ kinds, interval, pool }: StreamFilter): readonly StreamSeries[] {
  return kinds.has('kline') ? [{ interval, pool }] : [];
}

export function toSeriesKey({ interval, pool }: StreamSeries): string {
  return `${interval} ${pool ?? ''}`;
}

export interface StreamSet {
  /** By chain, then by token: the order in a URL does not matter. */
  readonly names: readonly StreamName[];
  /** Equal for the same tokens of the same indexes. */
  readonly key: string;
}

export function createSet(names: readonly StreamName[]): StreamSet {
  const toText = ({ epoch, chain, token }: StreamName) => `${chain} ${token} ${epoch}`;
  const sorted = names.toSorted((a, b) => (toText(a) < toText(b) ? -1 : 1));
  return { names: sorted, key: hash('sha1', sorted.map(toText).join(), 'base64url') };
}

function computeMark({ key }: StreamSet, body: string): string {
  return hash('sha1', `${key} ${body}`, 'base64url').slice(0, MARK_LENGTH);
}

function isSame(a: StreamPoint, b: StreamPoint): boolean {
  if (a === b) return true;
  const [one, two] = [a.position, b.position];
  return (
    a.version === b.version &&
    one.block === two.block &&
    one.logIndex === two.logIndex &&
    one.timeMs === two.timeMs
  );
}

const TEXTS = new WeakMap<StreamPoint, string>();

/** Readers of other sets have ids with the same points. */
function encodePoint(point: StreamPoint): string {
  let text = TEXTS.get(point);
  if (text === undefined) {
    const { timeMs, block, logIndex } = point.position;
    const numbers = [point.version, timeMs, block, logIndex];
    text = numbers.map((number) => number.toString(36)).join('.');
    TEXTS.set(point, text);
  }
  return text;
}

function encodeRun(count: number, point: StreamPoint): string {
  return `${count.toString(36)}.${encodePoint(point)}`;
}

/** `points` are those of the set's names. */
export function encodeSetId(set: StreamSet, points: readonly StreamPoint[]): string {
  const runs: string[] = [];
  let [count, last] = [0, points[0]];
  for (const point of points) {
    if (last !== undefined && !isSame(last, point)) {
      runs.push(encodeRun(count, last));
      count = 0;
    }
    last = point;
    count += 1;
  }
  if (last !== undefined) runs.push(encodeRun(count, last));
  const body = runs.join('.');
  return `${computeMark(set, body)}.${body}`;
}

const RUN_LENGTH = 5;

/** A point for each name; null for an id that was not issued for these tokens. */
export function parseSetId(set: StreamSet, id: string): readonly StreamPoint[] | null {
  const [mark = '', ...texts] = id.split('.');
  if (texts.length % RUN_LENGTH !== 0 || !texts.every((text) => NUMBER.test(text))) return null;
  if (texts.length > RUN_LENGTH * set.names.length) return null;
  if (mark !== computeMark(set, texts.join('.'))) return null;
  const numbers = texts.map((text) => Number.parseInt(text, 36));
  const points: StreamPoint[] = [];
  for (let start = 0; start < numbers.length; start += RUN_LENGTH) {
    const [count = 0, version = 0, timeMs = 0, block = 0, logIndex = 0] = numbers.slice(start);
    const point = { version, position: { timeMs, block, logIndex } };
    if (count > set.names.length - points.length) return null;
    for (let one = 0; one < count; one += 1) points.push(point);
  }
  return points.length === set.names.length ? points : null;
}
