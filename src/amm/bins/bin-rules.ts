// What differs between the programs and contracts that have liquidity in bins.

import { AMOUNT_U64_MAX } from '../amount-u64.ts';
import type { RateUnits } from './bin-fee.ts';
import { createBinPrices, toBinPrice } from './bin-price.ts';

export interface BinRules {
  /** Of prices. */
  readonly fractionBits: bigint;
  readonly toPrice: (id: number, binStep: number) => bigint;
  readonly rates: RateUnits;
  readonly amountMax: bigint;
  /**
   * Whether a bin is emptied as soon as the input is what all of it costs. Otherwise an input above
   * that, which its fee takes down to the cost, stays in the bin.
   */
  readonly fillsExactly: boolean;
  /** Of Solana's accounts, of which a swap sees a few; null if a swap sees every bin. */
  readonly binsPerArray: number | null;
  /** The most that a bin may hold, in token 1 with the fraction bits of prices. */
  readonly worthMax: bigint | null;
}

export const BINS_PER_ARRAY = 70;

export const DLMM_RULES: BinRules = {
  ...{ fractionBits: 64n, toPrice: toBinPrice, amountMax: AMOUNT_U64_MAX },
  rates: { scale: 10n ** 9n, baseUnit: 10n, variableDivisor: 10n ** 11n, max: 10n ** 8n },
  ...{ fillsExactly: false, binsPerArray: BINS_PER_ARRAY, worthMax: null },
};

/** The bin of Liquidity Book whose price is one. */
const LB_ID_OF_ONE = 2 ** 23;

/** joe-v2, MIT: `PriceHelper`, `PairParameterHelper`, `BinHelper`. */
export const LIQUIDITY_BOOK_RULES: BinRules = {
  fractionBits: 128n,
  toPrice: createBinPrices({ bits: 128n, idOfOne: LB_ID_OF_ONE }),
  rates: { scale: 10n ** 18n, baseUnit: 10n ** 10n, variableDivisor: 100n, max: 10n ** 17n },
  ...{ amountMax: 2n ** 128n - 1n, fillsExactly: true, binsPerArray: null },
  // `MAX_LIQUIDITY_PER_BIN` of v2.2; v2.1 refuses only what does not fit into 256 bits.
  worthMax: 65251743116719673010965625540244653191619923014385985379600384103134737n,
};
