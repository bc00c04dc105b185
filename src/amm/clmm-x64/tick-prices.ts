// Square-root prices at ticks in 64.64, as two programs compute them: both multiply powers of
// √1.0001 for the bits of the tick and truncate each product, but from different tables.

import { BoundedMap } from '../../lib/bounded-map.ts';

/** Whose table: Raydium's CLMM, or Orca's Whirlpools. */
export type TickTableName = 'raydium' | 'orca';

export const TICK_X64_MAX = 443_636;

/** √1.0001^-(2^bit) as Raydium's program has it: with errors of floating point in the low bits. */
const RAYDIUM_DOWN: readonly bigint[] = [
  0xfffcb933bd6fb800n,
  0xfff97272373d4000n,
  0xfff2e50f5f657000n,
  0xffe5caca7e10f000n,
  0xffcb9843d60f7000n,
  0xff973b41fa98e800n,
  0xff2ea16466c9b000n,
  0xfe5dee046a9a3800n,
  0xfcbe86c7900bb000n,
  0xf987a7253ac65800n,
  0xf3392b0822bb6000n,
  0xe7159475a2caf000n,
  0xd097f3bdfd2f2000n,
  0xa9f746462d9f8000n,
  0x70d869a156f31c00n,
  0x31be135f97ed3200n,
  0x9aa508b5b85a500n,
  0x5d6af8dedc582cn,
  0x2216e584f5fan,
];

/** ⌊2^64·√1.0001^-(2^bit)⌋ */
const EXACT_DOWN: readonly bigint[] = [
  18445821805675392311n,
  18444899583751176498n,
  18443055278223354162n,
  18439367220385604838n,
  18431993317065449817n,
  18417254355718160513n,
  18387811781193591352n,
  18329067761203520168n,
  18212142134806087854n,
  17980523815641551639n,
  17526086738831147013n,
  16651378430235024244n,
  15030750278693429944n,
  12247334978882834399n,
  8131365268884726200n,
  3584323654723342297n,
  696457651847595233n,
  26294789957452057n,
  37481735321082n,
];

/** ⌊2^96·√1.0001^(2^bit)⌋ */
const EXACT_UP_X96: readonly bigint[] = [
  79232123823359799118286999567n,
  79236085330515764027303304731n,
  79244008939048815603706035061n,
  79259858533276714757314932305n,
  79291567232598584799939703904n,
  79355022692464371645785046466n,
  79482085999252804386437311141n,
  79736823300114093921829183326n,
  80248749790819932309965073892n,
  81282483887344747381513967011n,
  83390072131320151908154831281n,
  87770609709833776024991924138n,
  97234110755111693312479820773n,
  119332217159966728226237229890n,
  179736315981702064433883588727n,
  407748233172238350107850275304n,
  2098478828474011932436660412517n,
  55581415166113811149459800483533n,
  38992368544603139932233054999993551n,
];

const UINT128_MAX = 2n ** 128n - 1n;

interface PowerTable {
  readonly factors: readonly bigint[];
  readonly fractionBits: bigint;
}

function multiplyPowers(distance: number, { factors, fractionBits }: PowerTable): bigint {
  let product = 1n << fractionBits;
  for (let bit = 0, rest = distance; rest !== 0; bit += 1, rest >>>= 1) {
    if ((rest & 1) !== 0) product = (product * (factors[bit] ?? 0n)) >> fractionBits;
  }
  return product;
}

function computeRaydiumPrice(tick: number): bigint {
  const down = multiplyPowers(Math.abs(tick), { factors: RAYDIUM_DOWN, fractionBits: 64n });
  return tick > 0 ? UINT128_MAX / down : down;
}

function computeOrcaPrice(tick: number): bigint {
  if (tick < 0) return multiplyPowers(-tick, { factors: EXACT_DOWN, fractionBits: 64n });
  return multiplyPowers(tick, { factors: EXACT_UP_X96, fractionBits: 96n }) >> 32n;
}

const KEPT_COUNT_MAX = 1 << 16;
const LOG_OF_SQRT_STEP = Math.log(1.0001) / 2;
const Q64 = 2 ** 64;

/** One program's prices, with a bounded cache: swaps stop at the same ticks again and again. */
export class TickTable {
  readonly priceMin: bigint;
  readonly priceMax: bigint;
  readonly #compute: (tick: number) => bigint;
  readonly #kept = new BoundedMap<number, bigint>(KEPT_COUNT_MAX);

  constructor(compute: (tick: number) => bigint) {
    this.#compute = compute;
    this.priceMin = compute(-TICK_X64_MAX);
    this.priceMax = compute(TICK_X64_MAX);
  }

  toPrice(tick: number): bigint {
    const known = this.#kept.get(tick);
    if (known !== undefined) return known;
    if (!Number.isInteger(tick) || Math.abs(tick) > TICK_X64_MAX) {
      throw new RangeError(`no price at tick ${tick}`);
    }
    const price = this.#compute(tick);
    this.#kept.set(tick, price);
    return price;
  }

  /** The highest tick whose price is not above; the logarithm is off by at most one tick. */
  findTick(price: bigint): number {
    const about = Math.floor(Math.log(Number(price) / Q64) / LOG_OF_SQRT_STEP);
    let tick = Math.min(Math.max(about, -TICK_X64_MAX), TICK_X64_MAX - 1);
    while (tick > -TICK_X64_MAX && this.toPrice(tick) > price) tick -= 1;
    while (tick + 1 < TICK_X64_MAX && this.toPrice(tick + 1) <= price) tick += 1;
    return tick;
  }
}

export const TICK_TABLES: Readonly<Record<TickTableName, TickTable>> = {
  raydium: new TickTable(computeRaydiumPrice),
  orca: new TickTable(computeOrcaPrice),
};
