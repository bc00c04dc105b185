// The market of the stream benchmarks, and a clock in the hashes of its trades.

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

/** Microseconds on a clock that all processes of the machine share. */
export function readMicros(): number {
  return Math.round((performance.timeOrigin + performance.now()) * 1000);
}

/** A transaction hash that contains the time of its creation. */
export function toTimedHash(number: number): string {
  return `0x${readMicros().toString(16).padStart(60, '0')}${number.toString(16).padStart(4, '0')}`;
}

const TIMED_HASH = /"txHash":"0x([0-9a-f]{60})/g;

/** The creation times of the events in a piece of a stream. */
export function findMicros(text: string): number[] {
  return Array.from(text.matchAll(TIMED_HASH), ([, micros]) => Number.parseInt(micros ?? '', 16));
}
