// A reader's position in a token's stream, and its encoding as an event id.
//
// Two things advance in a stream: trades, in the order of blocks and logs, and the chain's time,
// which ends klines. A version says which branch of the chain both belong to.

import { hash } from 'node:crypto';
import type { AddressCodec } from '../../model/address-codec.ts';
import type { ChainSlug } from '../../model/chain.ts';
import type { Address } from '../../model/ids.ts';
import type { Checkpoint } from '../../model/market-record.ts';

export interface StreamPosition {
  /** Trades up to this log of this block have been sent. */
  readonly block: number;
  readonly logIndex: number;
  /** Klines that ended up to this chain time have been sent. */
  readonly timeMs: number;
}

export interface StreamPoint {
  /** The commit as of which everything up to the position was sent. */
  readonly version: number;
  readonly position: StreamPosition;
}

/** The stream that an id belongs to. */
export interface StreamName {
  readonly chain: ChainSlug;
  readonly token: Address;
  /** How the chain's addresses are written. */
  readonly addresses: AddressCodec;
  /** Of the chain's index: versions of another one mean nothing here. */
  readonly epoch: string;
}

/** After every log of a block. */
const LOG_END = 2 ** 31 - 1;

export function toBlockEnd(at: {
  readonly block: number;
  readonly timestampMs: number;
}): StreamPosition {
  return { block: at.block, logIndex: LOG_END, timeMs: at.timestampMs };
}

const TIPS = new WeakMap<Checkpoint, StreamPoint>();

/** The end of a commit: one object for all channels, which makes comparing them cheap. */
export function toTip(checkpoint: Checkpoint): StreamPoint {
  let tip = TIPS.get(checkpoint);
  if (tip === undefined) {
    tip = { version: checkpoint.version, position: toBlockEnd(checkpoint) };
    TIPS.set(checkpoint, tip);
  }
  return tip;
}

type LogPosition = Pick<StreamPosition, 'block' | 'logIndex'>;

/** In chain order, regardless of time. */
export function comparePositions(a: LogPosition, b: LogPosition): number {
  return a.block - b.block || a.logIndex - b.logIndex;
}

/**
 * Trades that are older than the chain's time at a position belong to klines that were sent as
 * closed. From the returned position these klines are sent again, and no others: a token's trades
 * never go back in time, so it has no later klines.
 */
export function turnTimeBack(
  position: StreamPosition,
  trades: readonly { readonly timestampMs: number }[],
): StreamPosition {
  let { timeMs } = position;
  for (const { timestampMs } of trades) timeMs = Math.min(timeMs, timestampMs);
  return { ...position, timeMs };
}

export const MARK_LENGTH = 8;

/** What the numbers of an id belong to: a token, or `*` for the news of a chain. */
type IdOwner = Pick<StreamName, 'chain' | 'epoch'> & { readonly token: Address | '*' };

/** A checksum that detects ids of other streams and damaged ids. */
function computeMark({ chain, token, epoch }: IdOwner, body: string): string {
  return hash('sha1', `${epoch} ${chain} ${token} ${body}`, 'base64url').slice(0, MARK_LENGTH);
}

type IdNumbers = readonly [number, number, number, number];

export function encodeIdNumbers(owner: IdOwner, numbers: IdNumbers): string {
  const body = numbers.map((number) => number.toString(36)).join('.');
  return `${computeMark(owner, body)}.${body}`;
}

export function encodeEventId(name: StreamName, { version, position }: StreamPoint): string {
  const { timeMs, block, logIndex } = position;
  return encodeIdNumbers(name, [version, timeMs, block, logIndex]);
}

export const NUMBER = /^[0-9a-z]{1,10}$/;

/** Null for an id that this stream did not issue. */
export function parseIdNumbers(owner: IdOwner, id: string): IdNumbers | null {
  const [mark = '', ...texts] = id.split('.');
  if (texts.length !== 4 || !texts.every((text) => NUMBER.test(text))) return null;
  if (mark !== computeMark(owner, texts.join('.'))) return null;
  const [a = 0, b = 0, c = 0, d = 0] = texts.map((text) => Number.parseInt(text, 36));
  return [a, b, c, d];
}

/** Null for an id that this stream did not issue. */
export function parseEventId(name: StreamName, id: string): StreamPoint | null {
  const numbers = parseIdNumbers(name, id);
  if (numbers === null) return null;
  const [version, timeMs, block, logIndex] = numbers;
  return { version, position: { timeMs, block, logIndex } };
}
