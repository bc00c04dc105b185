// Where a reader stands in a token's stream, and how that is written down as an event's id.
//
// Two things move on in a stream: trades, in the order of blocks and logs, and the chain's time,
// which ends klines. A version says on which branch of the chain both are meant.

import { hash } from 'node:crypto';
import type { AddressCodec } from '../../model/address-codec.ts';
import type { ChainSlug } from '../../model/chain.ts';
import type { Address } from '../../model/ids.ts';
import type { Checkpoint } from '../../model/market-record.ts';

export interface StreamPosition {
  /** Trades up to this log of this block were told. */
  readonly block: number;
  readonly logIndex: number;
  /** Klines that ended up to this time of the chain were told. */
  readonly timeMs: number;
}

export interface StreamPoint {
  /** The commit as of which everything up to the position was told. */
  readonly version: number;
  readonly position: StreamPosition;
}

/** Which stream an id belongs to. */
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

/** Everything that a commit holds. */
export function toTip(checkpoint: Checkpoint): StreamPoint {
  return { version: checkpoint.version, position: toBlockEnd(checkpoint) };
}

type LogPosition = Pick<StreamPosition, 'block' | 'logIndex'>;

/** By chain order, whatever clocks say. */
export function comparePositions(a: LogPosition, b: LogPosition): number {
  return a.block - b.block || a.logIndex - b.logIndex;
}

/**
 * Trades that are older than the chain's time at a position belong to klines that were told as
 * closed. From the position given back these klines are told again, and no others: a token's trades
 * never go back in time, so it has no later klines.
 */
export function toTimeBack(
  position: StreamPosition,
  trades: readonly { readonly timestampMs: number }[],
): StreamPosition {
  let { timeMs } = position;
  for (const { timestampMs } of trades) timeMs = Math.min(timeMs, timestampMs);
  return { ...position, timeMs };
}

const MARK_LENGTH = 8;

/** Tells ids of other streams apart from ours, and ids that were damaged on the way. */
function toMark({ chain, token, epoch }: StreamName, body: string): string {
  return hash('sha1', `${epoch} ${chain} ${token} ${body}`, 'base64url').slice(0, MARK_LENGTH);
}

export function toEventId(name: StreamName, { version, position }: StreamPoint): string {
  const { timeMs, block, logIndex } = position;
  const body = [version, timeMs, block, logIndex].map((number) => number.toString(36)).join('.');
  return `${toMark(name, body)}.${body}`;
}

const NUMBER = /^[0-9a-z]{1,10}$/;

/** Null for whatever this stream did not give. */
export function parseEventId(name: StreamName, id: string): StreamPoint | null {
  const [mark = '', ...texts] = id.split('.');
  if (texts.length !== 4 || !texts.every((text) => NUMBER.test(text))) return null;
  if (mark !== toMark(name, texts.join('.'))) return null;
  const [version = 0, timeMs = 0, block = 0, logIndex = 0] = texts.map((text) =>
    Number.parseInt(text, 36),
  );
  return { version, position: { timeMs, block, logIndex } };
}
