// The price of a bin: (1 + step/10,000)^id, by repeated squaring of its inverse as the programs do
// it, so that the truncated bits agree. Meteora's DLMM has 64 fraction bits, Liquidity Book 128.

import { BoundedMap } from '../../lib/bounded-map.ts';

const STEP_SCALE = 10_000n;
const KEPT_COUNT_MAX = 1 << 16;

/** Above all ids, so that a step and an id make one key. */
const ID_RANGE = 2 ** 24;

function computeBinPrice(exponent: number, binStep: number, bits: bigint): bigint {
  const one = 1n << bits;
  const max = (1n << (2n * bits)) - 1n;
  let square = max / (one + (BigInt(binStep) << bits) / STEP_SCALE);
  let product = one;
  for (let rest = Math.abs(exponent); rest !== 0; rest >>>= 1) {
    if ((rest & 1) !== 0) product = (product * square) >> bits;
    square = (square * square) >> bits;
  }
  return exponent < 0 || product === 0n ? product : max / product;
}

/** In fixed point with so many fraction bits; `idOfOne` is the bin whose price is one. */
export function createBinPrices({ bits, idOfOne }: { bits: bigint; idOfOne: number }) {
  const kept = new BoundedMap<number, bigint>(KEPT_COUNT_MAX);
  return (id: number, binStep: number): bigint => {
    const key = binStep * ID_RANGE + id;
    const known = kept.get(key);
    if (known !== undefined) return known;
    const price = id === idOfOne ? 1n << bits : computeBinPrice(id - idOfOne, binStep, bits);
    kept.set(key, price);
    return price;
  };
}

/** Of Meteora's DLMM. */
export const toBinPrice = createBinPrices({ bits: 64n, idOfOne: 0 });
