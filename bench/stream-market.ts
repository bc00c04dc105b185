// The one market of the stream measurements, and a clock that its trades carry.

import type { ChainAssets } from '../src/chains/adapter.ts';
import type { Address } from '../src/model/ids.ts';
import { address, poolId } from '../test/ids.ts';

function toAddress(kind: string): Address {
  return address(`0x${kind.repeat(20)}`);
}

export const TOKEN = toAddress('aa');
export const WETH = toAddress('ee');
export const USDC = toAddress('55');
export const POOL = poolId(toAddress('d1'));
export const ANCHOR = poolId(toAddress('d2'));

export const ASSETS: ChainAssets = {
  coin: toAddress('00'),
  native: new Set([WETH]),
  stable: new Set([USDC]),
  anchorPools: [ANCHOR],
};

/** Microseconds that all processes of a machine agree on. */
export function readMicros(): number {
  return Math.round((performance.timeOrigin + performance.now()) * 1000);
}

/** A transaction's hash that says when it was made. */
export function toTimedHash(number: number): string {
  return `0x${readMicros().toString(16).padStart(60, '0')}${number.toString(16).padStart(4, '0')}`;
}

const TIMED_HASH = /"txHash":"0x([0-9a-f]{60})/g;

/** When the events in a piece of a stream were made. */
export function findMicros(text: string): number[] {
  return Array.from(text.matchAll(TIMED_HASH), ([, micros]) => Number.parseInt(micros ?? '', 16));
}
