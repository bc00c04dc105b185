// The end of a page of trades, in its cursor.

import type { AddressCodec } from '../model/address-codec.ts';
import type { TradePosition } from '../store/market-reads.ts';
import { buildInvalidCursorError, encodeCursor, parseCursor, parseNumbers } from './cursor.ts';

export function encodeTradeCursor(
  addresses: AddressCodec,
  mark: string,
  at: TradePosition,
): string {
  const token = addresses.toShown(at.token);
  return encodeCursor(mark, `${at.timestampMs} ${at.block} ${at.logIndex} ${token}`);
}

export function parseTradeCursor(
  addresses: AddressCodec,
  mark: string,
  cursor: string,
): TradePosition {
  const position = parseCursor(mark, cursor);
  const end = position.lastIndexOf(' ');
  const token = addresses.parse(position.slice(end + 1));
  if (token === null) throw buildInvalidCursorError();
  const [timestampMs = 0, block = 0, logIndex = 0] = parseNumbers(position.slice(0, end), 3);
  return { timestampMs, block, logIndex, token };
}
