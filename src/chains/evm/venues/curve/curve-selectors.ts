// Functions of Curve's registries, factories and StableSwap NG pools.

export const GET_COINS_SELECTOR = '0x9ac90d3d';
export const GET_UNDERLYING_COINS_SELECTOR = '0xa77576ef';
export const FIND_POOL_SELECTOR = '0x6982eb0b';
export const IS_META_SELECTOR = '0xe4d332a9';
export const ASSET_TYPES_SELECTOR = '0xa80f2464';

export const BALANCES_SELECTOR = '0x4903b0d1';
export const STORED_RATES_SELECTOR = '0xfd0684b1';
export const AMP_SELECTOR = '0x76a2f0f0';
export const FUTURE_AMP_SELECTOR = '0xb4b577ad';
export const OFFPEG_SELECTOR = '0x8edfdd5f';

/** Of PancakeSwap's stable pools. */
export const RATES_SELECTOR = '0x62203d74';
export const PLAIN_AMP_SELECTOR = '0xf446c1d0';
export const ADMIN_FEE_SELECTOR = '0xfee3f7f9';
export const IS_KILLED_SELECTOR = '0x9c868ac0';

/** Of stable pools, which count their coins as `int128`, and of crypto pools: as `uint256`. */
export const STABLE_SELECTORS = {
  ...{ getDy: '0x5e0d443f', getDyUnderlying: '0x07211ef7' },
  ...{ exchange: '0x3df02124', exchangeUnderlying: '0xa6417ed6' },
} as const;
export const CRYPTO_SELECTORS = {
  ...{ getDy: '0x556d6e9f', getDyUnderlying: '0x85f11d1e' },
  ...{ exchange: '0x5b41b908', exchangeUnderlying: '0x65b2489b' },
} as const;

/** Of the router, with pools and receiver. */
export const ROUTER_EXCHANGE_SELECTOR = '0xc872a3c5';
