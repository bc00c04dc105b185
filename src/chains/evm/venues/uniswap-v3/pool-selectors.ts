// What a V3-like pool's contract and its factory are asked for.

export const SLOT0_SELECTOR = '0x3850c7bd';
export const LIQUIDITY_SELECTOR = '0x1a686502';
export const TICKS_SELECTOR = '0xf30dba93';
export const TICK_BITMAP_SELECTOR = '0x5339c296';
export const TICK_SPACING_SELECTOR = '0xd0c93a7c';
export const FEE_SELECTOR = '0xddca3f43';
export const GET_POOL_SELECTOR = '0x1698ee82';
/** Slipstream names pools by their spacing. */
export const GET_POOL_BY_SPACING_SELECTOR = '0x28af8d0b';
/** Kyber Elastic: the fee and the spacing of a pool, and its price, tick and more. */
export const SWAP_FEE_UNITS_SELECTOR = '0xc79a590e';
export const TICK_DISTANCE_SELECTOR = '0x48626a8c';
export const POOL_STATE_SELECTOR = '0x217ac237';
/** Algebra has one pool for each pair. */
export const POOL_BY_PAIR_SELECTOR = '0xd9a641e1';
/** Of Algebra Integral, whose factories make more pools of a pair for others. */
export const CUSTOM_POOL_SELECTOR = '0x23da36cc';
export const GLOBAL_STATE_SELECTOR = '0xe76c01e4';
export const TICK_TABLE_SELECTOR = '0xc677e3e0';
