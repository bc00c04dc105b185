// The price of a bin of Meteora's DLMM in 64.64: (1 + step/10,000)^id, by repeated squaring of its
// inverse as the program does it, so that the truncated bits agree.

import { BoundedMap } from '../../lib/bounded-map.ts';

const X64 = 64n;
const ONE = 1n << X64;
const UINT128_MAX = 2n ** 128n - 1n;
const STEP_SCALE = 10_000n;
const KEPT_COUNT_MAX = 1 << 16;

/** Above all ids, so that a step and an id make one key. */
const ID_RANGE = 2 ** 24;

const kept = new BoundedMap<number, bigint>(KEPT_COUNT_MAX);

function computeBinPrice(id: number, binStep: number): bigint {
  const base = ONE + (BigInt(binStep) << X64) / STEP_SCALE;
  let square = UINT128_MAX / base;
  let product = ONE;
  for (let rest = Math.abs(id); rest !== 0; rest >>>= 1) {
    if ((rest & 1) !== 0) product = (product * square) >> X64;
    square = (square * square) >> X64;
  }
  return id < 0 || product === 0n ? product : UINT128_MAX / product;
}

export function toBinPrice(id: number, binStep: number): bigint {
  const key = binStep * ID_RANGE + id;
  const known = kept.get(key);
  if (known !== undefined) return known;
  const price = id === 0 ? ONE : computeBinPrice(id, binStep);
  kept.set(key, price);
  return price;
}
