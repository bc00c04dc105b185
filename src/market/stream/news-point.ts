// A reader's position in a chain's news, and its encoding as an event id.

import type { AddressCodec } from '../../model/address-codec.ts';
import type { ChainSlug } from '../../model/chain.ts';
import type { Checkpoint } from '../../model/market-record.ts';
import type { NewsPosition } from '../../model/news.ts';
import { encodeIdNumbers, parseIdNumbers } from './stream-point.ts';

/** The news that an id belongs to. */
export interface NewsName {
  readonly chain: ChainSlug;
  readonly addresses: AddressCodec;
  /** Of the chain's index: versions of another one mean nothing here. */
  readonly epoch: string;
}

export interface NewsPoint {
  /** The commit as of which everything up to the position was sent. */
  readonly version: number;
  readonly after: NewsPosition;
  /** The chain's time there. */
  readonly timeMs: number;
}

/** After all news of a commit. */
const INDEX_END = 2 ** 31 - 1;

/** Whether something of the commit may be missing there. */
export function isWithinCommit({ index }: NewsPosition): boolean {
  return index < INDEX_END;
}

/** The end of a commit. */
export function toNewsTip({ version, timestampMs }: Checkpoint): NewsPoint {
  return { version, after: { version, index: INDEX_END }, timeMs: timestampMs };
}

export function encodeNewsId({ chain, epoch }: NewsName, point: NewsPoint): string {
  const { version, after, timeMs } = point;
  const numbers = [version, timeMs, after.version, after.index] as const;
  return encodeIdNumbers({ chain, epoch, token: '*' }, numbers);
}

/** Null for an id that this stream did not issue. */
export function parseNewsId({ chain, epoch }: NewsName, id: string): NewsPoint | null {
  const numbers = parseIdNumbers({ chain, epoch, token: '*' }, id);
  if (numbers === null) return null;
  const [version, timeMs, afterVersion, index] = numbers;
  return { version, after: { version: afterVersion, index }, timeMs };
}
