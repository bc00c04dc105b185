// Selectors of Liquidity Book's factories and pairs.

/** A factory's pair of two tokens, in any order, and a bin step: the second word is its address. */
export const PAIR_INFORMATION_SELECTOR = '0x704037bd';
/** All of two tokens: a list of four words each, the first two as above. */
export const ALL_PAIRS_SELECTOR = '0x6622e0d7';

/** What a pair says of itself. */
export const PAIR_SELECTORS = {
  ...{ factory: '0x88cc58e4', tokenX: '0x05e8746d', tokenY: '0xda10610c', binStep: '0x17f11ecc' },
} as const;
/** Of v2.0; the first word of its fee's parameters is the bin step. */
export const OLD_PAIR_SELECTORS = {
  ...{ factory: '0xc45a0155', tokenX: '0x16dc165b', tokenY: '0xb7d19fc4', binStep: '0x98c7adf3' },
} as const;

/** In the order in which they are called. */
export const STATE_SELECTORS = {
  getActiveId: '0xdbe65edc',
  getStaticFeeParameters: '0x7ca0de30',
  getVariableFeeParameters: '0x8d7024e5',
  getReserves: '0x0902f1ac',
  /** v2.2 only. */
  getLBHooksParameters: '0x781a8915',
} as const;
export const GET_BIN_SELECTOR = '0x0abe9688';
export const NEXT_BIN_SELECTOR = '0xa41a01fb';
