// The total fee of a swap if the protocol takes its own part (Uniswap V4).

import type { DirectionFees } from '../swap-pool.ts';

const PIPS = 1_000_000;
const DIRECTION_BITS = 12;
const DIRECTION_MASK = 0xfff;

/** `p + l − ⌊p·l/1e6⌋`: the pool's fee is taken from what the protocol's fee leaves. */
export function addProtocolFee(lpFeePips: number, protocolPips: number): number {
  return protocolPips + lpFeePips - Math.floor((protocolPips * lpFeePips) / PIPS);
}

/** `protocolFee` has 12 bits per direction, the lower ones for a swap of token 0. */
export function computeDirectionFees(lpFeePips: number, protocolFee: number): DirectionFees {
  return {
    zeroForOne: addProtocolFee(lpFeePips, protocolFee & DIRECTION_MASK),
    oneForZero: addProtocolFee(lpFeePips, (protocolFee >> DIRECTION_BITS) & DIRECTION_MASK),
  };
}
