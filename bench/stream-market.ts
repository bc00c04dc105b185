// The market of the stream benchmarks, and a clock in the hashes of its trades.

import type { ChainAssets } from '../src/chains/adapter.ts';
import type { ChainSlug } from '../src/model/chain.ts';
import type { Address } from '../src/model/ids.ts';
import { address, poolId } from '../test/test-ids.ts';

function buildAddress(kind: string): Address {
  return address(`0x${kind.repeat(20)}`);
}

const TOKEN_COUNT = 5;

/** The tokens of a chain; each has a pool of its own. */
export const TOKENS = Array.from({ length: TOKEN_COUNT }, (_, index) => buildAddress(`a${index}`));
export const POOLS = TOKENS.map((_, index) => poolId(buildAddress(`d${index + 3}`)));
export const CHAINS = ['devnet', 'base'] as const satisfies readonly ChainSlug[];
export const WETH = buildAddress('ee');
export const USDC = buildAddress('55');
export const ANCHOR = poolId(buildAddress('d2'));

export const ASSETS: ChainAssets = {
  coin: buildAddress('00'),
  coinUnit: { symbol: 'ETH', decimals: 18 },
  native: new Set([WETH]),
  stable: new Set([USDC]),
  anchorPools: [ANCHOR],
};

/** Microseconds on a clock that all processes of the machine share. */
export function readMicros(): number {
  return Math.round((performance.timeOrigin + performance.now()) * 1000);
}

/** A transaction hash that contains the time of its creation. */
export function buildTimedHash(number: number): string {
  return `0x${readMicros().toString(16).padStart(60, '0')}${number.toString(16).padStart(4, '0')}`;
}

const TIMED_HASH = /"txHash":"0x([0-9a-f]{60})/g;

/** The creation times of the events in a piece of a stream. */
export function findMicros(text: string): number[] {
  return Array.from(text.matchAll(TIMED_HASH), ([, micros]) => Number.parseInt(micros ?? '', 16));
}
