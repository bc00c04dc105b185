// The square-root price at a tick, exactly as Uniswap's TickMath computes it.

import { BoundedMap } from '../../lib/bounded-map.ts';

export const TICK_MIN = -887272;
export const TICK_MAX = 887272;

/** The prices at the outermost ticks; a swap stops one unit inside of them. */
export const SQRT_PRICE_X96_MIN = 4295128739n;
export const SQRT_PRICE_X96_MAX = 1461446703485210103287273052203988822378723970342n;

const UINT256_MAX = 2n ** 256n - 1n;
const ONE = 1n << 128n;

/** sqrt(1.0001)^-(2^bit) in 128.128, for every bit of a tick. */
const FACTORS: readonly bigint[] = [
  0xfffcb933bd6fad37aa2d162d1a594001n,
  0xfff97272373d413259a46990580e213an,
  0xfff2e50f5f656932ef12357cf3c7fdccn,
  0xffe5caca7e10e4e61c3624eaa0941cd0n,
  0xffcb9843d60f6159c9db58835c926644n,
  0xff973b41fa98c081472e6896dfb254c0n,
  0xff2ea16466c96a3843ec78b326b52861n,
  0xfe5dee046a99a2a811c461f1969c3053n,
  0xfcbe86c7900a88aedcffc83b479aa3a4n,
  0xf987a7253ac413176f2b074cf7815e54n,
  0xf3392b0822b70005940c7a398e4b70f3n,
  0xe7159475a2c29b7443b29c7fa6e889d9n,
  0xd097f3bdfd2022b8845ad8f792aa5825n,
  0xa9f746462d870fdf8a65dc1f90e061e5n,
  0x70d869a156d2a1b890bb3df62baf32f7n,
  0x31be135f97d08fd981231505542fcfa6n,
  0x9aa508b5b7a84e1c677de54f3e99bc9n,
  0x5d6af8dedb81196699c329225ee604n,
  0x2216e584f5fa1ea926041bedfe98n,
  0x48a170391f7dc42444e8fa2n,
];

function multiplyFactors(start: bigint, bits: number): bigint {
  let ratio = start;
  for (let bit = 0, rest = bits; rest !== 0; bit += 1, rest >>>= 1) {
    if ((rest & 1) === 0) continue;
    ratio = (ratio * (FACTORS[bit] ?? 0n)) >> 128n;
  }
  return ratio;
}

/**
 * The factors are multiplied from the lowest bit up and each product is truncated, so the product
 * over the low bits is the same for every tick that shares them: it is computed once.
 */
const LOW_BITS = 11;
const LOW_MASK = (1 << LOW_BITS) - 1;
const LOW_RATIOS: (bigint | undefined)[] = new Array(1 << LOW_BITS).fill(undefined);

function findLowRatio(low: number): bigint {
  let ratio = LOW_RATIOS[low];
  if (ratio === undefined) {
    ratio = multiplyFactors(ONE, low);
    LOW_RATIOS[low] = ratio;
  }
  return ratio;
}

/** Swaps stop at the same ticks again and again, so a bounded number of prices is cached. */
const KEPT_COUNT_MAX = 1 << 16;
const kept = new BoundedMap<number, bigint>(KEPT_COUNT_MAX);

export function toSqrtPriceX96(tick: number): bigint {
  const known = kept.get(tick);
  if (known !== undefined) return known;
  const price = computeSqrtPriceX96(tick);
  kept.set(tick, price);
  return price;
}

function computeSqrtPriceX96(tick: number): bigint {
  const distance = Math.abs(tick);
  if (!Number.isInteger(tick) || distance > TICK_MAX) {
    throw new RangeError(`no price at tick ${tick}`);
  }
  let ratio = findLowRatio(distance & LOW_MASK);
  for (let bit = LOW_BITS, rest = distance >>> LOW_BITS; rest !== 0; bit += 1, rest >>>= 1) {
    if ((rest & 1) !== 0) ratio = (ratio * (FACTORS[bit] ?? 0n)) >> 128n;
  }
  if (tick > 0) ratio = UINT256_MAX / ratio;
  // From 128.128 to 64.96, rounded up as the contract does.
  return (ratio + 0xffffffffn) >> 32n;
}
