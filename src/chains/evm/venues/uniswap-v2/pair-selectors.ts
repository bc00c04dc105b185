// What a V2-like pair's contract and its factory are asked for.

export const GET_PAIR_SELECTOR = '0xe6a43905';
export const GET_RESERVES_SELECTOR = '0x0902f1ac';
/** Aerodrome and Velodrome have a volatile and a stable pair for two tokens. */
export const GET_POOL_BY_STABLE_SELECTOR = '0x79bc57d5';
/** What Solidly and its other forks call it. */
export const GET_PAIR_BY_STABLE_SELECTOR = '0x6801cc30';
export const STABLE_SELECTOR = '0x22be3de1';
/** Decimals, reserves, whether it is stable, and tokens. */
export const METADATA_SELECTOR = '0x392f37e9';
export const GET_FEE_SELECTOR = '0xcc56b2c5';
/** Camelot's name for it. */
export const STABLE_SWAP_SELECTOR = '0x9e548b7f';
