// What a V3 pool's contract and its factory are asked for.

export const SLOT0_SELECTOR = '0x3850c7bd';
export const LIQUIDITY_SELECTOR = '0x1a686502';
export const TICKS_SELECTOR = '0xf30dba93';
export const TICK_BITMAP_SELECTOR = '0x5339c296';
export const TICK_SPACING_SELECTOR = '0xd0c93a7c';
export const GET_POOL_SELECTOR = '0x1698ee82';
